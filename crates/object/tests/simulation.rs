//! Clients by seed on a store in memory whose requests are delayed, lost, repeated and late, and
//! whose lists break off.
//!
//! A failure names its seed. `SESSILE_SEED=N` runs that one alone, `SESSILE_SOAK=1` ten times as
//! many, from a seed that `SESSILE_SEED` may name. Who asks for what and what goes wrong is the
//! same in every run of a seed as far as requests come in the same order; the tokens in objects
//! are not, and neither are the times that the store in memory gives them.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panicking, and say how much they did"
)]

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use sessile_conformance::simulation::{Seen, simulate};
use sessile_conformance::{Failed, Footprint, Place};
use sessile_core::Backend;
use sessile_core::digest::Digest;
use sessile_object::{ObjectBackend, Options};

/// So many seeds are run in CI.
const SEEDS: u64 = 60;

/// One in so many requests goes wrong.
const WRONG: u64 = 10;

/// The longest that a request is under way, in milliseconds, but for those that arrive late.
const DELAY: u64 = 30;

/// The longest that those are.
const LATE: u64 = 5_000;

/// What no store may do: planted, to show that it is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    /// It puts whatever the condition.
    IgnoresConditions,
    /// It does so but where it is tried out.
    IgnoresConditionsLater,
    /// It says of some puts that it did them, and drops them.
    DropsWhatItTold,
}

/// A store in memory behind a bad network.
#[derive(Clone)]
struct Bad {
    lie: Option<Lie>,
    inner: Arc<InMemory>,
    seed: u64,
    draws: Arc<AtomicU64>,
    faults: Arc<AtomicU64>,
}

impl fmt::Debug for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bad")
    }
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bad")
    }
}

fn broken() -> Error {
    Error::Generic { store: "it", source: "connection reset".into() }
}

impl Bad {
    fn of(seed: u64, lie: Option<Lie>) -> Self {
        let (inner, draws, faults) = (Arc::default(), Arc::default(), Arc::default());
        Self { lie, inner, seed, draws, faults }
    }

    /// Puts as the store does it, lie and all.
    async fn put(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let is_tried = path.as_ref().contains("probe");
        match self.lie {
            Some(Lie::IgnoresConditionsLater) if is_tried => {
                self.inner.put_opts(path, payload, options).await
            }
            Some(Lie::IgnoresConditions | Lie::IgnoresConditionsLater) => {
                let options = PutOptions { mode: PutMode::Overwrite, ..options };
                self.inner.put_opts(path, payload, options).await
            }
            Some(Lie::DropsWhatItTold) if !is_tried && self.below(12) == 0 => {
                let e_tag = Some("told".to_owned());
                Ok(PutResult { e_tag, version: None, extensions: object_store::Extensions::new() })
            }
            _ => self.inner.put_opts(path, payload, options).await,
        }
    }

    fn below(&self, bound: u64) -> u64 {
        let number = self.draws.fetch_add(1, Ordering::Relaxed);
        let digest = Digest::of(&[self.seed.to_le_bytes(), number.to_le_bytes()].concat());
        u64::from_le_bytes(*digest.as_bytes().first_chunk().unwrap()) % bound
    }

    /// Which of so many things goes wrong; none does mostly.
    fn wrong(&self, things: u64) -> Option<u64> {
        let wrong = (self.below(WRONG) == 0).then(|| self.below(things));
        self.faults.fetch_add(u64::from(wrong.is_some()), Ordering::Relaxed);
        wrong
    }

    async fn pass(&self, below: u64) {
        tokio::time::sleep(Duration::from_millis(self.below(below))).await;
    }
}

