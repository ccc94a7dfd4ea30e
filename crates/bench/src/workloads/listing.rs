//! W5: the newest sessions with title and time, from stores of growing size; and all of 10,000
//! from a store that nobody has opened since the machine forgot it.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use sessile::prelude::*;

use crate::effort::Effort;
use crate::ground::{CACHES, Ground};
use crate::messages::Message;
use crate::own;
use crate::peers::kind::Kind;
use crate::turns::{Entrant, Turn, Workload, micros, timed, timed_async};

const PAGE: usize = 50;

/// Pages of a block, the same of all: the first ones find nothing in the processor's caches.
const PAGES: usize = 20;

/// Messages of a session; what they hold is nothing to a listing.
const MESSAGES: usize = 3;

pub(crate) fn workload(effort: Effort) -> Workload {
    let many = effort.of(100_000, 3_000);
    let middle = effort.of(10_000, 1_000);
    let entrants = vec![
        own_page("sessile, page of 50 of 100", 100),
        own_page("sessile, page of 50 of 10,000", middle).counted(50),
        own_page("sessile, page of 50 of 100,000", many),
        page("redb, page of 50 of 10,000", Kind::Redb, middle).counted(50),
        page("redb, page of 50 of 100,000", Kind::Redb, many),
        page("fjall, page of 50 of 10,000", Kind::Fjall, middle).counted(50),
        page("fjall, page of 50 of 100,000", Kind::Fjall, many),
        page("SQLite, page of 50 of 10,000", Kind::Sqlite, middle).counted(50),
        page("SQLite, page of 50 of 100,000", Kind::Sqlite, many),
    ];
    Workload { name: "w5", rounds: effort.of(7, 2), entrants }
}

fn own_page(name: &'static str, sessions: usize) -> Entrant {
    Entrant::new(name, PAGES, move |ground, home| {
        let (ground, few) = (Arc::clone(ground), few(ground));
        let store = ground.runtime.block_on(async {
            let store = own::open(home).await?;
            own::fill(&store, sessions, &few).await?;
            // Whoever made them has gone, and the store was opened by somebody else.
            store.close().await?;
            own::open(home).await
        })?;
        Ok(Box::new(move |operations| {
            let pages = timed_async(operations, async |_| {
                let listing = store.list(Filter::all(), Page::of(PAGE)).await?;
                ensure!(listing.sessions.len() == PAGE, "rows are missing");
                Ok(listing)
            });
            ground.runtime.block_on(pages)
        }))
    })
}

fn page(name: &'static str, kind: Kind, sessions: usize) -> Entrant {
    Entrant::new(name, PAGES, move |ground, home| -> Result<Turn> {
        let mut peer = kind.open(home)?;
        peer.fill(0..u64::try_from(sessions)?, &few(ground))?;
        Ok(Box::new(move |operations| {
            timed(operations, |_| {
                let rows = peer.page(PAGE)?;
                ensure!(rows.len() == PAGE, "rows are missing");
                Ok(rows)
            })
        }))
    })
}

fn few(ground: &Ground) -> Vec<Message> {
    ground.messages.some(0, MESSAGES).cloned().collect()
}

/// Opening and listing all, after the machine forgot what it had read.
pub(crate) fn cold(effort: Effort) -> Workload {
    let sessions = effort.of(10_000, 1_000);
    let mut entrants = vec![Entrant::new("sessile", 1, move |ground, home| {
        let (ground, home) = (Arc::clone(ground), home.to_owned());
        ground.runtime.block_on(async {
            let store = own::open(&home).await?;
            own::fill(&store, sessions, &few(&ground)).await?;
            anyhow::Ok(store.close().await?)
        })?;
        Ok(Box::new(move |_| {
            forget(&home)?;
            ground.runtime.block_on(async {
                let start = Instant::now();
                let store = own::open(&home).await?;
                let listed = own::list_all(&store).await?;
                let took = micros(start);
                ensure!(listed == sessions, "{listed} sessions of {sessions}");
                store.close().await?;
                Ok(took)
            })
        }))
    })];
    entrants.extend(Kind::DATABASES.map(|kind| {
        Entrant::new(kind.name(), 1, move |ground, home| -> Result<Turn> {
            let home = home.to_owned();
            kind.open(&home)?.fill(0..u64::try_from(sessions)?, &few(ground))?;
            Ok(Box::new(move |_| {
                forget(&home)?;
                let start = Instant::now();
                let mut peer = kind.open(&home)?;
                let listed = peer.page(usize::MAX >> 1)?.len();
                let took = micros(start);
                ensure!(listed == sessions, "{listed} sessions of {sessions}");
                Ok(took)
            }))
        })
    }));
    Workload { name: "w5cold", rounds: effort.of(5, 2), entrants }
}

/// Has the machine forget what it keeps of files: all of it where this process may ask for that,
/// else the contents of those in the folder.
fn forget(folder: &Path) -> Result<()> {
    rustix::fs::sync();
    let caches = OpenOptions::new().write(true).open(CACHES);
    if caches.is_ok_and(|mut caches| caches.write_all(b"3").is_ok()) {
        return Ok(());
    }
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let file = std::fs::File::open(path)?;
                rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
            }
        }
    }
    Ok(())
}
