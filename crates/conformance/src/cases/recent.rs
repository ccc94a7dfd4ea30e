//! Listing heads, newest first.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_core::backend::{Recency, Recent, Scope};
use sessile_core::{Backend, SessionId, Space, Tip, UnixMillis};

use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new("recent/is_newest_first", &["RecentIsNewestFirst", "ORD-7"], |place| {
        Box::pin(is_newest_first(place))
    }),
    Case::new("recent/moves_up_what_is_appended_to", &["RecentIsNewestFirst"], |place| {
        Box::pin(moves_up_what_is_appended_to(place))
    }),
    Case::new("recent/ids_order_those_of_one_time", &["RecentIsNewestFirst", "LIST-1"], |place| {
        Box::pin(ids_order_those_of_one_time(place))
    }),
    Case::new(
        "recent/pages_follow_the_order_when_times_fall",
        &["RecentIsNewestFirst", "LIST-2"],
        |place| Box::pin(pages_follow_the_order_when_times_fall(place)),
    ),
    Case::new(
        "recent/pages_of_any_size_hold_every_head_once",
        &["RecentIsNewestFirst", "ORD-6"],
        |place| Box::pin(pages_of_any_size(place)),
    ),
    Case::new("recent/goes_on_after_a_place_that_nobody_has", &["RecentIsNewestFirst"], |place| {
        Box::pin(goes_on_after_any_place(place))
    }),
    Case::new(
        "recent/shows_the_heads_as_they_are",
        &["RecentIsNewestFirst", "HeadsAreTrue"],
        |place| Box::pin(shows_the_heads_as_they_are(place)),
    ),
    Case::new("recent/bookkeeping_moves_nothing_up", &["RecentIsNewestFirst"], |place| {
        Box::pin(bookkeeping_moves_nothing_up(place))
    }),
    Case::new("recent/a_new_session_is_never_missing", &["RecentIsNewestFirst"], |place| {
        Box::pin(a_new_session_is_never_missing(place))
    }),
];

/// Creates a session at some time.
async fn create(backend: &Arc<dyn Backend>, id: &str, at: u64) -> Result<Writer, Failed> {
    let key = sample::key(id)?;
    let mut writer = Writer::at(backend, &key, Tip::ABSENT);
    let header = sample::header_at(UnixMillis(at), &key)?;
    writer.append(&sample::commit(vec![header])?).await?;
    Ok(writer)
}

/// Appends a message of some time.
async fn touch(writer: &mut Writer, at: u64) -> Result<(), Failed> {
    let message = sample::message_at(UnixMillis(at), "x")?;
    writer.append(&sample::commit(vec![message])?).await?;
    Ok(())
}

/// Waits until the order is as true as the backend declares it to be.
async fn settle(backend: &dyn Backend) {
    tokio::time::sleep(backend.capabilities().recency_lag()).await;
}

/// Fails unless pages of several sizes, on a handle of their own, have these ids in this order.
async fn lists(place: &dyn Place, expected: &[&str]) -> Result<(), Failed> {
    let backend = place.handle().await?;
    settle(&*backend).await;
    for limit in [1, 2, 7, 1_000] {
        let listed = look::recent_ids(&*backend, &Space::default(), limit).await?;
        let listed: Vec<&str> = listed.iter().map(SessionId::as_str).collect();
        same(&format!("the order by pages of {limit}"), listed, expected.to_vec())?;
    }
    Ok(())
}

async fn is_newest_first(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    for (id, at) in [("b", 3_000), ("a", 1_000), ("d", 4_000), ("c", 2_000)] {
        create(&backend, id, at).await?;
    }
    lists(&*place, &["d", "b", "c", "a"]).await
}

async fn moves_up_what_is_appended_to(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut oldest = create(&backend, "a", 1_000).await?;
    let mut middle = create(&backend, "b", 2_000).await?;
    create(&backend, "c", 3_000).await?;
    lists(&*place, &["c", "b", "a"]).await?;
    touch(&mut oldest, 4_000).await?;
    lists(&*place, &["a", "c", "b"]).await?;
    touch(&mut middle, 3_500).await?;
    lists(&*place, &["a", "b", "c"]).await?;
    middle.remove().await?;
    lists(&*place, &["b", "a", "c"]).await
}

async fn ids_order_those_of_one_time(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let ids = sample::ids(40)?;
    let (early, late) = ids.split_at(13);
    for id in late.iter().chain(early) {
        create(&backend, id.as_str(), 1_000).await?;
    }
    let ids: Vec<&str> = ids.iter().map(SessionId::as_str).collect();
    lists(&*place, &ids).await
}

