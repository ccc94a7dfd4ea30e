//! The rules of admission: at most one active request a session, decided on the folded state alone,
//! before any model or tool work.
//!
//! [`decide`] is a pure function. It says what is to be appended, that it stands already, what must
//! be read to be sure, or why it is refused; whoever appends does so where the state ended on which
//! it was decided, and decides anew when the journal has moved.
//!
//! Of several answers that could be given the first counts: *deleted*; the answer of a request that
//! ended; *closed*; *fenced*; *busy*; *conflict*.

mod plan;
mod request;
mod past;
mod admit;
mod holder;
mod approvals;
mod effects;
mod ending;

use crate::error::Error;
use crate::fold::SessionState;

pub use past::active;
pub use plan::Plan;
pub use request::{Bid, BuiltOn, Decision, End, Hand, Held, Recovery, Request};

/// Decides what a request takes on a state.
///
/// # Errors
/// By kind: *deleted*, *closed*, *incomplete*, *unsupported* as [`SessionState::accepts`];
/// *fenced* for a holder whose claim does not stand; *busy* with who holds the session; *mismatch*
/// for another input, another request or the session's own id; *configuration-mismatch* and
/// *usage-mismatch* with the part; *ambiguous* where work may be under way and nobody decided;
/// *invalid-admission* where nothing is active or it can't be read; *missing* where nothing ever
/// was; *expired* where the answer was removed; *stale-approval*; *conflict*; *corrupt* where damage
/// may hide that the request ended.
pub fn decide(state: &SessionState, request: &Request<'_>) -> Result<Decision, Error> {
    let decided = match request {
        Request::Admit(bid) => admit::admit(state, bid),
        Request::Recover { claim, bid, recovery } => admit::recover(state, *claim, bid, *recovery),
        Request::Release { held, holder } => ending::release(state, held, *holder),
        Request::Write { claim, types } => state.takes(types, *claim).map(|()| Decision::Granted),
        Request::Checkpoint { held, checkpoint } => holder::checkpoint(state, held, checkpoint),
        Request::Intend { held, intent } => effects::intend(state, held, intent),
        Request::Complete { held, action, intent, output } => {
            effects::complete(state, held, action, *intent, output)
        }
        Request::Reconcile { held, hand, action, name, output } => {
            effects::reconcile(state, held, *hand, (action, name), *output)
        }
        Request::Ask { held, approval } => approvals::ask(state, held, approval),
        Request::Decide(decision) => approvals::decide(state, decision),
        Request::Commit { held, built_on, end } => ending::commit(state, held, *built_on, end),
        Request::End { held, hand, end } => ending::end(state, held, *hand, end),
    };
    decided.map_err(|error| error.about(format_args!("session {}", state.header().id)))
}
