//! A session of a catalog of which more is known than its block tells.

use std::sync::Arc;

use sessile_core::backend::{Gist, Scope};
use sessile_core::time::UnixMillis;

use crate::note::Noted;

/// What is known of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) noted: Option<Noted>,
    /// What its header says that listings go by, if anybody has looked.
    pub(crate) scope: Option<Scope>,
    /// Who has it open.
    pub(crate) holders: Vec<Arc<str>>,
    /// Whether the note holds as long as nobody opens the journal.
    pub(crate) is_sure: bool,
    /// Whether anybody has opened it since the catalog was begun.
    pub(crate) was_open: bool,
    /// Whether the note is more than the catalog has.
    pub(crate) is_unsaved: bool,
    /// The number of its file, as the folder had it last.
    pub(crate) listed: Option<u64>,
    /// When it stands in the order; none while that is not known.
    pub(crate) placed: Option<UnixMillis>,
}

impl Entry {
    /// What may be shown of it without a look.
    pub(crate) fn gist(&self) -> Option<&Arc<Gist>> {
        self.noted.as_ref()?.gist.as_ref()
    }
}
