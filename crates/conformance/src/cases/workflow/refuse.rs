//! What is not begun, and leaves nothing behind.

use std::sync::Arc;

use serde_json::json;
use sessile_core::ErrorKind;
use sessile_engine::Store;
use sessile_workflow::{Begin, Event, Options, Problem, Workflow};

use super::scene::{begun, count, new, refused, resume, summary, workflow};
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new("workflow/refuse/without_an_authority_nothing_is_begun", &["workflow/3"], |place| {
        Box::pin(without_an_authority(place))
    }),
    Case::new("workflow/refuse/a_context_without_a_project", &["workflow/4"], |place| {
        Box::pin(a_context_without_a_project(place))
    }),
    Case::new("workflow/refuse/an_id_with_spaces_around_it", &["workflow/5"], |place| {
        Box::pin(an_id_with_spaces(place))
    }),
    Case::new("workflow/refuse/an_unknown_id_begins_nothing", &["workflow/6"], |place| {
        Box::pin(an_unknown_id(place))
    })
    .needing(&[Need::Footprint]),
    Case::new("workflow/refuse/an_event_for_nobody_is_of_nobody", &["workflow/18"], |place| {
        Box::pin(an_event_for_nobody(place))
    })
    .needing(&[Need::Footprint]),
];

async fn without_an_authority(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owned = workflow(&*place).await?;
    let id = begun(&owned, new()).await?;
    let anybody = Workflow::on(owned.store().clone(), owned.options().clone())?;
    refused("beginning", anybody.begin(new()).await, &Problem::NoAuthority)?;
    refused("continuing", anybody.begin(resume(&id)).await, &Problem::NoAuthority)?;
    // Nor in a store that does not fold what it says.
    let store = Store::on(place.handle().await?);
    let opened = Workflow::on(store, Options::default());
    let error = refused("opening without the fold", opened, &Problem::NotFolded)?;
    same("the kind", error.kind(), ErrorKind::Unsupported)?;
    same("how many there are", count(&*place).await?, 1)?;
    let summary = summary(&*place, &id).await?;
    same("when it was changed", summary.updated_at, summary.created_at)
}

async fn a_context_without_a_project(place: Arc<dyn Place>) -> Result<(), Failed> {
    let workflow = workflow(&*place).await?;
    let context = json!({"default_cwd": "src"});
    let begin = Begin::new().context(&context);
    refused("beginning", workflow.begin(begin).await, &Problem::NoProject)?;
    same("how many there are", count(&*place).await?, 0)?;
    // An empty one is none.
    let id = begun(&workflow, Begin::new().context(&json!({}))).await?;
    let again = Begin::new().resume(&*id).context(&context);
    refused("continuing", workflow.begin(again).await, &Problem::NoProject)?;
    refused("setting", workflow.set_context(&id, &context).await, &Problem::NoProject)?;
    let summary = summary(&*place, &id).await?;
    same("its context", summary.context, None)?;
    same("its events", summary.events_total, 0)
}

async fn an_id_with_spaces(place: Arc<dyn Place>) -> Result<(), Failed> {
    let workflow = workflow(&*place).await?;
    let id = begun(&workflow, new()).await?;
    for spaced in [format!(" {id}"), format!("{id} "), format!("\t{id}\n"), String::new()] {
        refused("continuing", workflow.begin(resume(&spaced)).await, &Problem::InvalidId)?;
    }
    same("how many there are", count(&*place).await?, 1)?;
    let reused = workflow.begin(resume(&id)).await?.reused;
    same("whether the id itself is continued", reused, true)
}

async fn an_unknown_id(place: Arc<dyn Place>) -> Result<(), Failed> {
    let workflow = workflow(&*place).await?;
    let before = print(&*place).await?;
    for begin in [resume("ses_nobody"), resume("ses_nobody").instruction("go").title("t")] {
        refused("continuing", workflow.begin(begin).await, &Problem::Unknown)?;
    }
    unchanged(&*place, &before).await?;
    same("how many there are", count(&*place).await?, 0)
}

async fn an_event_for_nobody(place: Arc<dyn Place>) -> Result<(), Failed> {
    let workflow = workflow(&*place).await?;
    begun(&workflow, new()).await?;
    let before = print(&*place).await?;
    for id in ["ses_nobody", "no id", ""] {
        let event = Event::new("late").once("x");
        let error = refused("an event", workflow.record(id, event).await, &Problem::Unknown)?;
        same("its kind", error.kind(), ErrorKind::Missing)?;
        refused("closing", workflow.close(id).await, &Problem::Unknown)?;
        refused("instructing", workflow.instruct(id, "go", None).await, &Problem::Unknown)?;
        let set = workflow.set_context(id, &json!({"a": 1})).await;
        refused("setting a context", set, &Problem::Unknown)?;
        same("what is denied", workflow.denial(id, ["write"]).await?, None)?;
    }
    unchanged(&*place, &before).await?;
    same("how many there are", count(&*place).await?, 1)
}

async fn print(place: &dyn Place) -> Result<crate::fixture::Footprint, Failed> {
    place.footprint().await?.ok_or_else(|| Failed::new("the place tells no footprint any more"))
}

async fn unchanged(place: &dyn Place, before: &crate::fixture::Footprint) -> Result<(), Failed> {
    let changes = before.changes(&print(place).await?);
    ensure!(changes.is_empty(), "something was touched: {changes}");
    Ok(())
}
