//! Shape of the entry that holds what was folded so far.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::payload::Payload;
use crate::position::Position;

/// `state`: what everything before its commit folds to, payloads left out; derived.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use futures_util::TryStreamExt as _;
/// use sessile_core::backend::{Backend as _, Span};
/// use sessile_core::entry::shape::State;
/// # use sessile_engine::Options;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// # let options = Options::default().state_every(1, 1);
/// # let session = Store::with(Arc::new(place.clone()), options).open_session("ses_42").await?;
/// let before = session.append(["hi"]).await?;
/// session.append(["a message that carries a state"]).await?;
/// let commits: Vec<_> = place.read(&key, Span::ALL).await?.try_collect().await?;
/// let last = commits.last().expect("there are some");
/// let state: State = last.entries[0].data.decode()?;
/// // It says what stood before its own commit, fold by fold.
/// assert_eq!(state.position, before.position);
/// assert!(state.folds.keys().eq(["admission", "commits", "marks", "session"]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Where the journal ended before its commit.
    pub position: Position,
    /// What each fold had made of it, by the fold's name.
    pub folds: BTreeMap<String, FoldState>,
}

/// What one fold had made of a journal.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::{FoldState, State};
///
/// let data = r#"{"position":9,"folds":{"events":{"v":1,"types":["event"],"state":{"count":2}}}}"#;
/// let state: State = Payload::parse(data)?.decode()?;
/// let fold: &FoldState = &state.folds["events"];
/// // By another version of the fold, or of other types, it is not taken up.
/// assert_eq!((fold.v, &fold.types[..]), (1, &["event".to_owned()][..]));
/// // What it holds is the fold's own matter.
/// assert_eq!(fold.state.as_str(), r#"{"count":2}"#);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldState {
    /// The version of the fold.
    pub v: u32,
    /// The types of the entries that it folds, in order of name.
    pub types: Vec<String>,
    /// The state, in the fold's own form.
    pub state: Payload,
}
