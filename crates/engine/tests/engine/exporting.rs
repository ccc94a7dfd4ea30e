//! Exporting: what was imported comes back byte for byte, and only what is in sight.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::json;
use sessile_core::backend::{Backend as _, Expected};
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::shape::{Claim, Contract, Dialect, Outcome, OutcomeStatus};
use sessile_core::{
    Commit, EntryType, Error, ErrorKind, Limits, NewEntry, Payload, Seq, SessionKey, Space,
    UnixMillis, Usage,
};
use sessile_engine::{Export, NewSession, Session, Store};
use sessile_interchange::{ExportFormat, Format, Records, detect, parse};
use sessile_memory::MemoryBackend;

use super::faults::Faulty;

macro_rules! fixtures {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../../../../fixtures/sessions/", $name)).as_slice())),*]
    };
}

fn store() -> (Store, MemoryBackend) {
    let backend = MemoryBackend::new();
    (Store::on(Arc::new(backend.clone())), backend)
}

async fn exported(
    store: &Store,
    session: &Session,
    format: impl Into<ExportFormat>,
) -> Result<String, Error> {
    let file = store.export(session.id(), format).await?.all().await?;
    Ok(String::from_utf8_lossy(&file).into_owned())
}

#[tokio::test]
async fn every_fixture_comes_back_byte_for_byte() -> Result<(), Error> {
    let fixtures = fixtures![
        "claude-code-weather.jsonl",
        "claude-code-branches.jsonl",
        "claude-code-oddities.jsonl",
        "codex-bare.jsonl",
        "codex-rollout.jsonl",
        "codex-subagent.jsonl",
        "pi-v1.jsonl",
        "pi-v3-tree.jsonl",
        "plain-messages.jsonl",
    ];
    for (name, file) in fixtures {
        let (store, backend) = store();
        let format = detect(file).unwrap();
        let source = parse(format, Bytes::from_static(file))?;
        let rows = store.import(&source).await?;
        let before = backend.digest();
        for (row, from) in rows.iter().zip(&source.sessions) {
            let session = store.open_session(&row.session).await?;
            // What takes turns back has no place where those turns are not.
            let lines = from.records.iter().map(|it| it.data.as_str());
            let lines = lines.filter(|line| !line.contains("\"thread_rolled_back\""));
            let lines = lines.collect::<Vec<_>>().join("\n") + "\n";
            assert_eq!(exported(&store, &session, format).await?, lines, "{name}");
            // Imported into another place it is the same session.
            let again = parse(format, Bytes::from(lines.clone()))?;
            assert_eq!(again.skipped, []);
            let messages = |records: &Records| {
                let messages = records.iter().filter(|it| it.entry_type == EntryType::Message);
                messages.map(|it| it.data.clone()).collect::<Vec<_>>()
            };
            assert_eq!(messages(&again.sessions[0].records), messages(&from.records), "{name}");
        }
        // A file that is one whole session is the file itself.
        if source.sessions.len() == 1 && source.skipped.is_empty() {
            let session = store.open_session(&rows[0].session).await?;
            assert_eq!(exported(&store, &session, format).await?.as_bytes(), file, "{name}");
        }
        assert_eq!(backend.digest(), before, "an export only reads");
    }
    Ok(())
}

#[tokio::test]
async fn unlike_dialects_are_not_converted() -> Result<(), Error> {
    let (store, _) = store();
    let session = store.create(NewSession::new().dialect(Dialect::Openai)).await?;
    session.append([json!({"role": "user", "content": "hi"})]).await?;
    session.append_events(["seen"]).await?;
    for format in [Format::ClaudeCode, Format::Codex, Format::Pi] {
        let error = store.export(session.id(), format).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("openai"), "{error}");
    }
    let line = "{\"content\":\"hi\",\"role\":\"user\"}\n";
    assert_eq!(exported(&store, &session, Format::Jsonl).await?, line);
    let page = exported(&store, &session, ExportFormat::Markdown).await?;
    assert_eq!(page, "# New session\n\n## user\n\nhi\n");
    Ok(())
}

#[tokio::test]
async fn the_name_of_the_file_comes_from_the_title() -> Result<(), Error> {
    let (store, _) = store();
    let mut names = Vec::new();
    for id in ["a", "b"] {
        let session = store.create_as(id, NewSession::new().title("../Plan: b/c")).await?;
        let export = store.export(session.id(), ExportFormat::Markdown).await?;
        assert_eq!(export.position(), session.position());
        names.push(export.file_name().to_owned());
    }
    assert!(names.iter().all(|name| name.starts_with("Plan_ b_c-")));
    assert_ne!(names[0], names[1]);
    Ok(())
}

#[tokio::test]
async fn what_a_rewind_has_hidden_is_not_exported() -> Result<(), Error> {
    let (store, _) = store();
    let session = store.create(NewSession::new()).await?;
    let kept = session.append([1, 2]).await?;
    session.append([3, 4]).await?;
    session.rewind(kept.first).await?;
    session.append([5]).await?;
    assert_eq!(exported(&store, &session, Format::Jsonl).await?, "1\n5\n");
    Ok(())
}

