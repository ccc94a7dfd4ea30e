//! W2: 100,000 messages, as fast as they go; the figure is the time of all of them.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use sessile::prelude::*;

use crate::effort::Effort;
use crate::floors::{Growing, clear};
use crate::own;
use crate::peers::kind::Kind;
use crate::peers::peer::Sync;
use crate::turns::{Entrant, Turn, Workload, micros};

/// Messages of a commit, where a commit takes more than one.
const TOGETHER: usize = 1_000;

/// Operations whose calls and bytes are counted.
const COUNTED: usize = 10_000;

pub(crate) fn workload(effort: Effort) -> Workload {
    let messages = effort.of(100_000, 10_000);
    let entrants = vec![
        Entrant::new("write() for each", messages, |ground, home| {
            let (ground, home) = (Arc::clone(ground), home.to_owned());
            Ok(Box::new(move |messages| {
                clear(&home)?;
                let mut file = Growing::create(&home.join("file"))?;
                let start = Instant::now();
                for index in 0..messages {
                    file.write(ground.messages.line(index)?)?;
                }
                Ok(micros(start))
            }))
        })
        .counted(COUNTED),
        Entrant::new("sessile, 1,000 a commit, durable", messages, |ground, home| {
            let (ground, home) = (Arc::clone(ground), home.to_owned());
            Ok(Box::new(move |messages| {
                clear(&home)?;
                ground.runtime.block_on(async {
                    let store = own::open(&home).await?;
                    let session = store.create_as(own::ID, NewSession::new()).await?;
                    let start = Instant::now();
                    for first in (0..messages).step_by(TOGETHER) {
                        session.append(ground.messages.some(first, TOGETHER)).await?;
                    }
                    let took = micros(start);
                    store.close().await?;
                    Ok(took)
                })
            }))
        })
        .counted(COUNTED),
        Entrant::new("sessile, one by one behind, then flushed", messages, |ground, home| {
            let (ground, home) = (Arc::clone(ground), home.to_owned());
            Ok(Box::new(move |messages| {
                clear(&home)?;
                ground.runtime.block_on(async {
                    let store = own::open_behind(&home).await?;
                    let session = store.create_as(own::ID, NewSession::new()).await?;
                    let start = Instant::now();
                    for index in 0..messages {
                        session.append_behind([ground.messages.typed(index)?]).await?;
                    }
                    store.flush().await?;
                    let took = micros(start);
                    store.close().await?;
                    Ok(took)
                })
            }))
        })
        .counted(COUNTED),
        peer("naive JSONL", Kind::Jsonl, messages, 1).counted(COUNTED),
        peer("SQLite NORMAL, 1,000 a transaction", Kind::Sqlite, messages, TOGETHER)
            .counted(COUNTED),
        peer("fjall, buffered", Kind::Fjall, messages, 1).counted(COUNTED),
        peer("redb, not durable, 1,000 a transaction", Kind::Redb, messages, TOGETHER)
            .counted(COUNTED),
    ];
    Workload { name: "w2", rounds: effort.of(3, 2), entrants }
}

fn peer(name: &'static str, kind: Kind, messages: usize, together: usize) -> Entrant {
    Entrant::new(name, messages, move |ground, home| -> Result<Turn> {
        let (ground, home) = (Arc::clone(ground), home.to_owned());
        Ok(Box::new(move |messages| {
            clear(&home)?;
            let mut peer = kind.open(&home)?;
            let start = Instant::now();
            for first in (0..messages).step_by(together) {
                let batch: Vec<_> = ground.messages.some(first, together).collect();
                peer.append(0, &batch, Sync::Buffered)?;
            }
            Ok(micros(start))
        }))
    })
}
