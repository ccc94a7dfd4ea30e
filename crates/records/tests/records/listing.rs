//! Pages of checkpoints and of effects, and what is shown of them.

use sessile_core::ErrorKind;
use sessile_memory::MemoryBackend;
use sessile_records::{
    Checkpoint, Checkpoints, Class, HandlerError, Kind, ListedEffect, Phase, Reconciliation, Retry,
};

use crate::scene::{
    Outside, checkpoints, document, effects, first, name, payload, put_past, unkeyed,
};

/// The names on each page, with whether each could be read.
async fn pages(checkpoints: &Checkpoints, kinds: &[Kind], rows: usize) -> Vec<Vec<(String, bool)>> {
    let mut pages = Vec::new();
    let mut after = None;
    while pages.len() < 100 {
        let page = checkpoints.list(kinds, after.as_ref(), rows).await.unwrap();
        pages.push(
            page.rows.iter().map(|row| (row.name.to_string(), row.checkpoint.is_ok())).collect(),
        );
        match page.next {
            Some(next) => after = Some(next),
            None => return pages,
        }
    }
    panic!("the pages do not end");
}

fn of_kind(of: &str, kind: &str) -> Checkpoint {
    let mut new = first(of, "[1,2]");
    new.kind = kind.parse().unwrap();
    new
}

#[tokio::test]
async fn every_checkpoint_is_on_one_page_in_the_order_of_names() {
    let checkpoints = checkpoints(&MemoryBackend::new());
    for of in ["c", "a", "e", "b", "d"] {
        checkpoints.compare_and_swap(first(of, "[1,2]"), None).await.unwrap();
    }
    checkpoints.delete(&name("d"), 0).await.unwrap();
    let names = ["a", "b", "c", "e"].map(|of| (of.to_owned(), true));
    for rows in 1..6 {
        let pages = pages(&checkpoints, &[], rows).await;
        assert!(pages.iter().all(|page| page.len() <= rows));
        assert_eq!(pages.concat(), names);
    }
    let page = checkpoints.list(&[], None, 9).await.unwrap();
    let summary = page.rows[0].checkpoint.as_ref().unwrap();
    assert_eq!((summary.number, summary.payload_bytes), (0, 5));
    assert_eq!(summary.run, name("run-1"));
}

#[tokio::test]
async fn kinds_choose_and_damage_is_shown_whatever_it_was() {
    let memory = MemoryBackend::new();
    let checkpoints = checkpoints(&memory);
    for (of, kind) in [("a", "x.a"), ("b", "x.b"), ("d", "x.a")] {
        checkpoints.compare_and_swap(of_kind(of, kind), None).await.unwrap();
    }
    put_past(&memory, &document("checkpoints", "c"), "junk").await;
    let kinds = ["x.a".parse().unwrap()];
    let listed = pages(&checkpoints, &kinds, 2).await.concat();
    assert_eq!(listed, [("a", true), ("c", false), ("d", true)].map(|(of, ok)| (of.into(), ok)));
    let page = checkpoints.list(&kinds, None, 9).await.unwrap();
    let error = page.rows[1].checkpoint.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.actual_revision().is_some());
}

#[tokio::test]
async fn a_page_of_none_or_above_the_limit_is_refused() {
    let checkpoints = checkpoints(&MemoryBackend::new());
    for rows in [0, 1_001] {
        let error = checkpoints.list(&[], None, rows).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{rows}");
    }
}

#[tokio::test]
async fn what_a_crash_left_begun_is_found_among_the_effects() {
    let memory = MemoryBackend::new();
    let (effects, outside) = (effects(&memory), Outside::default());
    for id in ["a", "c"] {
        outside.execute(&effects, &unkeyed(id, Class::NonIdempotent)).await.unwrap();
    }
    let cut = async |_| Err(HandlerError::unsure("cut off"));
    let begun = unkeyed("b", Class::NonIdempotent);
    effects.execute(&begun, Retry::RejectAmbiguous, None, cut).await.unwrap_err();
    put_past(&memory, &document("effects", "d"), "junk").await;

    let phases = |rows: &[ListedEffect]| -> Vec<_> {
        let phase = |row: &ListedEffect| row.effect.as_ref().ok().map(|it| it.phase);
        rows.iter().map(|row| (row.id.to_string(), phase(row))).collect()
    };
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let page = effects.list(&[], after.as_ref(), 3).await.unwrap();
        listed.extend(phases(&page.rows));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let done = Some(Phase::Completed);
    let all = [("a", done), ("b", Some(Phase::Started)), ("c", done), ("d", None)];
    assert_eq!(listed, all.map(|(id, phase)| (id.to_owned(), phase)));
    let page = effects.list(&[Phase::Started], None, 9).await.unwrap();
    assert_eq!(phases(&page.rows), [all[1], all[3]].map(|(id, phase)| (id.to_owned(), phase)));
    assert_eq!(page.rows[0].effect.as_ref().unwrap().request, begun);
    let error = page.rows[1].effect.as_ref().unwrap_err();
    assert_eq!((error.kind(), error.subject()), (ErrorKind::Corrupt, Some("effect d")));
}

#[tokio::test]
async fn no_debugging_form_shows_a_payload() {
    let memory = MemoryBackend::new();
    let (checkpoints, effects) = (checkpoints(&memory), effects(&memory));
    let put = checkpoints.compare_and_swap(first("n", "\"secret\""), None).await.unwrap();
    let request = unkeyed("e", Class::NonIdempotent);
    let secret = async |_| Ok(payload("\"secret\""));
    let done = effects.execute(&request, Retry::RejectAmbiguous, None, secret).await.unwrap();
    let record = effects.load(&name("e")).await.unwrap();
    let failed = HandlerError::Failed(payload("\"secret\""));
    let unsure = HandlerError::unsure("secret");
    let found = Reconciliation::Completed(payload("\"secret\""));
    let told = format!("{put:?} {done:?} {record:?} {failed:?} {unsure:?} {found:?}");
    assert!(told.contains("Payload(8 bytes)"), "{told}");
    assert!(!told.contains("secret"), "{told}");
}
