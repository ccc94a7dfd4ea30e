//! A workflow session at one moment, as its state tells it.

use sessile_core::entry::shape::Header;
use sessile_core::fold::{Lifecycle, Meta, SessionState};
use sessile_core::{Error, ErrorKind, Payload, Position, UnixMillis};

use crate::board::{Board, Standing};
use crate::fold::Fold;
use crate::guards::{self, Guards, Modes};
use crate::problem::Problem;

/// The key of the header's host values under which the baseline stands.
pub(crate) const BASELINE: &str = "workflow.baseline";

/// A workflow session at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) header: Header,
    pub(crate) meta: Meta,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) updated_at: UnixMillis,
    pub(crate) position: Position,
    pub(crate) fold: Fold,
    /// What its board holds; none where the store does not fold boards.
    pub(crate) messages: Option<Standing>,
}

impl Seen {
    /// What a state tells.
    ///
    /// # Errors
    /// *unsupported* where the store was opened without the fold of workflow sessions; *corrupt*
    /// where entries before its end can't be read.
    pub(crate) fn of(state: &SessionState) -> Result<Self, Error> {
        Ok(Self {
            header: state.header().clone(),
            meta: state.meta().clone(),
            lifecycle: state.lifecycle(),
            updated_at: state.updated_at(),
            position: state.position(),
            fold: fold(state)?.clone(),
            messages: messages(state)?,
        })
    }

    /// Its guards.
    ///
    /// # Errors
    /// *corrupt* for what can't be read.
    pub(crate) fn guards(&self, modes: &Modes) -> Result<Guards, Error> {
        modes.stored(self.meta.value(guards::KEY))
    }

    /// What it was created with to be compared with later.
    pub(crate) fn baseline(&self) -> Option<&Payload> {
        self.header.host.get(BASELINE)
    }
}

/// The fold of a state.
///
/// # Errors
/// Those of [`Seen::of`].
pub(crate) fn fold(state: &SessionState) -> Result<&Fold, Error> {
    state.extended::<Fold>().map_err(|error| match error.kind() {
        ErrorKind::Unsupported => Problem::NotFolded.error(),
        _ => error,
    })
}

/// What the board of a state holds; none where the store does not fold boards.
///
/// # Errors
/// *corrupt* where entries that it would be folded from can't be read.
fn messages(state: &SessionState) -> Result<Option<Standing>, Error> {
    match state.extended::<Board>() {
        Ok(board) => Ok(Some(Standing::of(board))),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(error),
    }
}

/// Refuses a session that is not active.
///
/// # Errors
/// *closed*.
pub(crate) fn check_active(state: &SessionState) -> Result<(), Error> {
    match state.lifecycle() {
        Lifecycle::Active => Ok(()),
        Lifecycle::Closed => Err(Problem::NotActive.error()),
        Lifecycle::Deleted => Err(Problem::Expired.error()),
    }
}
