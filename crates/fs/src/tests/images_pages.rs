//! What a power cut may leave of the bytes of one file.

use std::collections::BTreeSet;
use std::slice;
use std::sync::Arc;

/// What is written to a disk by itself, before or after anything else.
const PAGE: usize = 4 << 10;

/// Up to so many pages and cuts, every choice of them is made; beyond, one from all and all but one.
const ALL_CHOICES: usize = 5;

/// In how many places a write is torn within what is no padding.
const TEARS: usize = 12;

/// One change of a file's bytes.
#[derive(Clone, Debug)]
enum Change {
    Write(usize, Vec<u8>),
    Cut(usize),
}

/// A file's bytes: those that stay, and what was done to them since they were synced.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    durable: Arc<Vec<u8>>,
    unsynced: Vec<Change>,
}

impl Contents {
    pub(super) fn durable(bytes: Vec<u8>) -> Self {
        Self { durable: Arc::new(bytes), unsynced: Vec::new() }
    }

    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        let offset = usize::try_from(offset).unwrap();
        self.unsynced.push(Change::Write(offset, bytes.to_vec()));
    }

    pub(super) fn cut(&mut self, size: u64) {
        self.unsynced.push(Change::Cut(usize::try_from(size).unwrap()));
    }

    pub(super) fn sync(&mut self) {
        self.durable = Arc::new(self.with(&self.unsynced));
        self.unsynced.clear();
    }

    /// Each state that may be found after a power cut, once.
    pub(super) fn left(&self) -> Vec<Arc<Vec<u8>>> {
        if self.unsynced.is_empty() {
            return vec![Arc::clone(&self.durable)];
        }
        let size = self.with(&self.unsynced).len();
        let mut left = BTreeSet::new();
        for kept in self.kept() {
            let bytes = self.with(&kept);
            if bytes.len() < size {
                // The size may be put down before the bytes are.
                let mut longer = bytes.clone();
                longer.resize(size, 0);
                left.insert(longer);
            }
            left.insert(bytes);
        }
        left.into_iter().map(Arc::new).collect()
    }

    /// The bytes after some of the changes.
    fn with(&self, changes: &[Change]) -> Vec<u8> {
        let mut bytes = self.durable.to_vec();
        for change in changes {
            match change {
                Change::Cut(size) => bytes.truncate(*size),
                Change::Write(offset, written) => {
                    let end = offset + written.len();
                    bytes.resize(bytes.len().max(end), 0);
                    bytes[*offset..end].copy_from_slice(written);
                }
            }
        }
        bytes
    }

    /// The choices of what was kept of the changes, in the order in which they were made.
    fn kept(&self) -> Vec<Vec<Change>> {
        let pieces: Vec<Change> = self.unsynced.iter().flat_map(pieces).collect();
        let count = pieces.len();
        let mut choices = BTreeSet::new();
        for at in 0..=count {
            choices.insert((0..count).map(|piece| piece < at).collect::<Vec<_>>());
            choices.insert((0..count).map(|piece| piece == at).collect());
            choices.insert((0..count).map(|piece| piece != at).collect());
        }
        if count <= ALL_CHOICES {
            let choose = |choice: u32| (0..count).map(|piece| choice >> piece & 1 == 1).collect();
            choices.extend((0..1 << count).map(choose));
        }
        // A size is put down apart from the pages.
        let is_cut = |piece: usize| matches!(pieces[piece], Change::Cut(_));
        for choice in choices.clone() {
            for cut in [true, false] {
                let chosen = |piece| if is_cut(piece) { cut } else { choice[piece] };
                choices.insert((0..count).map(chosen).collect());
            }
        }
        let choose = |choice: Vec<bool>| {
            let chosen = pieces.iter().zip(choice).filter(|(_, kept)| *kept);
            chosen.map(|(piece, _)| piece.clone()).collect()
        };
        let mut kept: Vec<Vec<Change>> = choices.into_iter().map(choose).collect();
        if let Some((Change::Write(offset, bytes), before)) = self.unsynced.split_last() {
            let is_write = |change: &&Change| matches!(change, Change::Write(..));
            let written: Vec<Change> = before.iter().filter(is_write).cloned().collect();
            for at in tears(bytes) {
                let (head, rest) = bytes.split_at(at);
                let head = Change::Write(*offset, head.to_vec());
                let rest = Change::Write(offset + at, rest.to_vec());
                for part in [head, rest] {
                    kept.push([before, slice::from_ref(&part)].concat());
                    kept.push([written.as_slice(), &[part]].concat());
                }
            }
        }
        kept
    }
}

/// A change, page by page.
fn pieces(change: &Change) -> Vec<Change> {
    let Change::Write(offset, bytes) = change else {
        return vec![change.clone()];
    };
    let mut pieces = Vec::new();
    let mut from = 0;
    while from < bytes.len() {
        let at = offset + from;
        let to = bytes.len().min(from + PAGE - at % PAGE);
        pieces.push(Change::Write(at, bytes[from..to].to_vec()));
        from = to;
    }
    pieces
}

/// Where a write may be torn: within what is no padding, and around its end.
fn tears(bytes: &[u8]) -> BTreeSet<usize> {
    let content = bytes.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
    let within = (0..TEARS).map(|part| content * part / TEARS).chain([1, 512]);
    let around = [content.saturating_sub(1), content, content + 1];
    let tears = within.chain(around);
    tears.filter(|at| (1..bytes.len()).contains(at)).collect()
}

#[test]
fn pages_sizes_cuts_and_torn_writes_are_each_kept_or_lost() {
    let mut contents = Contents::durable(b"old".to_vec());
    contents.cut(1);
    contents.write(1, &[b'x'; PAGE]);
    let left = contents.left();
    let has = |bytes: &[u8]| left.iter().any(|left| left.as_slice() == bytes);
    assert!(has(b"old") && has(b"o"), "all lost, the cut kept");
    let all = [b"o".as_slice(), &[b'x'; PAGE]].concat();
    assert!(has(&all) && has(&all[..PAGE]), "all kept, the last page lost");
    assert!(has(b"oxd") && has(&[b"o".as_slice(), &[0; PAGE]].concat()), "torn; zeros");
    contents.sync();
    assert_eq!(contents.left(), [Arc::new(all)]);
}
