//! What a suspended run goes on with: the `runtime` and the `scheduler` of a snapshot's loop.
//!
//! A run stops between two calls of a tool, before one that needs to be approved, or within one.
//! The snapshot tells which: an *approval* that was asked for, or an *intent*, saved before the
//! tool is called and taken away with its result. A run that is restored with an intent does not
//! know whether the call was made; it is never made again by itself. Somebody who knows says how
//! it ended ([`Runtime::reconcile`]), or ends the run ([`Runtime::cancel`]).
//!
//! ```
//! use sessile_interchange::json;
//! use sessile_interchange::snapshot::runtime::{Runtime, Standing, Terms};
//!
//! let saved = json::parse(r#"{
//!   "run_id": "r1", "turn_id": 3, "next_call": 5, "next_event": 9, "started": true,
//!   "contract": {"tools": ["mail"]},
//!   "active": {"agent": "clerk", "purpose": "answer", "base_prompt": "Be brief.",
//!     "state": {"calls": [{"name": "mail", "arguments": {"to": "ida"}}], "results": []},
//!     "needs_fit": false, "overflow_retry": false},
//!   "approved": false,
//!   "intent": {"identity": {"actor": "clerk", "run_id": "r1", "turn_id": 3,
//!     "call_id": "r1:3:5"}, "call": {"name": "mail", "arguments": {"to": "ida"}}},
//!   "loaded_skills": [], "context_cache": {},
//!   "usage": {"totals": {"tokens": 40}, "tool_calls": 1, "elapsed_ms": 900,
//!     "records": [{"operation": "turn", "measured": {"tokens": 40}}]}
//! }"#)?;
//! let contract = json::parse(r#"{"tools":["mail"]}"#)?;
//! let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
//! runtime.restore(&Terms { contract: &contract, agents: &["clerk"], skills: &[] })?;
//! let Standing::Indeterminate(intent) = runtime.standing() else { panic!("an intent") };
//! assert_eq!(intent.action_id(), "r1:3:5");
//!
//! runtime.reconcile("r1:3:5", "mail", json::parse(r#""sent""#)?)?;
//! assert_eq!(runtime.standing(), Standing::Working(None));
//! assert_eq!(runtime.usage.tool_calls, 1);
//! # Ok::<(), sessile_core::Error>(())
//! ```

mod call;
mod usage;
mod active;
mod ending;
mod record;
mod restore;
mod scheduler;
mod standing;

pub use active::{ActiveTurn, TurnState};
pub use call::{Approval, Call, CallIdentity, Intent};
pub use ending::{Closing, Ending, Outcome};
pub use record::Runtime;
pub use restore::Terms;
pub use scheduler::check_scheduler;
pub use standing::Standing;
pub use usage::{Measured, UsageLedger, UsageRecord};
