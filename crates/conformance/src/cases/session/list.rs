//! Listing sessions.

use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_engine::{Filter, NewSession, Store};

use super::scene;
use crate::case::Case;
use crate::failed::{Failed, same};
use crate::fixture::Place;
use crate::hands::Hands;
use crate::together::beside;

pub(super) const CASES: &[Case] = &[
    Case::new("session/list/pages_hold_all_of_one_time", &["LIST-1"], |place| {
        Box::pin(pages_hold_all_of_one_time(place))
    }),
    Case::new("session/list/pages_follow_one_order_when_times_fall", &["LIST-2"], |place| {
        Box::pin(pages_follow_one_order(place))
    }),
    Case::new("session/list/what_has_no_field_is_not_hidden", &["LIST-4"], |place| {
        Box::pin(what_has_no_field_is_not_hidden(place))
    }),
    Case::new("session/list/projects_that_look_alike_are_apart", &["ID-1"], |place| {
        Box::pin(projects_that_look_alike_are_apart(place))
    }),
    Case::new("session/list/a_time_in_a_message_moves_nothing_up", &["CLK-2"], |place| {
        Box::pin(a_time_in_a_message_moves_nothing_up(place))
    }),
    Case::new(
        "session/list/pages_neither_skip_nor_repeat_while_others_write",
        &["ORD-7", "LIST-2"],
        |place| Box::pin(pages_while_others_write(place)),
    ),
];

/// How many sessions nobody touches while pages are read.
const QUIET: usize = 20;

/// Which any spelling of few signs would make one of.
const PROJECTS: [&str; 6] =
    ["p/data_a", "p/data-a", "p/data.a", "p/data a", "日本語文", "中文字符"];

async fn projects_that_look_alike_are_apart(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    for (number, project) in PROJECTS.into_iter().enumerate() {
        let new = NewSession::new().project(project);
        store.create_as(format!("s{number}"), new).await?;
    }
    let store = scene::store(&*place).await?;
    for (number, project) in PROJECTS.into_iter().enumerate() {
        let id = format!("s{number}");
        let ids = scene::ids(&store, &Filter::all().project(project)).await?;
        same("the sessions of a project", ids, vec![id.clone()])?;
        let header = store.open_session(id).await?.info().header;
        let told = header.project.map(|project| project.to_string());
        same("the project that is told", told, Some(project.to_owned()))?;
    }
    Ok(())
}

async fn pages_hold_all_of_one_time(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, options) = Hands::with_options();
    hands.set(1_790_000_000_000);
    let store = scene::store_with(&*place, options).await?;
    for number in 0..60 {
        store.create_as(format!("s{number}"), NewSession::new()).await?;
    }
    for (rows, count) in [(6, 10), (7, 9), (60, 1)] {
        let pages = scene::pages(&store, &Filter::all(), rows).await?;
        same("how many pages", pages.len(), count)?;
        let ids: BTreeSet<String> = pages.iter().flatten().cloned().collect();
        same("how many sessions", ids.len(), 60)?;
        same("how many rows", pages.concat().len(), 60)?;
    }
    Ok(())
}

async fn pages_follow_one_order(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, options) = Hands::with_options();
    let store = scene::store_with(&*place, options).await?;
    let mut times = Vec::new();
    for number in 0..50_u64 {
        // No order of creation, and some of one time.
        let time = 1 + (number * 37) % 41;
        hands.set(time);
        let id = format!("s{number:02}");
        store.create_as(&*id, NewSession::new()).await?;
        times.push((std::cmp::Reverse(time), id));
    }
    times.sort_unstable();
    let expected: Vec<String> = times.into_iter().map(|(_, id)| id).collect();
    let other = scene::store(&*place).await?;
    for rows in [1, 7, 50, 1_000] {
        for store in [&store, &other] {
            let listed = scene::pages(store, &Filter::all(), rows).await?.concat();
            same("the ids", listed, expected.clone())?;
        }
    }
    Ok(())
}

async fn what_has_no_field_is_not_hidden(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    store.create_as("bare", NewSession::new()).await?;
    let new = NewSession::new().project("p").owner("o").parent("bare").tags(["t"]).title("T");
    store.create_as("full", new).await?;
    let mut all = scene::ids(&store, &Filter::all()).await?;
    all.sort_unstable();
    same("all sessions", all, ["bare", "full"].map(str::to_owned).to_vec())?;
    for filter in [
        Filter::all().project("p"),
        Filter::all().owner("o"),
        Filter::all().parent("bare"),
        Filter::all().tag("t"),
    ] {
        same("those with a field", scene::ids(&store, &filter).await?, vec!["full".to_owned()])?;
    }
    same("those that are active", scene::ids(&store, &Filter::all().active()).await?.len(), 2)
}

async fn a_time_in_a_message_moves_nothing_up(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, options) = Hands::with_options();
    let store = scene::store_with(&*place, options).await?;
    for (time, id, stamp) in [(10, "a", 99_000_u64), (20, "b", 20), (30, "c", 0)] {
        hands.set(time);
        let session = store.create_as(id, NewSession::new()).await?;
        session
            .append([scene::payload(&format!(r#"{{"at":{stamp},"timestamp":{stamp}}}"#))?])
            .await?;
    }
    let ids = scene::ids(&store, &Filter::all()).await?;
    same("the order", ids, ["c", "b", "a"].map(str::to_owned).to_vec())?;
    hands.set(40);
    store.open_session("a").await?.touch().await?;
    let ids = scene::ids(&store, &Filter::all()).await?;
    same("the order by then", ids, ["a", "c", "b"].map(str::to_owned).to_vec())?;
    // A clock that falls back makes nothing older, and nobody overtakes by it.
    hands.set(5);
    for id in ["a", "b"] {
        store.open_session(id).await?.touch().await?;
    }
    let ids = scene::ids(&store, &Filter::all()).await?;
    same("the order after the fall", ids, ["a", "c", "b"].map(str::to_owned).to_vec())
}

/// Walks all pages, and fails unless those that nobody touches are each there once, in their
/// order, and no other twice.
async fn walk(store: Store, rows: usize) -> Result<(), Failed> {
    let listed = scene::pages(&store, &Filter::all(), rows).await?.concat();
    let quiet: Vec<&String> = listed.iter().filter(|id| id.starts_with('q')).collect();
    let expected: Vec<String> = (0..QUIET).map(|number| format!("q{number:02}")).collect();
    same("those that nobody touches", quiet, expected.iter().collect())?;
    let distinct: BTreeSet<&String> = listed.iter().collect();
    same("how many are shown once", distinct.len(), listed.len())
}

async fn pages_while_others_write(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, options) = Hands::with_options();
    let store = scene::store_with(&*place, options.clone()).await?;
    // Older ones that are touched stand behind them, and move up past whoever reads.
    for number in 0..6 {
        scene::session(&store, &format!("t{number}"), &[]).await?;
    }
    hands.set(1);
    for number in 0..QUIET {
        scene::session(&store, &format!("q{number:02}"), &[]).await?;
    }
    let mut looks = Vec::new();
    for rows in [1, 3, 7] {
        let store = scene::store(&*place).await?;
        looks.push(move || walk(store.clone(), rows));
    }
    let writer = scene::store_with(&*place, options).await?;
    let writing = async {
        for round in 0..30_u64 {
            hands.set(2 + round / 2);
            let touched = writer.open_session(format!("t{}", round % 6)).await?;
            touched.append([round]).await?;
            scene::session(&writer, &format!("n{round}"), &[]).await?;
        }
        Ok(())
    };
    Box::pin(beside(looks, writing)).await
}
