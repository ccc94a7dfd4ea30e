//! What goes wrong with a request, and what is answered then.

use std::future;
use std::time::Duration;

use object_store::Error;
use object_store::path::Path;

/// What is answered in place of the truth.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// That the object exists.
    Exists,
    /// That the condition does not hold.
    Changed,
    /// That the connection broke.
    Broken,
    /// This status.
    Status(u16),
    /// That access is refused.
    Denied,
    /// Nothing, ever.
    Never,
}

/// What happens to one write.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// It is applied, and another answer is given.
    Applied(Answer),
    /// It is not applied, and this is answered.
    Dropped(Answer),
    /// It is applied so long after it came, and answered at once.
    Late(Duration, Answer),
    /// It is done and answered as it should be.
    Nothing,
}

/// A promise that is broken at all times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breach {
    /// Creates overwrite what is there.
    TakesEveryCreate,
    /// Swaps overwrite whatever is there.
    TakesEverySwap,
    /// Conditions are checked a moment before they are acted on.
    ChecksTooEarly,
    /// Creates are checked when they are done, swaps a moment before.
    ChecksSwapsTooEarly,
    /// There are no swaps.
    HasNoSwaps,
    /// The condition of a swap never holds.
    RefusesSwaps,
    /// What is missing is answered with a refusal.
    DeniesTheMissing,
    /// Everything is answered with a refusal.
    DeniesAll,
    /// Writes are refused.
    DeniesWrites,
    /// Lists show nothing.
    ListsNothing,
    /// Lists begin at the beginning, whatever they are to begin after.
    ListsFromTheStart,
    /// Keys above 600 bytes are refused.
    RefusesLongKeys,
    /// What is deleted stays.
    KeepsTheDeleted,
    /// Lists are in the order of names, the greatest first.
    ListsBackwards,
}

/// The error that is an answer, once it comes.
pub(super) async fn answer(path: &Path, answer: Answer) -> Error {
    let path = path.to_string();
    match answer {
        Answer::Exists => Error::AlreadyExists { path, source: "it exists".into() },
        Answer::Changed => Error::Precondition { path, source: "it is another".into() },
        Answer::Broken => Error::Generic { store: "it", source: "connection reset".into() },
        Answer::Status(status) => {
            let source = format!("Server returned non-2xx status code: {status} Told: so");
            Error::Generic { store: "it", source: source.into() }
        }
        Answer::Denied => Error::PermissionDenied { path, source: "not you".into() },
        Answer::Never => future::pending().await,
    }
}
