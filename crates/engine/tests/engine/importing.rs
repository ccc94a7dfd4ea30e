//! Importing: once, whole, and again when the source has grown.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::json;
use sessile_core::{EntryType, Error, ErrorKind, Limits, SessionId};
use sessile_engine::{From, Imported, NewSession, Options, RawMessage, Session, Store};
use sessile_interchange::{Format, Source, parse};
use sessile_memory::MemoryBackend;

use super::faults::{Fault, Faulty};

/// A file of plain messages, which has no id of its own.
fn plain(texts: &[&str]) -> Result<Source, Error> {
    let line = |text: &&str| format!("{{\"role\":\"user\",\"content\":\"{text}\"}}\n");
    let file: String = texts.iter().map(line).collect();
    parse(Format::Jsonl, Bytes::from(file))
}

/// A file of Claude Code's: each record {id, parent}, all of the session `cc-1`.
fn named(records: &[(&str, Option<&str>)]) -> Result<Source, Error> {
    let line = |(id, parent): &(&str, Option<&str>)| {
        let record = json!({
            "type": "user", "uuid": id, "parentUuid": parent, "sessionId": "cc-1",
            "message": {"role": "user", "content": id},
        });
        format!("{record}\n")
    };
    let file: String = records.iter().map(line).collect();
    parse(Format::ClaudeCode, Bytes::from(file))
}

const CHAIN: &[(&str, Option<&str>)] =
    &[("a", None), ("b", Some("a")), ("c", Some("b")), ("d", Some("c"))];

fn store() -> (Store, MemoryBackend) {
    let backend = MemoryBackend::new();
    (Store::on(Arc::new(backend.clone())), backend)
}

async fn texts(session: &Session) -> Result<Vec<String>, Error> {
    let messages = session.transcript::<RawMessage>(From::start()).await?.all().await?;
    Ok(messages.iter().map(|message| message.data.as_str().to_owned()).collect())
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

fn only(mut rows: Vec<Imported>) -> Result<Imported, Error> {
    match rows.pop() {
        Some(row) if rows.is_empty() => Ok(row),
        _ => Err(Error::new(ErrorKind::Refused, "the source has not one session")),
    }
}

#[tokio::test]
async fn a_source_is_taken_over_byte_for_byte_and_only_once() -> Result<(), Error> {
    let (store, backend) = store();
    let file = "{ \"role\" : \"user\", \"content\":1.50}\n\nnot json\n{\"role\":\"tool\"}\n";
    let source = || parse(Format::Jsonl, Bytes::from(file));
    let first = only(store.import(&source()?).await?)?;
    assert!(first.session.as_str().starts_with("imp_"));
    assert_eq!((first.messages, first.added, first.format), (2, 2, Format::Jsonl));
    assert_eq!(first.skipped.iter().map(|it| it.line).collect::<Vec<_>>(), [3]);
    let session = store.open_session(&first.session).await?;
    let lines = ["{ \"role\" : \"user\", \"content\":1.50}", "{\"role\":\"tool\"}"];
    assert_eq!(texts(&session).await?, lines);

    let before = backend.digest();
    let again = only(store.import(&source()?).await?)?;
    assert_eq!((again.session, again.messages, again.added), (first.session, 2, 0));
    assert_eq!(again.skipped, first.skipped);
    assert_eq!(backend.digest(), before, "nothing was written");
    Ok(())
}

#[tokio::test]
async fn the_sources_own_id_is_taken_where_it_is_free() -> Result<(), Error> {
    let (store, _) = store();
    let row = only(store.import(&named(CHAIN)?).await?)?;
    assert_eq!(row.session.as_str(), "cc-1");

    // Where it is not, another is derived, and found again.
    let other = store.space("other")?;
    other.create_as("cc-1", NewSession::new()).await?;
    let row = only(other.import(&named(CHAIN)?).await?)?;
    assert!(row.session.as_str().starts_with("imp_"));
    let again = only(other.import(&named(CHAIN)?).await?)?;
    assert_eq!((again.session, again.added), (row.session, 0));
    assert_eq!(other.open_session("cc-1").await?.info().messages, 0);
    Ok(())
}

#[tokio::test]
async fn what_a_grown_file_has_more_is_added() -> Result<(), Error> {
    let (store, _) = store();
    for (begin, grown, id) in [
        (plain(&["1", "2"])?, plain(&["1", "2", "3"])?, None),
        (named(&CHAIN[..2])?, named(CHAIN)?, Some("cc-1")),
    ] {
        let first = only(store.import(&begin).await?)?;
        let session = store.open_session(&first.session).await?;
        assert!(id.is_none_or(|id| session.id().as_str() == id));
        // Events of others do not stand in the way.
        session.append_events(["seen"]).await?;
        let more = only(store.import(&grown).await?)?;
        assert_eq!(more.session, first.session);
        assert_eq!(more.messages, first.messages + more.added);
        assert_eq!(only(store.import(&grown).await?)?.added, 0);
        let read: Vec<String> = texts(&session).await?;
        let lines = grown.sessions[0].records.iter().map(|it| it.data.as_str().to_owned());
        assert_eq!(read, lines.collect::<Vec<_>>());
        // A file that has become shorter is not what was imported of it.
        assert_eq!(kind(store.import(&begin).await), Some(ErrorKind::Conflict));
    }
    Ok(())
}

#[tokio::test]
async fn a_session_that_went_on_by_itself_does_not_grow() -> Result<(), Error> {
    let (store, backend) = store();
    let row = only(store.import(&named(&CHAIN[..2])?).await?)?;
    store.open_session(&row.session).await?.append(["mine"]).await?;
    let before = backend.digest();
    let error = store.import(&named(CHAIN)?).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.hint().is_some_and(|hint| hint.contains("--as NEW")));
    assert_eq!(backend.digest(), before);
    // What is there already is no reason to refuse.
    assert_eq!(only(store.import(&named(&CHAIN[..2])?).await?)?.added, 0);
    let apart = only(store.import_as("new", &named(CHAIN)?).await?)?;
    assert_eq!((apart.session.as_str(), apart.added), ("new", 4));

    let closed = store.open_session("new").await?;
    closed.close().await?;
    let longer = [CHAIN, &[("e", Some("d"))]].concat();
    assert_eq!(kind(store.import_as("new", &named(&longer)?).await), Some(ErrorKind::Closed));
    Ok(())
}

