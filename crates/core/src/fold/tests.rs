use super::*;
use crate::commit::{StoredCommit, Tip};
use crate::digest::{Digest, Token};
use crate::entry::{EntryType, NewEntry};
use crate::error::{DamagePlace, ErrorKind};
use crate::payload::Payload;
use crate::position::{Ordinal, Position, Seq};
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
        vacuumed: 0,
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
    assert_eq!(state.commits().recent(), 4);
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
    assert_eq!(state.commits().recent(), 2, "repairs and barriers are no caller's commits");
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

/// What changes nothing of the session's own folds.
fn is_of_extensions(entry_type: &EntryType) -> bool {
    let names =
        ["post", "resolve", "withdraw", "replace", "ack", "complete", "instruct", "context"];
    names.contains(&entry_type.as_str())
}

#[test]
fn a_state_names_the_types_that_are_folded() {
    // Data that suits whatever is folded.
    let data = r#"{"to":0,"messages":0,"summary":[],"keep_from":1,"before":0,"format":"f","records":0,
        "request":"r","contract":{},"approval":"a","allow":true,
        "input":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "first":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "records_digest":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}"#;
    for entry_type in EntryType::RESERVED.iter().filter(|it| **it != EntryType::Session) {
        let mut state = started();
        state.apply(&commit(1, 1, &[(entry_type.as_str(), data)]));
        let is_folded = state.blocked().is_none();
        let is_known = snapshot::FOLDED.contains(entry_type) || is_of_extensions(entry_type);
        assert_eq!(is_known, is_folded, "{entry_type}");
    }
    assert!(snapshot::FOLDED.is_sorted_by_key(EntryType::as_str));
}

/// A commit that the state of what was folded rides on.
fn with_state(state: &SessionState, entries: &[(&str, &str)]) -> StoredCommit {
    let data = state.to_snapshot().unwrap().unwrap();
    let mut all = vec![("state", data.as_str())];
    all.extend(entries);
    let first = state.position().number();
    let commit = commit(first, 1, &all);
    StoredCommit { prev: state.tip().token, state: Seq::new(first), ..commit }
}

