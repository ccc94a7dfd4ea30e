//! Workflow sessions on handles of their own, and what is asked of them again and again.

use std::sync::Arc;

use sessile_core::Error;
use sessile_engine::{Filter, Options as EngineOptions, Page, Store};
use sessile_workflow::{Begin, Begun, Event, Options, Problem, Summary, Workflow};

use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::lossy::Lossy;

/// The authority of most cases, and another one.
pub(super) const OWNER: &str = "team-7";
pub(super) const STRANGER: &str = "team-8";

/// The project of most cases.
pub(super) const PROJECT: &str = "shop";

/// The usual options with a window of so many events.
pub(super) fn window(events: usize) -> Options {
    let mut options = Options::default();
    options.event_window = events;
    options
}

/// Workflow sessions on a handle of its own, as another process of the owner's would open them.
pub(super) async fn workflow(place: &dyn Place) -> Result<Workflow, Failed> {
    workflow_with(place, EngineOptions::default(), Options::default()).await
}

/// The same with options.
pub(super) async fn workflow_with(
    place: &dyn Place,
    engine: EngineOptions,
    options: Options,
) -> Result<Workflow, Failed> {
    let store = Store::with(place.handle().await?, Workflow::engine(engine, &options));
    Ok(Workflow::on(store, options)?.as_owner(OWNER))
}

/// The same behind a line that can be cut.
pub(super) async fn behind(place: &dyn Place) -> Result<(Arc<Lossy>, Workflow), Failed> {
    let line = Lossy::to(place.handle().await?);
    let options = Options::default();
    let engine = Workflow::engine(EngineOptions::default(), &options);
    let backend: Arc<Lossy> = Arc::clone(&line);
    Ok((line, Workflow::on(Store::with(backend, engine), options)?.as_owner(OWNER)))
}

/// A beginning in the project.
pub(super) fn new() -> Begin {
    Begin::new().project(PROJECT)
}

/// A continuation in the project.
pub(super) fn resume(id: &str) -> Begin {
    new().resume(id)
}

/// Begins a session; its id.
pub(super) async fn begun(workflow: &Workflow, begin: Begin) -> Result<String, Failed> {
    Ok(workflow.begin(begin).await?.summary.id.to_string())
}

/// Records so many events of a kind, numbered in their bodies.
pub(super) async fn record(
    workflow: &Workflow,
    id: &str,
    kind: &str,
    count: usize,
) -> Result<(), Failed> {
    for number in 0..count {
        workflow.record(id, Event::new(kind).body(&number)?).await?;
    }
    Ok(())
}

/// The summary of a session, which two more handles tell alike.
pub(super) async fn summary(place: &dyn Place, id: &str) -> Result<Summary, Failed> {
    let summary = workflow(place).await?.summary(id, None).await?;
    let other = workflow(place).await?.summary(id, None).await?;
    ensure!(summary == other, "two handles tell session {id} differently");
    Ok(summary)
}

/// Fails unless what was told of a session when it was begun or continued is what others are told.
pub(super) async fn is_told(place: &dyn Place, begun: &Begun) -> Result<(), Failed> {
    let told = summary(place, begun.summary.id.as_str()).await?;
    ensure!(told == begun.summary, "others are told another session than who began it");
    Ok(())
}

/// Fails unless an answer is refused for a reason.
pub(super) fn refused<T>(
    what: &str,
    answer: Result<T, Error>,
    problem: &Problem,
) -> Result<Error, Failed> {
    match answer {
        Ok(_) => Err(Failed::new(format!("{what} was done"))),
        Err(error) => {
            same(&format!("{what}: why"), Problem::of(&error), Some(problem))?;
            same(&format!("{what}: the kind"), error.kind(), problem.kind())?;
            Ok(error)
        }
    }
}

/// How many sessions a place holds, whoever they are of.
pub(super) async fn count(place: &dyn Place) -> Result<usize, Failed> {
    let store = Store::on(place.handle().await?);
    Ok(store.list(Filter::all(), Page::of(100)).await?.sessions.len())
}
