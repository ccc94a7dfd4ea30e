//! W8: of 10,000 messages a summary and the last 100 are left.
//!
//! sessile does it in two steps: a summary stands for messages from one commit on, and what it
//! stands for is removed when somebody asks for that. The peers remove at once.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use sessile::prelude::*;
use sessile::{From, Seq};

use crate::effort::Effort;
use crate::floors::{Growing, clear};
use crate::ground::Ground;
use crate::own;
use crate::peers::kind::Kind;
use crate::peers::peer;
use crate::turns::{Entrant, Turn, Workload, median, micros, timed};

const MESSAGES: usize = 10_000;
const KEPT: usize = 100;

pub(crate) fn workload(effort: Effort) -> Workload {
    let mut entrants = vec![
        Entrant::new("append a marker + fdatasync", 20, |ground, home| {
            let (ground, mut file) = (Arc::clone(ground), Growing::create(&home.join("file"))?);
            Ok(Box::new(move |operations| {
                timed(operations, |index| file.append(ground.messages.line(index)?))
            }))
        })
        .counted(20),
        own_compaction().counted(20),
        own_removal(),
    ];
    entrants.extend(Kind::ALL.map(|kind| {
        Entrant::new(kind.name(), 1, move |ground, home| Ok(physical(kind, ground, home)))
    }));
    Workload { name: "w8", rounds: effort.of(7, 2), entrants }
}

/// The commit from which on the summary stands for the rest; one message comes in between, since
/// a summary has to stand for more than the one before it.
fn own_compaction() -> Entrant {
    Entrant::new("sessile, compact (logical)", 20, |ground, home| {
        let ground = Arc::clone(ground);
        own::prepare(&ground, home, MESSAGES, own::TURN)?;
        let session = ground.runtime.block_on(own::open_session(home))?;
        Ok(Box::new(move |operations| {
            ground.runtime.block_on(async {
                let mut times = Vec::new();
                for index in 0..operations {
                    let message = ground.messages.typed(index)?;
                    session.append([message]).await?;
                    let start = Instant::now();
                    session.compact(From::last(KEPT), [message]).await?;
                    times.push(micros(start));
                }
                median(times)
            })
        }))
    })
}

/// Removing what the summary stands for, and giving its place back.
fn own_removal() -> Entrant {
    Entrant::new("sessile, forget the rest (physical)", 1, |ground, home| {
        let (ground, home) = (Arc::clone(ground), home.to_owned());
        Ok(Box::new(move |operations| {
            let mut times = Vec::new();
            for _ in 0..operations {
                clear(&home)?;
                own::prepare(&ground, &home, MESSAGES, own::TURN)?;
                let took = ground.runtime.block_on(async {
                    let store = own::open(&home).await?;
                    let session = store.open_session(own::ID).await?;
                    session.compact(From::last(KEPT), [ground.messages.typed(0)?]).await?;
                    let last = session.transcript::<RawMessage>(From::last(KEPT)).await?;
                    let first = last.all().await?.first().map_or(Seq::FIRST, |first| first.seq);
                    let start = Instant::now();
                    session.forget(first).await?;
                    let took = micros(start);
                    store.close().await?;
                    anyhow::Ok(took)
                })?;
                times.push(took);
            }
            median(times)
        }))
    })
}

fn physical(kind: Kind, ground: &Arc<Ground>, home: &Path) -> Turn {
    let (ground, home) = (Arc::clone(ground), home.to_owned());
    Box::new(move |operations| {
        let mut times = Vec::new();
        for _ in 0..operations {
            clear(&home)?;
            let mut peer = kind.open(&home)?;
            peer::bulk(peer.as_mut(), 0, &ground.messages, MESSAGES)?;
            // What stands in a log or a cache is not what a session of yesterday has.
            peer.rename(0, "before")?;
            let start = Instant::now();
            peer.compact(0, KEPT, ground.messages.typed(0)?)?;
            times.push(micros(start));
        }
        median(times)
    })
}
