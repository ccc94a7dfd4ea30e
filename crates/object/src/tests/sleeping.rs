//! A writer that slept: what others did meanwhile is found before anything is acknowledged.
//!
//! The tests move the clock by which a look at the end grows old; all else is what it is.

use std::time::Duration;

use sessile_core::backend::{Backend as _, Expected, Span};
use sessile_core::{ErrorKind, Tip};

use super::stage::{Stage, kind, merging, message, options};
use crate::age::asleep;
use crate::backend::ObjectBackend;

/// Longer than a look is believed.
const NIGHT: Duration = Duration::from_hours(12);

/// A session of two messages, and a handle that has looked at its end.
async fn falls_asleep() -> (Stage, ObjectBackend, Tip) {
    let (stage, _) = Stage::with_messages(2).await;
    let sleeper = stage.handle(options());
    let tip = stage.head(&sleeper).await.tip;
    stage.read(&sleeper, Span::ALL).await;
    (stage, sleeper, tip)
}

#[tokio::test]
async fn who_slept_through_a_merge_is_told_a_conflict_and_goes_on_at_the_end() {
    let (stage, sleeper, tip) = falls_asleep().await;
    let other = stage.handle(merging(2));
    for number in 10..20 {
        stage.append(&other, vec![message(number)]).await.unwrap();
    }
    assert!(!stage.ranges().await.is_empty());
    asleep::sleep(NIGHT);
    let sent = sleeper.append(&stage.key, Expected::At(tip), vec![message(9)]).await;
    assert_eq!(kind(sent), ErrorKind::Conflict);
    let tip = stage.head(&sleeper).await.tip;
    sleeper.append(&stage.key, Expected::At(tip), vec![message(20)]).await.unwrap();
    let all = stage.all().await;
    assert_eq!(all.len(), 1 + 2 + 10 + 1);
    assert_eq!(stage.read(&sleeper, Span::ALL).await, all);
}

#[tokio::test]
async fn who_slept_through_a_deletion_is_told_of_it() {
    for expected in [Expected::At, |_| Expected::End] {
        let (stage, sleeper, tip) = falls_asleep().await;
        stage.remove(&stage.handle(options())).await;
        asleep::sleep(NIGHT);
        let before = stage.all().await;
        let sent = sleeper.append(&stage.key, expected(tip), vec![message(9)]).await;
        assert_eq!(kind(sent), ErrorKind::Deleted);
        assert_eq!(stage.all().await, before);
    }
}

#[tokio::test]
async fn who_slept_through_a_purge_writes_where_the_number_is_free_and_acknowledges_nothing() {
    for expected in [Expected::At, |_| Expected::End] {
        let (stage, sleeper, tip) = falls_asleep().await;
        let other = stage.handle(options());
        stage.remove(&other).await;
        other.purge(&stage.key).await.unwrap();
        let before = stage.all().await;
        asleep::sleep(NIGHT);
        let sent = sleeper.append(&stage.key, expected(tip), vec![message(9)]).await;
        assert_eq!(kind(sent), ErrorKind::Deleted);
        assert_eq!(stage.all().await, before);
        let again = sleeper.append(&stage.key, expected(tip), vec![message(10)]).await;
        assert_eq!(kind(again), ErrorKind::Deleted);
    }
}

#[tokio::test]
async fn it_is_the_clock_that_makes_a_look_old() {
    // Without the night the same write is believed: this is why purging waits so much longer.
    let (stage, sleeper, tip) = falls_asleep().await;
    let other = stage.handle(options());
    stage.remove(&other).await;
    other.purge(&stage.key).await.unwrap();
    let sent = sleeper.append(&stage.key, Expected::At(tip), vec![message(9)]).await;
    assert!(sent.is_ok(), "{sent:?}");
}
