//! W7: compare and swap of a document of 4 KiB, durable.

use std::sync::Arc;

use anyhow::Result;
use bytes::Bytes;
use sessile::backend::{Backend as _, Collection, DocKey, NewDocument, Precondition};
use sessile::fs::{FsBackend, Options};
use sessile_core::Revision;
use sessile_core::digest::{Digest, Token};

use crate::effort::Effort;
use crate::floors::Slots;
use crate::peers::kind::Kind;
use crate::turns::{Entrant, Turn, Workload, timed, timed_async};

const SIZE: usize = 4 << 10;

/// Operations whose calls and bytes are counted.
const COUNTED: usize = 200;

pub(crate) fn workload(effort: Effort) -> Workload {
    let operations = effort.of(100, 20);
    let mut entrants = vec![
        Entrant::new("two slots in place + fdatasync", operations, |_, home| {
            let mut slots = Slots::create(&home.join("file"), SIZE)?;
            Ok(Box::new(move |operations| {
                timed(operations, |index| slots.swap(&body(u64::try_from(index)?)))
            }))
        })
        .counted(COUNTED),
        own_swap(operations).counted(COUNTED),
    ];
    entrants.extend(Kind::DATABASES.map(|kind| entrant(kind, operations).counted(COUNTED)));
    entrants.push(entrant(Kind::Jsonl, operations).counted(COUNTED));
    Workload { name: "w7", rounds: effort.of(10, 3), entrants }
}

/// Through the contract of backends, which is where documents are.
fn own_swap(operations: usize) -> Entrant {
    Entrant::new("sessile", operations, |ground, home| {
        let ground = Arc::clone(ground);
        let backend = ground.runtime.block_on(FsBackend::open(home, Options::default()))?;
        let collection = Collection { space: "default".parse()?, name: "settings".parse()? };
        let key = DocKey { collection, name: "limits".parse()? };
        let mut next = 0;
        Ok(Box::new(move |operations| {
            let swaps = timed_async(operations, async |_| {
                let expected = match next {
                    0 => Precondition::Absent,
                    _ => Precondition::Revision(revision(next - 1)),
                };
                let bytes = Bytes::from(body(next));
                let document = NewDocument { bytes, revision: revision(next), session: None };
                next += 1;
                Ok(backend.put(&key, document, expected).await?)
            });
            ground.runtime.block_on(swaps)
        }))
    })
}

fn entrant(kind: Kind, operations: usize) -> Entrant {
    let name = if kind == Kind::Jsonl { "temporary file + rename" } else { kind.name() };
    Entrant::new(name, operations, move |_, home| -> Result<Turn> {
        let mut peer = kind.open(home)?;
        let mut next = 0;
        Ok(Box::new(move |operations| {
            timed(operations, |_| {
                peer.swap(next, &body(next))?;
                next += 1;
                Ok(())
            })
        }))
    })
}

fn revision(number: u64) -> Revision {
    Revision::new(Token::from_digest(Digest::of(&number.to_be_bytes())))
}

/// A body that differs from the one before.
fn body(number: u64) -> Vec<u8> {
    number.to_be_bytes().repeat(SIZE / 8)
}
