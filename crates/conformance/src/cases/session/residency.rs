//! Which sessions are in memory: that nobody sees it but in the figures, whoever else writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use sessile_core::fold::Lifecycle;
use sessile_core::{ErrorKind, Payload};
use sessile_engine::{Append, From, NewSession, Options, RawMessage, Session, Store, Window};

use super::scene;
use crate::case::{Case, Need};
use crate::failed::{Failed, conflicts_at, ensure, fails, same};
use crate::fixture::Place;
use crate::lossy::Lossy;
use crate::together::together;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/residency/asking_makes_nothing_hot",
        &["workflow/23", "workflow/35"],
        |place| Box::pin(asking_makes_nothing_hot(place)),
    ),
    Case::new("session/residency/asking_writes_nothing", &["workflow/35"], |place| {
        Box::pin(asking_writes_nothing(place))
    })
    .needing(&[Need::Footprint]),
    Case::new("session/residency/a_change_makes_hot_within_the_bound", &["workflow/23"], |place| {
        Box::pin(a_change_makes_hot(place))
    }),
    Case::new("session/residency/more_than_may_be_hot_are_all_there", &["workflow/22"], |place| {
        Box::pin(more_than_may_be_hot(place))
    }),
    Case::new(
        "session/residency/from_hot_to_cold_and_back_nothing_changes",
        &["workflow/24"],
        |place| Box::pin(hot_to_cold_and_back(place)),
    ),
    Case::new("session/residency/what_can_not_be_read_is_not_changed", &["workflow/25"], |place| {
        Box::pin(what_can_not_be_read(place))
    }),
    Case::new("session/residency/a_closed_one_is_cold", &["workflow/20"], |place| {
        Box::pin(a_closed_one_is_cold(place))
    }),
    Case::new(
        "session/residency/a_hot_one_notices_what_others_wrote",
        &["RES-1", "RES-2"],
        |place| Box::pin(a_hot_one_notices(place)),
    ),
    Case::new("session/residency/nothing_of_a_former_life_is_used", &["RES-3"], |place| {
        Box::pin(nothing_of_a_former_life(place))
    }),
    Case::new(
        "session/residency/each_message_is_there_once_while_sessions_come_and_go",
        &["workflow/26"],
        |place| Box::pin(come_and_go(place, Crowd { tasks: 8, sessions: 12, rounds: 8 })),
    ),
    Case::new(
        "session/residency/each_message_of_a_crowd_is_there_once_while_sessions_come_and_go",
        &["workflow/26"],
        |place| Box::pin(come_and_go(place, Crowd { tasks: 32, sessions: 1_000, rounds: 100 })),
    )
    .full(),
];

/// A store that keeps so many hot, and no room beyond that for any other.
async fn keeping(place: &dyn Place, hot: usize) -> Result<Store, Failed> {
    scene::store_with(place, Options::default().residency(hot, usize::MAX)).await
}

/// A store that keeps nothing but the session that is changed now.
async fn keeping_none(place: &dyn Place) -> Result<Store, Failed> {
    scene::store_with(place, Options::default().residency(1, 0)).await
}

/// So many sessions with a message each.
async fn filled(place: &dyn Place, sessions: usize) -> Result<Vec<String>, Failed> {
    let store = scene::store(place).await?;
    let ids: Vec<String> = (0..sessions).map(|number| format!("s{number}")).collect();
    for id in &ids {
        scene::session(&store, id, &[id.as_str()]).await?;
    }
    store.close().await?;
    Ok(ids)
}

fn hot(store: &Store) -> usize {
    store.status().hot_sessions
}

/// Asks for everything there is.
async fn ask(session: &Session) -> Result<(), Failed> {
    same("how many messages", session.refresh().await?.messages, 1)?;
    same("how many messages", session.state().await?.messages(), 1)?;
    same("a view", session.view(Window::last(3)).await?.window.len(), 1)?;
    same("the texts", scene::texts(session).await?, vec![session.id().to_string()])?;
    same("what pends", session.pending().await?.len(), 0)
}

async fn asking_makes_nothing_hot(place: Arc<dyn Place>) -> Result<(), Failed> {
    let ids = filled(&*place, 3).await?;
    for store in [keeping(&*place, 2).await?, keeping_none(&*place).await?] {
        for id in &ids {
            ask(&store.open_session(id.as_str()).await?).await?;
        }
        let census = store.census().await?;
        same(
            "all, hot ones, cold active ones",
            (census.sessions, census.hot, census.active_cold),
            (3, 0, 3),
        )?;
        same("how many are hot", hot(&store), 0)?;
    }
    Ok(())
}

