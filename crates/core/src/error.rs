//! The one error of sessile, sorted by what the caller does next.

use std::borrow::Cow;
use std::convert::Infallible;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::position::{Position, Seq};
use crate::revision::Revision;

mod kind;
mod occupant;

pub use kind::ErrorKind;
pub use occupant::Occupant;

/// What is known of the effect of a mutation that failed.
///
/// # Examples
/// ```
/// use sessile_core::{Error, ErrorKind, Outcome};
///
/// let error = Error::new(ErrorKind::Unavailable, "the answer was lost");
/// assert_eq!(error.outcome(), Outcome::NotApplied);
/// // Whoever has sent something, and heard nothing, can't say that.
/// assert_eq!(error.outcome_unknown().outcome(), Outcome::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Nothing was applied, and nothing will be.
    NotApplied,
    /// It may be applied, now or later. Only a write to the same place can tell.
    Unknown,
}

/// Where in a journal the damage lies.
///
/// # Examples
/// ```
/// use sessile_core::error::DamagePlace;
/// use sessile_core::{Error, Seq};
///
/// let place = DamagePlace { seq: Seq::FIRST, offset: 512 };
/// let error = Error::corrupt(place, "its checksum differs");
/// assert_eq!(error.damage(), Some(place));
/// assert_eq!(error.to_string(), "entry 0 at byte 512 can't be read: its checksum differs");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DamagePlace {
    /// The first entry that can't be read.
    pub seq: Seq,
    /// Where its bytes begin, counted from the start of the file or object; 0, where only a header
    /// can stand, if it has none there: it was lost before the journal was made.
    pub offset: u64,
}

/// An error: its kind, one clause for people, and what a program needs to go on.
///
/// `Display` is one clause without the source's text; walk [`source`](StdError::source) for more.
/// No error holds a byte of a payload.
///
/// # Examples
/// ```
/// use sessile_core::{Error, ErrorKind, Outcome};
///
/// let error = Error::new(ErrorKind::Refused, "there is no message in it")
///     .about("line 7")
///     .with_hint("each line is one JSON value");
/// assert_eq!(error.to_string(), "line 7: there is no message in it");
/// assert_eq!((error.kind(), error.outcome()), (ErrorKind::Refused, Outcome::NotApplied));
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    clause: Cow<'static, str>,
    subject: Option<String>,
    hint: Option<Cow<'static, str>>,
    outcome: Outcome,
    retry: bool,
    actual: Option<Position>,
    revision: Option<Revision>,
    damage: Option<DamagePlace>,
    occupant: Option<Occupant>,
    part: Option<String>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Makes an error of a kind with its clause; nothing applied, not to be retried.
    pub fn new(kind: ErrorKind, clause: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            clause: clause.into(),
            subject: None,
            hint: None,
            outcome: Outcome::NotApplied,
            retry: false,
            actual: None,
            revision: None,
            damage: None,
            occupant: None,
            part: None,
            source: None,
        }))
    }

    /// A conflict that names where the journal really ends.
    pub fn conflict(expected: Position, actual: Position) -> Self {
        let mut error = Self::new(
            ErrorKind::Conflict,
            format!("the journal ends at position {actual}, not at {expected}"),
        );
        error.0.actual = Some(actual);
        error.with_hint("read what was added, then decide again")
    }

    /// A conflict that names the revision that a document really has; none if there is none.
    pub fn document_conflict(actual: Option<Revision>) -> Self {
        let clause = match actual {
            Some(_) => "the document has another revision than expected",
            None => "there is no such document to replace",
        };
        let mut error = Self::new(ErrorKind::Conflict, clause);
        error.0.revision = actual;
        error.with_hint("read it again, then decide again")
    }

    /// Damage that names the first entry that can't be read and where its bytes begin.
    pub fn corrupt(place: DamagePlace, reason: impl fmt::Display) -> Self {
        let DamagePlace { seq, offset } = place;
        let mut error = Self::new(
            ErrorKind::Corrupt,
            format!("entry {seq} at byte {offset} can't be read: {reason}"),
        );
        error.0.damage = Some(place);
        error.with_hint("the bytes are kept; `sessile verify` lists what is readable")
    }

    /// Damage of a document, which names its stored bytes: a put or a deletion on that revision
    /// gives them up, and nothing else does.
    pub fn corrupt_document(reason: impl fmt::Display, stored: &[u8]) -> Self {
        Self::corrupt_value(reason, Revision::of_damaged(stored))
    }

    /// Damage of the value of a document that is whole itself: a put or a deletion on its revision
    /// gives it up, and nothing else does.
    pub fn corrupt_value(reason: impl fmt::Display, revision: Revision) -> Self {
        let mut error =
            Self::new(ErrorKind::Corrupt, format!("the document can't be read: {reason}"));
        error.0.revision = Some(revision);
        error.with_hint("the bytes are kept until a put or a deletion names their revision")
    }

    /// Damage that was there before the journal was made: the first and the last entry that a
    /// fork could not take over.
    pub fn lost(from: Seq, to: Seq) -> Self {
        let clause = format!("entries {from} to {to} could not be read when it was forked");
        let mut error = Self::new(ErrorKind::Corrupt, clause);
        error.0.damage = Some(DamagePlace { seq: from, offset: 0 });
        error.with_hint("the session that it was forked from may still keep the bytes")
    }

    /// A refusal because another request holds the session, which names it.
    pub fn busy(occupant: Occupant) -> Self {
        let clause =
            format!("request {} holds the session by claim {}", occupant.request, occupant.claim);
        let mut error = Self::new(ErrorKind::Busy, clause);
        error.0.occupant = Some(occupant);
        error.with_hint("wait until it ends, or recover it if its owner has stopped")
    }

    /// A refusal because a claim does not stand any more.
    pub fn fenced(claim: Seq) -> Self {
        let clause = format!("claim {claim} does not stand any more");
        Self::new(ErrorKind::Fenced, clause)
            .with_hint("stop: somebody else goes on with the request, or it ended")
    }

    /// A refusal to go on under other terms, which names the part that differs.
    pub fn other_configuration(part: impl Into<String>) -> Self {
        let part = part.into();
        let clause = format!("the request was begun under other terms: part {part} differs");
        let mut error = Self::new(ErrorKind::ConfigurationMismatch, clause);
        error.0.part = Some(part);
        error.with_hint("go on under the terms it was begun with, or give it up")
    }

    /// A refusal of a usage, which names the component that is not as recorded.
    pub fn other_usage(component: impl Into<String>, clause: impl Into<Cow<'static, str>>) -> Self {
        let mut error = Self::new(ErrorKind::UsageMismatch, clause);
        error.0.part = Some(component.into());
        error.with_hint("go on with the usage that the recovery names")
    }

    /// Names what the error is about, unless something closer to it already did.
    #[must_use]
    pub fn about(mut self, subject: impl fmt::Display) -> Self {
        self.0.subject.get_or_insert_with(|| subject.to_string());
        self
    }

    /// Says the way out.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Keeps the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Says that the mutation may have been applied all the same.
    #[must_use]
    pub fn outcome_unknown(mut self) -> Self {
        self.0.outcome = Outcome::Unknown;
        self
    }

    /// Says that the same call may succeed later.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.0.retry = true;
        self
    }

    /// The kind: what the caller does next.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What is known of the effect of the call that failed.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome
    }

    /// Whether the same call may succeed later without anything else being done.
    pub fn may_retry(&self) -> bool {
        self.0.retry
    }

    /// Where the journal really ends, of a conflict.
    pub fn actual_position(&self) -> Option<Position> {
        self.0.actual
    }

    /// The revision that a document really has, of a conflict; of a corrupt document the one that
    /// a put or a deletion must name to give up what is stored.
    pub fn actual_revision(&self) -> Option<Revision> {
        self.0.revision
    }

    /// Where the damage lies, of a corrupt journal.
    pub fn damage(&self) -> Option<DamagePlace> {
        self.0.damage
    }

    /// Who holds the session, of a *busy* one.
    pub fn occupant(&self) -> Option<&Occupant> {
        self.0.occupant.as_ref()
    }

    /// Which part of a contract, or component of a usage, is not the recorded one.
    pub fn part(&self) -> Option<&str> {
        self.0.part.as_deref()
    }

    /// What the error is about: a session, a document, a place.
    pub fn subject(&self) -> Option<&str> {
        self.0.subject.as_deref()
    }

    /// The clause without its subject.
    pub fn clause(&self) -> &str {
        &self.0.clause
    }

    /// The way out, where there is one to name.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(subject) = &self.0.subject {
            write!(f, "{subject}: ")?;
        }
        f.write_str(&self.0.clause)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("outcome", &self.0.outcome)
            .field("subject", &self.0.subject)
            .field("clause", &self.0.clause)
            .field("source", &self.0.source)
            .finish()
    }
}

