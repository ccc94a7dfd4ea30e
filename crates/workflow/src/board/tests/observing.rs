//! Looking for changes.

use sessile_core::{EntryType, NewEntry, Payload, Seq, UnixMillis};

use super::desk::Desk;
use crate::board::bounds::Bounds;
use crate::board::cursor;
use crate::board::kind::Kind;
use crate::board::list;
use crate::board::refused::Refused;
use crate::board::resolve::Resolve;

#[test]
fn a_token_leads_to_what_changed_since_each_message_once() {
    let mut desk = Desk::new();
    let [first, second] = ["one", "two"].map(|text| desk.post(Kind::Note, text));
    let start = desk.since(None).unwrap();
    assert!(start.messages.is_empty() && !start.changed && !start.has_more);
    let same = desk.since(Some(&start.token)).unwrap();
    assert!(same.messages.is_empty() && !same.changed && !same.history_lost);
    assert_eq!(same.token, start.token);
    let third = desk.post(Kind::Note, "three");
    desk.send(&Resolve::new(&first)).unwrap();
    desk.send(&Resolve::new(&first).resolution("why")).unwrap();
    let later = desk.since(Some(&start.token)).unwrap();
    let told: Vec<_> = later.messages.iter().map(|it| (it.id.clone(), it.revision)).collect();
    assert_eq!(told, [(third, 3), (first, 5)]);
    assert!(later.changed && !later.has_more && !later.history_lost);
    assert!(!desk.since(Some(&later.token)).unwrap().changed);
    assert_eq!(desk.message(&second).revision, 2);
}

#[test]
fn a_page_of_changes_ends_at_its_last_and_the_next_goes_on() {
    let mut desk = Desk::new();
    let start = desk.since(None).unwrap().token;
    let ids: Vec<_> = (0..7).map(|n| desk.post(Kind::Note, &n.to_string())).collect();
    let (mut token, mut told) = (start, Vec::new());
    for page in 0..3 {
        let limit = Some(3);
        let changes =
            list::changes(&desk.board, &desk.key, &desk.bounds, Some(&token), limit).unwrap();
        assert_eq!((changes.has_more, changes.changed), (page < 2, true));
        told.extend(changes.messages.into_iter().map(|it| it.id));
        token = changes.token;
    }
    assert_eq!(told, ids);
    let sizes = [(0, 1), (1, 1), (100, 7)].map(|(limit, size)| {
        let token = cursor::issue(&desk.key, 0);
        let bounds = Bounds::default();
        let changes =
            list::changes(&desk.board, &desk.key, &bounds, Some(&token), Some(limit)).unwrap();
        (changes.messages.len(), size)
    });
    assert!(sizes.iter().all(|(told, size)| told == size), "{sizes:?}");
}

#[test]
fn what_left_the_board_is_history_that_is_lost_to_who_had_not_seen_it() {
    let mut desk = Desk::keeping(2);
    desk.post(Kind::Note, "one");
    let early = cursor::issue(&desk.key, 0);
    let seen = desk.since(None).unwrap().token;
    for text in ["two", "three"] {
        desk.post(Kind::Note, text);
    }
    assert!(desk.since(Some(&early)).unwrap().history_lost);
    assert!(!desk.since(Some(&seen)).unwrap().history_lost);
    desk.post(Kind::Note, "four");
    assert!(desk.since(Some(&seen)).unwrap().history_lost);
}

#[test]
fn a_token_of_what_has_not_happened_is_refused() {
    let mut desk = Desk::new();
    desk.post(Kind::Note, "one");
    let ahead = cursor::issue(&desk.key, 2);
    assert_eq!(desk.since(Some(&ahead)), Err(Refused::FutureRevision));
    desk.post(Kind::Note, "two");
    assert!(desk.since(Some(&ahead)).is_ok());
}

#[test]
fn an_entry_that_is_not_understood_is_a_change_that_is_lost() {
    let types = [
        (EntryType::Post, r#"{"id":"m"}"#),
        (EntryType::Resolve, r#"{"id":"nobody"}"#),
        (EntryType::Complete, "7"),
    ];
    for (entry_type, data) in types {
        let mut desk = Desk::new();
        let task = desk.post(Kind::Todo, "do");
        let seen = desk.since(None).unwrap().token;
        let data = Payload::parse(data.to_owned()).unwrap();
        let entry = NewEntry::new(UnixMillis(1), entry_type, data);
        desk.board.apply(&entry.numbered(Seq::new(9).unwrap()));
        let changes = desk.since(Some(&seen)).unwrap();
        assert!(changes.changed && changes.history_lost && changes.messages.is_empty());
        assert_eq!(desk.assigned(&task), Err(Refused::AssignmentHistoryLost(task)));
    }
}
