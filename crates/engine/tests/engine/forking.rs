//! Copies that depend on nothing, also where they are cut short.

use std::sync::Arc;

use sessile_core::entry::shape::ForkedFrom;
use sessile_core::fold::Lifecycle;
use sessile_core::{EntryType, Error, ErrorKind, Ordinal, Seq};
use sessile_engine::{Append, From, NewSession, RawMessage, Session, Store};
use sessile_memory::MemoryBackend;

use super::faults::{Fault, Faulty};

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap_or(Seq::FIRST)
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// Seqs: 0 header, 1 meta, 2 to 4 a commit of three messages, 5 and 6 more messages.
async fn filled(store: &Store) -> Result<Session, Error> {
    let new = NewSession::new().title("t").project("p").host("k", &1);
    let session = store.create_as("a", new).await?;
    session.append_with(Append::at_end().commit_id("c".parse()?), [1, 2, 3]).await?;
    session.append([4]).await?;
    session.append([5]).await?;
    Ok(session)
}

async fn read(session: &Session) -> Result<Vec<(u64, u64, u64)>, Error> {
    let messages = session.transcript::<RawMessage>(From::start()).await?.all().await?;
    let row = |message: &RawMessage| {
        let ordinal = message.ordinal.map_or(0, Ordinal::number);
        Ok((message.seq.number(), ordinal, message.decode()?))
    };
    messages.iter().map(row).collect()
}

#[tokio::test]
async fn a_fork_has_what_stood_there_and_goes_its_own_way() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = filled(&store).await?;
    // In the middle of a commit: that is taken whole.
    let fork = session.fork_as("b", Some(seq(3))).await?;
    assert_eq!(read(&fork).await?, [(2, 1, 1), (3, 2, 2), (4, 3, 3)]);
    let info = fork.info();
    let from = ForkedFrom { session: session.id().clone(), seq: seq(4), copied: true };
    assert_eq!(info.header.forked_from, Some(from));
    assert_eq!((info.title().as_deref(), info.header.host.len()), (Some("t"), 1));
    assert_eq!(info.header.project, session.info().header.project);
    assert_ne!(info.header.file, session.info().header.file);
    let entries = fork.entries(From::seq(seq(5))).await?.all().await?;
    assert_eq!(entries[0].entry_type, EntryType::Forked);

    let append = Append::at_end().commit_id("c".parse()?);
    assert!(fork.append_with(append, [1, 2, 3]).await?.replayed);
    fork.append([40]).await?;
    session.delete().await?;
    store.purge("a").await?;
    let fork = store.open_session("b").await?;
    assert_eq!(read(&fork).await?, [(2, 1, 1), (3, 2, 2), (4, 3, 3), (6, 4, 40)]);
    assert!(store.verify("b").await?.sound);
    Ok(())
}

#[tokio::test]
async fn a_fork_at_the_end_of_a_closed_session_is_open() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = filled(&store).await?;
    session.delete().await?;
    session.undelete().await?;
    session.rewind(seq(5)).await?;
    session.close().await?;
    let fork = session.fork(None).await?;
    assert_eq!(fork.info().lifecycle, Lifecycle::Active);
    fork.append([6]).await?;
    let numbers: Vec<u64> = read(&fork).await?.iter().map(|row| row.2).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 6]);
    assert!(store.verify(fork.id()).await?.sound);
    assert_eq!(kind(session.fork(Some(seq(99))).await), Some(ErrorKind::Refused));
    session.delete().await?;
    assert_eq!(kind(session.fork(None).await), Some(ErrorKind::Deleted));
    Ok(())
}

#[tokio::test]
async fn a_fork_under_an_id_is_safe_to_repeat() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = filled(&store).await?;
    let fork = session.fork_as("b", Some(seq(5))).await?;
    fork.append([6]).await?;
    let again = session.fork_as("b", Some(seq(5))).await?;
    assert_eq!(again.position(), fork.position());
    assert_eq!(kind(session.fork_as("b", Some(seq(6))).await), Some(ErrorKind::Exists));
    assert_eq!(kind(session.fork_as("a", Some(seq(5))).await), Some(ErrorKind::Exists));
    assert_eq!(kind(session.fork_as("../b", None).await), Some(ErrorKind::InvalidId));
    fork.delete().await?;
    assert_eq!(kind(session.fork_as("b", Some(seq(5))).await), Some(ErrorKind::Deleted));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_fork_that_was_cut_short_is_completed() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = filled(&store).await?;
    for commits in 0..4 {
        let id = format!("b{commits}");
        // So many commits of the copy get through.
        let through = std::iter::repeat_n(Fault::None, commits);
        faulty.script(through.chain([Fault::Forbidden]));
        let cut_short = session.fork_as(id.as_str(), Some(seq(6))).await;
        assert_eq!(kind(cut_short), Some(ErrorKind::Permission), "{commits}");
        faulty.script_ends();
        let fork = session.fork_as(id.as_str(), Some(seq(6))).await?;
        assert_eq!(read(&fork).await?, read(&session).await?, "{commits}");
        assert!(store.verify(id.as_str()).await?.sound);
    }
    // A lost answer is found out.
    faulty.script([Fault::AnswerLost]);
    let fork = session.fork(None).await?;
    assert_eq!(read(&fork).await?.len(), 5);
    Ok(())
}

#[tokio::test]
async fn what_was_redacted_stays_so_and_is_told() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = filled(&store).await?;
    session.redact([seq(3)], None).await?;
    let fork = session.fork_as("b", Some(seq(5))).await?;
    let texts = fork.transcript::<RawMessage>(From::start()).await?.all().await?;
    assert_eq!(texts[1].data.as_str(), r#"{"redacted":true}"#);
    assert!(store.verify("b").await?.sound);
    let append = Append::at_end().commit_id("c".parse()?);
    assert!(fork.append_with(append, [1, 2, 3]).await?.replayed);
    session.forget(seq(5)).await?;
    assert_eq!(kind(session.fork(Some(seq(4))).await), Some(ErrorKind::Forgotten));
    let fork = session.fork_as("c", Some(seq(5))).await?;
    assert_eq!(fork.info().forgotten, Some(seq(5)));
    assert!(store.verify("c").await?.sound);
    Ok(())
}

#[tokio::test]
async fn a_fork_from_before_damage_does_not_meet_it() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = filled(&store).await?;
    session.append([6]).await?;
    faulty.damage_in("a", &[(6, 7)]);
    let fork = session.fork(Some(seq(5))).await?;
    assert_eq!((fork.receipt(), fork.info().lost), (None, vec![]));
    // The copy's own entry of that number is whole.
    assert_eq!(read(&store.open_session(fork.id()).await?).await?.len(), 4);
    Ok(())
}
