//! The file of a catalog, byte for byte: what `docs/formats.md` says of it.

use std::sync::Arc;

use bytes::Bytes;
use sessile_core::backend::{Gist, Scope};
use sessile_core::commit::Tip;
use sessile_core::digest::{Digest, Token};
use sessile_core::error::Occupant;
use sessile_core::fold::Lifecycle;
use sessile_core::position::{Position, Seq};
use sessile_core::time::UnixMillis;

use super::super::index::Index;
use super::super::line::Line;
use super::super::packing::Packing;
use super::{BOOT, closed, id, noted, open};
use crate::note::{Note, Noted};
use crate::stamp::Stamp;

/// A row: its id, whether it was told within this boot, and what is told.
type Row = (&'static str, bool, Noted);

fn fixture() -> Bytes {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/formats/catalog/recency");
    std::fs::read(path).unwrap().into()
}

/// A session of which nothing is told that may be missing.
fn plain(at: u64, inode: u64) -> (Note, Gist) {
    let tip = Tip { position: Position::new(at % 100).unwrap(), token: None };
    let note = Note { updated_at: UnixMillis(at), tip, end: 300, inode, mark: at };
    let gist = Gist {
        tip,
        project: None,
        owner: None,
        parent: None,
        created_at: UnixMillis(at),
        updated_at: UnixMillis(at),
        title: None,
        tags: Arc::new([]),
        lifecycle: Lifecycle::Active,
        damaged: false,
        incomplete: false,
        messages: 0,
        occupant: None,
    };
    (note, gist)
}

/// The rows of the block, newest first.
fn rows() -> Vec<Row> {
    let row = |id, is_sure, (note, gist): (Note, Gist)| {
        (id, is_sure, Noted { note, gist: Some(Arc::new(gist)) })
    };
    // One that has it all.
    let (mut note, mut gist) = plain(1_700_000_000_123, 4_000_000_000);
    note.tip.token = Some(Token::from_random([0xa5; 16]));
    (note.end, note.mark) = (70_000, u64::MAX - 1);
    let occupant = Occupant::new("req\t1", Seq::new(300).unwrap(), UnixMillis(1_700_000_000_100));
    let whole = Gist {
        tip: note.tip,
        project: Some("a\\b \u{1f600}".parse().unwrap()),
        owner: Some(Digest::of(b"alice")),
        parent: Some("Ses_0".parse().unwrap()),
        created_at: UnixMillis(1_600_000_000_000),
        updated_at: UnixMillis(1_700_000_000_999),
        title: Some("\u{fc}ber\ttwo\nlines".into()),
        tags: Arc::new(["\n".to_owned(), ".".to_owned(), String::new()]),
        lifecycle: Lifecycle::Closed,
        damaged: true,
        incomplete: true,
        messages: 1_000,
        occupant: Some(occupant.labelled(Some("who.".into()))),
    };
    let all = row("Ses_all", true, (note, whole));
    // Two of one time that have the same in common, one of which an earlier boot told of.
    gist.project = Some("shared".parse().unwrap());
    let of_one_time = |inode| {
        let (note, plain) = plain(1_699_999_999_999, inode);
        (note, Gist { project: gist.project.clone(), messages: 127, ..plain })
    };
    let former = row("b", false, of_one_time(128));
    let sure = row("c", true, of_one_time(127));
    // One whose title is empty, which none is not.
    let (note, gist) = plain(7, u64::MAX);
    let gist = Gist { title: Some("".into()), lifecycle: Lifecycle::Deleted, ..gist };
    vec![all, former, sure, row("deleted", true, (note, gist)), row("oldest", true, plain(0, 0))]
}

/// One line of each kind, in an order that makes sense.
fn lines() -> Vec<Line> {
    let rows = rows();
    let told = |at: usize| rows.get(at).map(|row| row.2.clone()).unwrap();
    let bare = |at: usize| Noted { gist: None, ..told(at) };
    vec![
        open("open-12-0:1", "c"),
        closed("open-12-0:1", "c", None),
        open("open-12-0:a", "new"),
        Line::Closed("open-12-0:a".into(), id("new"), Some(told(0))),
        Line::Found(id("found"), bare(3)),
        Line::Former(id("former"), told(1)),
        Line::Found(id("told"), noted(5, 6)),
        Line::Found(id("told"), bare(2)),
        Line::Told(id("told"), told(2).gist.unwrap()),
        Line::Gone(id("oldest")),
        Line::Names(Stamp { device: 0xfd00, inode: 12, changed: 1_700_000_001_000_000_000 }),
    ]
}

/// The file: its boot, its block, and lines.
fn written() -> Vec<u8> {
    let mut text = String::new();
    Line::Boot(BOOT.into()).encode(&mut text);
    let mut bytes = text.into_bytes();
    let mut packing = Packing::begin();
    for (name, is_sure, noted) in rows() {
        assert!(packing.add(&id(name), &noted, is_sure), "{name}");
    }
    packing.encode(&mut bytes);
    let mut text = String::new();
    for line in lines() {
        line.encode(&mut text);
    }
    bytes.extend(text.into_bytes());
    bytes
}

/// What an index shows of a session by its id.
fn shown(index: &Index, name: &str) -> Option<(u64, Arc<Gist>)> {
    let standing = index.after(&Scope::ALL, None);
    let mut shown = standing.map(|standing| standing.shown().unwrap());
    let (place, gist) = shown.find(|((_, is), _)| *is == id(name))?;
    let gist = gist.or_else(|| index.get(&id(name))?.gist().cloned())?;
    Some((place.0.0.millis(), gist))
}

#[test]
fn a_catalog_is_written_as_the_fixture_is() {
    assert_eq!(written().escape_ascii().to_string(), fixture().escape_ascii().to_string());
}

#[test]
fn the_block_of_the_fixture_is_read_row_by_row() {
    let (bytes, lines) = (fixture(), lines());
    let mut behind = String::new();
    for line in &lines {
        line.encode(&mut behind);
    }
    let block = bytes.slice(..bytes.len() - behind.len());
    let mut index = Index::default();
    assert_eq!(index.take(&block, Some(BOOT)), block.len());
    assert!(!index.is_broken);
    assert_eq!(index.len(), rows().len());
    assert_eq!(index.unsure(), [id("b")]);
    for (name, _, Noted { note, gist }) in rows() {
        assert_eq!(shown(&index, name), Some((note.updated_at.millis(), gist.unwrap())), "{name}");
        assert_eq!(index.inode_of(&id(name)), Some(note.inode), "{name}");
    }
    index.unpack_all();
    for (name, _, noted) in rows() {
        assert_eq!(index.get(&id(name)).unwrap().noted, Some(noted), "{name}");
    }
    let told: Vec<Line> =
        bytes.slice(block.len()..).split(|byte| *byte == b'\n').filter_map(Line::decode).collect();
    assert_eq!(told, lines);
}

#[test]
fn the_lines_of_the_fixture_change_what_its_block_tells() {
    let bytes = fixture();
    let mut index = Index::default();
    assert_eq!(index.take(&bytes, Some(BOOT)), bytes.len());
    assert!(!index.is_broken);
    assert_eq!(index.names.map(|stamp| stamp.inode), Some(12));
    let order = index.after(&Scope::ALL, None).map(|it| it.shown().unwrap().0.1.to_string());
    let order: Vec<String> = order.collect();
    assert_eq!(order, ["Ses_all", "new", "b", "c", "former", "told", "deleted", "found"]);
    let mut unsure = index.unsure();
    unsure.sort();
    assert_eq!(unsure, [id("b"), id("c"), id("former")]);
    assert_eq!(shown(&index, "new").unwrap().1, shown(&index, "Ses_all").unwrap().1);
    assert_eq!(shown(&index, "told").unwrap().1, shown(&index, "c").unwrap().1);
}
