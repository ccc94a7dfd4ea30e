//! What sessions cost: how many requests, and how many of them one after the other.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sessile_core::Seq;
use sessile_core::backend::{Backend as _, Scope, Span};
use sessile_engine::{Filter, From, NewSession, Page, RawMessage, Session, Store, Window};
use tokio::time::Instant;

use super::stage::{Stage, merging, options, quiet, seq};
use crate::double::Double;
use crate::options::Options;

/// How long a request takes where rounds are counted.
const TICK: Duration = Duration::from_millis(1);

/// Requests, and how many of them waited for one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    requests: u64,
    rounds: u128,
}

/// What something costs, in a runtime whose time stands still while anything can go on.
async fn cost<T>(store: &Double, doing: impl Future<Output = T>) -> (T, Cost) {
    store.pace.take(TICK);
    let (begun, made) = (Instant::now(), store.pace.made());
    let done = doing.await;
    let rounds = begun.elapsed().as_nanos().div_ceil(TICK.as_nanos());
    let requests = store.pace.made() - made;
    store.pace.take(Duration::ZERO);
    (done, Cost { requests, rounds })
}

fn by_default() -> Options {
    merging(Options::default().merge_every)
}

fn store(stage: &Stage) -> Store {
    Store::on(Arc::new(stage.handle(by_default())))
}

/// What is said in a turn, in so many bytes at most.
fn said(number: usize, bytes: usize) -> serde_json::Value {
    let text = format!("turn {number} {}", "x".repeat(number * 37 % (bytes + 1)));
    json!({"role": "user", "content": text})
}

/// A session of so many turns, a commit each.
async fn session(stage: &Stage, turns: usize, bytes: usize) -> Session {
    let session = store(stage).create_as("s", NewSession::new()).await.unwrap();
    for number in 0..turns {
        session.append([said(number, bytes)]).await.unwrap();
        quiet().await;
    }
    session
}

/// What it costs to open a session in a fresh process and to read its last messages.
async fn resuming(stage: &Stage, turns: usize) -> Cost {
    let mut costs = Vec::new();
    for by_view in [false, true] {
        let fresh = store(stage);
        let resuming = Box::pin(async {
            let session = fresh.open_session("s").await.unwrap();
            if by_view {
                return session.view(Window::last(50)).await.unwrap().window;
            }
            let last = session.transcript::<RawMessage>(From::last(50)).await.unwrap();
            last.all().await.unwrap()
        });
        let (messages, cost) = cost(&stage.store, resuming).await;
        assert_eq!(messages.len(), turns.min(50));
        let last = messages.last().unwrap().data.as_str();
        assert!(last.contains(&format!("turn {} ", turns - 1)), "{last}");
        costs.push(cost);
    }
    assert_eq!(costs[0], costs[1]);
    costs[0]
}

/// Few requests, and few one after the other.
fn is_cheap(cost: Cost) -> bool {
    cost.rounds <= 4 && cost.requests <= 40
}

