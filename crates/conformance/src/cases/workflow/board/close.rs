//! What closes messages, and what a closed session still tells.

use std::sync::Arc;

use sessile_core::Outcome;
use sessile_workflow::board::{
    Acknowledge, BoardError, Closure, Complete, Kind, Observe, Post, Query, Refused, Replace,
    Resolve, Status,
};

use super::stand::{begun, behind, board, fingerprint, ids, is_invalid, listed, posted, refused};
use crate::case::Case;
use crate::failed::{Failed, ensure, only, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new("workflow/board/of_a_closed_session_is_listed_only", &["workflow/21"], |place| {
        Box::pin(of_a_closed_session(place))
    }),
    Case::new(
        "workflow/board/a_message_is_resolved_by_whoever_says_something_new",
        &["CONC-2"],
        |place| Box::pin(something_new(place)),
    ),
    Case::new("workflow/board/what_is_taken_back_or_replaced_stays_so", &["CONC-2"], |place| {
        Box::pin(stays_so(place))
    }),
    Case::new(
        "workflow/board/a_change_that_may_be_there_is_told_when_repeated",
        &["workflow/29"],
        |place| Box::pin(may_be_there(place)),
    ),
    Case::new(
        "workflow/board/is_acknowledged_by_the_first_and_never_otherwise_changed",
        &["workflow/39"],
        |place| Box::pin(acknowledged(place)),
    ),
];

async fn of_a_closed_session(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = begun(&*place).await?;
    let task = posted(&first, Kind::Todo, "do").await?;
    let note = first.post(Post::new(Kind::Note, "n").keyed(fingerprint(1), "k")).await?.id;
    let fence = first.assignment(&task).await?.fence;
    let token = first.observe(Observe::start()).await?.token;
    let before = listed(&*place).await?;
    super::stand::store(&*place).await?.open_session("s1").await?.close().await?;
    let other = board(&*place).await?;
    for closed in [&first, &other] {
        let why = Refused::SessionClosed;
        refused("a post", closed.post(Post::new(Kind::Note, "x")).await, &why)?;
        // Also what is there already, and what breaks a rule.
        let repeat = Post::new(Kind::Note, "n").keyed(fingerprint(1), "k");
        refused("a repeat", closed.post(repeat).await, &why)?;
        refused("a blank post", closed.post(Post::new(Kind::Note, " ")).await, &why)?;
        refused("a reply", closed.post(Post::reply(&note, Kind::Note, "x")).await, &why)?;
        refused("a resolution", closed.resolve(Resolve::new(&note)).await, &why)?;
        refused("a withdrawal", closed.withdraw(&note).await, &why)?;
        refused("a replacement", closed.replace(Replace::new(&note, "x")).await, &why)?;
        refused("an acknowledgement", closed.acknowledge(Acknowledge::ids([&note])).await, &why)?;
        let done = Complete::new(&task, fence.as_str(), fingerprint(2), "s2", "done");
        refused("a completion", closed.complete(done).await, &why)?;
        let observed = closed.observe(Observe::since(&token)).await?;
        same("whether anything changed", observed.changed, false)?;
        same("one of them", closed.list(&Query::all().kind(Kind::Todo)).await?.total, 1)?;
    }
    ensure!(listed(&*place).await? == before, "the board is another one");
    Ok(())
}

async fn something_new(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (begun(&*place).await?, board(&*place).await?);
    let id = posted(&one, Kind::Risk, "it may fail").await?;
    same("the first", other.resolve(Resolve::new(&id)).await?.replayed, false)?;
    same("nothing new", one.resolve(Resolve::new(&id)).await?.replayed, true)?;
    let words = || Resolve::new(&id).resolution(" it did ");
    same("words", one.resolve(words()).await?.revision, 3)?;
    let again = other.resolve(words()).await?;
    same("the same words", (again.revision, again.replayed), (3, true))?;
    same("other words", other.resolve(Resolve::new(&id).resolution("no")).await?.revision, 4)?;
    let conflict = one.resolve(Resolve::once(&id, "it did")).await;
    refused("other words once", conflict, &Refused::IdempotencyConflict(id.clone()))?;
    let shown = only("messages", listed(&*place).await?.messages)?;
    same("its words", shown.resolution.as_deref(), Some("no"))?;
    same("its state", (shown.message.status, shown.message.closure), (Status::Resolved, None))?;
    let asking = one.post(Post::new(Kind::Question, "ok?").requires_ack()).await?.id;
    is_invalid("without seeing it", other.resolve(Resolve::once(&asking, "yes")).await)?;
    other.resolve(Resolve::once(&asking, "yes").acknowledging()).await?;
    let board = board(&*place).await?.board().await?;
    ensure!(
        board.message(&asking).is_some_and(|it| it.acknowledged_at.is_some()),
        "it was not seen"
    );
    let task = posted(&one, Kind::Todo, "do").await?;
    is_invalid("a task", other.resolve(Resolve::once(&task, "done")).await)
}