#[tokio::test]
async fn a_source_that_has_changed_is_a_conflict_and_nothing_changes() -> Result<(), Error> {
    let (store, backend) = store();
    store.import(&named(CHAIN)?).await?;
    let before = backend.digest();
    let mut changed = CHAIN.to_vec();
    changed[3] = ("x", Some("c"));
    let error = store.import(&named(&changed)?).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.hint().is_some_and(|hint| hint.contains("--as NEW")));
    assert_eq!(backend.digest(), before);
    assert_eq!(only(store.import_as("new", &named(&changed)?).await?)?.added, 4);
    Ok(())
}

#[tokio::test]
async fn sources_without_an_id_that_begin_alike_are_told_apart() -> Result<(), Error> {
    let (store, backend) = store();
    let files = [plain(&["sys", "1"])?, plain(&["sys", "2"])?, plain(&["sys", "2", "3"])?];
    let mut ids = Vec::new();
    for file in &files {
        ids.push(only(store.import(file).await?)?.session);
    }
    assert_ne!(ids[0], ids[1]);
    assert_eq!(ids[1], ids[2], "it is the second one, grown");
    let before = backend.digest();
    for (file, id) in files.iter().zip(&ids).filter(|(_, id)| **id != ids[1]) {
        let again = only(store.import(file).await?)?;
        assert_eq!((&again.session, again.added), (id, 0));
    }
    assert_eq!(only(store.import(&files[2]).await?)?.added, 0);
    assert_eq!(backend.digest(), before);
    Ok(())
}

#[tokio::test]
async fn a_source_without_an_id_is_known_by_what_was_imported_of_it_first() -> Result<(), Error> {
    let (store, backend) = store();
    let first = only(store.import(&plain(&["a"])?).await?)?;
    let grown = only(store.import(&plain(&["a", "b"])?).await?)?;
    assert_eq!((&grown.session, grown.added), (&first.session, 1));
    let before = backend.digest();
    // It begins as the first import did, and then goes another way than the second.
    for edited in [&["a", "c"][..], &["a", "c", "d"], &["a"]] {
        let error = store.import(&plain(edited)?).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{edited:?}");
        assert!(error.hint().is_some_and(|hint| hint.contains("--as NEW")));
    }
    assert_eq!(backend.digest(), before);
    let apart = only(store.import_as("new", &plain(&["a", "c"])?).await?)?;
    assert_eq!((apart.session.as_str(), apart.added), ("new", 2));
    // What does not even begin alike is another source.
    assert_ne!(only(store.import(&plain(&["b"])?).await?)?.session, first.session);
    Ok(())
}

