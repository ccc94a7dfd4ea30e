//! A fold of others, for tests: it counts events and posts by what they hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use sessile_core::fold::{Extended, Extension, SessionState};
use sessile_core::{CommitId, Entry, EntryType, Error, ErrorKind, Payload, UnixMillis};
use sessile_engine::{Move, Operation, Options};

#[derive(Debug)]
pub(crate) struct Tallying;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally(pub(crate) BTreeMap<String, u64>);

impl Extension for Tallying {
    fn name(&self) -> &'static str {
        "tally"
    }

    fn version(&self) -> u32 {
        1
    }

    fn types(&self) -> &'static [&'static str] {
        &["post", "event"]
    }

    fn start(&self) -> Box<dyn Extended> {
        Box::<Tally>::default()
    }

    fn restore(&self, member: &str) -> Option<Box<dyn Extended>> {
        Some(Box::new(Tally(serde_json::from_str(member).ok()?)))
    }
}

impl Extended for Tally {
    fn apply(&mut self, entry: &Entry) {
        *self.0.entry(entry.data.as_str().to_owned()).or_default() += 1;
    }

    fn save(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    fn copy(&self) -> Box<dyn Extended> {
        Box::new(self.clone())
    }
}

/// Options with the fold.
pub(crate) fn tallying() -> Options {
    Options::default().fold(Arc::new(Tallying))
}

/// How often a state has counted something.
pub(crate) fn count(state: &SessionState, what: &str) -> Result<u64, Error> {
    Ok(state.extended::<Tally>()?.0.get(what).copied().unwrap_or_default())
}

/// Posts something unless it was posted so many times; answers how many times it was then.
#[derive(Debug)]
pub(crate) struct PostUpTo {
    pub(crate) what: &'static str,
    pub(crate) most: u64,
    pub(crate) id: Option<CommitId>,
}

/// Why it is not posted.
#[derive(Debug)]
pub(crate) enum Unposted {
    /// It was posted often enough.
    Enough(u64),
    /// The store says.
    Failed(Error),
}

impl From<Error> for Unposted {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Unposted {
    /// What the store says.
    pub(crate) fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Enough(_) => None,
            Self::Failed(error) => Some(error.kind()),
        }
    }
}

impl Operation for PostUpTo {
    type Answer = u64;
    type Refusal = Unposted;

    fn decide(&self, state: &SessionState, _: UnixMillis) -> Result<Move<u64>, Unposted> {
        let counted = count(state, self.what)?;
        if counted >= self.most {
            return Err(Unposted::Enough(counted));
        }
        let data = Payload::parse(self.what)?;
        Ok(Move::Append(vec![(EntryType::Post, data)], counted + 1))
    }

    fn commit_id(&self) -> Option<&CommitId> {
        self.id.as_ref()
    }
}
