//! Pages of effects, without what they ended with.

use sessile_core::{Error, Name, UnixMillis};

use crate::effect::{EffectRecord, Phase, Request};
use crate::ledger::{Ledger, about};

/// A page of effects.
#[derive(Debug)]
#[non_exhaustive]
pub struct EffectListing {
    /// Its rows, in the order of ids.
    pub rows: Vec<ListedEffect>,
    /// After which id the next page goes on; none where there is no further one.
    pub next: Option<Name>,
}

/// A row of a listing of effects.
#[derive(Debug)]
#[non_exhaustive]
pub struct ListedEffect {
    /// The id of the effect.
    pub id: Name,
    /// The effect, or why it can't be read: damage is shown, never hidden.
    pub effect: Result<EffectSummary, Error>,
}

/// An effect without what it ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EffectSummary {
    /// What was asked for.
    pub request: Request,
    /// How often it changed.
    pub number: u64,
    /// When it did.
    pub updated_at: UnixMillis,
    /// How far it came.
    pub phase: Phase,
}

impl From<EffectRecord> for EffectSummary {
    fn from(record: EffectRecord) -> Self {
        let EffectRecord { request, number, updated_at, state } = record;
        Self { request, number, updated_at, phase: state.phase() }
    }
}

/// Reads a page of what came so far, or of all if nothing is named.
pub(super) async fn page(
    ledger: &Ledger,
    phases: &[Phase],
    after: Option<&Name>,
    rows: usize,
) -> Result<EffectListing, Error> {
    let (rows, next) = ledger.page(after, rows).await?;
    let listed = rows.into_iter().map(|(id, record)| {
        let effect = record.map(EffectSummary::from).map_err(|error| about(error, &id));
        ListedEffect { id, effect }
    });
    let is_asked_for = |row: &ListedEffect| match &row.effect {
        Ok(summary) => phases.is_empty() || phases.contains(&summary.phase),
        Err(_) => true,
    };
    Ok(EffectListing { rows: listed.filter(is_asked_for).collect(), next })
}
