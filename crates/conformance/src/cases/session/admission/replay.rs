//! Requests that ended: told again, never done again, never forgotten.

use std::sync::Arc;

use futures_util::future::try_join_all;
use serde_json::json;
use sessile_core::backend::Capability;
use sessile_core::entry::shape::{Contract, OutcomeStatus};
use sessile_core::{ErrorKind, Payload, Usage};
use sessile_engine::{Finish, NewSession, Session, Store};

use super::stage::{self, Before, INPUT};
use crate::case::{Case, Need};
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::lossy::Lossy;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/replay/tells_the_first_result_also_while_another_is_active",
        &["records/32", "ADM-2", "ADM-3"],
        |place| Box::pin(tells_the_first_result(place)),
    ),
    Case::new(
        "session/replay/tells_how_it_failed_and_whether_to_try_again",
        &["records/32", "ADM-2"],
        |place| Box::pin(tells_how_it_failed(place)),
    ),
    Case::new("session/replay/compares_bytes_and_not_values", &["ADM-3"], |place| {
        Box::pin(compares_bytes(place))
    }),
    Case::new("session/replay/compares_what_is_inside_of_the_terms", &["SIDE-4"], |place| {
        Box::pin(compares_the_inside(place))
    }),
    Case::new("session/replay/is_told_what_was_removed", &["ADM-7"], |place| {
        Box::pin(is_told_what_was_removed(place))
    })
    .needing(&[Need::Has(Capability::Mask)]),
    Case::new(
        "session/replay/reads_little_however_long_ago_it_was",
        &["ADM-1", "ADM-7"],
        |place| Box::pin(reads_little(place, 5_000)),
    ),
    Case::new(
        "session/replay/reads_little_however_very_long_ago_it_was",
        &["ADM-1", "ADM-7"],
        |place| {
            let commits = place.rounds(100_000);
            Box::pin(reads_little(place, commits))
        },
    )
    .full(),
];

async fn tells_the_first_result(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let turn = stage::begin(&session, "r1").await?;
    turn.push("two").await?;
    let used = Usage::new().with("tokens", 7);
    let result = scene::payload(r#"{"b": 1.50,"a":[18446744073709551616]}"#)?;
    let done = turn.commit_with(Finish::new(&result)?.usage(&used)).await?;
    ensure!(!done.replayed, "the first time it is done");
    let next = stage::begin(&other, "r2").await?;
    let before = Before::of(&*place, &session).await?;
    let request = stage::request("r1")?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        let told = stage::told(handle, "r1").await?;
        same("how it ended", told.status, OutcomeStatus::Completed)?;
        same("its result", told.result, Some(result.clone()))?;
        same("what it used", told.usage, used.clone())?;
        same("where", (told.claim, told.seq, told.position), {
            (done.claim, done.seq, done.position)
        })?;
        let input = handle.admit(&request, "something else", &stage::terms()?).await;
        fails("another input", input, ErrorKind::Mismatch)?;
        let terms = Contract::new().part("agent", "shop-8")?.part("tools", &["search", "buy"])?;
        let terms = handle.admit(&request, INPUT, &terms).await;
        let error = fails("other terms", terms, ErrorKind::ConfigurationMismatch)?;
        same("what differs", error.part(), Some("agent"))?;
        stage::is_busy("another request", stage::send(handle, "r3").await, "r2", next.claim())?;
    }
    before.stays().await?;
    next.commit("next").await?;
    same("the texts", scene::texts(&session).await?, vec!["one".to_owned(), "two".to_owned()])
}

async fn tells_how_it_failed(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let fail = async |id: &str, may_retry| -> Result<_, Failed> {
        let turn = stage::begin(&session, id).await?;
        turn.push("evidence").await?;
        Ok(turn.fail(&json!({"code": 7}), may_retry).await?)
    };
    let mut ended = vec![fail("for-now", true).await?, fail("for-good", false).await?];
    let called_off = stage::begin(&session, "called-off").await?;
    ended.push(called_off.cancel("not needed").await?);
    drop(stage::begin(&session, "given-up").await?);
    let active = stage::active(&other).await?;
    ended.push(other.abandon(&active, "its host is gone", Some("ann".into())).await?);
    let before = Before::of(&*place, &session).await?;
    let error = Some(Payload::of(&json!({"code": 7}))?);
    let expected = [
        (OutcomeStatus::Failed, true, error.clone(), None),
        (OutcomeStatus::Failed, false, error, None),
        (OutcomeStatus::Cancelled, true, None, Some("not needed".into())),
        (OutcomeStatus::Abandoned, true, None, Some("its host is gone".into())),
    ];
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        for (done, how) in ended.iter().zip(&expected) {
            let told = stage::told(handle, done.request.as_str()).await?;
            same("where", (told.claim, told.seq), (done.claim, done.seq))?;
            same("how it ended", (told.status, told.may_retry, told.result, told.reason), {
                how.clone()
            })?;
        }
        same("the texts", scene::texts(handle).await?, Vec::new())?;
    }
    before.stays().await
}

