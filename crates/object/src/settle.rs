//! Conditional writes whose outcome is found out.
//!
//! An error of such a write proves nothing: what was sent may have been applied before the answer
//! was lost, or may be applied yet, and a place says "it exists" of what never was there. So after
//! any answer but success the name is looked at, and the same bytes are sent to it under the same
//! condition again until what stands there tells. That is sound because no condition comes true
//! twice: a name that held something is never free again, and no two bodies of a name are equal.

use std::time::Duration;

use bytes::Bytes;
use object_store::path::Path;
use sessile_core::{Error, ErrorKind};
use tokio::time::{self, Instant};

use crate::client::{Client, Object, Only, Tag};
use crate::entropy;
use crate::failure::{self, Refused};

/// Whose an object is that stands where a write was to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The write's own: it was applied.
    Ours,
    /// It is what the write is to replace: it was not applied so far.
    Expected,
    /// Another's: whatever became of the write, nothing will come of it any more.
    Others,
}

/// How a write ended.
#[derive(Debug)]
pub(crate) enum Settled {
    /// It was applied; its object is known by this tag.
    Ours(Tag),
    /// Another's object stands there.
    Others(Object),
    /// What it was to replace is gone, and nothing stands there.
    Gone,
}

/// For how long a name is looked at, whatever is left of the deadline.
const LAST_LOOK: Duration = Duration::from_secs(5);

/// Writes where the condition holds, and finds out whether it did.
///
/// `whose` says what an object found at the name is to this write; it never calls one *expected*
/// where the write is to create.
///
/// # Errors
/// *permission*, *refused*, *unsupported* where the place says so at the first sending: nothing
/// was applied. *unavailable* past the deadline, with an unknown outcome.
pub(crate) async fn settle(
    client: &Client,
    path: &Path,
    body: &Bytes,
    only: &Only,
    whose: impl Fn(&Object) -> Whose + Send + Sync,
) -> Result<Settled, Error> {
    let deadline = Instant::now() + client.options().deadline;
    let mut pause = Pause::default();
    let mut is_first = true;
    loop {
        let refusal = match client.send(path, body.clone(), only).await {
            Ok(tag) => return Ok(Settled::Ours(tag)),
            Err(Refused::Final(error)) if is_first => return Err(error),
            Err(Refused::Throttled(error)) => {
                pause.lengthen();
                error
            }
            // After a sending that is open, no answer to a later one is final.
            Err(Refused::Open(error) | Refused::Final(error)) => error,
        };
        is_first = false;
        let refusal = match look(client, path, deadline).await {
            Ok(Some(object)) => match whose(&object) {
                Whose::Ours => return Ok(Settled::Ours(object.tag)),
                Whose::Others => return Ok(Settled::Others(object)),
                Whose::Expected => refusal,
            },
            Ok(None) => match only {
                Only::IfAbsent => refusal,
                Only::IfStill(_) => return Ok(Settled::Gone),
            },
            Err(error) => error,
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(unresolved(refusal));
        }
        time::sleep(pause.next().min(left)).await;
    }
}

/// Looks at a name, for as long as is left.
async fn look(client: &Client, path: &Path, deadline: Instant) -> Result<Option<Object>, Error> {
    let until = deadline.max(Instant::now() + LAST_LOOK);
    time::timeout_at(until, client.get(path)).await.unwrap_or_else(|_| Err(failure::too_slow()))
}

fn unresolved(last: Error) -> Error {
    let clause = "the place did not say in time what became of the write";
    Error::new(ErrorKind::Unavailable, clause).with_source(last).retryable().outcome_unknown()
}

/// How long to wait before a write is sent again: twice as long each time, and by chance up to
/// half of it less, so that rivals do not meet again.
#[derive(Debug)]
struct Pause(Duration);

impl Pause {
    const FIRST: Duration = Duration::from_millis(50);
    const FIRST_WHEN_THROTTLED: Duration = Duration::from_millis(500);
    const LONGEST: Duration = Duration::from_secs(2);

    fn lengthen(&mut self) {
        self.0 = self.0.max(Self::FIRST_WHEN_THROTTLED);
    }

    fn next(&mut self) -> Duration {
        let half = self.0 / 2;
        let chance = entropy::below(u64::try_from(half.as_micros()).unwrap_or(u64::MAX));
        self.0 = (self.0 * 2).min(Self::LONGEST);
        half + Duration::from_micros(chance)
    }
}

impl Default for Pause {
    fn default() -> Self {
        Self(Self::FIRST)
    }
}

#[cfg(test)]
mod tests;
