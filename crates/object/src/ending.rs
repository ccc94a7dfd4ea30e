//! What a note of the catalog says besides its name: where the session ended, and what a listing
//! shows of it.
//!
//! It is derived, and true as long as no log object stands behind the greatest number that it
//! names: whoever reads it asks for that one object. What can't be read says nothing.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sessile_core::backend::{ChangeToken, Gist, Head, Scope, Seen};
use sessile_core::commit::{StoredCommit, Tip};
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::Entry;
use sessile_core::error::Occupant;
use sessile_core::fold::Lifecycle;
use sessile_core::id::{Name, SessionId, SessionKey, Space};
use sessile_core::line;
use sessile_core::position::{Position, Seq};
use sessile_core::text::Text;
use sessile_core::time::UnixMillis;

use crate::known::Known;
use crate::piece;

/// No note has more bytes: a gist or a header that makes it longer is left out.
pub(crate) const MOST_BYTES: u64 = 4_096;

/// The version of this form.
const NOTE: u32 = 1;

/// How many signs of the digest of what follows stand before it.
const SUM: usize = 16;

/// How a session ended.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// The number behind which there was no log object.
    pub(crate) taken: u64,
    pub(crate) gist: Option<Arc<Gist>>,
    /// None where the header was too long.
    head: Option<Head>,
}

impl Ending {
    /// What a note holds, as bytes.
    ///
    /// None at all where there is nothing that a listing could show: of what is left of a purged
    /// session, and where header and gist are too long.
    pub(crate) fn encode(key: &SessionKey, known: &Known, gist: Option<&Gist>) -> Bytes {
        if known.first > 0 {
            return Bytes::new();
        }
        let gist = gist.filter(|gist| gist.tip == known.tip);
        let header = header_line(known);
        let is_short =
            |bytes: &Vec<u8>| u64::try_from(bytes.len()).is_ok_and(|it| it <= MOST_BYTES);
        let forms = [(gist, &*header), (gist, &[]), (None, &*header)];
        let mut bodies = forms
            .into_iter()
            .filter(|(gist, header)| gist.is_some() || !header.is_empty())
            .filter_map(|(gist, header)| sealed(key, known, gist, header));
        bodies.find(is_short).map(Bytes::from).unwrap_or_default()
    }

    /// What a note of a session says; none where it is empty, damaged, of another version or of
    /// another session.
    pub(crate) fn decode(key: &SessionKey, bytes: &Bytes) -> Option<Self> {
        let (sum, rest) = bytes.split_at_checked(SUM)?;
        let told = rest.strip_prefix(b" ")?;
        if sum != sum_of(told).as_bytes() {
            return None;
        }
        let end = told.iter().position(|byte| *byte == b'\n')?;
        let (form, header) = told.split_at_checked(end)?;
        let form: Form = serde_json::from_slice(form).ok()?;
        let is_of_it = form.note == NOTE && form.space == key.space && form.id == key.id;
        if !is_of_it || form.taken == u64::MAX {
            return None;
        }
        let header = header.strip_prefix(b"\n")?;
        let header = match header {
            [] => None,
            line => Some(piece::begun(&bytes.slice_ref(line), key).ok()?.entry),
        };
        let tip = Tip { position: form.position, token: form.token };
        let gist = form.gist.map(|gist| Arc::new(gist.into_gist(tip)));
        let head = header.map(|header| Head {
            tip,
            header,
            change: ChangeToken(form.change),
            bytes: form.bytes,
            updated_at: form.updated_at,
            deleted: form.deleted,
            tail: None,
        });
        (gist.is_some() || head.is_some()).then_some(Self { taken: form.taken, gist, head })
    }

    /// Whether the session is in a scope.
    ///
    /// It is asked without a look at the session: a scope is made of what the header says, which
    /// nothing masks, purges or replaces, and the id is never free again.
    pub(crate) fn is_in(&self, scope: &Scope) -> bool {
        match (&self.head, &self.gist) {
            (Some(head), _) => scope.takes_entry(&head.header),
            (None, Some(gist)) => scope.takes_gist(gist),
            (None, None) => false,
        }
    }

    /// What a listing shows of a session that still ends there.
    pub(crate) fn seen(self) -> Option<Seen> {
        match (self.gist, self.head) {
            (Some(gist), _) => Some(Seen::Gist(gist)),
            (None, head) => head.map(Seen::from),
        }
    }
}

