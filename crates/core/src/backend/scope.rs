//! Which journals a listing goes through, by what their headers fix for ever.

use crate::digest::Digest;
use crate::entry::Entry;
use crate::entry::shape::Header;
use crate::header;
use crate::id::{Name, SessionId};

use super::gist::Gist;

/// Which journals are listed: those whose header says all of this; by default every one.
///
/// A journal whose header can't be read says none of it, and is listed by the empty scope only.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend as _, Scope};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// store.create_as("ses_43", NewSession::new().project("shop")).await?;
/// let shop = Scope { project: Some("shop".parse()?), ..Scope::ALL };
/// let rows = place.recent(&key.space, &shop, None, 10).await?;
/// let ids: Vec<_> = rows.iter().map(|row| row.recency.id.as_str()).collect();
/// assert_eq!(ids, ["ses_43"]);
/// // A narrower one takes no session that a wider one leaves out.
/// assert!(Scope::ALL.holds(&shop) && !shop.holds(&Scope::ALL));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The project that it belongs to.
    pub project: Option<Name>,
    /// The fingerprint of its owner.
    pub owner: Option<Digest>,
    /// The session that has started it.
    pub parent: Option<SessionId>,
}

impl Scope {
    /// Every journal.
    pub const ALL: Self = Self { project: None, owner: None, parent: None };

    /// Whether it leaves nothing out.
    pub const fn is_empty(&self) -> bool {
        self.project.is_none() && self.owner.is_none() && self.parent.is_none()
    }

    /// The narrowest one that a journal is in, by what its header says.
    pub fn of(header: &Header) -> Self {
        Self {
            project: header.project.clone(),
            owner: header.owner,
            parent: header.parent_id.clone(),
        }
    }

    /// Whether all of a narrower one is in it.
    pub fn holds(&self, narrower: &Self) -> bool {
        self.agrees(narrower.project.as_ref(), narrower.owner.as_ref(), narrower.parent.as_ref())
    }

    /// Whether a journal is in it, by what its header says.
    pub fn takes(&self, header: &Header) -> bool {
        self.agrees(header.project.as_ref(), header.owner.as_ref(), header.parent_id.as_ref())
    }

    /// Whether a journal is in it, by its first entry.
    pub fn takes_entry(&self, first: &Entry) -> bool {
        self.is_empty() || header::read(first).is_ok_and(|header| self.takes(&header))
    }

    /// Whether a journal is in it, by a gist of it.
    pub fn takes_gist(&self, gist: &Gist) -> bool {
        self.agrees(gist.project.as_ref(), gist.owner.as_ref(), gist.parent.as_ref())
    }

    fn agrees(
        &self,
        project: Option<&Name>,
        owner: Option<&Digest>,
        parent: Option<&SessionId>,
    ) -> bool {
        fn agrees<T: PartialEq>(asked: Option<&T>, is: Option<&T>) -> bool {
            asked.is_none() || asked == is
        }
        agrees(self.project.as_ref(), project)
            && agrees(self.owner.as_ref(), owner)
            && agrees(self.parent.as_ref(), parent)
    }
}
