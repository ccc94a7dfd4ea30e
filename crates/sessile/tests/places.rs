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

#[cfg(all(feature = "fs", unix))]
#[tokio::test]
async fn under_every_spelling_of_a_folder_a_session_has_one_owner()
-> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().display().to_string();
    std::fs::create_dir_all(folder.path().join("other"))?;
    std::os::unix::fs::symlink(folder.path(), folder.path().join("other/link"))?;
    let contract = Contract::new();
    let store = Store::open(format!("file://{root}/agents")).await?;
    let session = store.create_as("a", NewSession::new()).await?;
    let turn = session.admit(&"req-1".parse()?, "hi", &contract).await?.started()?;
    for spelling in [
        format!("file://{root}/agents/"),
        format!("file://{root}/other/../agents"),
        format!("file://{root}/other/link/agents"),
        format!("file://{root}//agents/."),
    ] {
        let other = Store::open(spelling.as_str()).await?.open_session("a").await?;
        let error = other.admit(&"req-2".parse()?, "yo", &contract).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy, "{spelling}");
        assert_eq!(error.occupant().map(|it| it.claim), Some(turn.claim()), "{spelling}");
    }
    turn.commit("hello").await?;
    let journal = folder.path().join("agents/spaces/default/sessions/a.jsonl");
    let stored = std::fs::read_to_string(journal)?;
    assert!(!stored.contains(&root) && !stored.contains("link"), "a spelling is stored");
    Ok(())
}

#[cfg(not(feature = "fs"))]
#[tokio::test]
async fn a_folder_names_the_feature_that_it_needs() {
    let error = Store::open("file:///tmp").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidPlace);
    assert!(error.clause().contains("`fs`"), "{error}");
}

#[cfg(not(all(feature = "aws", feature = "gcp", feature = "azure")))]
#[tokio::test]
async fn a_bucket_names_the_feature_that_it_needs() {
    for (place, feature, is_on) in [
        ("s3://b/p", "`aws`", cfg!(feature = "aws")),
        ("s3a://b", "`aws`", cfg!(feature = "aws")),
        ("gs://b/p", "`gcp`", cfg!(feature = "gcp")),
        ("az://c/p", "`azure`", cfg!(feature = "azure")),
        ("abfss://c@a.dfs.core.windows.net", "`azure`", cfg!(feature = "azure")),
    ] {
        if !is_on {
            let error = Store::open(place).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{place}");
            assert!(error.clause().contains(feature), "{place}: {error}");
            assert!(error.hint().unwrap().contains(feature), "{place}: {error}");
            assert_eq!(Store::probe(place).await.unwrap_err().kind(), ErrorKind::InvalidPlace);
        }
    }
}

#[tokio::test]
async fn what_is_no_place_is_refused_when_it_is_opened() {
    for place in ["nowhere", "s3://", "file:"] {
        let error = Store::open(place).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{place}");
    }
}

#[test]
fn the_futures_of_opening_and_of_probing_may_be_spawned() {
    fn sent<T: Send>(_: T) {}
    sent(Store::open("memory:").into_future());
    sent(Store::probe("memory:"));
}

#[tokio::test]
async fn a_probe_looks_at_a_place_and_makes_nothing() -> Result<(), Box<dyn std::error::Error>> {
    assert!(Store::probe("memory:").await?.ok);
    #[cfg(feature = "fs")]
    {
        let folder = tempfile::tempdir()?;
        let place = format!("file:{}", folder.path().join("agents").display());
        let probe = Store::open(place.as_str()).probe().await?;
        assert!(probe.ok && probe.findings.len() > 5, "{probe:?}");
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        assert!(Store::open(place).await?.spaces(None, 9).await?.is_empty());
    }
    let error = Store::probe("nowhere").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidPlace);
    Ok(())
}

#[cfg(feature = "aws")]
#[tokio::test]
async fn a_bucket_is_opened_without_a_request_and_its_form_for_debugging_tells_no_value() {
    // Nobody listens there.
    let place = "s3://b/p?endpoint=http://127.0.0.1:1/hush&allow_http=true&skip_signature=true";
    let opening = Store::open(place);
    assert!(!format!("{opening:?}").contains("hush"));
    let store = opening.await.unwrap();
    assert!(!format!("{store:?}").contains("hush"));
}
