use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use sessile_core::{Payload, UnixMillis};

use crate::lines;
use crate::session_files::{Content, Header, Part, SessionFiles, list, write};

fn any_header() -> impl Strategy<Value = Header> {
    let texts = [(); 4].map(|()| proptest::option::of(any::<String>()));
    (texts, any::<u64>(), any::<u64>()).prop_map(|([title, model, cwd, parent_id], at, then)| {
        let mut header = Header::new("ses_1", UnixMillis(at)).unwrap();
        (header.title, header.model, header.cwd) = (title, model, cwd);
        (header.parent_id, header.updated_at) = (parent_id, UnixMillis(then));
        header
    })
}

fn any_message() -> impl Strategy<Value = Payload> {
    ("user|assistant|tool", any::<String>()).prop_map(|(role, content)| {
        Payload::of(&serde_json::json!({"role": role, "content": content})).unwrap()
    })
}

fn log(bytes: impl Into<Bytes>) -> SessionFiles {
    let mut files = SessionFiles::new("ses_1");
    files.add(Part::Log, Content::of(bytes));
    files
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(
        header in any_header(),
        messages in vec(any_message(), 0..6),
    ) {
        let written = write(&header, &messages);
        prop_assert_eq!(written.left_out.len(), 0);
        let whole = log(written.bytes.clone()).read().unwrap();
        prop_assert_eq!(whole.header.as_ref(), Some(&header));
        prop_assert_eq!(write(&header, whole.messages()), written);
        prop_assert_eq!(whole.messages().count(), messages.len());
    }

    #[test]
    fn any_older_messages_stand_before_any_newer_ones(
        older in vec(any_message(), 0..5),
        newer in vec(any_message(), 0..5),
        migrated in any::<bool>(),
    ) {
        let lines: Vec<&str> = older.iter().map(Payload::as_str).collect();
        let header = Header::new("ses_1", UnixMillis(1)).unwrap();
        let log_of = if migrated { [older.clone(), newer.clone()].concat() } else { newer.clone() };
        let mut files = log(write(&header, &log_of).bytes);
        files.add(Part::Lines, Content::of(lines.join("\n")));
        let whole = files.read().unwrap();
        let told: Vec<String> = whole
            .messages()
            .map(|it| it.as_str().replacen(r#"{"type":"message","#, "{", 1))
            .collect();
        let all: Vec<String> = [older.clone(), newer.clone()]
            .concat()
            .iter()
            .map(|it| it.as_str().to_owned())
            .collect();
        let repeats = newer.starts_with(&older);
        prop_assert!(told == all || (!migrated && repeats), "{told:?} {all:?}");
    }

    #[test]
    fn any_bytes_are_read_without_losing_a_line(
        bytes in vec(prop_oneof![any::<u8>(), proptest::sample::select(b"{}[]\":,\n1".to_vec())], 0..300),
        part in proptest::sample::select(Part::ALL.to_vec()),
    ) {
        let mut files = SessionFiles::new("ses_1");
        files.add(part, Content::of(bytes.clone()));
        list([&files]);
        if let Ok(whole) = files.read() && matches!(part, Part::Log | Part::Lines) {
            let count = lines::split(&bytes).count();
            prop_assert_eq!(whole.records.len() + whole.skipped.len(), count);
        }
    }

    #[test]
    fn a_log_cut_anywhere_keeps_every_whole_line(
        messages in vec(any_message(), 1..5),
        cut in any::<prop::sample::Index>(),
    ) {
        let header = Header::new("ses_1", UnixMillis(1)).unwrap();
        let bytes = write(&header, &messages).bytes.into_bytes();
        let kept = &bytes[..cut.index(bytes.len() + 1)];
        let ends = kept.split(|byte| *byte == b'\n').count() - 1;
        let whole = log(kept.to_vec()).read().unwrap();
        prop_assert!(whole.messages().count() >= ends.saturating_sub(1));
    }
}
