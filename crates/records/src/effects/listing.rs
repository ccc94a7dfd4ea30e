//! Pages of effects, without what they ended with.

use sessile_core::{Error, Name, UnixMillis};

use crate::effect::{EffectRecord, Request};
use crate::ledger::{Ledger, about};
use crate::state::Phase;

/// A page of effects.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{EffectListing, Effects, Phase, Request, Retry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// for id in ["call-1", "call-2"] {
///     let (id, kind, mail) = (id.parse()?, "acme.mail".parse()?, "mail".parse()?);
///     let request = Request::new(id, kind, mail, &input);
///     let sends = async |_| Ok(sent.clone());
///     effects.execute(&request, Retry::RejectAmbiguous, None, sends).await?;
/// }
/// // A page without rows is not the end: what was looked at for it did not come so far.
/// let page: EffectListing = effects.list(&[Phase::Failed], None, 1).await?;
/// assert!(page.rows.is_empty());
/// let rest = effects.list(&[Phase::Failed], page.next.as_ref(), 10).await?;
/// let end = effects.list(&[Phase::Failed], rest.next.as_ref(), 10).await?;
/// assert!(rest.next.is_some() && end.next.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct EffectListing {
    /// Its rows, in the order of ids.
    pub rows: Vec<ListedEffect>,
    /// After which id the next page goes on, which may have no rows; none on the last page.
    pub next: Option<Name>,
}

/// A row of a listing of effects.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_core::backend::{Collection, DocKey, NewDocument, Precondition};
/// # use sessile_core::digest::Token;
/// # use sessile_core::{Backend, Error, ErrorKind, Revision};
/// # type Done = Result<(), Error>;
/// # async fn write(memory: &MemoryBackend, of: &str, name: &str, text: &'static str) -> Done {
/// #     let collection = Collection { space: Space::default(), name: of.parse()? };
/// #     let key = DocKey { collection, name: name.parse()? };
/// #     let revision = Revision::new(Token::from_random([7; 16]));
/// #     let new = NewDocument { bytes: text.into(), revision, session: None };
/// #     memory.put(&key, new, Precondition::Absent).await.map(drop)
/// # }
/// # use sessile_records::{Effects, Phase};
/// use sessile_records::ListedEffect;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let memory = MemoryBackend::new();
/// # let effects = Effects::on(Arc::new(memory.clone()), Space::default());
/// // Another program has written here.
/// write(&memory, "effects", "call-1", "junk").await?;
/// // It may have been begun, so that it is told whichever phase is asked for.
/// let rows: Vec<ListedEffect> = effects.list(&[Phase::Started], None, 10).await?.rows;
/// let error = rows[0].effect.as_ref().unwrap_err();
/// assert_eq!((error.kind(), error.subject()), (ErrorKind::Corrupt, Some("effect call-1")));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ListedEffect {
    /// The id of the effect.
    pub id: Name,
    /// The effect, or why it can't be read: damage is shown, never hidden.
    pub effect: Result<EffectSummary, Error>,
}

/// An effect without what it ended with.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{EffectSummary, Effects, HandlerError, Phase, Request, Retry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let effects = Effects::on(Arc::new(MemoryBackend::new()), Space::default());
/// # let input = Payload::parse("{}")?;
/// # let sent = Payload::parse("\"sent\"")?;
/// # let mail = Request::new("call-1".parse()?, "acme.mail".parse()?, "mail".parse()?, &input);
/// let failure = Payload::parse("\"no such address\"")?;
/// let fails = async |_| Err(HandlerError::Failed(failure.clone()));
/// effects.execute(&mail, Retry::RejectAmbiguous, None, fails).await?;
///
/// // For a table of what was done: all but what it ended with.
/// let summary: EffectSummary = effects.list(&[], None, 10).await?.rows.remove(0).effect?;
/// assert_eq!((summary.request, summary.phase), (mail, Phase::Failed));
/// # Ok(())
/// # }
/// ```
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
