//! Leave: asked for, given or refused by anybody, and good for one call once.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind};
use sessile_engine::{Action, Approval, Intent, Turn};

use super::stage::{self, Before};
use crate::case::Case;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new("session/leave/covers_one_call_once", &["records/69", "SIDE-2"], |place| {
        Box::pin(covers_one_call(place))
    }),
    Case::new("session/leave/is_decided_once_and_outlives_who_asked", &["records/69"], |place| {
        Box::pin(is_decided_once(place))
    }),
];

fn pay(id: &str, amount: &str) -> Action {
    Action::new(id, "pay", amount)
}

/// Fails unless an intent is refused because its leave does not cover it.
async fn is_stale(what: &str, turn: &Turn, action: Action) -> Result<Error, Failed> {
    fails(what, turn.intend(action).await, ErrorKind::StaleApproval)
}

async fn covers_one_call(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let turn = stage::begin(&session, "r1").await?;
    is_stale("what was never asked for", &turn, pay("call-1", "10").approved("ok")).await?;
    same("asking", turn.ask("ok", &pay("call-1", "10")).await?, Approval::Pending)?;
    same("asking for more", turn.ask("no", &pay("call-2", "99")).await?, Approval::Pending)?;
    is_stale("what is not decided", &turn, pay("call-1", "10").approved("ok")).await?;
    other.decide("ok", true, Some("ann".into())).await?;
    other.decide("no", false, Some("ann".into())).await?;
    same("what was given", turn.approval("ok").await?, Approval::Allowed)?;
    same("what was refused", turn.approval("no").await?, Approval::Denied)?;
    let before = Before::of(&*place, &session).await?;
    is_stale("what was refused", &turn, pay("call-2", "99").approved("no")).await?;
    is_stale("other arguments", &turn, pay("call-1", "99").approved("ok")).await?;
    is_stale("another action", &turn, pay("call-3", "10").approved("ok")).await?;
    let name = Action::new("call-1", "give", "10").approved("ok");
    is_stale("another tool", &turn, name).await?;
    let otherwise = turn.ask("ok", &pay("call-1", "99")).await;
    fails("asking otherwise", otherwise, ErrorKind::Conflict)?;
    before.stays().await?;
    let Intent::Fresh(fresh) = turn.intend(pay("call-1", "10").approved("ok")).await? else {
        return Err(Failed::new("it is new"));
    };
    fresh.complete("paid").await?;
    let before = Before::of(&*place, &session).await?;
    is_stale("leave that is used up", &turn, pay("call-4", "10").approved("ok")).await?;
    for handle in [&session, &other] {
        let used = stage::active(handle).await?.approvals;
        same("how much is used up", used.values().filter(|it| it.used_by.is_some()).count(), 1)?;
    }
    same("what was used", turn.approval("ok").await?, Approval::Used)?;
    before.stays().await?;
    turn.commit("done").await?;
    fails("after its end", other.decide("ok", true, None).await, ErrorKind::StaleApproval)?;
    Ok(())
}

async fn is_decided_once(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let turn = stage::begin(&session, "r1").await?;
    let stale = ErrorKind::StaleApproval;
    fails("what nobody asked", other.decide("ok", true, None).await, stale)?;
    turn.ask("ok", &pay("call-1", "10")).await?;
    // Whoever asked is gone; somebody decides in another process.
    drop((turn, session));
    let decided = other.decide("ok", true, Some("ann".into())).await?;
    let reopened = stage::reopened(&*place, "s1").await?;
    let before = Before::of(&*place, &other).await?;
    for handle in [&other, &reopened] {
        same("the same again", handle.decide("ok", true, None).await?, decided)?;
        let otherwise = handle.decide("ok", false, None).await;
        fails("otherwise", otherwise, ErrorKind::Conflict)?;
        fails("another", handle.decide("ok-2", true, None).await, stale)?;
    }
    before.stays().await?;
    let turn = stage::recover(&reopened, sessile_core::admission::Recovery::Restart).await?;
    same("what was given", turn.ask("ok", &pay("call-1", "10")).await?, Approval::Allowed)?;
    let used = turn.intend(pay("call-1", "10").approved("ok")).await?;
    ensure!(matches!(used, Intent::Fresh(_)), "leave covers what it was given for");
    same("what was used", turn.approval("ok").await?, Approval::Used)
}
