//! `sessile status`.

use serde::Serialize;
use sessile::backend::Capability;
use sessile::{Filter, Lifecycle, Space, Store};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::walk::Walk;

/// The answer.
#[derive(Debug, Serialize)]
struct Figures<'a> {
    backend: &'a str,
    capabilities: Vec<&'a str>,
    space: &'a Space,
    #[serde(flatten)]
    counts: Counts,
}

/// How many sessions there are, and what they hold.
#[derive(Debug, Default, Serialize)]
struct Counts {
    /// All but deleted ones.
    sessions: u64,
    active: u64,
    closed: u64,
    /// Those of which something can't be read, whatever else they are.
    damaged: u64,
    deleted: u64,
    /// Of all but deleted ones.
    messages: u64,
}

/// Prints what a store can do and how many sessions a space of it holds.
pub(crate) async fn run(store: &Store, output: &mut Output) -> Result<Exit, Failure> {
    let counts = count(store).await?;
    let status = store.status();
    let has = Capability::ALL.iter().filter(|one| status.capabilities.has(**one));
    let figures = Figures {
        backend: status.backend,
        capabilities: has.map(|capability| capability.name()).collect(),
        space: &status.space,
        counts,
    };
    if output.is_json() {
        output.value(&figures)?;
        return Ok(Exit::Done);
    }
    let Counts { sessions, active, closed, damaged, deleted, messages } = figures.counts;
    for (name, value) in [
        ("backend", figures.backend.to_owned()),
        ("can", figures.capabilities.join(", ")),
        ("space", figures.space.to_string()),
        ("sessions", format!("{sessions}: {active} active, {closed} closed")),
        ("damaged", damaged.to_string()),
        ("deleted", deleted.to_string()),
        ("messages", messages.to_string()),
    ] {
        output.line(&format!("{name:<9} {value}"))?;
    }
    Ok(Exit::Done)
}

async fn count(store: &Store) -> Result<Counts, Failure> {
    let mut counts = Counts::default();
    let mut walk = Walk::new(store, Filter::all());
    while let Some(summary) = walk.next().await? {
        counts.sessions += 1;
        counts.messages += summary.messages;
        counts.active += u64::from(summary.lifecycle == Some(Lifecycle::Active));
        counts.closed += u64::from(summary.lifecycle == Some(Lifecycle::Closed));
        counts.damaged += u64::from(summary.damaged);
    }
    let mut walk = Walk::new(store, Filter::all().deleted());
    while walk.next().await?.is_some() {
        counts.deleted += 1;
    }
    Ok(counts)
}
