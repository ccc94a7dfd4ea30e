//! Taking a session: one request at a time, by name.

use std::sync::Arc;

use sessile_core::admission::Recovery;
use sessile_core::entry::shape::{Claim, Contract, Outcome, OutcomeStatus};
use sessile_core::{Error, ErrorKind, NewEntry, Payload, Usage};
use sessile_engine::{Admission, Finish, Session};

use super::stage::{self, Before, INPUT};
use crate::case::Case;
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, fails, only, same};
use crate::fixture::Place;
use crate::sample;
use crate::together::together;

/// Who sends the same request at once.
const CALLERS: usize = 16;

pub(super) const CASES: &[Case] = &[
    Case::new("session/claim/says_what_was_asked_and_on_which_terms", &["ADM-3"], |place| {
        Box::pin(says_what_was_asked(place))
    }),
    Case::new("session/claim/makes_any_other_request_busy_by_name", &["records/30"], |place| {
        Box::pin(makes_others_busy(place))
    }),
    Case::new(
        "session/claim/makes_the_same_request_busy_or_another_input_a_mismatch",
        &["records/31", "ADM-2", "ADM-3"],
        |place| Box::pin(makes_itself_busy(place)),
    ),
    Case::new("session/claim/is_not_made_under_the_id_of_its_session", &["records/38"], |place| {
        Box::pin(is_not_made_under_its_sessions_id(place))
    }),
    Case::new("session/claim/is_made_by_one_of_many", &["ADM-1"], |place| {
        Box::pin(is_made_by_one_of_many(place, 3))
    }),
    Case::new("session/claim/is_made_by_one_of_many_many_times", &["ADM-1"], |place| {
        let rounds = place.rounds(150);
        Box::pin(is_made_by_one_of_many(place, rounds))
    })
    .full(),
    Case::new("session/claim/that_can_not_be_read_refuses_all_others", &["records/39"], |place| {
        Box::pin(can_not_be_read(place))
    }),
];

async fn says_what_was_asked(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let (request, usage) = (stage::request("r1")?, Usage::new().with("tokens", 12));
    let admit = stage::asking("r1")?.holder("worker 3").usage(usage.clone());
    let turn = session.admit_with(admit).await?.started()?;
    let claim = Claim {
        request: request.clone(),
        input: stage::digest(),
        contract: stage::terms()?,
        usage: usage.clone(),
        holder: Some("worker 3".into()),
        recovers: None,
        resumes: false,
        released: false,
    };
    for handle in [&session, &other] {
        let active = stage::active(handle).await?;
        same("who holds it", (&active.request, active.claim), (&request, turn.claim()))?;
        same("for what", (active.input, active.contract), (stage::digest(), stage::terms()?))?;
        same("with what", (active.usage, active.messages), (usage.clone(), 1))?;
        same("the claims", stage::claims(handle).await?, vec![(turn.claim(), claim.clone())])?;
    }
    let pushed = turn.push("two").await?.first;
    let used = Usage::new().with("tokens", 9).with("calls", 1);
    let done = turn.commit_with(Finish::new("done")?.usage(&used)).await?;
    let outcome = Outcome {
        redacted: false,
        request,
        input: Some(stage::digest()),
        contract: Some(stage::terms()?),
        status: OutcomeStatus::Completed,
        adopts: Some((pushed, pushed)),
        messages: 1,
        result: Some(Payload::of("done")?),
        may_retry: false,
        reason: None,
        usage: usage.max(&used),
    };
    same("the outcomes", stage::outcomes(&other).await?, vec![(done.seq, outcome)])
}

async fn makes_others_busy(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let admit = stage::asking("r1")?.holder("worker 3");
    let turn = session.admit_with(admit).await?.started()?;
    let since = stage::active(&session).await?.since;
    let before = Before::of(&*place, &session).await?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        let error = fails("another request", stage::send(handle, "r2").await, ErrorKind::Busy)?;
        let told = error.occupant().map(|it| (it.claim, it.since, it.holder.clone()));
        let holder = Some("worker 3".into());
        same("who holds it", told, Some((turn.claim(), since, holder)))?;
        // Nor does anybody else add to the conversation meanwhile.
        stage::is_busy("a message", handle.append(["x"]).await, "r1", turn.claim())?;
        stage::is_busy("going back", handle.pop(1).await, "r1", turn.claim())?;
        stage::is_busy("closing", handle.close().await, "r1", turn.claim())?;
        same("the texts", scene::texts(handle).await?, vec!["one".to_owned()])?;
    }
    before.stays().await?;
    turn.commit("done").await?;
    stage::begin(&other, "r2").await?.commit("done").await?;
    Ok(())
}

async fn makes_itself_busy(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let turn = stage::begin(&session, "r1").await?;
    turn.push("one").await?;
    let before = Before::of(&*place, &session).await?;
    let (request, terms) = (stage::request("r1")?, stage::terms()?);
    for handle in [&session, &other] {
        stage::is_busy("again", stage::send(handle, "r1").await, "r1", turn.claim())?;
        // Whoever sends something else is not told that it is under way.
        let input = handle.admit(&request, "something else", &terms).await;
        fails("another input", input, ErrorKind::Mismatch)?;
    }
    before.stays().await?;
    turn.commit("done").await?;
    Ok(())
}

async fn is_not_made_under_its_sessions_id(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let before = Before::of(&*place, &session).await?;
    for handle in [&session, &other] {
        fails("its own id", stage::send(handle, "s1").await, ErrorKind::Mismatch)?;
        stage::is_idle(handle).await?;
    }
    before.stays().await?;
    // It is not that request ids were refused.
    stage::begin(&session, "S1").await?.commit("done").await?;
    Ok(())
}

