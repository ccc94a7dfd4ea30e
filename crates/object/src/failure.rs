//! What an error of a place means for whoever asked.
//!
//! An error of a conditional write proves nothing by itself: the client may have sent it twice and
//! lost to itself, and what was not there a moment ago may still appear. Only the first answer to
//! the first sending can be final, and only where it says that the request itself is at fault.

use std::error::Error as StdError;

use sessile_core::{Error, ErrorKind};

/// What became of a conditional write that was sent once.
#[derive(Debug)]
pub(crate) enum Refused {
    /// It was not applied and never will be, unless an earlier sending is.
    Final(Error),
    /// Nobody can tell but by looking.
    Open(Error),
    /// The same, and the place asks for fewer requests.
    Throttled(Error),
}

/// What the answer to a conditional write means.
pub(crate) fn of_write(error: object_store::Error) -> Refused {
    use object_store::Error as Store;
    match &error {
        Store::PermissionDenied { .. } | Store::Unauthenticated { .. } => {
            Refused::Final(denied(error))
        }
        // What a write names is made by it: only what should hold it can be missing.
        Store::NotFound { .. } => Refused::Final(no_bucket(error)),
        Store::NotSupported { .. } | Store::NotImplemented { .. } => {
            let clause = "the place does not offer conditional writes";
            Refused::Final(Error::new(ErrorKind::Unsupported, clause).with_source(error))
        }
        Store::InvalidPath { .. } | Store::UnknownConfigurationKey { .. } => {
            Refused::Final(refused(error))
        }
        Store::Generic { .. } if matches!(status(&error), Some(400 | 413)) => {
            Refused::Final(refused(error))
        }
        Store::Generic { .. } if status(&error) == Some(501) => {
            let clause = "the place does not offer conditional writes";
            Refused::Final(Error::new(ErrorKind::Unsupported, clause).with_source(Told(error)))
        }
        _ => {
            let is_throttled = matches!(status(&error), Some(429 | 503));
            let error = unavailable("the place did not say what became of the write", error);
            if is_throttled { Refused::Throttled(error) } else { Refused::Open(error) }
        }
    }
}

/// What the answer to a reading request means; none for what is not there.
pub(crate) fn of_read(error: object_store::Error) -> Option<Error> {
    use object_store::Error as Store;
    match &error {
        Store::NotFound { .. } if says_no_bucket(&error) => Some(no_bucket(error)),
        Store::NotFound { .. } => None,
        Store::PermissionDenied { .. } | Store::Unauthenticated { .. } => Some(denied(error)),
        // What a status means the client does not tell of lists.
        Store::Generic { .. } if matches!(status(&error), Some(401 | 403)) => Some(denied(error)),
        Store::NotSupported { .. } | Store::NotImplemented { .. } => {
            let clause = "the place does not offer this";
            Some(Error::new(ErrorKind::Unsupported, clause).with_source(error))
        }
        _ => Some(unavailable("the place does not answer", error)),
    }
}

/// What the answer to a list means, which can be empty but not missing.
pub(crate) fn of_list(error: object_store::Error) -> Error {
    if status(&error) == Some(404) {
        return no_bucket(error);
    }
    of_read(error).unwrap_or_else(|| {
        Error::new(ErrorKind::Unavailable, "the place can't list what lies there").retryable()
    })
}

/// The answer when a place did not answer in time.
pub(crate) fn too_slow() -> Error {
    Error::new(ErrorKind::Unavailable, "the place did not answer in time").retryable()
}

fn denied(error: object_store::Error) -> Error {
    Error::new(ErrorKind::Permission, "the place refuses access")
        .with_hint("check the credentials, and that they may list, read, write and delete here")
        .with_source(Told(error))
}

fn no_bucket(error: object_store::Error) -> Error {
    Error::new(ErrorKind::InvalidPlace, "the place has no such bucket or container")
        .with_hint("create it first, or correct its name")
        .with_source(Told(error))
}

fn refused(error: object_store::Error) -> Error {
    Error::new(ErrorKind::Refused, "the place refuses the request").with_source(Told(error))
}

fn unavailable(clause: &'static str, error: object_store::Error) -> Error {
    Error::new(ErrorKind::Unavailable, clause).with_source(Told(error)).retryable()
}

/// The status of the answer that an error comes from, where there was one.
fn status(error: &(dyn StdError + 'static)) -> Option<u16> {
    const BEFORE: &str = "status code: ";
    let text = texts(error).find(|text| text.contains(BEFORE))?;
    let (_, after) = text.split_once(BEFORE)?;
    after.get(..3)?.parse().ok()
}

/// Whether what is not there is not just an object: the codes of S3, of Google and of Azure.
fn says_no_bucket(error: &(dyn StdError + 'static)) -> bool {
    const CODES: [&str; 2] = ["NoSuchBucket", "ContainerNotFound"];
    texts(error).any(|text| CODES.iter().any(|code| text.contains(&format!("<Code>{code}</Code>"))))
}

/// What an error says, and what it comes from.
///
/// The client keeps the types that hold an answer to itself, but not their text.
fn texts(error: &(dyn StdError + 'static)) -> impl Iterator<Item = String> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error.to_string())
    })
}

/// An error of a place as the source of one of ours: what it says of addresses and answers is for
/// whoever asks for sources, and its debugging form for nobody.
#[derive(Debug)]
struct Told(object_store::Error);

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Told {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}