/// The first line of a note.
#[derive(Debug, Deserialize, Serialize)]
struct Form {
    /// The version.
    note: u32,
    space: Space,
    id: SessionId,
    /// The greatest number of a log object.
    taken: u64,
    /// The tip.
    position: Position,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<Token>,
    change: String,
    bytes: u64,
    updated_at: UnixMillis,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gist: Option<Shown>,
}

/// A gist, but for its tip.
#[derive(Debug, Deserialize, Serialize)]
struct Shown {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<Name>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<SessionId>,
    created_at: UnixMillis,
    updated_at: UnixMillis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    lifecycle: Life,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    damaged: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    messages: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    occupant: Option<Occupied>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Life {
    Active,
    Closed,
    Deleted,
}

/// Who held the session.
#[derive(Debug, Deserialize, Serialize)]
struct Occupied {
    request: String,
    claim: Seq,
    since: UnixMillis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    holder: Option<String>,
}

impl Shown {
    fn of(gist: &Gist) -> Self {
        Self {
            project: gist.project.clone(),
            owner: gist.owner,
            parent: gist.parent.clone(),
            created_at: gist.created_at,
            updated_at: gist.updated_at,
            title: gist.title.as_deref().map(str::to_owned),
            tags: gist.tags.to_vec(),
            lifecycle: match gist.lifecycle {
                Lifecycle::Active => Life::Active,
                Lifecycle::Closed => Life::Closed,
                Lifecycle::Deleted => Life::Deleted,
            },
            damaged: gist.damaged,
            incomplete: gist.incomplete,
            messages: gist.messages,
            occupant: gist.occupant.as_ref().map(|occupant| Occupied {
                request: occupant.request.clone().into(),
                claim: occupant.claim,
                since: occupant.since,
                holder: occupant.holder.as_ref().map(|holder| holder.as_str().to_owned()),
            }),
        }
    }

    fn into_gist(self, tip: Tip) -> Gist {
        Gist {
            tip,
            project: self.project,
            owner: self.owner,
            parent: self.parent,
            created_at: self.created_at,
            updated_at: self.updated_at,
            title: self.title.map(Into::into),
            tags: self.tags.into(),
            lifecycle: match self.lifecycle {
                Life::Active => Lifecycle::Active,
                Life::Closed => Lifecycle::Closed,
                Life::Deleted => Lifecycle::Deleted,
            },
            damaged: self.damaged,
            incomplete: self.incomplete,
            messages: self.messages,
            occupant: self.occupant.map(|it| {
                let holder = it.holder.map(Text::from);
                Occupant::new(it.request, it.claim, it.since).labelled(holder)
            }),
        }
    }
}

fn sealed(key: &SessionKey, known: &Known, gist: Option<&Gist>, header: &[u8]) -> Option<Vec<u8>> {
    let head = known.head();
    let form = Form {
        note: NOTE,
        space: key.space.clone(),
        id: key.id.clone(),
        taken: known.taken,
        position: head.tip.position,
        token: head.tip.token,
        change: head.change.0,
        bytes: head.bytes,
        updated_at: head.updated_at,
        deleted: head.deleted,
        gist: gist.map(Shown::of),
    };
    let mut told = serde_json::to_vec(&form).ok()?;
    told.push(b'\n');
    told.extend_from_slice(header);
    let mut body = sum_of(&told).into_bytes();
    body.push(b' ');
    body.append(&mut told);
    Some(body)
}

fn sum_of(told: &[u8]) -> String {
    let mut sum = Digest::of(told).to_string();
    sum.truncate(SUM);
    sum
}

/// The header, as a line of a journal that has nothing else.
fn header_line(known: &Known) -> Vec<u8> {
    let mut line = Vec::new();
    if let (Ok(id), Some(token)) = ("header".parse(), known.tip.token) {
        let entry: Entry = known.begun.entry.clone();
        let commit = StoredCommit {
            id,
            token,
            prev: None,
            synced: Position::START,
            digest: Digest::of(&[]),
            state: None,
            vacuumed: 0,
            entries: vec![entry],
        };
        line::encode_commit(&mut line, &commit, known.begun.salt);
    }
    line
}

#[cfg(test)]
mod tests;