/// Sends a request from all handles at once.
async fn all_send(handles: &[Session], id: &str) -> Result<Vec<Result<Admission, Error>>, Failed> {
    let send = |handle: &Session| {
        let (handle, id) = (handle.clone(), id.to_owned());
        async move { Ok(stage::send(&handle, &id).await) }
    };
    together(handles.iter().map(send).collect()).await
}

async fn is_made_by_one_of_many(place: Arc<dyn Place>, rounds: usize) -> Result<(), Failed> {
    let mut handles = vec![scene::session(&scene::store(&*place).await?, "s1", &[]).await?];
    while handles.len() < CALLERS {
        handles.push(stage::reopened(&*place, "s1").await?);
    }
    for round in 0..rounds {
        let id = format!("r{round}");
        if round == 0 {
            // While another one is active: none of them is done behind it by itself.
            let turn = stage::begin(handles.first().ok_or_else(lost)?, "before").await?;
            for answer in all_send(&handles, &id).await? {
                stage::is_busy("behind another", answer, "before", turn.claim())?;
            }
            turn.fail("broken", false).await?;
        }
        let (won, lost): (Vec<_>, Vec<_>) =
            all_send(&handles, &id).await?.into_iter().partition(Result::is_ok);
        let turn = only("those who were admitted at once", won)??.started()?;
        for answer in lost {
            stage::is_busy("a loser", answer, &id, turn.claim())?;
        }
        for answer in all_send(&handles, &id).await? {
            stage::is_busy("while it runs", answer, &id, turn.claim())?;
        }
        turn.push(&round).await?;
        let done = turn.commit(&round).await?;
        if round + 1 == rounds {
            for handle in &mut handles {
                *handle = stage::reopened(&*place, "s1").await?;
            }
        }
        for answer in all_send(&handles, &id).await? {
            let told = stage::replayed("after its end", answer?)?;
            same("its end", (told.seq, told.claim, told.position), {
                (done.seq, done.claim, done.position)
            })?;
            same("its result", told.decode::<usize>()?, round)?;
        }
    }
    let session = stage::reopened(&*place, "s1").await?;
    same("how often it was claimed", stage::claims(&session).await?.len(), rounds + 1)?;
    same("how often it ended", stage::outcomes(&session).await?.len(), rounds + 1)?;
    let expected: Vec<String> = (0..rounds).map(|round| round.to_string()).collect();
    same("what was done", scene::bytes(&session).await?, expected)
}

fn lost() -> Failed {
    Failed::new("there are handles")
}

/// What stands in a journal and is no claim or outcome that this version can read.
fn unreadable() -> Result<Vec<NewEntry>, Failed> {
    let data = [
        "{}",
        "[]",
        "7",
        r#"{"schema":9,"request":"r1","held":true}"#,
        r#"{"request":"r1","input":"not a digest","contract":{}}"#,
    ];
    data.into_iter().map(|data| sample::entry("claim", data)).collect()
}

async fn can_not_be_read(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    for (number, entry) in unreadable()?.into_iter().enumerate() {
        let id = format!("s{number}");
        let session = scene::session(&store, &id, &["one"]).await?;
        let turn = stage::begin(&session, "r0").await?;
        turn.push("two").await?;
        turn.commit("done").await?;
        let idle = stage::reopened(&*place, &id).await?;
        scene::append_past(&*place, &session, vec![entry]).await?;
        refuses_all(&*place, &[session, idle, stage::reopened(&*place, &id).await?]).await?;
    }
    // Nor is it known who holds a session whose end can't be read.
    let session = scene::session(&store, "ended", &["one", "two"]).await?;
    let turn = stage::begin(&session, "r1").await?;
    let outcome = NewEntry { claim: Some(turn.claim()), ..sample::entry("outcome", "[]")? };
    scene::append_past(&*place, &session, vec![outcome]).await?;
    refuses_all(&*place, &[session, stage::reopened(&*place, "ended").await?]).await
}

/// Fails unless handles refuse whatever needs to know who holds the session, and show it.
async fn refuses_all(place: &dyn Place, handles: &[Session]) -> Result<(), Failed> {
    let invalid = ErrorKind::InvalidAdmission;
    let (request, terms) = (stage::request("r1")?, stage::terms()?);
    for handle in handles {
        let before = Before::of(place, handle).await?;
        fails("a request", stage::send(handle, "r1").await, invalid)?;
        fails("another", stage::send(handle, "r2").await, invalid)?;
        let empty = Contract::new();
        fails("on other terms", handle.admit(&request, "x", &empty).await, invalid)?;
        let claim = sessile_core::Seq::FIRST;
        let again = handle.recover_with(claim, stage::asking("r1")?, Recovery::Restart).await;
        fails("a recovery", again, invalid)?;
        fails("its usage", handle.recovery_usage(&request).await, invalid)?;
        before.stays().await?;
        let texts = ["one", "two"].map(str::to_owned).to_vec();
        same("the texts", scene::texts(handle).await?, texts)?;
        let message = handle.append(["three"]).await;
        fails("a message", message, ErrorKind::Unsupported)?;
        before.stays().await?;
    }
    let last = handles.last().ok_or_else(lost)?;
    let admitted = last.admit(&request, INPUT, &terms).await;
    ensure!(admitted.is_err(), "it is admitted in the end");
    Ok(())
}
