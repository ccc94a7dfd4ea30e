//! Many histories of handles that write at once while answers get lost: what was acknowledged is
//! there once, what was refused is nowhere, and what is unknown is there at most once.

use std::collections::BTreeMap;
use std::time::Duration;

use sessile_core::{Error, ErrorKind, Outcome};
use sessile_engine::{Append, From, NewSession, Options, Session};

use super::faults::{Fault, Faulty};

/// A small generator, so that a history is known by its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// What a caller was told of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Done,
    Refused,
    Unknown,
}

async fn append(session: Session, way: u64, number: u64) -> Result<Told, Error> {
    let id = format!("c{number}").parse()?;
    let append = match way {
        0 => Append::at(session.position()),
        1 => Append::at_end(),
        2 => Append::at(session.position()).commit_id(id),
        _ => Append::at_end().commit_id(id),
    };
    let told = match session.append_with(append.clone(), [number]).await {
        Ok(_) => Told::Done,
        Err(error) if error.outcome() == Outcome::Unknown => Told::Unknown,
        Err(error) => {
            let kinds = [ErrorKind::Conflict, ErrorKind::Deadline, ErrorKind::Unavailable];
            assert!(kinds.contains(&error.kind()), "{error}");
            Told::Refused
        }
    };
    // Who has named a commit may ask again until it is told.
    if told == Told::Unknown && way > 1 && session.append_with(append, [number]).await.is_ok() {
        return Ok(Told::Done);
    }
    Ok(told)
}

async fn play(seed: u64) -> Result<(), Error> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let faulty = Faulty::new();
    let options = Options::default().deadline(Duration::from_millis(200));
    let store = faulty.store_with(options);
    store.create_as("a", NewSession::new()).await?;
    let mut handles = Vec::new();
    for _ in 0..3 {
        handles.push(store.open_session("a").await?);
    }
    let mut told = BTreeMap::new();
    for round in 0..12 {
        for _ in 0..dice.roll(4) {
            let fault = match dice.roll(6) {
                0 => Fault::AnswerLost,
                1 => Fault::CallLost,
                2 => Fault::Delayed,
                3 => Fault::Conflict,
                4 => Fault::Unavailable,
                _ => Fault::None,
            };
            // Some last beyond the deadline.
            let times = if dice.roll(5) == 0 { 40 } else { 1 };
            faulty.script(std::iter::repeat_n(fault, times));
        }
        let mut writing = tokio::task::JoinSet::new();
        for handle in &handles {
            if dice.roll(3) > 0 {
                let number = round * 10 + u64::try_from(writing.len()).unwrap_or(0);
                let (handle, way) = (handle.clone(), dice.roll(4));
                writing.spawn(async move { (number, append(handle, way, number).await) });
            }
        }
        if dice.roll(2) == 0 {
            faulty.land().await;
        }
        for (number, result) in writing.join_all().await {
            told.insert(number, result?);
        }
        if dice.roll(3) == 0 {
            faulty.script_ends();
        }
        if dice.roll(4) == 0 {
            faulty.land().await;
        }
    }
    faulty.script_ends();
    for (number, handle) in (900..).zip(&handles) {
        handle.append([number]).await?;
        told.insert(number, Told::Done);
    }
    faulty.land().await;

    let session = store.open_session("a").await?;
    let read: Vec<u64> = session.transcript(From::start()).await?.all().await?;
    for (number, told) in &told {
        let times = read.iter().filter(|read| *read == number).count();
        let allowed = match told {
            Told::Done => times == 1,
            Told::Refused => times == 0,
            Told::Unknown => times <= 1,
        };
        assert!(allowed, "seed {seed}: {number} was told {told:?} and is there {times} times");
    }
    assert!(store.verify("a").await?.sound);
    for handle in &handles {
        assert_eq!(handle.refresh().await?.messages, session.info().messages, "seed {seed}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn what_callers_are_told_is_what_is_there() -> Result<(), Error> {
    for seed in 0..300 {
        play(seed).await?;
    }
    Ok(())
}
