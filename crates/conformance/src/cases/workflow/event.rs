//! What happens in a session, and how long it is known.

use std::sync::Arc;

use serde_json::json;
use sessile_core::backend::Capability;
use sessile_core::fold::Lifecycle;
use sessile_core::{ErrorKind, Payload, Seq};
use sessile_engine::{From, Options as EngineOptions};
use sessile_workflow::{Event, Problem, Workflow};

use super::scene::{
    begun, behind, new, record, refused, resume, summary, window, workflow, workflow_with,
};
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;

/// What redacting needs.
const MASKS: &[Need] = &[Need::Has(Capability::Mask)];

pub(super) const CASES: &[Case] = &[
    Case::new("workflow/event/the_last_are_told_and_all_are_counted", &["workflow/16"], |place| {
        Box::pin(the_last_are_told(place))
    }),
    Case::new("workflow/event/a_window_of_none_is_one_of_one", &["workflow/46"], |place| {
        Box::pin(a_window_of_none(place))
    }),
    Case::new("workflow/event/an_instruction_outlives_the_window", &["workflow/17"], |place| {
        Box::pin(outlives_the_window(place))
    }),
    Case::new("workflow/event/of_the_past_the_journal_tells", &["workflow/17"], |place| {
        Box::pin(of_the_past(place))
    }),
    Case::new("workflow/event/a_close_is_one_event", &["workflow/19"], |place| {
        Box::pin(a_close(place))
    }),
    Case::new("workflow/event/a_late_one_leaves_it_closed", &["workflow/20"], |place| {
        Box::pin(a_late_one(place))
    }),
    Case::new("workflow/event/of_an_outside_id_there_is_one_for_ever", &["workflow/16"], |place| {
        Box::pin(of_an_outside_id(place))
    })
    .needing(MASKS),
    Case::new("workflow/event/evidence_says_whether_it_is_complete", &["workflow/45"], |place| {
        Box::pin(evidence(place))
    })
    .needing(MASKS),
    Case::new("workflow/event/a_context_is_set_with_one_event", &["workflow/14"], |place| {
        Box::pin(a_context_is_set(place))
    }),
    Case::new("workflow/event/secrets_are_not_stored", &["workflow/38"], |place| {
        Box::pin(secrets(place))
    }),
];

async fn with_window(place: &dyn Place, events: usize) -> Result<Workflow, Failed> {
    workflow_with(place, EngineOptions::default(), window(events)).await
}

async fn the_last_are_told(place: Arc<dyn Place>) -> Result<(), Failed> {
    const WINDOW: usize = 5;
    let id = begun(&workflow(&*place).await?, new()).await?;
    let writer = with_window(&*place, WINDOW).await?;
    // A program with another window, which keeps states that this one can't go on from.
    let engine = EngineOptions::default().state_every(3, 1 << 20);
    let other = workflow_with(&*place, engine, window(2)).await?;
    for more in [0_u64, 1, 7] {
        let before = summary(&*place, &id).await?.events_total;
        let target = 5 + more;
        for number in before..target {
            let by = if number % 2 == 0 { &writer } else { &other };
            by.record(&id, Event::new("x").body(&number)?).await?;
        }
        for reader in [&writer, &with_window(&*place, WINDOW).await?] {
            let told = reader.summary(&id, None).await?;
            same("how many are retained", told.events_retained, 5)?;
            same("how many there were", told.events_total, target)?;
            same("how many were evicted", told.events_evicted, more)?;
            same("the first that is retained", told.first_retained, more)?;
            let numbers = told.events.iter().map(|it| it.number);
            same("which are told", numbers.collect(), (more..target).collect::<Vec<_>>())?;
            let bodies = told.events.iter().map(|it| it.body.clone());
            let expected: Result<Vec<_>, _> =
                (more..target).map(|it| Payload::of(&it).map(Some)).collect();
            same("what they say", bodies.collect::<Vec<_>>(), expected?)?;
            same("of which kind", told.kinds.get("x"), Some(&5))?;
        }
    }
    let few = with_window(&*place, WINDOW).await?.summary(&id, Some(2)).await?;
    same("how many are shown", few.events.len(), 2)?;
    same("the first that is shown", few.first_returned, 10)?;
    same("whether there are more", few.events_truncated, true)?;
    same("how many are retained", few.events_retained, 5)?;
    let none = with_window(&*place, WINDOW).await?.summary(&id, Some(0)).await?;
    same("how many are shown", (none.events.len(), none.first_returned), (0, 12))
}

async fn a_window_of_none(place: Arc<dyn Place>) -> Result<(), Failed> {
    let writer = with_window(&*place, 0).await?;
    let id = begun(&writer, new().instruction("go")).await?;
    for (kind, total) in [("a", 2), ("b", 3)] {
        writer.record(&id, Event::new(kind)).await?;
        for reader in [&writer, &with_window(&*place, 0).await?] {
            let told = reader.summary(&id, None).await?;
            let seen: Vec<&str> = told.events.iter().map(|it| it.kind.as_str()).collect();
            same("which is told", seen, vec![kind])?;
            same("how many there were", told.events_total, total)?;
            same("how many are retained", told.events_retained, 1)?;
        }
    }
    Ok(())
}

