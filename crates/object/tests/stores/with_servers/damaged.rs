//! Damage and strangers among a session's objects: looking at them changes nothing, and hides no
//! other session.

use object_store::ObjectStoreExt as _;
use object_store::path::Path;
use sessile_core::ErrorKind;
use sessile_engine::{Filter, From, NewSession, Page, Store};

use crate::support::servers::PATIENCE;
use crate::with_servers::site::Site;

/// Makes some sessions of a few messages each, and closes the store.
async fn sessions(site: &Site) {
    let store = site.store();
    for id in ["a", "b", "c"] {
        let session = store.create_as(id, NewSession::new()).await.unwrap();
        for number in 0..4 {
            session.append([format!("{id}{number}")]).await.unwrap();
        }
    }
    store.close().await.unwrap();
}

/// A log object of session `b`.
fn log(site: &Site, number: u64) -> Path {
    Path::from(format!("{}/spaces/default/sessions/b/log/{number:020}", site.prefix))
}

async fn put(site: &Site, path: &Path, bytes: impl Into<object_store::PutPayload>) {
    let store = site.server.stores(&site.server.address, PATIENCE).reads;
    store.put(path, bytes.into()).await.unwrap();
}

async fn bytes(site: &Site, path: &Path) -> bytes::Bytes {
    let store = site.server.stores(&site.server.address, PATIENCE).reads;
    store.get(path).await.unwrap().bytes().await.unwrap()
}

async fn listed(store: &Store) -> Vec<String> {
    let listing = store.list(Filter::all(), Page::of(10)).await.unwrap();
    let mut ids: Vec<_> = listing.sessions.iter().map(|row| row.id.to_string()).collect();
    ids.sort_unstable();
    ids
}

/// What a fresh store reads of a session, and how that ends.
async fn read(site: &Site, id: &str) -> (Vec<String>, Option<ErrorKind>) {
    let session = site.store().open_session(id).await.unwrap();
    let mut transcript = session.transcript(From::start()).await.unwrap();
    let mut texts = Vec::new();
    while let Some(read) = transcript.next().await {
        match read {
            Ok(text) => texts.push(text),
            Err(error) => return (texts, Some(error.kind())),
        }
    }
    (texts, None)
}

async fn looking_at_damage_changes_nothing(site: Site) {
    sessions(&site).await;
    // Its first object, or one in the middle.
    for number in [2, 0] {
        let (path, kind) = (log(&site, number), site.server.kind);
        let sound = bytes(&site, &path).await;
        put(&site, &path, "no line of a journal\n").await;
        let before = site.objects().await;
        let store = site.store();
        assert_eq!(listed(&store).await, ["a", "b", "c"], "{kind:?} {number}");
        if number > 0 {
            let (texts, end) = read(&site, "b").await;
            assert_eq!((texts, end), (vec!["b0".to_owned()], Some(ErrorKind::Corrupt)), "{kind:?}");
            assert!(!store.verify("b").await.unwrap().sound);
        } else {
            let opened = store.open_session("b").await.unwrap_err();
            assert_eq!(opened.kind(), ErrorKind::Corrupt);
            let created = store.create_as("b", NewSession::new()).await.unwrap_err();
            assert_eq!(created.kind(), ErrorKind::Corrupt);
        }
        assert_eq!(read(&site, "c").await.0, ["c0", "c1", "c2", "c3"]);
        store.close().await.unwrap();
        assert_eq!(site.objects().await, before, "{kind:?} {number}");
        // What was there before is read again.
        put(&site, &path, sound).await;
        assert_eq!(read(&site, "b").await, (["b0", "b1", "b2", "b3"].map(Into::into).into(), None));
    }
}

async fn a_stranger_changes_nothing(site: Site) {
    sessions(&site).await;
    let expected = ["b0", "b1", "b2", "b3"].map(str::to_owned);
    let copy = bytes(&site, &log(&site, 2)).await;
    put(&site, &log(&site, 5), copy).await;
    assert_eq!(read(&site, "b").await, (expected.to_vec(), None));
    let session = site.store().open_session("b").await.unwrap();
    session.append(["next"]).await.unwrap();
    let expected = [&expected[..], &["next".to_owned()]].concat();
    assert_eq!(read(&site, "b").await, (expected, None), "{:?}", site.server.kind);
    let verified = site.store().verify("b").await.unwrap();
    assert_eq!((verified.damage.len(), verified.set_aside.len()), (0, 1));
}

#[tokio::test]
async fn looking_at_a_damaged_session_changes_nothing_and_hides_no_other_on_s3() {
    looking_at_damage_changes_nothing(Site::s3().await).await;
}

#[tokio::test]
async fn looking_at_a_damaged_session_changes_nothing_and_hides_no_other_on_azure() {
    looking_at_damage_changes_nothing(Site::azure().await).await;
}

#[tokio::test]
async fn a_strangers_object_at_the_end_changes_nothing_that_is_read_on_s3() {
    a_stranger_changes_nothing(Site::s3().await).await;
}

#[tokio::test]
async fn a_strangers_object_at_the_end_changes_nothing_that_is_read_on_azure() {
    a_stranger_changes_nothing(Site::azure().await).await;
}
