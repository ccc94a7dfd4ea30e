//! Listing journals in the order of ids.

use std::sync::Arc;

use sessile_core::backend::{Precondition, Scope};
use sessile_core::{Backend, ErrorKind, SessionId, Space};

use crate::case::Case;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::together::together;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "list/pages_of_any_size_hold_every_journal_once",
        &["ListsAreComplete", "ORD-6"],
        |place| Box::pin(pages_of_any_size(place)),
    ),
    Case::new("list/is_in_the_order_of_ids", &["ListsAreComplete"], |place| {
        Box::pin(is_in_the_order_of_ids(place))
    }),
    Case::new("list/goes_on_after_an_id_that_is_not_there", &["ListsAreComplete"], |place| {
        Box::pin(goes_on_after_any_id(place))
    }),
    Case::new("list/a_page_without_rows_is_refused", &["ListsAreComplete", "ORD-6"], |place| {
        Box::pin(a_page_without_rows_is_refused(place))
    }),
    Case::new("list/journals_of_two_processes", &["ListsAreComplete", "LOST-4"], |place| {
        Box::pin(journals_of_two_processes(place))
    }),
    Case::new("list/new_journals_hide_no_old_ones", &["ListsAreComplete", "ORD-7"], |place| {
        Box::pin(new_journals_hide_no_old_ones(place))
    }),
    Case::new("list/a_document_makes_no_journal", &["ListsAreComplete"], |place| {
        Box::pin(a_document_makes_no_journal(place))
    }),
    Case::new(
        "list/more_than_two_thousand",
        &["ListsAreComplete", "RecentIsNewestFirst", "OBJ-3"],
        |place| Box::pin(more_than_two_thousand(place)),
    )
    .full(),
];

/// Creates journals, the later half first.
async fn create(backend: &Arc<dyn Backend>, ids: &[SessionId]) -> Result<(), Failed> {
    let (early, late) = ids.split_at(ids.len() / 2);
    for id in late.iter().chain(early.iter().rev()) {
        Writer::create(backend, &sample::key(id.as_str())?).await?;
    }
    Ok(())
}

async fn pages_of_any_size(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let space = Space::default();
    let ids = sample::ids(23)?;
    create(&backend, &ids).await?;
    let reader = place.handle().await?;
    for limit in [1, 2, 7, 22, 23, 24, 1_000, usize::MAX] {
        let listed = look::journals(&*reader, &space, limit).await?;
        same(&format!("all pages of {limit}"), &listed, &ids)?;
        let page = reader.journals(&space, None, limit).await?;
        ensure!(ids.starts_with(&page), "the first page of {limit} begins elsewhere");
    }
    Ok(())
}

async fn is_in_the_order_of_ids(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    // Byte by byte: digits, capitals, the underscore, small letters; `-` and `.` before them all.
    let ids = ["-a", "0", "A", "A-b", "A.b", "A0", "AB", "Z", "_", "a", "aB", "a_", "ab", "z"];
    for id in ids.iter().rev() {
        Writer::create(&backend, &sample::key(id)?).await?;
    }
    let expected = ids.map(str::to_owned).to_vec();
    for limit in [1, 3, 100] {
        let listed = look::journals(&*backend, &Space::default(), limit).await?;
        let listed = listed.iter().map(ToString::to_string).collect();
        same("the order", listed, expected.clone())?;
    }
    Ok(())
}

async fn goes_on_after_any_id(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    for id in ["b", "d", "f"] {
        Writer::create(&backend, &sample::key(id)?).await?;
    }
    for (after, expected) in [
        ("A", &["b", "d"][..]),
        ("b", &["d", "f"]),
        ("c", &["d", "f"]),
        ("d-", &["f"]),
        ("f", &[]),
        ("z", &[]),
    ] {
        let after: SessionId = after.parse()?;
        let listed = backend.journals(&Space::default(), Some(&after), 2).await?;
        let listed: Vec<&str> = listed.iter().map(SessionId::as_str).collect();
        same(&format!("the page after {after}"), listed, expected.to_vec())?;
    }
    Ok(())
}

async fn a_page_without_rows_is_refused(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let refused = ErrorKind::Refused;
    let collection = sample::collection("c")?;
    // Empty or not, a page of no rows would look like the end.
    for _ in 0..2 {
        let space = Space::default();
        fails("journals", backend.journals(&space, None, 0).await, refused)?;
        fails("recent", backend.recent(&space, &Scope::ALL, None, 0).await, refused)?;
        fails("spaces", backend.spaces(None, 0).await, refused)?;
        let documents = backend.documents(&collection, None, 0).await;
        fails("documents", documents, refused)?;
        if look::journals(&*backend, &space, 10).await?.is_empty() {
            Writer::create(&backend, &sample::key("s1")?).await?;
        }
    }
    Ok(())
}

async fn journals_of_two_processes(place: Arc<dyn Place>) -> Result<(), Failed> {
    let third = place.handle().await?;
    let ids = sample::ids(10)?;
    let (early, late) = ids.split_at(5);
    let mut tasks = Vec::new();
    for half in [early.to_vec(), late.to_vec()] {
        let backend = place.handle().await?;
        tasks.push(async move {
            create(&backend, &half).await?;
            Ok(backend.close().await?)
        });
    }
    together(tasks).await?;
    for mut listed in [
        look::journals(&*third, &Space::default(), 100).await?,
        look::recent_ids(&*third, &Space::default(), 100).await?,
    ] {
        listed.sort();
        same("the journals", &listed, &ids)?;
    }
    Ok(())
}

async fn new_journals_hide_no_old_ones(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let space = Space::default();
    let ids = sample::ids(20)?;
    create(&backend, &ids).await?;
    let other = place.handle().await?;
    let mut listed: Vec<SessionId> = Vec::new();
    for round in 0.. {
        let page = backend.journals(&space, listed.last(), 3).await?;
        if page.is_empty() {
            break;
        }
        listed.extend(page);
        for number in ["00000", "00009", "99999"] {
            let key = sample::key(&format!("ses_{number}-{round}"))?;
            Writer::create(&other, &key).await?;
        }
        ensure!(round < 100, "the pages do not end");
    }
    ensure!(listed.is_sorted_by(|a, b| a < b), "a row came twice or out of order");
    let missed: Vec<_> = ids.iter().filter(|id| !listed.contains(id)).collect();
    same("what the pages missed", missed, Vec::new())
}

async fn a_document_makes_no_journal(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let space = Space::default();
    Writer::create(&backend, &sample::key("b")?).await?;
    for session in ["a", "b", "c"] {
        let mut value = sample::value(session);
        value.session = Some(session.parse()?);
        backend.put(&sample::document("c", session)?, value, Precondition::Absent).await?;
    }
    let expected: Vec<SessionId> = vec!["b".parse()?];
    same("the journals", look::journals(&*backend, &space, 10).await?, expected.clone())?;
    same("the heads", look::recent_ids(&*backend, &space, 10).await?, expected)
}

async fn more_than_two_thousand(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let space = Space::default();
    let ids = sample::ids(2_501)?;
    create(&backend, &ids).await?;
    for limit in [1_000, usize::MAX] {
        let listed = look::journals(&*place.handle().await?, &space, limit).await?;
        ensure!(listed == ids, "{} of 2,501 journals are listed", listed.len());
        let mut listed = look::recent_ids(&*backend, &space, limit).await?;
        listed.sort();
        ensure!(listed == ids, "{} of 2,501 heads are listed", listed.len());
    }
    Ok(())
}