#[tokio::test]
async fn what_no_outcome_has_adopted_is_not_exported() -> Result<(), Error> {
    let (store, backend) = store();
    let session = store.create_as("a", NewSession::new()).await?;
    session.append([1]).await?;
    // As a program with turns writes it: two messages under a claim, of which one is adopted.
    let claim = Claim {
        request: "r".parse()?,
        input: Digest::of(b"in"),
        contract: Contract::new(),
        usage: Usage::new(),
        holder: None,
        recovers: None,
        resumes: false,
        released: false,
    };
    let claim = NewEntry::new(UnixMillis(1), EntryType::Claim, Payload::of(&claim)?);
    let key = SessionKey { space: Space::default(), id: session.id().clone() };
    let message = |json: &str| -> Result<NewEntry, Error> {
        let mut entry =
            NewEntry::new(UnixMillis(1), EntryType::Message, Payload::parse(json.to_owned())?);
        entry.claim = Seq::new(2);
        Ok(entry)
    };
    let outcome = Payload::of(&Outcome {
        redacted: false,
        request: "r".parse()?,
        input: None,
        contract: None,
        status: OutcomeStatus::Completed,
        adopts: Seq::new(4).zip(Seq::new(4)),
        messages: 1,
        result: None,
        may_retry: false,
        reason: None,
        usage: Usage::new(),
    })?;
    let mut outcome = NewEntry::new(UnixMillis(1), EntryType::Outcome, outcome);
    outcome.claim = Seq::new(2);
    let entries = vec![claim, message("2")?, message("3")?, outcome, message("4")?];
    let token = Token::from_random([9; 16]);
    let commit = Commit::new("turn".parse()?, token, entries, &Limits::default())?;
    let tip = backend.head(&key).await?.tip;
    backend.append(&key, Expected::At(tip), vec![commit]).await?;
    assert_eq!(exported(&store, &session, Format::Jsonl).await?, "1\n3\n");
    Ok(())
}

#[tokio::test]
async fn damage_ends_an_export_with_an_error() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new()).await?;
    for number in 1..4 {
        session.append([number]).await?;
    }
    faulty.damage(2, 3);
    let mut export = store.export("a", Format::Jsonl).await?;
    assert_eq!(export.next().await.unwrap()?, b"1\n");
    assert_eq!(export.next().await.unwrap().unwrap_err().kind(), ErrorKind::Corrupt);
    assert!(export.next().await.is_none());
    Ok(())
}

#[tokio::test]
async fn an_export_of_what_can_be_read_goes_on_behind_damage_and_says_what_it_lacks()
-> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new()).await?;
    for number in 1..=10 {
        session.append([number]).await?;
    }
    session.fork_as("c", None).await?.forget(seq(7)).await?;
    faulty.damage_in("a", &[(2, 4), (6, 7), (9, 10)]);
    session.fork_as("b", Some(seq(8))).await?.append([90]).await?;
    let left_out = |export: &Export| {
        let left_out = export.left_out().iter();
        left_out.map(|it| (it.from.number(), it.to.number(), it.reason.clone())).collect::<Vec<_>>()
    };
    let read = |seq| format!("entry {seq} at byte 77 can't be read: zeros");
    let lost = |from, to| format!("entries {from} to {to} could not be read when it was forked");
    for (id, file, expected) in [
        ("a", "1\n4\n5\n7\n8\n10\n", vec![(2, 3, read(2)), (6, 6, read(6)), (9, 9, read(9))]),
        ("b", "1\n4\n5\n7\n8\n90\n", vec![(2, 3, lost(2, 3)), (6, 6, lost(6, 6))]),
    ] {
        let mut export = store.export_readable(id, Format::Jsonl).await?;
        let mut written = Vec::new();
        while let Some(piece) = export.next().await {
            written.append(&mut piece?);
        }
        assert_eq!(String::from_utf8_lossy(&written), file);
        assert_eq!(left_out(&export), expected);
        let ended = store.export(id, Format::Jsonl).await?.all().await.unwrap_err();
        assert_eq!(ended.damage().map(|place| place.seq), Some(seq(2)), "{id}");
    }
    // What was forgotten is not missed.
    faulty.damage_in("c", &[(2, 4), (9, 10)]);
    let mut export = store.export_readable("c", Format::Jsonl).await?;
    while let Some(piece) = export.next().await {
        piece?;
    }
    assert_eq!(left_out(&export), [(9, 9, read(9))]);
    Ok(())
}

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap_or(Seq::FIRST)
}

#[tokio::test]
async fn an_export_shows_what_was_there_when_it_began() -> Result<(), Error> {
    let (store, _) = store();
    let session = store.create(NewSession::new()).await?;
    session.append([1]).await?;
    let export = store.export(session.id(), Format::Jsonl).await?;
    session.append([2]).await?;
    assert_eq!(export.all().await?, b"1\n");
    session.delete().await?;
    let error = store.export(session.id(), Format::Jsonl).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deleted);
    Ok(())
}
