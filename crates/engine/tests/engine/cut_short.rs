//! Forks that a crash cuts short: no damage, no session, and completed by the same call.

use std::iter::repeat_n;
use std::sync::Arc;

use futures_util::future::join_all;
use sessile_core::backend::{Backend as _, Span};
use sessile_core::{EntryType, Error, ErrorKind, Seq, SessionKey, Space};
use sessile_engine::{Append, Filter, From, NewSession, Page, Session, Store, Summary};
use sessile_interchange::{ExportFormat, Format};
use sessile_memory::MemoryBackend;

use super::faults::{Fault, Faulty};

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap_or(Seq::FIRST)
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// Of which the fork at 5 has three commits; what is redacted and forgotten of them is said by
/// entries behind the cut.
async fn source(store: &Store) -> Result<Session, Error> {
    let session = store.create_as("a", NewSession::new().title("t")).await?;
    session.append_with(Append::at_end().commit_id("c".parse()?), [1, 2, 3]).await?;
    session.append([4]).await?;
    session.append([5]).await?;
    session.redact([seq(4)], None).await?;
    session.forget(seq(3)).await?;
    Ok(session)
}

/// A fork of it of which so many commits got through, and then no more.
async fn cut_short(commits: usize) -> Result<(Arc<Faulty>, Store, Session), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = source(&store).await?;
    faulty.script(repeat_n(Fault::None, commits).chain([Fault::Forbidden]));
    assert_eq!(kind(session.fork_as("b", Some(seq(5))).await), Some(ErrorKind::Permission));
    faulty.script_ends();
    Ok((faulty, store, session))
}

/// Everything that two forks made alike have in common.
async fn content(fork: &Session) -> Result<Vec<(u64, EntryType, String)>, Error> {
    let entries = fork.entries(From::start()).await?.all().await?;
    let entries = entries.into_iter().map(|entry| {
        let own = entry.entry_type == EntryType::Session;
        let data = if own { String::new() } else { entry.data.as_str().to_owned() };
        (entry.seq.number(), entry.entry_type, data)
    });
    Ok(entries.collect())
}

async fn row(store: &Store, filter: Filter) -> Result<Option<Summary>, Error> {
    let listing = store.list(filter, Page::of(9)).await?;
    Ok(listing.sessions.into_iter().find(|row| row.id.as_str() == "b"))
}

