//! Stores, sessions and what is seen of them.

use sessile_core::backend::Expected;
use sessile_core::{NewEntry, Ordinal, Payload, SessionKey, Tip};
use sessile_engine::{Filter, From, NewSession, Options, Page, RawMessage, Session, Store};

use crate::failed::{Failed, ensure, only};
use crate::fixture::{Footprint, Place};
use crate::sample;

/// No listing of a case has more pages: a walk that goes on is going in circles.
const MOST_PAGES: usize = 1_000;

/// A store on a handle of its own, as another process would open it.
pub(super) async fn store(place: &dyn Place) -> Result<Store, Failed> {
    Ok(Store::on(place.handle().await?))
}

/// A store on a handle of its own, with options.
pub(super) async fn store_with(place: &dyn Place, options: Options) -> Result<Store, Failed> {
    Ok(Store::with(place.handle().await?, options))
}

/// Creates a session and appends messages to it, each in a commit of its own.
pub(super) async fn session(store: &Store, id: &str, texts: &[&str]) -> Result<Session, Failed> {
    let session = store.create_as(id, NewSession::new()).await?;
    for text in texts {
        session.append([text]).await?;
    }
    Ok(session)
}

/// The messages of a session.
pub(super) async fn messages(session: &Session) -> Result<Vec<RawMessage>, Failed> {
    Ok(session.transcript(From::start()).await?.all().await?)
}

/// The messages of a session that are texts.
pub(super) async fn texts(session: &Session) -> Result<Vec<String>, Failed> {
    Ok(session.transcript(From::start()).await?.all().await?)
}

/// The bytes of the messages of a session.
pub(super) async fn bytes(session: &Session) -> Result<Vec<String>, Failed> {
    let messages = messages(session).await?;
    Ok(messages.into_iter().map(|message| message.data.as_str().to_owned()).collect())
}

/// The ordinals of the messages of a session.
pub(super) async fn ordinals(session: &Session) -> Result<Vec<Option<u64>>, Failed> {
    let messages = messages(session).await?;
    Ok(messages.into_iter().map(|message| message.ordinal.map(Ordinal::number)).collect())
}

/// The ids on all pages of a listing, page by page.
pub(super) async fn pages(
    store: &Store,
    filter: &Filter,
    rows: usize,
) -> Result<Vec<Vec<String>>, Failed> {
    let mut pages = Vec::new();
    let mut page = Page::of(rows);
    while pages.len() < MOST_PAGES {
        let listing = store.list(filter.clone(), page).await?;
        pages.push(listing.sessions.iter().map(|row| row.id.to_string()).collect());
        let Some(next) = listing.next else {
            return Ok(pages);
        };
        // A cursor is handed on as text.
        page = Page::of(rows).after(next.to_string().parse()?);
    }
    Err(Failed::new("the listing has no end"))
}

/// The ids of all sessions that a filter lets through.
pub(super) async fn ids(store: &Store, filter: &Filter) -> Result<Vec<String>, Failed> {
    Ok(pages(store, filter, 100).await?.concat())
}

/// Appends entries past the engine, as a program of another version does.
pub(super) async fn append_past(
    place: &dyn Place,
    session: &Session,
    entries: Vec<NewEntry>,
) -> Result<Tip, Failed> {
    let backend = place.handle().await?;
    let key = SessionKey { space: session.space().clone(), id: session.id().clone() };
    let tip = backend.head(&key).await?.tip;
    let commit = sample::commit(entries)?;
    let appended = backend.append(&key, Expected::At(tip), vec![commit]).await?;
    Ok(only("the answer to one commit", appended)?.tip)
}

/// The footprint of a place that tells one.
pub(super) async fn footprint(place: &dyn Place) -> Result<Footprint, Failed> {
    place.footprint().await?.ok_or_else(|| Failed::new("the place tells no footprint any more"))
}

/// Fails unless a place holds what it held.
pub(super) async fn untouched(place: &dyn Place, before: &Footprint) -> Result<(), Failed> {
    let changes = before.changes(&footprint(place).await?);
    ensure!(changes.is_empty(), "something was touched: {changes}");
    Ok(())
}

/// A payload of JSON text.
pub(super) fn payload(json: &str) -> Result<Payload, Failed> {
    Ok(Payload::parse(json.to_owned())?)
}
