//! sessile, as a program uses it: the crate's public API and nothing else.

use std::path::Path;

use anyhow::Result;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use sessile::prelude::*;
use sessile::{From, FromMessage, Options, Payload};

use crate::ground::Ground;
use crate::messages::{Message, Messages};

/// The session of those contenders that have one.
pub(crate) const ID: &str = "long";

/// How many calls are under way at once where something is got ready.
const ABREAST: usize = 32;

/// Opens a store in a folder.
pub(crate) async fn open(folder: &Path) -> Result<Store> {
    Ok(Store::open(format!("file:{}", folder.display())).await?)
}

/// Opens a store in a folder that tells of what it appends before it is durable.
pub(crate) async fn open_behind(folder: &Path) -> Result<Store> {
    let options = Options::default().write_behind();
    Ok(Store::open(format!("file:{}", folder.display())).options(options).await?)
}

/// Messages of a commit where a session is what agents make: what is said, a call, its result and
/// the answer.
pub(crate) const TURN: usize = 4;

/// Puts a store into a folder whose only session has so many messages, so many a commit; whoever
/// wrote it has closed it.
pub(crate) fn prepare(ground: &Ground, home: &Path, count: usize, together: usize) -> Result<()> {
    ground.copy_of(&format!("{count} by {together}"), home, |folder| {
        ground.runtime.block_on(async {
            let store = open(folder).await?;
            build(&store, &ground.messages, count, together).await?;
            Ok(store.close().await?)
        })
    })
}

/// Makes a session of so many messages, so many a commit.
pub(crate) async fn build(
    store: &Store,
    messages: &Messages,
    count: usize,
    together: usize,
) -> Result<Session> {
    let session = store.create_as(ID, NewSession::new().title("session")).await?;
    // What waits together is synced together, and is as many commits as it is calls.
    let appends = stream::iter((0..count).step_by(together.max(1)))
        .map(|first| session.append(messages.some(first, together.min(count - first))));
    let done: Vec<_> = appends.buffered(ABREAST).try_collect().await?;
    drop(done);
    Ok(session)
}

/// Makes many sessions of the same few messages.
pub(crate) async fn fill(store: &Store, count: usize, messages: &[Message]) -> Result<()> {
    let few: Vec<Payload> = messages.iter().map(Payload::of).collect::<Result<_, _>>()?;
    let made = stream::iter(0..count).map(|index| {
        let few = few.clone();
        async move {
            let new = NewSession::new().title(format!("session {index}"));
            let session = store.create_as(format!("ses_{index:06}"), new).await?;
            session.append(few).await.map(drop)
        }
    });
    Ok(made.buffer_unordered(ABREAST).try_collect().await?)
}

/// Opens the session of a store that was prepared.
pub(crate) async fn open_session(folder: &Path) -> Result<Session> {
    Ok(open(folder).await?.open_session(ID).await?)
}

/// Opens a session and reads all of it.
pub(crate) async fn load<T: FromMessage>(store: &Store) -> Result<Vec<T>> {
    let session = store.open_session(ID).await?;
    Ok(session.transcript(From::start()).await?.all().await?)
}

/// Opens a session and reads its last messages.
pub(crate) async fn last(store: &Store, count: usize) -> Result<Vec<Message>> {
    last_of(&store.open_session(ID).await?, count).await
}

/// Reads the last messages of a session that is open.
pub(crate) async fn last_of(session: &Session, count: usize) -> Result<Vec<Message>> {
    Ok(session.transcript(From::last(count)).await?.all().await?)
}

/// Lists every session, in pages of a thousand; says how many there are.
pub(crate) async fn list_all(store: &Store) -> Result<usize> {
    let (mut page, mut listed) = (Page::of(1_000), 0);
    loop {
        let listing = store.list(Filter::all(), page).await?;
        listed += listing.sessions.len();
        match listing.next {
            Some(cursor) => page = Page::of(1_000).after(cursor),
            None => return Ok(listed),
        }
    }
}
