//! Copying: every entry as it stands, resumed after any failure, and never half for whole.

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sessile_core::backend::{Backend, Span};
use sessile_core::entry::shape::Header;
use sessile_core::{
    EntryType, Error, ErrorKind, Limits, Payload, Position, SessionKey, StoredCommit, header,
};
use sessile_engine::{Append, From, NewSession, Options, RawMessage, Session, Store};
use sessile_interchange::Format;
use sessile_memory::MemoryBackend;

use super::faults::{Fault, Faulty};

fn key(space: &str, id: &str) -> Result<SessionKey, Error> {
    Ok(SessionKey { space: space.parse()?, id: id.parse()? })
}

async fn commits(backend: &dyn Backend, key: &SessionKey) -> Result<Vec<StoredCommit>, Error> {
    backend.read(key, Span::ALL).await?.try_collect().await
}

/// A journal's header, and all that is the same in every copy.
async fn parted(
    backend: &dyn Backend,
    key: &SessionKey,
) -> Result<(Header, Vec<StoredCommit>), Error> {
    let mut commits = commits(backend, key).await?;
    let mut entries = commits.iter_mut().filter_map(|commit| commit.entries.first_mut());
    let first = entries.next().ok_or_else(|| header::corrupt("it has no entries"))?;
    let header = header::read(first)?;
    first.data = Payload::absent();
    for commit in &mut commits {
        assert!(commit.content_holds());
        commit.synced = Position::START;
    }
    Ok((header, commits))
}

/// Asserts that one journal holds what the other does, but for its own header.
async fn assert_twins(
    (one, one_key): (&dyn Backend, &SessionKey),
    (other, other_key): (&dyn Backend, &SessionKey),
) -> Result<(), Error> {
    let (our_header, ours) = parted(one, one_key).await?;
    let (their_header, theirs) = parted(other, other_key).await?;
    assert_eq!(ours, theirs);
    assert_ne!(our_header.salt, their_header.salt);
    assert_ne!(our_header.file, their_header.file);
    let Header { salt, file, copied_to, .. } = our_header;
    let space = one_key.space.clone();
    assert_eq!(their_header.space, other_key.space);
    assert_eq!(Header { salt, file, space, copied_to, ..their_header }, our_header);
    Ok(())
}

/// A session with entries of many kinds.
async fn session(store: &Store, id: &str) -> Result<Session, Error> {
    let new = NewSession::new().project("p").title("t").host("k", &1.5);
    let session = store.create_as(id, new).await?;
    session.append(["one", "two"]).await?;
    session.append_events([1e300]).await?;
    let append = Append::at_end().commit_id("mine".parse()?);
    session.append_with(append, ["three"]).await?;
    session.set_title("other").await?;
    Ok(session)
}

fn memory() -> (Arc<MemoryBackend>, Store) {
    let backend = Arc::new(MemoryBackend::new());
    let opened: Arc<MemoryBackend> = Arc::clone(&backend);
    (backend, Store::on(opened))
}

#[tokio::test]
async fn a_copy_is_the_session_under_its_own_header() -> Result<(), Error> {
    let ((from, source), (to, target)) = (memory(), memory());
    let original = session(&source, "a").await?;
    let elsewhere = target.space("tenant")?;
    let before = from.digest();
    let copied = source.copy("a", &elsewhere).await?;
    assert_eq!(copied.session, *original.id());
    assert_eq!((copied.position, copied.commits, copied.added), (original.position(), 5, 5));
    assert_twins((&*from, &key("default", "a")?), (&*to, &key("tenant", "a")?)).await?;
    assert_eq!(from.digest(), before, "the source is only read");
    assert!(elsewhere.verify("a").await?.sound);

    // It is a session like any other, and knows the commit ids of the source.
    let twin = elsewhere.open_session("a").await?;
    assert_eq!(twin.position(), original.position());
    let append = Append::at_end().commit_id("mine".parse()?);
    assert!(twin.append_with(append, ["three"]).await?.replayed);
    Ok(())
}

