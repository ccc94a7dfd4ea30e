//! The golden files, and how each comes to be.

use std::path::{Path, PathBuf};

use sessile_core::commit::{Commit, StoredCommit, Tip};
use sessile_core::digest::{Digest, Salt, Token};
use sessile_core::entry::{EntryType, Member, NewEntry};
use sessile_core::limits::Limits;
use sessile_core::line::encode_commit;
use sessile_core::payload::Payload;
use sessile_core::position::Seq;
use sessile_core::time::UnixMillis;

const SALT: Salt = Salt::from_random([0x00, 0xc0, 0xff, 0xee]);

/// Where the golden files lie.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/formats")
}

/// A journal's bytes, and where each commit ends in them.
pub(crate) struct Journal {
    pub(crate) bytes: Vec<u8>,
    ends: Vec<usize>,
    tip: Tip,
}

fn entry(entry_type: &str, data: &str) -> NewEntry {
    let data = Payload::parse(data.to_owned()).unwrap();
    NewEntry::new(UnixMillis(1_790_000_000_000), EntryType::from_name(entry_type), data)
}

impl Journal {
    /// A journal with its header.
    fn new(format: u32) -> Self {
        Self::begun(format, |_| {})
    }

    /// A journal with its header, whose first commit was changed since it was written.
    fn begun(format: u32, change: impl Fn(&mut StoredCommit)) -> Self {
        let mut journal = Self { bytes: Vec::new(), ends: Vec::new(), tip: Tip::ABSENT };
        let header = format!(
            r#"{{"format":{format},"id":"ses_golden","space":"default","created_at":1790000000000,
            "crc":"crc32c","salt":"{SALT}","file":"00112233445566778899aabbccddeeff",
            "dialect":"openai","project":"sh\u00f6p"}}"#
        );
        let title = entry("meta", r#"{"title":"Golden"}"#);
        journal.changed(vec![entry("session", &header), title], change);
        journal
    }

    fn commit(&mut self, entries: Vec<NewEntry>) {
        self.changed(entries, |_| {});
    }

    fn changed(&mut self, entries: Vec<NewEntry>, change: impl Fn(&mut StoredCommit)) {
        let synced = self.tip.position;
        let number = self.ends.len();
        let token = Token::from_digest(Digest::of(format!("token {number}").as_bytes()));
        let id = format!("commit-{number}").parse().unwrap();
        let commit = Commit::new(id, token, entries, &Limits::default()).unwrap();
        let mut stored = commit.stored_at(self.tip, synced).unwrap();
        change(&mut stored);
        encode_commit(&mut self.bytes, &stored, SALT);
        self.ends.push(self.bytes.len());
        self.tip = stored.tip();
    }

    /// A journal of a few commits with payloads that other parsers change.
    fn sample() -> Self {
        Self::new(1).with_sample()
    }

    /// The sample as a vacuum leaves it: its title was taken away later.
    fn vacuumed() -> Self {
        let empty = |first: &mut StoredCommit| {
            first.entries[1].data = Payload::parse("{}").unwrap();
            first.vacuumed = 1;
        };
        Self::begun(1, empty).with_sample()
    }

    fn with_sample(self) -> Self {
        let mut journal = self;
        journal
            .commit(vec![entry("message", r#"{"role":"user","content":"\ud83d caf\u00e9 語"}"#)]);
        journal.commit(vec![
            entry("message", r#"{"n":[2512292042121000001,1.0,-0.0,1e400],"n":"twice"}"#),
            entry("event", "\"raw \u{2028} and \\u0000\""),
            entry("meta", r#"{"title":null,"tags":["a"]}"#),
        ]);
        journal.commit(vec![entry("message", r#"{"text":",\"crc\":\"00000000\"}\n{\"seq\":9"}"#)]);
        journal.commit(vec![entry("close", "{}")]);
        journal
    }

    /// Overwrites a stretch that begins so many bytes into a commit.
    fn fill(mut self, commit: usize, from: usize, length: usize, byte: u8) -> Self {
        let start = self.ends[commit - 1] + from;
        self.bytes[start..start + length].fill(byte);
        self
    }

    fn cut(mut self, bytes: usize) -> Self {
        self.bytes.truncate(self.bytes.len() - bytes);
        self
    }
}

/// Types, members and numbers that only a newer writer uses.
fn foreign() -> Journal {
    let mut journal = Journal::new(1);
    let mut newer = entry("somebody.elses", r#"{"x":1}"#);
    newer.must = true;
    newer.claim = Seq::new(1);
    newer.seq = Seq::new(9);
    newer.extra =
        vec![Member { name: "new\u{e9}".into(), value: Payload::parse("[1, 2]").unwrap() }];
    let mut kept_apart = entry("message", "0");
    kept_apart.data = Payload::absent();
    kept_apart.must = true;
    kept_apart.extra =
        vec![Member { name: "blob".into(), value: Payload::parse("\"ab12\"").unwrap() }];
    journal.commit(vec![newer, entry("message", "1"), kept_apart]);
    journal.commit(vec![entry("barrier", r#"{"resolves":"commit-1"}"#)]);
    journal
}

/// Every golden file by name.
pub(crate) fn files() -> Vec<(&'static str, Vec<u8>)> {
    let sample = Journal::sample;
    let text = String::from_utf8(sample().bytes).unwrap();
    let mut padded = sample().bytes;
    padded.extend([b'\n'; 300]);
    padded.extend([0; 200]);
    let whole = sample();
    let last = whole.ends[3] - whole.ends[2];
    let first_line = text.get(whole.ends[1]..).unwrap().find('\n').unwrap();
    vec![
        ("sound.jsonl", sample().bytes),
        ("vacuumed.jsonl", Journal::vacuumed().bytes),
        ("padded.jsonl", padded),
        ("crlf.jsonl", text.replace('\n', "\r\n").into_bytes()),
        ("no-last-line-end.jsonl", sample().cut(1).bytes),
        ("foreign.jsonl", foreign().bytes),
        ("newer-format.jsonl", Journal::new(2).bytes),
        ("torn-last-line.jsonl", sample().cut(40).bytes),
        ("torn-commit.jsonl", sample().cut(whole.bytes.len() - whole.ends[1] - first_line).bytes),
        ("hole.jsonl", sample().fill(2, 30, 10, 0).bytes),
        ("lost-page.jsonl", sample().fill(3, 0, last, b'\n').bytes),
        ("flipped-line-end.jsonl", sample().fill(2, first_line, 1, b'x').bytes),
        ("damaged-to-the-end.jsonl", sample().cut(120).fill(3, 0, 100, 0).bytes),
        ("damaged-header.jsonl", {
            let mut bytes = sample().bytes;
            bytes[10] = b'?';
            bytes
        }),
    ]
}

/// What is committed is what is made here; `SESSILE_WRITE_FIXTURES=1` writes it anew.
#[test]
#[expect(clippy::disallowed_methods, reason = "golden files are written on demand")]
fn every_golden_file_is_what_this_version_writes() {
    let folder = folder().join("v1");
    for (name, bytes) in files() {
        let path = folder.join(name);
        if std::env::var_os("SESSILE_WRITE_FIXTURES").is_some() {
            std::fs::write(&path, &bytes).unwrap();
        }
        let committed = std::fs::read(&path).unwrap();
        assert!(committed == bytes, "{name} differs from what is written");
    }
    let there = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(there, files().len(), "a golden file that nobody makes");
}
