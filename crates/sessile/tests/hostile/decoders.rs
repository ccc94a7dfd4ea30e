//! Everything that reads bytes which others may have written: one function a decoder.
//!
//! Each takes any bytes and returns; what was read is written again where there is a way to, and
//! read once more. The fuzz targets in `fuzz/` are these functions.

use std::str::FromStr;

use bytes::Bytes;
use sessile::interchange::binding;
use sessile::interchange::ledger;
use sessile::interchange::session_files::{Content, Part, SessionFiles};
use sessile::interchange::snapshot::{OwnSnapshot, Snapshot};
use sessile::interchange::{Format, detect, parse};
use sessile::{CommitId, Cursor, Name, RequestId, SessionId, Space, lens};
use sessile_core::digest::{Digest, Salt, Token};
use sessile_core::entry::shape::Dialect;
use sessile_core::fold::{Extensions, SessionState};
use sessile_core::journal::{Found, Scanner};
use sessile_core::line::{decode_line, encode_commit};
use sessile_core::{
    Commit, EntryType, Limits, NewEntry, Payload, Position, StoredCommit, Tip, UnixMillis, header,
    percent, spelling,
};

/// A decoder by its name.
pub(crate) type Decoder = (&'static str, fn(&[u8]));

/// All of them.
pub(crate) const DECODERS: &[Decoder] = &[
    ("line", line),
    ("sealed_line", sealed_line),
    ("header", read_header),
    ("journal", journal),
    ("entry", entry),
    ("state", state),
    ("lens", read_by_lenses),
    ("import", import),
    ("snapshot", snapshot),
    ("binding", read_binding),
    ("ledger", read_ledger),
    ("session_files", session_files),
    ("id", id),
    ("cursor", cursor),
    ("place", place),
];

const SALT: Salt = Salt::from_random([0, 0xc0, 0xff, 0xee]);

const HEADER: &str = r#"{"format":1,"id":"s","space":"default","created_at":1,"crc":"crc32c",
    "salt":"00c0ffee","file":"00000000000000000000000000000000"}"#;

const DIALECTS: [Dialect; 11] = [
    Dialect::Plain,
    Dialect::Openai,
    Dialect::Anthropic,
    Dialect::ClaudeCode,
    Dialect::Codex,
    Dialect::Pi,
    Dialect::Gemini,
    Dialect::Goose,
    Dialect::Opencode,
    Dialect::Kerness,
    Dialect::Unknown,
];

/// A line as it is.
pub(crate) fn line(bytes: &[u8]) {
    let bytes = Bytes::copy_from_slice(bytes);
    for salt in [None, Some(SALT)] {
        drop(decode_line(&bytes, salt));
    }
}

/// A line whose checksum holds, whatever it says.
pub(crate) fn sealed_line(bytes: &[u8]) {
    let text: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b'\n').collect();
    let sealed = format!(",\"crc\":\"{:08x}\"}}", crc32c(&text));
    let sealed = Bytes::from([&text[..], sealed.as_bytes()].concat());
    drop(decode_line(&sealed, None));
    let mut found = Vec::new();
    let mut scanner = Scanner::in_the_middle(SALT, 0);
    scanner.feed([&sealed[..], b"\n", &sealed[..], b"\n"].concat().into(), &mut found);
    scanner.finish(&mut found);
}

/// CRC-32C, bit by bit: that of the first line of a journal, and of all of a catalog.
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}

fn payload(bytes: &[u8]) -> Option<Payload> {
    Payload::parse(String::from_utf8(bytes.to_vec()).ok()?).ok()
}

fn stored(tip: Tip, entries: Vec<NewEntry>) -> Option<StoredCommit> {
    let token = Token::from_digest(Digest::of(b"token"));
    let commit = Commit::new("c".parse().ok()?, token, entries, &Limits::default()).ok()?;
    commit.stored_at(tip, Position::START).ok()
}

fn first(data: Payload) -> Option<StoredCommit> {
    stored(Tip::ABSENT, vec![NewEntry::new(UnixMillis(1), EntryType::Session, data)])
}

fn begun() -> Option<(StoredCommit, SessionState)> {
    let first = first(Payload::parse(HEADER.to_owned()).ok()?)?;
    let state = SessionState::start(&first).ok()?;
    Some((first, state))
}

/// The header's data.
pub(crate) fn read_header(bytes: &[u8]) {
    let Some(first) = payload(bytes).and_then(first) else { return };
    drop(header::read(&first.entries[0]));
    drop(SessionState::start(&first));
}

/// A journal, from its beginning and from the middle, at once and in two pieces; what is whole is
/// folded, and written as it stands.
pub(crate) fn journal(bytes: &[u8]) {
    let bytes = Bytes::copy_from_slice(bytes);
    for mut scanner in [Scanner::from_start(SALT), Scanner::in_the_middle(SALT, 0)] {
        let (mut found, mut out) = (Vec::new(), Vec::new());
        let half = bytes.len() / 2;
        scanner.feed(bytes.slice(..half), &mut found);
        scanner.feed(bytes.slice(half..), &mut found);
        scanner.finish(&mut found);
        let mut state = None;
        for found in found {
            let Found::Commit(placed) = found else { continue };
            match &mut state {
                None => state = SessionState::start(&placed.commit).ok(),
                Some(state) => state.apply(&placed.commit),
            }
            encode_commit(&mut out, &placed.commit, SALT);
        }
    }
}

