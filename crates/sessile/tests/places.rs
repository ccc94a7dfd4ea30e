//! Opening stores by their places.

use sessile::prelude::*;
use sessile::{Error, ErrorKind, Options};

#[tokio::test]
async fn a_place_in_memory_is_fresh_unless_it_has_a_name() -> Result<(), Error> {
    for (place, shared) in [("memory:", false), ("memory:places-test", true)] {
        let one = Store::open(place).await?;
        let two = Store::open(place).options(Options::default()).await?;
        one.create_as("a", NewSession::new()).await?;
        assert_eq!(two.open_session("a").await.is_ok(), shared, "{place}");
    }
    Ok(())
}

#[tokio::test]
async fn a_space_is_chosen_when_the_store_is_opened() -> Result<(), Error> {
    let place = "memory:places-space";
    let store = Store::open(place).space("tenant-7")?.await?;
    store.create_as("a", NewSession::new()).await?;
    let elsewhere = Store::open(place).await?.open_session("a").await;
    assert_eq!(elsewhere.unwrap_err().kind(), ErrorKind::Missing);
    assert_eq!(Store::open(place).space("a/b").unwrap_err().kind(), ErrorKind::InvalidId);
    Ok(())
}

#[cfg(feature = "fs")]
#[tokio::test]
async fn a_session_outlives_its_process_in_a_folder() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let place = format!("file://{}/agents%20here", folder.path().display());
    let store = Store::open(place.as_str()).await?;
    let session = store.create_as("a", NewSession::new().title("t")).await?;
    let append = Append::at(session.position()).commit_id("c".parse()?);
    session.append_with(append.clone(), ["hi"]).await?;
    store.close().await?;
    assert!(folder.path().join("agents here").is_dir());

    let store = Store::open(place).fs_options(sessile::fs::Options::default()).await?;
    let session = store.open_session("a").await?;
    assert!(session.receipt().is_none());
    assert!(session.append_with(append, ["hi"]).await?.replayed);
    session.append(["there"]).await?;
    assert_eq!(
        session.transcript::<String>(sessile::From::last(9)).await?.all().await?,
        ["hi", "there"]
    );
    assert!(store.verify("a").await?.sound);
    assert_eq!(store.list(Filter::all(), Page::of(9)).await?.sessions.len(), 1);
    session.delete().await?;
    assert_eq!(store.open_session("a").await.unwrap_err().kind(), ErrorKind::Deleted);
    Ok(())
}

#[cfg(not(feature = "fs"))]
#[tokio::test]
async fn a_folder_names_the_feature_that_it_needs() {
    let error = Store::open("file:///tmp").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidPlace);
    assert!(error.clause().contains("`fs`"), "{error}");
}

#[tokio::test]
async fn what_is_no_place_is_refused_when_it_is_opened() {
    for place in ["nowhere", "s3://bucket/prefix", "file:"] {
        let error = Store::open(place).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{place}");
    }
}

#[test]
fn the_future_of_opening_may_be_spawned() {
    fn sent<T: Send>(_: T) {}
    sent(Store::open("memory:").into_future());
}