async fn asking_writes_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let ids = filled(&*place, 3).await?;
    let before = scene::footprint(&*place).await?;
    let store = keeping_none(&*place).await?;
    for id in &ids {
        let session = store.open_session(id.as_str()).await?;
        ask(&session).await?;
        store.evict_all();
        ask(&session).await?;
    }
    store.census().await?;
    scene::untouched(&*place, &before).await
}

async fn a_change_makes_hot(place: Arc<dyn Place>) -> Result<(), Failed> {
    let ids = filled(&*place, 3).await?;
    let store = keeping(&*place, 2).await?;
    let mut sessions = Vec::new();
    for id in &ids {
        sessions.push(store.open_session(id.as_str()).await?);
    }
    for (session, expected) in sessions.iter().zip([1, 2, 2]) {
        ask(session).await?;
        session.append(["more"]).await?;
        same("how many are hot", hot(&store), expected)?;
        same("how many messages", session.info().messages, 2)?;
    }
    // Whoever was cold again by then is none the worse for it.
    for (session, id) in sessions.iter().zip(&ids) {
        same("the texts", scene::texts(session).await?, vec![id.clone(), "more".to_owned()])?;
    }
    Ok(())
}

async fn more_than_may_be_hot(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = keeping(&*place, 2).await?;
    let mut sessions = Vec::new();
    for number in 0..12 {
        sessions.push(scene::session(&store, &format!("s{number}"), &["one"]).await?);
    }
    for session in &sessions {
        same("how many messages", session.refresh().await?.messages, 1)?;
    }
    let census = store.census().await?;
    same("how many there are", (census.sessions, census.active), (12, 12))?;
    same("how many are hot", (hot(&store), census.hot), (2, 2))?;
    store.evict_all();
    same("how many are hot", hot(&store), 0)?;
    for session in &sessions {
        session.append(["two"]).await?;
        same("the texts", scene::texts(session).await?, vec!["one".to_owned(), "two".to_owned()])?;
    }
    Ok(())
}

async fn hot_to_cold_and_back(place: Arc<dyn Place>) -> Result<(), Failed> {
    let options = Options::default().residency(1, 0).state_every(6, u64::MAX);
    let store = scene::store_with(&*place, options).await?;
    let new = NewSession::new().title("a title").project("p");
    let session = store.create_as("s1", new).await?;
    let other = scene::session(&store, "s2", &[]).await?;
    for number in 0..20 {
        session.append([number]).await?;
        session.set_meta([("n", number)]).await?;
    }
    session.compact(From::last(2), ["a summary"]).await?;
    session.append_events(["an event"]).await?;
    let encoded = || async {
        let state = session.state().await?.to_snapshot()?;
        let state = state.as_ref().map(Payload::as_str).map(str::to_owned);
        let view: Vec<RawMessage> = session.view(Window::last(9)).await?.window;
        Ok::<_, Failed>((state, view, session.info().title(), session.position()))
    };
    let before = encoded().await?;
    for _ in 0..2 {
        other.append(["meanwhile"]).await?;
        ensure!(!store.evict("s1")?, "the one is still in memory when the other was changed");
        same("its position", session.position(), before.3)?;
        same("what it is", encoded().await?, before.clone())?;
    }
    // What is added after that is added to all of it.
    session.append([20]).await?;
    let read: Vec<u64> = session.transcript(From::start()).await?.all().await?;
    same("the messages", read, (0..=20).collect())
}

async fn what_can_not_be_read(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let store = Store::with(backend, Options::default().residency(1, 0));
    let session = store.create_as("s1", NewSession::new().title("a title")).await?;
    session.append(["one"]).await?;
    store.evict_all();
    line.cut(true);
    fails("an append", session.append(["two"]).await, ErrorKind::Unavailable)?;
    fails("closing", session.close().await, ErrorKind::Unavailable)?;
    same("how many are hot", hot(&store), 0)?;
    let info = session.info();
    same("its id", info.id().as_str(), "s1")?;
    let known = (info.lifecycle, info.title(), info.messages);
    same("what is known", known, (Lifecycle::Active, Some("a title".to_owned()), 1))?;
    line.cut(false);
    session.append(["two"]).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    same("the texts", scene::texts(&reopened).await?, vec!["one".to_owned(), "two".to_owned()])?;
    same("its life", reopened.info().lifecycle, Lifecycle::Active)
}

async fn a_closed_one_is_cold(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = keeping(&*place, 9).await?;
    let session = scene::session(&store, "s1", &["one"]).await?;
    same("how many are hot", hot(&store), 1)?;
    session.close().await?;
    same("how many are hot once it is closed", hot(&store), 0)?;
    session.append_events(["late"]).await?;
    store.evict_all();
    session.append_events(["later"]).await?;
    same("how many are hot", hot(&store), 0)?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    let info = reopened.info();
    same("what it is", (info.lifecycle, info.messages, info.events), (Lifecycle::Closed, 1, 2))
}

