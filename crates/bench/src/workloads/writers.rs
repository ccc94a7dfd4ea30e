//! W3: sixteen writers at once, on 64 sessions and on one; the figure is the time by message.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use futures_util::future::try_join_all;
use sessile::prelude::*;
use tokio::task::JoinSet;

use crate::effort::Effort;
use crate::floors::{Growing, Zeroed, clear};
use crate::ground::Ground;
use crate::own;
use crate::peers::kind::Kind;
use crate::peers::peer::Sync;
use crate::turns::{Entrant, Turn, Workload, micros};

const WRITERS: usize = 16;
const SESSIONS: usize = 64;

/// Operations whose calls and bytes are counted.
const COUNTED: usize = 1_280;

pub(crate) fn workload(effort: Effort) -> Workload {
    let messages = SESSIONS * effort.of(50, 10);
    let entrants = vec![
        Entrant::new("pre-zeroed file each, 16 threads", messages, |ground, home| {
            Ok(in_threads(ground, home, zeroed))
        }),
        Entrant::new("pre-zeroed file each, 16 tasks, async hop", messages, |ground, home| {
            Ok(in_tasks(ground, home, zeroed))
        }),
        own_writers("sessile, 16 tasks", messages, SESSIONS).counted(COUNTED),
        own_writers("sessile, 64 tasks", messages, SESSIONS),
        Entrant::new("naive JSONL, 16 threads", messages, |ground, home| {
            Ok(in_threads(ground, home, jsonl))
        })
        .counted(COUNTED),
        Entrant::new("naive JSONL, 16 tasks, async hop", messages, |ground, home| {
            Ok(in_tasks(ground, home, jsonl))
        }),
        Entrant::new("SQLite, commits grouped by a thread", messages, |ground, home| {
            Ok(grouped(ground, home))
        })
        .counted(COUNTED),
        Entrant::new("fjall, one lock", messages / 4, |ground, home| {
            Ok(locked(Kind::Fjall, ground, home))
        }),
        Entrant::new("redb, one lock", messages / 4, |ground, home| {
            Ok(locked(Kind::Redb, ground, home))
        }),
    ];
    Workload { name: "w3", rounds: effort.of(7, 2), entrants }
}

pub(crate) fn hot(effort: Effort) -> Workload {
    let messages = WRITERS * effort.of(100, 20);
    let entrants = vec![
        Entrant::new("one file, 16 threads, each syncs", messages, |ground, home| {
            let shared: Arc<Mutex<Option<Growing>>> = Arc::default();
            let opened = Arc::clone(&shared);
            let mut turn = threads(ground, home, move |ground, home, writer, share| {
                if writer == 0 {
                    let file = Growing::create(&home.join("hot"))?;
                    *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
                }
                let shared = Arc::clone(&shared);
                Ok(Box::new(move || {
                    for index in 0..share {
                        let mut held = shared.lock().unwrap_or_else(PoisonError::into_inner);
                        let file = held.as_mut().context("the file is closed")?;
                        file.write(ground.messages.line(index)?)?;
                        let sync = file.second();
                        drop(held);
                        // Outside the lock, so that the kernel may merge them.
                        sync.sync_data()?;
                    }
                    Ok(())
                }))
            });
            Ok(Box::new(move |messages| {
                *opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
                turn(messages)
            }))
        })
        .counted(COUNTED),
        own_writers("sessile, 16 tasks, one session", messages, 1).counted(COUNTED),
        Entrant::new("naive JSONL, 16 threads, one file", messages, |ground, home| {
            Ok(threads(ground, home, |ground, home, _, share| {
                let mut peer = Kind::Jsonl.open(&home)?;
                Ok(Box::new(move || {
                    for index in 0..share {
                        peer.append(0, &[ground.messages.typed(index)?], Sync::Durable)?;
                    }
                    Ok(())
                }))
            }))
        }),
    ];
    Workload { name: "w3hot", rounds: effort.of(7, 2), entrants }
}

/// The sessions of which a writer has charge.
fn own_sessions(writer: usize) -> impl Iterator<Item = usize> {
    (writer..SESSIONS).step_by(WRITERS)
}

