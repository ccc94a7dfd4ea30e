//! Removing what is old.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::backend::{Capability, Span};
use sessile_core::entry::shape::{Contract, Delete};
use sessile_core::{EntryType, Error, ErrorKind, NewEntry, UnixMillis};
use sessile_engine::{Erasure, Filter, NewSession, Pruned, Retention, Scope, Store, Verdict};

use super::scene;
use crate::case::Case;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::hands::Hands;
use crate::look;
use crate::lossy::Lossy;
use crate::sample;

pub(super) const CASES: &[Case] = &[
    Case::new("session/retain/age_is_that_of_the_conversation", &["RET-1"], |place| {
        Box::pin(age_is_that_of_the_conversation(place))
    }),
    Case::new("session/retain/off_or_a_mistake_removes_nothing", &["RET-1"], |place| {
        Box::pin(off_or_a_mistake(place))
    }),
    Case::new("session/retain/the_last_are_kept_whatever_their_age", &["RET-1"], |place| {
        Box::pin(the_last_are_kept(place))
    }),
    Case::new("session/retain/an_id_is_told_by_all_of_it", &["RET-5"], |place| {
        Box::pin(an_id_is_told_by_all_of_it(place))
    }),
    Case::new(
        "session/retain/what_is_held_or_not_understood_stays",
        &["RET-6", "RET-3"],
        |place| Box::pin(held_or_not_understood(place)),
    ),
    Case::new("session/retain/what_can_not_be_seen_stays", &["RET-6"], |place| {
        Box::pin(what_can_not_be_seen_stays(place))
    }),
    Case::new("session/retain/cut_short_it_is_completed_by_the_next", &["RET-7"], |place| {
        Box::pin(cut_short(place))
    }),
];

const DAY: u64 = 24 * 60 * 60 * 1_000;

/// The time of most cases.
const TODAY: u64 = sample::NOW.0;

fn month() -> Retention {
    Retention::new().older_than(Duration::from_millis(30 * DAY))
}

/// A store whose clock is set by hand.
async fn clocked(place: &dyn Place) -> Result<(Arc<Hands>, Store), Failed> {
    let (hands, options) = Hands::with_options();
    hands.set(TODAY);
    Ok((hands, scene::store_with(place, options).await?))
}

/// Every id with why it is kept, *removed* where it is not.
fn told(pruned: &Pruned) -> Vec<(String, &'static str)> {
    let verdict = |verdict: &Verdict| match verdict {
        Verdict::Removed => "removed",
        Verdict::Kept(why) => why.name(),
    };
    pruned.sessions.iter().map(|it| (it.id.to_string(), verdict(&it.verdict))).collect()
}

fn removed(pruned: &Pruned) -> Vec<String> {
    pruned.removed().map(ToString::to_string).collect()
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

/// The reason that a tombstone names.
async fn reason(place: &dyn Place, id: &str) -> Result<Option<String>, Failed> {
    let backend = place.handle().await?;
    let commits = look::read(&*backend, &sample::key(id)?, Span::ALL).await?;
    let last = commits.last().and_then(|commit| commit.entries.last());
    let last = last.ok_or_else(|| Failed::new("its journal is empty"))?;
    same("its last word", &last.entry_type, &EntryType::Delete)?;
    Ok(last.data.decode::<Delete>()?.reason.map(|reason| reason.as_str().to_owned()))
}

async fn age_is_that_of_the_conversation(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, store) = clocked(&*place).await?;
    // What is old by its messages is the last that is written.
    for number in 0..10 {
        hands.set(TODAY - DAY);
        scene::session(&store, &format!("new{number}"), &["one"]).await?;
    }
    for number in 0..10 {
        hands.set(TODAY - 400 * DAY);
        let session = scene::session(&store, &format!("old{number}"), &["one"]).await?;
        hands.set(TODAY - 40 * DAY);
        session.append(["two"]).await?;
    }
    hands.set(TODAY - 400 * DAY);
    let revived = scene::session(&store, "revived", &["one"]).await?;
    hands.set(TODAY);
    revived.append(["two"]).await?;
    let rehearsed = store.prune(&month(), true).await?;
    same(
        "how many are living after a dry run",
        scene::ids(&store, &Filter::all()).await?.len(),
        21,
    )?;
    let (_, other) = clocked(&*place).await?;
    let pruned = other.prune(&month(), false).await?;
    same("what was done", told(&pruned), told(&rehearsed))?;
    let mut gone = removed(&pruned);
    gone.sort_unstable();
    same("what is gone", gone, (0..10).map(|number| format!("old{number}")).collect())?;
    let living = scene::ids(&store, &Filter::all()).await?;
    ensure!(living.iter().all(|id| !id.starts_with("old")), "listed are {living:?}");
    same("how many are living", living.len(), 11)?;
    same("why one is gone", reason(&*place, "old3").await?, Some("retention".to_owned()))?;
    same("what there is to do again", removed(&store.prune(&month(), false).await?), Vec::new())?;
    let undeleted = store.undelete("old3").await?;
    same("its texts", scene::texts(&undeleted).await?, names(&["one", "two"]))
}