#[test]
fn what_goes_on_from_a_state_is_what_folded_everything() {
    let mut whole = started();
    whole.apply(&commit(1, 5, &[("message", "1"), ("meta", r#"{"title":"a","x":1.50}"#)]));
    let ids = ["c0", "c1", "c3", "c4"].map(|id| id.parse().unwrap());
    assert!(matches!(whole.commits().look(&ids[1]), Lookup::Found(_)));
    let next = with_state(&whole, &[("message", "2")]);
    assert_eq!(whole.agrees_with(&next), Ok(Some(true)));
    whole.apply(&next);
    let resumed = SessionState::resume(whole.header().clone(), &next).unwrap().unwrap();
    for state in [&whole, &resumed] {
        assert_eq!((state.entries(), state.messages(), state.tip()), (4, 2, next.tip()));
        assert_eq!(state.meta().value("x").unwrap().as_str(), "1.50");
        assert_eq!(state.updated_at(), UnixMillis(5));
        assert_eq!(state.since_state().entries, 1);
        assert_eq!(state.commits().recent(), 1);
        assert!(matches!(state.commits().look(&ids[2]), Lookup::Found(_)));
        assert_eq!(state.commits().look(&ids[3]), Lookup::Absent);
    }
    // The commit itself says whether it is the one.
    let mut resumed = resumed;
    let unread = Unread::Commit(Seq::new(1).unwrap());
    assert_eq!(resumed.commits().look(&ids[1]), Lookup::Unread(unread));
    assert!(!resumed.learn(unread, &commit(9, 1, &[("event", "1")])));
    assert!(resumed.learn(unread, &commit(1, 5, &[("message", "1")])));
    assert!(matches!(resumed.commits().look(&ids[1]), Lookup::Found(_)));
}

#[test]
fn what_is_not_understood_keeps_no_state() {
    let mut state = started();
    assert!(state.to_snapshot().unwrap().is_some());
    state.apply(&commit(1, 1, &[("lease", "{}")]));
    assert_eq!(state.to_snapshot().unwrap(), None);
}

fn place(seq: u64) -> DamagePlace {
    DamagePlace { seq: Seq::new(seq).unwrap(), offset: 9 }
}

#[test]
fn a_state_tells_of_the_damage_that_it_passed_over() {
    let mut damaged = started();
    damaged.apply(&commit(1, 1, &[("message", "1")]));
    damaged.note_damage(place(2));
    damaged.note_damage(place(2));
    damaged.apply(&commit(4, 1, &[("message", "3")]));
    let next = with_state(&damaged, &[("message", "4")]);
    let resumed = SessionState::resume(damaged.header().clone(), &next).unwrap().unwrap();
    assert_eq!((resumed.damage(), resumed.uncounted()), ([place(2)].as_slice(), Some(place(2))));
    assert_eq!(resumed.messages(), 3);
    // Who has met the same damage takes it, and one who has met more does not: it lacks something.
    for (more, since) in [(None, 1), (Some(3), 4)] {
        let mut folded = damaged.clone();
        if let Some(seq) = more {
            folded.note_damage(place(seq));
        }
        folded.apply(&next);
        assert_eq!(folded.since_state().entries, since);
        assert_eq!(folded.agrees_with(&next), Ok(None), "what is not all there can't tell");
    }
    // It was mended.
    let mut whole = started();
    whole.apply(&commit(1, 1, &[("message", "1"), ("message", "2")]));
    assert_eq!(whole.agrees_with(&next), Ok(None));
}

#[test]
fn damage_counts_until_a_rewind_hides_it() {
    let mut state = started();
    state.apply(&commit(1, 1, &[("message", "1"), ("message", "2")]));
    state.note_damage(place(3));
    state.apply(&commit(5, 1, &[("message", "4")]));
    assert_eq!(state.uncounted(), Some(place(3)));
    // One that leads behind it tells of it to those who have not met it.
    let behind = r#"{"to":5,"messages":2,"damage":{"seq":3,"offset":9}}"#;
    let mut other = started();
    for folded in [&mut state, &mut other] {
        folded.apply(&commit(7, 1, &[("rewind", behind)]));
        assert_eq!((folded.uncounted(), folded.messages()), (Some(place(3)), 2));
    }
    state.apply(&commit(8, 1, &[("rewind", r#"{"to":2,"messages":2}"#)]));
    assert_eq!((state.uncounted(), state.damage().len()), (None, 1));
}

#[test]
fn a_copy_is_whole_once_forked_stands_behind_what_it_took_over() {
    let cut = r#""forked_from":{"session":"s0","seq":4,"copied":true},"format""#;
    let header = HEADER.replace("\"format\"", cut);
    let mut state = SessionState::start(&commit(0, 1, &[("session", &header)])).unwrap();
    let kind = |state: &SessionState, entry_type: EntryType| {
        state.accepts(&entry_type).err().map(|error| error.kind())
    };
    // That of a fork that was itself forked is none of its own.
    state.apply(&commit(1, 1, &[("forked", r#"{"lost":[{"from":2,"to":2}]}"#)]));
    assert!(state.is_incomplete());
    for refused in [EntryType::Message, EntryType::Meta, EntryType::Barrier, EntryType::Forked] {
        assert_eq!(kind(&state, refused), Some(ErrorKind::Incomplete));
    }
    assert_eq!(kind(&state, EntryType::Delete), None);
    state.apply(&commit(5, 1, &[("forked", r#"{"lost":[{"from":3,"to":4}]}"#)]));
    assert_eq!((state.is_incomplete(), kind(&state, EntryType::Message)), (false, None));
    let lost: Vec<u64> = state.lost().iter().map(|lost| lost.from.number()).collect();
    assert_eq!((lost, state.damage().len()), (vec![2, 3], 2));
    // What goes on from a state knows it too, and what was lost before is all there can be.
    let next = with_state(&state, &[("message", "4")]);
    assert_eq!(state.agrees_with(&next), Ok(Some(true)));
    let resumed = SessionState::resume(state.header().clone(), &next).unwrap().unwrap();
    assert_eq!((resumed.lost(), resumed.is_incomplete()), (state.lost(), false));
    // A session that only names where it comes from has nothing to wait for.
    let header = HEADER.replace("\"format\"", &cut.replace(r#","copied":true"#, ""));
    let named = SessionState::start(&commit(0, 1, &[("session", &header)])).unwrap();
    assert!(!named.is_incomplete());
}

#[test]
fn a_rewind_hides_messages_and_compactions_behind_an_entry() {
    let mut state = started();
    state.apply(&commit(1, 1, &[("message", "1"), ("message", "2"), ("message", "3")]));
    state.apply(&commit(4, 1, &[("compaction", r#"{"summary":["s"],"keep_from":2}"#)]));
    state.apply(&commit(5, 1, &[("message", "4")]));
    state.apply(&commit(6, 1, &[("compaction", r#"{"summary":["t"],"keep_from":4}"#)]));
    let last = |state: &SessionState| state.sight().compaction().map(|it| it.seq.number());
    assert_eq!((state.messages(), last(&state)), (4, Some(6)));
    state.apply(&commit(7, 1, &[("rewind", r#"{"to":4,"messages":3}"#), ("event", "1")]));
    assert_eq!((state.messages(), last(&state)), (3, Some(4)));
    state.apply(&commit(9, 1, &[("message", "5")]));
    let hidden = |number| state.sight().hidden().hides(Seq::new(number).unwrap());
    assert!(!hidden(3) && hidden(5) && !hidden(9));
    assert_eq!(state.last_ordinal().map(Ordinal::number), Some(4));
    assert_eq!((state.events(), state.commits().recent()), (1, 7), "nothing is lost");
    let mut state = started();
    state.apply(&commit(1, 1, &[("rewind", r#"{"to":"x"}"#)]));
    assert_eq!(state.blocked().map(|it| it.seq.number()), Some(1));
}

#[test]
fn an_undeleted_session_is_what_it_was_before() {
    for (close, before) in [(true, Lifecycle::Closed), (false, Lifecycle::Active)] {
        let mut state = started();
        if close {
            state.apply(&commit(1, 1, &[("close", "{}")]));
        }
        state.apply(&commit(2, 1, &[("delete", "{}")]));
        assert_eq!(state.lifecycle(), Lifecycle::Deleted);
        state.apply(&commit(3, 1, &[("undelete", "{}")]));
        assert_eq!(state.lifecycle(), before);
    }
}

#[test]
fn what_was_forgotten_never_grows_less() {
    let mut state = started();
    state.apply(&commit(1, 1, &[("message", "1"), ("message", "2")]));
    for (first, before) in [(3, 3), (4, 2)] {
        state.apply(&commit(first, 1, &[("forgotten", &format!(r#"{{"before":{before}}}"#))]));
        assert_eq!(state.sight().forgotten().map(Seq::number), Some(3));
    }
    assert_eq!(state.messages(), 2, "they keep their ordinals");
}

#[test]
fn what_was_redacted_is_folded_like_what_was_there() {
    let types = EntryType::RESERVED.iter().filter(|it| it.kept_when_redacted().is_some());
    for entry_type in types {
        let mut state = started();
        state.apply(&commit(1, 1, &[(entry_type.as_str(), r#"{"redacted":true}"#)]));
        let is_folded = state.blocked().is_none();
        let is_known = snapshot::FOLDED.contains(entry_type) || is_of_extensions(entry_type);
        assert_eq!(is_known, is_folded, "{entry_type}");
    }
}

#[test]
fn a_redacted_compaction_keeps_what_its_redaction_says() {
    let masked = ("compaction", r#"{"redacted":true}"#);
    let redacted = |seq: u64| {
        let data =
            format!(r#"{{"seqs":[{seq}],"kept":[{{"seq":{seq},"data":{{"keep_from":2}}}}]}}"#);
        ("redacted", data)
    };
    let mut state = started();
    state.apply(&commit(1, 1, &[("message", "1"), ("message", "2"), masked]));
    let kept = |state: &SessionState| {
        let last = state.sight().compaction().unwrap();
        (last.seq.number(), last.keep_from.map(Ordinal::number))
    };
    assert_eq!(kept(&state), (3, None));
    let (name, other) = redacted(2);
    state.apply(&commit(4, 1, &[(name, &other)]));
    assert_eq!(kept(&state), (3, None));
    let (name, own) = redacted(3);
    state.apply(&commit(5, 1, &[(name, &own)]));
    assert_eq!(kept(&state), (3, Some(2)));
}
