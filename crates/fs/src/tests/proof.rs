//! What shows that the power cuts notice what they are there to notice, and faults of every kind
//! at every step.

#![expect(clippy::print_stdout, reason = "a soak adds up how much was done")]

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sessile_core::backend::{Backend as _, Expected};
use sessile_core::commit::Tip;
use sessile_core::digest::Digest;
use sessile_core::error::{ErrorKind, Outcome};
use sessile_core::id::Space;
use sessile_engine::{Options, Store};

use super::images::Syncs;
use super::life;
use super::powercut::{Run, document, messages, put, revision_of};
use super::stage::{self, Stage};
use crate::faults::Step;
use crate::legacy::LegacyBackend;

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "it is what the older program wrote")]
async fn a_takeover_of_older_session_files_survives_a_power_cut() {
    let old = tempfile::tempdir().unwrap();
    fs::create_dir(old.path().join("sessions")).unwrap();
    let header = r#"{"type":"session","id":"s","created_at":1,"updated_at":2}"#;
    let message =
        format!(r#"{{"type":"message","role":"user","content":"{}"}}"#, "x".repeat(3_000));
    let log = [header, &*message, &*message, ""].join("\n");
    fs::write(old.path().join("sessions/s.jsonl"), log).unwrap();
    let stage = Stage::new().await;
    put(&stage.backend, "old", None).await.unwrap();
    let mut run = Run::begin(&stage, stage.backend.clone()).await;
    let backend = Arc::new(stage.backend.clone());
    let backend = LegacyBackend::over(backend, old.path().to_owned(), Space::default());
    let options = Options::default().deadline(Duration::from_millis(500));
    let store = Store::with(Arc::new(backend.await.unwrap()), options);
    let session = store.open_session("s").await.unwrap();
    // The takeover is done, and what it was done for is not.
    stage.faults().fail(Step::Write, 1, u32::MAX, Errno::IO);
    session.append(["nothing"]).await.unwrap_err();
    stage.faults().mend();
    run.acknowledged().await;
    session.append(["Mark."]).await.unwrap();
    run.acknowledged().await;
    let images = run.check(Syncs::ALL).await.unwrap_or_else(|wrong| panic!("{wrong}"));
    println!("{images} images");
    assert!(images >= 100, "only {images} images");
}

/// A handle whose append was written and not synced, and one that is asked for the same append.
async fn read_back(stage: &Stage) -> Run<'_> {
    let commit = messages("one", 2, 30);
    let mut run = Run::begin(stage, stage.backend.clone()).await;
    stage.faults().fail(Step::SyncFile, 0, 1, Errno::IO);
    let lost = stage.backend.append(&stage.key, Expected::End, vec![commit.clone()]).await;
    assert_eq!(lost.unwrap_err().outcome(), Outcome::Unknown);
    let other = stage.other().await;
    run.hand_over(other.clone());
    let told = other.append(&stage.key, Expected::End, vec![commit]).await.unwrap();
    assert!(told[0].replayed);
    run.acknowledged().await;
    run
}

#[tokio::test]
async fn what_is_told_after_it_was_read_back_is_durable_and_without_a_sync_its_loss_is_found() {
    let stage = Stage::with_commits(2).await;
    let run = read_back(&stage).await;
    let images = run.check(Syncs::ALL).await.unwrap_or_else(|wrong| panic!("{wrong}"));
    println!("{images} images");
    let wrong = run.check(Syncs { files: false, ..Syncs::ALL }).await.unwrap_err();
    assert!(wrong.starts_with("lost or half"), "{wrong}");
}

