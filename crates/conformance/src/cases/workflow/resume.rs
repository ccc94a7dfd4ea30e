//! What it takes to continue a session, and what that changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use sessile_core::backend::Capability;
use sessile_core::{ErrorKind, Payload};
use sessile_workflow::{Begin, Denial, Event, Problem};

use super::scene::{
    STRANGER, begun, behind, is_told, new, record, refused, resume, summary, workflow,
};
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::together::together;

pub(super) const CASES: &[Case] = &[
    Case::new("workflow/resume/a_deleted_one_expired_for_its_owner", &["workflow/7"], |place| {
        Box::pin(a_deleted_one(place))
    }),
    Case::new("workflow/resume/also_after_a_purge", &["workflow/7"], |place| {
        Box::pin(after_a_purge(place))
    })
    .needing(&[Need::Has(Capability::Purge)]),
    Case::new("workflow/resume/a_closed_one_is_closed_first_of_all", &["workflow/8"], |place| {
        Box::pin(a_closed_one(place))
    }),
    Case::new("workflow/resume/a_project_is_more_than_its_name", &["workflow/9"], |place| {
        Box::pin(a_project(place))
    }),
    Case::new("workflow/resume/a_stranger_learns_nothing", &["workflow/10"], |place| {
        Box::pin(a_stranger(place))
    }),
    Case::new(
        "workflow/resume/writing_is_allowed_by_a_verified_scope",
        &["workflow/11"],
        |place| Box::pin(a_verified_scope(place)),
    ),
    Case::new("workflow/resume/guards_tighten_within_a_mode", &["workflow/12"], |place| {
        Box::pin(guards_tighten(place))
    }),
    Case::new("workflow/resume/a_title_stays_and_one_event_is_added", &["workflow/13"], |place| {
        Box::pin(a_title_stays(place))
    }),
    Case::new("workflow/resume/a_context_stays_until_it_is_replaced", &["workflow/14"], |place| {
        Box::pin(a_context_stays(place))
    }),
    Case::new(
        "workflow/resume/what_fails_before_its_commit_changes_nothing",
        &["workflow/15"],
        |place| Box::pin(fails_before_its_commit(place)),
    ),
    Case::new("workflow/resume/it_says_what_has_changed", &["workflow/41"], |place| {
        Box::pin(says_what_has_changed(place))
    }),
    Case::new(
        "workflow/resume/at_once_each_is_decided_on_the_one_before",
        &["workflow/12"],
        |place| Box::pin(at_once(place)),
    ),
];

async fn a_deleted_one(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let id = begun(&owner, new().instruction("go")).await?;
    owner.store().delete(&*id).await?;
    is_expired(&*place, &id).await
}

async fn after_a_purge(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let id = begun(&owner, new().instruction("go")).await?;
    owner.store().delete(&*id).await?;
    match owner.store().purge(&*id).await {
        // It may have to wait until nobody can bring it back.
        Err(error) if error.kind() == ErrorKind::Unavailable => {}
        purged => purged?,
    }
    is_expired(&*place, &id).await
}

/// Fails unless a session is *expired* to its owner and unknown to anybody else.
async fn is_expired(place: &dyn Place, id: &str) -> Result<(), Failed> {
    let owner = workflow(place).await?;
    refused("continuing", owner.begin(resume(id)).await, &Problem::Expired)?;
    let late = owner.record(id, Event::new("late")).await;
    refused("an event", late, &Problem::Expired)?;
    refused("a summary", owner.summary(id, None).await, &Problem::Expired)?;
    learns_nothing(place, id).await
}

/// Fails unless a stranger gets for an id the answers for one that never was.
async fn learns_nothing(place: &dyn Place, id: &str) -> Result<(), Failed> {
    let stranger = workflow(place).await?.as_owner(STRANGER);
    let nobody = "ses_nobody";
    let answers = async |id: &str| -> Result<Vec<String>, Failed> {
        let unknown = Problem::Unknown;
        let errors = [
            refused("continuing", stranger.begin(resume(id)).await, &unknown)?,
            refused("elsewhere", stranger.begin(Begin::new().resume(id)).await, &unknown)?,
            refused("an event", stranger.record(id, Event::new("x")).await, &unknown)?,
            refused("closing", stranger.close(id).await, &unknown)?,
            refused("instructing", stranger.instruct(id, "go", None).await, &unknown)?,
            refused("a context", stranger.set_context(id, &json!({})).await, &unknown)?,
            refused("a summary", stranger.summary(id, None).await, &unknown)?,
            refused("an instruction", stranger.instruction_at(id, 1).await, &unknown)?,
            refused("what is ephemeral", stranger.ephemeral(id).await, &unknown)?,
            refused("the board", stranger.board(id).await, &unknown)?,
        ];
        let texts = errors.iter().map(|error| format!("{error} {:?}", error.hint()));
        Ok(texts.map(|text| text.replace(id, nobody)).collect())
    };
    same("what a stranger is told", answers(id).await?, answers(nobody).await?)?;
    same("what is denied to one", stranger.denial(id, ["write"]).await?, None)
}

