//! The values of documents.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::backend::{DocKey, NewDocument, Precondition};
use sessile_core::{Backend, Limits};

use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::together::{beside, handles};

pub(super) const CASES: &[Case] = &[
    Case::new("value/any_bytes_come_back", &["DocumentsAreWhole", "OBJ-9"], |place| {
        Box::pin(any_bytes_come_back(place))
    }),
    Case::new("value/readers_see_one_whole_value", &["DocumentsAreWhole", "CONC-5"], |place| {
        Box::pin(readers_see_one_whole_value(place))
    }),
    Case::new(
        "value/a_dropped_put_is_done_once_or_not_at_all",
        &["DocumentsAreWhole", "RevisionsAreRemembered"],
        |place| Box::pin(a_dropped_put(place)),
    ),
    Case::new("value/the_session_goes_with_the_value", &["DocumentsAreWhole"], |place| {
        Box::pin(the_session_goes_with_the_value(place))
    }),
    Case::new("value/as_large_as_the_limit_allows", &["DocumentsAreWhole"], |place| {
        Box::pin(as_large_as_the_limit_allows(place))
    })
    .full(),
];

/// Puts a value over whatever is there.
async fn replace(
    backend: &dyn Backend,
    key: &DocKey,
    held: &mut Precondition,
    value: &NewDocument,
) -> Result<(), Failed> {
    backend.put(key, value.clone(), *held).await?;
    *held = Precondition::Revision(value.revision);
    Ok(())
}

async fn any_bytes_come_back(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let mut held = Precondition::Absent;
    for bytes in [
        Vec::new(),
        vec![0],
        vec![b'\n'],
        b"\r\n\r\n".to_vec(),
        every_byte.clone(),
        every_byte.into_iter().rev().cycle().take(1 << 20).collect(),
        br#"{"seq":0,"crc":"00000000"}"#.to_vec(),
        vec![0; 70_000],
        Vec::new(),
    ] {
        let value = sample::value(bytes);
        replace(&*backend, &key, &mut held, &value).await?;
        look::is_value(&place.handle().await?.get(&key).await?, &value)?;
    }
    Ok(())
}

/// The sizes between which a value changes while others read it.
const SIZES: [usize; 2] = [1 << 20, 1 << 10];

/// A value that repeats its own revision, so that a mixture shows.
fn telling(bytes: usize) -> NewDocument {
    let mut value = sample::value("");
    let mark = value.revision.to_string();
    value.bytes = mark.repeat(bytes / mark.len()).into_bytes().into();
    value
}

/// Reads once, and fails unless it is one whole value with its own revision.
async fn read_whole(backend: Arc<dyn Backend>, key: DocKey) -> Result<(), Failed> {
    let held = backend.get(&key).await?;
    let mark = held.revision.to_string();
    let mut parts = held.bytes.chunks(mark.len());
    ensure!(
        parts.all(|part| part == mark.as_bytes()),
        "a value of {} bytes is not all of its revision",
        held.bytes.len()
    );
    ensure!(
        SIZES.contains(&held.bytes.len()),
        "a value of {} bytes was never put",
        held.bytes.len()
    );
    same("the newest revision kept", held.recent.first(), Some(&held.revision))
}

async fn readers_see_one_whole_value(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let mut held = Precondition::Absent;
    replace(&*backend, &key, &mut held, &telling(1 << 10)).await?;
    let readers = handles(&*place, 8).await?.into_iter().map(|reader| {
        let key = key.clone();
        move || read_whole(Arc::clone(&reader), key.clone())
    });
    let writing = async {
        for bytes in SIZES.into_iter().cycle().take(60) {
            replace(&*backend, &key, &mut held, &telling(bytes)).await?;
        }
        Ok(())
    };
    beside(readers.collect(), writing).await
}

async fn a_dropped_put(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let mut held = Precondition::Absent;
    for number in 0..20 {
        let value = sample::value(format!("{number}"));
        // Its future is asked once and dropped where it is not done by then.
        let put = backend.put(&key, value.clone(), held);
        let _dropped = tokio::time::timeout(Duration::ZERO, put).await;
        replace(&*backend, &key, &mut held, &value).await?;
        let stored = backend.get(&key).await?;
        look::is_value(&stored, &value)?;
        let times = stored.recent.iter().filter(|it| **it == value.revision).count();
        same("how often the revision is kept", times, 1)?;
    }
    Ok(())
}

async fn the_session_goes_with_the_value(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let mut held = Precondition::Absent;
    for session in [Some("s1"), None, Some("S1"), Some("s2")] {
        let value =
            NewDocument { session: session.map(str::parse).transpose()?, ..sample::value("value") };
        replace(&*backend, &key, &mut held, &value).await?;
        look::is_value(&place.handle().await?.get(&key).await?, &value)?;
    }
    Ok(())
}

async fn as_large_as_the_limit_allows(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let mut held = Precondition::Absent;
    let limit = Limits::default().document_bytes;
    for bytes in [limit, 0, limit - 1] {
        let value = sample::value((0..=u8::MAX).cycle().take(bytes).collect::<Vec<_>>());
        replace(&*backend, &key, &mut held, &value).await?;
        look::is_value(&place.handle().await?.get(&key).await?, &value)?;
    }
    Ok(())
}
