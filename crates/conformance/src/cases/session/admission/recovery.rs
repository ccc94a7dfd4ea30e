//! Going on with a request whose owner has stopped.

use std::sync::Arc;

use sessile_core::admission::Recovery;
use sessile_core::entry::shape::Contract;
use sessile_core::{ErrorKind, Usage};
use sessile_engine::{Admit, ContextPolicy, NewSession, Session};

use super::stage::{self, Before, INPUT};
use crate::case::Case;
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, fails, only, same};
use crate::fixture::Place;
use crate::hands::Hands;
use crate::together::together;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/recovery/of_a_request_whose_owner_is_gone_goes_on",
        &["records/33", "ADM-4", "ADM-5"],
        |place| Box::pin(whose_owner_is_gone(place)),
    ),
    Case::new("session/recovery/of_several_at_once_one_goes_on", &["records/34"], |place| {
        Box::pin(one_goes_on(place, 5))
    }),
    Case::new(
        "session/recovery/of_several_at_once_one_goes_on_many_times",
        &["records/34"],
        |place| {
            let rounds = place.rounds(200);
            Box::pin(one_goes_on(place, rounds))
        },
    )
    .full(),
    Case::new("session/recovery/of_nothing_is_refused", &["records/35", "records/68"], |place| {
        Box::pin(of_nothing(place))
    }),
    Case::new(
        "session/recovery/on_other_terms_is_refused_by_name",
        &["records/36", "SIDE-4"],
        |place| Box::pin(on_other_terms(place)),
    ),
    Case::new("session/recovery/of_what_was_under_way_is_decided", &["records/41"], |place| {
        Box::pin(under_way(place))
    }),
    Case::new(
        "session/recovery/of_what_was_not_under_way_takes_its_usage",
        &["records/42"],
        |place| Box::pin(not_under_way(place)),
    ),
    Case::new(
        "session/recovery/goes_on_with_the_greatest_usage",
        &["records/40", "records/68"],
        |place| Box::pin(the_greatest_usage(place)),
    ),
];

async fn whose_owner_is_gone(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, options) = Hands::with_options();
    hands.set(5_000);
    let store = scene::store_with(&*place, options.clone()).await?;
    let session = store.create_as("s1", NewSession::new()).await?;
    let admit = stage::asking("r1")?.holder("worker 3");
    let turn = session.admit_with(admit).await?.started()?;
    turn.push("lost").await?;
    let claim = turn.claim();
    // Nothing is given back: so it is when a process is killed.
    drop((turn, session, store));
    hands.set(5_001);
    let other = scene::store_with(&*place, options).await?.open_session("s1").await?;
    let before = Before::of(&*place, &other).await?;
    let active = stage::active(&other).await?;
    let told = (active.claim, active.since.0, active.holder.clone());
    same("who holds it since when", told, (claim, 5_000, Some("worker 3".into())))?;
    stage::is_busy("another request", stage::send(&other, "r2").await, "r1", claim)?;
    stage::is_busy("it, sent again", stage::send(&other, "r1").await, "r1", claim)?;
    before.stays().await?;
    // Whoever says so goes on at once: no lock of the dead has to grow old.
    let turn = stage::recover(&other, Recovery::Restart).await?;
    ensure!(turn.claim() > claim, "a recovery has a claim of its own");
    let recovers = stage::claims(&other).await?.pop().map(|(_, claim)| claim);
    let recovers = recovers.ok_or_else(|| Failed::new("there is a claim"))?;
    same("what it takes over", (recovers.recovers, recovers.resumes), (Some(claim), false))?;
    same("for what", (recovers.input, recovers.contract), (stage::digest(), stage::terms()?))?;
    stage::is_busy("another request", stage::send(&other, "r2").await, "r1", turn.claim())?;
    turn.push("kept").await?;
    turn.commit("done").await?;
    stage::is_idle(&other).await?;
    same("the texts", scene::texts(&other).await?, vec!["kept".to_owned()])?;
    // What the old owner had written is evidence, and no part of the transcript.
    let messages = stage::of_type(&other, &sessile_core::EntryType::Message).await?;
    same("how many were written", messages.len(), 2)?;
    stage::begin(&other, "r2").await?.commit("next").await?;
    Ok(())
}

