//! The block of a catalog: what was put into it comes back, and nothing that is altered passes.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use proptest::prelude::*;
use sessile_core::backend::{Gist, Recency, Scope};
use sessile_core::commit::Tip;
use sessile_core::digest::{Digest, Token};
use sessile_core::error::Occupant;
use sessile_core::fold::Lifecycle;
use sessile_core::id::SessionId;
use sessile_core::position::{Position, Seq};
use sessile_core::time::UnixMillis;

use super::super::index::Index;
use super::super::line::Line;
use super::super::packing::Packing;
use super::BOOT;
use crate::note::{Note, Noted};

type Sessions = BTreeMap<(Reverse<u64>, String), Noted>;

/// A session whose parts are there or not by the bits of a number.
fn noted(at: u64, bits: u32) -> Noted {
    let has = |bit: u32| bits & 1 << bit != 0;
    let token = has(0).then(|| Token::from_random([7; 16]));
    let tip = Tip { position: Position::new(u64::from(bits)).unwrap(), token };
    let text = format!("\u{fc}ber \t {bits}\n\\");
    let occupant = Occupant::new("r1", Seq::new(3).unwrap(), UnixMillis(4));
    let gist = Gist {
        tip,
        project: has(1).then(|| "a project".parse().unwrap()),
        owner: has(2).then(|| Digest::of(b"alice")),
        parent: has(3).then(|| "Ses_0".parse().unwrap()),
        created_at: UnixMillis(if has(4) { u64::MAX - at } else { at.saturating_sub(9) }),
        updated_at: UnixMillis(if has(5) { 0 } else { at }),
        title: has(6).then(|| if has(7) { text.into() } else { "".into() }),
        tags: if has(8) { Arc::new(["\n".to_owned(), String::new()]) } else { Arc::new([]) },
        lifecycle: [Lifecycle::Active, Lifecycle::Closed, Lifecycle::Deleted]
            [usize::from(has(9)) + usize::from(has(10))],
        damaged: has(11),
        incomplete: has(12),
        messages: u64::from(bits) << (bits % 30),
        occupant: has(13).then(|| occupant.labelled(has(14).then(|| "who".into()))),
    };
    let inode = if has(15) { u64::MAX } else { u64::from(bits) };
    let note = Note { updated_at: UnixMillis(at), tip, end: at, inode, mark: !at };
    Noted { note, gist: Some(Arc::new(gist)) }
}

fn sessions() -> impl Strategy<Value = Sessions> {
    let time = prop_oneof![0..9_u64, any::<u64>(), Just(u64::MAX)];
    let session = ("[a-zA-Z0-9_-]{1,3}", time, any::<u32>());
    proptest::collection::vec(session, 0..40).prop_map(|all| {
        // Each id once.
        let all: BTreeMap<_, _> = all.into_iter().map(|(id, at, bits)| (id, (at, bits))).collect();
        all.into_iter().map(|(id, (at, bits))| ((Reverse(at), id), noted(at, bits))).collect()
    })
}

/// A file with a block of sessions, some of which were told within an earlier boot.
fn file(sessions: &Sessions, former: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut first = String::new();
    Line::Boot(BOOT.into()).encode(&mut first);
    let mut bytes = first.into_bytes();
    let mut packing = Packing::begin();
    for ((_, id), noted) in sessions {
        assert!(packing.add(&id.parse().unwrap(), noted, !former(id)));
    }
    packing.encode(&mut bytes);
    bytes
}

fn index(bytes: &[u8], boot: &str) -> Index {
    let mut index = Index::default();
    index.take(&Bytes::copy_from_slice(bytes), Some(boot));
    index
}

/// What an index shows, in its order.
fn shown(index: &Index, after: Option<&Recency>) -> Vec<(u64, String, Arc<Gist>)> {
    let rows = index.after(&Scope::ALL, after).map(|standing| {
        let ((Reverse(at), id), gist) = standing.shown().unwrap();
        let gist = gist.or_else(|| index.get(&id)?.gist().cloned());
        (at.millis(), id.to_string(), gist.unwrap())
    });
    rows.collect()
}

fn expected(sessions: &Sessions) -> Vec<(u64, String, Arc<Gist>)> {
    let row = |((Reverse(at), id), noted): (&(Reverse<u64>, String), &Noted)| {
        (*at, id.clone(), noted.gist.clone().unwrap())
    };
    sessions.iter().map(row).collect()
}

fn few() -> Sessions {
    let session = |(at, id): (u64, &str)| ((Reverse(at), id.to_owned()), noted(at, 0x7f5f));
    [(9, "a"), (9, "b"), (7, "c"), (0, "d")].into_iter().map(session).collect()
}

