//! Processes that append to one session at once.

use std::collections::BTreeSet;
use std::env;

use futures_util::TryStreamExt as _;
use sessile_core::Backend as _;
use sessile_core::backend::Span;
use sessile_core::commit::StoredCommit;
use sessile_core::id::SessionKey;
use sessile_engine::NewSession;

use crate::support::servers::Kind;
use crate::with_servers::child::{self, Child};
use crate::with_servers::site::{Site, messages};

const WRITERS: usize = 8;

/// How many times each appends: the server of Azure is the slower one, and is given fewer where
/// nobody asked for what takes minutes.
fn appends(site: &Site) -> usize {
    let soaks = env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    if soaks || site.server.kind == Kind::S3 { 200 } else { 50 }
}

async fn lose_and_duplicate_nothing(site: Site) {
    let appends = appends(&site);
    let session = site.store().create_as("shared", NewSession::new()).await.unwrap();
    let names: Vec<String> = (0..WRITERS).map(|number| format!("writer-{number}")).collect();
    let test = "with_servers::hosts::processes::appends_as_a_child";
    let mut children: Vec<_> = names.iter().map(|name| Child::ready(&site, test, name)).collect();
    children.iter_mut().for_each(Child::begin);
    let told: Vec<String> = children.iter_mut().map(Child::told).collect();
    children.into_iter().for_each(Child::ended);
    // What each was told is where it stands, in the order in which it was appended.
    let fresh = site.store().open_session("shared").await.unwrap();
    let found = messages(&fresh).await;
    assert_eq!(found.len(), WRITERS * appends);
    for (name, told) in names.iter().zip(told) {
        let said = |number: usize| format!("\"{name}-{number}\"");
        let expected: Vec<_> =
            told.split(' ').enumerate().map(|(at, seq)| (seq.to_owned(), said(at))).collect();
        let own = found.iter().filter(|it| it.data.as_str().starts_with(&format!("\"{name}-")));
        let own: Vec<_> = own.map(|it| (it.seq.to_string(), it.data.as_str().to_owned())).collect();
        assert_eq!((own.len(), own), (appends, expected), "{name}");
    }
    // Each append is one commit, and there is no other.
    let key = SessionKey { space: fresh.space().clone(), id: fresh.id().clone() };
    let commits = site.backend().read(&key, Span::ALL).await.unwrap();
    let commits: Vec<StoredCommit> = commits.try_collect().await.unwrap();
    let ids: BTreeSet<_> = commits.iter().map(|commit| commit.id.clone()).collect();
    assert_eq!((commits.len(), ids.len()), (1 + WRITERS * appends, 1 + WRITERS * appends));
    let verified = site.store().verify("shared").await.unwrap();
    assert!(verified.sound && verified.damage.is_empty() && verified.set_aside.is_empty());
    // Who had it open all the while sees the same.
    assert_eq!(messages(&session).await, found);
    site.clear().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_that_append_two_hundred_times_each_lose_and_duplicate_nothing_on_s3() {
    lose_and_duplicate_nothing(Site::s3().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_that_append_at_once_lose_and_duplicate_nothing_on_azure() {
    lose_and_duplicate_nothing(Site::azure().await).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the tests above"]
async fn appends_as_a_child() {
    let (name, site) = (child::name(), Site::of_the_parent());
    let (appends, store) = (appends(&site), site.store());
    let session = store.open_session("shared").await.unwrap();
    child::is_ready();
    assert!(child::may_begin());
    let mut told = Vec::new();
    for number in 0..appends {
        let done = session.append([format!("{name}-{number}")]).await.unwrap();
        assert!(!done.replayed);
        told.push(done.first.to_string());
    }
    store.close().await.unwrap();
    child::tell(&told.join(" "));
}