/// The same input in other bytes.
const SPELLINGS: &[&str] =
    &[r#"{"n":1,"do":"this"}"#, r#"{"do": "this", "n": 1}"#, r#"{"do":"this","n":1.0}"#];

async fn compares_bytes(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let (request, terms) = (stage::request("r1")?, stage::terms()?);
    let is_another = async |handle: &Session, when: &str| -> Result<(), Failed> {
        for spelling in SPELLINGS {
            let answer = handle.admit(&request, spelling, &terms).await;
            fails(when, answer, ErrorKind::Mismatch)?;
        }
        Ok(())
    };
    let turn = stage::begin(&session, "r1").await?;
    is_another(&other, "while it runs").await?;
    turn.commit("done").await?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        is_another(handle, "when it ended").await?;
        stage::told(handle, "r1").await?;
    }
    Ok(())
}

async fn compares_the_inside(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let request = stage::request("r1")?;
    let agent = json!({"name": "shop", "tools": [{"id": "buy", "most": 5}, {"id": "look"}]});
    let terms = |agent| Contract::new().part("a", "1")?.part("agent", agent);
    let others = [
        json!({"name": "shop", "tools": [{"id": "buy", "most": 6}, {"id": "look"}]}),
        json!({"name": "shop", "tools": [{"id": "buy", "most": 5}, {"id": "sell"}]}),
        json!({"name": "shop", "tools": [{"id": "buy", "most": 5}, {"id": "look", "x": null}]}),
        json!({"name": "shop", "tools": [{"id": "look"}, {"id": "buy", "most": 5}]}),
        json!({"name": "shop", "tools": [{"id": "buy", "most": 5}]}),
    ];
    let turn = session.admit(&request, INPUT, &terms(&agent)?).await?.started()?;
    turn.commit("done").await?;
    // Of a value the order of keys and the spaces are not part.
    let spelled = r#"{ "tools": [{"most": 5, "id": "buy"}, {"id": "look"}], "name": "shop" }"#;
    let spelled: serde_json::Value = serde_json::from_str(spelled)?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        for changed in &others {
            let answer = handle.admit(&request, INPUT, &terms(changed)?).await;
            let error = fails("other terms", answer, ErrorKind::ConfigurationMismatch)?;
            same("what differs", error.part(), Some("agent"))?;
        }
        let again = handle.admit(&request, INPUT, &terms(&spelled)?).await?;
        stage::replayed("the same terms", again)?;
    }
    Ok(())
}

async fn is_told_what_was_removed(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let mut ended = Vec::new();
    for id in ["redacted", "forgotten", "kept"] {
        let turn = stage::begin(&session, id).await?;
        turn.push(id).await?;
        ended.push(turn.commit("a secret").await?);
    }
    let [redacted, _, kept] = ended.as_slice() else {
        return Err(Failed::new("three requests ended"));
    };
    session.redact([redacted.seq], None).await?;
    other.forget(kept.claim).await?;
    let terms = stage::terms()?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        for id in ["redacted", "forgotten"] {
            fails("what was removed", stage::send(handle, id).await, ErrorKind::Expired)?;
            let answer = handle.admit(&stage::request(id)?, "something else", &terms).await;
            fails("another input", answer, ErrorKind::Mismatch)?;
        }
        let told = stage::told(handle, "kept").await?;
        same("what was kept", told.decode::<String>()?, "a secret".to_owned())?;
        stage::is_idle(handle).await?;
    }
    // It is gone, and not only told to be.
    let reopened = stage::reopened(&*place, "s1").await?;
    let outcomes = stage::outcomes(&reopened).await?.into_iter();
    let left: Vec<bool> = outcomes.map(|(_, outcome)| outcome.result.is_some()).collect();
    same("which results are left", left, vec![false, false, true])?;
    same("how often it was claimed", stage::claims(&reopened).await?.len(), 3)
}

/// So many appends are under way at once, and sent together.
const AT_ONCE: usize = 50;

async fn reads_little(place: Arc<dyn Place>, commits: usize) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = store.create_as("s1", NewSession::new()).await?;
    let first = stage::begin(&session, "first").await?;
    first.push("one").await?;
    let done = first.commit("first").await?;
    let mut middle = Vec::new();
    for number in 0..commits / AT_ONCE {
        if number % 20 == 10 {
            let id = format!("r{number}");
            stage::begin(&session, &id).await?.commit(&number).await?;
            middle.push((id, number));
        }
        let noted = (0..AT_ONCE).map(|_| session.append_events(["x"]));
        try_join_all(noted).await?;
    }
    // What stands since the last state is read, and that state says where the rest is.
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let cold = Store::on(backend).open_session("s1").await?;
    let told = stage::told(&cold, "first").await?;
    same("its result", told.decode::<String>()?, "first".to_owned())?;
    same("where", (told.claim, told.seq), (done.claim, done.seq))?;
    is_bounded("the first request", line.commits_read())?;
    let input = cold.admit(&stage::request("first")?, "x", &stage::terms()?).await;
    fails("another input", input, ErrorKind::Mismatch)?;
    for (id, number) in middle {
        let before = line.commits_read();
        let told = stage::told(&cold, &id).await?;
        same("its result", told.decode::<usize>()?, number)?;
        is_bounded(&id, line.commits_read() - before)?;
    }
    // One that never was is known not to have ended as soon.
    let before = line.commits_read();
    stage::begin(&cold, "new").await?.commit("new").await?;
    is_bounded("a new request", line.commits_read() - before)
}

/// More than what stands since the last state and in the first look back for it.
const MOST_READ: usize = 1_200;

fn is_bounded(what: &str, commits: usize) -> Result<(), Failed> {
    ensure!(commits <= MOST_READ, "{what}: {commits} commits were read");
    Ok(())
}
