//! What lines come to, whoever wrote them and in what order.

use bytes::Bytes;
use sessile_core::backend::Scope;
use sessile_core::commit::Tip;
use sessile_core::id::SessionId;
use sessile_core::time::UnixMillis;

use super::folding;
use super::index::Index;
use super::line::Line;
use crate::note::{Note, Noted};
use crate::stamp::Stamp;

mod fixture;
mod packed;

const BOOT: &str = "this";

fn noted(at: u64, inode: u64) -> Noted {
    let note = Note { updated_at: UnixMillis(at), tip: Tip::ABSENT, end: at, inode, mark: 0 };
    Noted { note, gist: None }
}

fn id(name: &str) -> SessionId {
    name.parse().unwrap()
}

fn open(mark: &str, name: &str) -> Line {
    Line::Open(mark.into(), id(name))
}

fn closed(mark: &str, name: &str, at: Option<u64>) -> Line {
    Line::Closed(mark.into(), id(name), at.map(|at| noted(at, 1)))
}

/// The order that lines of a boot come to, and whether nothing has to be looked at for it.
fn told(boot: &str, lines: &[Line]) -> (Vec<String>, bool) {
    let mut text = String::new();
    Line::Boot(boot.into()).encode(&mut text);
    for line in lines {
        line.encode(&mut text);
    }
    let mut index = Index::default();
    index.take(&text.clone().into(), Some(BOOT));
    let order =
        index.after(&Scope::ALL, None).map(|standing| standing.shown().unwrap().0.1.to_string());
    (order.collect(), index.is_sure())
}

fn order(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn a_journal_that_was_let_go_of_is_sure_and_one_that_is_open_is_not() {
    let mut lines = vec![open("h:1", "a"), closed("h:1", "a", Some(1))];
    assert_eq!(told(BOOT, &lines), (order(&["a"]), true));
    lines.extend([open("h:2", "b"), open("g:1", "b"), closed("h:2", "b", Some(2))]);
    assert_eq!(told(BOOT, &lines), (order(&["b", "a"]), false), "another has it open");
    lines.push(closed("g:1", "b", Some(3)));
    assert_eq!(told(BOOT, &lines), (order(&["b", "a"]), true));
    lines.push(open("h:3", "a"));
    assert!(!told(BOOT, &lines).1);
    lines.push(closed("h:3", "a", None));
    assert!(!told(BOOT, &lines).1, "nobody says how it is left");
}

#[test]
fn nothing_is_sure_that_was_told_in_another_boot() {
    let lines = [open("h:1", "a"), closed("h:1", "a", Some(1))];
    assert_eq!(told("another", &lines), (order(&["a"]), false));
    let lines = [Line::Former(id("a"), noted(1, 1))];
    assert_eq!(told(BOOT, &lines), (order(&["a"]), false));
    let lines = [Line::Found(id("a"), noted(1, 1))];
    assert_eq!(told(BOOT, &lines), (order(&["a"]), true));
}

#[test]
fn what_somebody_found_is_nothing_where_others_have_opened_it_since() {
    let found = Line::Found(id("a"), noted(9, 1));
    let lines = [open("h:1", "a"), found.clone()];
    assert!(!told(BOOT, &lines).1);
    let lines =
        [Line::Found(id("b"), noted(5, 1)), open("h:1", "a"), closed("h:1", "a", Some(2)), found];
    assert_eq!(told(BOOT, &lines), (order(&["b", "a"]), true));
}

#[test]
fn a_broken_line_may_have_been_any() {
    let mut text = String::new();
    Line::Boot(BOOT.into()).encode(&mut text);
    closed("h:1", "a", Some(1)).encode(&mut text);
    let mut index = Index::default();
    index.take(&text.clone().into(), Some(BOOT));
    assert!(index.is_sure());
    index.take(&Bytes::from_static(b"deadbeef\to\th:2\ta\n"), Some(BOOT));
    assert!(!index.is_sure() && index.is_broken);
    assert_eq!(index.after(&Scope::ALL, None).count(), 1);
}

#[test]
fn sessions_move_and_go_in_the_order() {
    let mut lines =
        vec![closed("h:1", "a", Some(1)), closed("h:2", "b", Some(2)), closed("h:3", "c", Some(2))];
    assert_eq!(told(BOOT, &lines).0, order(&["b", "c", "a"]));
    lines.push(closed("h:4", "a", Some(3)));
    lines.push(Line::Gone(id("c")));
    assert_eq!(told(BOOT, &lines).0, order(&["a", "b"]));
}

#[test]
fn a_fold_tells_which_names_there_are_only_if_it_tells_of_all_of_them() {
    let names = Line::Names(Stamp { device: 1, inode: 2, changed: 3 });
    let mut text = String::new();
    Line::Boot(BOOT.into()).encode(&mut text);
    let [open, closed] = [open("dead:1", "a"), closed("h:1", "b", Some(1))];
    for line in [open, closed, names] {
        line.encode(&mut text);
    }
    for (is_there, names_are_told) in [(true, true), (false, false)] {
        let mut index = Index::default();
        index.take(&text.clone().into(), Some(BOOT));
        index.release(&mut |_| is_there);
        let (block, lines) = folding::folded(&mut index, None);
        let mut folded = Index::default();
        let boot = text.split_inclusive('\n').next().unwrap();
        folded.take(&[boot.as_bytes(), &block, lines.as_bytes()].concat().into(), Some(BOOT));
        assert_eq!(folded.names.is_some(), names_are_told);
        assert_eq!(folded.ids().any(|it| it == id("a")), is_there, "it has nothing to say of it");
        assert!(folded.ids().any(|it| it == id("b")));
    }
}