/// A stage on which another handle appends in the middle of an append, and both are told that it
/// was done. The lock keeps it out, unless somebody takes its file away.
async fn in_the_middle(with_lock: bool) -> (Stage, Vec<String>) {
    let stage = Stage::with_commits(2).await;
    let other = stage.other().await;
    let key = stage.key.clone();
    let lock = stage.folder.path().join("store/spaces/default/sessions/s.lock");
    let told = Arc::new(Mutex::new(Vec::new()));
    let (of_other, mut once) = (Arc::clone(&told), true);
    stage.faults().watch(move |step| {
        if step != Step::Write || !std::mem::take(&mut once) {
            return;
        }
        if !with_lock {
            fs::remove_file(&lock).unwrap();
        }
        let append = std::thread::scope(|scope| {
            let (other, key) = (other.clone(), key.clone());
            let append = async move {
                let commit = vec![stage::message(71)];
                let append = other.append(&key, Expected::End, commit);
                tokio::time::timeout(Duration::from_millis(200), append).await
            };
            let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().build();
            scope.spawn(move || runtime().unwrap().block_on(append)).join().unwrap()
        });
        if append.is_ok_and(|append| append.is_ok()) {
            of_other.lock().unwrap().push("c71".to_owned());
        }
    });
    let own = stage.backend.append(&stage.key, Expected::End, vec![stage::message(70)]).await;
    if own.is_ok() {
        told.lock().unwrap().push("c70".to_owned());
    }
    let told = told.lock().unwrap().clone();
    (stage, told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_lock_an_append_in_the_middle_of_another_is_lost_and_with_it_none_is() {
    let lost = async |with_lock| {
        let (stage, told) = in_the_middle(with_lock).await;
        assert!(told.contains(&"c70".to_owned()), "{told:?}");
        let there = stage.ids().await;
        told.iter().filter(|id| !there.contains(id)).count()
    };
    assert_eq!(lost(true).await, 0);
    assert_eq!(lost(false).await, 1, "what is compared without a lock is written over");
}

/// Numbers that look random and are the same in every run.
struct Dice(u64, u64);

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.1 += 1;
        let digest = Digest::of(&[self.0.to_le_bytes(), self.1.to_le_bytes()].concat());
        u32::from_le_bytes(*digest.as_bytes().first_chunk().unwrap()) % bound
    }
}

const ERRORS: [Errno; 7] =
    [Errno::NOSPC, Errno::IO, Errno::INTR, Errno::DQUOT, Errno::MFILE, Errno::NFILE, Errno::AGAIN];

const STEPS: [Step; 5] =
    [Step::Write, Step::SyncFile, Step::SyncFolder, Step::Name, Step::Truncate];

/// Appends and puts while steps fail by chance; answers how many faults were asked for.
async fn live_with_faults(seed: u64) -> u32 {
    let mut dice = Dice(seed, 0);
    let stage = Stage::in_memory().await;
    let mut asked_for = 0;
    let (mut told, mut refused) = (Vec::new(), Vec::new());
    let (mut held, mut maybe): (Option<String>, Vec<String>) = (None, Vec::new());
    let mut is_there = false;
    for number in 0..14 {
        if dice.below(3) > 0 {
            let step = STEPS[usize::try_from(dice.below(5)).unwrap()];
            let error = ERRORS[usize::try_from(dice.below(7)).unwrap()];
            stage.faults().fail(step, dice.below(4), 1 + dice.below(2), error);
            asked_for += 1;
        }
        if dice.below(5) == 0 {
            stage.faults().cut_short(usize::try_from(dice.below(300)).unwrap());
            asked_for += 1;
        }
        // A handle that remembers, or one that comes new to what is there.
        let backend = if dice.below(4) == 0 { stage.other().await } else { stage.backend.clone() };
        if dice.below(3) == 0 {
            let value = format!(
                "value {number} {}",
                "x".repeat(usize::try_from(dice.below(9_000)).unwrap())
            );
            let before = held.as_ref().map(|held| revision_of(held));
            match put(&backend, &value, before).await {
                Ok(()) => (held, maybe) = (Some(value), Vec::new()),
                Err(error) if error.outcome() == Outcome::NotApplied => {}
                Err(_) => maybe.push(value),
            }
            stage.faults().mend();
            if let Ok(found) = stage.other().await.get(&document()).await {
                let found = String::from_utf8(found.bytes.to_vec()).unwrap();
                let known = Some(&found) == held.as_ref() || maybe.contains(&found);
                assert!(known, "seed {seed}: the document is what nobody put");
                held = Some(found);
            } else {
                assert_eq!(held, None, "seed {seed}: the document is gone");
            }
            continue;
        }
        let (id, expected, commit) = if is_there {
            (format!("c{number}"), Expected::End, stage::message(number))
        } else {
            ("header".to_owned(), Expected::At(Tip::ABSENT), stage::header())
        };
        match backend.append(&stage.key, expected, vec![commit]).await {
            Ok(_) => told.push(id),
            Err(error) if error.outcome() == Outcome::NotApplied => refused.push(id),
            Err(_) => {}
        }
        stage.faults().mend();
        let there = match stage.other().await.head(&stage.key).await {
            Ok(_) => stage.ids().await,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Missing, "seed {seed}: {error}");
                Vec::new()
            }
        };
        is_there = !there.is_empty();
        let of_told: Vec<_> = there.iter().filter(|id| told.contains(id)).cloned().collect();
        assert_eq!(of_told, told, "seed {seed}, step {number}: lost, or twice, or out of order");
        let wrong = there.iter().find(|id| refused.contains(id) && *id != "header");
        assert_eq!(wrong, None, "seed {seed}, step {number}: refused, and there");
    }
    asked_for
}

