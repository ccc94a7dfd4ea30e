//! Posting: what a message says, and how often it is there.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use sessile_core::Text;
use sessile_engine::{NewSession, Store};
use sessile_workflow::board::{
    BoardError, Kind, MessageBoard, Post, Posted, Priority, Query, Refused,
};

use super::stand::{
    begun, behind, board, fingerprint, ids, is_invalid, listed, options, posted, refused, texts,
};
use crate::case::Case;
use crate::failed::{Failed, ensure, only, same};
use crate::fixture::Place;
use crate::together::together;

pub(super) const CASES: &[Case] = &[
    Case::new("workflow/board/a_message_says_what_it_was_given", &["ENC-2", "ENC-3"], |place| {
        Box::pin(says_what_it_was_given(place))
    }),
    Case::new("workflow/board/what_breaks_a_rule_is_not_posted", &["MEM-3"], |place| {
        Box::pin(breaks_a_rule(place))
    }),
    Case::new("workflow/board/a_keyed_post_is_one_message", &["workflow/27"], |place| {
        Box::pin(one_message(place))
    }),
    Case::new(
        "workflow/board/a_key_with_another_payload_is_a_conflict",
        &["workflow/28"],
        |place| Box::pin(another_payload(place)),
    ),
    Case::new(
        "workflow/board/a_keyed_post_that_may_be_there_is_told_when_repeated",
        &["workflow/29"],
        |place| Box::pin(may_be_there(place)),
    ),
    Case::new(
        "workflow/board/of_equal_keyed_posts_at_once_one_is_there",
        &["workflow/27"],
        |place| Box::pin(equal_at_once(place)),
    ),
    Case::new(
        "workflow/board/messages_that_are_posted_at_once_are_each_there_once",
        &["workflow/26"],
        |place| Box::pin(at_once(place, 3, 8, 2)),
    ),
    Case::new(
        "workflow/board/many_messages_that_are_posted_at_once_are_each_there_once",
        &["workflow/26"],
        |place| Box::pin(at_once(place, 100, 32, 20)),
    )
    .full(),
];

async fn says_what_it_was_given(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = begun(&*place).await?;
    let asked = posted(&first, Kind::Question, " why?\u{2028}\0 \n").await?;
    let post = Post::reply(&asked, Kind::Answer, "\u{1F980} because")
        .tags(["a", " b ", "a", ""])
        .priority(Priority::High)
        .from(&"s2".parse()?)
        .requires_ack();
    let other = board(&*place).await?;
    let told = other.post(post).await?;
    same("the change that it is", (told.revision, told.replayed), (2, false))?;
    let listed = listed(&*place).await?;
    same("how many there are", listed.total, 2)?;
    let [answer, question] = &listed.messages[..] else {
        return Err(Failed::new(format!("{} are told", listed.messages.len())));
    };
    same("the question", question.text.as_deref(), Some("why?\u{2028}\0"))?;
    same("the answer", answer.text.as_deref(), Some("\u{1F980} because"))?;
    let tags: Vec<&str> = answer.tags.iter().map(Text::as_str).collect();
    same("its tags", tags, vec!["a", "b"])?;
    let message = &answer.message;
    same("its id", &message.id, &told.id)?;
    same(
        "its kind and priority",
        (message.kind, message.priority),
        (Kind::Answer, Priority::High),
    )?;
    same("who posted it", message.from.as_deref(), Some("s2"))?;
    ensure!(
        message.answers(&asked) && message.is_open() && message.requires_ack,
        "it lost something"
    );
    let only_replies = board(&*place).await?.list(&Query::all().reply_to(&asked)).await?;
    same("the replies", only("replies", only_replies.messages)?.message.id, told.id)?;
    let one = board(&*place).await?.list(&Query::all().limit(1)).await?;
    same("a page of one", (one.messages.len(), one.total), (1, 2))
}

async fn breaks_a_rule(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = begun(&*place).await?;
    let there = posted(&first, Kind::Note, &"\u{e9}".repeat(8_000)).await?;
    let other = board(&*place).await?;
    for (what, post) in [
        ("a blank text", Post::new(Kind::Note, " \n")),
        ("a long text", Post::new(Kind::Note, "x".repeat(8_001))),
        ("many tags", Post::new(Kind::Note, "x").tags((0..17).map(|tag| tag.to_string()))),
        ("a long tag", Post::new(Kind::Note, "x").tags(["t".repeat(65)])),
        ("a blank key", Post::new(Kind::Note, "x").keyed(fingerprint(1), " ")),
        ("a long key", Post::new(Kind::Note, "x").keyed(fingerprint(1), "k".repeat(129))),
        ("no sender", Post::new(Kind::Note, "x").keyed("me", "k")),
    ] {
        is_invalid(what, other.post(post).await)?;
    }
    let to_nobody = other.post(Post::reply("nobody", Kind::Note, "x")).await;
    refused("a reply to nobody", to_nobody, &Refused::UnknownMessage("nobody".into()))?;
    same("what is there", ids(&*place).await?, vec![there])
}

/// The keyed post of most cases.
fn keyed() -> Post {
    Post::new(Kind::Note, "hello").tags(["a", "b"]).keyed(fingerprint(1), "k")
}