async fn a_closed_one(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let id = begun(&owner, new().project_identity("git:1")).await?;
    owner.close(&id).await?;
    let reopened = workflow(&*place).await?;
    for begin in [
        resume(&id).project_identity("git:1"),
        resume(&id).project_identity("git:2"),
        Begin::new().resume(&*id).project("another"),
        Begin::new().resume(&*id),
    ] {
        refused("continuing", reopened.begin(begin).await, &Problem::NotActive)?;
    }
    refused("instructing", reopened.instruct(&id, "go", None).await, &Problem::NotActive)?;
    let set = reopened.set_context(&id, &json!({})).await;
    refused("setting a context", set, &Problem::NotActive)?;
    learns_nothing(&*place, &id).await
}

async fn a_project(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let id = begun(&owner, new().project_identity("git:1")).await?;
    let plain = begun(&owner, new()).await?;
    let reopened = workflow(&*place).await?;
    let other = Begin::new().resume(&*id).project("another").project_identity("git:1");
    refused("from another", reopened.begin(other).await, &Problem::OtherProject)?;
    let none = Begin::new().resume(&*id).project_identity("git:1");
    refused("from none", reopened.begin(none).await, &Problem::OtherProject)?;
    for begin in [
        resume(&id).project_identity("git:2"),
        resume(&id),
        resume(&plain).project_identity("git:1"),
    ] {
        refused("continuing", reopened.begin(begin).await, &Problem::OtherProjectIdentity)?;
    }
    for begin in [resume(&id).project_identity("git:1"), resume(&plain)] {
        same("whether it was there", reopened.begin(begin).await?.reused, true)?;
    }
    Ok(())
}

async fn a_stranger(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let id = begun(&owner, new().instruction("go")).await?;
    let before = summary(&*place, &id).await?;
    learns_nothing(&*place, &id).await?;
    same("the session", &summary(&*place, &id).await?, &before)?;
    owner.begin(resume(&id)).await?;
    Ok(())
}

async fn a_verified_scope(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let id = begun(&owner, new().mode("read_only")).await?;
    let before = summary(&*place, &id).await?;
    let reopened = workflow(&*place).await?;
    let lifting = || resume(&id).mode("normal").instruction("write it");
    let problem = Problem::ScopeRequired("write".to_owned());
    refused("lifting", reopened.begin(lifting()).await, &problem)?;
    same("the session", &summary(&*place, &id).await?, &before)?;
    // Whoever lifts only what has no fence needs none.
    let kept = reopened.begin(resume(&id).mode("normal").deny("write")).await?;
    same("what is denied", denied(&kept.summary), vec!["write"])?;
    let back = reopened.begin(resume(&id).mode("read_only")).await?;
    same("what is denied", denied(&back.summary), vec!["shell", "write"])?;
    let lifted = reopened.begin(lifting().scope_verified()).await?;
    same("what is denied", denied(&summary(&*place, &id).await?), vec![])?;
    is_told(&*place, &lifted).await
}

fn denied(summary: &sessile_workflow::Summary) -> Vec<&str> {
    summary.guards.deny.iter().map(String::as_str).collect()
}

async fn guards_tighten(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let id = begun(&owner, new().mode("normal").deny("write")).await?;
    let reopened = workflow(&*place).await?;
    for begin in [resume(&id), resume(&id).mode("normal"), resume(&id).scope_verified()] {
        let told = reopened.begin(begin).await?;
        same("whether guards are others", told.capability_changed, false)?;
        same("what is denied", denied(&summary(&*place, &id).await?), vec!["write"])?;
    }
    let tighter = owner.begin(resume(&id).deny("shell")).await?;
    same("whether guards are others", tighter.capability_changed, true)?;
    same("what is denied", denied(&summary(&*place, &id).await?), vec!["shell", "write"])?;
    let denial = reopened.denial(&id, ["network", "shell", "write"]).await?;
    same("why", denial, Some(Denial::Guard("shell".to_owned())))?;
    same("a guard that is not set", reopened.denial(&id, ["network"]).await?, None)?;
    owner.close(&id).await?;
    same("once it is closed", reopened.denial(&id, ["network"]).await?, Some(Denial::Closed))
}

async fn a_title_stays(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let reopened = workflow(&*place).await?;
    for (begin, title) in [
        (new().title("given").instruction("first"), "given"),
        (new().instruction(" first \n"), "first"),
        (new(), "second"),
    ] {
        let id = begun(&owner, begin).await?;
        let before = summary(&*place, &id).await?.events_total;
        let again = resume(&id).title("another").deny("shell").context(&json!({"a": 1}));
        let told = reopened.begin(again.instruction("second")).await?;
        same("how many events there are", told.summary.events_total, before + 1)?;
        let told = summary(&*place, &id).await?;
        same("the title", told.title.as_deref(), Some(title))?;
        same("how many events there are", told.events_total, before + 1)?;
        let instruction = told.instruction.and_then(|it| it.text);
        same("the instruction", instruction.as_deref(), Some("second"))?;
        // A blank one says nothing.
        reopened.begin(resume(&id).instruction(" \n ")).await?;
        let told = summary(&*place, &id).await?;
        same("how many events there are", told.events_total, before + 1)?;
    }
    Ok(())
}

