use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::commit::{Commit, StoredCommit, Tip};
use crate::digest::{Salt, Token};
use crate::entry::{EntryType, Member, NewEntry};
use crate::limits::Limits;
use crate::payload::Payload;
use crate::position::{Position, Seq};
use crate::time::UnixMillis;

const SALT: Salt = Salt::from_random([0, 1, 2, 3]);

/// A commit as it stands at a position; everything but the entry before it was durable.
fn stored(commit: &Commit, position: u64) -> StoredCommit {
    let at = |number| Position::new(number).unwrap();
    let tip = Tip { position: at(position), token: Some(Token::from_random([7; 16])) };
    commit.stored_at(tip, at(position.saturating_sub(1))).unwrap()
}

fn message(text: &str) -> NewEntry {
    NewEntry::new(UnixMillis(5), EntryType::Message, Payload::parse(text.to_owned()).unwrap())
}

fn commit(entries: Vec<NewEntry>) -> Commit {
    let token = Token::from_random([9; 16]);
    Commit::new("c1".parse().unwrap(), token, entries, &Limits::default()).unwrap()
}

fn lines(bytes: &[u8]) -> Vec<Bytes> {
    let text = bytes.strip_suffix(b"\n").unwrap();
    text.split(|byte| *byte == b'\n').map(Bytes::copy_from_slice).collect()
}

#[test]
fn a_commit_of_two_lines_reads_back_whole() {
    let mut out = Vec::new();
    let first = message(r#"{"content":"x\",\"crc\":\"00000000\"}"}"#);
    let stored = stored(&commit(vec![first, message("2")]), 7);
    encode_commit(&mut out, &stored, SALT);
    assert_eq!(stored.tip().position.number(), 9);
    let lines = lines(&out);
    let (one, two) =
        (decode_line(&lines[0], Some(SALT)).unwrap(), decode_line(&lines[1], Some(SALT)).unwrap());
    assert_eq!(one.closing, None);
    let closing = two.closing.unwrap();
    assert_eq!(closing.lines, 2);
    assert_eq!(closing.synced.number(), 6);
    assert_eq!(closing.sum, Some(LineSum::default().and(one.crc)));
    assert_eq!(two.entry.data.as_str(), "2");
}

#[test]
fn the_bytes_of_a_line_are_fixed() {
    let mut out = Vec::new();
    encode_commit(&mut out, &stored(&commit(vec![message("{\"a\":1.0}")]), 7), SALT);
    let expected = "{\"seq\":7,\"at\":5,\"type\":\"message\",\"data\":{\"a\":1.0},\"commit\":\"c1\",\
        \"token\":\"09090909090909090909090909090909\",\"n\":1,\
        \"prev\":\"07070707070707070707070707070707\",\"synced\":6,\"digest\":\"";
    let text = String::from_utf8(out).unwrap();
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(text.len(), expected.len() + 64 + 1 + CRC_SUFFIX_BYTES + 1, "{text}");
}

#[test]
fn a_line_of_another_journal_does_not_pass() {
    let mut out = Vec::new();
    encode_commit(&mut out, &stored(&commit(vec![message("1")]), 7), SALT);
    let line = lines(&out).remove(0);
    let other = Some(Salt::from_random([3, 2, 1, 0]));
    assert_eq!(decode_line(&line, other), Err(BadLine::ChecksumDiffers));
    assert_eq!(decode_line(&line, None), Err(BadLine::ChecksumDiffers));
}

#[test]
fn unknown_members_and_types_are_carried() {
    let mut entry = message("1");
    entry.entry_type = EntryType::Other("x\"y".into());
    entry.must = true;
    entry.claim = Seq::new(3);
    entry.extra = vec![Member { name: "new\n".into(), value: Payload::parse("[1e999]").unwrap() }];
    let mut out = Vec::new();
    encode_commit(&mut out, &stored(&commit(vec![entry.clone()]), 7), SALT);
    let line = decode_line(&lines(&out)[0], Some(SALT)).unwrap();
    assert_eq!(line.entry, entry.numbered(Seq::new(7).unwrap()));
}

/// Seals text as the encoder would.
fn sealed(text: &str) -> Bytes {
    let crc = crc32c::crc32c_append(SALT.initial(), text.as_bytes());
    Bytes::from(format!("{text},\"crc\":\"{crc:08x}\"}}"))
}

#[test]
fn what_is_sealed_but_no_entry_is_told_apart_from_damage() {
    for text in [
        r#"{"seq":1,"seq":2,"at":1,"type":"message","data":1,"more":true"#,
        r#"{"seq":1,"at":1,"type":"message","type":"meta","data":1,"more":true"#,
        r#"{"seq":1,"at":1,"type":"message","more":true"#,
        r#"{"seq":1,"at":1,"type":"message","data":1"#,
        r#"{"seq":-1,"at":1,"type":"message","data":1,"more":true"#,
        r#"{"seq":9007199254740991,"at":1,"type":"message","data":1,"more":true"#,
        r#"{"seq":1,"at":1,"type":"message","data":,"more":true"#,
    ] {
        assert_eq!(decode_line(&sealed(text), Some(SALT)), Err(BadLine::NotAnEntry), "{text}");
    }
    let reserved = r#"{"seq":1,"at":1,"type":"message","must":true,"blob":"b","more":true"#;
    assert!(decode_line(&sealed(reserved), Some(SALT)).unwrap().entry.data.is_absent());
}

proptest! {
    #[test]
    fn any_change_of_one_byte_is_noticed(at in 0_usize..1_000, to in any::<u8>(), text in ".{0,40}") {
        let mut out = Vec::new();
        let data = NewEntry::new(UnixMillis(1), EntryType::Message, Payload::of(&text).unwrap());
        encode_commit(&mut out, &stored(&commit(vec![data]), 7), SALT);
        let line = lines(&out).remove(0);
        let mut changed = line.to_vec();
        let at = at % changed.len();
        changed[at] = to;
        let read = decode_line(&changed.into(), Some(SALT));
        prop_assert_eq!(read.is_ok(), line[at] == to);
    }

    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(decode_line(&Bytes::from(bytes), Some(SALT)).is_err());
    }
}
