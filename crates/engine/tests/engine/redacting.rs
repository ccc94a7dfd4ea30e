//! Removing what entries hold, one by one or all before one, also where it is cut short.

use std::sync::Arc;

use sessile_core::backend::Backend as _;
use sessile_core::{
    EntryType, Error, ErrorKind, Ordinal, Outcome, Payload, Seq, SessionKey, Space,
};
use sessile_engine::{
    Append, Committed, From, NewSession, RawMessage, Removal, Session, Store, Verification, Window,
};

use super::faults::Faulty;

async fn session() -> Result<(Arc<Faulty>, Store, Session), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new().title("t")).await?;
    // Seqs 2, 3, 4.
    session.append_with(Append::at_end().commit_id("c".parse()?), ["one", "secret"]).await?;
    session.append_events(["secret event"]).await?;
    session.append(["three"]).await?;
    Ok((faulty, store, session))
}

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap_or(Seq::FIRST)
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// Everything that a backend serves of the session.
async fn served(faulty: &Faulty) -> Result<String, Error> {
    let key = SessionKey { space: Space::default(), id: "a".parse()? };
    let commits = faulty.memory().read(&key, sessile_core::backend::Span::ALL).await?;
    let commits: Vec<_> = futures_util::StreamExt::collect(commits).await;
    let mut texts = String::new();
    for commit in commits {
        commit?.entries.iter().for_each(|entry| texts.push_str(entry.data.as_str()));
    }
    Ok(texts)
}

fn unfinished(found: &Verification) -> Vec<(u64, Removal)> {
    found.unfinished.iter().map(|it| (it.seq.number(), it.what)).collect()
}

async fn redactions(session: &Session) -> Result<usize, Error> {
    let entries = session.entries(From::start()).await?.all().await?;
    Ok(entries.iter().filter(|entry| entry.entry_type == EntryType::Redacted).count())
}

#[tokio::test]
async fn what_is_redacted_is_gone_and_keeps_its_place() -> Result<(), Error> {
    let (faulty, store, session) = session().await?;
    session.redact([seq(4), seq(3)], Some("asked for")).await?;
    assert!(!served(&faulty).await?.contains("secret"));
    for handle in [&session, &store.open_session("a").await?] {
        let messages = handle.transcript::<RawMessage>(From::start()).await?.all().await?;
        let row = |message: &RawMessage| (message.seq.number(), message.ordinal);
        let rows: Vec<_> = messages.iter().map(row).collect();
        let ordinal = Ordinal::new;
        assert_eq!(rows, [(2, ordinal(1)), (3, ordinal(2)), (5, ordinal(3))]);
        assert_eq!(messages[1].data.as_str(), r#"{"redacted":true}"#);
        // The commit is recognised by what it was.
        let append = Append::at_end().commit_id("c".parse()?);
        assert!(handle.append_with(append, ["one", "secret"]).await?.replayed);
    }
    assert!(store.verify("a").await?.sound);
    session.close().await?;
    session.redact([seq(3)], None).await?;
    session.delete().await?;
    assert_eq!(kind(session.redact([seq(3)], None).await), Some(ErrorKind::Deleted));
    Ok(())
}

#[tokio::test]
async fn only_what_is_there_and_orders_nothing_is_redacted() -> Result<(), Error> {
    let (_, _, session) = session().await?;
    session.close().await?;
    let meta = session.redact([seq(1)], None).await.unwrap_err();
    assert_eq!(meta.hint(), Some("set its keys again, and vacuum"));
    let position = session.position();
    for seqs in [vec![], vec![seq(0)], vec![seq(1)], vec![seq(6)], vec![seq(3), seq(99)]] {
        assert_eq!(kind(session.redact(seqs, None).await), Some(ErrorKind::Refused));
    }
    assert_eq!(session.refresh().await?.position, position);
    Ok(())
}

#[tokio::test]
async fn a_redaction_that_was_cut_short_is_completed_by_repeating_it() -> Result<(), Error> {
    let (faulty, store, session) = session().await?;
    faulty.masks(false);
    let error = session.redact([seq(3)], None).await.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Permission, Outcome::Unknown));
    assert!(served(&faulty).await?.contains("secret"));
    let found = store.verify("a").await?;
    assert!(found.sound, "nothing is lost by it");
    assert_eq!(unfinished(&found), [(3, Removal::Redacted)]);
    faulty.masks(true);
    store.open_session("a").await?.redact([seq(3)], None).await?;
    assert!(!served(&faulty).await?.contains("\"secret\""));
    assert_eq!(redactions(&session).await?, 1);
    let found = store.verify("a").await?;
    assert!(found.sound && found.unfinished.is_empty());
    Ok(())
}

