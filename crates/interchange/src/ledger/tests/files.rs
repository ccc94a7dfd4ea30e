use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use sessile_core::{ErrorKind, UnixMillis};

use crate::ledger::{Guards, Ledger, Lifecycle, Mode, decode};

pub(super) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/ledgers").join(name)
}

pub(super) fn file(name: &str) -> Bytes {
    fs::read(folder(name)).unwrap().into()
}

/// Losses as they are told, one a line.
fn told(ledger: &Ledger) -> String {
    let losses = ledger.dropped.iter().chain(&ledger.mended);
    losses.map(|loss| format!("{loss}\n")).collect::<Vec<_>>().concat()
}

#[test]
fn a_sound_ledger_is_read_without_loss() {
    let ledger = decode(&file("sound.json")).unwrap();
    assert_eq!((told(&ledger), ledger.rows.len(), ledger.count), (String::new(), 3, 3));
    let [full, closed, bare] = &ledger.rows[..] else { panic!("three rows") };
    assert_eq!(full.id, "wc_sess_Zk9-_aB0Qq7xYw3P");
    assert_eq!(full.title.as_deref(), Some("Mend the clock"));
    assert_eq!((full.mode, full.lifecycle), (Mode::Normal, Lifecycle::Active));
    assert_eq!(full.guards, Guards { deny_write_tools: true, deny_shell_tools: false });
    assert_eq!(full.created_at, UnixMillis(1_790_000_000_000));
    assert_eq!(full.updated_at, UnixMillis(1_790_000_600_000));
    assert_eq!((full.events.len(), full.events_observed), (2, 40));
    assert_eq!(full.messages.len(), 3);
    assert_eq!((full.board.revision, full.board.floor), (5, 2));
    assert!(full.board.tasks_are_tracked && full.board.fences_are_tracked);
    assert_eq!(full.board.task_floors["wc_msg_todo_1"], 2);
    assert_eq!(full.instruction.as_deref(), Some("Find out why it is late."));
    assert_eq!(full.others.keys().collect::<Vec<_>>().len(), 4);
    assert!(full.others["git_baseline_tree"].as_str().contains("4b825dc6"));

    assert_eq!(closed.lifecycle, Lifecycle::Closed);
    let both = Guards { deny_write_tools: true, deny_shell_tools: true };
    assert_eq!(closed.guards, both, "whatever was asked for");
    assert_eq!(closed.created_at, UnixMillis(1_790_000_000_000), "times may be text");
    assert_eq!((bare.guards, bare.project.as_deref()), (Guards::default(), None));
    assert!(!bare.board.tasks_are_tracked);
}

#[test]
fn events_and_messages_stay_as_they_stand() {
    let bytes = file("sound.json");
    let text = str::from_utf8(&bytes).unwrap();
    let ledger = decode(&bytes).unwrap();
    for payload in ledger.rows.iter().flat_map(|row| row.events.iter().chain(&row.messages)) {
        assert!(text.contains(payload.as_str()), "{}", payload.as_str());
    }
    assert!(text.contains("1e400") && text.contains(r"\ud83d"));
}

#[test]
fn every_damaged_row_is_dropped_or_mended_alone_and_named() {
    let ledger = decode(&file("damaged-rows.json")).unwrap();
    let expected = fs::read_to_string(folder("damaged-rows.losses")).unwrap();
    assert_eq!(told(&ledger), expected);
    assert_eq!(ledger.rows.len() + ledger.dropped.len(), ledger.count);
}

#[test]
fn every_damaged_ledger_is_refused_whole_with_its_error() {
    let entries = fs::read_dir(folder("refused")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    assert!(files.len() > 20);
    for pair in files.chunks(2) {
        let [expected, damaged] = pair else { panic!("a file without its error") };
        assert_eq!(expected.file_stem(), damaged.file_stem());
        let error = decode(&fs::read(damaged).unwrap().into()).unwrap_err();
        assert_eq!(format!("{error}\n"), fs::read_to_string(expected).unwrap(), "{damaged:?}");
        let is_version = error.to_string().contains("is of version");
        let kind = if is_version { ErrorKind::UnknownVersion } else { ErrorKind::Corrupt };
        assert_eq!(error.kind(), kind, "{damaged:?}");
    }
}

#[test]
fn a_row_in_which_anything_has_changed_has_another_digest() {
    let text = String::from_utf8(file("sound.json").to_vec()).unwrap();
    let digests = |text: &str| -> Vec<_> {
        let ledger = decode(&text.to_owned().into()).unwrap();
        ledger.rows.iter().map(|row| row.digest).collect()
    };
    let first = digests(&text);
    for (old, new) in [("Mend the clock", "Mend the clocks"), ("[1.50,", "[1.5,")] {
        let later = digests(&text.replace(old, new));
        assert_ne!(later[0], first[0]);
        assert_eq!(later[1..], first[1..]);
    }
}

#[test]
fn debug_tells_no_content() {
    let told = format!("{:?}", decode(&file("sound.json")).unwrap());
    for content in ["clock", "late", "ida"] {
        assert!(!told.contains(content), "{content} in {told}");
    }
}