#[tokio::test(start_paused = true)]
async fn resuming_takes_four_rounds_and_forty_requests_at_most_however_long_the_session_is() {
    let soaks = std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    let long = if soaks { [20_000, 20_261].as_slice() } else { &[] };
    // Of one object behind the first, behind a range, before one, before and behind a larger one,
    // with as many names as a list tells at once, and more.
    let lengths = [1, 6, 7, 50, 94, 200, 511, 760, 980, 1_000, 2_000, 2_110];
    for turns in lengths.iter().chain(long).copied() {
        let stage = Stage::new().await;
        session(&stage, turns, 400).await;
        let cost = resuming(&stage, turns).await;
        assert!(is_cheap(cost), "{turns} turns: {cost:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn resuming_costs_no_more_where_messages_are_short_or_long() {
    for bytes in [0, 100, 1_000, 4_000, 10_000] {
        let stage = Stage::new().await;
        session(&stage, 2_000, bytes).await;
        let cost = resuming(&stage, 2_000).await;
        assert!(is_cheap(cost), "turns of {bytes} bytes: {cost:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn resuming_costs_a_round_more_at_most_right_after_data_was_removed() {
    for (turns, more) in [(300, 0), (1_200, 1)] {
        let stage = Stage::new().await;
        let session = session(&stage, turns, 400).await;
        session.redact([seq(200)], None).await.unwrap();
        quiet().await;
        let cost = resuming(&stage, turns).await;
        // Among so many objects a notice is known for one, and the mark read again, once it is read.
        assert!(is_cheap(Cost { rounds: cost.rounds - more, ..cost }), "{turns} turns: {cost:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn asking_for_news_of_a_session_is_one_request() {
    let stage = Stage::new().await;
    let writer = session(&stage, 40, 400).await;
    let reader = store(&stage).open_session("s").await.unwrap();
    let one = Cost { requests: 1, rounds: 1 };
    for _ in 0..3 {
        for handle in [&writer, &reader] {
            let (info, cost) = cost(&stage.store, handle.refresh()).await;
            assert_eq!((info.unwrap().messages, cost), (40, one));
        }
    }
    let (backend, tip) = (stage.handle(by_default()), stage.tip().await);
    let head = stage.head(&backend).await;
    stage.read(&backend, Span::ALL).await;
    let last = Seq::new(tip.position.number() - 1).unwrap();
    for _ in 0..3 {
        let (again, of_head) = cost(&stage.store, stage.head(&backend)).await;
        assert_eq!((again.change, of_head), (head.change.clone(), one));
        for (from, count) in [(tip.position.seq().unwrap(), 0), (last, 1)] {
            let (read, cost) = cost(&stage.store, stage.read(&backend, Span::From(from))).await;
            assert_eq!((read.len(), cost), (count, one));
        }
        let back = Span::Back { before: tip.position, max_bytes: 4_000 };
        let (read, cost) = cost(&stage.store, stage.read(&backend, back)).await;
        assert!(read.len() > 3);
        assert_eq!(cost, one);
    }
    // What others add costs a request each, and so does what they remove, and the mark of it.
    writer.append([said(40, 0)]).await.unwrap();
    let (info, cost_of_news) = cost(&stage.store, reader.refresh()).await;
    assert_eq!(info.unwrap().messages, 41);
    assert!(cost_of_news.requests <= 4, "{cost_of_news:?}");
    backend.mask(&stage.key, stage.tip().await, vec![seq(7)]).await.unwrap();
    quiet().await;
    let (_, cost_of_news) = cost(&stage.store, reader.refresh()).await;
    // Two notices with the mark, and the end.
    assert_eq!(cost_of_news.requests, 5);
    let (_, cost) = cost(&stage.store, reader.refresh()).await;
    assert_eq!(cost, one);
}

#[tokio::test(start_paused = true)]
async fn creating_is_two_writes_and_two_reads_at_once() {
    let stage = Stage::new().await;
    // The marker of the store is looked for once by each handle.
    let (store, backend) = {
        let backend = stage.handle(by_default());
        (Store::on(Arc::new(backend.clone())), backend)
    };
    store.create_as("other", NewSession::new()).await.unwrap();
    quiet().await;
    let before = backend.counts();
    let creating = async {
        let created = store.create_as("s", NewSession::new()).await;
        created.unwrap()
    };
    let (_, cost) = cost(&stage.store, creating).await;
    assert_eq!(cost, Cost { requests: 4, rounds: 3 });
    let counts = backend.counts();
    let made = (counts.lists - before.lists, counts.gets - before.gets, counts.puts - before.puts);
    assert_eq!((made, counts.deletes), ((1, 1, 2), 0));
}

#[tokio::test(start_paused = true)]
async fn an_append_is_one_write_also_the_first_one_after_opening() {
    let stage = Stage::new().await;
    let writer = session(&stage, 30, 400).await;
    let options = Options { catalog_lag: Duration::from_hours(1), ..options() };
    let opened = Store::on(Arc::new(stage.handle(options)));
    let opened = opened.open_session("s").await.unwrap();
    for number in 30..33 {
        stage.store.pace.asked();
        let (appended, cost) =
            cost(&stage.store, Box::pin(opened.append([said(number, 400)]))).await;
        appended.unwrap();
        // The note in the catalog is written later, and the append does not wait for it.
        let asked = stage.store.pace.asked();
        let asked = asked.iter().filter(|path| path.as_ref().starts_with("p/spaces/"));
        let expected = stage.keys.log(u64::try_from(number).unwrap() + 1);
        assert_eq!(asked.collect::<Vec<_>>(), [&expected]);
        assert_eq!(cost.rounds, 1);
    }
    assert_eq!(writer.refresh().await.unwrap().messages, 33);
}

#[tokio::test(start_paused = true)]
async fn appends_that_wait_for_one_another_are_one_write() {
    let stage = Stage::new().await;
    let options = Options { catalog_lag: Duration::from_hours(1), ..options() };
    let backend = stage.handle(options);
    let session = Store::on(Arc::new(backend.clone()));
    let session = session.create_as("s", NewSession::new()).await.unwrap();
    let (writes, first) = (backend.counts().puts, stage.tip().await.position.number());
    let next = stage.keys.log(1);
    stage.store.pace.hold([(next, 0)]);
    let append = |number| {
        let session = session.clone();
        tokio::spawn(async move { session.append([format!("{number}")]).await })
    };
    // Time goes on when nothing else does: one waits for the place, and then the others for it.
    let mut appending = vec![append(0)];
    for more in [1..1, 1..16] {
        appending.extend(more.map(append));
        tokio::time::sleep(TICK).await;
        assert_eq!((stage.store.pace.held(), backend.counts().puts - writes), (1, 1));
    }
    stage.store.pace.release();
    let mut told = Vec::new();
    for (number, appended) in appending.into_iter().enumerate() {
        let appended = appended.await.unwrap().unwrap();
        assert!(!appended.replayed);
        told.push((appended.first.number(), number.to_string()));
    }
    assert_eq!(backend.counts().puts - writes, 2);
    told.sort_unstable();
    let read = store(&stage).open_session("s").await.unwrap();
    let read = read.transcript::<String>(From::start()).await.unwrap().all().await.unwrap();
    // Each has a number of its own, by which it is read.
    let numbers: Vec<_> = told.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(numbers, (first..first + 16).collect::<Vec<_>>());
    assert_eq!(read, told.into_iter().map(|(_, said)| said).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn merging_writes_no_more_than_three_times_the_journal_in_all() {
    for turns in [2_000, 2_300] {
        let stage = Stage::new().await;
        session(&stage, turns, 3_000).await;
        let journal = stage.head(&stage.handle(options())).await.bytes;
        let written = stage.store.pace.written();
        assert!(written <= 3 * journal, "{written} bytes for {journal}");
        assert!(written > 2 * journal, "nothing was merged");
    }
}

/// A page of fifty sessions of so many turns, as its backend makes it, and as a store does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PageCost {
    of_backend: Cost,
    of_store: Cost,
}

/// What a page costs a fresh handle after its sessions were written, and the writer was closed, or
/// after the notes that this left were emptied.
async fn page(turns: usize, noted: bool) -> PageCost {
    let stage = Stage::new().await;
    let writer = store(&stage);
    for id in 0..50 {
        let session = writer.create_as(format!("s{id}"), NewSession::new()).await.unwrap();
        for number in 0..turns {
            session.append([said(number, 200)]).await.unwrap();
        }
        quiet().await;
    }
    writer.close().await.unwrap();
    if !noted {
        stage.empty_notes().await;
    }
    let backend = stage.handle(by_default());
    let (rows, of_backend) =
        cost(&stage.store, backend.recent(&stage.key.space, &Scope::ALL, None, 50)).await;
    assert_eq!(rows.unwrap().len(), 50);
    let fresh = store(&stage);
    let (listing, of_store) =
        cost(&stage.store, Box::pin(fresh.list(Filter::all(), Page::of(50)))).await;
    let sessions = listing.unwrap().sessions;
    assert!(sessions.iter().all(|it| it.messages == u64::try_from(turns).unwrap()));
    assert_eq!(sessions.len(), 50);
    PageCost { of_backend, of_store }
}

#[tokio::test(start_paused = true)]
async fn a_page_of_sessions_that_were_let_go_of_is_a_list_and_two_requests_a_row_folding_included()
{
    for turns in [1, 10, 500] {
        let PageCost { of_backend, of_store } = page(turns, true).await;
        // The marker of the store, the list, and sixteen rows at once.
        let expected = Cost { requests: 2 + 2 * 50, rounds: 2 + 2 * 50_u128.div_ceil(16) };
        assert_eq!((of_backend, of_store), (expected, expected), "{turns} turns");
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_session_of_a_project_is_found_behind_others_sixteen_at_a_time() {
    let stage = Stage::new().await;
    let writer = store(&stage);
    for (id, project) in [("own".to_owned(), "shop")]
        .into_iter()
        .chain((0..64).map(|number| (format!("s{number}"), "yard")))
    {
        writer.create_as(id, NewSession::new().project(project)).await.unwrap();
        // The next one is newer.
        tokio::time::sleep(TICK).await;
    }
    writer.close().await.unwrap();
    let scope = Scope { project: Some("shop".parse().unwrap()), ..Scope::ALL };
    let backend = stage.handle(by_default());
    let (rows, found) = cost(&stage.store, backend.recent(&stage.key.space, &scope, None, 1)).await;
    let ids: Vec<_> = rows.unwrap().iter().map(|row| row.recency.id.to_string()).collect();
    assert_eq!(ids, ["own"]);
    // The marker, the list, a read of each, and a second one of the session that is found.
    assert_eq!(found.requests, 2 + 64 + 2);
    assert!(found.rounds <= 2 + 64 / 16 + 2, "{found:?}");
}

#[tokio::test(start_paused = true)]
async fn a_page_of_sessions_whose_notes_say_nothing_costs_the_same_whatever_their_length() {
    let short = page(2, false).await;
    for turns in [1, 500] {
        let PageCost { of_backend, of_store } = page(turns, false).await;
        // A session of one object behind the first has none before its last one to be read.
        let fewer = if turns == 1 { 50 } else { 0 };
        let requests = short.of_backend.requests - fewer;
        assert_eq!(of_backend, Cost { requests, ..short.of_backend }, "{turns} turns");
        // What a store shows of a session it folds from the last state on.
        assert_eq!(of_store.rounds, short.of_store.rounds, "{turns} turns");
        assert!(of_store.requests <= 50 * 32, "{turns} turns: {of_store:?}");
    }
}