async fn a_hot_one_notices(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (here, there) = (keeping(&*place, 9).await?, keeping(&*place, 9).await?);
    let ours = scene::session(&here, "s1", &["one", "two"]).await?;
    let theirs = there.open_session("s1").await?;
    same("how many are hot", hot(&here), 1)?;
    // As many messages as before, and other ones.
    theirs.pop(1).await?;
    let done = theirs.append(["other"]).await?;
    let at = Append::at(ours.position());
    conflicts_at("an append at what it knew", ours.append_with(at, ["x"]).await, done.position)?;
    let expected = vec!["one".to_owned(), "other".to_owned()];
    same("the texts", scene::texts(&ours).await?, expected)?;
    same("where it is", ours.position(), done.position)?;
    ours.append(["three"]).await?;
    same("how many messages", theirs.refresh().await?.messages, 3)
}

async fn nothing_of_a_former_life(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (here, there) = (keeping(&*place, 9).await?, scene::store(&*place).await?);
    for (id, is_evicted) in [("s1", false), ("s2", true)] {
        let session = scene::session(&here, id, &["one"]).await?;
        if is_evicted {
            ensure!(here.evict(id)?, "it was not in memory");
        }
        there.delete(id).await?;
        fails(
            "creating it again",
            there.create_as(id, NewSession::new()).await,
            ErrorKind::Deleted,
        )?;
        fails("an append", session.append(["two"]).await, ErrorKind::Deleted)?;
        fails("opening it", here.open_session(id).await, ErrorKind::Deleted)?;
        // What was taken back is what it was, and nothing else.
        let back = there.undelete(id).await?;
        back.append(["three"]).await?;
        session.append(["four"]).await?;
        let texts = ["one", "three", "four"].map(str::to_owned).to_vec();
        same("the texts", scene::texts(&session).await?, texts)?;
    }
    here.evict_all();
    let status = here.status();
    same(
        "what is left in memory",
        (status.hot_sessions, status.cached_sessions, status.cache_bytes),
        (0, 0, 0),
    )
}

/// How many write how much to how many.
#[derive(Clone, Copy)]
struct Crowd {
    tasks: usize,
    sessions: usize,
    rounds: usize,
}

async fn come_and_go(place: Arc<dyn Place>, crowd: Crowd) -> Result<(), Failed> {
    let (here, there) = (keeping_none(&*place).await?, keeping_none(&*place).await?);
    let mut handles = Vec::new();
    for number in 0..crowd.sessions {
        handles.push(here.create_as(format!("s{number}"), NewSession::new()).await?);
    }
    let handles = Arc::new(handles);
    let writing = (0..crowd.tasks).map(|task| {
        // Every fourth is of another process.
        let (store, handles) = match task % 4 {
            3 => (there.clone(), None),
            _ => (here.clone(), Some(Arc::clone(&handles))),
        };
        write(store, handles, task, crowd)
    });
    let written = together(writing.collect()).await?;
    same("how many are hot", (hot(&here), hot(&there)), (1, 1))?;
    let mut expected = BTreeMap::<usize, Vec<String>>::new();
    for (session, text) in written.into_iter().flatten() {
        expected.entry(session).or_default().push(text);
    }
    let store = scene::store(&*place).await?;
    for number in 0..crowd.sessions {
        let session = store.open_session(format!("s{number}")).await?;
        let mut texts = scene::texts(&session).await?;
        texts.sort_unstable();
        let mut expected = expected.remove(&number).unwrap_or_default();
        expected.sort_unstable();
        same("the texts of a session", texts, expected)?;
    }
    Ok(())
}

/// Appends to one session after the other, and now and then makes one cold.
async fn write(
    store: Store,
    handles: Option<Arc<Vec<Session>>>,
    task: usize,
    crowd: Crowd,
) -> Result<Vec<(usize, String)>, Failed> {
    let mut written = Vec::new();
    // Steps that have no divisor in common with the number of sessions meet all of them.
    let mut at = task;
    for round in 0..crowd.rounds {
        at = (at * 7 + task + round * 3 + 1) % crowd.sessions;
        let text = format!("{task} {round}");
        match handles.as_ref().and_then(|handles| handles.get(at)) {
            Some(session) if round % 3 > 0 => session.append([&text]).await?,
            _ => store.open_session(format!("s{at}")).await?.append([&text]).await?,
        };
        written.push((at, text));
        if round % 2 == 0 {
            store.evict(format!("s{}", (at * 5 + round) % crowd.sessions))?;
        }
    }
    Ok(written)
}
