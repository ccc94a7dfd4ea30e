//! Listing the documents of a collection.

use std::sync::Arc;

use sessile_core::Backend;
use sessile_core::backend::Precondition;
use sessile_core::id::Name;

use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "shelf/pages_of_any_size_hold_every_document_once",
        &["DocumentListsAreComplete", "ORD-6"],
        |place| Box::pin(pages_of_any_size(place)),
    ),
    Case::new("shelf/is_in_the_order_of_names", &["DocumentListsAreComplete"], |place| {
        Box::pin(is_in_the_order_of_names(place))
    }),
    Case::new(
        "shelf/goes_on_after_a_name_that_is_not_there",
        &["DocumentListsAreComplete"],
        |place| Box::pin(goes_on_after_any_name(place)),
    ),
    Case::new(
        "shelf/holds_one_collection_only",
        &["DocumentListsAreComplete", "OBJ-4", "OBJ-7"],
        |place| Box::pin(holds_one_collection_only(place)),
    ),
    Case::new("shelf/is_without_what_was_deleted", &["DocumentListsAreComplete"], |place| {
        Box::pin(is_without_what_was_deleted(place))
    }),
    Case::new(
        "shelf/new_documents_hide_no_old_ones",
        &["DocumentListsAreComplete", "ORD-7"],
        |place| Box::pin(new_documents_hide_no_old_ones(place)),
    ),
];

async fn put(backend: &dyn Backend, collection: &str, name: &str) -> Result<(), Failed> {
    let key = sample::document(collection, name)?;
    let absent = Precondition::Absent;
    Ok(backend.put(&key, sample::value("v"), absent).await?)
}

fn spelled(names: &[Name]) -> Vec<&str> {
    names.iter().map(Name::as_str).collect()
}

async fn pages_of_any_size(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let names: Vec<String> = (0..23).map(|number| format!("{number:02}")).collect();
    let (early, late) = names.split_at(11);
    for name in late.iter().chain(early.iter().rev()) {
        put(&*backend, "c", name).await?;
    }
    let collection = sample::collection("c")?;
    let reader = place.handle().await?;
    for limit in [1, 2, 7, 22, 23, 24, 1_000, usize::MAX] {
        let listed = look::documents(&*reader, &collection, limit).await?;
        let expected = names.iter().map(String::as_str).collect();
        same(&format!("all pages of {limit}"), spelled(&listed), expected)?;
    }
    Ok(())
}

async fn is_in_the_order_of_names(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    // Byte by byte, whatever a backend makes of the signs.
    let names =
        ["\u{1}", " ", "%", "+", "-", ".", "/", "0", "A", "B", "_", "a", "a/", "a0", "~", "ü"];
    for name in names.iter().rev() {
        put(&*backend, "c", name).await?;
    }
    for limit in [1, 3, 100] {
        let listed = look::documents(&*backend, &sample::collection("c")?, limit).await?;
        same("the order", spelled(&listed), names.to_vec())?;
    }
    Ok(())
}

async fn goes_on_after_any_name(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    for name in ["b", "d/", "f"] {
        put(&*backend, "c", name).await?;
    }
    for (after, expected) in [
        ("A", &["b", "d/"][..]),
        ("b", &["d/", "f"]),
        ("d", &["d/", "f"]),
        ("d/", &["f"]),
        ("d0", &["f"]),
        ("f", &[]),
        ("ü", &[]),
    ] {
        let after: Name = after.parse()?;
        let collection = sample::collection("c")?;
        let listed = backend.documents(&collection, Some(&after), 2).await?;
        same(&format!("the page after {after}"), spelled(&listed), expected.to_vec())?;
    }
    Ok(())
}

async fn holds_one_collection_only(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let places = [("x", "1"), ("x", "1/2"), ("x/1", "2"), ("xy", "1"), ("X", "1"), ("x/", "1")];
    for (collection, name) in places {
        put(&*backend, collection, name).await?;
    }
    for (collection, expected) in [
        ("x", &["1", "1/2"][..]),
        ("x/1", &["2"]),
        ("xy", &["1"]),
        ("X", &["1"]),
        ("x/", &["1"]),
        ("x/1/2", &[]),
        ("nope", &[]),
    ] {
        for limit in [1, 10] {
            let listed =
                look::documents(&*backend, &sample::collection(collection)?, limit).await?;
            same(&format!("the list of {collection}"), spelled(&listed), expected.to_vec())?;
        }
    }
    Ok(())
}

async fn is_without_what_was_deleted(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let collection = sample::collection("c")?;
    let mut left: Vec<String> = (0..6).map(|number| number.to_string()).collect();
    for name in &left {
        put(&*backend, "c", name).await?;
    }
    for at in [5, 2, 0, 1, 1, 0] {
        let key = sample::document("c", &left.remove(at))?;
        let held = backend.get(&key).await?;
        backend.delete(&key, held.revision).await?;
        let listed = look::documents(&*place.handle().await?, &collection, 2).await?;
        let expected = left.iter().map(String::as_str).collect();
        same("what is left", spelled(&listed), expected)?;
    }
    Ok(())
}

async fn new_documents_hide_no_old_ones(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let other = place.handle().await?;
    let collection = sample::collection("c")?;
    let names: Vec<String> = (10..30).map(|number| number.to_string()).collect();
    for name in &names {
        put(&*backend, "c", name).await?;
    }
    let mut listed: Vec<Name> = Vec::new();
    for round in 0.. {
        let page = backend.documents(&collection, listed.last(), 3).await?;
        if page.is_empty() {
            break;
        }
        listed.extend(page);
        for start in ["0", "1", "9"] {
            put(&*other, "c", &format!("{start}-{round}")).await?;
        }
        ensure!(round < 100, "the pages do not end");
    }
    ensure!(listed.is_sorted_by(|a, b| a < b), "a row came twice or out of order");
    let listed = spelled(&listed);
    let missed: Vec<_> = names.iter().filter(|name| !listed.contains(&name.as_str())).collect();
    same("what the pages missed", missed, Vec::new())
}