#[tokio::test]
async fn what_is_forgotten_is_answered_as_such() -> Result<(), Error> {
    let (faulty, store, session) = session().await?;
    for refused in [seq(0), seq(1), seq(99)] {
        assert_eq!(kind(session.forget(refused).await), Some(ErrorKind::Refused));
    }
    session.forget(seq(5)).await?.unwrap();
    session.append(["four"]).await?;
    assert!(!served(&faulty).await?.contains("secret"));
    assert_eq!(session.forget(seq(4)).await?, None);
    for handle in [&session, &store.open_session("a").await?] {
        let info = handle.info();
        assert_eq!((info.messages, info.forgotten), (4, Some(seq(5))));
        assert_eq!(info.title().as_deref(), Some("t"));
        let texts = async |from| handle.transcript::<String>(from).await?.all().await;
        let ordinal = |number| Ordinal::new(number).map_or(From::start(), From::ordinal);
        assert_eq!(texts(From::seq(seq(5))).await?, ["three", "four"]);
        assert_eq!(texts(From::last(2)).await?, ["three", "four"]);
        assert_eq!(texts(ordinal(3)).await?, ["three", "four"]);
        for from in [From::start(), From::last(3), From::last(99), From::seq(seq(2)), ordinal(2)] {
            assert_eq!(kind(texts(from).await), Some(ErrorKind::Forgotten), "{from:?}");
        }
        let events = handle.events(From::start()).await?.all().await;
        assert_eq!(kind(events), Some(ErrorKind::Forgotten));
        assert!(handle.entries(From::start()).await?.all().await.is_ok());
        let view = handle.view(Window::last(99)).await?;
        assert_eq!(view.window.len(), 2);
        let append = Append::at_end().commit_id("c".parse()?);
        assert!(handle.append_with(append, ["one", "secret"]).await?.replayed);
    }
    assert!(store.verify("a").await?.sound);
    session.forget(session.position().seq().unwrap()).await?;
    assert!(session.view(Window::last(99)).await?.window.is_empty());
    Ok(())
}

#[tokio::test]
async fn forgetting_that_was_cut_short_is_completed_by_repeating_it() -> Result<(), Error> {
    let (faulty, store, session) = session().await?;
    faulty.masks(false);
    assert_eq!(kind(session.forget(seq(5)).await), Some(ErrorKind::Permission));
    faulty.masks(true);
    assert!(served(&faulty).await?.contains("secret"));
    let found = store.verify("a").await?;
    assert!(found.sound);
    let three = [2, 3, 4].map(|number| (number, Removal::Forgotten));
    assert_eq!(unfinished(&found), three);
    assert_eq!(store.open_session("a").await?.forget(seq(5)).await?, None);
    assert!(!served(&faulty).await?.contains("secret"));
    assert!(store.verify("a").await?.sound);
    Ok(())
}

#[tokio::test]
async fn what_others_append_meanwhile_is_no_reason_to_give_up() -> Result<(), Error> {
    let (faulty, store, session) = session().await?;
    let other = store.open_session("a").await?;
    for round in 0..5 {
        other.append([round]).await?;
        session.redact([seq(3)], None).await?;
    }
    assert_eq!(redactions(&session).await?, 1);
    assert!(!served(&faulty).await?.contains("\"secret\""));
    Ok(())
}