/// The data of an entry of every type, folded upon a session that is there.
pub(crate) fn entry(bytes: &[u8]) {
    let Some(data) = payload(bytes) else { return };
    let Some((first, begun)) = begun() else { return };
    for entry_type in EntryType::RESERVED.iter().filter(|it| **it != EntryType::Session) {
        let entry = NewEntry::new(UnixMillis(2), entry_type.clone(), data.clone());
        let Some(mut commit) = stored(first.tip(), vec![entry]) else { continue };
        for claim in [None, Some(first.first_seq())] {
            commit.entries[0].claim = claim;
            let mut state = begun.clone();
            state.apply(&commit);
            state.apply(&commit);
        }
    }
}

/// The state that a commit carries.
pub(crate) fn state(bytes: &[u8]) {
    let Some(data) = payload(bytes) else { return };
    let Some((first, mut begun)) = begun() else { return };
    let entries = vec![
        NewEntry::new(UnixMillis(2), EntryType::State, data),
        NewEntry::new(UnixMillis(2), EntryType::Event, Payload::parse("1".to_owned()).unwrap()),
    ];
    let Some(mut commit) = stored(first.tip(), entries) else { return };
    commit.state = commit.entries.first().map(|entry| entry.seq);
    begun.apply(&commit);
    let header = begun.header().clone();
    if let Ok(Some(mut resumed)) =
        SessionState::resume_with(header, &commit, &Extensions::default())
    {
        resumed.apply(&commit);
    }
}

/// A message through every lens.
pub(crate) fn read_by_lenses(bytes: &[u8]) {
    let Some(data) = payload(bytes) else { return };
    let mut pairing = lens::Pairing::default();
    for dialect in DIALECTS {
        let reading = lens::read(dialect, &data);
        pairing.message(sessile::Seq::FIRST, &reading);
        pairing.event(sessile::Seq::FIRST, &reading);
    }
    drop(pairing.report());
    drop(lens::title_from_prompt(data.as_str()));
}

/// A file of another program, as what it is taken for and as every format.
pub(crate) fn import(bytes: &[u8]) {
    let _ = detect(bytes);
    for format in Format::ALL {
        drop(parse(*format, Bytes::copy_from_slice(bytes)));
    }
}

/// A snapshot, of the library's own kind and of others'.
pub(crate) fn snapshot(bytes: &[u8]) {
    if let Ok(read) = Snapshot::decode(bytes) {
        let written = read.encode();
        let again = Snapshot::decode(written.as_bytes()).unwrap();
        assert_eq!(again.encode(), written);
    }
    if let Ok(read) = OwnSnapshot::decode(bytes) {
        let written = read.encode();
        assert_eq!(OwnSnapshot::decode(written.as_bytes()).unwrap().encode(), written);
    }
}

/// A binding.
pub(crate) fn read_binding(bytes: &[u8]) {
    let Ok(binding::Entry::Bound(read)) = binding::Entry::decode(bytes) else { return };
    let written = read.encode();
    match binding::Entry::decode(written.as_bytes()) {
        Ok(binding::Entry::Bound(again)) => assert_eq!(again, read),
        other => panic!("{other:?}"),
    }
}

/// A ledger of sessions.
pub(crate) fn read_ledger(bytes: &[u8]) {
    drop(ledger::decode(&Bytes::copy_from_slice(bytes)));
}

/// A session file of an older layout, as each of its parts.
pub(crate) fn session_files(bytes: &[u8]) {
    for part in Part::ALL {
        let mut files = SessionFiles::new("s");
        files.add(part, Content::of(bytes.to_vec()));
        if let Ok(whole) = files.read() {
            drop(whole.to_source());
        }
    }
}

/// An id, a space or a name, and how it is spelled in names of files.
pub(crate) fn id(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(id) = SessionId::from_str(text) {
        assert_eq!(spelling::to_session(&spelling::of_session(&id)), Some(id));
    }
    if let Ok(space) = Space::from_str(text) {
        assert_eq!(spelling::to_space(&spelling::of_space(&space)), Some(space));
    }
    if let Ok(name) = Name::from_str(text) {
        match spelling::to_name(&spelling::of_name(&name)) {
            spelling::Told::Name(told) => assert_eq!(told, name),
            spelling::Told::Inside => {}
            spelling::Told::Nothing => panic!("a name is spelled as none"),
        }
    }
    drop((CommitId::from_str(text), RequestId::from_str(text)));
    drop((spelling::to_session(text), spelling::to_space(text), spelling::to_name(text)));
}

/// The cursor of a page.
pub(crate) fn cursor(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(read) = Cursor::from_str(text) {
        assert_eq!(Cursor::from_str(&read.to_string()).unwrap().to_string(), read.to_string());
    }
}

/// The escapes of a place's text.
pub(crate) fn place(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    drop(percent::decoded(text));
}
