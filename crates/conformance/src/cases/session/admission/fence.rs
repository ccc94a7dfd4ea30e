//! Owners that were taken over from: whatever they write is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sessile_core::admission::Recovery;
use sessile_core::backend::{DocKey, Precondition};
use sessile_core::fold::Active;
use sessile_core::{Error, ErrorKind};
use sessile_engine::{
    Action, Admit, Append, ContextPolicy, Finish, FreshIntent, Indeterminate, Intent, NewSession,
    Reconciled, Session, Summarised, Turn, Window,
};

use super::stage::{self, Before, INPUT};
use crate::case::{Case, Running};
use crate::cases::session::scene;
use crate::failed::{Failed, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/fence/refuses_whatever_an_old_owner_writes",
        &["records/27", "ADM-6", "ADM-8", "CONC-3"],
        |place| Box::pin(refuses_whatever_is_written(place)),
    ),
    Case::new("session/fence/counts_nothing_that_was_written_past_it", &["CONC-3"], |place| {
        Box::pin(counts_nothing(place))
    }),
    Case::new("session/fence/lets_the_same_request_in_again", &["ADM-4", "ADM-8"], |place| {
        Box::pin(lets_the_same_request_in(place))
    }),
];

/// An owner in the middle of its work, who does not know yet that somebody took over.
struct Owner {
    turn: Turn,
    fresh: FreshIntent,
    unknown: Indeterminate,
    document: DocKey,
}

impl Owner {
    async fn of(session: &Session) -> Result<Self, Failed> {
        let mut turn = session.admit_with(admit()?).await?.started()?;
        turn.push("theirs").await?;
        turn.checkpoint("agent.step", 1, "state").await?;
        turn.ask("leave", &Action::new("call-3", "pay", "3")).await?;
        let Intent::Fresh(fresh) = turn.intend(Action::new("call-1", "mail", "1")).await? else {
            return Err(Failed::new("it was not intended before"));
        };
        _ = turn.intend(Action::new("call-2", "mail", "2")).await?;
        let Intent::Indeterminate(unknown) =
            turn.intend(Action::new("call-2", "mail", "2")).await?
        else {
            return Err(Failed::new("it is not known whether it was done"));
        };
        let document = sample::document("notes", session.id().as_str())?;
        Ok(Self { turn, fresh, unknown, document })
    }

    /// Fails unless each kind of write is refused.
    async fn is_refused(&mut self, kind: ErrorKind) -> Result<(), Failed> {
        let Self { turn, fresh, unknown, document } = self;
        fails("a message", turn.push("x").await, kind)?;
        fails("messages", turn.push_all(["x", "y"]).await, kind)?;
        let at = Append::at_end().commit_id("late".parse()?);
        fails("a message by name", turn.push_with(at, ["x"]).await, kind)?;
        fails("an event", turn.note(["x"]).await, kind)?;
        fails("a checkpoint", turn.checkpoint("agent.step", 1, "late").await, kind)?;
        let call = || Action::new("call-4", "pay", "4");
        fails("a question", turn.ask("late", &call()).await, kind)?;
        fails("an intent", turn.intend(call()).await, kind)?;
        fails("the same intent", turn.intend(Action::new("call-1", "mail", "1")).await, kind)?;
        fails("a completion", fresh.complete("sent").await, kind)?;
        fails("what came of it", turn.reconcile(unknown, "sent").await, kind)?;
        fails("that nothing did", turn.reconcile_unexecuted(unknown).await, kind)?;
        let calls = AtomicUsize::new(0);
        let summarised = turn
            .summarise(|_| {
                calls.fetch_add(1, Ordering::Relaxed);
                async { Summarised::of(["x"]) }
            })
            .await;
        fails("a summary", summarised, kind)?;
        same("how often it was made", calls.into_inner(), 0)?;
        let put = turn.put_document(document, "x", Precondition::Absent).await;
        fails("a document", put, kind)?;
        fails("its end", turn.commit("late").await, kind)?;
        let finish = Finish::new("late")?.message("x")?.close();
        fails("its end, with more", turn.commit_with(finish).await, kind)?;
        fails("its failure", turn.fail("late", true).await, kind)?;
        fails("calling it off", turn.cancel("late").await, kind)?;
        Ok(())
    }
}

fn admit() -> Result<Admit, Error> {
    let request = stage::request("r1")?;
    Admit::new(&request, INPUT, &stage::terms()?).context(ContextPolicy::last(1)?)
}

/// How somebody takes over from an owner.
type TakesOver = fn(Session, Active) -> Running;

async fn recovers(session: &Session, active: &Active, how: Recovery) -> Result<Turn, Failed> {
    let admit = admit()?.usage(active.usage.clone());
    Ok(session.recover_with(active.claim, admit, how).await?.started()?)
}

/// The ways to take over from an owner, and how many messages are in sight then.
const WAYS: &[(&str, TakesOver, u64)] = &[
    ("restart", |session, active| Box::pin(restart(session, active)), 2),
    ("resume", |session, active| Box::pin(resume(session, active)), 2),
    ("release", |session, active| Box::pin(release(session, active)), 2),
    ("reconcile", |session, active| Box::pin(reconcile(session, active)), 2),
    ("cancel", |session, active| Box::pin(cancel(session, active)), 2),
    ("abandon", |session, active| Box::pin(abandon(session, active)), 2),
    ("complete", |session, active| Box::pin(complete(session, active)), 3),
];

