use std::sync::Arc;

use bytes::Bytes;
use sessile_core::backend::{Collection, DocKey, NewDocument, Precondition};
use sessile_core::{ErrorKind, Revision};

use super::*;
use crate::client::Only;
use crate::documents::{delete, put};
use crate::double::Double;
use crate::entropy;
use crate::options::Options;

fn sound() -> (Arc<Double>, Place) {
    let store = Double::sound();
    let place = store.place(Options::default());
    (store, place)
}

async fn with_session(place: &Place, space: &str) {
    let key = SessionKey { space: space.parse().unwrap(), id: "s1".parse().unwrap() };
    let log = place.keys.session(&key).log(0);
    place.client.send(&log, Bytes::from_static(b"log"), &Only::IfAbsent).await.unwrap();
}

async fn with_document(place: &Place, space: &str, session: Option<&str>) -> (DocKey, Revision) {
    let collection = Collection { space: space.parse().unwrap(), name: "c".parse().unwrap() };
    let key = DocKey { collection, name: "n".parse().unwrap() };
    let revision = Revision::new(entropy::token());
    let session = session.map(|id| id.parse().unwrap());
    let new = NewDocument { bytes: "v".into(), revision, session };
    put(place, &key, &new, Precondition::Absent).await.unwrap();
    (key, revision)
}

async fn pages(place: &Place, limit: usize) -> Vec<String> {
    let mut listed: Vec<Space> = Vec::new();
    loop {
        let page = spaces(place, listed.last(), limit).await.unwrap();
        if page.is_empty() {
            return listed.iter().map(ToString::to_string).collect();
        }
        listed.extend(page);
    }
}

#[tokio::test]
async fn every_space_that_holds_anything_is_listed_in_the_order_of_names() {
    let (_, place) = sound();
    let mut names = vec!["Tenant", "tenant", "TENANT", "con", "tenant.", "-", "_tmp", "spaces"];
    for name in &names {
        with_session(&place, name).await;
    }
    for name in ["documents", "a", "con"] {
        with_document(&place, name, None).await;
    }
    names.extend(["documents", "a"]);
    names.sort_unstable();
    for limit in [1, 3, 100, usize::MAX] {
        assert_eq!(pages(&place, limit).await, names, "by pages of {limit}");
    }
    let error = spaces(&place, None, 0).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
}

#[tokio::test]
async fn a_space_of_tombstones_and_notes_is_not_listed() {
    let (_, place) = sound();
    let (key, revision) = with_document(&place, "a", Some("s1")).await;
    with_document(&place, "b", Some("s1")).await;
    assert_eq!(pages(&place, 10).await, ["a", "b"]);
    delete(&place, &key, revision).await.unwrap();
    assert_eq!(pages(&place, 10).await, ["b"]);
    with_session(&place, "a").await;
    assert_eq!(pages(&place, 10).await, ["a", "b"]);
}
