use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sessile_core::{EntryType, UnixMillis};

use crate::json::{self, Value};
use crate::session_files::{Content, Folder, Header, Part, SessionFiles, Whole, list, write};

/// Where the files of a case lie.
pub(super) fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/session-files").join(case)
}

/// The sessions below a root, as a reader finds them.
pub(super) fn found(case: &str) -> BTreeMap<String, SessionFiles> {
    let mut sessions = BTreeMap::new();
    for of in [Folder::Sessions, Folder::Messages] {
        let Ok(entries) = fs::read_dir(folder(case).join(of.name())) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let Some((part, id)) = Part::of(of, name) else { continue };
            let files = sessions.entry(id.to_owned()).or_insert_with(|| SessionFiles::new(id));
            files.add(part, Content::of(fs::read(&path).unwrap()));
        }
    }
    sessions
}

/// Messages as the first words of what they say.
pub(super) fn said(whole: &Whole) -> Vec<String> {
    let text = |text: &str| {
        let value = json::parse(text).unwrap();
        let content = value.as_object().unwrap().get("content").and_then(Value::as_text);
        let content = content.map_or_else(|| "-".into(), |text| text.to_lossy());
        content.split(' ').next().unwrap().to_owned()
    };
    whole.messages().map(|message| text(message.as_str())).collect()
}

#[test]
fn a_session_is_listed_once_newest_first_whatever_files_it_has() {
    let sessions = found("current");
    let listing = list(sessions.values());
    assert_eq!(listing.damaged, []);
    let told: Vec<_> = listing
        .sessions
        .iter()
        .map(|it| (&*it.id, it.updated_at().map(UnixMillis::millis), it.parts.clone()))
        .collect();
    assert_eq!(
        told,
        [
            ("ses_18f3_2", Some(1_790_000_400_000), vec![Part::Log]),
            ("ses_18f3_1", Some(1_790_000_300_000), vec![Part::Log]),
            ("ses_18f3_3", None, vec![Part::Log]),
            ("ses_18f3_4", None, vec![Part::Log]),
        ]
    );
}

#[test]
fn what_is_read_of_a_log_is_written_byte_for_byte() {
    let sessions = found("current");
    for id in ["ses_18f3_1", "ses_18f3_2"] {
        let whole = sessions[id].read().unwrap();
        let written = write(whole.header.as_ref().unwrap(), whole.messages());
        let file = fs::read(folder("current").join(Part::Log.path(id))).unwrap();
        assert_eq!(written.bytes.as_bytes(), file, "{id}");
        assert_eq!(written.left_out, [0_usize; 0]);
    }
}

#[test]
fn a_header_says_what_is_known_of_a_session() {
    let whole = found("current")["ses_18f3_1"].read().unwrap();
    let header = whole.header.as_ref().unwrap();
    assert_eq!(header.title.as_deref(), Some("The café's \u{1f570} clock"));
    assert_eq!(header.model.as_deref(), Some("m-1"));
    assert_eq!(header.cwd.as_deref(), Some("/home/ida/clock"));
    assert_eq!(header.parent_id, None);
    assert_eq!(header.created_at, UnixMillis(1_790_000_000_000));
    assert_eq!(whole.title(), "The café's \u{1f570} clock");
    assert_eq!((whole.skipped.len(), whole.notices.len(), whole.repeated), (0, 0, 0));
    assert_eq!(said(&whole), ["Why", "-", "12:01", "The"]);
    assert_eq!(whole.records[0].record.entry_type, EntryType::Event, "the header line");

    let session = whole.to_session();
    assert_eq!(session.source_id.as_deref(), Some("ses_18f3_1"));
    assert_eq!(session.records.len(), 5);
    assert_eq!(session.records.iter().map(|it| it.line).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
}

#[test]
fn members_that_are_not_known_stay_in_a_header() {
    let whole = found("current")["ses_18f3_2"].read().unwrap();
    let mut header = whole.header.unwrap();
    assert_eq!(header.parent_id.as_deref(), Some("ses_18f3_1"));
    header.updated_at = UnixMillis(7);
    assert!(header.encode().ends_with(r#""updated_at":7,"later":{"b":1.50,"a":"\ud83d"}}"#));
}

#[test]
fn a_transcript_without_a_header_is_a_session_and_has_a_title_of_its_prompt() {
    let sessions = found("current");
    let whole = sessions["ses_18f3_3"].read().unwrap();
    assert_eq!(whole.header, None);
    assert_eq!(said(&whole), ["\n", "Done."]);
    assert_eq!(whole.title(), "Count the wheels, and say which of them is worn out; then or");
    assert_eq!(sessions["ses_18f3_4"].read().unwrap().title(), "New session");
}

#[test]
fn files_of_other_names_are_no_part_of_a_session() {
    for (folder, name) in [
        (Folder::Sessions, "ses_1.4242.tmp"),
        (Folder::Sessions, "ses_1"),
        (Folder::Sessions, ".jsonl"),
        (Folder::Sessions, "ses_1.JSONL"),
        (Folder::Messages, "ses_1.txt"),
    ] {
        assert_eq!(Part::of(folder, name), None, "{name}");
    }
    for part in Part::ALL {
        let path = part.path("a.b c");
        let (folder, name) = path.split_once('/').unwrap();
        assert_eq!(folder, part.folder().name());
        assert_eq!(Part::of(part.folder(), name), Some((part, "a.b c")));
    }
}

#[test]
fn what_is_no_message_of_this_kind_is_left_out_and_told() {
    let payload = |text: &str| sessile_core::Payload::parse(text.to_owned()).unwrap();
    let messages = [
        payload(r#"{ "role":"user","content":"a"}"#),
        payload(r#"{"type":"assistant","role":"assistant"}"#),
        payload(r#"{"content":"b"}"#),
        payload("[1]"),
        payload(r#"{"role":"user","type":"message"}"#),
    ];
    let header = Header::new("ses_1", UnixMillis(5)).unwrap();
    let written = write(&header, &messages);
    assert_eq!(
        written.bytes,
        concat!(
            "{\"type\":\"session\",\"id\":\"ses_1\",\"created_at\":5,\"updated_at\":5}\n",
            "{\"type\":\"message\",\"role\":\"user\",\"content\":\"a\"}\n",
            "{\"role\":\"user\",\"type\":\"message\"}\n",
        )
    );
    assert_eq!(written.left_out, [1, 2, 3]);
    assert_eq!(Header::new("", UnixMillis(5)), None);
    let mut header = header;
    header.title = Some("secret".to_owned());
    let debug = format!("{written:?} {header:?}");
    assert!(!debug.contains("secret") && !debug.contains("role"), "{debug}");
}