proptest! {
    #[test]
    fn a_block_shows_what_was_put_into_it_from_any_place_on(all in sessions()) {
        let index = index(&file(&all, |_| false), BOOT);
        prop_assert!(index.is_sure() && !index.is_broken);
        let rows = expected(&all);
        prop_assert_eq!(&shown(&index, None), &rows);
        for (at, row) in rows.iter().enumerate() {
            let after = Recency { updated_at: UnixMillis(row.0), id: row.1.parse().unwrap() };
            prop_assert_eq!(&shown(&index, Some(&after))[..], &rows[at + 1..]);
        }
    }

    #[test]
    fn sessions_that_lines_tell_of_leave_the_block_and_nothing_else_moves(
        all in sessions(), told in sessions(), gone in any::<u32>()
    ) {
        let mut bytes = file(&all, |_| false);
        let mut left: BTreeMap<String, (u64, Noted)> = BTreeMap::new();
        for ((Reverse(at), id), noted) in all.iter().chain(&told) {
            left.insert(id.clone(), (*at, noted.clone()));
        }
        let mut lines = String::new();
        for ((_, id), noted) in &told {
            let id: SessionId = id.parse().unwrap();
            Line::Open("h:1".into(), id.clone()).encode(&mut lines);
            Line::Closed("h:1".into(), id, Some(noted.clone())).encode(&mut lines);
        }
        for (number, ((_, id), _)) in all.iter().enumerate() {
            if gone >> (number % 32) & 1 == 1 && left.remove(id).is_some() {
                Line::Gone(id.parse().unwrap()).encode(&mut lines);
            }
        }
        bytes.extend(lines.bytes());
        let index = index(&bytes, BOOT);
        let left: Sessions =
            left.into_iter().map(|(id, (at, noted))| ((Reverse(at), id), noted)).collect();
        prop_assert_eq!(shown(&index, None), expected(&left));
        prop_assert!(index.is_sure());
        prop_assert_eq!(index.len(), left.len());
    }

    #[test]
    fn no_bytes_make_a_block_do_more_than_be_refused(
        rows in any::<u64>(), lengths in any::<[u8; 3]>(), block in any::<Vec<u8>>()
    ) {
        use super::super::label::Label;
        let [numbers, texts, shared] = lengths.map(u64::from);
        let sum = crc32c::crc32c(&block);
        let mut text = String::new();
        Line::Block(Label { rows, numbers, texts, shared, sum }).encode(&mut text);
        let bytes = [text.as_bytes(), &block].concat();
        let index = index(&bytes, BOOT);
        prop_assert!(index.is_broken || index.len() == 0);
    }
}

#[test]
fn no_file_that_is_altered_or_cut_in_its_block_is_believed() {
    let whole = file(&few(), |_| false);
    assert!(index(&whole, BOOT).is_sure());
    let line_ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let first = line_ends.map(|(at, _)| at + 1).next().unwrap();
    for at in first..whole.len() {
        let mut altered = whole.clone();
        altered[at] ^= 1;
        for wrong in [&altered[..], &whole[..at]] {
            // A line that has no end yet is being written, and tells nothing so far.
            let index = index(wrong, BOOT);
            assert!(index.is_broken || index.len() == 0, "byte {at}");
            assert!(index.names.is_none());
        }
    }
    let twice = [&whole[..], &whole[first..]].concat();
    let twice = index(&twice, BOOT);
    assert!(twice.is_broken && twice.len() == few().len() && twice.names.is_none());
}

#[test]
fn a_block_is_sure_within_its_boot_only_and_but_for_those_of_an_earlier_one() {
    let whole = file(&few(), |_| false);
    let other = index(&whole, "another");
    assert_eq!((other.unsure().len(), other.len()), (few().len(), few().len()));
    assert_eq!(shown(&other, None), expected(&few()));
    let mixed = index(&file(&few(), |id| id == "b"), BOOT);
    assert_eq!(mixed.unsure(), ["b".parse().unwrap()]);
    assert_eq!(shown(&mixed, None), expected(&few()));
}

#[test]
fn names_that_lead_to_other_files_take_sessions_out_of_the_block() {
    let mut index = index(&file(&few(), |_| false), BOOT);
    let inode = few().values().next().unwrap().note.inode;
    let named = [("a", inode), ("b", inode + 1), ("new", 5), ("d", inode)];
    index.learn_names(named.into_iter().map(|(id, inode)| (id.parse().unwrap(), inode)).collect());
    let mut unsure = index.unsure();
    unsure.sort();
    assert_eq!(unsure, ["b".parse().unwrap(), "new".parse::<SessionId>().unwrap()]);
    let left: Vec<String> = shown(&index, None).into_iter().map(|row| row.1).collect();
    assert_eq!(left, ["a", "b", "d"]);
}

#[test]
fn what_many_have_in_common_stands_in_a_block_once() {
    let some = |count: u64| -> Sessions {
        let session = |at| ((Reverse(at), format!("s{at}")), noted(at, 0b1110));
        (0..count).map(session).collect()
    };
    let length = |count| file(&some(count), |_| false).len();
    // A session takes its id and some numbers, and not a project, an owner and a parent.
    assert!(length(101) - length(100) < 40, "{}", length(101) - length(100));
}
