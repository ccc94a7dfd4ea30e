use std::sync::Arc;

use object_store::ObjectStoreExt as _;
use sessile_core::backend::{NewDocument, Precondition};
use sessile_core::{ErrorKind, Revision};

use super::*;
use crate::documents::{delete, put};
use crate::double::Double;
use crate::entropy;
use crate::options::Options;

fn sound() -> (Arc<Double>, Place) {
    let store = Double::sound();
    let place = store.place(Options::default());
    (store, place)
}

fn collection(name: &str) -> Collection {
    Collection { space: "s".parse().unwrap(), name: name.parse().unwrap() }
}

async fn put_new(place: &Place, collection: &Collection, name: &str, bytes: usize) -> NewDocument {
    let key = DocKey { collection: collection.clone(), name: name.parse().unwrap() };
    let revision = Revision::new(entropy::token());
    let new = NewDocument { bytes: vec![b'v'; bytes].into(), revision, session: None };
    put(place, &key, &new, Precondition::Absent).await.unwrap();
    new
}

async fn remove(place: &Place, collection: &Collection, name: &str, new: &NewDocument) {
    let key = DocKey { collection: collection.clone(), name: name.parse().unwrap() };
    delete(place, &key, new.revision).await.unwrap();
}

async fn pages(place: &Place, collection: &Collection, limit: usize) -> Vec<String> {
    let mut names: Vec<Name> = Vec::new();
    loop {
        let page = documents(place, collection, names.last(), limit).await.unwrap();
        assert!(page.len() <= limit);
        if page.is_empty() {
            return names.iter().map(ToString::to_string).collect();
        }
        names.extend(page);
    }
}

#[tokio::test]
async fn names_are_listed_in_their_own_order_whatever_keys_make_of_them() {
    let (_, place) = sound();
    let long = ["語".repeat(300), "a".repeat(201), "~".repeat(1_000)];
    let mut names = vec!["\u{1}", " ", "%", "+", "-", ".", "/", "0", "A", "B", "_", "a", "a/"];
    names.extend(["a0", "con", "~", "ü", "e\u{301}", "\u{fffe}", "\u{7f}\n\t"]);
    names.extend(long.iter().map(String::as_str));
    for name in &names {
        put_new(&place, &collection("c"), name, 3).await;
    }
    names.sort_unstable();
    for limit in [1, 3, 100, usize::MAX] {
        assert_eq!(pages(&place, &collection("c"), limit).await, names, "by pages of {limit}");
    }
}

#[tokio::test]
async fn tombstones_are_not_listed_and_fill_no_page() {
    let (_, place) = sound();
    let c = collection("c");
    let long = "x".repeat(500);
    let mut kept = Vec::new();
    for number in 0..60 {
        let name =
            if number % 7 == 0 { format!("{long}{number:02}") } else { format!("{number:02}") };
        let new = put_new(&place, &c, &name, number * 50).await;
        if number % 3 == 0 {
            remove(&place, &c, &name, &new).await;
        } else {
            kept.push(name);
        }
    }
    kept.sort_unstable();
    for limit in [1, 7, 40, 41, usize::MAX] {
        assert_eq!(pages(&place, &c, limit).await, kept, "by pages of {limit}");
    }
}

#[tokio::test]
async fn what_is_longer_than_a_tombstone_is_listed_without_being_read() {
    let (_, place) = sound();
    let c = collection("c");
    for number in 0..20 {
        put_new(&place, &c, &number.to_string(), 2_000).await;
    }
    let before = place.client.counters.read();
    assert_eq!(documents(&place, &c, None, 100).await.unwrap().len(), 20);
    let after = place.client.counters.read();
    assert_eq!((after.gets - before.gets, after.lists - before.lists), (0, 1));
}

#[tokio::test]
async fn a_collection_holds_its_own_documents_only() {
    let (store, place) = sound();
    for (collection_name, name) in
        [("x", "1"), ("x", "1/2"), ("x/1", "2"), ("xy", "1"), ("X", "1"), ("x/", "1")]
    {
        put_new(&place, &collection(collection_name), name, 1).await;
    }
    // What somebody else laid there is no document.
    let folder = place.keys.collection(&collection("x"));
    for foreign in ["A", "1/2", "~~00", "~", ".x"] {
        let path = format!("{folder}/{foreign}").as_str().into();
        store.inner.put(&path, "foreign".into()).await.unwrap();
    }
    for (name, expected) in [
        ("x", &["1", "1/2"][..]),
        ("x/1", &["2"]),
        ("xy", &["1"]),
        ("X", &["1"]),
        ("x/", &["1"]),
        ("y", &[]),
    ] {
        assert_eq!(pages(&place, &collection(name), 10).await, expected, "in {name}");
    }
}

#[tokio::test]
async fn a_page_without_rows_is_refused() {
    let (_, place) = sound();
    let error = documents(&place, &collection("c"), None, 0).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
}

#[tokio::test]
async fn damage_is_listed_where_the_key_tells_its_name_and_reported_where_not() {
    let (store, place) = sound();
    let c = collection("c");
    for name in ["a", "b", "c"] {
        put_new(&place, &c, name, 5).await;
    }
    for (name, bytes) in [("a", b"".as_slice()), ("b", b"damage")] {
        let key = DocKey { collection: c.clone(), name: name.parse().unwrap() };
        store.inner.put(&place.keys.document(&key), bytes.into()).await.unwrap();
    }
    assert_eq!(pages(&place, &c, 10).await, ["a", "b", "c"]);
    let long = "l".repeat(500);
    put_new(&place, &c, &long, 5).await;
    let key = DocKey { collection: c.clone(), name: long.parse().unwrap() };
    for bytes in [b"".as_slice(), b"damage"] {
        store.inner.put(&place.keys.document(&key), bytes.into()).await.unwrap();
        let error = documents(&place, &c, None, 10).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }
}