async fn one_goes_on(place: Arc<dyn Place>, rounds: usize) -> Result<(), Failed> {
    let mut handles = vec![scene::session(&scene::store(&*place).await?, "s1", &[]).await?];
    for _ in 0..3 {
        handles.push(stage::reopened(&*place, "s1").await?);
    }
    let mut turn = stage::begin(&stage::reopened(&*place, "s1").await?, "r1").await?;
    for round in 0..rounds {
        let active = stage::active(&stage::reopened(&*place, "s1").await?).await?;
        same("who holds it", active.claim, turn.claim())?;
        let recover = |handle: &Session| {
            let (handle, active) = (handle.clone(), active.clone());
            async move {
                let usage = Usage::new();
                Ok(stage::recover_at(&handle, &active, Recovery::Restart, usage).await)
            }
        };
        let answers = together(handles.iter().map(recover).collect()).await?;
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        let old = std::mem::replace(&mut turn, only("those who went on", won)??.started()?);
        for answer in lost {
            stage::is_busy("a loser", answer, "r1", turn.claim())?;
        }
        fails("its owner before", old.push("late").await, ErrorKind::Fenced)?;
        turn.push(&round).await?;
    }
    turn.commit("done").await?;
    let session = stage::reopened(&*place, "s1").await?;
    same("how many claims", stage::claims(&session).await?.len(), rounds + 1)?;
    same("the messages", scene::bytes(&session).await?, vec![(rounds - 1).to_string()])
}

async fn of_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let [mut r1, mut r2] = [stage::request("r1")?, stage::request("r2")?];
    let recover = async |handle: &Session, id: &str| {
        let claim = handle.position().seq().unwrap_or(sessile_core::Seq::FIRST);
        handle.recover_with(claim, stage::asking(id)?, Recovery::Restart).await
    };
    let store = scene::store(&*place).await?;
    fails("no session", store.open_session("nobody").await, ErrorKind::Missing)?;
    let before = Before::of(&*place, &session).await?;
    for handle in [&session, &other] {
        fails("none ever was", recover(handle, "r1").await, ErrorKind::Missing)?;
        fails("its usage", handle.recovery_usage(&r1).await, ErrorKind::Missing)?;
    }
    before.stays().await?;
    let turn = stage::begin(&session, "r1").await?;
    let before = Before::of(&*place, &session).await?;
    for handle in [&session, &other] {
        fails("another one is", recover(handle, "r2").await, ErrorKind::Mismatch)?;
        fails("its usage", handle.recovery_usage(&r2).await, ErrorKind::Mismatch)?;
        stage::is_busy("another claim", recover(handle, "r1").await, "r1", turn.claim())?;
    }
    before.stays().await?;
    turn.commit("done").await?;
    let before = Before::of(&*place, &session).await?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        std::mem::swap(&mut r1, &mut r2);
        fails("none is", recover(handle, "r2").await, ErrorKind::InvalidAdmission)?;
        fails("its usage", handle.recovery_usage(&r1).await, ErrorKind::InvalidAdmission)?;
        stage::replayed("it ended", recover(handle, "r1").await?)?;
    }
    before.stays().await
}

async fn on_other_terms(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let request = stage::request("r1")?;
    let policy = |window, passes| ContextPolicy::last(window)?.passes(passes);
    let admit = |terms: &Contract, policy| Admit::new(&request, INPUT, terms).context(policy);
    let terms = stage::terms()?;
    let turn = session.admit_with(admit(&terms, policy(5, 3)?)?).await?.started()?;
    let before = Before::of(&*place, &session).await?;
    let agent = Contract::new().part("agent", "shop-8")?.part("tools", &["search", "buy"])?;
    let tools = Contract::new().part("agent", "shop-7")?.part("tools", &["search"])?;
    let none = Contract::new().part("agent", "shop-7")?;
    let changed = [
        ("agent", admit(&agent, policy(5, 3)?)?),
        ("tools", admit(&tools, policy(5, 3)?)?),
        ("tools", admit(&none, policy(5, 3)?)?),
        ("context", admit(&terms, policy(6, 3)?)?),
        ("context", admit(&terms, policy(5, 4)?)?),
        ("context", admit(&terms, policy(5, 3)?.batch(4)?)?),
        ("context", Admit::new(&request, INPUT, &terms)),
    ];
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        for (part, admit) in &changed {
            for recovery in [Recovery::Reject, Recovery::Restart, Recovery::Resume] {
                let answer = handle.recover_with(turn.claim(), admit.clone(), recovery).await;
                let error = fails("other terms", answer, ErrorKind::ConfigurationMismatch)?;
                same("what differs", error.part(), Some(*part))?;
            }
        }
        let admit = Admit::new(&request, "something else", &terms).context(policy(5, 3)?)?;
        let answer = handle.recover_with(turn.claim(), admit, Recovery::Restart).await;
        fails("another input", answer, ErrorKind::Mismatch)?;
    }
    before.stays().await?;
    // Its owner was not disturbed, and the same terms go on.
    turn.push("two").await?;
    let admit = admit(&terms, policy(5, 3)?)?;
    let turn = other.recover_with(turn.claim(), admit, Recovery::Resume).await?.started()?;
    turn.commit("done").await?;
    same("the texts", scene::texts(&session).await?, vec!["one".to_owned(), "two".to_owned()])
}

