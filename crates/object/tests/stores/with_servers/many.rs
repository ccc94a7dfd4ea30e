//! A session of more objects than a list shows, and a deletion takes, at once.

use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use sessile_core::ErrorKind;
use sessile_engine::{From, NewSession, Store};
use sessile_object::Options;

use crate::support::servers::{PATIENCE, Stores};
use crate::with_servers::site::Site;

/// Lists and deletions go by a thousand on S3; lists by five thousand and deletions by 256 on
/// Azure.
const MESSAGES: usize = 1_100;

/// Merges nothing, and writes an object for each append and nothing else.
fn writer(site: &Site) -> Store {
    let mut options = Options::default();
    options.merge_every = 0;
    Store::on(Arc::new(site.backend_with(options)))
}

/// Purges at once; so it takes no look for a young one.
fn purger(site: &Site) -> Store {
    let mut options = Options::default();
    (options.purge_after, options.look_age) = (Duration::ZERO, Duration::ZERO);
    Store::on(Arc::new(site.backend_with(options)))
}

/// How many objects of sessions there are.
async fn objects(site: &Site) -> usize {
    let Stores { reads, .. } = site.server.stores(&site.server.address, PATIENCE);
    let spaces = site.prefix.clone().join("spaces");
    reads.list(Some(&spaces)).try_collect::<Vec<_>>().await.unwrap().len()
}

async fn is_read_and_purged_whole(site: Site) {
    let session = writer(&site).create_as("many", NewSession::new()).await.unwrap();
    let neighbour = writer(&site).create_as("many-1", NewSession::new()).await.unwrap();
    neighbour.append(["of the neighbour"]).await.unwrap();
    for number in 0..MESSAGES {
        session.append([number]).await.unwrap();
    }
    assert_eq!(objects(&site).await, 1 + MESSAGES + 2);
    let opened = purger(&site).open_session("many").await.unwrap();
    assert_eq!(opened.position(), session.position());
    let read: Vec<usize> = opened.transcript(From::start()).await.unwrap().all().await.unwrap();
    assert_eq!(read, (0..MESSAGES).collect::<Vec<_>>());
    purger(&site).delete("many").await.unwrap();
    purger(&site).purge("many").await.unwrap();
    // The tombstone and the mark are left, and the neighbour.
    assert_eq!(objects(&site).await, 2 + 2, "{:?}", site.server.kind);
    for error in [
        opened.append(["x"]).await.unwrap_err(),
        purger(&site).open_session("many").await.unwrap_err(),
        purger(&site).create_as("many", NewSession::new()).await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Deleted);
    }
    let neighbour = purger(&site).open_session("many-1").await.unwrap();
    let read: Vec<String> = neighbour.transcript(From::start()).await.unwrap().all().await.unwrap();
    assert_eq!(read, ["of the neighbour"]);
    site.clear().await;
}

#[tokio::test]
async fn a_session_of_more_than_a_thousand_objects_is_read_and_purged_whole_on_s3() {
    is_read_and_purged_whole(Site::s3().await).await;
}

#[tokio::test]
async fn a_session_of_more_than_a_thousand_objects_is_read_and_purged_whole_on_azure() {
    is_read_and_purged_whole(Site::azure().await).await;
}
