//! Looking for changes, from wherever one was.

use std::sync::Arc;
use std::time::Duration;

use sessile_engine::NewSession;
use sessile_workflow::board::{
    Kind, MessageBoard, MessageId, Observe, Observed, Refused, Resolve, Waited,
};

use super::stand::{begun, board, posted, refused, store};
use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new("workflow/board/changes_are_told_once_from_where_one_was", &["ORD-7"], |place| {
        Box::pin(from_where_one_was(place))
    }),
    Case::new(
        "workflow/board/a_token_is_of_one_session_and_of_what_has_happened",
        &["ID-2"],
        |place| Box::pin(of_one_session(place)),
    ),
    Case::new("workflow/board/who_waits_is_told_of_a_change", &["RES-1"], |place| {
        Box::pin(who_waits(place))
    }),
];

fn ids(observed: &Observed) -> Vec<MessageId> {
    observed.messages.iter().map(|it| it.message.id.clone()).collect()
}

async fn from_where_one_was(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (begun(&*place).await?, board(&*place).await?);
    let first = posted(&one, Kind::Note, "first").await?;
    let start = other.observe(Observe::start()).await?;
    ensure!(start.messages.is_empty() && !start.changed, "a beginning tells of changes");
    same("whether it waited", start.waited, Waited::Immediate)?;
    let second = posted(&one, Kind::Note, "second").await?;
    one.resolve(Resolve::new(&first)).await?;
    one.resolve(Resolve::new(&first).resolution("why")).await?;
    let mut third = Vec::new();
    for number in 0..4 {
        third.push(posted(&one, Kind::Note, &number.to_string()).await?);
    }
    let all = [vec![second, first], third].concat();
    for reader in [&one, &other, &board(&*place).await?] {
        let (mut token, mut told) = (start.token.clone(), Vec::new());
        // A token is handed on as text, to whoever it may be.
        for page in 0..3 {
            let changes = reader.observe(Observe::since(&token).limit(2)).await?;
            same("whether there is more", changes.has_more, page < 2)?;
            ensure!(changes.changed && !changes.history_lost, "something is missing");
            told.extend(ids(&changes));
            token = changes.token;
        }
        same("the changes", &told, &all)?;
        let end = reader.observe(Observe::since(&token)).await?;
        ensure!(!end.changed && end.messages.is_empty(), "something is told twice");
        same("where it is now", end.token, token)?;
    }
    let late = board(&*place).await?.observe(Observe::since(&start.token)).await?;
    let texts: Vec<_> = late.messages.iter().filter_map(|it| it.text.as_deref()).collect();
    same("the words", texts, vec!["second", "first", "0", "1", "2", "3"])
}

async fn of_one_session(place: Arc<dyn Place>) -> Result<(), Failed> {
    let one = begun(&*place).await?;
    let elsewhere = store(&*place).await?.create_as("s2", NewSession::new()).await?;
    let elsewhere = MessageBoard::of(&elsewhere);
    posted(&one, Kind::Note, "x").await?;
    posted(&elsewhere, Kind::Note, "x").await?;
    let token = one.observe(Observe::start()).await?.token;
    let observe = |token: &str| elsewhere.observe(Observe::since(token));
    refused("another session's", observe(&token).await, &Refused::MalformedToken)?;
    for text in ["", "wsm2_", "wsm2_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        refused("none", observe(text).await, &Refused::MalformedToken)?;
    }
    let long = format!("{token}A");
    refused("a longer one", observe(&long).await, &Refused::OversizedToken)?;
    // The same board in another session begins with a token of its own.
    let own = elsewhere.observe(Observe::start()).await?.token;
    ensure!(own != token, "two sessions have one token");
    same("whether anything changed", observe(&own).await?.changed, false)
}

async fn who_waits(place: Arc<dyn Place>) -> Result<(), Failed> {
    let one = begun(&*place).await?;
    let token = one.observe(Observe::start()).await?.token;
    let waiting = {
        let (board, observe) = (one.clone(), Observe::since(&token).wait(Duration::from_mins(5)));
        tokio::spawn(async move { board.observe(observe).await })
    };
    let id = posted(&one, Kind::Note, "news").await?;
    let told = waiting.await??;
    same("what is told", ids(&told), vec![id.clone()])?;
    ensure!(told.changed && told.waited != Waited::Timeout, "it waited in vain");
    // What another process did is seen at the latest when the time is over.
    let second = posted(&board(&*place).await?, Kind::Note, "more").await?;
    let wait = Duration::from_millis(1);
    let later = one.observe(Observe::since(&told.token).wait(wait)).await?;
    same("what is told", ids(&later), vec![second])?;
    let nothing = one.observe(Observe::since(&later.token).wait(wait)).await?;
    same("nothing", (nothing.changed, nothing.waited), (false, Waited::Timeout))?;
    same("where it is", nothing.token, later.token)
}