#[tokio::test]
async fn copying_again_adds_what_is_new_and_nothing_else() -> Result<(), Error> {
    let ((from, source), (to, target)) = (memory(), memory());
    let original = session(&source, "a").await?;
    source.copy("a", &target).await?;
    let before = to.digest();
    assert_eq!(source.copy("a", &target).await?.added, 0);
    assert_eq!(to.digest(), before);
    original.append(["four"]).await?;
    original.close().await?;
    let copied = source.copy("a", &target).await?;
    assert_eq!((copied.commits, copied.added), (7, 2));
    assert_twins((&*from, &key("default", "a")?), (&*to, &key("default", "a")?)).await
}

#[tokio::test]
async fn a_target_that_goes_another_way_is_a_conflict_and_stays_as_it_is() -> Result<(), Error> {
    let ((_, source), (to, target)) = (memory(), memory());
    let original = session(&source, "a").await?;
    source.copy("a", &target).await?;
    // The target has gone on, then the source too.
    target.open_session("a").await?.append(["theirs"]).await?;
    for _ in 0..2 {
        let before = to.digest();
        let error = source.copy("a", &target).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        assert_eq!(to.digest(), before);
        original.append(["ours"]).await?;
    }
    session(&target, "b").await?;
    session(&source, "b").await?;
    let error = source.copy("b", &target).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "another session of the same id");
    Ok(())
}

#[tokio::test]
async fn a_copy_onto_itself_is_refused() -> Result<(), Error> {
    let (backend, store) = memory();
    session(&store, "a").await?;
    let same: Arc<MemoryBackend> = Arc::clone(&backend);
    let before = backend.digest();
    for target in [store.clone(), Store::on(same)] {
        assert_eq!(store.copy("a", &target).await.unwrap_err().kind(), ErrorKind::Refused);
        assert_eq!(store.move_to("a", &target).await.unwrap_err().kind(), ErrorKind::Refused);
    }
    assert_eq!(backend.digest(), before);
    // Into another space of the same place it is a copy.
    assert_eq!(store.copy("a", &store.space("other")?).await?.added, 5);
    Ok(())
}

#[tokio::test]
async fn what_is_gone_is_not_copied() -> Result<(), Error> {
    let ((_, source), (to, target)) = (memory(), memory());
    let before = to.digest();
    assert_eq!(source.copy("a", &target).await.unwrap_err().kind(), ErrorKind::Missing);
    session(&source, "a").await?;
    source.delete("a").await?;
    for error in [source.copy("a", &target).await, source.move_to("a", &target).await] {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Deleted);
    }
    assert_eq!(to.digest(), before);
    // An id is never used twice, in the target neither.
    session(&source, "b").await?;
    source.copy("b", &target).await?;
    target.delete("b").await?;
    assert_eq!(source.copy("b", &target).await.unwrap_err().kind(), ErrorKind::Deleted);
    Ok(())
}

#[tokio::test]
async fn a_damaged_source_is_not_copied_at_all() -> Result<(), Error> {
    let faulty = Faulty::new();
    let source = faulty.store();
    let (to, target) = memory();
    session(&source, "a").await?;
    let before = to.digest();
    faulty.damage(3, 5);
    for error in [source.copy("a", &target).await, source.move_to("a", &target).await] {
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.to_string().contains("entry 3"), "{error}");
    }
    assert_eq!(to.digest(), before);
    Ok(())
}

