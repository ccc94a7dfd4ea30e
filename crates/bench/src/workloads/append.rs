//! W1: one message, durable when the call is answered, one after the other.

use std::sync::Arc;

use anyhow::Result;
use sessile::prelude::*;
use tokio::runtime::Builder;

use crate::effort::Effort;
use crate::floors::{Growing, Zeroed};
use crate::hop::Hop;
use crate::own;
use crate::peers::kind::Kind;
use crate::peers::peer::Sync;
use crate::turns::{Entrant, Turn, Workload, timed, timed_async};

/// Operations whose calls and bytes are counted.
const COUNTED: usize = 400;

pub(crate) fn workload(effort: Effort) -> Workload {
    let operations = effort.of(200, 50);
    let mut entrants = vec![
        Entrant::new("append + fdatasync", operations, |ground, home| {
            let (ground, mut file) = (Arc::clone(ground), Growing::create(&home.join("file"))?);
            let mut next = 0..;
            Ok(Box::new(move |operations| {
                timed(operations, |_| file.append(ground.messages.line(next.next().unwrap_or(0))?))
            }))
        })
        .counted(COUNTED),
        Entrant::new("pre-zeroed + fdatasync", operations, |ground, home| {
            let ground = Arc::clone(ground);
            let mut file = Zeroed::create(&home.join("file"), 4 << 20)?;
            let mut next = 0..;
            Ok(Box::new(move |operations| {
                timed(operations, |_| file.append(ground.messages.line(next.next().unwrap_or(0))?))
            }))
        })
        .counted(COUNTED),
        own_append(operations).counted(COUNTED),
        own_append_on_one_thread(operations),
    ];
    entrants.extend(Kind::DATABASES.map(|kind| hopping(kind, operations).counted(COUNTED)));
    entrants.extend(
        [Kind::Sqlite, Kind::Fjall, Kind::Redb, Kind::Jsonl].map(|kind| blocking(kind, operations)),
    );
    entrants.push(blocking(Kind::Whole, effort.of(20, 5)));
    Workload { name: "w1", rounds: effort.of(10, 3), entrants }
}

fn own_append(operations: usize) -> Entrant {
    Entrant::new("sessile", operations, |ground, home| {
        let ground = Arc::clone(ground);
        let session = ground.runtime.block_on(async {
            let store = own::open(home).await?;
            anyhow::Ok(store.create_as(own::ID, NewSession::new()).await?)
        })?;
        let mut next = 0..;
        Ok(Box::new(move |operations| {
            let appends = timed_async(operations, async |_| {
                let message = ground.messages.typed(next.next().unwrap_or(0))?;
                Ok(session.append([message]).await?)
            });
            ground.runtime.block_on(appends)
        }))
    })
}

fn own_append_on_one_thread(operations: usize) -> Entrant {
    Entrant::new("sessile, runtime of one thread", operations, |ground, home| {
        let ground = Arc::clone(ground);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let session = runtime.block_on(async {
            let store = own::open(home).await?;
            anyhow::Ok(store.create_as(own::ID, NewSession::new()).await?)
        })?;
        let mut next = 0..;
        Ok(Box::new(move |operations| {
            let appends = timed_async(operations, async |_| {
                let message = ground.messages.typed(next.next().unwrap_or(0))?;
                Ok(session.append([message]).await?)
            });
            runtime.block_on(appends)
        }))
    })
}

fn hopping(kind: Kind, operations: usize) -> Entrant {
    let name = match kind {
        Kind::Sqlite => "SQLite, async hop",
        Kind::Redb => "redb, async hop",
        Kind::Fjall => "fjall, async hop",
        Kind::Jsonl | Kind::Whole => "files, async hop",
    };
    Entrant::new(name, operations, move |ground, home| {
        let (ground, hop) = (Arc::clone(ground), Hop::new(ground, kind.open(home)?));
        let mut next = 0..;
        Ok(Box::new(move |operations| {
            let appends =
                timed_async(operations, async |_| hop.append(0, next.next().unwrap_or(0)).await);
            ground.runtime.block_on(appends)
        }))
    })
}

fn blocking(kind: Kind, operations: usize) -> Entrant {
    Entrant::new(kind.name(), operations, move |ground, home| -> Result<Turn> {
        let (ground, mut peer) = (Arc::clone(ground), kind.open(home)?);
        let mut next = 0..;
        Ok(Box::new(move |operations| {
            timed(operations, |_| {
                let message = ground.messages.typed(next.next().unwrap_or(0))?;
                peer.append(0, &[message], Sync::Durable)
            })
        }))
    })
}
