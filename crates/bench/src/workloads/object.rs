//! Object storage: requests, how many wait for one another, and what S3 charges for them.
//!
//! The bucket is in memory and each request takes its time; see `delayed.rs`. Nothing here is
//! noise: every run counts the same.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use sessile::object::object_store::path::Path;
use sessile::object::{ObjectBackend, Options as ObjectOptions};
use sessile::prelude::*;
use sessile::{Clock, From, Options, UnixMillis};
use tokio::runtime::Builder;
use tokio::time::Instant;

use crate::delayed::{Delayed, Requests};
use crate::effort::Effort;
use crate::ground::Ground;
use crate::messages::Message;
use crate::own;
use crate::record::Record;

pub(crate) const NAME: &str = "object";

/// A turn is appended as one commit: what the user says, and what the model answers.
const TURNS: usize = 2_000;

/// The time that a person takes between turns, so that what is done once in a while is.
const BETWEEN: Duration = Duration::from_secs(20);

/// S3 Standard, us-east-1: dollars for a thousand PUT or LIST requests, and for as many GETs.
const DOLLARS_PUT: f64 = 0.005;
const DOLLARS_GET: f64 = 0.000_4;

/// The clock of the paused runtime, so that lags and ages are those of the story.
#[derive(Debug)]
struct Paused(Instant);

impl Clock for Paused {
    fn now(&self) -> UnixMillis {
        let passed = u64::try_from(self.0.elapsed().as_millis()).unwrap_or(0);
        UnixMillis(1_790_000_000_000 + passed)
    }
}

pub(crate) fn run(ground: &Arc<Ground>, effort: Effort) -> Result<()> {
    let turns = effort.of(TURNS, 200);
    for (millis, suffix) in [(30, "30 ms"), (60, "60 ms")] {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build()?;
        let delay = Duration::from_millis(millis);
        let figures = runtime.block_on(story(ground, turns, delay))?;
        for (name, value) in figures {
            let contender = format!("{name}, {suffix}");
            Record::Value { workload: NAME, contender: &contender, round: 0, value }.print()?;
        }
    }
    Ok(())
}

/// A session of so many turns; then another host resumes it.
async fn story(ground: &Ground, turns: usize, delay: Duration) -> Result<Vec<(&'static str, f64)>> {
    let bucket = Delayed::new(delay);
    let writer = store(&bucket);
    let session = writer.create_as(own::ID, NewSession::new()).await?;
    let first = bucket.requests();
    let (mut waited, mut slowest) = (Duration::ZERO, Duration::ZERO);
    for turn in 0..turns {
        tokio::time::sleep(BETWEEN).await;
        let begun = Instant::now();
        session.append(ground.messages.some(turn * 2, 2)).await?;
        let took = begun.elapsed();
        waited += took;
        slowest = slowest.max(took);
    }
    // What is noted behind the last append is of the writing.
    tokio::time::sleep(BETWEEN).await;
    let written = bucket.requests();
    let rounds = |time: Duration| time.as_secs_f64() / delay.as_secs_f64();
    let all = f64::from(u32::try_from(turns)?);

    // Another host, which knows nothing yet.
    let reader = store(&bucket);
    let begun = Instant::now();
    let session = reader.open_session(own::ID).await?;
    let opened = begun.elapsed();
    let last: Vec<Message> = session.transcript(From::last(50)).await?.all().await?;
    let resumed = begun.elapsed();
    ensure!(last.len() == 50, "messages are missing");
    let at_resume = bucket.requests();
    let begun = Instant::now();
    let whole = own::load::<Message>(&reader).await?.len();
    ensure!(whole == turns * 2, "messages are missing");
    let (loaded, at_load) = (begun.elapsed(), bucket.requests());

    Ok(vec![
        ("append: PUTs of the log, mean", (count(written.commits)? - count(first.commits)?) / all),
        (
            "append: PUTs with catalog and ranges, mean",
            (count(written.puts)? - count(first.puts)?) / all,
        ),
        ("append: GETs and LISTs, mean", (reads(written)? - reads(first)?) / all),
        ("append: round trips, mean", rounds(waited) / all),
        ("append: round trips, worst", rounds(slowest)),
        ("open: round trips", rounds(opened)),
        ("resume (open and last 50): round trips", rounds(resumed)),
        ("resume: requests", reads(at_resume)? - reads(written)?),
        ("open and load all: round trips", rounds(loaded)),
        ("open and load all: requests", reads(at_load)? - reads(at_resume)?),
        ("dollars to write the session", dollars(written)?),
        ("dollars to resume it", dollars(at_resume)? - dollars(written)?),
    ])
}

fn store(bucket: &Delayed) -> Store {
    let client: Arc<dyn sessile::object::object_store::ObjectStore> = Arc::new(bucket.clone());
    let (reads, writes) = (Arc::clone(&client), client);
    let backend = ObjectBackend::on(reads, writes, &Path::from("agents"), ObjectOptions::default());
    let options = Options::default().clock(Arc::new(Paused(Instant::now())));
    Store::with(Arc::new(backend), options)
}

fn count(requests: u64) -> Result<f64> {
    Ok(f64::from(u32::try_from(requests)?))
}

fn reads(requests: Requests) -> Result<f64> {
    Ok(count(requests.gets)? + count(requests.lists)?)
}

/// Deleting is free.
fn dollars(requests: Requests) -> Result<f64> {
    let dear = count(requests.puts)? + count(requests.lists)?;
    Ok((dear * DOLLARS_PUT + count(requests.gets)? * DOLLARS_GET) / 1_000.0)
}
