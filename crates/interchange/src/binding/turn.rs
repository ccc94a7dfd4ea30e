//! The rules of a turn around the binding of its context.

use std::fmt;

use sessile_core::{Error, ErrorKind};

use crate::binding::entry::Binding;

/// Whether a turn goes on with an earlier session of its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Continuing {
    /// It does not, and nothing is remembered for the next one.
    No,
    /// It does if there is one, and the next one goes on with its own.
    IfAny,
    /// It does, or is refused.
    Must,
}

/// Which session of the harness a turn is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// A new one, which nobody will go on with.
    New,
    /// A new one, which is remembered once the harness has said something.
    Remember,
    /// This one.
    Resume(String),
}

/// Plans a turn. `file` is how the file of the context is called in an error.
///
/// Without a context there is nothing to go on with and nothing to remember by.
///
/// # Errors
/// [`ErrorKind::Missing`] that names the file, when the turn must go on and nothing is bound.
pub fn plan(
    continuing: Continuing,
    context: Option<&str>,
    entry: Option<&Binding>,
    file: &dyn fmt::Display,
) -> Result<Plan, Error> {
    let entry = entry.filter(|_| context.is_some());
    match (continuing, entry) {
        (Continuing::No, _) => Ok(Plan::New),
        (_, Some(entry)) => Ok(Plan::Resume(entry.session_id.clone())),
        (Continuing::IfAny, None) if context.is_some() => Ok(Plan::Remember),
        (Continuing::IfAny, None) => Ok(Plan::New),
        (Continuing::Must, None) => {
            let clause = match context {
                Some(_) => format!("there is no session to resume: {file} binds none"),
                None => "there is no session to resume: the turn has no context".to_owned(),
            };
            let error = Error::new(ErrorKind::Missing, clause);
            Err(error.with_hint("begin a new session, or name the context of an earlier one"))
        }
    }
}

/// Why a turn failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// The harness says that it failed.
    Harness,
    /// It is not let in.
    Auth,
    /// It used all that it may.
    Quota,
    /// It made as many turns as it may.
    MaxTurns,
    /// Somebody cancelled it.
    Cancelled,
    /// Anything else.
    Other,
}

/// What is known of a turn when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnEnd<'a> {
    /// The id that a new session was offered.
    pub offered: &'a str,
    /// The id under which the harness says that it runs the session.
    pub acknowledged: Option<&'a str>,
    /// Whether the harness produced anything: text, a thought, or a call of a tool.
    pub produced: bool,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
}

/// What is done about the binding after a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    /// It stays as it is.
    Keep,
    /// This session is bound.
    Bind(String),
    /// The harness does not know the session any more, which is the error of the turn. The
    /// binding stays as it is, and the next turn fails alike: only forgetting it removes it.
    SessionGone,
}

impl Plan {
    /// Decides what is done about the binding after a turn that went by the plan.
    ///
    /// An id is bound once the harness has produced something: its own if it says one. A session
    /// is gone only where it was to be resumed, the harness never acknowledged it, and the
    /// failure is the harness's own or of no known kind.
    pub fn after(&self, end: &TurnEnd<'_>) -> After {
        let planned = match self {
            Self::New => return After::Keep,
            Self::Remember => end.offered,
            Self::Resume(id) => id,
        };
        let is_resumed = matches!(self, Self::Resume(_));
        let is_unclear = matches!(end.failure, Some(Failure::Harness | Failure::Other));
        if is_resumed && end.acknowledged.is_none() && is_unclear {
            return After::SessionGone;
        }
        let id = end.acknowledged.unwrap_or(planned);
        if end.produced && !id.is_empty() { After::Bind(id.to_owned()) } else { After::Keep }
    }
}
