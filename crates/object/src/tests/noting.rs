//! What notes of the catalog say: it is shown as long as it holds, whoever did what meanwhile.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sessile_core::backend::{Backend as _, Gist, Scope, Seen};
use sessile_core::commit::Tip;
use sessile_core::digest::Digest;
use sessile_core::error::ErrorKind;
use sessile_core::id::Name;

use super::listed::{gist, is_noted, let_go, row, shown, silent};
use super::stage::{
    Stage, elsewhere, hasty, kind, message, options, quiet, seq, tombstone, undelete,
};
use crate::age::asleep;
use crate::options::Options;

/// Tries something on a place that dies after ever more requests, until it is done.
async fn dying_ever_later(is_done: impl AsyncFn(u64) -> bool) {
    let mut requests = 0;
    while !is_done(requests).await {
        requests += 1;
        assert!(requests < 100, "it is never done");
    }
    assert!(requests > 8, "{requests}");
}

#[tokio::test]
async fn what_was_noted_is_shown_after_a_look_at_the_one_object_behind_the_end() {
    assert_eq!(shown(&let_go(Some("plums")).await).await, (Some("plums".to_owned()), 2));
    assert_eq!(shown(&let_go(None).await).await, (None, 2));
}

#[tokio::test(start_paused = true)]
async fn whatever_happens_to_a_session_after_its_note_is_shown() {
    for number in 0..4 {
        let stage = let_go(Some("plums")).await;
        let (notes, tip) = (stage.notes().await, stage.tip().await);
        let other = stage.handle(silent());
        match number {
            0 => assert!(stage.append(&other, vec![message(9)]).await.is_ok()),
            // What is no part of the journal stands there too.
            1 => stage.put_log(6, "a stranger").await,
            _ => {
                other.remove(&stage.key, tip, tombstone()).await.unwrap();
                if number == 3 {
                    stage.append(&other, vec![undelete()]).await.unwrap();
                }
            }
        }
        // Whoever changed it was killed before it noted anything.
        assert_eq!(stage.notes().await, notes, "{number}");
        let (title, asked) = shown(&stage).await;
        assert_eq!(title, None, "{number}");
        assert!(asked > 2, "{number}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_purge_leaves_no_note_that_holds_again_when_the_objects_behind_it_are_gone() {
    let stage = let_go(Some("plums")).await;
    let killed = stage.handle(silent());
    killed.remove(&stage.key, stage.tip().await, tombstone()).await.unwrap();
    assert!(is_noted(&stage, "plums").await);
    stage.handle(options()).purge(&stage.key).await.unwrap();
    assert!(!is_noted(&stage, "plums").await);
    let fresh = stage.handle(options());
    assert!(row(&stage, &fresh).await.seen.unwrap().is_deleted());
    let notes = stage.notes().await;
    assert_eq!(notes.values().map(Bytes::len).collect::<Vec<_>>(), [0]);
}

#[tokio::test(start_paused = true)]
async fn a_purge_that_could_not_take_back_the_notes_deletes_no_object() {
    dying_ever_later(async |requests| {
        let stage = let_go(Some("plums")).await;
        let killed = stage.handle(silent());
        killed.remove(&stage.key, stage.tip().await, tombstone()).await.unwrap();
        let purging = stage.handle(hasty());
        stage.store.die_after(requests);
        let done = purging.purge(&stage.key).await;
        stage.store.die_after(None);
        let left = stage.names().await.iter().filter(|it| it.starts_with("log/")).count();
        assert!(left > 1 || !is_noted(&stage, "plums").await, "after {requests} requests");
        let fresh = stage.handle(options());
        assert!(row(&stage, &fresh).await.seen.unwrap().is_deleted());
        done.is_ok()
    })
    .await;
}

#[tokio::test]
async fn a_mask_takes_back_what_all_notes_say_before_it_is_acknowledged() {
    let stage = let_go(Some("plums")).await;
    // Notes of other times, which a deletion missed, say it too.
    let says = stage.notes().await.values().next().unwrap().clone();
    for name in ["default/s/0", "default/s/9"] {
        stage.put_note(name, says.clone()).await;
    }
    let masking = stage.handle(options());
    masking.mask(&stage.key, stage.tip().await, vec![seq(2)]).await.unwrap();
    quiet().await;
    assert!(!is_noted(&stage, "plums").await);
    let notes = stage.notes().await;
    assert_eq!(notes.keys().collect::<Vec<_>>(), ["default/s/9"]);
    assert_eq!(shown(&stage).await.0, None);
    // What is told after that is noted with the next append.
    let tip = stage.append(&masking, vec![message(8)]).await.unwrap()[0].tip;
    masking.note(&stage.key, gist(tip, "pears"));
    masking.close().await.unwrap();
    assert_eq!(shown(&stage).await, (Some("pears".to_owned()), 2));
}

#[tokio::test]
async fn a_mask_takes_back_also_what_others_noted_since_the_masker_did() {
    let (stage, masking) = Stage::with_messages(5).await;
    masking.mask(&stage.key, stage.tip().await, vec![seq(1)]).await.unwrap();
    let other = stage.handle(options());
    let tip = stage.append(&other, vec![message(8)]).await.unwrap()[0].tip;
    other.note(&stage.key, gist(tip, "plums"));
    other.close().await.unwrap();
    assert!(is_noted(&stage, "plums").await);
    masking.mask(&stage.key, tip, vec![seq(2)]).await.unwrap();
    assert!(!is_noted(&stage, "plums").await);
}

#[tokio::test]
async fn a_mask_that_could_not_take_back_the_notes_is_not_acknowledged() {
    dying_ever_later(async |requests| {
        let stage = let_go(Some("plums")).await;
        let masking = stage.handle(hasty());
        let tip = stage.tip().await;
        stage.store.die_after(requests);
        let done = masking.mask(&stage.key, tip, vec![seq(2)]).await;
        stage.store.die_after(None);
        assert!(done.is_err() || !is_noted(&stage, "plums").await, "after {requests} requests");
        done.is_ok()
    })
    .await;
}

#[tokio::test]
async fn a_note_that_lands_after_a_mask_is_not_shown_and_takes_itself_back() {
    let (stage, backend) = Stage::with_messages(5).await;
    backend.note(&stage.key, gist(stage.tip().await, "plums"));
    let masking = stage.handle(options());
    masking.mask(&stage.key, stage.tip().await, vec![seq(2)]).await.unwrap();
    quiet().await;
    backend.close().await.unwrap();
    assert!(!is_noted(&stage, "plums").await);
    assert_eq!(shown(&stage).await.0, None);
    // The handle that was told it shows it no more either.
    assert!(matches!(row(&stage, &backend).await.seen, Ok(Seen::Head(_))));
}

#[tokio::test]
async fn a_late_note_that_could_not_take_itself_back_is_not_shown_and_goes_with_the_next_try() {
    let stage = let_go(Some("plums")).await;
    let late = stage.notes().await;
    let masking = stage.handle(options());
    masking.mask(&stage.key, stage.tip().await, vec![seq(2)]).await.unwrap();
    quiet().await;
    for (name, says) in &late {
        stage.put_note(name, says.clone()).await;
    }
    assert_eq!(shown(&stage).await.0, None);
    // Whoever writes next replaces it, and whoever masks next takes it back.
    stage.append(&masking, vec![message(8)]).await.unwrap();
    masking.close().await.unwrap();
    assert!(!is_noted(&stage, "plums").await);
    assert_eq!(shown(&stage).await, (None, 2));
}

#[tokio::test]
async fn a_handle_says_nothing_of_a_session_that_may_be_purged_since_it_saw_it() {
    let hours = Duration::from_hours;
    for (age, says) in [(hours(11), true), (hours(12), false)] {
        let (stage, _) = Stage::with_messages(3).await;
        let slow =
            stage.handle(Options { purges_at_once: false, purge_after: hours(24), ..options() });
        let tip = stage.append(&slow, vec![message(8)]).await.unwrap()[0].tip;
        slow.note(&stage.key, gist(tip, "plums"));
        asleep::sleep(age);
        slow.close().await.unwrap();
        assert_eq!(is_noted(&stage, "plums").await, says);
    }
}

#[tokio::test]
async fn a_note_that_says_nothing_that_can_be_read_counts_as_none() {
    let stage = let_go(Some("plums")).await;
    let notes = stage.notes().await;
    let (name, says) = notes.first_key_value().unwrap();
    let mut altered = says.to_vec();
    altered[30] ^= 1;
    let long = vec![b'x'; 100_000];
    for bad in [says.slice(..says.len() / 2).to_vec(), altered, b"x".to_vec(), Vec::new(), long] {
        stage.put_note(name, bad).await;
        let (title, asked) = shown(&stage).await;
        assert_eq!(title, None);
        assert!(asked > 2);
    }
    // Copied by hand to another session, it is not of that one.
    stage.put_note("default/other/1", says.clone()).await;
    stage.put_note(name, says.clone()).await;
    let rows = stage.handle(options()).recent(&stage.key.space, &Scope::ALL, None, 9).await;
    assert_eq!(rows.unwrap().len(), 1);
    assert_eq!(shown(&stage).await.0.as_deref(), Some("plums"));
}

#[tokio::test]
async fn sessions_of_other_scopes_cost_one_request_where_they_were_noted() {
    let stage = let_go(Some("plums")).await;
    let project: Name = "shop".parse().unwrap();
    let scope = Scope { project: Some(project), ..Scope::ALL };
    let fresh = stage.handle(options());
    fresh.spaces(None, 1).await.unwrap();
    let before = fresh.counts();
    assert!(fresh.recent(&stage.key.space, &scope, None, 9).await.unwrap().is_empty());
    let after = fresh.counts();
    assert_eq!((after.gets - before.gets, after.lists - before.lists), (1, 1));
}

#[tokio::test]
async fn a_handle_shows_what_it_was_told_after_one_request_until_somebody_appends() {
    let (stage, writer) = Stage::with_messages(3).await;
    let reader = stage.handle(options());
    let tip = stage.head(&reader).await.tip;
    for handle in [&reader, &writer] {
        handle.note(&stage.key, gist(tip, "plums"));
        handle.note(&stage.key, gist(elsewhere(tip.position.number()), "pears"));
        let before = handle.counts().gets;
        let Ok(Seen::Gist(gist)) = row(&stage, handle).await.seen else { panic!("no gist") };
        assert_eq!(gist.title.as_deref(), Some("plums"));
        assert_eq!(handle.counts().gets - before, 1);
    }
    stage.append(&stage.handle(options()), vec![message(8)]).await.unwrap();
    for handle in [&reader, &writer] {
        assert!(matches!(row(&stage, handle).await.seen, Ok(Seen::Head(_))));
    }
    // Neither was asked to write, and one of them never wrote.
    assert_eq!(reader.counts().puts, 0);
    reader.close().await.unwrap();
    assert_eq!(reader.counts().puts, 0);
}

#[tokio::test(start_paused = true)]
async fn within_the_lag_one_note_says_how_the_session_is_left_and_what_is_shown_of_it() {
    let stage = Stage::new().await;
    let writer = stage.handle(Options { catalog_lag: Duration::from_secs(5), ..options() });
    stage.create(&writer).await;
    for number in 0..3 {
        let tip = stage.append(&writer, vec![message(number)]).await.unwrap()[0].tip;
        writer.note(&stage.key, gist(tip, &format!("title {number}")));
    }
    let puts = writer.counts().puts;
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(shown(&stage).await, (Some("title 2".to_owned()), 2));
    tokio::time::sleep(Duration::from_mins(1)).await;
    writer.close().await.unwrap();
    assert_eq!(writer.counts().puts, puts + 1);
}

#[tokio::test]
async fn of_two_who_note_the_same_session_the_one_that_has_seen_more_of_it_is_read() {
    for first_closes_last in [false, true] {
        let (stage, first) = Stage::with_messages(2).await;
        first.note(&stage.key, gist(stage.tip().await, "first"));
        let second = stage.handle(options());
        let tip = stage.append(&second, vec![message(8)]).await.unwrap()[0].tip;
        second.note(&stage.key, gist(tip, "second"));
        let order = if first_closes_last { [&second, &first] } else { [&first, &second] };
        for handle in order {
            handle.close().await.unwrap();
        }
        assert_eq!(shown(&stage).await, (Some("second".to_owned()), 2), "{first_closes_last}");
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_handles_do_in_whatever_order_rows_are_as_a_look_at_the_session_shows_it() {
    let (mut of_notes, mut rounds) = (0, 0);
    for seed in 0..60 {
        let mut draws = 0;
        let mut below = |bound| {
            draws += 1;
            drawn(seed, draws) % bound
        };
        let (stage, first) = Stage::with_messages(2).await;
        let mut handles = vec![first, stage.handle(options()), stage.handle(silent())];
        for step in 0..30 {
            let at = usize::try_from(below(3)).unwrap();
            let handle = &handles[at];
            let head = stage.head(&stage.handle(options())).await;
            match below(9) {
                0..=2 if !head.deleted => {
                    let told = stage.append(handle, vec![message(step)]).await.unwrap();
                    handle.note(&stage.key, titled(told[0].tip));
                }
                3 if !head.deleted => {
                    handle.mask(&stage.key, head.tip, vec![seq(1)]).await.unwrap();
                }
                4 if !head.deleted => {
                    handle.remove(&stage.key, head.tip, tombstone()).await.unwrap();
                }
                4 if below(4) == 0 => {
                    handle.purge(&stage.key).await.unwrap();
                    // It waits until no writer is left that saw the session before it was deleted.
                    handles = vec![];
                    for _ in 0..3 {
                        handles.push(stage.handle(options()));
                    }
                }
                4 | 5 if head.deleted => {
                    let taken_back = stage.append(handle, vec![undelete()]).await;
                    assert!(taken_back.is_ok() || kind(taken_back) == ErrorKind::Deleted);
                }
                6 => handle.close().await.unwrap(),
                7 => handles[at] = stage.handle(options()),
                8 if !head.deleted => handle.note(&stage.key, titled(head.tip)),
                _ => {}
            }
            let (title, asked) = shown(&stage).await;
            rounds += 1;
            of_notes += u32::from(asked == 2);
            let tip = stage.tip().await;
            assert!(title.is_none_or(|title| title == tip.position.to_string()), "seed {seed}");
            for handle in &handles {
                assert_eq!(row(&stage, handle).await.seen.unwrap().tip(), tip, "seed {seed}");
            }
        }
    }
    assert!(of_notes > rounds / 10, "{of_notes} of {rounds} rows were shown as they were noted");
}

/// The gist of a session that lives, which tells where that ends.
fn titled(tip: Tip) -> Arc<Gist> {
    gist(tip, &tip.position.to_string())
}

/// A number by chance, the same for a seed in every run.
fn drawn(seed: u64, draw: u64) -> u64 {
    let digest = Digest::of(&[seed.to_le_bytes(), draw.to_le_bytes()].concat());
    u64::from_le_bytes(*digest.as_bytes().first_chunk().unwrap())
}