async fn off_or_a_mistake(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, store) = clocked(&*place).await?;
    hands.set(1);
    for id in ["a", "b"] {
        scene::session(&store, id, &["one"]).await?;
    }
    hands.set(TODAY);
    let off = store.prune(&Retention::new(), false).await?;
    same("what is done", told(&off), vec![("a".to_owned(), "off"), ("b".to_owned(), "off")])?;
    for wrong in [
        Retention::new().older_than(Duration::ZERO),
        Retention::new().keep_last(0),
        month().among(Filter::all().deleted()),
        month().among(Filter::all().damaged()),
    ] {
        for dry_run in [true, false] {
            fails("a mistake", store.prune(&wrong, dry_run).await, ErrorKind::Refused)?;
        }
    }
    let unnamed = month().among(Filter::all().project(""));
    fails("no name", store.prune(&unnamed, false).await, ErrorKind::InvalidId)?;
    let erasure = Erasure::of(Scope::Space).confirmed_by("Default");
    let refused = store.erase(&erasure, false).await;
    if store.backend().capabilities().has(Capability::Purge) {
        fails("an erasure", refused, ErrorKind::Refused)?;
    }
    // Longer ago than there is time.
    let ages = Retention::new().older_than(Duration::MAX);
    same("what is older than time", removed(&store.prune(&ages, false).await?), Vec::new())?;
    same("the ids", scene::ids(&store, &Filter::all()).await?, names(&["a", "b"]))
}

async fn the_last_are_kept(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, store) = clocked(&*place).await?;
    for (id, days, project) in
        [("a", 50, "p"), ("b", 60, "q"), ("c", 70, "p"), ("d", 80, "p"), ("e", 1, "p")]
    {
        hands.set(TODAY - days * DAY);
        let new = NewSession::new().project(project).owner("ann");
        let session = store.create_as(id, new).await?;
        if id == "c" {
            session.close().await?;
        }
    }
    hands.set(TODAY);
    let of_p = Filter::all().project("p").owner("ann");
    let both = month().keep_last(2).among(of_p.clone());
    let row = |id: &str, why| (id.to_owned(), why);
    let expected = vec![
        row("e", "recent"),
        row("a", "among-the-last"),
        row("c", "removed"),
        row("d", "removed"),
    ];
    same("by age and number", told(&store.prune(&both, true).await?), expected)?;
    let closed = month().among(of_p.clone().closed());
    same("closed ones", removed(&store.prune(&closed, true).await?), names(&["c"]))?;
    let number = Retention::new().keep_last(3).among(of_p);
    same("by number", removed(&store.prune(&number, false).await?), names(&["d"]))?;
    let mut living = scene::ids(&store, &Filter::all()).await?;
    living.sort_unstable();
    same("the ids", living, names(&["a", "b", "c", "e"]))
}

async fn an_id_is_told_by_all_of_it(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, store) = clocked(&*place).await?;
    hands.set(TODAY - 40 * DAY);
    scene::session(&store, "12345678-a", &["old"]).await?;
    hands.set(TODAY);
    for id in ["12345678", "12345678-", "12345678-b", "12345678-A"] {
        scene::session(&store, id, &["new"]).await?;
    }
    let same_id = scene::store(&*place).await?.space("other")?;
    scene::session(&same_id, "12345678-a", &["theirs"]).await?;
    // Opened and closed without a change, it is as it was.
    store.open_session("12345678-b").await?;
    same("what goes", removed(&store.prune(&month(), false).await?), names(&["12345678-a"]))?;
    let other = scene::store(&*place).await?;
    for id in ["12345678", "12345678-", "12345678-b", "12345678-A"] {
        let texts = scene::texts(&other.open_session(id).await?).await?;
        same("the texts of a neighbour", texts, names(&["new"]))?;
    }
    let texts = scene::texts(&same_id.open_session("12345678-a").await?).await?;
    same("the texts in another space", texts, names(&["theirs"]))
}