async fn one_message(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = begun(&*place).await?;
    let told = first.post(keyed()).await?;
    same("whether it was there", told.replayed, false)?;
    for again in [first, board(&*place).await?, board(&*place).await?] {
        posted(&again, Kind::Note, "between").await?;
        let repeated = again.post(keyed()).await?;
        same("what it is", &repeated.id, &told.id)?;
        same("whether it was there", repeated.replayed, true)?;
    }
    for (what, other) in [
        ("another sender", keyed().keyed(fingerprint(2), "k")),
        ("another key", keyed().keyed(fingerprint(1), "l")),
    ] {
        same(what, board(&*place).await?.post(other).await?.replayed, false)?;
    }
    let expected = ["hello", "between", "between", "between", "hello", "hello"];
    same("the texts", texts(&*place).await?, expected.map(str::to_owned).to_vec())
}

async fn another_payload(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = begun(&*place).await?;
    let other = posted(&first, Kind::Note, "other").await?;
    first.post(keyed()).await?;
    let later = board(&*place).await?;
    let note = |text: &str| Post::new(Kind::Note, text);
    for (what, post) in [
        ("another kind", Post::new(Kind::Risk, "hello").tags(["a", "b"])),
        ("another text", note("hello!").tags(["a", "b"])),
        ("tags in another order", note("hello").tags(["b", "a"])),
        ("fewer tags", note("hello").tags(["a"])),
        ("one tag of two", note("hello").tags(["ab"])),
        ("a reply", Post::reply(&other, Kind::Note, "hello").tags(["a", "b"])),
        ("another priority", keyed().priority(Priority::High)),
        ("one to acknowledge", keyed().requires_ack()),
    ] {
        let answer = later.post(post.keyed(fingerprint(1), "k")).await;
        refused(what, answer, &Refused::DeliveryKeyConflict)?;
    }
    same("the texts", texts(&*place).await?, vec!["other".to_owned(), "hello".to_owned()])
}

async fn may_be_there(place: Arc<dyn Place>) -> Result<(), Failed> {
    begun(&*place).await?;
    for (number, is_done) in [false, true].into_iter().enumerate() {
        let (line, cut) = behind(&*place).await?;
        let post = || Post::new(Kind::Note, "hello").keyed(fingerprint(1), number.to_string());
        line.breaks_after(0, is_done);
        match cut.post(post()).await {
            Err(BoardError::Uncertain(_)) => {}
            // What never arrived is not there, and may be known not to be.
            Err(BoardError::Store(_)) if !is_done => {}
            other => return Err(Failed::new(format!("it failed, and is told as {other:?}"))),
        }
        line.mend();
        let told = cut.post(post()).await?;
        same("whether it was there", told.replayed, is_done)?;
        let again = board(&*place).await?.post(post()).await?;
        same("what it is", (&again.id, again.replayed), (&told.id, true))?;
        same("how many there are", ids(&*place).await?.len(), number + 1)?;
    }
    Ok(())
}

async fn equal_at_once(place: Arc<dyn Place>) -> Result<(), Failed> {
    begun(&*place).await?;
    let mut boards = Vec::new();
    for _ in 0..6 {
        boards.push(board(&*place).await?);
    }
    let post = |board: MessageBoard| async move { Ok(board.post(keyed()).await?) };
    let told: Vec<Posted> = together(boards.into_iter().map(post).collect()).await?;
    let one = only("messages", ids(&*place).await?)?;
    ensure!(told.iter().all(|it| it.id == one), "somebody was told of another message");
    same("how many posted it", told.iter().filter(|it| !it.replayed).count(), 1)
}

/// Tasks post to sessions through two stores that keep one session hot each.
async fn at_once(
    place: Arc<dyn Place>,
    sessions: usize,
    tasks: usize,
    posts: usize,
) -> Result<(), Failed> {
    let hot_one = || options().residency(1, 0).deadline(Duration::from_mins(10));
    let mut stores = Vec::new();
    for _ in 0..2 {
        stores.push(Store::with(place.handle().await?, hot_one()));
    }
    let store = stores.first().ok_or_else(|| Failed::new("there is no store"))?;
    for session in 0..sessions {
        store.create_as(format!("s{session}").as_str(), NewSession::new()).await?;
    }
    let stores = Arc::new(stores);
    let task = |task: usize| {
        let stores = Arc::clone(&stores);
        async move {
            for post in 0..posts {
                let session = (task * 7 + post * 3) % sessions;
                let turn = (task + post) % stores.len();
                let store = stores.get(turn).ok_or_else(|| Failed::new("there is no store"))?;
                let session = store.open_session(format!("s{session}").as_str()).await?;
                posted(&MessageBoard::of(&session), Kind::Note, &format!("{task}-{post}")).await?;
            }
            Ok(())
        }
    };
    together((0..tasks).map(task).collect()).await?;
    let fresh = Store::with(place.handle().await?, hot_one());
    let (mut told, mut count) = (BTreeSet::new(), 0);
    for session in 0..sessions {
        let session = fresh.open_session(format!("s{session}").as_str()).await?;
        let page = MessageBoard::of(&session).list(&Query::all().limit(100)).await?;
        same("how many are told", page.messages.len(), page.total)?;
        count += page.total;
        told.extend(page.messages.into_iter().filter_map(|it| it.text.map(|it| it.to_string())));
    }
    let all = (0..tasks).flat_map(|task| (0..posts).map(move |post| format!("{task}-{post}")));
    same("the messages", told, all.collect::<BTreeSet<_>>())?;
    same("how many there are", count, tasks * posts)
}
