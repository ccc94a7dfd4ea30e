//! What needs the servers that `cargo xtask test` starts; `--local` passes over this module.

use std::sync::Arc;

use sessile::object::object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use sessile::object::object_store::path::Path;
use sessile::object::object_store::{ObjectStore, RetryConfig};
use sessile::object::{ObjectBackend, Options};
use sessile::prelude::*;
use sessile::{Error, ErrorKind};

use crate::bucket::Bucket;

/// A place in a new bucket that is asked without a signature: nothing else of the environment is
/// needed, which a test can't set for itself.
async fn place() -> String {
    Bucket::s3().await.below("agents%20here/prod") + "&skip_signature=true"
}

#[tokio::test]
async fn a_session_outlives_its_process_in_a_bucket() -> Result<(), Error> {
    let place = place().await;
    let store = Store::open(place.as_str()).space("tenant-7")?.await?;
    let session = store.create_as("a", NewSession::new().title("t")).await?;
    let append = Append::at(session.position()).commit_id("c".parse()?);
    session.append_with(append.clone(), ["hi"]).await?;
    store.close().await?;

    let options = Options::default();
    let store = Store::open(place).object_options(options).space("tenant-7")?.await?;
    let session = store.open_session("a").await?;
    assert!(session.append_with(append, ["hi"]).await?.replayed);
    session.append(["there"]).await?;
    let told = session.transcript::<String>(sessile::From::last(9)).await?.all().await?;
    assert_eq!(told, ["hi", "there"]);
    assert!(store.verify("a").await?.sound);
    assert_eq!(store.list(Filter::all(), Page::of(9)).await?.sessions.len(), 1);
    session.delete().await?;
    assert_eq!(store.open_session("a").await.unwrap_err().kind(), ErrorKind::Deleted);
    Ok(())
}

#[tokio::test]
async fn a_copy_to_a_bucket_and_back_holds_the_same() -> Result<(), Error> {
    let here = Store::open("memory:").await?;
    let there = Store::open(place().await).await?;
    let back = Store::open("memory:").await?;
    let session = here.create_as("a", NewSession::new()).await?;
    for number in 0..20 {
        session.append([number]).await?;
    }
    assert_eq!(here.copy("a", &there).await?.added, 21);
    assert_eq!(there.copy("a", &back).await?.added, 21);
    let all = |session: Session| async move {
        session.transcript::<u64>(sessile::From::start()).await?.all().await
    };
    assert_eq!(all(back.open_session("a").await?).await?, (0..20).collect::<Vec<_>>());
    Ok(())
}

#[tokio::test]
async fn a_probe_finds_a_good_place_good_and_leaves_no_store_there() -> Result<(), Error> {
    let place = place().await;
    let probe = Store::probe(place.as_str()).await?;
    assert!(probe.ok, "{probe:?}");
    assert!(probe.findings.len() > 5, "{probe:?}");
    assert!(Store::open(place.as_str()).await?.spaces(None, 9).await?.is_empty());
    // Also where there is a store by now.
    let store = Store::open(place.as_str()).await?;
    store.create_as("a", NewSession::new()).await?;
    assert!(Store::probe(place).await?.ok);
    assert!(store.verify("a").await?.sound);
    Ok(())
}

#[tokio::test]
async fn a_bucket_that_there_is_not_is_told_at_once() -> Result<(), Error> {
    let bucket = Bucket::s3().await;
    let place = format!("{}-not/p{}&skip_signature=true", bucket.place, bucket.options);
    let probe = Store::probe(place.as_str()).await?;
    assert!(!probe.ok);
    let last = probe.findings.last().unwrap();
    assert!(!last.ok && last.detail.contains("no such bucket"), "{probe:?}");
    let store = Store::open(place).await?;
    let error = store.create_as("a", NewSession::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{error}");
    Ok(())
}

#[tokio::test]
async fn a_store_is_opened_on_clients_of_the_callers() -> Result<(), Error> {
    let bucket = Bucket::azure().await;
    let client = |retry| -> Arc<dyn ObjectStore> {
        let options = bucket.options.trim_start_matches('?').split('&');
        let options = options.map(|option| option.split_once('=').unwrap());
        let variables = bucket.variables.iter().map(|(name, value)| (*name, value.as_str()));
        let begun = MicrosoftAzureBuilder::new().with_url(&bucket.place).with_retry(retry);
        let configured = options.chain(variables).fold(begun, |builder, (name, value)| {
            let key: AzureConfigKey = name.to_ascii_lowercase().parse().unwrap();
            builder.with_config(key, value)
        });
        Arc::new(configured.build().unwrap())
    };
    let once = RetryConfig { max_retries: 0, ..RetryConfig::default() };
    let (reads, writes) = (client(RetryConfig::default()), client(once));
    let backend = ObjectBackend::on(reads, writes, &Path::from("p"), Options::default());
    assert!(backend.probe().await.ok);
    let store = Store::on(Arc::new(backend));
    let session = store.create_as("a", NewSession::new()).await?;
    session.append(["hi"]).await?;
    assert_eq!(store.list(Filter::all(), Page::of(9)).await?.sessions[0].messages, 1);
    Ok(())
}