async fn held_or_not_understood(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, store) = clocked(&*place).await?;
    hands.set(TODAY - 40 * DAY);
    let held = scene::session(&store, "held", &["one"]).await?;
    let terms = Contract::new();
    let turn = held.admit(&"r".parse()?, "input", &terms).await?.started()?;
    let newer = scene::session(&store, "newer", &["one"]).await?;
    let mut entry: NewEntry = sample::entry("of_tomorrow", "{}")?;
    entry.must = true;
    entry.at = UnixMillis(TODAY - 40 * DAY);
    scene::append_past(&*place, &newer, vec![entry]).await?;
    hands.set(TODAY);
    let (_, other) = clocked(&*place).await?;
    for dry_run in [true, false] {
        let mut rows = told(&other.prune(&month(), dry_run).await?);
        rows.sort_unstable();
        let expected = vec![("held".to_owned(), "held"), ("newer".to_owned(), "unreadable")];
        same("what is done", rows, expected)?;
    }
    turn.push("two").await?;
    // What was added by that is news: it is asked for what it was a month later.
    hands.set(TODAY + 40 * DAY);
    let pruned = store.prune(&month().even_held(), false).await?;
    same("what goes when it is asked for", removed(&pruned), names(&["held"]))?;
    fails("a late message", turn.push("three").await, ErrorKind::Deleted)?;
    let living = scene::ids(&other, &Filter::all()).await?;
    same("the ids", living, names(&["newer"]))
}

async fn what_can_not_be_seen_stays(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let (hands, options) = Hands::with_options();
    let options = options.deadline(Duration::from_secs(2));
    let store = Store::with(backend, options);
    hands.set(TODAY - 40 * DAY);
    for id in ["a", "b", "c"] {
        scene::session(&store, id, &["one"]).await?;
    }
    hands.set(TODAY);
    line.cut(true);
    let unavailable = ErrorKind::Unavailable;
    for dry_run in [true, false] {
        fails("pruning", store.prune(&month(), dry_run).await, unavailable)?;
    }
    if store.backend().capabilities().has(Capability::Purge) {
        let erasure = Erasure::of(Scope::Space).confirmed_by("default");
        fails("erasing", store.erase(&erasure, false).await, unavailable)?;
    }
    line.cut(false);
    same("the ids", scene::ids(&store, &Filter::all()).await?, names(&["a", "b", "c"]))?;
    // Out of reach once all was looked at: what was not done is told.
    line.breaks_after(0, false);
    let pruned = store.prune(&month(), false).await?;
    same("what is removed", removed(&pruned), Vec::new())?;
    let failed = pruned.failure().map(Error::kind);
    same("why it failed", failed, Some(unavailable))?;
    line.mend();
    same("the ids by then", scene::ids(&store, &Filter::all()).await?, names(&["a", "b", "c"]))?;
    let pruned = store.prune(&month(), false).await?;
    same("what is removed by then", removed(&pruned), names(&["a", "b", "c"]))
}

async fn cut_short(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let (hands, options) = Hands::with_options();
    let store = Store::with(backend, options.deadline(Duration::from_secs(2)));
    let ids = names(&["a", "b", "c", "d", "e", "f"]);
    hands.set(TODAY - 40 * DAY);
    for id in &ids {
        let session = scene::session(&store, id, &[]).await?;
        if id == "b" || id == "e" {
            session.close().await?;
        }
    }
    hands.set(TODAY);
    let planned = removed(&store.prune(&month(), true).await?);
    same("what is planned", planned.clone(), ids.clone())?;
    for (left, is_done) in [(1, true), (0, false), (2, false)] {
        line.breaks_after(left, is_done);
        let pruned = store.prune(&month(), false).await?;
        ensure!(pruned.failure().is_some(), "nothing failed although the line broke");
        line.mend();
        let (_, other) = clocked(&*place).await?;
        let living = scene::ids(&other, &Filter::all()).await?;
        for id in removed(&pruned) {
            ensure!(!living.contains(&id), "{id} was told as removed and is there");
        }
        if living.iter().any(|id| id == "b" || id == "e") {
            let active = living.iter().filter(|id| *id != "b" && *id != "e").count();
            same("how many of the active are there while closed ones are", active, 4)?;
        }
    }
    store.prune(&month(), false).await?;
    same("the ids", scene::ids(&store, &Filter::all()).await?, Vec::new())?;
    let mut deleted = scene::ids(&store, &Filter::all().deleted()).await?;
    deleted.sort_unstable();
    same("those deleted", deleted, ids)
}
