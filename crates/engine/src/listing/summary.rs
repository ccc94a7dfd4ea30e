//! A row of a listing.

use std::fmt;

use sessile_core::backend::Gist;
use sessile_core::error::Occupant;
use sessile_core::fold::{Active, Lifecycle};
use sessile_core::{Error, Name, Position, SessionId, UnixMillis};

use crate::info::Info;

/// A session, as a listing shows it.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Filter, Page, Summary};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.set_title("Plums").await?;
/// session.append(["hi"]).await?;
/// let row: &Summary = &store.list(Filter::all(), Page::of(9)).await?.sessions[0];
/// assert_eq!((row.title.as_deref(), row.messages), (Some("Plums"), 1));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Its id.
    pub id: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// The project it belongs to.
    pub project: Option<Name>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Where it is in its life; none if that can't be read.
    pub lifecycle: Option<Lifecycle>,
    /// Whether some of it can't be read.
    pub damaged: bool,
    /// Whether it is a fork that was cut short: no session until forking again under its id
    /// completes it.
    pub incomplete: bool,
    /// Why nothing of it can be read, for people.
    pub problem: Option<String>,
    /// When it was created; none if that can't be read.
    pub created_at: Option<UnixMillis>,
    /// When a caller last added something.
    pub updated_at: UnixMillis,
    /// How many messages it has, of those that can be read.
    pub messages: u64,
    /// Where its journal ends; none if that can't be read.
    pub position: Option<Position>,
    /// Who holds it; none also where a claim stands that can't be read.
    pub occupant: Option<Occupant>,
}

impl Summary {
    /// A session that was read.
    pub(super) fn of(info: &Info) -> Self {
        Self {
            id: info.header.id.clone(),
            title: info.title(),
            project: info.header.project.clone(),
            tags: info.tags(),
            lifecycle: Some(info.lifecycle),
            damaged: info.damaged,
            incomplete: false,
            problem: None,
            created_at: Some(info.header.created_at),
            updated_at: info.updated_at,
            messages: info.messages,
            position: Some(info.position),
            occupant: info.active().map(Active::occupant),
        }
    }

    /// A session that did not have to be read.
    pub(super) fn of_gist(id: SessionId, gist: &Gist) -> Self {
        Self {
            id,
            title: gist.title.as_deref().map(str::to_owned),
            project: gist.project.clone(),
            tags: gist.tags.to_vec(),
            lifecycle: Some(gist.lifecycle),
            damaged: gist.damaged,
            incomplete: gist.incomplete,
            problem: None,
            created_at: Some(gist.created_at),
            updated_at: gist.updated_at,
            messages: gist.messages,
            position: Some(gist.tip.position),
            occupant: gist.occupant.clone(),
        }
    }

    /// A session that can't be read.
    pub(super) fn unreadable(id: SessionId, updated_at: UnixMillis, error: &Error) -> Self {
        Self {
            id,
            title: None,
            project: None,
            tags: Vec::new(),
            lifecycle: None,
            damaged: true,
            incomplete: false,
            problem: Some(error.clause().to_owned()),
            created_at: None,
            updated_at,
            messages: 0,
            position: None,
            occupant: None,
        }
    }
}

impl fmt::Debug for Summary {
    /// Tells ids and counts only: titles are not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summary")
            .field("id", &self.id)
            .field("lifecycle", &self.lifecycle)
            .field("damaged", &self.damaged)
            .field("incomplete", &self.incomplete)
            .field("updated_at", &self.updated_at)
            .field("messages", &self.messages)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}
