use object_store::ObjectStoreExt as _;

use super::*;
use crate::double::{Answer, Breach, Double, Fault};
use crate::notes::noted;
use crate::options::Options;

const LAG: Duration = Duration::from_secs(5);

fn key(id: &str) -> SessionKey {
    SessionKey { space: "s".parse().unwrap(), id: id.parse().unwrap() }
}

fn handle(store: &Arc<Double>, lag: Duration) -> (Catalog, Arc<Place>) {
    let place = Arc::new(store.place(Options { catalog_lag: lag, ..Options::default() }));
    (Catalog::new(Arc::clone(&place)), place)
}

/// What the catalog tells by the notes that there are, by each of them.
async fn notes(store: &Arc<Double>) -> Vec<String> {
    let names = store.names().await.into_iter();
    names.filter_map(|name| Some(name.strip_prefix("p/catalog/s/")?.to_owned())).collect()
}

async fn told(place: &Place) -> Vec<(String, u64)> {
    let noted = noted(place, &"s".parse().unwrap()).await.unwrap();
    noted.into_iter().map(|(id, noted)| (id.to_string(), noted.millis)).collect()
}

#[tokio::test]
async fn without_a_lag_a_note_is_there_before_the_answer_and_only_the_last_one() {
    let store = Double::sound();
    let (catalog, place) = handle(&store, Duration::ZERO);
    catalog.stub(&key("a"), 10).await.unwrap();
    assert_eq!(notes(&store).await, ["a/10"]);
    for millis in [10, 20, 30, 31] {
        catalog.note(&key("a"), millis, None).await;
        assert_eq!(notes(&store).await, [format!("a/{millis}")]);
        assert_eq!(told(&place).await, [("a".to_owned(), millis)]);
    }
    // The stub's own time and a time that fell are nothing to note.
    catalog.note(&key("a"), 29, None).await;
    assert_eq!(notes(&store).await, ["a/31"]);
    let counts = place.client.counters.read();
    assert_eq!((counts.puts, counts.deletes), (4, 3));
}

#[tokio::test]
async fn a_handle_lists_a_session_once_and_deletes_what_others_noted_before() {
    let store = Double::sound();
    let (first, _) = handle(&store, Duration::ZERO);
    for millis in [5, 1_000, 20] {
        first.stub(&key("a"), millis).await.unwrap();
        first.stub(&key("a.b"), millis).await.unwrap();
    }
    assert_eq!(notes(&store).await.len(), 6);
    let (second, place) = handle(&store, Duration::ZERO);
    second.note(&key("a"), 500, None).await;
    assert_eq!(notes(&store).await, ["a.b/1000", "a.b/20", "a.b/5", "a/1000"]);
    let lists = place.client.counters.read().lists;
    second.note(&key("a"), 2_000, None).await;
    assert_eq!(place.client.counters.read().lists, lists);
    assert_eq!(notes(&store).await, ["a.b/1000", "a.b/20", "a.b/5", "a/2000"]);
    let expected = [("a".to_owned(), 2_000), ("a.b".to_owned(), 1_000)];
    assert_eq!(told(&place).await, expected);
}

#[tokio::test(start_paused = true)]
async fn within_the_lag_there_is_one_note_and_none_is_lost() {
    let store = Double::sound();
    let (catalog, place) = handle(&store, LAG);
    catalog.stub(&key("a"), 1).await.unwrap();
    for millis in 2..100 {
        catalog.note(&key("a"), millis, None).await;
        time::sleep(Duration::from_millis(100)).await;
    }
    // Nearly ten seconds of commits.
    let puts = place.client.counters.read().puts;
    assert!((2..=3).contains(&puts), "{puts} notes");
    time::sleep(LAG).await;
    assert_eq!(notes(&store).await, ["a/99"]);
    let puts = place.client.counters.read().puts;
    assert!((3..=4).contains(&puts), "{puts} notes");
    // One that was silent for long is noted at once.
    time::sleep(LAG * 2).await;
    catalog.note(&key("a"), 200, None).await;
    time::sleep(WAIT + Duration::from_millis(1)).await;
    assert_eq!(notes(&store).await, ["a/200"]);
}

#[tokio::test(start_paused = true)]
async fn no_note_is_staler_than_the_lag_whatever_else_is_noted() {
    let store = Double::sound();
    let (catalog, place) = handle(&store, LAG);
    for (at, id) in ["a", "b", "c", "d"].into_iter().enumerate() {
        catalog.stub(&key(id), 1).await.unwrap();
        time::sleep(Duration::from_secs(1)).await;
        catalog.note(&key(id), 2 + u64::try_from(at).unwrap(), None).await;
    }
    time::sleep(LAG + Duration::from_millis(1)).await;
    let expected = [("a", 2), ("b", 3), ("c", 4), ("d", 5)];
    assert_eq!(told(&place).await, expected.map(|(id, millis)| (id.to_owned(), millis)));
}

