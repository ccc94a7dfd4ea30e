//! A change that the rules of admission decide on.

use sessile_core::admission::Decision as Ruling;
use sessile_core::backend::Appended;
use sessile_core::fold::{Ended, Intended, SessionState};
use sessile_core::{CommitId, Error, ErrorKind, RequestId, Seq};

use crate::decision::{Decision, Sought};
use crate::mutation::Mutation;
use crate::opened::Opened;

/// What is asked of the rules, again on each state.
pub(crate) struct Ruled<F> {
    id: CommitId,
    /// The request whose end may have to be looked for.
    request: Option<RequestId>,
    ask: F,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) enum Came {
    /// It was appended.
    Appended {
        /// The number of its first entry.
        first: Seq,
    },
    /// The request had ended before.
    Ended(Ended),
    /// This entry said the same before.
    Stood(Seq),
    /// The action was done before, as this entry says.
    Done(Seq),
    /// Nobody knows whether the action was done.
    Indeterminate(Box<Intended>),
}

impl<F> Ruled<F>
where
    F: Fn(&SessionState) -> Result<Ruling, Error> + Send + Sync + 'static,
{
    /// Asks the rules; about the end of a request, if one is named.
    ///
    /// # Errors
    /// None of its own: those of minting an id.
    pub(crate) fn new(opened: &Opened, request: Option<RequestId>, ask: F) -> Result<Self, Error> {
        Ok(Self { id: opened.commit_id()?, request, ask })
    }
}

impl<F> Mutation for Ruled<F>
where
    F: Fn(&SessionState) -> Result<Ruling, Error> + Send + Sync + 'static,
{
    type Answer = Came;

    fn decide(&self, state: &SessionState) -> Result<Decision<Came>, Error> {
        // What is told as done is told of everything that was read.
        let stands = |came| Ok(Decision::Stands(came, state.position()));
        match (self.ask)(state)? {
            Ruling::Claim(plan) | Ruling::Append(plan) => {
                Ok(Decision::Plan(self.id.clone(), Box::new(plan)))
            }
            Ruling::Replay(ended) => stands(Came::Ended(ended)),
            Ruling::Stands(seq) => stands(Came::Stood(seq)),
            Ruling::Done(seq) => stands(Came::Done(seq)),
            Ruling::Indeterminate(intended) => stands(Came::Indeterminate(Box::new(intended))),
            Ruling::LookUp(_) => match &self.request {
                Some(request) => Ok(Decision::Recall(Sought::Request(request.clone()))),
                None => Err(unasked()),
            },
            _ => Err(unasked()),
        }
    }

    fn appended(&self, appended: Appended) -> Came {
        Came::Appended { first: appended.first }
    }
}

/// What is answered where the rules came to something that was not asked.
pub(crate) fn unasked() -> Error {
    Error::new(ErrorKind::Unsupported, "the rules of admission answer what was not asked")
}
