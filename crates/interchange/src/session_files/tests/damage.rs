use std::fs;

use sessile_core::ErrorKind;

use super::folders::{folder, found, said};
use crate::session_files::{Content, Part, SessionFiles, list};

#[test]
fn every_damaged_header_is_listed_as_damaged_with_its_error_and_hides_no_other() {
    let sessions = found("damaged");
    let listing = list(sessions.values());
    assert_eq!(listing.sessions.iter().map(|it| &*it.id).collect::<Vec<_>>(), ["ses_sound"]);
    assert!(listing.damaged.len() > 12);
    for damaged in &listing.damaged {
        let told = fs::read_to_string(folder("damaged").join(format!("{}.error", damaged.id)));
        let clause = format!("{}: {}\n", damaged.part.path(&damaged.id), damaged.reason);
        assert_eq!(clause, told.unwrap());
    }
    let texts = fs::read_dir(folder("damaged")).unwrap().map(|entry| entry.unwrap().path());
    let errors = texts.filter(|path| path.extension().is_some_and(|it| it == "error")).count();
    assert_eq!(errors, listing.damaged.len());
}

#[test]
fn a_session_of_a_damaged_header_is_refused_and_its_first_line_alone_spoils_nothing() {
    let sessions = found("damaged");
    for damaged in list(sessions.values()).damaged {
        if damaged.id == "ses_torn_header" {
            let whole = sessions[&damaged.id].read().unwrap();
            assert_eq!(said(&whole), ["Kept."]);
            assert_eq!(whole.skipped[0].skipped.reason, "not JSON");
            continue;
        }
        let error = sessions[&damaged.id].read().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{}", damaged.id);
        let path = damaged.part.path(&damaged.id);
        let clause = format!("{path}: the session can't be read: {}", damaged.reason);
        assert_eq!(error.to_string(), clause);
    }
}

fn skipped(files: &SessionFiles) -> Vec<(Part, u64, String)> {
    let whole = files.read().unwrap();
    let told = whole.skipped.into_iter();
    told.map(|it| (it.part, it.skipped.line, it.skipped.reason)).collect()
}

/// D1: once a tail torn within a character made the whole transcript unreadable.
#[test]
fn a_tail_that_is_torn_within_a_character_spoils_no_other_line() {
    let files = &found("torn")["ses_within_character"];
    assert_eq!(said(&files.read().unwrap()), ["First.", "Second."]);
    assert_eq!(skipped(files), [(Part::Log, 4, "torn last line".to_owned())]);
}

/// D2: once what was appended after a torn tail was lost with it.
#[test]
fn a_message_that_was_written_onto_a_torn_line_is_kept() {
    let files = &found("torn")["ses_glued"];
    assert_eq!(said(&files.read().unwrap()), ["First.", "After", "Last."]);
    let reason = "torn; the message that was written onto it was kept".to_owned();
    assert_eq!(skipped(files), [(Part::Log, 3, reason)]);
}

/// D5: once a folder in place of the log read as no record.
#[test]
fn what_can_not_be_read_is_never_absent() {
    for part in Part::ALL {
        let mut files = SessionFiles::new("ses_1");
        files.add(part, Content::Unreadable("it is a folder".to_owned()));
        let error = files.read().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        let clause = format!("{}: the session can't be read: it is a folder", part.path("ses_1"));
        assert_eq!(error.to_string(), clause);
        let listing = list([&files]);
        let is_damaged = matches!(part, Part::Log | Part::Record);
        assert_eq!(
            (listing.sessions.len(), listing.damaged.len()),
            (usize::from(!is_damaged), usize::from(is_damaged))
        );
    }
}

/// D6: once a corrupt line in the middle was skipped in silence.
#[test]
fn a_corrupt_line_in_the_middle_is_named_and_spoils_no_other() {
    let files = &found("torn")["ses_hole"];
    assert_eq!(said(&files.read().unwrap()), ["First.", "Third."]);
    assert_eq!(skipped(files), [(Part::Log, 3, "not JSON".to_owned())]);
}

/// D7: once the id of a header was not compared with the name of the file.
#[test]
fn a_header_of_another_session_is_damage() {
    let sessions = found("damaged");
    let error = sessions["ses_other_id"].read().unwrap_err();
    assert!(error.to_string().ends_with("it names another session"), "{error}");
}

#[test]
fn lines_that_are_no_messages_are_events_and_told() {
    let whole = found("torn")["ses_strangers"].read().unwrap();
    assert_eq!(said(&whole), ["First."]);
    let told: Vec<u64> = whole.notices.iter().map(|it| it.notice.line).collect();
    assert_eq!(told, [3, 4, 5]);
    assert_eq!(whole.records.len(), 5);
}
