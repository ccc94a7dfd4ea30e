use std::sync::Arc;

use object_store::ObjectStoreExt as _;

use super::*;
use crate::double::{Answer, Breach, Double, Fault};
use crate::options::Options;

const MARKER: &str = "p/sessile-store.json";

fn handle(store: &Arc<Double>) -> (Marker, Place) {
    (Marker::default(), store.place(Options::default()))
}

async fn laid(text: &'static str) -> (Marker, Place) {
    let store = Double::sound();
    store.inner.put(&MARKER.into(), text.into()).await.unwrap();
    handle(&store)
}

#[tokio::test]
async fn the_first_write_makes_the_marker_and_later_ones_ask_nothing() {
    let store = Double::sound();
    let (marker, place) = handle(&store);
    marker.ensure(&place).await.unwrap();
    assert_eq!(store.names().await, [MARKER]);
    let text = place.client.get(&place.keys.marker()).await.unwrap().unwrap().bytes;
    assert_eq!(text, r#"{"sessile":"store","format":1,"probed":{"ok":true}}"#);
    let before = place.client.counters.read();
    for _ in 0..3 {
        marker.ensure(&place).await.unwrap();
        marker.check(&place).await.unwrap();
    }
    assert_eq!(place.client.counters.read(), before);
}

#[tokio::test]
async fn another_handle_finds_the_marker_and_probes_nothing() {
    let store = Double::sound();
    let (first, place) = handle(&store);
    first.ensure(&place).await.unwrap();
    let (second, place) = handle(&store);
    second.check(&place).await.unwrap();
    second.ensure(&place).await.unwrap();
    let counts = place.client.counters.read();
    assert_eq!((counts.gets, counts.puts, counts.lists), (1, 0, 0));
}

#[tokio::test]
async fn who_only_reads_writes_nothing_and_looks_once() {
    let store = Double::sound();
    let (marker, place) = handle(&store);
    for _ in 0..3 {
        marker.check(&place).await.unwrap();
    }
    let counts = place.client.counters.read();
    assert_eq!((counts.gets, counts.puts, counts.lists), (1, 0, 0));
    assert_eq!(store.names().await, Vec::<String>::new());
    // That there was none does not keep it from making one.
    marker.ensure(&place).await.unwrap();
    assert_eq!(store.names().await, [MARKER]);
}

#[tokio::test]
async fn a_newer_layout_is_an_unknown_version_and_something_else_is_no_marker() {
    for (text, kind) in [
        (r#"{"sessile":"store","format":2,"probed":7}"#, ErrorKind::UnknownVersion),
        (r#"{"sessile":"shop","format":1,"probed":{"ok":true}}"#, ErrorKind::Corrupt),
        (r#"{"sessile":"store"}"#, ErrorKind::Corrupt),
        ("\0\0", ErrorKind::Corrupt),
        ("", ErrorKind::Corrupt),
    ] {
        let (marker, place) = laid(text).await;
        for _ in 0..2 {
            assert_eq!(marker.check(&place).await.unwrap_err().kind(), kind, "{text}");
            let error = marker.ensure(&place).await.unwrap_err();
            assert_eq!(error.kind(), kind, "{text}");
            assert_eq!(error.subject(), Some(MARKER));
        }
        assert_eq!(place.client.counters.read().puts, 0);
    }
    let (marker, place) = laid(r#"{"sessile":"store","format":1,"more":[]}"#).await;
    marker.check(&place).await.unwrap();
    marker.ensure(&place).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_place_that_fails_gets_no_marker_and_is_asked_again() {
    let named = [
        (Breach::TakesEveryCreate, "create-only writes"),
        (Breach::TakesEverySwap, "stale swaps"),
        (Breach::ChecksTooEarly, "races of creates"),
    ];
    for (breach, name) in named {
        let store = Double::broken(breach);
        let (marker, place) = handle(&store);
        for _ in 0..2 {
            let error = marker.ensure(&place).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidPlace);
            assert!(error.to_string().contains(name), "{breach:?}: {error}");
            marker.check(&place).await.unwrap();
        }
        assert_eq!(store.names().await, Vec::<String>::new());
    }
    // One that only did not answer is a store the next time.
    let store = Double::sound();
    let (marker, place) = handle(&store);
    store.fail_reads(&[Answer::Broken]);
    assert_eq!(marker.ensure(&place).await.unwrap_err().kind(), ErrorKind::Unavailable);
    store.fail_writes(&[Fault::Dropped(Answer::Denied)]);
    assert_eq!(marker.ensure(&place).await.unwrap_err().kind(), ErrorKind::Permission);
    marker.ensure(&place).await.unwrap();
}

#[tokio::test]
async fn handles_that_come_first_together_make_one_marker() {
    let store = Double::sound();
    let handles: Vec<_> = (0..8).map(|_| handle(&store)).collect();
    let ensuring = handles.iter().map(|(marker, place)| marker.ensure(place));
    futures_util::future::try_join_all(ensuring).await.unwrap();
    assert_eq!(store.names().await, [MARKER]);
}