/// Appends the message at an index, durably, to one of the sessions of which a writer has charge.
type Append = Box<dyn FnMut(usize) -> Result<()> + Send>;

/// What makes a writer ready, outside the time.
type Writer = fn(Arc<Ground>, &Path, usize) -> Result<Append>;

fn zeroed(ground: Arc<Ground>, home: &Path, writer: usize) -> Result<Append> {
    let mut files = own_sessions(writer)
        .map(|session| Zeroed::create(&home.join(session.to_string()), 256 << 10))
        .collect::<Result<Vec<_>>>()?;
    Ok(Box::new(move |index| {
        let files_count = files.len();
        let file = files.get_mut(index % files_count).context("no file")?;
        file.append(ground.messages.line(index)?)
    }))
}

fn jsonl(ground: Arc<Ground>, home: &Path, writer: usize) -> Result<Append> {
    let mut peer = Kind::Jsonl.open(home)?;
    let sessions: Vec<usize> = own_sessions(writer).collect();
    Ok(Box::new(move |index| {
        let session = *sessions.get(index % sessions.len()).context("none")?;
        let message = ground.messages.typed(index)?;
        peer.append(u64::try_from(session)?, &[message], Sync::Durable)
    }))
}

/// Each writer in a thread of its own.
fn in_threads(ground: &Arc<Ground>, home: &Path, writer: Writer) -> Turn {
    threads(ground, home, move |ground, home, number, share| {
        let mut append = writer(ground, &home, number)?;
        Ok(Box::new(move || (0..share).try_for_each(&mut append)))
    })
}

/// Each writer a task, which has another thread do each append and waits for it.
fn in_tasks(ground: &Arc<Ground>, home: &Path, writer: Writer) -> Turn {
    let (ground, home) = (Arc::clone(ground), home.to_owned());
    Box::new(move |messages| {
        clear(&home)?;
        let share = messages / WRITERS;
        let appends = (0..WRITERS)
            .map(|number| writer(Arc::clone(&ground), &home, number))
            .collect::<Result<Vec<_>>>()?;
        ground.runtime.block_on(async {
            let start = Instant::now();
            let mut running = JoinSet::new();
            for mut append in appends {
                running.spawn(async move {
                    for index in 0..share {
                        let hop = move || append(index).map(|()| append);
                        append = tokio::task::spawn_blocking(hop).await??;
                    }
                    anyhow::Ok(())
                });
            }
            while let Some(done) = running.join_next().await {
                done??;
            }
            by_message(start, share * WRITERS)
        })
    })
}

/// What a thread does once all of them are ready.
type Work = Box<dyn FnOnce() -> Result<()> + Send>;

/// Sixteen threads, each with its share, which the maker gets ready outside the time.
fn threads(
    ground: &Arc<Ground>,
    home: &Path,
    make: impl Fn(Arc<Ground>, std::path::PathBuf, usize, usize) -> Result<Work> + 'static,
) -> Turn {
    let (ground, home) = (Arc::clone(ground), home.to_owned());
    Box::new(move |messages| {
        clear(&home)?;
        let share = messages / WRITERS;
        let works = (0..WRITERS)
            .map(|writer| make(Arc::clone(&ground), home.clone(), writer, share))
            .collect::<Result<Vec<_>>>()?;
        let start = Instant::now();
        let running: Vec<_> = works.into_iter().map(thread::spawn).collect();
        for thread in running {
            thread.join().map_err(|_panic| anyhow!("a writer panicked"))??;
        }
        by_message(start, share * WRITERS)
    })
}

fn by_message(start: Instant, messages: usize) -> Result<f64> {
    Ok(micros(start) / f64::from(u32::try_from(messages)?))
}

