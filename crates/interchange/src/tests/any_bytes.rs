use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use proptest::prelude::*;

use super::fixtures;
use crate::{Format, Record, Source, codex, detect, gemini, parse};

/// What holds for every file that is read, whatever it holds.
fn check(format: Format, file: &[u8]) -> Result<(), TestCaseError> {
    let lines = fixtures::lines(file);
    let Ok(source) = parse(format, Bytes::copy_from_slice(file)) else {
        let may_be_empty = format != Format::Opencode;
        prop_assert!(!lines.is_empty() || !may_be_empty, "a file without lines is no error");
        return Ok(());
    };
    prop_assert_eq!(source.lines, u64::try_from(lines.len()).unwrap());
    prop_assert_eq!(source.accounted(), source.lines);
    prop_assert_eq!(&source.sessions[0].branch, &None);
    check_sessions(&source)?;
    check_export(&source, file)
}

/// Each session is its parent's first records and its own, in the order of the file.
fn check_sessions(source: &Source) -> Result<(), TestCaseError> {
    for (index, session) in source.sessions.iter().enumerate() {
        prop_assert_eq!(session.branch.is_none(), index == 0);
        prop_assert_eq!(session.records.iter().count(), session.records.len());
        let shared = session.forked_after.unwrap_or(0);
        prop_assert_eq!(session.records.shared_count(), shared);
        if let Some(parent) = session.parent_branch {
            prop_assert!(parent < index, "a parent stands before its forks");
            let parent = &source.sessions[parent].records;
            prop_assert!(shared <= parent.len());
            prop_assert!(parent.iter().take(shared).eq(session.records.iter().take(shared)));
        }
        let own = session.records.own();
        prop_assert!(own.windows(2).all(|pair| pair[0].line < pair[1].line));
        prop_assert!(session.records.iter().skip(shared).eq(own));
    }
    let branches: BTreeSet<_> = source.sessions.iter().map(|it| &it.branch).collect();
    prop_assert_eq!(branches.len(), source.sessions.len(), "branches have names of their own");
    Ok(())
}

/// All own records, put back into the order of the file, are the file without what was skipped.
fn check_export(source: &Source, file: &[u8]) -> Result<(), TestCaseError> {
    let own = source.sessions.iter().flat_map(|session| session.records.own());
    let by_line: BTreeMap<u64, &Record> = own.map(|record| (record.line, record)).collect();
    // What takes turns back has no place in the file of one session.
    let takes_back = |record: &&Record| match source.format {
        Format::Codex => codex::takes_back(&record.data),
        Format::Gemini => gemini::takes_back(&record.data),
        _ => false,
    };
    let left_out: BTreeSet<u64> =
        by_line.values().filter(|it| takes_back(it)).map(|it| it.line).collect();
    let exported = fixtures::exported(source, by_line.into_values());
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    let mut expected = Vec::new();
    for (number, line) in (1_u64..).zip(file.split(|byte| *byte == b'\n')) {
        let line = line.trim_ascii();
        let is_skipped = source.skipped.iter().any(|skipped| skipped.line == number);
        if !line.is_empty() && !is_skipped && !left_out.contains(&number) {
            // CR between tokens becomes a space, so that an entry is always one line.
            expected.extend(line.iter().map(|byte| if *byte == b'\r' { b' ' } else { *byte }));
            expected.push(b'\n');
        }
    }
    prop_assert_eq!(exported.as_bytes(), expected);
    Ok(())
}

/// Cuts, doubles, moves and spoils parts of a file.
fn spoiled(file: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    let place = move || 0..file.len();
    let change = (0_u8..6, place(), place(), any::<u8>());
    proptest::collection::vec(change, 1..6).prop_map(move |changes| {
        let mut bytes = file.to_vec();
        for (kind, one, other, byte) in changes {
            let from = one.min(other).min(bytes.len());
            let to = one.max(other).min(bytes.len());
            let piece = bytes[from..to].to_vec();
            match kind {
                0 => bytes.truncate(to),
                1 => drop(bytes.drain(from..to.min(from + 40))),
                2 => drop(bytes.splice(to..to, piece)),
                3 => bytes.insert(from, byte),
                4 => bytes.insert(from, b'\n'),
                _ => bytes.splice(from..to.min(from + 1), [byte]).for_each(drop),
            }
        }
        bytes
    })
}

/// Records with links of every kind among few names.
fn linked() -> impl Strategy<Value = Vec<u8>> {
    let name = || proptest::option::weighted(0.8, 0_u8..8);
    let record = (0_u8..9, name(), name(), any::<bool>());
    proptest::collection::vec(record, 0..30).prop_map(|records| {
        let quoted = |name: Option<u8>| name.map_or_else(|| "null".to_owned(), |name| format!("\"{name}\""));
        let mut file = Vec::new();
        for (kind, id, parent, side) in records {
            let turns = id.unwrap_or_default();
            let (id, parent) = (quoted(id), quoted(parent));
            let links = format!(
                r#""id":{id},"uuid":{id},"parentId":{parent},"parentUuid":{parent},"isSidechain":{side}"#
            );
            let line = match kind {
                0 => "[1]".to_owned(),
                1 => "no JSON".to_owned(),
                2 => format!(r#"{{"type":"progress",{links}}}"#),
                3 => format!(r#"{{"type":"message",{links},"message":{{"role":"user"}}}}"#),
                4 => format!(r#"{{"type":"user",{links},"agentId":"x","message":{{"content":"a"}}}}"#),
                5 => format!(
                    r#"{{"type":"event_msg","payload":{{"type":"thread_rolled_back","num_turns":{turns}}}}}"#
                ),
                6 => r#"{"type":"message","role":"user","content":"a"}"#.to_owned(),
                _ => format!(r#"{{"type":"assistant",{links},"message":{{"content":"a"}}}}"#),
            };
            file.extend_from_slice(line.as_bytes());
            file.push(b'\n');
        }
        file
    })
}

fn any_format() -> impl Strategy<Value = Format> {
    proptest::sample::select(Format::OF_ONE_FILE)
}

#[test]
fn fixtures_hold_what_every_file_does_in_every_format() {
    for (_, file) in fixtures::ALL {
        for format in Format::OF_ONE_FILE {
            check(*format, file).unwrap();
        }
    }
}

#[test]
fn depth_and_length_take_no_more_than_their_share() {
    let deep = "[".repeat(200_000) + &"]".repeat(200_000);
    let long = format!(r#"{{"role":"user","content":"{}"}}"#, "x".repeat(1 << 20));
    let nested = format!(r#"{{"type":"user","uuid":"a","message":{{"content":{deep}}}}}"#);
    let file = format!("{deep}\n{long}\n{nested}\n");
    for format in Format::OF_ONE_FILE {
        check(*format, file.as_bytes()).unwrap();
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_losing_a_line(
        format in any_format(),
        file in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        detect(&file);
        check(format, &file)?;
    }

    #[test]
    fn any_text_is_read_without_losing_a_line(
        format in any_format(),
        file in "([\\[\\]{}\",:0-9a-z\\\\ \r\n\u{feff}\u{2028}]|null|true){0,200}",
    ) {
        detect(file.as_bytes());
        check(format, file.as_bytes())?;
    }

    #[test]
    fn spoiled_fixtures_are_read_without_losing_a_line(
        format in any_format(),
        file in proptest::sample::select(fixtures::ALL).prop_flat_map(|(_, file)| spoiled(file)),
    ) {
        detect(&file);
        check(format, &file)?;
    }

    #[test]
    fn links_of_any_kind_are_read_without_losing_a_line(format in any_format(), file in linked()) {
        check(format, &file)?;
    }
}