#[tokio::test]
async fn what_did_not_fit_is_told_with_the_main_session() -> Result<(), Error> {
    let (store, _) = store();
    let records = [("a", None), ("b", Some("a")), ("old", Some("a")), ("c", Some("nowhere"))];
    let rows = store.import(&named(&records)?).await?;
    assert!(rows.len() > 1);
    assert_eq!(rows[0].notices.iter().map(|it| it.line).collect::<Vec<_>>(), [4]);
    assert!(rows.iter().skip(1).all(|row| row.notices.is_empty()));
    Ok(())
}

#[tokio::test]
async fn the_session_that_a_source_comes_from_is_kept_with_it() -> Result<(), Error> {
    let (store, _) = store();
    let file = br#"{"type":"session_meta","payload":{"id":"child","parent_thread_id":"p-1"}}
"#;
    let row = only(store.import(&parse(Format::Codex, Bytes::from_static(file))?).await?)?;
    assert_eq!(row.session.as_str(), "child");
    let header = store.open_session("child").await?.info().header;
    assert_eq!(header.host["source_parent"].as_str(), "\"p-1\"");
    Ok(())
}

#[tokio::test]
async fn a_chosen_id_makes_a_session_of_its_own() -> Result<(), Error> {
    let (store, _) = store();
    let source = named(CHAIN)?;
    store.import(&source).await?;
    let row = only(store.import_as("mine", &source).await?)?;
    assert_eq!((row.session.as_str(), row.added), ("mine", 4));
    assert_eq!(only(store.import_as("mine", &source).await?)?.added, 0);
    store.create_as("taken", NewSession::new()).await?;
    assert_eq!(kind(store.import_as("taken", &source).await), Some(ErrorKind::Exists));
    assert_eq!(kind(store.import_as("mine", &plain(&["1"])?).await), Some(ErrorKind::Exists));
    assert_eq!(kind(store.import_as("a/b", &source).await), Some(ErrorKind::InvalidId));
    Ok(())
}

#[tokio::test]
async fn a_deleted_session_does_not_come_back() -> Result<(), Error> {
    let (store, _) = store();
    for source in [named(CHAIN)?, plain(&["1"])?] {
        let row = only(store.import(&source).await?)?;
        store.delete(&row.session).await?;
        let again = only(store.import(&source).await?)?;
        assert_ne!(again.session, row.session);
        assert_eq!(kind(store.open_session(&row.session).await), Some(ErrorKind::Deleted));
    }
    Ok(())
}

#[tokio::test]
async fn every_further_branch_is_a_fork_with_its_place() -> Result<(), Error> {
    let (store, backend) = store();
    let records =
        [("a", None), ("b", Some("a")), ("old", Some("b")), ("c", Some("b")), ("d", Some("c"))];
    let source = named(&records)?;
    let rows = store.import(&source).await?;
    assert_eq!(rows.len(), 2);
    let main = store.open_session(&rows[0].session).await?;
    let fork = store.open_session(&rows[1].session).await?;
    assert_eq!((main.id().as_str(), rows[0].branch.as_deref()), ("cc-1", None));
    assert!(rows[1].branch.is_some());
    for (session, from) in [&main, &fork].into_iter().zip(&source.sessions) {
        let lines = from.records.iter().map(|it| it.data.as_str().to_owned());
        assert_eq!(texts(session).await?, lines.collect::<Vec<_>>());
    }
    let place = fork.info().header.forked_from.unwrap();
    let cut = main.transcript::<RawMessage>(From::seq(place.seq)).await?.next().await.unwrap()?;
    let shared = source.sessions[1].forked_after.unwrap();
    assert_eq!(place.session, rows[0].session);
    assert_eq!(
        Some(&cut.data),
        source.sessions[1].records.iter().nth(shared - 1).map(|it| &it.data)
    );

    let before = backend.digest();
    let again = store.import(&source).await?;
    assert_eq!(again.iter().map(|row| row.added).sum::<u64>(), 0);
    let ids = |rows: &[Imported]| rows.iter().map(|row| row.session.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&again), ids(&rows));
    assert_eq!(backend.digest(), before);
    // Under a chosen id the branches are apart as well.
    let apart: Vec<SessionId> = ids(&store.import_as("mine", &source).await?);
    assert!(apart.iter().all(|id| !ids(&rows).contains(id)));
    Ok(())
}

