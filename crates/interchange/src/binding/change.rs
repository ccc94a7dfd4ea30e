//! What a file says, and what it is to hold.

use std::fmt;

use sessile_core::{Error, ErrorKind, UnixMillis};

use crate::binding::entry::{Binding, Entry};

/// What is done about a file that can't be read.
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_interchange::binding::{Unreadable, get};
///
/// let torn = br#"{"type":"murmur.harness-session","session_id":"#;
/// let error = get(Some(torn), Unreadable::Refuse).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Corrupt);
/// // As murmur did it: the conversation begins anew, and nobody is told.
/// assert_eq!(get(Some(torn), Unreadable::TreatAsAbsent)?, None);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unreadable {
    /// It is an error to read it, and it is not overwritten; nor is another tool's.
    #[default]
    Refuse,
    /// It counts as none, and is overwritten, as is another tool's: so murmur did it.
    TreatAsAbsent,
}

/// A session to be bound to a context.
///
/// # Examples
/// ```
/// use sessile_core::UnixMillis;
/// use sessile_interchange::binding::{Change, NewBinding, Unreadable, put};
///
/// let new = NewBinding { session_id: "0198-a", harness: "claude", driver: "claude-code" };
/// assert!(matches!(put(None, &new, UnixMillis(7), Unreadable::Refuse)?, Change::Write { .. }));
/// // A harness that has told no id of its session binds nothing.
/// let none = NewBinding { session_id: "", ..new };
/// assert_eq!(put(None, &none, UnixMillis(7), Unreadable::Refuse)?, Change::Nothing);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewBinding<'a> {
    /// The harness's own id of the session; an empty one binds nothing.
    pub session_id: &'a str,
    /// The harness; for people only.
    pub harness: &'a str,
    /// What drives the harness; for people only.
    pub driver: &'a str,
}

/// What becomes of a file.
///
/// # Examples
/// ```
/// use sessile_core::{ErrorKind, UnixMillis};
/// use sessile_interchange::binding::{Change, NewBinding, Unreadable, bind, put};
///
/// let new = |id| NewBinding { session_id: id, harness: "claude", driver: "claude-code" };
/// let first = put(None, &new("0198-a"), UnixMillis(7), Unreadable::Refuse)?;
/// let Change::Write { bytes, replaced: None } = first else { panic!("nothing was bound") };
/// let bound = Some(bytes.as_bytes());
/// // It is replaced by whoever knows what it replaces.
/// let bind = |expected| bind(bound, expected, &new("0198-b"), UnixMillis(9), Unreadable::Refuse);
/// assert_eq!(bind(None).unwrap_err().kind(), ErrorKind::Conflict);
/// let Change::Write { replaced, .. } = bind(Some("0198-a"))? else { panic!("it is another") };
/// assert_eq!(replaced.as_deref(), Some("0198-a"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum Change {
    /// It stays as it is.
    Nothing,
    /// It is written whole.
    Write {
        /// What it is to hold.
        bytes: String,
        /// The id that was bound before.
        replaced: Option<String>,
    },
}

/// Finds the binding in what a file holds, if there is a file.
///
/// Another tool's file and one with an empty id bind nothing.
///
/// # Errors
/// [`ErrorKind::Corrupt`] for a file that can't be read, if those are refused.
pub fn get(file: Option<&[u8]>, unreadable: Unreadable) -> Result<Option<Binding>, Error> {
    let entry = file.map(Entry::decode).transpose();
    match entry {
        Ok(Some(Entry::Bound(binding))) => Ok(Some(binding)),
        Ok(Some(Entry::Unbound | Entry::Foreign) | None) => Ok(None),
        Err(_) if unreadable == Unreadable::TreatAsAbsent => Ok(None),
        Err(error) => Err(error),
    }
}

/// Binds a session, whatever was bound before.
///
/// When the context first got a session stays, the last write never falls, and members that are
/// not known stay. An empty id changes nothing, whatever the file holds.
///
/// # Errors
/// If what can't be read is refused: [`ErrorKind::Corrupt`] for such a file, and
/// [`ErrorKind::Exists`] for another tool's.
pub fn put(
    file: Option<&[u8]>,
    new: &NewBinding<'_>,
    now: UnixMillis,
    unreadable: Unreadable,
) -> Result<Change, Error> {
    let binding = Binding::new(new.session_id, new.harness, new.driver, now);
    let Some(binding) = binding else { return Ok(Change::Nothing) };
    let old = replaceable(file, unreadable)?;
    Ok(written(old, binding))
}

/// Binds a session where another one, or none, is expected to be bound.
///
/// Binding what is bound already changes nothing.
///
/// # Errors
/// [`ErrorKind::Conflict`] that names the session that is bound, when it is neither the new one
/// nor the one that is expected; else as [`put`].
pub fn bind(
    file: Option<&[u8]>,
    expected: Option<&str>,
    new: &NewBinding<'_>,
    now: UnixMillis,
    unreadable: Unreadable,
) -> Result<Change, Error> {
    let binding = Binding::new(new.session_id, new.harness, new.driver, now);
    let Some(binding) = binding else { return Ok(Change::Nothing) };
    let old = replaceable(file, unreadable)?;
    let bound = old.as_ref().map(|old| &*old.session_id);
    if bound == Some(new.session_id) {
        return Ok(Change::Nothing);
    }
    if bound != expected {
        let clause = match bound {
            Some(bound) => format!("the context is bound to session {bound}"),
            None => "the context is bound to no session".to_owned(),
        };
        return Err(Error::new(ErrorKind::Conflict, clause)
            .with_hint("decide on what is bound, or forget it first"));
    }
    Ok(written(old, binding))
}

/// The binding in a file that may be written.
fn replaceable(file: Option<&[u8]>, unreadable: Unreadable) -> Result<Option<Binding>, Error> {
    let is_foreign = file.is_some_and(|it| matches!(Entry::decode(it), Ok(Entry::Foreign)));
    if is_foreign && unreadable == Unreadable::Refuse {
        let clause = "a file of another tool stands in place of the binding";
        return Err(Error::new(ErrorKind::Exists, clause)
            .with_hint("move it away, or keep the bindings elsewhere"));
    }
    get(file, unreadable)
}

fn written(old: Option<Binding>, new: Binding) -> Change {
    let (new, replaced) = match old {
        Some(old) => (old.followed_by(new), Some(old.session_id)),
        None => (new, None),
    };
    Change::Write { bytes: new.encode(), replaced }
}

impl fmt::Debug for Change {
    /// Tells the size only of what is to be written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("Nothing"),
            Self::Write { bytes, replaced } => f
                .debug_struct("Write")
                .field("bytes", &bytes.len())
                .field("replaced", replaced)
                .finish(),
        }
    }
}
