//! Documents that go back to an earlier value: whoever saw that value the first time is refused,
//! also where entity tags are made of the content.

use bytes::Bytes;
use object_store::path::Path;
use object_store::{Error, ObjectStore, PutMode, UpdateVersion};
use sessile_core::backend::{NewDocument, Precondition};
use sessile_core::{Backend as _, ErrorKind, Outcome};

use super::stage::{Stage, on_each};
use super::words;
use crate::support::proxy::{Fault, Rule};
use crate::support::servers::{Kind, chance};
use crate::with_servers::site::Objects;

/// A value that takes the place of another one.
fn over(before: &NewDocument) -> Precondition {
    Precondition::Revision(before.revision)
}

#[tokio::test]
async fn a_stale_swap_is_refused_after_the_value_was_another_and_the_same_again() {
    on_each(async |stage| {
        let (key, past) = (words::document(&stage.space), stage.past());
        let [first, other, again] = ["a", "b", "a"].map(words::value);
        past.put(&key, first.clone(), Precondition::Absent).await.unwrap();
        let seen = stage.objects_of(key.name.as_str()).await;
        // One swap is on its way the whole time, another is sent in the end.
        let hasty = stage.hasty();
        assert_eq!(hasty.get(&key).await.unwrap().revision, first.revision);
        stage.proxy.rule(Rule::on("PUT", key.name.as_str(), Fault::Held).always());
        let late = hasty.put(&key, words::value("late"), over(&first)).await.unwrap_err();
        assert_eq!(late.outcome(), Outcome::Unknown);
        past.put(&key, other.clone(), over(&first)).await.unwrap();
        past.put(&key, again.clone(), over(&other)).await.unwrap();
        let statuses = stage.proxy.release().await;
        assert!(!statuses.is_empty() && statuses.iter().all(|status| *status == 412));
        stage.proxy.mend();
        for handle in [&hasty, &past, &stage.past()] {
            let actual = Some(again.revision);
            let error = handle.put(&key, words::value("stale"), over(&first)).await.unwrap_err();
            assert_eq!((error.kind(), error.actual_revision()), (ErrorKind::Conflict, actual));
            let error = handle.delete(&key, first.revision).await.unwrap_err();
            assert_eq!((error.kind(), error.actual_revision()), (ErrorKind::Conflict, actual));
        }
        let found = stage.past().get(&key).await.unwrap();
        assert_eq!((found.bytes, found.revision), (Bytes::from("a"), again.revision));
        // No object of the document was ever like another one.
        let tags = |objects: Objects| {
            objects.into_values().map(|(tag, _)| tag.unwrap()).collect::<Vec<_>>()
        };
        let (seen, now) = (tags(seen), tags(stage.objects_of(key.name.as_str()).await));
        assert!(seen.len() == 1 && now.len() == 1 && seen != now, "{:?} {seen:?}", stage.kind);
    })
    .await;
}

#[tokio::test]
async fn a_stale_swap_is_refused_after_the_document_was_deleted_and_put_again() {
    on_each(async |stage| {
        let (key, past) = (words::document(&stage.space), stage.past());
        let [first, again] = ["a", "a"].map(words::value);
        past.put(&key, first.clone(), Precondition::Absent).await.unwrap();
        let hasty = stage.hasty();
        stage.proxy.rule(Rule::on("PUT", key.name.as_str(), Fault::Held).always());
        let late = hasty.put(&key, words::value("late"), over(&first)).await.unwrap_err();
        assert_eq!(late.outcome(), Outcome::Unknown);
        past.delete(&key, first.revision).await.unwrap();
        past.put(&key, again.clone(), Precondition::Absent).await.unwrap();
        assert!(stage.proxy.release().await.iter().all(|status| *status == 412));
        stage.proxy.mend();
        let error = hasty.put(&key, words::value("stale"), over(&first)).await.unwrap_err();
        assert_eq!(error.actual_revision(), Some(again.revision), "{:?}", stage.kind);
        assert_eq!(stage.past().get(&key).await.unwrap().revision, again.revision);
    })
    .await;
}

/// Writes under a condition, or without one; answers the condition for the next write.
async fn put(
    store: &dyn ObjectStore,
    key: &Path,
    body: &'static str,
    seen: Option<UpdateVersion>,
) -> Result<UpdateVersion, Error> {
    let mode = seen.map_or(PutMode::Create, PutMode::Update);
    let put = store.put_opts(key, body.into(), mode.into()).await?;
    Ok(UpdateVersion { e_tag: put.e_tag, version: put.version })
}

#[tokio::test]
async fn a_stale_swap_of_plain_bytes_is_taken_where_tags_are_made_of_the_content() {
    on_each(async |stage: Stage| {
        let (store, key) = (stage.stores().writes, Path::from(format!("raw/{}", chance())));
        let first = put(&*store, &key, "a", None).await.unwrap();
        let other = put(&*store, &key, "b", Some(first.clone())).await.unwrap();
        let again = put(&*store, &key, "a", Some(other)).await.unwrap();
        let stale = put(&*store, &key, "stale", Some(first.clone())).await;
        // What the tests above would not notice if documents were stored as plain bytes.
        let is_of_the_content = stage.kind == Kind::S3;
        assert_eq!(first.e_tag == again.e_tag, is_of_the_content, "{:?}", stage.kind);
        assert_eq!(stale.is_ok(), is_of_the_content, "{:?} {stale:?}", stage.kind);
    })
    .await;
}