#[tokio::test]
async fn wherever_it_is_cut_it_is_told_for_what_it_is_and_completed() -> Result<(), Error> {
    let (_, whole, session) = cut_short(0).await?;
    let uninterrupted = session.fork_as("b", Some(seq(5))).await?;
    assert_eq!(row(&whole, Filter::all()).await?.map(|row| row.incomplete), Some(false));
    let uninterrupted = content(&uninterrupted).await?;
    assert_eq!(uninterrupted.len(), 9);
    for commits in 1..=3 {
        let (faulty, store, session) = cut_short(commits).await?;
        let appends = faulty.appends();
        let error = store.open_session("b").await.map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Incomplete);
        let told = "session b: it is a copy of session a up to entry 5 that was cut short";
        assert_eq!(error.to_string(), told);
        assert!(error.hint().is_some_and(|hint| hint.contains("or delete it")));
        // Nobody gets to append to it, or takes it elsewhere for a session.
        let opened = store.open_or_create("b", NewSession::new()).await;
        assert_eq!(kind(opened), Some(ErrorKind::Incomplete));
        let exported = store.export("b", ExportFormat::File(Format::Jsonl)).await;
        assert_eq!(kind(exported), Some(ErrorKind::Incomplete));
        let elsewhere = Store::on(Arc::new(MemoryBackend::new()));
        assert_eq!(kind(store.copy("b", &elsewhere).await), Some(ErrorKind::Incomplete));
        assert_eq!(kind(store.move_to("b", &elsewhere).await), Some(ErrorKind::Incomplete));
        assert_eq!(kind(elsewhere.open_session("b").await), Some(ErrorKind::Missing));
        let listed = row(&store, Filter::all()).await?.unwrap();
        assert!(listed.incomplete && !listed.damaged && listed.problem.is_none());
        assert_eq!(row(&store, Filter::all().damaged()).await?, None);
        let verified = store.verify("b").await?;
        assert!(verified.incomplete && !verified.sound);
        assert_eq!(verified.damage, [], "{commits}");
        assert_eq!(faulty.appends(), appends, "nobody has written anything");

        let fork = session.fork_as("b", Some(seq(5))).await?;
        assert_eq!(content(&fork).await?, uninterrupted, "{commits}");
        let verified = store.verify("b").await?;
        assert!(verified.sound && !verified.incomplete);
        assert!(!row(&store, Filter::all()).await?.unwrap().incomplete);
        let append = Append::at_end().commit_id("c".parse()?);
        assert!(fork.append_with(append, [1, 2, 3]).await?.replayed);
        fork.append([6]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn deleting_it_drops_it() -> Result<(), Error> {
    let (_, store, session) = cut_short(2).await?;
    store.delete("b").await?;
    assert_eq!(row(&store, Filter::all()).await?, None);
    assert_eq!(kind(store.open_session("b").await), Some(ErrorKind::Deleted));
    assert_eq!(kind(session.fork_as("b", Some(seq(5))).await), Some(ErrorKind::Deleted));
    // What comes back is what was deleted.
    assert_eq!(kind(store.undelete("b").await), Some(ErrorKind::Incomplete));
    store.delete("b").await?;
    store.purge("b").await?;
    assert_eq!(kind(store.open_session("b").await), Some(ErrorKind::Deleted));
    Ok(())
}

#[tokio::test]
async fn another_fork_or_session_does_not_complete_it() -> Result<(), Error> {
    let (_, store, session) = cut_short(2).await?;
    assert_eq!(kind(session.fork_as("b", Some(seq(6))).await), Some(ErrorKind::Exists));
    let other = store.create_as("c", NewSession::new()).await?;
    assert_eq!(kind(other.fork_as("b", None).await), Some(ErrorKind::Exists));
    assert_eq!(kind(store.create_as("b", NewSession::new()).await), Some(ErrorKind::Exists));
    Ok(())
}

#[tokio::test]
async fn what_is_removed_before_it_is_completed_is_removed_in_it() -> Result<(), Error> {
    let (faulty, store, session) = cut_short(3).await?;
    session.redact([seq(5)], None).await?;
    session.forget(seq(4)).await?;
    let fork = session.fork_as("b", Some(seq(5))).await?;
    let removed = r#"{"redacted":true}"#;
    let texts: Vec<_> = content(&fork).await?.into_iter().map(|entry| entry.2).collect();
    assert_eq!(texts[2..6], [removed; 4]);
    assert_eq!(fork.info().forgotten, Some(seq(4)));
    assert!(store.verify("b").await?.sound);
    let key = SessionKey { space: Space::default(), id: fork.id().clone() };
    let mut commits = faulty.memory().read(&key, Span::From(seq(5))).await?;
    let commit = futures_util::StreamExt::next(&mut commits).await.unwrap()?;
    assert!(!commit.content_holds() && commit.entries[0].data.as_str() == removed);
    Ok(())
}

#[tokio::test]
async fn what_a_crash_left_of_a_write_is_set_aside_before_it_is_completed() -> Result<(), Error> {
    // All of it was copied but the entry that says so.
    let (faulty, store, session) = cut_short(3).await?;
    faulty.tear(17);
    let fork = session.fork_as("b", Some(seq(5))).await?;
    let own = content(&fork).await?;
    let types: Vec<&str> = own[6..].iter().map(|entry| entry.1.as_str()).collect();
    assert_eq!(types, ["repaired", "forked", "redacted", "forgotten"]);
    assert!(store.verify("b").await?.sound);
    fork.append([6]).await?;
    // The numbers of what is missing were used up.
    let (faulty, store, session) = cut_short(2).await?;
    faulty.tear(17);
    let error = session.fork_as("b", Some(seq(5))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Incomplete);
    assert!(error.hint().is_some_and(|hint| hint.contains("under another id")));
    assert_eq!(kind(store.open_session("b").await), Some(ErrorKind::Incomplete));
    store.delete("b").await?;
    session.fork_as("b2", Some(seq(5))).await?;
    Ok(())
}

#[tokio::test]
async fn those_who_make_the_same_fork_at_once_make_one() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = source(&store).await?;
    let forks = join_all((0..4).map(|_| session.fork_as("b", Some(seq(5))))).await;
    let forks = forks.into_iter().collect::<Result<Vec<_>, _>>()?;
    for fork in &forks {
        assert_eq!(content(fork).await?, content(&forks[0]).await?);
    }
    assert!(store.verify("b").await?.sound);
    Ok(())
}
