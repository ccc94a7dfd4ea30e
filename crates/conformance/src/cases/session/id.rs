//! Ids and names where a session is asked for.

use std::sync::Arc;

use sessile_core::{CommitId, ErrorKind};
use sessile_engine::{Filter, NewSession, Page};
use sessile_interchange::{Format, parse};

use super::scene;
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/id/one_that_leads_elsewhere_touches_nothing",
        &["records/57", "PATH-1"],
        |place| Box::pin(are_refused(place, ELSEWHERE)),
    )
    .needing(&[Need::Footprint]),
    Case::new("session/id/one_of_signs_that_systems_keep_is_refused", &["PATH-2"], |place| {
        Box::pin(are_refused(place, SIGNS))
    })
    .needing(&[Need::Footprint]),
    Case::new("session/id/lengths_are_counted_in_bytes", &["records/57", "PATH-3"], |place| {
        Box::pin(lengths_are_counted_in_bytes(place))
    })
    .needing(&[Need::Footprint]),
    Case::new("session/id/those_that_look_alike_are_apart", &["PATH-4"], |place| {
        Box::pin(those_that_look_alike_are_apart(place))
    }),
];

const ELSEWHERE: &[&str] = &[
    "",
    ".",
    "..",
    ".x",
    "a/b",
    "a/",
    "/a",
    "/",
    "../x",
    "a/../../x",
    "/abs",
    "C:\\x",
    "a\\b",
    "a\\..\\b",
    "a\0b",
    "\0",
    "%2e%2e/x",
    "....",
];

const SIGNS: &[&str] = &[
    "a:b",
    "a*b",
    "a?",
    "a<b",
    "a>b",
    "a|b",
    "a\"b",
    "a\tb",
    "a\nb",
    "a\u{1}",
    "\u{7f}",
    "a ",
    " a",
    "a b",
    "chat:support:agent",
    "a%2Fb",
    "a+b",
    "~a",
    "ü",
    "u\u{308}",
    "日本語",
    "\u{fffe}",
];

/// Fails unless every call that takes an id refuses these, and nothing is touched.
async fn are_refused(place: Arc<dyn Place>, ids: &[&str]) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    scene::session(&store, "a", &["one"]).await?;
    let source = parse(Format::Jsonl, b"{\"role\":\"user\"}\n".as_slice().into())?;
    let before = scene::footprint(&*place).await?;
    for id in ids {
        let invalid = ErrorKind::InvalidId;
        let new = NewSession::new;
        fails("creating", store.create_as(*id, new()).await, invalid)?;
        fails("opening", store.open_session(*id).await, invalid)?;
        fails("opening or creating", store.open_or_create(*id, new()).await, invalid)?;
        fails("verifying", store.verify(*id).await, invalid)?;
        fails("deleting", store.delete(*id).await, invalid)?;
        fails("purging", store.purge(*id).await, invalid)?;
        fails("importing", store.import_as(*id, &source).await, invalid)?;
        fails("a parent", store.create_as("b", new().parent(*id)).await, invalid)?;
        fails("a space", store.space(*id), invalid)?;
        let by_parent = store.list(Filter::all().parent(*id), Page::of(1)).await;
        fails("listing by parent", by_parent, invalid)?;
        scene::untouched(&*place, &before).await?;
    }
    Ok(())
}

async fn lengths_are_counted_in_bytes(place: Arc<dyn Place>) -> Result<(), Failed> {
    let long = "x".repeat(128);
    let too_long = ["x".repeat(129), "x".repeat(255), "x".repeat(10_000), "日".repeat(100)];
    let too_long: Vec<&str> = too_long.iter().map(String::as_str).collect();
    are_refused(Arc::clone(&place), &too_long).await?;
    for id in too_long {
        ensure!(id.parse::<CommitId>().is_err(), "a commit id of {} bytes", id.len());
    }
    let store = scene::store(&*place).await?;
    let twin = format!("{}y", "x".repeat(127));
    for id in [&long, &twin] {
        scene::session(&store, id, &[id]).await?;
    }
    for id in [&long, &twin] {
        let session = scene::store(&*place).await?.open_session(id.as_str()).await?;
        same("the text", scene::texts(&session).await?, vec![id.clone()])?;
    }
    // A project is a name: it may be as long as 1,024 bytes, of whatever signs.
    let wide = "日".repeat(100);
    let plain = [255, 256, 1_024].map(|bytes| "x".repeat(bytes));
    for (number, project) in plain.into_iter().chain([wide]).enumerate() {
        let id = format!("p{number}");
        store.create_as(&*id, NewSession::new().project(&*project)).await?;
        let listed = scene::ids(&store, &Filter::all().project(project)).await?;
        same("those of a project", listed, vec![id])?;
    }
    for project in ["x".repeat(1_025), "日".repeat(342), "x".repeat(10_000)] {
        let new = NewSession::new().project(project);
        fails("a project", store.create_as("c", new).await, ErrorKind::InvalidId)?;
    }
    Ok(())
}

async fn those_that_look_alike_are_apart(place: Arc<dyn Place>) -> Result<(), Failed> {
    let ids =
        ["chat_support_agent", "Chat_Support_Agent", "chat-support-agent", "chat.support.agent"];
    let store = scene::store(&*place).await?;
    for id in ids {
        scene::session(&store, id, &[id, "more"]).await?;
    }
    let changed = store.open_session("chat_support_agent").await?;
    changed.pop(2).await?;
    changed.append(["anew"]).await?;
    let store = scene::store(&*place).await?;
    for id in ids {
        let expected = if id == "chat_support_agent" { vec!["anew"] } else { vec![id, "more"] };
        let texts = scene::texts(&store.open_session(id).await?).await?;
        same("the texts", texts, expected.into_iter().map(str::to_owned).collect())?;
    }
    Ok(())
}
