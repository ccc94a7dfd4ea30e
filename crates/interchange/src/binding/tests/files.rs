use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use sessile_core::{ErrorKind, UnixMillis};

use crate::binding::{Binding, Entry, Unreadable, get, is_segment, path};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bindings").join(name)
}

pub(super) fn file(name: &str) -> Vec<u8> {
    fs::read(folder(name)).unwrap()
}

fn bound(name: &str) -> Binding {
    match Entry::decode(&file(name)).unwrap() {
        Entry::Bound(binding) => binding,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn what_is_read_is_written_byte_for_byte() {
    for name in ["sound.json", "any-signs.json", "unknown-members.json"] {
        assert_eq!(bound(name).encode().as_bytes(), file(name), "{name}");
    }
    let sound = bound("sound.json");
    assert_eq!(sound.session_id, "0199c3f2-5a10-7c44-9e0b-6d2f1a7b8c9d");
    assert_eq!((&*sound.harness, &*sound.driver), ("claude", "claude-code"));
    let times = (sound.created_at, sound.updated_at);
    assert_eq!(times, (UnixMillis(1_790_000_000_000), UnixMillis(1_790_000_360_500)));
    assert_eq!(bound("any-signs.json").session_id, "ses é \"\\\u{1f570}\n\u{7f}/\u{0}");
}

#[test]
fn order_and_white_space_make_no_difference() {
    assert_eq!(bound("spaced.json").encode().as_bytes(), file("sound.json"));
}

#[test]
fn what_binds_nothing_is_told_apart_from_damage() {
    assert_eq!(Entry::decode(&file("empty-id.json")).unwrap(), Entry::Unbound);
    assert_eq!(Entry::decode(&file("foreign.json")).unwrap(), Entry::Foreign);
    for name in ["empty-id.json", "foreign.json"] {
        assert_eq!(get(Some(&file(name)), Unreadable::Refuse).unwrap(), None, "{name}");
    }
    assert_eq!(get(None, Unreadable::Refuse).unwrap(), None);
}

#[test]
fn every_damaged_binding_is_refused_with_its_error_or_is_absent_by_policy() {
    let entries = fs::read_dir(folder("damaged")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    assert!(files.len() > 20);
    for pair in files.chunks(2) {
        let [told, damaged] = pair else { panic!("a file without its error") };
        assert_eq!(told.file_stem(), damaged.file_stem());
        let (told, bytes) = (fs::read_to_string(told).unwrap(), fs::read(damaged).unwrap());
        let error = Entry::decode(&bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{damaged:?}");
        assert_eq!(format!("{error}\n"), told, "{damaged:?}");
        assert!(get(Some(&bytes), Unreadable::Refuse).is_err());
        assert_eq!(get(Some(&bytes), Unreadable::TreatAsAbsent).unwrap(), None);
    }
}

#[test]
fn a_context_names_a_folder_if_it_is_one_segment_of_a_path() {
    for name in ["", ".", "..", ".x", "a/b", "a/", "/a", "../x", "/", "./a", "a//"] {
        assert!(!is_segment(name), "{name:?}");
        assert_eq!(path("record", name), None, "{name:?}");
        assert_eq!(path(name, "context"), None, "{name:?}");
    }
    for name in [
        "a",
        "ctx_1",
        "a b",
        "a.b",
        "a..",
        "..a".trim_start_matches('.'),
        "ü 時計",
        "\u{1}",
        "~",
        "CON",
    ] {
        assert!(is_segment(name), "{name:?}");
    }
    assert!(is_segment(&"x".repeat(1_000)));
    assert_eq!(path("capsule", "ctx 1"), Some(["capsule", "ctx 1", "harness-session.json"]));
}

#[test]
fn debug_tells_no_content() {
    let told = format!("{:?}", bound("unknown-members.json"));
    assert!(!told.contains("claude") && !told.contains("later"), "{told}");
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(
        session_id in ".+",
        harness in any::<String>(),
        driver in any::<String>(),
        at in any::<u64>(),
    ) {
        let binding = Binding::new(session_id, harness, driver, UnixMillis(at)).unwrap();
        let bytes = binding.encode();
        prop_assert_eq!(Entry::decode(bytes.as_bytes()).unwrap(), Entry::Bound(binding));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        prop_assert!(!matches!(Entry::decode(&bytes), Ok(Entry::Bound(_))));
    }

    #[test]
    fn spoiled_files_are_read_or_refused(at in 0_usize..190, with in any::<u8>(), keep in 1_usize..220) {
        let mut bytes = file("unknown-members.json");
        let length = bytes.len();
        bytes[at % length] = with;
        bytes.truncate(keep);
        if let Ok(Entry::Bound(binding)) = Entry::decode(&bytes) {
            let again = Entry::decode(binding.encode().as_bytes()).unwrap();
            prop_assert_eq!(again, Entry::Bound(binding));
        }
    }
}