async fn outlives_the_window(place: Arc<dyn Place>) -> Result<(), Failed> {
    let writer = with_window(&*place, 3).await?;
    let begun = writer.begin(new().instruction("find it").by("me")).await?;
    let id = begun.summary.id.to_string();
    let given = begun.summary.instruction;
    ensure!(given.is_some(), "there is no instruction");
    record(&writer, &id, "x", 6).await?;
    for reader in [&writer, &with_window(&*place, 3).await?] {
        let told = reader.summary(&id, None).await?;
        ensure!(told.first_retained > 0, "its event has not left the window");
        same("the instruction", &told.instruction, &given)?;
        let now = reader.instruction_at(&id, told.events_total).await?;
        same("the instruction at this count", &now, &given)?;
    }
    Ok(())
}

async fn of_the_past(place: Arc<dyn Place>) -> Result<(), Failed> {
    let writer = with_window(&*place, 2).await?;
    let id = begun(&writer, new()).await?;
    record(&writer, &id, "x", 1).await?;
    for text in ["one", "two"] {
        writer.instruct(&id, text, Some("me")).await?;
        record(&writer, &id, "x", 2).await?;
    }
    // x one x x two x x
    for reader in [&writer, &with_window(&*place, 2).await?, &with_window(&*place, 50).await?] {
        for (count, text) in [
            (0, None),
            (1, None),
            (2, Some("one")),
            (4, Some("one")),
            (5, Some("two")),
            (7, Some("two")),
            (8, None),
            (u64::MAX, None),
        ] {
            let told = reader.instruction_at(&id, count).await?.and_then(|it| it.text);
            same(&format!("the instruction after {count}"), told.as_deref(), text)?;
        }
    }
    Ok(())
}

async fn a_close(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = workflow(&*place).await?;
    let id = begun(&first, new()).await?;
    let stale = workflow(&*place).await?;
    stale.summary(&id, None).await?;
    same("the first time", first.close(&id).await?.already_closed, false)?;
    let closed = summary(&*place, &id).await?;
    for again in [&first, &stale, &workflow(&*place).await?] {
        same("again", again.close(&format!(" {id} ")).await?.already_closed, true)?;
    }
    same("the session", &summary(&*place, &id).await?, &closed)?;
    same("its state", closed.lifecycle, Lifecycle::Closed)?;
    same("how many closes there are", closed.kinds.get("closed"), Some(&1))?;
    same("how many events there are", closed.events_total, 1)
}

async fn a_late_one(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = workflow(&*place).await?;
    let id = begun(&first, new().instruction("go")).await?;
    first.close(&id).await?;
    let late = workflow(&*place).await?;
    let recorded = late.record(&id, Event::new("tool_call_finished").body(&7)?).await?;
    same("how many events there are", recorded.events_total, Some(3))?;
    same("how many sessions are hot", late.store().status().hot_sessions, 0)?;
    let told = summary(&*place, &id).await?;
    same("its state", told.lifecycle, Lifecycle::Closed)?;
    let last = told.events.last().map(|it| (it.kind.clone(), it.body.clone()));
    same("the last", last, Some(("tool_call_finished".to_owned(), Some(Payload::of(&7)?))))?;
    refused("continuing", late.begin(resume(&id)).await, &Problem::NotActive)?;
    let session = late.store().open_session(&*id).await?;
    fails("a message", session.append(["x"]).await, ErrorKind::Closed)?;
    Ok(())
}

async fn of_an_outside_id(place: Arc<dyn Place>) -> Result<(), Failed> {
    let writer = with_window(&*place, 1).await?;
    let id = begun(&writer, new()).await?;
    let job = |body: &str| Ok::<_, Failed>(Event::new("job").body(body)?.once("job 1\u{7}"));
    let first = writer.record(&id, job("done")?).await?;
    same("the first time", (first.replayed, first.events_total), (false, Some(1)))?;
    record(&writer, &id, "x", 3).await?;
    let answers_alike = async |workflow: &Workflow| -> Result<(), Failed> {
        let again = workflow.record(&id, job("told otherwise")?).await?;
        same("again", (again.replayed, again.seq), (true, first.seq))
    };
    answers_alike(&writer).await?;
    answers_alike(&workflow(&*place).await?).await?;
    // Also if the answer is lost, if it is closed, and after its words are gone.
    let (line, behind) = behind(&*place).await?;
    line.lose_answers(1);
    let lost = Event::new("job").once("job 2");
    drop(behind.record(&id, lost.clone()).await);
    line.mend();
    behind.record(&id, lost).await?;
    writer.close(&id).await?;
    let seq: Seq = first.seq.ok_or_else(|| Failed::new("it has no number"))?;
    let session = writer.store().open_session(&*id).await?;
    session.redact([seq], None).await?;
    answers_alike(&workflow(&*place).await?).await?;
    let told = summary(&*place, &id).await?;
    same("how many events there are", told.events_total, 6)?;
    same("how many of the kind", told.kinds.get("job"), Some(&1))?;
    same("whether something was removed", told.retention_truncated, true)
}

