//! W4: a session of 10,000 messages, read as a whole and from its end; everything is in memory's
//! cache, since what is compared is the way from there into values.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use sessile::prelude::*;

use crate::effort::Effort;
use crate::floors::last_lines;
use crate::ground::Ground;
use crate::messages::{Message, text};
use crate::own;
use crate::peers::kind::Kind;
use crate::peers::peer;
use crate::turns::{Entrant, Turn, Workload, timed, timed_async};

const MESSAGES: usize = 10_000;
const LAST: usize = 50;

pub(crate) fn workload(effort: Effort) -> Workload {
    let (whole, tail) = (effort.of(3, 1), effort.of(50, 10));
    let mut entrants = vec![
        Entrant::new("sessile, typed", whole, |ground, home| {
            let (ground, store) = (Arc::clone(ground), closed(ground, home)?);
            Ok(Box::new(move |operations| {
                let loads = timed_async(operations, async |_| own::load::<Message>(&store).await);
                ground.runtime.block_on(loads)
            }))
        })
        .counted(2),
        Entrant::new("sessile, lazy", whole, |ground, home| {
            let (ground, store) = (Arc::clone(ground), closed(ground, home)?);
            Ok(Box::new(move |operations| {
                let loads =
                    timed_async(operations, async |_| own::load::<RawMessage>(&store).await);
                ground.runtime.block_on(loads)
            }))
        })
        .counted(2),
        Entrant::new("last 50: tail read of the file", tail, |ground, home| {
            drop(closed(ground, home)?);
            let path = journal(home)?;
            Ok(Box::new(move |operations| timed(operations, |_| read_tail(&path))))
        })
        .counted(20),
        Entrant::new("last 50: sessile, session opened for it", tail, |ground, home| {
            Ok(opening(ground, closed(ground, home)?))
        })
        .counted(20),
        Entrant::new("last 50: sessile, store opened for it", tail, |ground, home| {
            drop(closed(ground, home)?);
            let (ground, home) = (Arc::clone(ground), home.to_owned());
            Ok(Box::new(move |operations| {
                let reads = timed_async(operations, async |_| {
                    let messages = own::last(&own::open(&home).await?, LAST).await?;
                    ensure!(messages.len() == LAST, "messages are missing");
                    Ok(messages)
                });
                ground.runtime.block_on(reads)
            }))
        })
        .counted(20),
        Entrant::new("last 50: sessile, session open", tail, |ground, home| {
            let (ground, store) = (Arc::clone(ground), closed(ground, home)?);
            let session = ground.runtime.block_on(store.open_session(own::ID))?;
            Ok(Box::new(move |operations| {
                let reads = timed_async(operations, async |_| own::last_of(&session, LAST).await);
                ground.runtime.block_on(reads)
            }))
        })
        .counted(20),
        Entrant::new("last 50: sessile, commits of 1,000 messages", 3, |ground, home| {
            own::prepare(ground, home, MESSAGES, 1_000)?;
            Ok(opening(ground, ground.runtime.block_on(own::open(home))?))
        })
        .counted(3),
    ];
    entrants.extend(Kind::ALL.map(|kind| {
        Entrant::new(kind.name(), whole, move |ground, home| {
            let mut peer = filled(kind, ground, home)?;
            Ok(Box::new(move |operations| timed(operations, |_| peer.load(0))))
        })
        .counted(2)
    }));
    entrants.extend(Kind::DATABASES.map(|kind| {
        let name = match kind {
            Kind::Redb => "last 50: redb",
            Kind::Fjall => "last 50: fjall",
            _ => "last 50: SQLite",
        };
        Entrant::new(name, tail, move |ground, home| -> Result<Turn> {
            let mut peer = filled(kind, ground, home)?;
            Ok(Box::new(move |operations| timed(operations, |_| peer.last(0, LAST))))
        })
    }));
    Workload { name: "w4", rounds: effort.of(7, 2), entrants }
}

fn filled(kind: Kind, ground: &Ground, home: &Path) -> Result<Box<dyn peer::Peer>> {
    let mut peer = kind.open(home)?;
    peer::bulk(peer.as_mut(), 0, &ground.messages, MESSAGES)?;
    Ok(peer)
}

/// A store whose session was closed by whoever wrote it.
fn closed(ground: &Ground, home: &Path) -> Result<Store> {
    own::prepare(ground, home, MESSAGES, own::TURN)?;
    ground.runtime.block_on(own::open(home))
}

/// Opens the session and reads its end.
fn opening(ground: &Arc<Ground>, store: Store) -> Turn {
    let ground = Arc::clone(ground);
    Box::new(move |operations| {
        let reads = timed_async(operations, async |_| {
            let messages = own::last(&store, LAST).await?;
            ensure!(messages.len() == LAST, "messages are missing");
            Ok(messages)
        });
        ground.runtime.block_on(reads)
    })
}

/// The only journal below a folder.
fn journal(home: &Path) -> Result<PathBuf> {
    let mut folders = vec![home.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_stem().is_some_and(|stem| stem == own::ID)
                && path.extension().is_some_and(|extension| extension == "jsonl")
            {
                return Ok(path);
            }
        }
    }
    anyhow::bail!("there is no journal below {}", home.display())
}

/// The floor: the same messages of the same file, without a look at whether they are whole.
fn read_tail(path: &Path) -> Result<Vec<Message>> {
    #[derive(Deserialize)]
    struct Line {
        data: Message,
    }

    // Among the last lines may be one that keeps the folded state, or two.
    let bytes = last_lines(path, LAST + 2)?;
    let lines = text(&bytes)?.lines().filter(|line| line.contains("\"type\":\"message\""));
    let mut messages: Vec<Message> =
        lines.map(|line| Ok(serde_json::from_str::<Line>(line)?.data)).collect::<Result<_>>()?;
    let before = messages.len().checked_sub(LAST).context("messages are missing")?;
    Ok(messages.split_off(before))
}
