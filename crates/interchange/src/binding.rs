//! murmur's bindings: which session of a harness goes on with a conversation.
//!
//! Where a harness keeps the conversation itself, all there is to remember for a conversation's
//! context is the harness's own id of its session. Each context has one small file, a compact JSON
//! object that is written whole, at `<record>/<context>/harness-session.json` below a folder.
//!
//! Everything here is a function of bytes: [`get`], [`put`] and [`bind`] take what the file holds
//! and say what it is to hold; [`plan`] and [`Plan::after`] are the rules of a turn.
//!
//! ```
//! use sessile_core::UnixMillis;
//! use sessile_interchange::binding::{Change, Continuing, NewBinding, Plan, Unreadable, get, plan, put};
//!
//! let new = NewBinding { session_id: "0198-a", harness: "claude", driver: "claude-code" };
//! let change = put(None, &new, UnixMillis(1_000), Unreadable::Refuse)?;
//! let Change::Write { bytes, replaced: None } = change else { panic!("there was none") };
//! let file = r#"{"type":"murmur.harness-session","session_id":"0198-a","harness":"claude","#;
//! assert!(bytes.starts_with(file));
//!
//! let entry = get(Some(bytes.as_bytes()), Unreadable::Refuse)?;
//! let next = plan(Continuing::IfAny, Some("ctx_1"), entry.as_ref(), &"its file")?;
//! assert_eq!(next, Plan::Resume("0198-a".to_owned()));
//! # Ok::<(), sessile_core::Error>(())
//! ```

mod entry;
mod change;
mod place;
mod turn;

pub use change::{Change, NewBinding, Unreadable, bind, get, put};
pub use entry::{Binding, Entry};
pub use place::{FILE_NAME, is_segment, path};
pub use turn::{After, Continuing, Failure, Plan, TurnEnd, plan};

#[cfg(test)]
mod tests;