#[async_trait]
impl ObjectStore for Bad {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.pass(DELAY).await;
        let wrong = self.wrong(4);
        if let Some(0 | 1) = wrong {
            // It arrives late, alone or after it was answered.
            let (bad, path, payload) = (self.clone(), path.clone(), payload.clone());
            let options = options.clone();
            tokio::spawn(async move {
                bad.pass(LATE).await;
                drop(bad.put(&path, payload, options).await);
            });
        }
        if let Some(0 | 2) = wrong {
            return Err(broken());
        }
        let answer = self.put(path, payload, options).await;
        self.pass(DELAY).await;
        if wrong == Some(3) { Err(broken()) } else { answer }
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.pass(DELAY).await;
        if self.wrong(1).is_some() {
            return Err(broken());
        }
        let answer = self.inner.get_opts(path, options).await;
        self.pass(DELAY).await;
        answer
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.breaking(self.inner.list(prefix))
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.breaking(self.inner.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.pass(DELAY).await;
        if self.wrong(1).is_some() {
            return Err(broken());
        }
        self.inner.list_with_delimiter(prefix).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, options).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

impl Bad {
    /// A list that may break off after a part of it.
    fn breaking(
        &self,
        listed: BoxStream<'static, Result<ObjectMeta>>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let part = self.wrong(6);
        let delay = Duration::from_millis(self.below(DELAY));
        let begin = stream::once(tokio::time::sleep(delay)).filter_map(|()| async { None });
        let Some(part) = part else { return begin.chain(listed).boxed() };
        let part = listed.take(usize::try_from(part).unwrap());
        begin.chain(part).chain(stream::once(async { Err(broken()) })).boxed()
    }
}

struct BadPlace(Bad);

#[async_trait]
impl Place for BadPlace {
    async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
        let mut options = Options::default();
        options.catalog_lag = Duration::ZERO;
        options.merge_every = 4;
        let store: Arc<dyn ObjectStore> = Arc::new(self.0.clone());
        Ok(Arc::new(ObjectBackend::on(Arc::clone(&store), store, &Path::from("p"), options)))
    }

    async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
        Ok(None)
    }
}

fn run(seed: u64, lie: Option<Lie>) -> (Result<Seen, Failed>, u64) {
    let bad = Bad::of(seed, lie);
    let faults = Arc::clone(&bad.faults);
    let place: Arc<dyn Place> = Arc::new(BadPlace(bad));
    (simulate(&place, seed, None), faults.load(Ordering::Relaxed))
}

fn seeds() -> Range<u64> {
    let named = std::env::var("SESSILE_SEED").ok().map(|seed| seed.parse::<u64>().unwrap());
    let soaks = std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    match (named, soaks) {
        (Some(seed), false) => seed..seed + 1,
        (seed, true) => seed.unwrap_or(0)..seed.unwrap_or(0) + 10 * SEEDS,
        (None, false) => 0..SEEDS,
    }
}

#[test]
fn behind_a_bad_network_nothing_told_is_lost_done_twice_or_written_past_a_fence() {
    let (mut calls, mut faults, mut commits, mut count) = (0, 0, 0, 0_u64);
    for seed in seeds() {
        let (seen, of_requests) = run(seed, None);
        let seen = seen.unwrap_or_else(|failed| {
            panic!(
                "{failed}\ntake it again: SESSILE_SEED={seed} \
                 cargo test -p sessile-object --test simulation"
            )
        });
        calls += seen.calls;
        faults += seen.faults + of_requests;
        commits += seen.commits;
        count += 1;
    }
    println!("{count} seeds: {calls} calls, {faults} faults, {commits} commits");
    assert!(calls > 0 && faults > 0 && commits > 0, "something happened");
}

#[test]
fn a_store_that_ignores_conditions_or_drops_what_it_told_is_noticed() {
    for lie in [Lie::IgnoresConditionsLater, Lie::DropsWhatItTold] {
        let noticed = (0..600).find_map(|seed| run(seed, Some(lie)).0.err().map(|why| (seed, why)));
        let (seed, why) = noticed.unwrap_or_else(|| panic!("nobody noticed {lie:?}"));
        println!("{lie:?}: noticed from seed {seed}: {why}");
    }
}

#[test]
fn a_store_that_ignores_conditions_from_the_first_is_written_to_by_nobody() {
    for seed in 0..10 {
        let seen = run(seed, Some(Lie::IgnoresConditions)).0.unwrap();
        assert!(seen.calls > 0 && seen.commits == 0, "seed {seed}: {} commits", seen.commits);
    }
}
