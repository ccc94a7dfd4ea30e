//! What a session begins as.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use sessile_core::Payload;
use sessile_core::fold::Lifecycle;
use sessile_engine::{Entropy, From, Options as EngineOptions};
use sessile_workflow::{Options, Problem};

use super::scene::{begun, count, is_told, new, refused, resume, summary, workflow, workflow_with};
use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "workflow/begin/it_is_active_and_as_old_as_its_last_change",
        &["workflow/1"],
        |place| Box::pin(as_old_as_its_last_change(place)),
    ),
    Case::new("workflow/begin/read_only_denies_writing_of_both_kinds", &["workflow/2"], |place| {
        Box::pin(read_only(place))
    }),
    Case::new("workflow/begin/a_baseline_is_that_of_the_beginning", &["workflow/42"], |place| {
        Box::pin(a_baseline(place))
    }),
    Case::new("workflow/begin/ephemeral_instructions_are_not_stored", &["workflow/43"], |place| {
        Box::pin(ephemeral(place))
    }),
    Case::new("workflow/begin/an_id_is_nobodys_and_never_was", &["workflow/44"], |place| {
        Box::pin(an_id_is_nobodys(place))
    }),
    Case::new(
        "workflow/begin/a_session_is_there_with_all_it_began_with",
        &["workflow/15"],
        |place| Box::pin(with_all_it_began_with(place)),
    ),
];

async fn as_old_as_its_last_change(place: Arc<dyn Place>) -> Result<(), Failed> {
    let told = workflow(&*place).await?.begin(new().instruction("go").title("t")).await?;
    same("whether it was there before", told.reused, false)?;
    same("whether guards are others", told.capability_changed, false)?;
    ensure!(told.before.is_none(), "something was before it");
    let summary = summary(&*place, told.summary.id.as_str()).await?;
    same("its state", summary.lifecycle, Lifecycle::Active)?;
    same("when it was changed", summary.updated_at, summary.created_at)?;
    is_told(&*place, &told).await
}

async fn read_only(place: Arc<dyn Place>) -> Result<(), Failed> {
    let workflow = workflow(&*place).await?;
    let denied =
        |names: &[&str]| -> BTreeSet<String> { names.iter().map(|it| (*it).to_owned()).collect() };
    for (begin, deny) in [
        (new().mode("read_only"), denied(&["shell", "write"])),
        (new().mode("read_only").deny("network"), denied(&["network", "shell", "write"])),
        (new().deny("shell"), denied(&["shell"])),
        (new(), denied(&[])),
    ] {
        let told = workflow.begin(begin).await?;
        let guards = summary(&*place, told.summary.id.as_str()).await?.guards;
        same("what is denied", guards.deny, deny)?;
        is_told(&*place, &told).await?;
    }
    same("how many there are", count(&*place).await?, 4)
}

async fn a_baseline(place: Arc<dyn Place>) -> Result<(), Failed> {
    let workflow = workflow(&*place).await?;
    let id = begun(&workflow, new().baseline(&"4b825dc6")).await?;
    workflow.begin(resume(&id).baseline(&"another").instruction("go")).await?;
    let stored = summary(&*place, &id).await?.baseline;
    same("the baseline", stored, Some(Payload::of(&"4b825dc6")?))?;
    let without = begun(&workflow, new()).await?;
    workflow.begin(resume(&without).baseline(&"late")).await?;
    same("no baseline", summary(&*place, &without).await?.baseline, None)
}

async fn ephemeral(place: Arc<dyn Place>) -> Result<(), Failed> {
    const MARK: &str = "mark-9f31";
    let first = workflow(&*place).await?;
    let id = begun(&first, new().ephemeral(&json!({"rules": MARK})).instruction("go")).await?;
    let told = first.clone().ephemeral(&id).await?;
    ensure!(told.is_some_and(|it| it.as_str().contains(MARK)), "they are not there");
    first.begin(resume(&id).ephemeral(&MARK)).await?;
    same("the later ones", first.ephemeral(&id).await?, Some(Payload::of(MARK)?))?;

    let reopened = workflow(&*place).await?;
    same("after a restart", reopened.ephemeral(&id).await?, None)?;
    let session = reopened.store().open_session(&*id).await?;
    let entries = session.entries(From::start()).await?.all().await?;
    let is_stored = entries.iter().any(|entry| entry.data.as_str().contains(MARK));
    ensure!(!is_stored, "they were stored");
    same("how many events there are", summary(&*place, &id).await?.events_total, 1)?;
    first.close(&id).await?;
    same("after the close", first.ephemeral(&id).await?, None)
}

/// Draws what makes the same id each time, and yet never the same.
#[derive(Debug)]
struct Drawn(u8, Arc<AtomicU32>);

impl Entropy for Drawn {
    fn draw(&self) -> [u8; 16] {
        let [a, b, c, d] = self.1.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let it = self.0;
        [it, it, it, it, it, it, it, it, it, it, it, it, a, b, c, d]
    }
}

async fn an_id_is_nobodys(place: Arc<dyn Place>) -> Result<(), Failed> {
    let drawn = Arc::default();
    let drawing = async |byte| {
        let engine = EngineOptions::default().entropy(Arc::new(Drawn(byte, Arc::clone(&drawn))));
        workflow_with(&*place, engine, Options::default()).await
    };
    let living = begun(&drawing(1).await?, new()).await?;
    let deleted = begun(&drawing(2).await?, new()).await?;
    workflow(&*place).await?.store().delete(&*deleted).await?;
    for (byte, taken) in [(1, &living), (2, &deleted)] {
        let again = drawing(byte).await?.begin(new().instruction("x")).await;
        refused("one more draw", again, &Problem::IdsExhausted(16))?;
        ensure!(taken.starts_with("ses_"), "{taken} begins otherwise");
    }
    same("how many there are", count(&*place).await?, 1)?;
    same("its events", summary(&*place, &living).await?.events_total, 0)?;
    let free = begun(&drawing(3).await?, new()).await?;
    ensure!(free != living && free != deleted, "an id was used twice");
    same("how many there are", count(&*place).await?, 2)
}

async fn with_all_it_began_with(place: Arc<dyn Place>) -> Result<(), Failed> {
    let begin =
        || new().title("t").mode("read_only").context(&json!({"at": 1})).instruction("go").by("me");
    for is_done in [false, true] {
        let before = count(&*place).await?;
        let (line, behind) = super::scene::behind(&*place).await?;
        line.breaks_after(0, is_done);
        ensure!(behind.begin(begin()).await.is_err(), "it began behind a line that is cut");
        let after = count(&*place).await?;
        ensure!(after <= before + usize::from(is_done), "something else was begun");
    }
    // What is there is whole.
    let workflow = workflow(&*place).await?;
    let whole = workflow.begin(begin()).await?;
    is_told(&*place, &whole).await?;
    let project = super::scene::PROJECT.parse()?;
    for found in workflow.discover(sessile_workflow::Discover::project(project)).await?.sessions {
        let told = summary(&*place, found.id.as_str()).await?;
        same("its title", told.title.as_deref(), Some("t"))?;
        same("its context", told.context, Some(Payload::of(&json!({"at": 1}))?))?;
        let instruction = told.instruction.and_then(|it| it.text);
        same("its instruction", instruction.as_deref(), Some("go"))?;
        same("what it denies", told.guards, whole.summary.guards.clone())?;
    }
    Ok(())
}
