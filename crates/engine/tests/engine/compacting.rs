//! Summaries that stand for messages, and the view that they give.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind, Ordinal, Payload, Seq};
use sessile_engine::{Append, From, NewSession, RawMessage, Session, Store, View, Window};
use sessile_memory::MemoryBackend;

async fn session(messages: u64) -> Result<(Store, Session), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = store.create_as("a", NewSession::new()).await?;
    for number in 1..=messages {
        session.append([number]).await?;
    }
    Ok((store, session))
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// What follows the messages up to an ordinal.
fn after(through: u64) -> From {
    Ordinal::new(through + 1).map_or(From::start(), From::ordinal)
}

/// Summary, buffer, backlog and window.
type Shown = (Vec<String>, Vec<u64>, u64, Vec<u64>);

fn shown(view: &View) -> Result<Shown, Error> {
    let numbers = |messages: &[RawMessage]| -> Result<Vec<u64>, Error> {
        messages.iter().map(RawMessage::decode).collect()
    };
    let summary = view.summary.iter().map(Payload::decode).collect::<Result<_, Error>>()?;
    Ok((summary, numbers(&view.buffer)?, view.backlog, numbers(&view.window)?))
}

#[tokio::test]
async fn a_view_is_a_buffer_a_backlog_and_a_window() -> Result<(), Error> {
    let (_, session) = session(10).await?;
    let view = session.view(Window::last(2).batch(3)).await?;
    assert_eq!(shown(&view)?, (vec![], vec![1, 2, 3], 5, vec![9, 10]));
    assert_eq!((view.through, view.position), (None, session.position()));
    let all = session.view(Window::last(99).batch(3)).await?;
    assert_eq!(shown(&all)?, (vec![], vec![], 0, (1..=10).collect()));
    assert_eq!(kind(session.view(Window::last(0)).await), Some(ErrorKind::Refused));
    assert_eq!(format!("{view:?}").matches("buffer: 3").count(), 1);
    Ok(())
}

#[tokio::test]
async fn a_summary_stands_in_the_view_and_leaves_the_transcript_whole() -> Result<(), Error> {
    let (store, session) = session(10).await?;
    session.compact(after(4), ["1 to 4", "and so on"]).await?;
    for handle in [&session, &store.open_session("a").await?] {
        let view = handle.view(Window::last(2).batch(3)).await?;
        let summary = vec!["1 to 4".to_owned(), "and so on".to_owned()];
        assert_eq!(shown(&view)?, (summary, vec![5, 6, 7], 1, vec![9, 10]));
        assert_eq!(view.through, Ordinal::new(4));
        assert_eq!(view.messages().count(), 4);
        let read: Vec<u64> = handle.transcript(From::start()).await?.all().await?;
        assert_eq!(read, (1..=10).collect::<Vec<_>>());
    }
    // It stands for more each time, and for no more than there is.
    for through in [4, 3, 0, 11, 99] {
        let refused = session.compact(after(through), ["x"]).await;
        assert_eq!(kind(refused), Some(ErrorKind::Refused), "{through}");
    }
    session.compact(after(10), ["all"]).await?;
    let view = session.view(Window::last(2).batch(3)).await?;
    assert_eq!(shown(&view)?, (vec!["all".to_owned()], vec![], 0, vec![]));
    session.append([11]).await?;
    let view = session.view(Window::last(2)).await?;
    assert_eq!(shown(&view)?, (vec!["all".to_owned()], vec![], 0, vec![11]));
    Ok(())
}

#[tokio::test]
async fn what_is_kept_is_named_by_number_by_ordinal_or_from_the_end() -> Result<(), Error> {
    let (_, session) = session(6).await?;
    session.append_events(["e"]).await?;
    let seq = |number| Seq::new(number).map_or(From::start(), From::seq);
    // Neither the header, nor an event, nor what is not there yet is a message.
    for none in [seq(0), seq(7), seq(8), From::last(0)] {
        assert_eq!(kind(session.compact(none, ["x"]).await), Some(ErrorKind::Refused));
    }
    assert_eq!(kind(session.compact::<u8>(seq(3), []).await), Some(ErrorKind::Refused));
    session.compact(seq(3), ["1, 2"]).await?;
    assert_eq!(session.view(Window::last(9)).await?.through, Ordinal::new(2));
    session.compact(From::last(2), ["1 to 4"]).await?;
    assert_eq!(session.view(Window::last(9)).await?.through, Ordinal::new(4));
    assert_eq!(kind(session.compact(From::last(9), ["x"]).await), Some(ErrorKind::Refused));
    session.close().await?;
    assert_eq!(kind(session.compact(From::last(1), ["x"]).await), Some(ErrorKind::Closed));
    Ok(())
}

#[tokio::test]
async fn a_rewind_brings_the_summary_before_back() -> Result<(), Error> {
    let (_, session) = session(4).await?;
    session.compact(after(2), ["1, 2"]).await?;
    let before = session.append([5]).await?;
    session.compact(after(4), ["1 to 4"]).await?;
    session.rewind(before.first).await?;
    let view = session.view(Window::last(9)).await?;
    assert_eq!(shown(&view)?, (vec!["1, 2".to_owned()], vec![], 0, vec![3, 4, 5]));
    session.rewind(Seq::FIRST).await?;
    session.append([6]).await?;
    let view = session.view(Window::last(9)).await?;
    assert_eq!(shown(&view)?, (vec![], vec![], 0, vec![6]));
    Ok(())
}

#[tokio::test]
async fn a_compaction_is_exact_and_safe_to_repeat_where_the_caller_says_so() -> Result<(), Error> {
    let (store, session) = session(4).await?;
    let stale = store.open_session("a").await?;
    let at = Append::at(session.position());
    session.append([5]).await?;
    // Who built a summary on an older transcript erases nothing of the newer one.
    let refused = stale.compact_with(at, From::last(1), ["x"]).await;
    assert_eq!(kind(refused), Some(ErrorKind::Conflict));
    let append = Append::at_end().commit_id("s".parse()?);
    let done = stale.compact_with(append.clone(), From::last(1), ["1 to 4"]).await?;
    session.append([6]).await?;
    let again = session.compact_with(append.clone(), From::last(1), ["1 to 4"]).await?;
    assert_eq!((again.replayed, again.position), (true, done.position));
    let other = session.compact_with(append, From::last(1), ["other"]).await;
    assert_eq!(kind(other), Some(ErrorKind::Conflict));
    Ok(())
}
