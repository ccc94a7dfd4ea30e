//! What the header of a journal tells of the files that it was made of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sessile_core::digest::{Digest, Parts};
use sessile_core::entry::Entry;
use sessile_core::header;
use sessile_interchange::session_files::Whole;

/// The name under which the header keeps it, among what else its host keeps.
pub(super) const MEMBER: &str = "legacy";

/// How long each file of a session is, by its way below the folder.
pub(super) type Sizes = BTreeMap<String, u64>;

/// What a journal was made of. The header outlives everything else of it, purging included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker {
    /// The id of the session, as the names of its files have it.
    pub(super) id: String,
    /// Where the journal ended once it was whole.
    pub(super) end: u64,
    /// The files.
    pub(super) files: Sizes,
    /// The digest of all messages.
    pub(super) messages: Digest,
}

impl Marker {
    /// What a journal's first entry tells; none where it was not made of files in place.
    pub(super) fn of(first: &Entry) -> Option<Self> {
        header::read(first).ok()?.host.get(MEMBER)?.decode().ok()
    }
}

/// The digest of all messages of a session: whether nothing was said since is told by it, whatever
/// else became of the files.
pub(super) fn messages(whole: &Whole) -> Digest {
    let mut parts = Parts::default();
    whole.messages().for_each(|message| parts.push(message.as_str().as_bytes()));
    parts.digest()
}
