//! What does not fit together: what is told of it, and what it costs to look.

use std::sync::Arc;

use serde_json::{Value, json};
use sessile_core::entry::shape::Dialect;
use sessile_core::lens::Findings;
use sessile_core::{Error, ErrorKind, Seq};
use sessile_engine::{Misfits, NewSession, Options, Reach, Session, Store};

use super::faults::Faulty;

/// A session whose messages stand at 1, 2, 3...: derived states would take numbers of their own.
async fn session(dialect: Dialect) -> Result<(Arc<Faulty>, Store, Session), Error> {
    let faulty = Faulty::new();
    let store = faulty.store_with(Options::default().state_every(u64::MAX, u64::MAX));
    let session = store.create_as("a", NewSession::new().dialect(dialect)).await?;
    Ok((faulty, store, session))
}

fn call(id: &str) -> Value {
    json!({"role": "assistant", "tool_calls": [{"id": id, "function": {"name": "f"}}]})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "x"})
}

fn linked(id: &str, parent: &str) -> Value {
    json!({"role": "user", "id": id, "parent": parent})
}

/// About so many bytes of text.
fn long(bytes: usize) -> Value {
    json!({"role": "user", "content": "x".repeat(bytes)})
}

fn places(findings: &Findings) -> Vec<u64> {
    findings.first.iter().map(|finding| finding.seq.number()).collect()
}

/// Where open calls, orphan results, second results and unknown parents are.
fn all_places(misfits: &Misfits) -> [Vec<u64>; 4] {
    let Misfits { open_calls, orphan_results, second_results, unknown_parents, .. } = misfits;
    [open_calls, orphan_results, second_results, unknown_parents].map(places)
}