async fn evidence(place: Arc<dyn Place>) -> Result<(), Failed> {
    let mut options = window(4);
    options.evidence_items = 3;
    let workflow = workflow_with(&*place, EngineOptions::default(), options).await?;
    let id = begun(&workflow, new()).await?;
    let paths = |body: &Payload| body.decode::<Vec<String>>().unwrap_or_default();
    let changed =
        async |paths: &[&str]| workflow.record(&id, Event::new("changed").body(paths)?).await;
    let is = async |found: &[&str], complete: bool| -> Result<(), Failed> {
        let told = workflow.evidence(&id, "changed", paths).await?;
        let found = found.iter().map(|it| (*it).to_owned()).collect();
        same("what was found", told.found, found)?;
        same("whether that is all", told.complete, complete)
    };
    is(&[], true).await?;
    changed(&["a", "b"]).await?;
    workflow.record(&id, Event::new("other").body(&["z"])?).await?;
    changed(&["b", "c"]).await?;
    is(&["a", "b", "c"], true).await?;
    // What has left the window is not all there ever was.
    record(&workflow, &id, "other", 2).await?;
    is(&["b", "c"], false).await?;
    changed(&["d", "e", "f", "g"]).await?;
    is(&["b", "c", "d", "e", "f"], false).await?;
    changed(&["h"]).await?;
    is(&["d", "e", "f", "h"], false).await?;
    // A larger window holds all of them, and more is taken of each.
    let whole = super::scene::workflow(&*place).await?;
    let told = whole.evidence(&id, "changed", paths).await?;
    same("of how many events", (told.events, told.found.len(), told.complete), (4, 8, true))?;
    let session = whole.store().open_session(&*id).await?;
    let first = session.events(From::start()).await?.all().await?;
    let first = first.first().ok_or_else(|| Failed::new("there is no event"))?.seq;
    session.redact([first], None).await?;
    let told = whole.evidence(&id, "changed", paths).await?;
    same("after one was removed", (told.events, told.complete), (3, false))
}

async fn a_context_is_set(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = workflow(&*place).await?;
    let id = begun(&first, new()).await?;
    let project = super::scene::PROJECT.parse()?;
    let context = |name: &str| json!({"at": name});
    for (given, previous, changed) in [
        (context("a"), None, true),
        (context("a"), Some(context("a")), false),
        (json!({}), Some(context("a")), true),
        (json!({}), None, false),
        (context("b"), None, true),
    ] {
        let before = summary(&*place, &id).await?;
        let by = workflow(&*place).await?;
        let set = by.set_context(&id, &given).await?;
        let previous = previous.map(|it| Payload::of(&it)).transpose()?;
        same("the one before", set.previous, previous)?;
        same("whether it was another", set.changed, changed)?;
        let after = summary(&*place, &id).await?;
        same("how many events there are", after.events_total, before.events_total + 1)?;
        let given = Some(Payload::of(&given)?).filter(|it| it.as_str() != "{}");
        same("the one after", &after.context, &given)?;
        same("what work starts from", first.context(&id, &project).await?, given)?;
        same("elsewhere", first.context(&id, &"another".parse()?).await?, None)?;
    }
    for bad in [json!(1), json!([])] {
        let set = first.set_context(&id, &bad).await;
        fails("what is no context", set, ErrorKind::Refused)?;
    }
    first.close(&id).await?;
    // What stands in the way first is told.
    let set = first.set_context(&id, &json!(1)).await;
    refused("once it is closed", set, &Problem::NotActive)?;
    same("what work starts from", first.context(&id, &project).await?, None)
}

async fn secrets(place: Arc<dyn Place>) -> Result<(), Failed> {
    const MARK: &str = "mark-52c7";
    let workflow = workflow(&*place).await?;
    let id = begun(&workflow, new().instruction(format!("log in with Bearer {MARK}"))).await?;
    workflow.instruct(&id, &format!("use wc_pat_{MARK}"), None).await?;
    let body =
        json!({"args": {"api_token": MARK, "path": "src"}, "said": [format!("bearer {MARK}")]});
    workflow.record(&id, Event::new("called").body(&body)?).await?;
    let session = workflow.store().open_session(&*id).await?;
    let entries = session.entries(From::start()).await?.all().await?;
    let is_stored = entries.iter().any(|entry| entry.data.as_str().contains(MARK));
    ensure!(!is_stored, "a secret was stored");
    let told = summary(&*place, &id).await?;
    let instruction = told.instruction.and_then(|it| it.text);
    same("the instruction", instruction.as_deref(), Some("[redacted]"))?;
    let kept = told.events.last().and_then(|it| it.body.as_ref()).map(Payload::as_str);
    ensure!(kept.is_some_and(|it| it.contains("\"path\":\"src\"")), "more than secrets is gone");
    Ok(())
}
