//! One run of a seed, from an empty place to the verdict.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use sessile_core::backend::{Backend, Span};
use sessile_core::digest::{Digest, Parts};
use sessile_core::{Error, ErrorKind, StoredCommit, header, line};
use sessile_engine::{Options, Store};

use super::chance::{Chance, Jumping};
use super::check;
use super::client::{Client, SESSIONS};
use super::defect::Defect;
use super::history::History;
use super::journal::Journal;
use super::line::Line;
use super::shelf;
use crate::failed::Failed;
use crate::fixture::Place;
use crate::sample;

/// How many clients there are at most, and at least two.
const MOST_CLIENTS: u64 = 5;

/// How often each of them asks for something.
const STEPS: usize = 14;

/// How long after the last call everything has arrived that was late.
const SETTLES: Duration = Duration::from_mins(5);

/// What a run has seen.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use async_trait::async_trait;
/// # use sessile_conformance::{Failed, Footprint, Place};
/// # use sessile_core::Backend;
/// # use sessile_memory::MemoryBackend;
/// use sessile_conformance::simulation::{Seen, simulate};
///
/// # struct Memory(MemoryBackend);
/// # #[async_trait]
/// # impl Place for Memory {
/// #     async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
/// #         Ok(Arc::new(self.0.clone()))
/// #     }
/// #     async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
/// #         Ok(None)
/// #     }
/// # }
/// # fn main() -> Result<(), Failed> {
/// # let place = || -> Arc<dyn Place> { Arc::new(Memory(MemoryBackend::new())) };
/// let seen: Seen = simulate(&place(), 7, None)?;
/// // That all was well says little where nothing was asked and nothing went wrong.
/// assert!(seen.calls > 0 && seen.faults > 0 && seen.commits > 0);
/// // A failure can be looked at again: the seed gives the same answers and the same bytes.
/// assert_eq!(simulate(&place(), 7, None)?, seen);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// How many calls were answered.
    pub calls: usize,
    /// How often the line did something wrong.
    pub faults: u64,
    /// How many commits stand in the journals at the end.
    pub commits: usize,
    /// The digest of the history.
    pub history: Digest,
    /// The digest of the journals' bytes.
    pub journals: Digest,
}

/// Runs a seed on a place that nobody has used, and checks what came of it.
///
/// The same seed on a place that does the same gives the same [`Seen`]. A defect is planted where
/// one is given.
///
/// # Errors
/// What nobody should have been answered or should find there, with the seed.
pub fn simulate(place: &Arc<dyn Place>, seed: u64, defect: Option<Defect>) -> Result<Seen, Failed> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let run = run(Arc::clone(place), seed, defect);
    runtime.block_on(run).map_err(|why| Failed::new(format!("seed {seed}: {why}")))
}

async fn run(place: Arc<dyn Place>, seed: u64, defect: Option<Defect>) -> Result<Seen, Failed> {
    let (history, faults) = (History::default(), Arc::new(AtomicU64::new(0)));
    let chance = Chance::of(seed, 0);
    let clients = 2 + chance.below(MOST_CLIENTS - 1);
    // In some runs states come so often that nearly every opening meets one.
    let entries = *chance.pick(&[3, 9, 2_000]).unwrap_or(&2_000);
    let document = sample::document("c", "n")?;
    let mut living = Vec::new();
    for number in 1..=clients {
        let own = Chance::of(seed, number);
        let way = Chance::of(seed, number + 100);
        let backend: Arc<dyn Backend> =
            Arc::new(Line::to(place.handle().await?, way, defect, &faults));
        let options = Options::default()
            .clock(Arc::new(Jumping::new(Chance::of(seed, number + 200))))
            .entropy(Arc::new(Chance::of(seed, number + 300)))
            .state_every(entries, 1 << 20)
            .deadline(Duration::from_millis(300 + own.below(10_000)));
        let store = Store::with(Arc::clone(&backend), options);
        let client = Client::new(number, (store, backend), document.clone(), own, history.clone());
        living.push(tokio::spawn(client.live(STEPS)));
    }
    for client in living {
        client.await??;
    }
    tokio::time::sleep(SETTLES).await;
    verdict(&*place.handle().await?, &history, faults.load(Ordering::Relaxed)).await
}

/// Asks until there is an answer: a place may be behind a bad network of its own.
async fn answered<T, F>(ask: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    for _ in 0..100 {
        match ask().await {
            Err(error) if error.may_retry() => tokio::time::sleep(Duration::from_secs(1)).await,
            answer => return answer,
        }
    }
    ask().await
}

/// All commits of a session; none where there is no such session.
async fn commits(backend: &dyn Backend, name: &str) -> Result<Vec<StoredCommit>, Failed> {
    let key = sample::key(name)?;
    let read = async || backend.read(&key, Span::ALL).await?.try_collect().await;
    match answered(read).await {
        Err(error) if error.kind() == ErrorKind::Missing => Ok(Vec::new()),
        commits => Ok(commits?),
    }
}

async fn verdict(backend: &dyn Backend, history: &History, faults: u64) -> Result<Seen, Failed> {
    let (mut journals, mut bytes, mut count) = (BTreeMap::new(), Vec::new(), 0);
    for name in SESSIONS {
        let commits = commits(backend, name).await?;
        let Some(first) = commits.first().and_then(|commit| commit.entries.first()) else {
            continue;
        };
        let salt = header::read(first)?.salt;
        for commit in &commits {
            line::encode_commit(&mut bytes, commit, salt);
        }
        count += commits.len();
        journals.insert(name.to_owned(), Journal::read(commits)?);
    }
    let document = sample::document("c", "n")?;
    let last = match answered(|| backend.get(&document)).await {
        Ok(document) => Some(document.revision),
        Err(error) if error.kind() == ErrorKind::Missing => None,
        Err(error) => return Err(error.into()),
    };
    let calls = history.calls();
    check::check(&calls, &journals)?;
    shelf::check(&calls, last)?;
    let mut told = Parts::default();
    for call in &calls {
        told.push(format!("{call:?}").as_bytes());
    }
    Ok(Seen {
        calls: calls.len(),
        faults,
        commits: count,
        history: told.digest(),
        journals: Digest::of(&bytes),
    })
}
