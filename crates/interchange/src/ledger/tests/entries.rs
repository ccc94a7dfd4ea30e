use std::fs;

use super::files::{file, folder};
use crate::ledger::decode;
use crate::{Format, Source};

/// The entries of a source, one a line, and what none of them holds.
fn told(source: &Source) -> String {
    let session = &source.sessions[0];
    let entries =
        session.records.iter().map(|it| format!("{} {}\n", it.entry_type, it.data.as_str()));
    let rest = session.rest.iter().map(|rest| format!("rest {}\n", rest.as_str()));
    entries.chain(rest).collect()
}

#[test]
fn a_row_becomes_the_entries_of_a_workflow_session() {
    let ledger = decode(&file("board.json")).unwrap();
    assert_eq!((&ledger.dropped[..], &ledger.mended[..]), (&[][..], &[][..]));
    let source = ledger.rows[0].to_source().unwrap();
    assert_eq!(told(&source), fs::read_to_string(folder("board.entries")).unwrap());
    assert_eq!((source.format, source.lines), (Format::Ledger, 15));
    let session = &source.sessions[0];
    assert_eq!(session.source_id.as_deref(), Some("wc_sess_Board0Board0Boar"));
    assert_eq!(session.title.as_deref(), Some("The clock"));
    assert_eq!(session.whole, Some(ledger.rows[0].digest));
    let belonging = &session.belonging;
    assert_eq!(belonging.owner.unwrap().to_string(), "3f".repeat(32));
    assert_eq!(belonging.project.as_deref(), Some("clock"));
    assert_eq!(belonging.project_identity.as_deref(), Some("clock@1"));
    let guards = r#"{"deny":["shell","write"],"mode":"read_only"}"#;
    assert_eq!(belonging.meta["workflow.guards"].as_str(), guards);
    assert!(belonging.host["workflow.baseline"].as_str().contains("4b825dc6"));
}

#[test]
fn no_event_and_no_message_of_a_row_is_lost() {
    for name in ["sound.json", "board.json", "damaged-rows.json"] {
        for row in decode(&file(name)).unwrap().rows {
            let told = told(&row.to_source().unwrap());
            for payload in row.events.iter().chain(&row.messages) {
                assert!(told.contains(payload.as_str()), "{name}: {}", payload.as_str());
            }
            for (member, value) in &row.others {
                assert!(told.contains(&format!("\"{member}\":{}", value.as_str())), "{name}");
            }
        }
    }
}

#[test]
fn the_last_instruction_is_the_one_that_the_row_tells() {
    let text = String::from_utf8(file("sound.json").to_vec()).unwrap();
    let instructed = |kept: &str, event: &str| {
        let kept_now = r#""current_instruction":{"text":"Find out why it is late.""#;
        let text = text.replace(kept_now, &format!(r#""current_instruction":{{"text":"{kept}""#));
        let text = text.replace(r#""kind":"task_instruction""#, &format!(r#""kind":"{event}""#));
        let ledger = decode(&text.into()).unwrap();
        let told = told(&ledger.rows[0].to_source().unwrap());
        let types = told.lines().filter_map(|line| line.split_once(' '));
        let is_told = |it: &(&str, &str)| ["instruct", "event"].contains(&it.0);
        types.filter(is_told).map(|(name, data)| (name.to_owned(), data.contains(kept))).collect()
    };
    let pair = |name: &str, is_kept| (name.to_owned(), is_kept);
    let same: Vec<(String, bool)> = instructed("Find out why it is late.", "task_instruction");
    assert_eq!(same, [pair("instruct", true), pair("event", false)]);
    // The event is not retained any more: it was before those that are.
    let older: Vec<(String, bool)> = instructed("Look again.", "tool_call_started");
    assert_eq!(older, [pair("instruct", true), pair("event", false), pair("event", false)]);
    let newer: Vec<(String, bool)> = instructed("Look again.", "task_instruction");
    assert_eq!(newer, [pair("instruct", false), pair("event", false), pair("instruct", true)]);
}

#[test]
fn tombstones_stand_among_the_rows_and_malformed_ones_are_dropped_alone() {
    let ledger = decode(&file("tombstones.json")).unwrap();
    let losses: Vec<String> = ledger.dropped.iter().map(|loss| format!("{loss}\n")).collect();
    assert_eq!(losses.concat(), fs::read_to_string(folder("tombstones.losses")).unwrap());
    let owners = ledger.tombstones.iter().map(|it| (it.row, it.id.as_str(), &it.owner));
    let expected = [
        (1, "wc_sess_0000000000000001", &"3f".repeat(32)),
        (2, "wc_sess_0000000000000002", &"0a".repeat(32)),
    ];
    assert_eq!(owners.collect::<Vec<_>>(), expected);
    let live: Vec<usize> = ledger.rows.iter().map(|row| row.row).collect();
    assert_eq!(live, [0, 9], "a session that is there was not dropped");
    let parts = ledger.rows.len() + ledger.tombstones.len() + ledger.dropped.len();
    assert_eq!(parts, ledger.count);
    let source = ledger.tombstones[1].to_source();
    let session = &source.sessions[0];
    assert_eq!(session.belonging.owner.unwrap().to_string(), "0a".repeat(32));
    assert!(
        session.records.is_empty() && session.rest.as_ref() == Some(&ledger.tombstones[1].data)
    );
}