impl From<Infallible> for Error {
    /// Lets what is checked already stand where something to be checked may stand.
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.0.source.as_deref()?;
        Some(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::UnixMillis;

    #[test]
    fn display_is_one_clause_with_its_subject_and_without_its_source() {
        let error = Error::new(ErrorKind::Unavailable, "the lock was not free in time")
            .with_source(std::io::Error::other("held"))
            .about("session ses_1")
            .about("store /tmp");
        assert_eq!(error.to_string(), "session ses_1: the lock was not free in time");
        assert_eq!(error.source().unwrap().to_string(), "held");
    }

    #[test]
    fn a_corrupt_document_carries_the_revision_of_its_bytes() {
        let of = |stored: &[u8]| Error::corrupt_document("it has no end", stored);
        assert_eq!(of(b"abc").kind(), ErrorKind::Corrupt);
        assert_eq!(of(b"abc").to_string(), "the document can't be read: it has no end");
        let revision = of(b"abc").actual_revision();
        assert_eq!(revision, Some(Revision::of_damaged(b"abc")));
        assert_ne!(revision, of(b"abd").actual_revision());
    }

    #[test]
    fn a_busy_session_tells_who_holds_it() {
        let occupant = Occupant::new("r1", Seq::new(7).unwrap(), UnixMillis(9));
        let error = Error::busy(occupant.clone().labelled(Some("secret host".into())));
        assert_eq!(error.kind(), ErrorKind::Busy);
        assert_eq!(error.to_string(), "request r1 holds the session by claim 7");
        let told = error.occupant().unwrap();
        assert_eq!((told.claim, told.since), (occupant.claim, UnixMillis(9)));
        assert_eq!(told.holder.as_deref(), Some("secret host"));
        assert!(!format!("{error} {error:?} {told:?}").contains("secret"));
    }

    #[test]
    fn other_terms_and_another_usage_name_what_differs() {
        let error = Error::other_configuration("tools");
        assert_eq!((error.kind(), error.part()), (ErrorKind::ConfigurationMismatch, Some("tools")));
        let error = Error::other_usage("tokens", "below what was used");
        assert_eq!((error.kind(), error.part()), (ErrorKind::UsageMismatch, Some("tokens")));
    }

    #[test]
    fn a_conflict_carries_the_actual_position() {
        let (three, five) = (Position::new(3).unwrap(), Position::new(5).unwrap());
        let error = Error::conflict(three, five);
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert_eq!(error.actual_position(), Some(five));
        assert_eq!(error.outcome(), Outcome::NotApplied);
    }
}
