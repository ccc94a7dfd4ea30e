//! Two readers agree on every golden file: this crate's, and one written from the specification.

use std::process::Command;

use bytes::Bytes;
use serde_json::{Value, json};
use sessile_core::commit::Tip;
use sessile_core::error::ErrorKind;
use sessile_core::journal::{Extent, Found, Scanner};
use sessile_core::line::{decode_line, encode_commit};
use sessile_core::{fold, header};

use crate::golden::{files, folder};

/// What this crate's reader makes of a journal; none without a header.
fn read(bytes: &[u8]) -> Option<(Vec<Found>, Extent)> {
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let first = decode_line(&Bytes::copy_from_slice(line), None).ok()?;
    let salt = first.entry.data.decode::<Value>().unwrap()["salt"].as_str()?.parse().ok()?;
    let mut scanner = Scanner::from_start(salt);
    let mut found = Vec::new();
    scanner.feed(Bytes::copy_from_slice(bytes), &mut found);
    scanner.finish(&mut found);
    let extent = Extent::of(&scanner, &found, Tip::ABSENT, 0);
    Some((found, extent))
}

#[test]
fn a_reader_written_from_the_specification_agrees() {
    for (name, bytes) in files() {
        let Some((found, extent)) = read(&bytes) else { continue };
        let tail = extent.tail.map(|failure| failure.seq.number());
        let commits: Vec<Value> = found
            .iter()
            .filter_map(|found| match found {
                Found::Commit(placed) => Some(&placed.commit),
                Found::Failure(_) => None,
            })
            .filter(|commit| tail.is_none_or(|tail| commit.first_seq().number() < tail))
            .map(|commit| {
                json!({"first": commit.first_seq(), "position": commit.tip().position,
                    "token": commit.token})
            })
            .collect();
        let damage: Vec<u64> = extent.damage.iter().map(|failure| failure.seq.number()).collect();
        let ours = json!({"commits": commits, "damage": damage, "tail": tail});

        let output = Command::new("python3")
            .arg(folder().join("read.py"))
            .arg(folder().join("v1").join(name))
            .output()
            .expect("python3 is needed to run the reader of the specification: install it");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
        let theirs: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(theirs, ours, "{name}");
    }
}

#[test]
fn what_is_read_of_a_sound_journal_is_written_the_same() {
    let sound = ["sound.jsonl", "vacuumed.jsonl", "foreign.jsonl", "newer-format.jsonl"];
    for (name, bytes) in files().into_iter().filter(|(name, _)| sound.contains(name)) {
        let (found, _) = read(&bytes).unwrap();
        let salt = "00c0ffee".parse().unwrap();
        let mut written = Vec::new();
        for found in &found {
            if let Found::Commit(placed) = found {
                let is_vacuumed = placed.commit.vacuumed > 0;
                assert_eq!(placed.commit.content_holds(), !is_vacuumed, "{name}");
                encode_commit(&mut written, &placed.commit, salt);
            }
        }
        assert!(written == bytes, "{name}");
    }
}

#[test]
fn what_a_vacuum_leaves_folds_to_what_was_there() {
    let folded = |name: &str| {
        let (_, bytes) = files().into_iter().find(|(file, _)| *file == name).unwrap();
        let (found, _) = read(&bytes).unwrap();
        let mut commits = found.into_iter().filter_map(|found| match found {
            Found::Commit(placed) => Some(placed.commit),
            Found::Failure(_) => None,
        });
        let mut state = fold::SessionState::start(&commits.next().unwrap()).unwrap();
        commits.for_each(|commit| state.apply(&commit));
        let id = "commit-0".parse().unwrap();
        (state.meta().clone(), state.tip(), state.updated_at(), state.commits().look(&id))
    };
    assert_eq!(folded("vacuumed.jsonl"), folded("sound.jsonl"));
}

#[test]
fn each_damage_is_what_its_name_says() {
    let told = |name: &str| {
        let (_, bytes) = files().into_iter().find(|(file, _)| *file == name).unwrap();
        let (found, extent) = read(&bytes).unwrap();
        let commits = found.iter().filter(|found| matches!(found, Found::Commit(_))).count();
        let damage: Vec<u64> = extent.damage.iter().map(|failure| failure.seq.number()).collect();
        (commits, damage, extent.tail.map(|failure| failure.seq.number()))
    };
    assert_eq!(told("sound.jsonl"), (5, vec![], None));
    assert_eq!(told("vacuumed.jsonl"), (5, vec![], None));
    assert_eq!(told("padded.jsonl"), (5, vec![], None));
    assert_eq!(told("crlf.jsonl"), (5, vec![], None));
    assert_eq!(told("no-last-line-end.jsonl"), (5, vec![], None));
    assert_eq!(told("torn-last-line.jsonl"), (4, vec![], Some(7)));
    assert_eq!(told("torn-commit.jsonl"), (2, vec![], Some(4)));
    assert_eq!(told("hole.jsonl"), (4, vec![3], None));
    assert_eq!(told("lost-page.jsonl"), (4, vec![6], None));
    assert_eq!(told("flipped-line-end.jsonl").1, [3]);
}

#[test]
fn headers_that_can_not_be_read_are_told_apart() {
    let kind = |name: &str| {
        let (_, bytes) = files().into_iter().find(|(file, _)| *file == name).unwrap();
        let (found, _) = read(&bytes)?;
        let Some(Found::Commit(first)) = found.into_iter().next() else { return None };
        Some(fold::SessionState::start(&first.commit).map(drop).map_err(|error| error.kind()))
    };
    assert_eq!(kind("newer-format.jsonl"), Some(Err(ErrorKind::UnknownVersion)));
    assert_eq!(kind("sound.jsonl"), Some(Ok(())));
    assert_eq!(kind("damaged-header.jsonl"), None, "nothing is read without a header");
    assert_eq!(header::corrupt("x").kind(), ErrorKind::Corrupt);
}
