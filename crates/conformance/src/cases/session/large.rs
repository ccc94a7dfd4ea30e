//! An entry as large as one may be: that it is not in the way of anything.

use std::sync::Arc;

use sessile_core::Limits;
use sessile_engine::{From, RawMessage, Session, Store, Window};
use sessile_interchange::Format;

use super::scene;
use crate::case::Case;
use crate::failed::{Failed, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[Case::new(
    "session/large/at_the_limit_it_can_be_read_and_left_behind",
    &["MEM-3"],
    |place| Box::pin(at_the_limit(place)),
)];

/// A text whose JSON has so many bytes.
fn text(bytes: usize) -> String {
    "x".repeat(bytes - 2)
}

/// A session with a message of the default limit between small ones.
async fn filled(store: &Store, id: &str) -> Result<Session, Failed> {
    let session = scene::session(store, id, &["one"]).await?;
    session.append([text(Limits::default().entry_bytes)]).await?;
    session.append(["three"]).await?;
    Ok(session)
}

/// How long each message is.
async fn lengths(session: &Session, from: From) -> Result<Vec<usize>, Failed> {
    let read: Vec<RawMessage> = session.transcript(from).await?.all().await?;
    Ok(read.iter().map(|message| message.data.len()).collect())
}

async fn at_the_limit(place: Arc<dyn Place>) -> Result<(), Failed> {
    let limit = Limits::default().entry_bytes;
    let (one, three) = (r#""one""#.len(), r#""three""#.len());
    let session = filled(&scene::store(&*place).await?, "s1").await?;
    let store = scene::store(&*place).await?;
    let reopened = store.open_session("s1").await?;
    for handle in [&session, &reopened] {
        same("all", lengths(handle, From::start()).await?, vec![one, limit, three])?;
        // Listed past: what stands behind it is read without it.
        same("the last", lengths(handle, From::last(1)).await?, vec![three])?;
        let view = handle.view(Window::last(1)).await?;
        same("a view", (view.window.len(), view.backlog), (1, 2))?;
    }
    let file = store.export("s1", Format::Jsonl).await?.all().await?;
    same("how long the file is", file.len(), one + limit + three + 3)?;
    let fork = reopened.fork_as("fork", None).await?;
    same("a fork", lengths(&fork, From::start()).await?, vec![one, limit, three])?;

    // Left behind by a summary, by going back before it, and by popping it.
    session.compact(From::last(1), ["a summary"]).await?;
    same("a view", session.view(Window::last(9)).await?.window.len(), 1)?;
    reopened.refresh().await?;
    let popped = reopened.pop(2).await?.ok_or_else(|| Failed::new("there is something to pop"))?;
    let popped: Vec<usize> = popped.messages.iter().map(|message| message.data.len()).collect();
    same("what was popped", popped, vec![limit, three])?;
    let first = scene::messages(&fork).await?.first().map(|message| message.seq);
    fork.rewind(first.ok_or_else(|| Failed::new("there is a message"))?).await?;
    for handle in [&session, &fork] {
        handle.append(["on"]).await?;
        same("what is left", scene::texts(handle).await?, vec!["one".to_owned(), "on".to_owned()])?;
    }
    Ok(())
}
