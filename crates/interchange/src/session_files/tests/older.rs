use std::fs;

use sessile_core::UnixMillis;

use super::folders::{folder, found, said};
use crate::session_files::{Part, list};

#[test]
fn both_older_layouts_are_sessions_read_whole() {
    let sessions = found("older");
    let listing = list(sessions.values());
    assert_eq!(listing.damaged, []);
    let ids: Vec<&str> = listing.sessions.iter().map(|it| &*it.id).collect();
    assert_eq!(ids, ["ses_lines", "ses_array", "ses_no_messages", "ses_no_record"]);
    let lines = sessions["ses_lines"].read().unwrap();
    assert_eq!(said(&lines), ["First.", "Second.", "Third."]);
    assert_eq!(lines.title(), "Older lines");
    assert_eq!(said(&sessions["ses_array"].read().unwrap()), ["One.", "Two."]);
    assert_eq!(said(&sessions["ses_no_record"].read().unwrap()), ["Alone."]);
    assert_eq!(sessions["ses_no_messages"].read().unwrap().messages().count(), 0);
}

/// D3: once listed twice, with both times.
#[test]
fn an_older_session_that_was_touched_is_listed_once_with_its_newer_time() {
    let sessions = found("mixed");
    let listing = list(sessions.values());
    let touched: Vec<_> = listing.sessions.iter().filter(|it| it.id == "ses_touched").collect();
    assert_eq!(touched.len(), 1);
    assert_eq!(touched[0].updated_at(), Some(UnixMillis(1_790_000_900_000)));
    assert_eq!(touched[0].parts, [Part::Lines, Part::Record, Part::Log]);
    let whole = sessions["ses_touched"].read().unwrap();
    assert_eq!(said(&whole), ["First.", "Second.", "After."], "nothing stands twice");
    assert_eq!((whole.repeated, whole.notices.len()), (2, 0));
}

/// D4: once the older transcript was hidden.
#[test]
fn an_older_session_that_was_appended_to_has_all_older_messages_first() {
    let sessions = found("mixed");
    let appended = sessions["ses_appended"].read().unwrap();
    assert_eq!(said(&appended), ["First.", "Second.", "New.", "Newer."]);
    assert_eq!((appended.repeated, appended.notices.len()), (0, 0));
    assert_eq!(appended.title(), "Appended to");
    let listed = list(sessions.values());
    assert_eq!(listed.sessions.iter().filter(|it| it.id == "ses_appended").count(), 1);

    // The same, and then its header was written: the log alone looks whole.
    let both = sessions["ses_appended_touched"].read().unwrap();
    assert_eq!(said(&both), ["First.", "Second.", "New."]);
    let told: Vec<_> = both.notices.iter().map(|it| (it.part, &*it.notice.reason)).collect();
    let reason = "the messages do not begin with those of the older file, which stand before them";
    assert_eq!(told, [(Part::Log, reason)]);
}

#[test]
fn reading_changes_none_of_their_files() {
    let case = folder("mixed");
    let bytes = || fs::read(case.join(Part::Lines.path("ses_appended"))).unwrap();
    let before = bytes();
    found("mixed")["ses_appended"].read().unwrap();
    assert_eq!(bytes(), before);
}
