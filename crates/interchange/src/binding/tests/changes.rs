use sessile_core::{ErrorKind, UnixMillis};

use super::files::file;
use crate::binding::{Binding, Change, Entry, NewBinding, Unreadable, bind, put};

const FIRST: UnixMillis = UnixMillis(1_790_000_000_000);
const LAST: UnixMillis = UnixMillis(1_790_000_360_500);

fn new(session_id: &str) -> NewBinding<'_> {
    NewBinding { session_id, harness: "codex", driver: "codex-exec" }
}

/// What is written, and the id that it replaces.
fn written(change: Change) -> (Binding, Option<String>) {
    let Change::Write { bytes, replaced } = change else { panic!("something is written") };
    let Entry::Bound(binding) = Entry::decode(bytes.as_bytes()).unwrap() else { panic!("bound") };
    (binding, replaced)
}

#[test]
fn the_first_binding_begins_when_it_is_made() {
    let change = put(None, &new("q"), FIRST, Unreadable::Refuse).unwrap();
    let (binding, replaced) = written(change);
    assert_eq!((binding.created_at, binding.updated_at), (FIRST, FIRST));
    assert_eq!((&*binding.session_id, &*binding.harness, replaced), ("q", "codex", None));
}

#[test]
fn binding_again_keeps_when_it_was_first_bound_and_the_last_write_never_falls() {
    let old = file("sound.json");
    for (now, updated_at) in [(LAST.millis() + 5, LAST.millis() + 5), (7, LAST.millis())] {
        let change = put(Some(&old), &new("q"), UnixMillis(now), Unreadable::Refuse).unwrap();
        let (binding, replaced) = written(change);
        assert_eq!((binding.created_at, binding.updated_at), (FIRST, UnixMillis(updated_at)));
        assert_eq!(replaced.as_deref(), Some("0199c3f2-5a10-7c44-9e0b-6d2f1a7b8c9d"));
    }
}

#[test]
fn members_that_are_not_known_outlive_a_change() {
    let old = file("unknown-members.json");
    let change = put(Some(&old), &new("q"), LAST, Unreadable::Refuse).unwrap();
    let Change::Write { bytes, .. } = change else { panic!("something is written") };
    assert!(bytes.ends_with(r#","later":{"b":1.50,"a":[1e400,"\ud83d"]},"é":null}"#), "{bytes}");
}

#[test]
fn an_empty_id_does_nothing_whatever_is_there() {
    let damaged = b"{".as_slice();
    for old in [None, Some(&*file("sound.json")), Some(&*file("foreign.json")), Some(damaged)] {
        let change = put(old, &new(""), LAST, Unreadable::Refuse).unwrap();
        assert_eq!(change, Change::Nothing);
        let change = bind(old, None, &new(""), LAST, Unreadable::Refuse).unwrap();
        assert_eq!(change, Change::Nothing);
    }
}

#[test]
fn what_is_not_ours_or_not_readable_is_overwritten_by_policy_only() {
    let kind = |old: &[u8]| put(Some(old), &new("q"), LAST, Unreadable::Refuse).unwrap_err().kind();
    assert_eq!(kind(&file("foreign.json")), ErrorKind::Exists);
    assert_eq!(kind(b"{"), ErrorKind::Corrupt);
    for old in [&*file("foreign.json"), b"{".as_slice()] {
        let change = put(Some(old), &new("q"), LAST, Unreadable::TreatAsAbsent).unwrap();
        let (binding, replaced) = written(change);
        assert_eq!((binding.created_at, replaced), (LAST, None));
    }
}

#[test]
fn an_empty_id_in_the_file_is_replaced_like_none() {
    let change = put(Some(&file("empty-id.json")), &new("q"), LAST, Unreadable::Refuse).unwrap();
    let (binding, replaced) = written(change);
    assert_eq!((binding.created_at, replaced), (LAST, None));
}

#[test]
fn binding_where_something_else_is_expected_is_a_conflict_that_names_what_is_bound() {
    let bound = "0199c3f2-5a10-7c44-9e0b-6d2f1a7b8c9d";
    let old = file("sound.json");
    let bind = |old: Option<&[u8]>, expected: Option<&str>, id: &str| {
        bind(old, expected, &new(id), LAST, Unreadable::Refuse)
    };
    assert!(matches!(bind(None, None, "q"), Ok(Change::Write { .. })));
    assert!(matches!(bind(Some(&old), Some(bound), "q"), Ok(Change::Write { .. })));
    assert_eq!(bind(Some(&old), None, bound).unwrap(), Change::Nothing);
    assert_eq!(bind(Some(&old), Some("other"), bound).unwrap(), Change::Nothing);
    let error = bind(Some(&old), None, "q").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(error.to_string(), format!("the context is bound to session {bound}"));
    let error = bind(None, Some(bound), "q").unwrap_err();
    assert_eq!(error.to_string(), "the context is bound to no session");
}
