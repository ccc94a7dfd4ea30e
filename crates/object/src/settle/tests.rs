use std::sync::Arc;

use sessile_core::Outcome;

use super::*;
use crate::double::{Answer, Double, Fault};
use crate::options::Options;

const BASE: Bytes = Bytes::from_static(b"what stood there");
const OURS: Bytes = Bytes::from_static(b"ours");
const RIVALS: Bytes = Bytes::from_static(b"a rival's");

fn path() -> Path {
    Path::from("name")
}

fn whose(object: &Object) -> Whose {
    match &*object.bytes {
        bytes if bytes == OURS => Whose::Ours,
        bytes if bytes == BASE => Whose::Expected,
        _ => Whose::Others,
    }
}

/// A store, a client of it, and the condition of a write to it: to create, or to replace.
async fn stage(is_create: bool) -> (Arc<Double>, Client, Only) {
    let store = Double::sound();
    let options = Options { request_timeout: Duration::from_secs(2), ..Options::default() };
    let client = store.client(options);
    let only = if is_create {
        Only::IfAbsent
    } else {
        Only::IfStill(client.send(&path(), BASE, &Only::IfAbsent).await.unwrap())
    };
    (store, client, only)
}

async fn write(client: &Client, only: &Only) -> Result<Settled, Error> {
    settle(client, &path(), &OURS, only, whose).await
}

async fn stored(store: &Arc<Double>) -> Option<Bytes> {
    let client = store.client(Options::default());
    client.get(&path()).await.unwrap().map(|object| object.bytes)
}

/// Lets a write meet some faults and expects that it is told as applied, and was sent so often.
async fn is_ours_after(faults: &[Fault], sendings: u64) {
    for is_create in [true, false] {
        let (store, client, only) = stage(is_create).await;
        store.fail_writes(faults);
        let before = client.counters.read().puts;
        let settled = write(&client, &only).await.unwrap();
        assert!(matches!(settled, Settled::Ours(_)), "{faults:?} {only:?}: {settled:?}");
        assert_eq!(client.counters.read().puts - before, sendings, "{faults:?} {only:?}");
        assert_eq!(stored(&store).await, Some(OURS), "{faults:?} {only:?}");
    }
}

const LOST_ANSWERS: [Answer; 7] = [
    Answer::Exists,
    Answer::Changed,
    Answer::Broken,
    Answer::Status(409),
    Answer::Status(429),
    Answer::Status(500),
    Answer::Status(503),
];