/// Tasks of the runtime over sessile: one for each writer, or for each session where the name
/// says so.
fn own_writers(name: &'static str, messages: usize, sessions: usize) -> Entrant {
    let tasks = if name.contains("64") { SESSIONS } else { WRITERS };
    Entrant::new(name, messages, move |ground, home| -> Result<Turn> {
        let (ground, home) = (Arc::clone(ground), home.to_owned());
        Ok(Box::new(move |messages| {
            clear(&home)?;
            ground.runtime.block_on(async {
                let store = own::open(&home).await?;
                let made = (0..sessions)
                    .map(|index| store.create_as(format!("ses_{index}"), NewSession::new()));
                let made = try_join_all(made).await?;
                let share = messages / tasks;
                let start = Instant::now();
                let mut running = JoinSet::new();
                for task in 0..tasks {
                    let ground = Arc::clone(&ground);
                    let own: Vec<Session> = if sessions == 1 {
                        made.clone()
                    } else {
                        made.iter().skip(task).step_by(tasks).cloned().collect()
                    };
                    running.spawn(async move {
                        for index in 0..share {
                            let session = own.get(index % own.len()).context("no session")?;
                            session.append([ground.messages.typed(index)?]).await?;
                        }
                        anyhow::Ok(())
                    });
                }
                while let Some(done) = running.join_next().await {
                    done??;
                }
                let took = by_message(start, share * tasks)?;
                store.close().await?;
                Ok(took)
            })
        }))
    })
}

/// A peer that is one connection or one handle, behind a lock.
fn locked(kind: Kind, ground: &Arc<Ground>, home: &Path) -> Turn {
    let made: Arc<Mutex<Option<_>>> = Arc::default();
    threads(ground, home, move |ground, home, writer, share| {
        if writer == 0 {
            // The one before is closed first, since its folder is gone.
            let mut held = made.lock().unwrap_or_else(PoisonError::into_inner);
            *held = None;
            *held = Some(kind.open(&home)?);
        }
        let made = Arc::clone(&made);
        Ok(Box::new(move || {
            let sessions: Vec<usize> = own_sessions(writer).collect();
            for index in 0..share {
                let session = *sessions.get(index % sessions.len()).context("none")?;
                let message = ground.messages.typed(index)?;
                let mut held = made.lock().unwrap_or_else(PoisonError::into_inner);
                let peer = held.as_mut().context("the peer is closed")?;
                peer.append(u64::try_from(session)?, &[message], Sync::Durable)?;
            }
            Ok(())
        }))
    })
}

/// A message for a session, and whom to tell.
type Asked = (u64, usize, Sender<()>);

/// `SQLite` behind a thread that commits together whatever waits, as a program would add it.
fn grouped(ground: &Arc<Ground>, home: &Path) -> Turn {
    let asking: Arc<Mutex<Option<Sender<Asked>>>> = Arc::default();
    threads(ground, home, move |ground, home, writer, share| {
        let mut held = asking.lock().unwrap_or_else(PoisonError::into_inner);
        if writer == 0 {
            let (sender, receiver) = channel();
            *held = Some(sender);
            let (ground, mut peer) = (Arc::clone(&ground), Kind::Sqlite.open(&home)?);
            let serve = move || -> Result<()> {
                while let Some(group) = waiting(&receiver) {
                    let changes = group
                        .iter()
                        .map(|(session, index, _)| Ok((*session, ground.messages.typed(*index)?)))
                        .collect::<Result<Vec<_>>>()?;
                    peer.append_group(&changes)?;
                    for (.., done) in group {
                        done.send(())?;
                    }
                }
                Ok(())
            };
            drop(thread::spawn(serve));
        }
        let sender = held.clone().context("nobody serves")?;
        if writer == WRITERS - 1 {
            // The last writer takes the sender along, so that the server ends after the turn.
            *held = None;
        }
        Ok(Box::new(move || {
            let sessions: Vec<usize> = own_sessions(writer).collect();
            let (told, done) = channel();
            for index in 0..share {
                let session = *sessions.get(index % sessions.len()).context("none")?;
                sender.send((u64::try_from(session)?, index, told.clone()))?;
                done.recv()?;
            }
            Ok(())
        }))
    })
}

/// What waits; none when nobody is left to ask.
fn waiting(receiver: &Receiver<Asked>) -> Option<Vec<Asked>> {
    let mut group = vec![receiver.recv().ok()?];
    group.extend(receiver.try_iter().take(WRITERS * 4));
    Some(group)
}
