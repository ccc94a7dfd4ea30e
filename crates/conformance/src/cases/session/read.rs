//! Reading a part of a session.

use std::sync::Arc;

use sessile_core::{ErrorKind, Ordinal};
use sessile_engine::{Filter, From, NewSession, Page, RawMessage, Session, Window};

use super::scene;
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new("session/read/a_limit_means_the_same_everywhere", &["ORD-6", "OBJ-9"], |place| {
        Box::pin(a_limit_means_the_same(place))
    }),
    Case::new("session/read/pages_back_while_others_append", &["ORD-7"], |place| {
        Box::pin(pages_back_while_others_append(place))
    }),
    Case::new(
        "session/read/opening_reading_and_closing_write_nothing",
        &["records/1", "RET-5"],
        |place| Box::pin(reading_writes_nothing(place)),
    )
    .needing(&[Need::Footprint]),
];

/// A session of ten numbers, in commits of several sizes with other entries between.
async fn ten(place: &dyn Place) -> Result<Session, Failed> {
    let store = scene::store(place).await?;
    let session = store.create_as("s1", NewSession::new()).await?;
    session.append([0_u64, 1, 2]).await?;
    session.append_events(["an event"]).await?;
    session.append([3_u64]).await?;
    session.set_title("title").await?;
    session.append([4_u64, 5, 6, 7, 8]).await?;
    session.append([9_u64]).await?;
    session.touch().await?;
    Ok(session)
}

async fn a_limit_means_the_same(place: Arc<dyn Place>) -> Result<(), Failed> {
    let session = ten(&*place).await?;
    let refused = ErrorKind::Refused;
    let none = session.transcript::<u64>(From::last(0)).await.map(drop);
    fails("the last 0", none, refused)?;
    fails("the last 0 entries", session.entries(From::last(0)).await.map(drop), refused)?;
    for limit in [1, 2, 5, 9, 10, 11, 1_000, usize::MAX] {
        let read: Vec<u64> = session.transcript(From::last(limit)).await?.all().await?;
        let all = (0..10_u64).collect::<Vec<_>>();
        let expected = all.get(all.len().saturating_sub(limit)..).unwrap_or_default();
        same("the last ones", read.as_slice(), expected)?;
    }
    for from in 1..=12 {
        let ordinal = Ordinal::new(from).ok_or_else(|| Failed::new("ordinals begin at 1"))?;
        let read: Vec<u64> = session.transcript(From::ordinal(ordinal)).await?.all().await?;
        same("those from an ordinal on", read, (from - 1..10).collect())?;
    }
    let store = scene::store(&*place).await?;
    for rows in [0, usize::MAX] {
        fails("a page", store.list(Filter::all(), Page::of(rows)).await, refused)?;
    }
    for rows in [1, 10, 1_000] {
        same("a page", store.list(Filter::all(), Page::of(rows)).await?.sessions.len(), 1)?;
    }
    fails("no spaces", store.spaces(None, 0).await, refused)?;
    Ok(())
}

async fn pages_back_while_others_append(place: Arc<dyn Place>) -> Result<(), Failed> {
    const PAGE: u64 = 50;
    let session = scene::session(&scene::store(&*place).await?, "s1", &[]).await?;
    session.append(0..120_u64).await?;
    let other = scene::store(&*place).await?.open_session("s1").await?;
    let mut page = session.transcript::<RawMessage>(From::last(50)).await?;
    let end = page.position();
    let mut newest = Vec::new();
    other.append(120..130_u64).await?;
    while let Some(message) = page.next().await {
        newest.push(message?);
    }
    let numbers = |page: &[RawMessage]| {
        page.iter().map(|message| Ok(message.decode()?)).collect::<Result<Vec<u64>, Failed>>()
    };
    same("the newest page", numbers(&newest)?, (70..120).collect())?;
    let mut oldest = newest.first().and_then(|message| message.ordinal);
    let mut seen = numbers(&newest)?;
    while let Some(before) = oldest.filter(|ordinal| ordinal.number() > 1) {
        other.append([other.info().messages]).await?;
        let first = before.number().saturating_sub(PAGE).max(1);
        let from = Ordinal::new(first).ok_or_else(|| Failed::new("ordinals begin at 1"))?;
        let mut reading = session.transcript(From::ordinal(from)).await?;
        let mut page = Vec::new();
        for _ in first..before.number() {
            let message: Option<Result<RawMessage, _>> = reading.next().await;
            page.extend(message.transpose()?);
        }
        seen.splice(0..0, numbers(&page)?);
        oldest = page.first().and_then(|message| message.ordinal);
    }
    same("all pages", seen, (0..120).collect())?;
    let from = end.seq().ok_or_else(|| Failed::new("the page has an end"))?;
    let new: Vec<u64> = session.transcript(From::seq(from)).await?.all().await?;
    let now = other.info().messages;
    ensure!(now > 130, "others have appended");
    same("what came after the newest page", new, (120..now).collect())
}

async fn reading_writes_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let session = ten(&*place).await?;
    let before = scene::footprint(&*place).await?;
    {
        let store = scene::store(&*place).await?;
        let reader = store.open_session("s1").await?;
        for handle in [&reader, &session] {
            handle.refresh().await?;
            for from in [From::start(), From::last(3)] {
                handle.transcript::<u64>(from).await?.all().await?;
                handle.entries(from).await?.all().await?;
            }
            handle.view(Window::last(2).batch(2)).await?;
        }
        for filter in [Filter::all(), Filter::all().damaged(), Filter::all().deleted()] {
            store.list(filter, Page::of(10)).await?;
        }
        store.verify("s1").await?;
        store.spaces(None, 10).await?;
        fails("opening", store.open_session("nobody").await, ErrorKind::Missing)?;
        fails("verifying", store.verify("nobody").await, ErrorKind::Missing)?;
        fails("deleting", store.delete("nobody").await, ErrorKind::Missing)?;
        store.close().await?;
    }
    scene::untouched(&*place, &before).await
}
