//! Sessions in files: what a torn tail, a hole and a second process do to them.
#![cfg(feature = "fs")]
#![expect(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs::{self, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::time::Duration;

use sessile::prelude::*;
use sessile::{Error, ErrorKind, From, Options};
use tempfile::TempDir;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn place(folder: &TempDir) -> String {
    format!("file://{}", folder.path().display())
}

fn journal(folder: &TempDir) -> PathBuf {
    folder.path().join("spaces/default/sessions/a.jsonl")
}

/// A closed store with a session `a` of five messages, each in a commit of its own.
async fn written(folder: &TempDir) -> Result<(), Error> {
    let store = Store::open(place(folder)).await?;
    let session = store.create_as("a", NewSession::new()).await?;
    for number in 0..5 {
        session.append([number]).await?;
    }
    store.close().await
}

async fn numbers(session: &Session) -> Result<Vec<u16>, Error> {
    session.transcript(From::start()).await?.all().await
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_another_store_appends_wakes_who_watches_without_looking() -> Outcome {
    let folder = tempfile::tempdir()?;
    written(&folder).await?;
    let (here, there) = (Store::open(place(&folder)).await?, Store::open(place(&folder)).await?);
    let (session, other) = (here.open_session("a").await?, there.open_session("a").await?);
    // Nobody looks again by itself while this test runs.
    let never = Duration::from_hours(1);
    let mut watch = session.watch().every(never, never);
    let mut next = Box::pin(watch.next());
    tokio::select! {
        _ = &mut next => return Err("nothing was added".into()),
        // By then it waits; if it does not, it looks once more, and the test proves less.
        () = tokio::time::sleep(Duration::from_millis(300)) => {}
    }
    let appending = async {
        loop {
            if let Err(error) = other.append([1]).await {
                break error;
            }
        }
    };
    let info = tokio::select! {
        info = &mut next => info?,
        error = appending => return Err(error.into()),
    };
    assert!(info.position.number() > 6, "{}", info.position);
    Ok(())
}

#[tokio::test]
async fn what_follows_a_torn_tail_is_readable() -> Outcome {
    let folder = tempfile::tempdir()?;
    written(&folder).await?;
    let torn = br#"{"seq":6,"at":1,"type":"message","data":"half"#;
    OpenOptions::new().append(true).open(journal(&folder))?.write_all(torn)?;
    let before = fs::read(journal(&folder))?;

    let store = Store::open(place(&folder)).await?;
    let session = store.open_session("a").await?;
    let receipt = session.receipt().ok_or("a torn tail is told of")?;
    assert_eq!((receipt.entries, receipt.position.number()), (6, 6));
    assert_eq!(numbers(&session).await?, [0, 1, 2, 3, 4]);
    assert!(!store.verify("a").await?.sound);
    assert_eq!(fs::read(journal(&folder))?, before, "reading changes no byte");

    session.append_with(Append::at(receipt.position), [5]).await?;
    let receipt = session.receipt().ok_or("and of what became of it")?;
    let aside = receipt.set_aside.first().ok_or("it is named")?;
    let expected = u64::try_from(torn.len())?;
    assert_eq!((aside.bytes, aside.kept_at.is_some()), (expected, true));
    store.close().await?;

    let store = Store::open(place(&folder)).await?;
    let session = store.open_session("a").await?;
    assert!(session.receipt().is_none());
    assert_eq!(numbers(&session).await?, [0, 1, 2, 3, 4, 5]);
    let found = store.verify("a").await?;
    assert!(found.sound, "{found:?}");
    assert_eq!(found.set_aside.len(), 1);
    Ok(())
}

/// Overwrites a few bytes in the line of an entry.
fn punch(path: &Path, seq: u64) -> io::Result<()> {
    let text = fs::read_to_string(path)?;
    let at = text.find(&format!("{{\"seq\":{seq},")).ok_or(io::ErrorKind::NotFound)?;
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.seek(SeekFrom::Start(u64::try_from(at).unwrap_or(0) + 10))?;
    file.write_all(b"XXXXX")
}

#[tokio::test]
async fn a_hole_is_never_silence() -> Outcome {
    let folder = tempfile::tempdir()?;
    written(&folder).await?;
    punch(&journal(&folder), 3)?;
    let store = Store::open(place(&folder)).await?;
    let session = store.open_session("a").await?;
    assert!(session.info().damaged);
    let mut reading = session.transcript::<u8>(From::start()).await?;
    assert_eq!(reading.next().await.transpose()?, Some(0));
    assert_eq!(reading.next().await.transpose()?, Some(1));
    let error = reading.next().await.transpose().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(error.damage().map(|place| place.seq.number()), Some(3));
    session.append([5]).await?;
    let last = session.transcript::<u8>(From::last(3)).await?.all().await?;
    assert_eq!(last, [3, 4, 5]);
    let listing = store.list(Filter::all(), Page::of(9)).await?;
    assert!(listing.sessions.first().is_some_and(|row| row.damaged));
    let found = store.verify("a").await?;
    assert!(!found.sound);
    assert_eq!(found.damage.first().map(|damage| damage.seq.number()), Some(3));
    Ok(())
}

#[tokio::test]
async fn one_session_of_zeros_hides_no_other() -> Outcome {
    let folder = tempfile::tempdir()?;
    written(&folder).await?;
    let store = Store::open(place(&folder)).await?;
    store.create_as("b", NewSession::new()).await?;
    store.close().await?;
    let zeros = vec![0; usize::try_from(fs::metadata(journal(&folder))?.len())?];
    OpenOptions::new().write(true).open(journal(&folder))?.write_all(&zeros)?;
    // Within one boot it is believed that nobody writes into a journal but handles of stores.
    fs::remove_dir_all(folder.path().join("spaces/default/catalog"))?;

    let store = Store::open(place(&folder)).await?;
    let listing = store.list(Filter::all(), Page::of(9)).await?;
    let rows: Vec<_> = listing.sessions.iter().map(|row| (row.id.as_str(), row.damaged)).collect();
    assert_eq!(rows, [("b", false), ("a", true)]);
    assert_eq!(store.open_session("a").await.unwrap_err().kind(), ErrorKind::Corrupt);
    assert!(store.open_session("b").await.is_ok());
    assert!(!store.verify("a").await?.sound);
    Ok(())
}

#[tokio::test]
async fn stores_that_are_opened_apart_write_one_session() -> Outcome {
    let folder = tempfile::tempdir()?;
    written(&folder).await?;
    let mut writing = tokio::task::JoinSet::new();
    for writer in 0..4_u16 {
        let place = place(&folder);
        writing.spawn(async move {
            let store = Store::open(place).await?;
            let session = store.open_session("a").await?;
            for _ in 0..20 {
                session.append([100 + writer]).await?;
            }
            store.close().await
        });
    }
    writing.join_all().await.into_iter().collect::<Result<(), Error>>()?;
    let store = Store::open(place(&folder)).await?;
    let read = numbers(&store.open_session("a").await?).await?;
    assert_eq!(read.len(), 85);
    for writer in 0..4_u16 {
        assert_eq!(read.iter().filter(|number| **number == 100 + writer).count(), 20);
    }
    assert!(store.verify("a").await?.sound);
    Ok(())
}

#[tokio::test]
async fn a_derived_state_with_a_bad_byte_is_passed_over() -> Outcome {
    let folder = tempfile::tempdir()?;
    let open = || Store::open(place(&folder)).options(Options::default().state_every(4, u64::MAX));
    let store = open().await?;
    let session = store.create_as("a", NewSession::new()).await?;
    for number in 0..60_u16 {
        let id = format!("c{number}").parse()?;
        session.append_with(Append::at_end().commit_id(id), [number]).await?;
    }
    store.close().await?;
    let mut bytes = fs::read(journal(&folder))?;
    let name = br#""type":"state""#;
    let is_state = |at: &usize| bytes.get(*at..).is_some_and(|rest| rest.starts_with(name));
    let states: Vec<usize> = (0..bytes.len()).filter(is_state).collect();
    assert!(states.len() > 10);
    for at in states.into_iter().rev() {
        let byte = bytes.get_mut(at + 30).ok_or("a state is longer")?;
        *byte ^= 1;
        fs::write(journal(&folder), &bytes)?;

        let store = open().await?;
        let session = store.open_session("a").await?;
        assert_eq!(session.info().messages, 60);
        assert_eq!(numbers(&session).await?, (0..60).collect::<Vec<_>>());
        assert!(session.receipt().is_some_and(|it| it.damage.is_empty()));
        assert!(store.verify("a").await?.sound);
        let again = Append::at_end().commit_id("c3".parse()?);
        assert!(session.append_with(again, [3]).await?.replayed);
        store.close().await?;
    }
    Ok(())
}