async fn stays_so(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (begun(&*place).await?, board(&*place).await?);
    let gone = posted(&one, Kind::Note, "gone").await?;
    let first = other.withdraw(&gone).await?;
    let again = one.withdraw(&gone).await?;
    same("again", (again.revision, again.replayed), (first.revision, true))?;
    let not_open = Refused::MessageNotOpen(gone.clone());
    refused("a resolution", one.resolve(Resolve::new(&gone)).await, &not_open)?;
    refused("a replacement", one.replace(Replace::new(&gone, "x")).await, &not_open)?;

    let post = Post::reply(&gone, Kind::Guidance, "old").tags(["t"]).requires_ack();
    let old = one.post(post).await?.id;
    let new = other.replace(Replace::new(&old, " new ")).await?;
    same("the change that it is", (new.revision, new.replayed), (5, false))?;
    let again = one.replace(Replace::new(&old, "new")).await?;
    same("again", (&again.id, again.replayed), (&new.id, true))?;
    let words = one.replace(Replace::new(&old, "newer")).await;
    refused("other words", words, &Refused::IdempotencyConflict(old.clone()))?;
    let found = listed(&*place).await?.messages;
    let of = |id| found.iter().find(|it| it.message.id == id).cloned();
    let (Some(was), Some(is)) = (of(old.clone()), of(new.id.clone())) else {
        return Err(Failed::new("one of them is not on the board"));
    };
    same("what became of it", was.message.closure, Some(Closure::Superseded))?;
    same(
        "the links",
        (was.message.superseded_by, is.message.supersedes.clone()),
        (Some(new.id), Some(old)),
    )?;
    same("the texts", (was.text.as_deref(), is.text.as_deref()), (Some("old"), Some("new")))?;
    same("the tags", &is.tags, &was.tags)?;
    ensure!(is.message.answers(&gone) && is.message.requires_ack, "it took over too little");

    let answer = posted(&one, Kind::Answer, "a").await?;
    is_invalid("to take back an answer", other.withdraw(&answer).await)?;
    is_invalid("to replace an answer", other.replace(Replace::new(&answer, "b")).await)
}

async fn may_be_there(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = begun(&*place).await?;
    for is_done in [false, true] {
        let (taken, old) =
            (posted(&first, Kind::Note, "a").await?, posted(&first, Kind::Note, "b").await?);
        let count = ids(&*place).await?.len();
        let (line, cut) = behind(&*place).await?;
        line.breaks_after(0, is_done);
        is_not_known("a withdrawal", cut.withdraw(&taken).await, is_done)?;
        line.mend();
        same("the withdrawal", cut.withdraw(&taken).await?.replayed, is_done)?;
        let (line, cut) = behind(&*place).await?;
        line.breaks_after(0, is_done);
        is_not_known("a replacement", cut.replace(Replace::new(&old, "c")).await, is_done)?;
        line.mend();
        let told = cut.replace(Replace::new(&old, "c")).await?;
        same("the replacement", told.replayed, is_done)?;
        same("how many there are", ids(&*place).await?.len(), count + 1)?;
    }
    Ok(())
}

/// Fails unless a call has failed, and does not say that nothing was done where something was.
fn is_not_known<T: std::fmt::Debug>(
    what: &str,
    answer: Result<T, BoardError>,
    is_done: bool,
) -> Result<(), Failed> {
    match answer {
        Err(BoardError::Uncertain(error)) => same(what, error.outcome(), Outcome::Unknown),
        Err(BoardError::Store(_)) if !is_done => Ok(()),
        other => Err(Failed::new(format!("{what} failed, and is told as {other:?}"))),
    }
}

async fn acknowledged(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (begun(&*place).await?, board(&*place).await?);
    let asking = one.post(Post::new(Kind::Todo, "do").requires_ack()).await?.id;
    let plain = posted(&one, Kind::Note, "x").await?;
    let fence = one.assignment(&asking).await?.fence;
    let reference = one.reference(std::slice::from_ref(&asking)).await?;
    let told = other.acknowledge(Acknowledge::ids([&asking, &plain, &asking])).await?;
    same("what is seen", (told.accepted, told.ignored), (vec![asking.clone()], vec![plain]))?;
    let seen = board(&*place).await?.board().await?;
    let at = seen.message(&asking).and_then(|it| it.acknowledged_at);
    ensure!(at.is_some() && seen.revision() == 3, "it does not count");
    same(
        "by reference",
        one.acknowledge(Acknowledge::reference(&reference)).await?.accepted.len(),
        1,
    )?;
    let again = board(&*place).await?.board().await?;
    ensure!(again == seen, "the second one counts too");
    same("the fence", one.assignment(&asking).await?.fence, fence)?;
    // Where another message waits, a reference of before leads to nothing.
    one.post(Post::new(Kind::Note, "y").requires_ack()).await?;
    let void = other.acknowledge(Acknowledge::reference(&reference)).await?;
    same("what it leads to", void.accepted.len() + void.ignored.len(), 0)?;
    let many = Acknowledge::ids((0..9).map(|id| format!("m{id}")));
    is_invalid("too many at once", one.acknowledge(many).await)
}