#[tokio::test(start_paused = true)]
async fn a_write_that_was_applied_is_ours_whatever_is_answered() {
    for answer in LOST_ANSWERS.into_iter().chain([Answer::Denied, Answer::Never]) {
        // Even a refusal, where it is not the first answer.
        is_ours_after(&[Fault::Dropped(Answer::Broken), Fault::Applied(answer)], 2).await;
        if !matches!(answer, Answer::Denied) {
            is_ours_after(&[Fault::Applied(answer)], 1).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_that_was_not_applied_is_sent_again_whatever_is_answered() {
    for answer in LOST_ANSWERS.into_iter().chain([Answer::Never]) {
        is_ours_after(&[Fault::Dropped(answer)], 2).await;
        is_ours_after(&[Fault::Dropped(answer), Fault::Dropped(Answer::Denied)], 3).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_that_lands_late_is_applied_once() {
    let late = Fault::Late(Duration::from_secs(4), Answer::Never);
    is_ours_after(&[late], 2).await;
    for is_create in [true, false] {
        // The second sending is in vain too, and the first lands before the third.
        let (store, client, only) = stage(is_create).await;
        store.fail_writes(&[late, Fault::Dropped(Answer::Never), Fault::Dropped(Answer::Never)]);
        let settled = write(&client, &only).await.unwrap();
        assert!(matches!(settled, Settled::Ours(_)));
        // What lands when all is over changes nothing.
        let (store, client, only) = stage(is_create).await;
        store.fail_writes(&[late]);
        let Settled::Ours(tag) = write(&client, &only).await.unwrap() else { panic!("lost") };
        time::sleep(Duration::from_secs(10)).await;
        assert_eq!(client.get(&path()).await.unwrap().unwrap().tag, tag);
    }
}

#[tokio::test(start_paused = true)]
async fn a_rival_that_was_first_is_seen_before_a_write_is_lost() {
    for answer in LOST_ANSWERS {
        let (store, client, only) = stage(true).await;
        client.send(&path(), RIVALS, &only).await.unwrap();
        store.fail_writes(&[Fault::Dropped(answer)]);
        let settled = write(&client, &only).await.unwrap();
        assert!(matches!(settled, Settled::Others(it) if it.bytes == RIVALS), "{answer:?}");

        let (store, client, only) = stage(false).await;
        client.send(&path(), RIVALS, &only).await.unwrap();
        store.fail_writes(&[Fault::Dropped(answer)]);
        let settled = write(&client, &only).await.unwrap();
        assert!(matches!(settled, Settled::Others(it) if it.bytes == RIVALS), "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_to_be_replaced_may_be_gone() {
    let (store, client, only) = stage(false).await;
    client.delete(vec![path()]).await.unwrap();
    assert!(matches!(write(&client, &only).await.unwrap(), Settled::Gone));
    assert_eq!(stored(&store).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_the_first_sending_is_final() {
    for (answer, kind) in [
        (Answer::Denied, ErrorKind::Permission),
        (Answer::Status(400), ErrorKind::Refused),
        (Answer::Status(413), ErrorKind::Refused),
    ] {
        let (store, client, only) = stage(true).await;
        store.fail_writes(&[Fault::Dropped(answer)]);
        let error = write(&client, &only).await.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (kind, Outcome::NotApplied));
        assert_eq!(client.counters.read().puts, 1);
        assert_eq!(stored(&store).await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn past_the_deadline_the_outcome_is_unknown() {
    for answer in [Answer::Broken, Answer::Never, Answer::Exists, Answer::Denied] {
        let (store, client, only) = stage(true).await;
        store.fail_writes(&[Fault::Dropped(Answer::Broken)]);
        store.fail_writes(&[Fault::Dropped(answer); 100]);
        let begun = Instant::now();
        let error = write(&client, &only).await.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Unavailable, Outcome::Unknown));
        assert!(error.may_retry());
        let (took, deadline) = (begun.elapsed(), client.options().deadline);
        assert!(took >= deadline, "{answer:?}: {took:?}");
        assert!(took <= deadline + client.options().request_timeout + LAST_LOOK, "{took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_name_that_can_not_be_looked_at_is_written_to_and_looked_at_again() {
    for failing in [Answer::Broken, Answer::Denied, Answer::Status(503)] {
        for is_create in [true, false] {
            let (store, client, only) = stage(is_create).await;
            store.fail_writes(&[Fault::Applied(Answer::Broken)]);
            store.fail_reads(&[failing; 3]);
            let settled = write(&client, &only).await.unwrap();
            assert!(matches!(settled, Settled::Ours(_)), "{failing:?}");
            assert_eq!(client.counters.read().gets, 4);
        }
    }
    // One that never answers does not hold a write up for ever.
    let (store, client, only) = stage(true).await;
    store.fail_writes(&[Fault::Applied(Answer::Broken)]);
    store.fail_reads(&[Answer::Never]);
    let error = write(&client, &only).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
}

#[tokio::test(start_paused = true)]
async fn a_place_that_asks_for_fewer_requests_is_given_time() {
    for (answer, least) in
        [(Answer::Status(429), 250), (Answer::Status(503), 250), (Answer::Broken, 25)]
    {
        let (store, client, only) = stage(true).await;
        store.fail_writes(&[Fault::Dropped(answer)]);
        let begun = Instant::now();
        write(&client, &only).await.unwrap();
        let (took, least) = (begun.elapsed(), Duration::from_millis(least));
        assert!(
            took >= least && took <= least * 2 + Duration::from_millis(2),
            "{answer:?}: {took:?}"
        );
    }
}

#[test]
fn pauses_double_up_to_two_seconds() {
    let mut pause = Pause::default();
    for most in [50, 100, 200, 400, 800, 1_600, 2_000, 2_000] {
        let (next, most) = (pause.next(), Duration::from_millis(most));
        assert!(next >= most / 2 && next <= most, "{next:?} of {most:?}");
    }
}
