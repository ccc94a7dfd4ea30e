//! What becomes of requests where a session is forked, copied, vacuumed or written to a file.

use std::sync::Arc;

use sessile_core::backend::Capability;
use sessile_core::entry::shape::OutcomeStatus;
use sessile_engine::{Action, Options, Session, Store};
use sessile_interchange::Format;
use sessile_memory::MemoryBackend;

use super::stage;
use crate::case::{Case, Need};
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/passage/a_fork_has_no_requests_and_tells_what_nobody_knows",
        &["records/32", "SIDE-2"],
        |place| Box::pin(a_fork(place)),
    ),
    Case::new(
        "session/passage/a_fork_of_what_was_deleted_and_came_back_lacks_nothing",
        &["records/32"],
        |place| Box::pin(a_fork_after_a_deletion(place)),
    ),
    Case::new(
        "session/passage/a_copy_tells_what_ended_and_ends_what_was_active",
        &["records/32", "ADM-7"],
        |place| Box::pin(a_copy(place)),
    ),
    Case::new("session/passage/a_vacuum_keeps_what_ended", &["ADM-7"], |place| {
        Box::pin(a_vacuum(place))
    })
    .needing(&[Need::Has(Capability::Rewrite)]),
    Case::new("session/passage/a_file_holds_nothing_provisional", &["records/67"], |place| {
        Box::pin(a_file(place))
    }),
];

/// Completes a request that says one message.
async fn complete(session: &Session, id: &str) -> Result<(), Failed> {
    let turn = stage::begin(session, id).await?;
    turn.push(id).await?;
    turn.commit(id).await?;
    Ok(())
}

/// Fails unless a request is told to have ended with its own id.
async fn is_told(session: &Session, id: &str) -> Result<(), Failed> {
    let told = stage::told(session, id).await?;
    same("how it ended", told.status, OutcomeStatus::Completed)?;
    same("its result", told.decode::<String>()?, id.to_owned())
}

async fn a_fork(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    complete(&session, "r1").await?;
    let turn = stage::begin(&session, "r2").await?;
    turn.push("provisional").await?;
    _ = turn.intend(Action::new("call-1", "mail", "1")).await?;
    let fork = other.fork_as("fork", None).await?;
    let texts = ["one", "r1"].map(str::to_owned).to_vec();
    for handle in [&fork, &stage::reopened(&*place, "fork").await?] {
        stage::is_idle(handle).await?;
        same("the texts", scene::texts(handle).await?, texts.clone())?;
        let inherited = handle.info().inherited;
        let told: Vec<(&str, &str)> =
            inherited.iter().map(|it| (it.action.as_str(), it.name.as_str())).collect();
        same("what nobody knows", told, vec![("call-1", "mail")])?;
    }
    // The requests of its origin are none of its own: they are done here for the first time.
    complete(&fork, "r1").await?;
    complete(&fork, "r2").await?;
    is_told(&stage::reopened(&*place, "fork").await?, "r2").await?;
    same("how many messages", fork.refresh().await?.messages, 4)?;
    // And its origin has noticed nothing.
    same("who holds it", stage::active(&other).await?.claim, turn.claim())?;
    turn.cancel("enough").await?;
    is_told(&other, "r1").await?;
    same("the texts", scene::texts(&session).await?, texts)
}

async fn a_fork_after_a_deletion(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let ended = stage::begin(&session, "r1").await?;
    ended.push("provisional").await?;
    session.delete().await?;
    session.undelete().await?;
    // Once more, where nobody holds what is active.
    drop(stage::begin(&session, "r3").await?);
    other.release(&stage::active(&other).await?, None).await?;
    session.delete().await?;
    session.undelete().await?;
    complete(&session, "r2").await?;
    let store = scene::store(&*place).await?;
    let middle = other.refresh().await?.position;
    session.append(["three"]).await?;
    complete(&session, "r4").await?;
    let all = ["one", "r2", "three", "r4"].map(str::to_owned);
    same("the texts", scene::texts(&other).await?, all.to_vec())?;
    let last = sessile_core::Seq::new(middle.number() - 1);
    for (id, at, messages) in [("whole", None, 4), ("half", last, 2)] {
        other.fork_as(id, at).await?;
        let fork = stage::reopened(&*place, id).await?;
        stage::is_idle(&fork).await?;
        let expected: Vec<String> = all.iter().take(messages).cloned().collect();
        same("the texts of a fork", scene::texts(&fork).await?, expected)?;
        same("how many there are", fork.info().messages, u64::try_from(messages)?)?;
        same("whether it is sound", store.verify(id).await?.sound, true)?;
        ensure!(fork.info().strays.is_none(), "everything counts");
        complete(&fork, "r1").await?;
    }
    Ok(())
}