fn stands_in_order(rows: &[Recent]) -> bool {
    rows.is_sorted_by_key(|row| (Reverse(row.recency.updated_at), row.recency.id.clone()))
}

async fn pages_follow_the_order_when_times_fall(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writers = Vec::new();
    for (number, id) in sample::ids(9)?.iter().enumerate() {
        let at = 5_000 + u64::try_from(number)?;
        writers.push(create(&backend, id.as_str(), at).await?);
    }
    // The clock of whoever writes now has fallen back, further for each.
    for (writer, at) in writers.iter_mut().zip((1_000..4_000).rev()) {
        touch(writer, at).await?;
    }
    settle(&*backend).await;
    for limit in [1, 2, 4, 100] {
        let rows = look::recent(&*backend, &Space::default(), limit).await?;
        ensure!(stands_in_order(&rows), "pages of {limit} break their own order");
        let ids: BTreeSet<&SessionId> = rows.iter().map(|row| &row.recency.id).collect();
        same("how many rows", rows.len(), writers.len())?;
        same("how many sessions", ids.len(), writers.len())?;
    }
    Ok(())
}

async fn pages_of_any_size(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let ids = sample::ids(11)?;
    for (id, at) in ids.iter().zip(1_000..) {
        create(&backend, id.as_str(), at).await?;
    }
    settle(&*backend).await;
    let newest_first: Vec<SessionId> = ids.into_iter().rev().collect();
    for limit in [1, 2, 10, 11, 12, usize::MAX] {
        let listed = look::recent_ids(&*backend, &Space::default(), limit).await?;
        same(&format!("all pages of {limit}"), &listed, &newest_first)?;
    }
    Ok(())
}

async fn goes_on_after_any_place(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    for (id, at) in [("a", 3_000), ("b", 2_000), ("c", 2_000), ("d", 1_000)] {
        create(&backend, id, at).await?;
    }
    settle(&*backend).await;
    for (at, id, expected) in [
        (u64::MAX, "z", &["a", "b"][..]),
        (3_000, "A", &["a", "b"]),
        (2_500, "a", &["b", "c"]),
        (2_000, "b", &["c", "d"]),
        (2_000, "bb", &["c", "d"]),
        (1_000, "d", &[]),
        (0, "z", &[]),
    ] {
        let after = Recency { updated_at: UnixMillis(at), id: id.parse()? };
        let rows = backend.recent(&Space::default(), &Scope::ALL, Some(&after), 2).await?;
        let ids: Vec<&str> = rows.iter().map(|row| row.recency.id.as_str()).collect();
        same(&format!("the page after {id} at {at}"), ids, expected.to_vec())?;
    }
    Ok(())
}

async fn shows_the_heads_as_they_are(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut deleted = create(&backend, "a", 1_000).await?;
    let mut written = create(&backend, "b", 2_000).await?;
    create(&backend, "c", 3_000).await?;
    touch(&mut written, 4_000).await?;
    deleted.remove().await?;
    settle(&*backend).await;
    let rows = look::recent(&*place.handle().await?, &Space::default(), 2).await?;
    same("how many rows", rows.len(), 3)?;
    for row in rows {
        let shown = row.seen?.into_head();
        let shown = shown.ok_or_else(|| Failed::new("nobody has noted a gist"))?;
        let head = backend.head(&sample::key(row.recency.id.as_str())?).await?;
        same("the tip", shown.tip, head.tip)?;
        same("the change token", shown.change, head.change)?;
        same("the time", shown.updated_at, head.updated_at)?;
        same("the time it is listed by", row.recency.updated_at, head.updated_at)?;
        same("whether it is deleted", shown.deleted, head.deleted)?;
        ensure!(shown.header == head.header, "the header differs");
    }
    Ok(())
}

async fn bookkeeping_moves_nothing_up(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut older = create(&backend, "a", 1_000).await?;
    create(&backend, "b", 2_000).await?;
    older.append(&sample::commit(vec![sample::entry("barrier", "{}")?])?).await?;
    lists(&*place, &["b", "a"]).await
}

async fn a_new_session_is_never_missing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let reader = place.handle().await?;
    let mut created = BTreeSet::new();
    for id in sample::ids(20)? {
        Writer::create(&backend, &sample::key(id.as_str())?).await?;
        created.insert(id);
        // The order may lag behind; that it is there may not.
        let listed = look::recent_ids(&*reader, &Space::default(), 100).await?;
        let listed: BTreeSet<SessionId> = listed.into_iter().collect();
        same("the sessions listed", &listed, &created)?;
    }
    Ok(())
}