#[tokio::test]
async fn whichever_step_fails_with_whichever_error_nothing_told_is_lost_and_nothing_refused_is_there()
 {
    let soaks = std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    let first = std::env::var("SESSILE_SEED").map_or(0, |seed| seed.parse().unwrap());
    let mut faults = 0;
    let seeds = if soaks { 1_000 } else { 150 };
    for seed in first..first + seeds {
        faults += live_with_faults(seed).await;
    }
    println!("{seeds} seeds: {faults} faults of the filesystem");
    assert!(faults > 100, "{faults} faults");
}

#[tokio::test]
#[ignore = "the child of the test below"]
async fn runs_out_of_descriptors_as_a_child() {
    let root = std::env::var_os("SESSILE_TEST_ROOT").unwrap();
    let backend = life::open(root.as_ref()).await.unwrap();
    let create = |id: &str| {
        let key = sessile_core::SessionKey { space: Space::default(), id: id.parse().unwrap() };
        (key, Expected::At(Tip::ABSENT))
    };
    let (key, at) = create("s");
    backend.append(&key, at, vec![stage::header()]).await.unwrap();
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(3), ..limit }).unwrap();
    let other = stage::message(1);
    let refused = backend.get(&document()).await.unwrap_err();
    assert!(refused.kind() == ErrorKind::Unavailable && refused.may_retry(), "{refused}");
    let put = put(&backend, "value", None).await.unwrap_err();
    assert!(put.kind() == ErrorKind::Unavailable && put.may_retry(), "{put}");
    // The session's own files are open already, or it is refused for the same reason.
    let first = backend.append(&key, Expected::End, vec![other.clone()]).await;
    setrlimit(Resource::Nofile, limit).unwrap();
    if let Err(error) = first {
        assert!(error.may_retry(), "{error}");
        backend.append(&key, Expected::End, vec![other]).await.unwrap();
    }
    let ids = super::powercut::commits(&backend, &key).await.unwrap().len();
    assert_eq!(ids, 2);
    super::powercut::put(&backend, "value", None).await.unwrap();
}

#[test]
fn without_descriptors_everything_is_refused_for_a_while_and_nothing_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = life::child(
        "tests::proof::runs_out_of_descriptors_as_a_child",
        &folder.path().join("store"),
    );
    let status = child.status().unwrap();
    assert!(status.success() && status.signal().is_none(), "{status}");
}