async fn a_copy(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, _] = stage::pair(&*place, &["one"]).await?;
    complete(&session, "r1").await?;
    let turn = stage::begin(&session, "r2").await?;
    turn.push("provisional").await?;
    let store = scene::store(&*place).await?;
    let near = scene::store(&*place).await?.space("near")?;
    let far = Store::on(Arc::new(MemoryBackend::new()));
    for target in [&near, &far] {
        let copied = store.copy("s1", target).await?;
        let interrupted = copied.interrupted.map(|request| request.to_string());
        same("what was interrupted", interrupted, Some("r2".to_owned()))?;
        same("how many are added again", store.copy("s1", target).await?.added, 0)?;
        let copy = target.open_session("s1").await?;
        stage::is_idle(&copy).await?;
        is_told(&copy, "r1").await?;
        let told = stage::told(&copy, "r2").await?;
        same("how it ended", told.status, OutcomeStatus::Abandoned)?;
        same("the texts", scene::texts(&copy).await?, ["one", "r1"].map(str::to_owned).to_vec())?;
        complete(&copy, "r3").await?;
    }
    // Its holder goes on where it is.
    turn.push("two").await?;
    turn.commit("r2").await?;
    is_told(&session, "r2").await?;
    let back = scene::store(&*place).await?.space("back")?;
    far.copy("s1", &back).await?;
    let back = back.open_session("s1").await?;
    for id in ["r1", "r3"] {
        is_told(&back, id).await?;
    }
    Ok(())
}

async fn a_vacuum(place: Arc<dyn Place>) -> Result<(), Failed> {
    let options = Options::default().state_every(8, 1 << 20);
    let store = scene::store_with(&*place, options).await?;
    let session = scene::session(&store, "s1", &["one"]).await?;
    let ids: Vec<String> = (0..6).map(|number| format!("r{number}")).collect();
    for id in &ids {
        complete(&session, id).await?;
        for number in 0..10_u64 {
            session.set_meta([("n", number)]).await?;
        }
    }
    let turn = stage::begin(&session, "now").await?;
    let stale = stage::reopened(&*place, "s1").await?;
    let before = session.refresh().await?;
    store.vacuum("s1").await?;
    let held = turn.claim();
    turn.push("during").await?;
    for handle in [&session, &stale, &stage::reopened(&*place, "s1").await?] {
        for id in &ids {
            is_told(handle, id).await?;
        }
        same("who holds it", stage::active(handle).await?.claim, held)?;
        same("how many messages", handle.info().messages, before.messages)?;
    }
    let entries = stage::claims(&session).await?.len();
    same("how many claims", entries, ids.len() + 1)?;
    turn.commit("now").await?;
    is_told(&stale, "now").await
}

async fn a_file(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, _] = stage::pair(&*place, &["one"]).await?;
    complete(&session, "r1").await?;
    let turn = stage::begin(&session, "r2").await?;
    turn.push("provisional").await?;
    let store = scene::store(&*place).await?;
    let file = store.export("s1", Format::Jsonl).await?.all().await?;
    ensure!(!String::from_utf8_lossy(&file).contains("provisional"), "it stands in the file");
    turn.commit("r2").await?;
    let file = store.export("s1", Format::Jsonl).await?.all().await?;
    ensure!(String::from_utf8_lossy(&file).contains("provisional"), "it is part of it by now");
    Ok(())
}