#[tokio::test]
async fn limits_of_the_target_are_told_before_anything_is_written() -> Result<(), Error> {
    let (_, source) = memory();
    let to = MemoryBackend::new();
    let mut limits = Limits::default();
    limits.entry_bytes = 1_000;
    let options = Options::default().limits(limits);
    let target = Store::with(Arc::new(to.clone()), options);
    let original = session(&source, "a").await?;
    original.append(["x".repeat(2_000)]).await?;
    let before = to.digest();
    let error = source.copy("a", &target).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("entry_bytes"), "{error}");
    assert_eq!(to.digest(), before);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_copy_that_was_cut_short_anywhere_is_completed() -> Result<(), Error> {
    let (from, source) = memory();
    session(&source, "a").await?;
    let faults = [Fault::Forbidden, Fault::CallLost, Fault::AnswerLost, Fault::Unavailable];
    for fault in faults {
        for before in 0..5 {
            let to = Faulty::new();
            let target = to.store();
            to.script(std::iter::repeat_n(Fault::None, before).chain([fault]));
            match source.copy("a", &target).await {
                Ok(copied) => assert_eq!(copied.added, 5),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Permission);
                    let copied = source.copy("a", &target).await?;
                    assert_eq!(copied.added, 5 - u64::try_from(before).unwrap());
                }
            }
            let place = key("default", "a")?;
            assert_twins((&*from, &place), (&to.memory(), &place)).await?;
        }
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn what_is_there_already_is_made_durable_before_it_is_told() -> Result<(), Error> {
    let (_, source) = memory();
    session(&source, "a").await?;
    let faulty = Faulty::new();
    let target = faulty.store();
    source.copy("a", &target).await?;
    let sent = faulty.appends();
    source.copy("a", &target).await?;
    assert_eq!(faulty.appends(), sent + 1, "its last commit was sent once more");
    faulty.reachable(false);
    let error = source.copy("a", &target).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    Ok(())
}

#[tokio::test]
async fn a_move_leaves_a_tombstone_and_takes_along_what_comes_meanwhile() -> Result<(), Error> {
    let faulty = Faulty::new();
    let source = faulty.store();
    let (to, target) = memory();
    let original = session(&source, "a").await?;
    // The first tombstone is sent to where the journal does not end any more.
    faulty.script([Fault::Conflict]);
    let copied = source.move_to("a", &target).await?;
    assert_eq!(copied.position, original.position());
    assert_eq!(source.open_session("a").await.unwrap_err().kind(), ErrorKind::Deleted);
    assert_eq!(original.append(["late"]).await.unwrap_err().kind(), ErrorKind::Deleted);
    let moved = target.open_session("a").await?;
    assert_eq!(moved.transcript::<String>(From::start()).await?.all().await?.len(), 3);
    let here = commits(&*to, &key("default", "a")?).await?;
    assert!(!here.iter().any(|commit| commit.has(&EntryType::Delete)));
    Ok(())
}

#[tokio::test]
async fn a_move_that_fails_leaves_the_source() -> Result<(), Error> {
    let (from, source) = memory();
    let original = session(&source, "a").await?;
    let before = from.digest();
    let faulty = Faulty::new();
    faulty.script([Fault::None, Fault::Forbidden]);
    let error = source.move_to("a", &faulty.store()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permission);
    assert_eq!(from.digest(), before);
    original.append(["goes on"]).await?;
    Ok(())
}

#[tokio::test]
async fn long_sessions_are_sent_in_batches() -> Result<(), Error> {
    let ((from, source), (to, target)) = (memory(), memory());
    let original = session(&source, "a").await?;
    for number in 0..600 {
        original.append([number]).await?;
    }
    assert_eq!(source.copy("a", &target).await?.added, 605);
    let place = key("default", "a")?;
    assert_twins((&*from, &place), (&*to, &place)).await
}

#[tokio::test]
async fn what_was_redacted_stays_so_in_a_copy() -> Result<(), Error> {
    let ((_, source), (_, target)) = (memory(), memory());
    let original = session(&source, "a").await?;
    let secret = original.append(["secret"]).await?;
    original.redact([secret.first], None).await?;
    original.append(["after"]).await?;
    assert_eq!(source.copy("a", &target).await?.added, 8);
    assert!(target.verify("a").await?.sound);
    let file = target.export("a", Format::Jsonl).await?.all().await?;
    assert!(!String::from_utf8_lossy(&file).contains("secret"));
    // What is redacted after it was copied is another content; the copy is not reached.
    original.redact([original.append(["late"]).await?.first], None).await?;
    source.copy("a", &target).await?;
    let first = original.transcript::<RawMessage>(From::start()).await?.all().await?[0].seq;
    original.redact([first], None).await?;
    assert_eq!(source.copy("a", &target).await.unwrap_err().kind(), ErrorKind::Conflict);
    Ok(())
}
