//! The peers by name.

use std::path::Path;

use anyhow::Result;

use super::fjall::Fjall;
use super::jsonl::{self, Jsonl};
use super::peer::Peer;
use super::redb::Redb;
use super::sqlite::Sqlite;
use super::whole::Whole;

/// Which peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Redb,
    Fjall,
    Jsonl,
    Whole,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] =
        [Self::Sqlite, Self::Redb, Self::Fjall, Self::Jsonl, Self::Whole];

    /// Those that are databases.
    pub(crate) const DATABASES: [Self; 3] = [Self::Sqlite, Self::Redb, Self::Fjall];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Redb => "redb",
            Self::Fjall => "fjall",
            Self::Jsonl => "naive JSONL",
            Self::Whole => "whole JSON",
        }
    }

    /// Opens it in a folder, or makes it there.
    pub(crate) fn open(self, folder: &Path) -> Result<Box<dyn Peer>> {
        Ok(match self {
            Self::Sqlite => Box::new(Sqlite::open(folder)?),
            Self::Redb => Box::new(Redb::open(folder)?),
            Self::Fjall => Box::new(Fjall::open(folder)?),
            Self::Jsonl => Box::new(Jsonl::open(folder)),
            Self::Whole => Box::new(Whole::open(folder)),
        })
    }
}

/// The size of a session's lines without any index.
pub(crate) fn plain_size(folder: &Path, session: u64) -> Result<u64> {
    jsonl::size(folder, session)
}

#[cfg(test)]
mod tests {
    use super::super::peer::{self, Sync};
    use super::*;
    use crate::messages::{Message, Messages};

    #[test]
    fn every_peer_gives_back_what_it_was_given() {
        let messages = Messages::seeded().unwrap();
        let expected: Vec<Message> = messages.some(0, 2_100).cloned().collect();
        for kind in Kind::ALL {
            let folder = tempfile::tempdir().unwrap();
            let mut peer = kind.open(folder.path()).unwrap();
            peer::bulk(peer.as_mut(), 7, &messages, 2_000).unwrap();
            for message in messages.some(2_000, 100) {
                peer.append(7, &[message], Sync::Durable).unwrap();
            }
            drop(peer);
            let mut peer = kind.open(folder.path()).unwrap();
            assert!(peer.load(7).unwrap() == expected, "{kind:?}");
            assert!(peer.last(7, 50).unwrap() == expected[2_050..], "{kind:?}");
            peer.rename(7, "other").unwrap();
            peer.compact(7, 100, &expected[0]).unwrap();
            let kept: Vec<Message> = [&expected[..1], &expected[2_000..]].concat();
            assert!(peer.load(7).unwrap() == kept, "{kind:?}");
        }
    }

    #[test]
    fn databases_list_the_newest_first_and_swap_what_they_know() {
        let messages = Messages::seeded().unwrap();
        let few: Vec<Message> = messages.some(0, 3).cloned().collect();
        for kind in Kind::DATABASES {
            let folder = tempfile::tempdir().unwrap();
            let mut peer = kind.open(folder.path()).unwrap();
            peer.fill(0..20, &few).unwrap();
            peer.append(4, &[&few[0]], Sync::Durable).unwrap();
            peer.rename(4, "newest").unwrap();
            let page = peer.page(3).unwrap();
            let shown: Vec<_> = page.iter().map(|row| (row.session, &*row.title)).collect();
            assert_eq!(shown, [(4, "newest"), (19, "session 19"), (18, "session 18")], "{kind:?}");
            assert!(page.is_sorted_by(|a, b| a.updated > b.updated));
            peer.swap(0, b"one").unwrap();
            assert!(peer.swap(0, b"two").is_err(), "{kind:?}");
            peer.swap(1, b"two").unwrap();
        }
    }
}