#[tokio::test]
async fn limits_cut_an_import_into_commits_and_leave_out_what_is_too_large() -> Result<(), Error> {
    let (faulty, store) = small();
    let long = "x".repeat(2_000);
    let texts: Vec<String> = (0..40).map(|number| format!("{number:0>100}")).collect();
    let mut all: Vec<&str> = texts.iter().map(String::as_str).collect();
    all.insert(7, &long);
    let row = only(store.import(&plain(&all)?).await?)?;
    assert_eq!((row.added, row.messages), (40, 40));
    assert_eq!(row.skipped.len(), 1);
    assert_eq!(row.skipped[0].line, 8);
    assert!(row.skipped[0].reason.contains("entry_bytes"));
    assert!((3..10).contains(&faulty.appends()), "{}", faulty.appends());
    let session = store.open_session(&row.session).await?;
    let entries = session.entries(From::start()).await?.all().await?;
    let imports = entries.iter().filter(|entry| entry.entry_type == EntryType::Import).count();
    assert_eq!(imports, faulty.appends(), "each commit says how far it got");
    let again = only(store.import(&plain(&all)?).await?)?;
    assert_eq!((again.added, again.skipped.len()), (0, 0));
    Ok(())
}

#[tokio::test]
async fn an_import_that_was_cut_short_is_completed() -> Result<(), Error> {
    let texts: Vec<String> = (0..60).map(|number| format!("{number:0>100}")).collect();
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    let source = plain(&all)?;
    for commits in 1..4 {
        let (faulty, store) = small();
        // The process dies after so many commits.
        faulty.script(std::iter::repeat_n(Fault::None, commits).chain([Fault::Forbidden]));
        assert_eq!(kind(store.import(&source).await), Some(ErrorKind::Permission));
        let row = only(store.import(&source).await?)?;
        assert!(row.added < 60);
        assert_eq!(row.messages, 60);
        let session = store.open_session(&row.session).await?;
        let lines = source.sessions[0].records.iter().map(|it| it.data.as_str().to_owned());
        assert_eq!(self::texts(&session).await?, lines.collect::<Vec<_>>());
        assert!(store.verify(&row.session).await?.sound);
    }
    Ok(())
}

#[tokio::test]
async fn those_who_import_one_source_at_once_take_it_over_once() -> Result<(), Error> {
    let (_, store) = small();
    let texts: Vec<String> = (0..40).map(|number| format!("{number:0>100}")).collect();
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut importing = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let (store, source) = (store.clone(), plain(&all)?);
        importing.spawn(async move { store.import(&source).await });
    }
    // Whoever loses is told, and may try again.
    for result in importing.join_all().await {
        if let Err(error) = result {
            assert!(matches!(error.kind(), ErrorKind::Exists | ErrorKind::Conflict), "{error}");
        }
    }
    let row = only(store.import(&plain(&all)?).await?)?;
    assert_eq!((row.messages, row.added), (40, 0));
    Ok(())
}

/// A store whose commits are small.
fn small() -> (Arc<Faulty>, Store) {
    let faulty = Faulty::new();
    let mut limits = Limits::default();
    (limits.entry_bytes, limits.commit_bytes) = (1_000, 2_000);
    let store = faulty.store_with(Options::default().limits(limits));
    (faulty, store)
}

#[tokio::test]
async fn who_imports_the_same_at_the_same_time_finds_it_imported() -> Result<(), Error> {
    let grown = [CHAIN, &[("e", Some("d"))]].concat();
    let faulty = Faulty::new();
    let (late, other) = (faulty.store(), faulty.store());
    // As it is created, and as it grows.
    for (records, added) in [(CHAIN, 4), (&grown, 1)] {
        let (source, same) = (named(records)?, named(records)?);
        faulty.script([Fault::Held]);
        let late = late.clone();
        let importing = tokio::spawn(async move { late.import(&same).await });
        faulty.is_holding().await;
        assert_eq!(other.import(&source).await?[0].added, added);
        faulty.let_go();
        let imported = importing.await.unwrap()?;
        assert_eq!((imported.len(), imported[0].added), (1, 0));
        assert_eq!(imported[0].session.as_str(), "cc-1");
    }
    assert_eq!(texts(&other.open_session("cc-1").await?).await?.len(), 5);
    // Who is late with something else is told so.
    faulty.script([Fault::Held]);
    let same = plain(&["one"])?;
    let importing = tokio::spawn(async move { late.import_as("x", &same).await });
    faulty.is_holding().await;
    other.create_as("x", NewSession::new()).await?;
    faulty.let_go();
    assert_eq!(kind(importing.await.unwrap()), Some(ErrorKind::Exists));
    Ok(())
}
