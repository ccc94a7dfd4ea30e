//! Workflow sessions of agents, over any backend of sessile.
//!
//! A workflow session is a session of the engine that is begun once and continued for as long as
//! its work takes: by its owner only, within guards that tighten, from an execution context, under
//! the last instruction. What happened in it is counted for ever and told within a window. All of
//! that is folded from the session's journal: this crate stores nothing beside it, and any number
//! of processes may work on the same sessions.
//!
//! [`Workflow`] is the handle; [`Begin`] says what a session is begun or continued with. Each has a
//! message [`board`].
//!
//! The modules stand bottom-up; each uses only those above it.

mod redaction;
pub mod board;
mod problem;
mod guards;
mod context;
mod options;
mod event;
mod fold;
mod seen;
mod attached;
mod handle;
mod reading;
mod summary;
mod begin;
mod id;
mod beginning;
mod recording;
mod setting;
mod discovery;
mod history;

pub use begin::{Begin, Begun};
pub use context::{AnyContext, ContextRule, ToolContext};
pub use discovery::{Discover, Discovered, Found};
pub use event::{CLOSED, CONTEXT_SET, Event, EventRow, INSTRUCTION, Instruction, PLAIN};
pub use guards::{Guards, Modes};
pub use handle::Workflow;
pub use history::Evidence;
pub use options::Options;
pub use problem::Problem;
pub use recording::{Ended, Recorded};
pub use redaction::{Outline, REDACTED, Redaction, bounded};
pub use setting::{ContextSet, Denial};
pub use summary::Summary;
