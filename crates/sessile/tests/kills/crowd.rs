//! Many processes on few conversations, killed at random moments and started again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use sessile::prelude::*;
use sessile::{Admission, EntryType, ErrorKind, From, Recovery, Session, Turn};
use tokio::time;

use crate::child::{self, Child};
use crate::history::{self, Event, Turned};
use crate::outside;
use crate::site::{self, Site};
use crate::story::{self, INPUT, contract, request};

/// How many conversations there are.
const SESSIONS: usize = 4;

/// How many processes work, how much each does, and how often each is killed.
#[derive(Clone, Copy, Debug)]
struct Size {
    workers: usize,
    requests: usize,
    kills: usize,
}

impl Size {
    /// Small where seconds are to do; what is asserted is the same.
    fn now() -> Self {
        if std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1") {
            Self { workers: 16, requests: 50, kills: 6 }
        } else {
            Self { workers: 6, requests: 4, kills: 2 }
        }
    }
}

fn id(worker: usize, number: usize) -> String {
    format!("w{worker}-r{number}")
}

fn session(worker: usize, number: usize) -> String {
    format!("talk-{}", (worker + number) % SESSIONS)
}

/// Lets a crowd work on a site, and looks at what it did.
pub(crate) async fn works(site: &Site) {
    let crowd = Size::now();
    let store = site.store().await;
    for number in 0..SESSIONS {
        store.create_as(session(0, number), NewSession::new()).await.unwrap();
    }
    let start = |worker: usize| {
        let task = format!("{worker} {}", crowd.requests);
        Child::start(site, "crowd::works_as_a_child", ("SESSILE_KILLS_TASK", &task))
    };
    let mut working: BTreeMap<usize, (Child, usize)> =
        (0..crowd.workers).map(|worker| (worker, (start(worker), crowd.kills))).collect();
    let mut kills = 0;
    while !working.is_empty() {
        time::sleep(Duration::from_millis(5 + below(60).await)).await;
        working.retain(|_, (child, _)| !child.has_ended());
        let alive: Vec<usize> = working.keys().copied().collect();
        let bound = u64::try_from(alive.len()).unwrap();
        let Some(chosen) = alive.get(usize::try_from(below(bound).await).unwrap()) else {
            continue;
        };
        let (child, left) = working.remove(chosen).unwrap();
        if left == 0 {
            working.insert(*chosen, (child, 0));
            continue;
        }
        child.kill();
        kills += 1;
        working.insert(*chosen, (start(*chosen), left - 1));
    }
    let all = crowd.workers * crowd.requests;
    println!("{} processes, {all} requests, {kills} kills", crowd.workers);
    look(site, crowd).await;
}

/// A number from 0 to below a bound.
async fn below(bound: u64) -> u64 {
    let drawn = Store::open("memory:").await.unwrap().mint_commit_id().unwrap();
    let last = drawn.as_str().rsplit('-').next().unwrap().to_owned();
    u64::from_str_radix(&last, 16).unwrap() % bound.max(1)
}

/// What they did: every request ended once, no tool ran twice, and what each process saw can have
/// happened in the order of the journals.
async fn look(site: &Site, crowd: Size) {
    let store = site.store().await;
    let noted = std::fs::read_to_string(site.outside().join("noted")).unwrap();
    let mut ended = BTreeSet::new();
    for number in 0..SESSIONS {
        let name = session(0, number);
        let session = store.open_session(name.as_str()).await.unwrap();
        assert!(session.info().active().is_none());
        let turns = turns(&session).await;
        history::check(&Event::of(&noted, &name), &turns).unwrap();
        let said: Vec<serde_json::Value> =
            session.transcript(From::start()).await.unwrap().all().await.unwrap();
        let said: Vec<&str> = said.iter().map(|it| it["content"].as_str().unwrap()).collect();
        let expected: Vec<String> = turns
            .iter()
            .flat_map(|turn| [INPUT.to_owned(), format!("receipt of {}", turn.request)])
            .collect();
        assert_eq!(said, expected);
        for turn in turns {
            assert_eq!(outside::runs(site.outside(), &turn.request), 1, "{}", turn.request);
            assert!(ended.insert(turn.request));
        }
        assert!(store.verify(name.as_str()).await.unwrap().sound);
    }
    let all =
        (0..crowd.workers).flat_map(|worker| (0..crowd.requests).map(move |it| id(worker, it)));
    assert_eq!(ended, all.collect());
}

/// The turns of a session, in the order of its journal.
async fn turns(session: &Session) -> Vec<Turned> {
    let entries = session.entries(From::start()).await.unwrap().all().await.unwrap();
    let (mut claimed, mut turns) = (BTreeMap::new(), Vec::new());
    for entry in entries {
        if !matches!(entry.entry_type, EntryType::Claim | EntryType::Outcome) {
            continue;
        }
        let data: serde_json::Value = entry.data.decode().unwrap();
        let request = data["request"].as_str().unwrap().to_owned();
        if entry.entry_type == EntryType::Claim {
            claimed.entry(request).or_insert_with(|| entry.seq.number());
        } else {
            assert_eq!(data["status"], "completed");
            let claimed = claimed[&request];
            turns.push(Turned { request, claimed, ended: entry.seq.number() });
        }
    }
    turns
}

/// Notes what this process does or hears.
fn note(outside: &Path, session: &str, event: &Event) {
    let mut file =
        OpenOptions::new().create(true).append(true).open(outside.join("noted")).unwrap();
    file.write_all(event.line(session).as_bytes()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the tests that kill it"]
async fn works_as_a_child() {
    let task = std::env::var("SESSILE_KILLS_TASK").unwrap();
    let (worker, requests) = task.split_once(' ').unwrap();
    let (worker, requests) = (worker.parse().unwrap(), requests.parse().unwrap());
    let store = site::given_store().await;
    child::reached("work");
    for number in 0..requests {
        let name = session(worker, number);
        let session = store.open_session(name.as_str()).await.unwrap();
        ask(&session, &name, &id(worker, number)).await;
    }
}

/// Asks until the request has ended: in this process, or in one that was killed.
async fn ask(session: &Session, name: &str, id: &str) {
    let outside = site::given_outside();
    let asks = Event::Asks { request: id.to_owned() };
    loop {
        note(&outside, name, &asks);
        let error = match session.admit(&request(id), INPUT, &contract()).await {
            Ok(Admission::Replay(done)) => {
                assert_eq!(done.decode::<String>().unwrap(), story::result(id));
                break;
            }
            Ok(Admission::Started(turn)) => {
                finish(turn, &outside, id).await;
                break;
            }
            // Where very many come first for long, it asks again.
            Err(error) if error.kind() == ErrorKind::Deadline => continue,
            Err(error) => error,
        };
        assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
        let holder = error.occupant().unwrap().request.to_string();
        if holder == id {
            // The process that held it was killed: this one is started in its place.
            let active = session.refresh().await.unwrap().active.unwrap();
            let usage = session.recovery_usage(&request(id)).await.unwrap();
            let recovery = Recovery::Restart;
            let turn = session.recover(&active, INPUT, &contract(), recovery, &usage).await;
            finish(turn.unwrap().started().unwrap(), &outside, id).await;
            break;
        }
        note(&outside, name, &Event::Busy { request: id.to_owned(), holder });
        time::sleep(Duration::from_millis(2)).await;
    }
    note(&outside, name, &Event::Ended { request: id.to_owned() });
}

async fn finish(mut turn: Turn, outside: &Path, id: &str) {
    story::work(&mut turn, outside, |_| {}).await;
    turn.commit(&story::result(id)).await.unwrap();
}
