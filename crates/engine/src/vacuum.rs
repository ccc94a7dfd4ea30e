//! Dropping what a journal holds and nobody needs any more.

use std::sync::Arc;

use futures_util::stream;
use sessile_core::backend::{Capability, Commits, Span};
use sessile_core::{Error, ErrorKind, SessionId, SessionKey};

use crate::deadline::{Backoff, Patience};
use crate::delivery;
use crate::opened::Opened;
use crate::resident::Resident;
use crate::superseded::{Rewritten, Superseded};

/// What a vacuum did.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Vacuumed;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// for model in ["small", "large"] {
///     session.set_meta([("model", model)]).await?;
/// }
/// let vacuumed: Vacuumed = store.vacuum("ses_42").await?;
/// assert!(vacuumed.bytes_after <= vacuumed.bytes_before);
/// assert_eq!(session.refresh().await?.meta.model().as_deref(), Some("large"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Vacuumed {
    /// The session.
    pub session: SessionId,
    /// How many entries were dropped.
    pub dropped: u64,
    /// How many more lost their data, and keep their lines because a commit is recognised by them.
    pub emptied: u64,
    /// How many bytes the journal took before.
    pub bytes_before: u64,
    /// How many it takes now.
    pub bytes_after: u64,
}

/// Rewrites a journal without what nobody needs, whatever becomes of the caller.
///
/// The journal is read three times, a commit at a time: to find what is superseded, to count it,
/// and to write the rest. What is held of it is the keys of its metadata.
///
/// # Errors
/// *missing*, *deleted*, *corrupt*, *unsupported*, and those of the backend.
pub(crate) async fn vacuum(opened: &Arc<Opened>, key: &SessionKey) -> Result<Vacuumed, Error> {
    let vacuuming = async {
        opened.requires(Capability::Rewrite)?;
        let resident = Resident::load(Arc::clone(opened), key.clone()).await?;
        resident.refuse_deleted()?;
        opened.carry(async move { rewrite(&resident).await }).await
    };
    vacuuming.await.map_err(|error| error.about(key))
}

async fn rewrite(resident: &Resident) -> Result<Vacuumed, Error> {
    let (opened, key) = (resident.opened(), resident.key());
    let (deadline, mut backoff) = (opened.deadline(), Backoff::new());
    loop {
        let before = opened.head(key).await?.bytes;
        let (superseded, header) = {
            let folded = resident.folded();
            (Superseded::begin(folded.state()), folded.state().header().clone())
        };
        let superseded = find(resident, superseded).await?;
        let mut done = Vacuumed {
            session: key.id.clone(),
            dropped: superseded.dropped,
            emptied: superseded.emptied,
            bytes_before: before,
            bytes_after: before,
        };
        if superseded.dropped + superseded.emptied == 0 {
            return Ok(done);
        }
        // Which states stay was said by what was folded; whoever appended since is found out here,
        // or by the backend.
        let folded = resident.folded().state().tip();
        let replaced = if superseded.tip == folded {
            replace(opened, key, Rewritten::of(opened, superseded, header)).await
        } else {
            Err(Error::conflict(folded.position, superseded.tip.position))
        };
        match replaced {
            Ok(()) => {
                done.bytes_after = opened.head(key).await?.bytes;
                return Ok(done);
            }
            Err(error) if error.kind() == ErrorKind::Conflict => {
                if !backoff.wait(opened.entropy(), deadline).await {
                    return Err(error);
                }
                resident.catch_up().await?;
                resident.refuse_deleted()?;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Finds out what is superseded, in two readings of the journal.
async fn find(resident: &Resident, mut superseded: Superseded) -> Result<Superseded, Error> {
    let (opened, key) = (resident.opened(), resident.key());
    let mut commits = opened.read(key, Span::ALL).await?;
    while let Some(item) = opened.next(&mut commits).await {
        superseded.note(&item?);
    }
    let mut commits = opened.read(key, Span::ALL).await?;
    while let Some(item) = opened.next(&mut commits).await {
        superseded.count(item?);
    }
    Ok(superseded)
}

/// Puts a journal without what is superseded in the place of the one that has it.
async fn replace(
    opened: &Arc<Opened>,
    key: &SessionKey,
    rewritten: Rewritten,
) -> Result<(), Error> {
    let (rewritten, patience) = (Arc::new(rewritten), Patience::of(opened.options().deadline));
    let rewrite = async || {
        let commits = opened.read(key, Span::ALL).await?;
        let commits = stream_of(opened, commits, &rewritten, &patience);
        opened.backend().rewrite(key, rewritten.tip(), commits).await
    };
    delivery::repeat(opened, &patience, rewrite).await
}

/// Commits as they are to stand, made when they are asked for; each is progress.
fn stream_of(
    opened: &Arc<Opened>,
    commits: Commits,
    rewritten: &Arc<Rewritten>,
    patience: &Patience,
) -> Commits {
    let rewriting = (Arc::clone(opened), commits, Arc::clone(rewritten), patience.clone());
    Box::pin(stream::unfold(rewriting, |(opened, mut commits, rewritten, patience)| async move {
        let item = opened.next(&mut commits).await?;
        patience.renew();
        let item = item.and_then(|commit| rewritten.commit(commit));
        Some((item, (opened, commits, rewritten, patience)))
    }))
}