#[tokio::test]
async fn repairing_completes_what_was_recorded_to_be_removed() -> Result<(), Error> {
    let (faulty, store, session) = session().await?;
    faulty.masks(false);
    assert!(session.redact([seq(5)], None).await.is_err());
    assert!(session.forget(seq(4)).await.is_err());
    let both = [(2, Removal::Forgotten), (3, Removal::Forgotten), (5, Removal::Redacted)];
    assert_eq!(unfinished(&store.verify("a").await?), both);
    let position = session.position();
    assert_eq!(kind(session.repair().await), Some(ErrorKind::Permission));
    faulty.masks(true);
    assert!(store.open_session("a").await?.repair().await?);
    let left = served(&faulty).await?;
    assert!(!left.contains("\"secret\"") && !left.contains("\"three\""), "{left}");
    assert!(left.contains("secret event"));
    let found = store.verify("a").await?;
    assert!(found.sound && found.unfinished.is_empty());
    assert!(!session.repair().await?, "there is nothing to complete any more");
    assert_eq!(session.refresh().await?.position, position);
    Ok(())
}

#[tokio::test]
async fn redacting_again_what_is_redacted_is_answered_as_the_first_time() -> Result<(), Error> {
    let (_, store, session) = session().await?;
    let one = session.redact([seq(3)], Some("asked for")).await?;
    let two = session.redact([seq(2), seq(4)], None).await?;
    let position = session.refresh().await?.position;
    let replayed = |done: &Committed| {
        let mut done = done.clone();
        done.replayed = true;
        done
    };
    for handle in [&session, &store.open_session("a").await?] {
        assert_eq!(handle.redact([seq(3)], None).await?, replayed(&one));
        assert_eq!(handle.redact([seq(4)], None).await?, replayed(&two));
        assert_eq!(handle.redact([seq(4), seq(3)], None).await?, replayed(&two));
        assert_eq!(handle.refresh().await?.position, position);
    }
    assert!(!session.redact([seq(5), seq(3)], None).await?.replayed);
    assert_eq!(redactions(&session).await?, 3);
    Ok(())
}

#[tokio::test]
async fn a_redacted_summary_goes_on_standing_for_its_messages() -> Result<(), Error> {
    let (faulty, store, session) = session().await?;
    let compacted = session.compact(From::seq(seq(5)), ["secret summary"]).await?;
    session.append(["four"]).await?;
    session.redact([compacted.first], None).await?;
    assert!(!served(&faulty).await?.contains("summary\":[\"secret"));
    let fork = session.fork_as("b", Some(compacted.first)).await?;
    for handle in [&session, &store.open_session("a").await?, &fork] {
        let view = handle.view(Window::last(99)).await?;
        let summary: Vec<&str> = view.summary.iter().map(Payload::as_str).collect();
        assert_eq!(summary, [r#"{"redacted":true}"#]);
        assert_eq!(view.through, Ordinal::new(2));
        let first = view.window.first().map(|message| message.data.as_str());
        assert_eq!(first, Some("\"three\""));
    }
    for id in ["a", "b"] {
        let found = store.verify(id).await?;
        assert!(found.sound && found.unfinished.is_empty(), "{found:?}");
    }
    session.append(["the session is built upon"]).await?;
    Ok(())
}

#[tokio::test]
async fn where_nothing_can_be_removed_nothing_is_recorded() -> Result<(), Error> {
    let (faulty, _, session) = session().await?;
    faulty.lacks_masks();
    let position = session.position();
    assert_eq!(kind(session.redact([seq(3)], None).await), Some(ErrorKind::Unsupported));
    assert_eq!(kind(session.forget(seq(4)).await), Some(ErrorKind::Unsupported));
    assert_eq!(session.refresh().await?.position, position);
    assert_eq!(redactions(&session).await?, 0);
    assert!(!session.repair().await?);
    Ok(())
}