async fn restart(session: Session, active: Active) -> Result<(), Failed> {
    recovers(&session, &active, Recovery::Restart).await.map(drop)
}

async fn resume(session: Session, active: Active) -> Result<(), Failed> {
    recovers(&session, &active, Recovery::Resume).await.map(drop)
}

async fn release(session: Session, active: Active) -> Result<(), Failed> {
    Ok(session.release(&active, None).await.map(drop)?)
}

async fn reconcile(session: Session, active: Active) -> Result<(), Failed> {
    let unexecuted = Reconciled::NotExecuted;
    Ok(session.reconcile(&active, "call-1", "mail", unexecuted, None).await.map(drop)?)
}

async fn cancel(session: Session, active: Active) -> Result<(), Failed> {
    Ok(session.cancel(&active, "its owner is gone", None).await.map(drop)?)
}

async fn abandon(session: Session, active: Active) -> Result<(), Failed> {
    Ok(session.abandon(&active, "its owner is gone", None).await.map(drop)?)
}

/// It is done by whoever recovered it, so that its end is there to be told.
async fn complete(session: Session, active: Active) -> Result<(), Failed> {
    let turn = recovers(&session, &active, Recovery::Resume).await?;
    for (action, intended) in active.indeterminate() {
        let call = Action::new(
            action.as_str(),
            intended.name.as_str(),
            match action.as_str() {
                "call-1" => "1",
                _ => "2",
            },
        );
        if let Intent::Indeterminate(unknown) = turn.intend(call).await? {
            turn.reconcile(&unknown, "sent").await?;
        }
    }
    Ok(turn.commit("done").await.map(drop)?)
}

async fn refuses_whatever_is_written(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    for (way, takes_over, messages) in WAYS {
        let session = scene::session(&store, way, &["one", "two"]).await?;
        let mut owner = Owner::of(&session).await?;
        let other = stage::reopened(&*place, way).await?;
        let active = stage::active(&other).await?;
        takes_over(other.clone(), active).await?;
        let before = Before::of(&*place, &other).await?;
        let refused = async |owner: &mut Owner| {
            let refused = owner.is_refused(ErrorKind::Fenced).await;
            refused.map_err(|failed| Failed::new(format!("after a {way}: {failed}")))
        };
        refused(&mut owner).await?;
        let nothing = look::refusal(&*place.handle().await?, &owner.document).await;
        same("the document", nothing, Some(ErrorKind::Missing))?;
        before.stays().await?;
        fails("what it sees", owner.turn.view(Window::last(1)).await, ErrorKind::Fenced)?;
        same("how many messages", other.refresh().await?.messages, *messages)?;
        if let Some(active) = other.info().active {
            // Also when another has ended it since, and another one holds the session.
            other.abandon(&active, "over", None).await?;
        }
        stage::begin(&other, "r2").await?.push("ours").await?;
        let before = Before::of(&*place, &other).await?;
        refused(&mut owner).await?;
        before.stays().await?;
    }
    Ok(())
}

async fn counts_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let old = stage::begin(&session, "r1").await?;
    let turn = stage::recover(&other, Recovery::Restart).await?;
    let stray = |kind, data: &str| -> Result<_, Failed> {
        let entry = sample::entry(kind, data)?;
        Ok(vec![sessile_core::NewEntry { claim: Some(old.claim()), ..entry }])
    };
    // A program that writes without asking anybody.
    scene::append_past(&*place, &session, stray("message", r#""late""#)?).await?;
    let outcome = r#"{"request":"r1","status":"completed","messages":1,"result":"late"}"#;
    scene::append_past(&*place, &session, stray("outcome", outcome)?).await?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        same("who holds it", stage::active(handle).await?.claim, turn.claim())?;
        same("the texts", scene::texts(handle).await?, vec!["one".to_owned()])?;
        let strays = handle.info().strays.map(|strays| strays.count);
        same("how many entries count for nothing", strays, Some(2))?;
    }
    turn.push("two").await?;
    turn.commit("done").await?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        let told = stage::told(handle, "r1").await?;
        same("its result", told.decode::<String>()?, "done".to_owned())?;
        same("the texts", scene::texts(handle).await?, ["one", "two"].map(str::to_owned).to_vec())?;
    }
    Ok(())
}

async fn lets_the_same_request_in(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = store.create_as("s1", NewSession::new()).await?;
    let other = stage::reopened(&*place, "s1").await?;
    let old = stage::begin(&session, "r1").await?;
    let active = stage::active(&other).await?;
    let released = other.release(&active, Some("ann".into())).await?;
    same("again it stands", other.release(&active, None).await?.claim, released.claim)?;
    for handle in [&session, &other] {
        let answer = stage::send(handle, "r2").await;
        stage::is_busy("another request", answer, "r1", released.claim)?;
        let input = handle.admit(&stage::request("r1")?, "x", &stage::terms()?).await;
        fails("another input", input, ErrorKind::Mismatch)?;
    }
    fails("its owner", old.push("late").await, ErrorKind::Fenced)?;
    let again = stage::begin(&session, "r1").await?;
    same("what it takes over", stage::active(&other).await?.recovers, Some(released.claim))?;
    fails("its first owner", old.push("late").await, ErrorKind::Fenced)?;
    stage::is_busy("a third", stage::send(&other, "r1").await, "r1", again.claim())?;
    again.push("one").await?;
    again.commit("done").await?;
    same("the texts", scene::texts(&other).await?, vec!["one".to_owned()])
}
