use super::*;
use crate::double::{Answer, Breach, Double, Fault};
use crate::options::Options;

const ALL: [&str; 10] = [
    "missing names",
    "create-only writes",
    "conditional swaps",
    "stale swaps",
    "races of creates",
    "races of swaps",
    "lists after writes",
    "lists from a name on",
    "long keys",
    "deletion",
];

fn is_ok(probe: &Probed) -> bool {
    probe.findings.iter().all(|finding| finding.ok)
}

fn names(probe: &Probed, are_ok: bool) -> Vec<&'static str> {
    let some = probe.findings.iter().filter(|finding| finding.ok == are_ok);
    some.map(|finding| finding.name).collect()
}

async fn probed(store: &std::sync::Arc<Double>) -> Probed {
    let place = store.place(Options::default());
    probe(&place.client, &place.keys).await
}

#[tokio::test(start_paused = true)]
async fn a_sound_place_passes_and_nothing_is_left_in_it() {
    let store = Double::sound();
    let probe = probed(&store).await;
    assert!(is_ok(&probe), "{probe:?}");
    assert_eq!(names(&probe, true), ALL);
    assert!(probe.findings.iter().all(|finding| !finding.detail.is_empty()));
    assert_eq!(store.names().await, Vec::<String>::new());
    let told = probed(&store).await.told();
    assert_eq!((told.ok, told.findings.len()), (true, ALL.len()));
    probe.accept().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_place_that_breaks_a_promise_is_refused_and_what_failed_is_named() {
    let races = ["races of creates", "races of swaps"];
    for (breach, expected) in [
        (Breach::TakesEveryCreate, vec!["create-only writes", races[0]]),
        (Breach::TakesEverySwap, vec!["stale swaps", races[1]]),
        (Breach::ChecksTooEarly, races.to_vec()),
        (Breach::ChecksSwapsTooEarly, vec![races[1]]),
        (Breach::HasNoSwaps, vec!["conditional swaps", "stale swaps", races[1]]),
        (Breach::RefusesSwaps, vec!["conditional swaps", "stale swaps", races[1]]),
        (Breach::DeniesTheMissing, vec!["missing names"]),
        (Breach::ListsNothing, vec!["lists after writes", "lists from a name on"]),
        (Breach::RefusesLongKeys, vec!["long keys"]),
        (Breach::KeepsTheDeleted, vec!["deletion"]),
    ] {
        let store = Double::broken(breach);
        let probe = probed(&store).await;
        let failed: Vec<_> = names(&probe, false);
        let failed_first: Vec<_> =
            failed.iter().copied().filter(|it| expected.contains(it)).collect();
        assert_eq!(failed_first, expected, "{breach:?}: {probe:?}");
        assert!(!is_ok(&probe));
        let is_clean = matches!(breach, Breach::KeepsTheDeleted) || store.names().await.is_empty();
        assert!(is_clean, "{breach:?}");
        let error = probe.accept().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{breach:?}");
        assert!(expected.iter().all(|name| error.to_string().contains(name)), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn lists_that_begin_at_the_beginning_are_told_and_borne() {
    let probe = probed(&Double::broken(Breach::ListsFromTheStart)).await;
    assert!(is_ok(&probe), "{probe:?}");
    let finding = probe.findings.iter().find(|it| it.name == "lists from a name on").unwrap();
    assert!(finding.detail.contains("at the beginning"));
}

#[tokio::test(start_paused = true)]
async fn a_place_that_can_not_be_asked_is_not_judged() {
    for breach in [Breach::DeniesAll, Breach::DeniesWrites] {
        let probe = probed(&Double::broken(breach)).await;
        assert!(!is_ok(&probe));
        assert_eq!(names(&probe, false).len(), 1, "{probe:?}");
        assert_eq!(probe.accept().unwrap_err().kind(), ErrorKind::Permission, "{breach:?}");
    }
    let store = Double::sound();
    store.fail_reads(&[Answer::Broken]);
    let error = probed(&store).await.accept().unwrap_err();
    assert_eq!((error.kind(), error.may_retry()), (ErrorKind::Unavailable, true));
    store.fail_writes(&[Fault::Dropped(Answer::Status(501))]);
    assert_eq!(probed(&store).await.accept().unwrap_err().kind(), ErrorKind::Unsupported);
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_lost_are_not_held_against_a_place() {
    let faults =
        [Fault::Applied(Answer::Broken), Fault::Dropped(Answer::Status(409)), Fault::Nothing];
    for first in 0..faults.len() {
        let store = Double::sound();
        for at in first..first + 200 {
            store.fail_writes(&[faults[at % faults.len()]]);
        }
        let probe = probed(&store).await;
        assert!(is_ok(&probe), "{probe:?}");
        assert_eq!(store.names().await, Vec::<String>::new());
    }
}