/// A session whose request has a checkpoint and is held by nobody who runs.
async fn stopped(place: &dyn Place, in_flight: bool) -> Result<[Session; 2], Failed> {
    let pair = stage::pair(place, &[]).await?;
    let [session, _] = &pair;
    let mut turn = stage::begin(session, "r1").await?;
    turn.push("one").await?;
    let usage = Usage::new().with("tokens", 8).with("calls", 1);
    let checkpoint = turn.checkpoint("agent.step", 1, "state").usage(&usage);
    if in_flight {
        checkpoint.in_flight().await?
    } else {
        checkpoint.await?
    };
    Ok(pair)
}

async fn under_way(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stopped(&*place, true).await?;
    let used = |tokens, calls| Usage::new().with("tokens", tokens).with("calls", calls);
    let before = Before::of(&*place, &session).await?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        let active = stage::active(handle).await?;
        let reject = stage::recover_at(handle, &active, Recovery::Reject, used(8, 1)).await;
        fails("undecided", reject, ErrorKind::Ambiguous)?;
        for recovery in [Recovery::Restart, Recovery::Resume] {
            for (usage, part) in [(used(7, 9), "tokens"), (used(9, 0), "calls")] {
                let answer = stage::recover_at(handle, &active, recovery, usage).await;
                let error = fails("with less", answer, ErrorKind::UsageMismatch)?;
                same("of what", error.part(), Some(part))?;
            }
        }
    }
    before.stays().await?;
    let active = stage::active(&other).await?;
    let again = stage::recover_at(&other, &active, Recovery::Restart, used(9, 1)).await?;
    let turn = again.started()?;
    same("its usage", turn.usage().clone(), used(9, 1))?;
    // It runs once: whoever decided the same a moment later is late.
    let again = stage::recover_at(&session, &active, Recovery::Restart, used(9, 1)).await;
    stage::is_busy("the same again", again, "r1", turn.claim())?;
    turn.push("two").await?;
    turn.commit("done").await?;
    same("the texts", scene::texts(&session).await?, vec!["two".to_owned()])
}

async fn not_under_way(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stopped(&*place, false).await?;
    let used = |tokens, calls| Usage::new().with("tokens", tokens).with("calls", calls);
    let before = Before::of(&*place, &session).await?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        let active = stage::active(handle).await?;
        for recovery in [Recovery::Reject, Recovery::Restart, Recovery::Resume] {
            for (usage, part) in [
                (used(9, 1), "tokens"),
                (used(8, 2), "calls"),
                (used(7, 1), "tokens"),
                (Usage::new(), "calls"),
                (used(8, 1).with("money", 1), "money"),
            ] {
                let answer = stage::recover_at(handle, &active, recovery, usage).await;
                let error = fails("with another usage", answer, ErrorKind::UsageMismatch)?;
                same("of what", error.part(), Some(part))?;
            }
        }
    }
    before.stays().await?;
    let active = stage::active(&other).await?;
    let again = stage::recover_at(&other, &active, Recovery::Reject, used(8, 1)).await?;
    let turn = again.started()?;
    turn.commit("done").await?;
    // It went on from its checkpoint, with what its owner had written.
    same("the texts", scene::texts(&session).await?, vec!["one".to_owned()])
}

async fn the_greatest_usage(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let used = |a, b| Usage::new().with("a", a).with("b", b);
    let admit = stage::asking("r1")?.usage(used(8, 1));
    let mut turn = session.admit_with(admit).await?.started()?;
    turn.checkpoint("agent.step", 1, "state").usage(&used(5, 3)).in_flight().await?;
    let request = stage::request("r1")?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        same("its usage", handle.recovery_usage(&request).await?, used(8, 3))?;
        same("its usage", stage::active(handle).await?.usage, used(8, 3))?;
    }
    let active = stage::active(&other).await?;
    let again = stage::recover_at(&other, &active, Recovery::Restart, used(9, 3)).await?;
    let turn = again.started()?;
    same("its usage", turn.usage().clone(), used(9, 3))?;
    same("its usage", session.recovery_usage(&request).await?, used(9, 3))?;
    let done = turn.commit("done").await?;
    same("what it used", done.usage, used(9, 3))?;
    same("what is told", stage::told(&session, "r1").await?.usage, used(9, 3))
}
