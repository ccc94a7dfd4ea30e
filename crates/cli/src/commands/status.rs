//! `sessile status`.

use serde::Serialize;
use sessile::backend::Capability;
use sessile::{Census, Space, Store};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// The answer.
#[derive(Debug, Serialize)]
struct Figures<'a> {
    backend: &'a str,
    capabilities: Vec<&'a str>,
    space: &'a Space,
    /// Whether what is acknowledged outlives a power cut.
    durable: bool,
    #[serde(flatten)]
    counts: Counts,
    #[serde(flatten)]
    memory: Memory,
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
    /// Copies that were cut short.
    incomplete: u64,
    /// Active ones that are not folded in memory to be changed.
    active_cold: u64,
}

/// What of them this process has in memory: it has only just begun.
#[derive(Debug, Serialize)]
struct Memory {
    hot: usize,
    cached: usize,
    cache_bytes: usize,
    hot_target: usize,
    cache_target: usize,
    evictions: u64,
}

/// Prints what a store can do and how many sessions a space of it holds.
pub(crate) async fn run(store: &Store, output: &mut Output) -> Result<Exit, Failure> {
    let counts = count(store.census().await?);
    let status = store.status();
    let has = Capability::ALL.iter().filter(|one| status.capabilities.has(**one));
    let figures = Figures {
        backend: status.backend,
        capabilities: has.map(|capability| capability.name()).collect(),
        space: &status.space,
        durable: status.capabilities.has(Capability::Durable),
        counts,
        memory: Memory {
            hot: status.hot_sessions,
            cached: status.cached_sessions,
            cache_bytes: status.cache_bytes,
            hot_target: status.hot_target,
            cache_target: status.cache_target,
            evictions: status.evictions,
        },
    };
    if output.is_json() {
        output.value(&figures)?;
        return Ok(Exit::Done);
    }
    let Counts { sessions, active, closed, damaged, deleted, messages, .. } = figures.counts;
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

fn count(census: Census) -> Counts {
    Counts {
        sessions: census.sessions,
        active: census.active,
        closed: census.closed,
        damaged: census.damaged,
        deleted: census.tombstones,
        messages: census.messages,
        incomplete: census.incomplete,
        active_cold: census.active_cold,
    }
}