async fn a_context_stays(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let reopened = workflow(&*place).await?;
    let id = begun(&owner, new().context(&json!({"at": "a"}))).await?;
    let is = async |what: &str, context: Option<serde_json::Value>| -> Result<(), Failed> {
        let expected = context.map(|it| Payload::of(&it)).transpose()?;
        same(what, summary(&*place, &id).await?.context, expected)
    };
    is("as it began", Some(json!({"at": "a"}))).await?;
    let kept = reopened.begin(resume(&id).instruction("go")).await?;
    same("whether it is another", kept.context_changed, false)?;
    is("without one", Some(json!({"at": "a"}))).await?;
    let same_again = owner.begin(resume(&id).context(&json!({"at": "a"}))).await?;
    same("whether it is another", same_again.context_changed, false)?;
    let replaced = owner.begin(resume(&id).context(&json!({"of": "b"}))).await?;
    same("whether it is another", replaced.context_changed, true)?;
    is("with another one", Some(json!({"of": "b"}))).await?;
    let cleared = reopened.begin(resume(&id).context(&json!({}))).await?;
    same("whether it is another", cleared.context_changed, true)?;
    same("the one before", cleared.previous_context(), Some(&Payload::of(&json!({"of": "b"}))?))?;
    is("with an empty one", None).await
}

async fn fails_before_its_commit(place: Arc<dyn Place>) -> Result<(), Failed> {
    let id = begun(&workflow(&*place).await?, new().instruction("one")).await?;
    let before = summary(&*place, &id).await?;
    let (line, behind) = behind(&*place).await?;
    line.breaks_after(0, false);
    let begin =
        resume(&id).mode("read_only").context(&json!({"a": 1})).instruction("two").ephemeral(&1);
    ensure!(behind.begin(begin).await.is_err(), "it was continued behind a line that is cut");
    same("the session", &summary(&*place, &id).await?, &before)?;
    line.mend();
    same("the session, by the same handle", &behind.summary(&id, None).await?, &before)?;
    same("what is ephemeral", behind.ephemeral(&id).await?, None)?;
    let told = behind.begin(resume(&id).instruction("two")).await?;
    same("how many events there are", told.summary.events_total, 2)?;
    is_told(&*place, &told).await
}

async fn says_what_has_changed(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let first = owner.begin(new().context(&json!({"at": "a"})).instruction("one")).await?;
    let id = first.summary.id.to_string();
    same("of a new one", (first.reused, first.capability_changed), (false, false))?;
    same("whether it has a context", first.context_changed, true)?;
    record(&owner, &id, "x", 2).await?;
    let before = summary(&*place, &id).await?;
    let reopened = workflow(&*place).await?;
    let begin = resume(&id).mode("read_only").context(&json!({"at": "b"})).instruction("two");
    let told = reopened.begin(begin).await?;
    same("whether it was there", told.reused, true)?;
    same("what it was before", told.before.as_ref(), Some(&before))?;
    same("the guards before", told.previous_guards(), Some(&before.guards))?;
    same("whether guards are others", told.capability_changed, true)?;
    same("whether its context is another", told.context_changed, true)?;
    same("the mode", told.summary.guards.mode.as_str(), "read_only")?;
    let texts = [&told.summary, &before].map(|it| it.instruction.clone().and_then(|it| it.text));
    same("the instructions", texts, ["two", "one"].map(|it| Some(it.to_owned())))?;
    is_told(&*place, &told).await?;
    let idle = reopened.begin(resume(&id)).await?;
    let changed = (idle.capability_changed, idle.context_changed);
    same("what has changed without a change", changed, (false, false))?;
    same("how many events there are", idle.summary.events_total, told.summary.events_total)
}

async fn at_once(place: Arc<dyn Place>) -> Result<(), Failed> {
    const AT_ONCE: usize = 6;
    let id = begun(&workflow(&*place).await?, new()).await?;
    let mut tasks = Vec::new();
    for number in 0..AT_ONCE {
        let (workflow, id) = (workflow(&*place).await?, id.clone());
        tasks.push(async move {
            let guard = format!("g{number}");
            Ok(workflow.begin(resume(&id).deny(guard).instruction(number.to_string())).await?)
        });
    }
    let told = together(tasks).await?;
    let events: BTreeSet<u64> =
        told.iter().filter_map(|it| Some(it.before.as_ref()?.events_total)).collect();
    same("what they were decided on", events.len(), AT_ONCE)?;
    let summary = summary(&*place, &id).await?;
    same("how much is denied", summary.guards.deny.len(), AT_ONCE)?;
    same("how many events there are", usize::try_from(summary.events_total).ok(), Some(AT_ONCE))
}
