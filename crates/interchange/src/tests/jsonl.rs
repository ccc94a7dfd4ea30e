use bytes::Bytes;
use sessile_core::entry::shape::Dialect;
use sessile_core::{ErrorKind, UnixMillis};

use super::{read, sessions, skipped};
use crate::{Format, parse};

#[test]
fn objects_with_a_role_are_messages_and_every_other_value_is_an_event() {
    let lines = [
        r#"{"role":"system","content":"be brief"}"#,
        r#"{"role":"user","content":"\n  What now? \n","timestamp":1767952800}"#,
        "42",
        r#""massive error""#,
        "[1]",
        r#"{"silly":"this"}"#,
        r#"{"role":null}"#,
        "nope",
    ];
    let source = read(Format::Jsonl, &lines);
    assert_eq!(sessions(&source), [("main", "1 2 3e 4e 5e 6e 7e".to_owned())]);
    assert_eq!(skipped(&source), [(8, "not JSON")]);
    let main = &source.sessions[0];
    assert_eq!(main.dialect, Dialect::Plain);
    assert_eq!(main.title.as_deref(), Some("What now?"));
    assert_eq!(main.created_at, Some(UnixMillis(1_767_952_800_000)));
    assert_eq!((&main.source_id, &main.model, &main.cwd), (&None, &None, &None));
    for (record, line) in main.records.iter().zip(lines) {
        assert_eq!(record.data.as_str(), line);
    }
}

#[test]
fn an_empty_file_is_a_session_without_records() {
    // One object is never empty.
    let of_lines = Format::OF_ONE_FILE.iter().filter(|format| **format != Format::Opencode);
    for format in of_lines {
        for file in ["", "\n \r\n"] {
            let source = parse(*format, Bytes::from_static(file.as_bytes())).unwrap();
            assert_eq!(sessions(&source), [("main", String::new())]);
            assert_eq!((source.format, source.lines), (*format, 0));
        }
    }
}

#[test]
fn a_file_of_which_nothing_is_readable_is_corrupt() {
    for format in Format::OF_ONE_FILE {
        for file in [&b"secret"[..], b"\0\0\0\0", b"\xff\xff\n\xfe", b"{\"torn\":"] {
            let error = parse(*format, Bytes::from_static(file)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