#[tokio::test(start_paused = true)]
async fn closing_writes_what_is_pending_and_says_when_it_can_not() {
    let store = Double::sound();
    let (catalog, place) = handle(&store, LAG);
    for id in ["a", "b"] {
        catalog.stub(&key(id), 1).await.unwrap();
        catalog.note(&key(id), 2, None).await;
        catalog.note(&key(id), 3, None).await;
    }
    store.fail_writes(&[Fault::Dropped(Answer::Denied)]);
    assert!(catalog.flush().await.is_err());
    assert_eq!(notes(&store).await.len(), 2);
    catalog.flush().await.unwrap();
    assert_eq!(notes(&store).await, ["a/3", "b/3"]);
    let puts = place.client.counters.read().puts;
    catalog.flush().await.unwrap();
    time::sleep(LAG * 3).await;
    assert_eq!(place.client.counters.read().puts, puts);
}

#[tokio::test(start_paused = true)]
async fn what_can_not_be_noted_is_noted_later_also_without_a_lag() {
    for lag in [Duration::ZERO, LAG] {
        let store = Double::sound();
        let (catalog, place) = handle(&store, lag);
        store.fail_writes(&[Fault::Dropped(Answer::Denied); 3]);
        catalog.note(&key("a"), 7, None).await;
        time::sleep(Duration::from_millis(10)).await;
        assert_eq!(told(&place).await, []);
        time::sleep(LAG * 4).await;
        assert_eq!(told(&place).await, [("a".to_owned(), 7)], "{lag:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handle_that_is_dropped_leaves_nothing_to_note_and_no_task_that_tries_for_ever() {
    let store = Double::sound();
    let (catalog, place) = handle(&store, LAG);
    catalog.stub(&key("a"), 1).await.unwrap();
    catalog.note(&key("a"), 2, None).await;
    drop(catalog);
    time::sleep(LAG * 2).await;
    assert_eq!(told(&place).await, [("a".to_owned(), 2)]);
    assert_eq!(Arc::strong_count(&place), 1);

    let (catalog, place) = handle(&Double::broken(Breach::DeniesWrites), LAG);
    catalog.note(&key("a"), 2, None).await;
    time::sleep(LAG * 2).await;
    assert!(place.client.counters.read().puts >= 2);
    drop(catalog);
    time::sleep(LAG * 2).await;
    assert_eq!(Arc::strong_count(&place), 1);
}

#[tokio::test]
async fn notes_that_can_not_be_deleted_do_no_harm_and_go_with_the_next() {
    let store = Double::broken(Breach::KeepsTheDeleted);
    let (catalog, place) = handle(&store, Duration::ZERO);
    for millis in [3, 1, 2, 9, 10] {
        catalog.note(&key("a"), millis, None).await;
    }
    assert_eq!(told(&place).await, [("a".to_owned(), 10)]);
    assert_eq!(notes(&store).await, ["a/10", "a/3", "a/9"]);
}

#[tokio::test]
async fn what_is_no_note_is_passed_over() {
    let store = Double::sound();
    let (catalog, place) = handle(&store, Duration::ZERO);
    catalog.note(&key("a"), 3, None).await;
    catalog.note(&SessionKey { space: "s2".parse().unwrap(), id: key("a").id }, 4, None).await;
    for foreign in ["a/x", "a", "A/5", "a/3/9", "a/-1", "a/99999999999999999999999"] {
        let path = format!("p/catalog/s/{foreign}").as_str().into();
        store.inner.put(&path, "".into()).await.unwrap();
    }
    assert_eq!(told(&place).await, [("a".to_owned(), 3)]);
}

#[tokio::test]
async fn a_handle_forgets_sessions_that_it_need_not_remember() {
    let store = Double::sound();
    let (catalog, place) = handle(&store, Duration::ZERO);
    let count = REMEMBERED + 10;
    for number in 0..count {
        catalog.note(&key(&number.to_string()), 1, None).await;
    }
    assert!(catalog.0.lock().by_key.len() < count);
    for number in [0, count - 1] {
        catalog.note(&key(&number.to_string()), 2, None).await;
    }
    let told = told(&place).await;
    assert_eq!((told.len(), notes(&store).await.len()), (count, count));
    assert_eq!(told.iter().filter(|(_, millis)| *millis == 2).count(), 2);
}