async fn append(session: &Session, messages: &[Value]) -> Result<(), Error> {
    for message in messages {
        session.append([message]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn each_kind_is_told_with_its_place_and_nothing_was_refused() -> Result<(), Error> {
    let (_, _, session) = session(Dialect::Openai).await?;
    let messages =
        [call("a"), result("a"), result("a"), result("b"), call("c"), call("d"), result("d")];
    append(&session, &messages).await?;
    for reach in [Reach::End, Reach::Whole] {
        let misfits = session.misfits(reach).await?;
        assert_eq!(all_places(&misfits), [vec![5], vec![4], vec![3], vec![]]);
        assert_eq!(misfits.open_calls.first[0].id.as_deref(), Some("c"));
        assert_eq!((misfits.from, misfits.whole), (Seq::FIRST, true));
    }
    Ok(())
}

#[tokio::test]
async fn a_parent_may_be_an_event_and_what_a_rewind_hides_is_none() -> Result<(), Error> {
    let (_, _, session) = session(Dialect::Plain).await?;
    append(&session, &[linked("1", "0"), linked("2", "1")]).await?;
    session.append_events([linked("3", "2")]).await?;
    append(&session, &[linked("4", "3"), linked("5", "5"), linked("6", "4")]).await?;
    assert_eq!(places(&session.misfits(Reach::End).await?.unknown_parents), [1, 5]);
    // Then 5 and 6 are hidden, and 8 follows a hidden one.
    session.rewind(Seq::new(4).unwrap()).await?;
    append(&session, &[linked("7", "6"), linked("8", "4")]).await?;
    let misfits = session.misfits(Reach::End).await?;
    assert_eq!(places(&misfits.unknown_parents), [1, 8]);
    assert_eq!(misfits.unknown_parents.first[1].id.as_deref(), Some("6"));
    Ok(())
}

#[tokio::test]
async fn of_a_long_session_only_the_end_is_read_and_only_what_shows_there_is_told()
-> Result<(), Error> {
    let (faulty, store, session) = session(Dialect::Openai).await?;
    append(&session, &[call("early"), call("late"), call("never")]).await?;
    for _ in 0..40 {
        session.append([long(100_000)]).await?;
    }
    append(&session, &[result("late"), result("nowhere"), call("open")]).await?;
    append(&session, &[call("done"), result("done"), result("done")]).await?;

    let session = store.open_session("a").await?;
    let before = faulty.bytes_read();
    let end = session.misfits(Reach::End).await?;
    let read = u64::try_from(faulty.bytes_read() - before).unwrap();
    assert!(read <= Reach::END_BYTES, "{read} bytes");
    assert!(read > Reach::END_BYTES / 2, "{read} bytes: it looks at what it may");
    assert_eq!(all_places(&end), [vec![46], vec![], vec![49], vec![]]);
    assert!(!end.whole);
    assert!((30..44).contains(&end.from.number()), "{end:?}");

    let whole = session.misfits(Reach::Whole).await?;
    assert_eq!(all_places(&whole), [vec![1, 3, 46], vec![45], vec![49], vec![]]);
    assert_eq!((whole.from, whole.whole), (Seq::FIRST, true));
    Ok(())
}

#[tokio::test]
async fn what_it_costs_with_opening_does_not_grow_with_the_session() -> Result<(), Error> {
    for messages in [60, 240] {
        let faulty = Faulty::new();
        let store = faulty.store();
        let session = store.create_as("a", NewSession::new()).await?;
        for _ in 0..messages {
            session.append([long(100_000)]).await?;
        }
        let before = faulty.bytes_read();
        let misfits = store.open_session("a").await?.misfits(Reach::End).await?;
        let read = u64::try_from(faulty.bytes_read() - before).unwrap();
        assert!(!misfits.whole);
        // Opening reads back to the last derived state.
        assert!(read < 4 * Reach::END_BYTES, "{read} bytes of {messages} messages");
    }
    Ok(())
}

#[tokio::test]
async fn a_commit_that_is_longer_than_the_end_is_read_alone() -> Result<(), Error> {
    let (_, _, session) = session(Dialect::Openai).await?;
    append(&session, &[call("a")]).await?;
    session.append([long(700_000), long(700_000), result("a")]).await?;
    let misfits = session.misfits(Reach::End).await?;
    assert_eq!((misfits.from.number(), misfits.whole), (2, false));
    assert_eq!(all_places(&misfits), [const { Vec::<u64>::new() }; 4]);
    Ok(())
}

#[tokio::test]
async fn what_stands_behind_damage_is_examined_by_itself() -> Result<(), Error> {
    let (faulty, store, session) = session(Dialect::Openai).await?;
    append(&session, &[call("a"), call("b"), result("b"), result("a"), call("c")]).await?;
    faulty.damage(2, 4);
    let session = store.open_session("a").await?;
    for reach in [Reach::End, Reach::Whole] {
        let misfits = session.misfits(reach).await?;
        assert_eq!(all_places(&misfits), [vec![5], vec![], vec![], vec![]]);
        assert_eq!((misfits.from.number(), misfits.whole), (4, false));
    }
    // Nothing stands behind it.
    faulty.damage(5, 6);
    for reach in [Reach::End, Reach::Whole] {
        let misfits = session.misfits(reach).await?;
        assert_eq!(all_places(&misfits), [const { Vec::<u64>::new() }; 4]);
        assert_eq!((misfits.from.number(), misfits.whole), (6, false));
    }
    Ok(())
}

#[tokio::test]
async fn what_was_forgotten_is_not_missed() -> Result<(), Error> {
    let (_, _, session) = session(Dialect::Openai).await?;
    append(&session, &[call("a"), call("b"), result("a"), call("c")]).await?;
    session.forget(Seq::new(3).unwrap()).await?;
    for reach in [Reach::End, Reach::Whole] {
        let misfits = session.misfits(reach).await?;
        assert_eq!(all_places(&misfits), [vec![4], vec![3], vec![], vec![]]);
        assert_eq!((misfits.from.number(), misfits.whole), (3, true));
    }
    Ok(())
}

#[tokio::test]
async fn a_place_that_does_not_answer_is_no_transcript_without_misfits() -> Result<(), Error> {
    let (faulty, _, session) = session(Dialect::Openai).await?;
    append(&session, &[call("a")]).await?;
    faulty.reachable(false);
    let error = session.misfits(Reach::End).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    Ok(())
}
