//! A session at one moment.

use std::collections::BTreeMap;
use std::fmt;

use sessile_core::entry::shape::{Header, Lost};
use sessile_core::fold::{Active, Inherited, Lifecycle, Meta, Strays};
use sessile_core::{Error, Payload, Position, Seq, SessionId, UnixMillis};

use crate::folded::Folded;
use crate::identity;

/// A session as it was when it was last read.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// session.set_title("Plums").await?;
/// let info = session.info();
/// assert_eq!((info.messages, info.title().as_deref()), (1, Some("Plums")));
/// assert!(info.active().is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Info {
    /// What it was created as.
    pub header: Header,
    /// Its metadata.
    pub meta: Meta,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Where its journal ends.
    pub position: Position,
    /// When a caller last added something; never falls.
    pub updated_at: UnixMillis,
    /// How many entries it has, its header included.
    pub entries: u64,
    /// How many messages it has in sight.
    pub messages: u64,
    /// How many events it has.
    pub events: u64,
    /// How many bytes its payloads have.
    pub payload_bytes: u64,
    /// The first entry that was kept when those before it were forgotten.
    pub forgotten: Option<Seq>,
    /// The request that holds it, with its open intents and what leave it waits for.
    pub active: Option<Active>,
    /// The claim that holds it where nothing else of it can be read.
    pub unreadable_claim: Option<Seq>,
    /// Side effects of which nobody knows, intended in the session that it was forked from.
    pub inherited: Vec<Inherited>,
    /// Entries of turns that were fenced when they were written; they change nothing.
    pub strays: Option<Strays>,
    /// Whether acknowledged entries can't be read: the counts are lower bounds then.
    pub damaged: bool,
    /// What of that could not be read when it was forked, and so is not here.
    pub lost: Vec<Lost>,
}

impl Info {
    pub(crate) fn of(folded: &Folded) -> Self {
        let state = folded.state();
        Self {
            header: state.header().clone(),
            meta: state.meta().clone(),
            lifecycle: state.lifecycle(),
            position: state.position(),
            updated_at: state.updated_at(),
            entries: state.entries(),
            messages: state.messages(),
            events: state.events(),
            payload_bytes: state.payload_bytes(),
            forgotten: state.sight().forgotten(),
            active: state.admission().active().cloned(),
            unreadable_claim: state
                .admission()
                .claim()
                .filter(|_| state.admission().active().is_none()),
            inherited: state.admission().inherited().to_vec(),
            strays: state.admission().strays(),
            damaged: !state.damage().is_empty(),
            lost: state.lost().to_vec(),
        }
    }

    /// The session's id.
    pub const fn id(&self) -> &SessionId {
        &self.header.id
    }

    /// The request that holds it.
    pub const fn active(&self) -> Option<&Active> {
        self.active.as_ref()
    }

    /// What it belongs to, by field: the identity that was accepted last, or that it was created
    /// with. [`Meta::accepted_identity`] tells who accepted it, and what it was before.
    ///
    /// # Errors
    /// *corrupt* where the record of what was accepted can't be read.
    pub fn identity(&self) -> Result<BTreeMap<String, Payload>, Error> {
        identity::recorded(&self.header, &self.meta)
    }

    /// Its title, if it has one.
    pub fn title(&self) -> Option<String> {
        self.meta.title()
    }

    /// Its tags.
    pub fn tags(&self) -> Vec<String> {
        self.meta.tags()
    }
}

impl fmt::Debug for Info {
    /// Tells ids and counts only: what a session holds is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Info")
            .field("id", &self.header.id)
            .field("lifecycle", &self.lifecycle)
            .field("position", &self.position)
            .field("entries", &self.entries)
            .field("messages", &self.messages)
            .field("damaged", &self.damaged)
            .finish_non_exhaustive()
    }
}
