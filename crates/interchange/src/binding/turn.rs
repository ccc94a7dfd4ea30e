//! The rules of a turn around the binding of its context.

use std::fmt;

use sessile_core::{Error, ErrorKind};

use crate::binding::entry::Binding;

/// Whether a turn goes on with an earlier session of its context.
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_interchange::binding::{Continuing, Plan, plan};
///
/// let plan = |continuing| plan(continuing, Some("ctx_1"), None, &"its file");
/// // Where nothing is bound yet.
/// assert_eq!(plan(Continuing::No)?, Plan::New);
/// assert_eq!(plan(Continuing::IfAny)?, Plan::Remember);
/// assert_eq!(plan(Continuing::Must).unwrap_err().kind(), ErrorKind::Missing);
/// # Ok::<(), sessile_core::Error>(())
/// ```
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
///
/// # Examples
/// ```
/// use sessile_interchange::binding::{After, Plan, TurnEnd};
///
/// // A new session was offered an id, and the harness goes by another one.
/// let end = TurnEnd { offered: "a", acknowledged: Some("b"), produced: true, failure: None };
/// assert_eq!(Plan::Remember.after(&end), After::Bind("b".into()));
/// // It has said nothing: there is nothing to go on with.
/// assert_eq!(Plan::Remember.after(&TurnEnd { produced: false, ..end }), After::Keep);
/// ```
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
///
/// # Examples
/// ```
/// use sessile_interchange::binding::{After, Failure, Plan, TurnEnd};
///
/// let after = |failure| {
///     let failure = Some(failure);
///     let end = TurnEnd { offered: "", acknowledged: None, produced: false, failure };
///     Plan::Resume("0198-a".into()).after(&end)
/// };
/// // A harness that fails before it has taken the session up does not know it any more.
/// assert_eq!(after(Failure::Harness), After::SessionGone);
/// // One that lets nobody in has not looked.
/// assert_eq!(after(Failure::Auth), After::Keep);
/// ```
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
///
/// # Examples
/// ```
/// use sessile_interchange::binding::{After, Failure, Plan, TurnEnd};
///
/// // It was cancelled after it had said something: the next turn can go on from there.
/// let end = TurnEnd {
///     offered: "0198-a",
///     acknowledged: None,
///     produced: true,
///     failure: Some(Failure::Cancelled),
/// };
/// assert_eq!(Plan::Remember.after(&end), After::Bind("0198-a".into()));
/// ```
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
///
/// # Examples
/// ```
/// use sessile_interchange::binding::{After, Plan, TurnEnd};
///
/// let end = TurnEnd { offered: "a", acknowledged: None, produced: true, failure: None };
/// // Which plan it went by decides what is remembered.
/// assert_eq!(Plan::New.after(&end), After::Keep);
/// assert_eq!(Plan::Remember.after(&end), After::Bind("a".into()));
/// assert_eq!(Plan::Resume("b".into()).after(&end), After::Bind("b".into()));
/// ```
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
