use super::*;
use crate::commit::{StoredCommit, Tip};
use crate::digest::{Digest, Token};
use crate::entry::{EntryType, NewEntry};
use crate::error::ErrorKind;
use crate::payload::Payload;
use crate::position::{Position, Seq};
use crate::time::UnixMillis;

const HEADER: &str = r#"{"format":1,"id":"s","space":"default","created_at":1,"crc":"crc32c",
    "salt":"00000000","file":"00000000000000000000000000000000"}"#;

/// A commit of entries {type, data} from a number on, all made at one time.
fn commit(first: u64, at: u64, entries: &[(&str, &str)]) -> StoredCommit {
    let entry = |(number, (name, data)): (u64, &(&str, &str))| {
        let data = Payload::parse((*data).to_owned()).unwrap();
        let entry_type = EntryType::from_name(name);
        NewEntry::new(UnixMillis(at), entry_type, data).numbered(Seq::new(number).unwrap())
    };
    StoredCommit {
        id: format!("c{first}").parse().unwrap(),
        token: Token::from_random([u8::try_from(first).unwrap(); 16]),
        prev: None,
        synced: Position::START,
        digest: Digest::of(b""),
        state: None,
        entries: (first..).zip(entries).map(entry).collect(),
    }
}

fn started() -> SessionState {
    SessionState::start(&commit(0, 1, &[("session", HEADER)])).unwrap()
}

#[test]
fn messages_events_and_metadata_are_counted_and_merged() {
    let mut state = started();
    state.apply(&commit(1, 5, &[("message", "1"), ("event", "2"), ("message", "3")]));
    state.apply(&commit(4, 3, &[("meta", r#"{"title":"a","x":1.0,"tags":["t"]}"#)]));
    state.apply(&commit(5, 4, &[("meta", r#"{"title":null,"model":"m"}"#)]));
    assert_eq!((state.entries(), state.messages(), state.events()), (6, 2, 1));
    assert_eq!(state.position().number(), 6);
    assert_eq!(state.updated_at(), UnixMillis(5), "a clock that falls back changes nothing");
    assert_eq!(state.meta().title(), None);
    assert_eq!(state.meta().model().as_deref(), Some("m"));
    assert_eq!(state.meta().tags(), ["t"]);
    assert_eq!(state.meta().value("x").unwrap().as_str(), "1.0");
    assert_eq!(state.commits().len(), 4);
}

#[test]
fn a_closed_session_takes_events_and_metadata_only() {
    let mut state = started();
    state.apply(&commit(1, 1, &[("close", "{}")]));
    let kind = |t: EntryType| state.accepts(&t).err().map(|error| error.kind());
    for open in [EntryType::Event, EntryType::Meta, EntryType::Delete, EntryType::Decision] {
        assert_eq!(kind(open), None);
    }
    for refused in [EntryType::Message, EntryType::Claim, EntryType::Post, EntryType::Rewind] {
        assert_eq!(kind(refused), Some(ErrorKind::Closed));
    }
}

#[test]
fn a_deleted_session_takes_only_undelete() {
    let mut state = started();
    state.apply(&commit(1, 1, &[("close", "{}")]));
    state.apply(&commit(2, 1, &[("delete", "{}")]));
    for entry_type in EntryType::RESERVED {
        let refused = state.accepts(entry_type).err().map(|error| error.kind());
        let expected = (*entry_type != EntryType::Undelete).then_some(ErrorKind::Deleted);
        assert_eq!(refused, expected, "{entry_type}");
    }
}

#[test]
fn what_is_not_understood_may_be_read_past_but_not_built_upon() {
    let mut state = started();
    state.apply(&commit(1, 1, &[("somebody.elses", "{}")]));
    assert!(state.accepts(&EntryType::Message).is_ok());
    state.apply(&commit(2, 1, &[("claim", "{}")]));
    let error = state.accepts(&EntryType::Message).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("entry 2 of type claim"), "{error}");

    let mut newer = commit(1, 1, &[("somebody.elses", "{}")]);
    newer.entries[0].must = true;
    let mut state = started();
    state.apply(&newer);
    assert_eq!(state.blocked().unwrap().seq.number(), 1);
}

#[test]
fn a_position_holds_while_only_bookkeeping_follows_it() {
    let mut state = started();
    state.apply(&commit(1, 1, &[("message", "1")]));
    let at = |number| Position::new(number).unwrap();
    assert!(state.holds(at(2)) && !state.holds(at(1)) && !state.holds(at(3)));
    state.apply(&commit(4, 1, &[("repaired", "{}")]));
    state.apply(&commit(5, 1, &[("barrier", "{}")]));
    assert!(state.holds(at(2)) && state.holds(at(5)) && state.holds(at(6)));
    assert!(!state.holds(at(1)) && !state.holds(at(7)));
    assert_eq!(state.commits().len(), 2, "repairs and barriers are no caller's commits");
}

#[test]
fn damage_at_the_end_uses_its_numbers_up() {
    let mut state = started();
    let at = |number| Position::new(number).unwrap();
    let elsewhere = Tip { position: at(9), token: None };
    state.pass_damage(elsewhere);
    assert_eq!(state.position(), at(1), "another journal's end is none of this one's");
    state.pass_damage(Tip { position: at(9), ..state.tip() });
    assert!(state.holds(at(9)) && !state.holds(at(1)));
}

#[test]
fn headers_that_cannot_be_folded_are_told_apart() {
    let kind =
        |data: &str| SessionState::start(&commit(0, 1, &[("session", data)])).unwrap_err().kind();
    assert_eq!(kind(&HEADER.replace("\"format\":1", "\"format\":2")), ErrorKind::UnknownVersion);
    assert_eq!(kind(&HEADER.replace("crc32c", "crc64")), ErrorKind::Corrupt);
    assert_eq!(kind("{}"), ErrorKind::Corrupt);
    let no_header = commit(0, 1, &[("message", "1")]);
    assert_eq!(SessionState::start(&no_header).unwrap_err().kind(), ErrorKind::Corrupt);
}
