//! Why a case failed, and the checks that say so.

use std::error::Error as StdError;
use std::fmt;

use sessile_core::{Error, ErrorKind, Outcome, Position, Revision};

/// Why a case failed, for people.
///
/// Any error becomes one by `?`, with the errors that caused it.
///
/// # Examples
/// ```
/// use sessile_conformance::Failed;
///
/// fn begun(port: &str) -> Result<u16, Failed> {
///     // Whatever keeps a place from being made becomes one.
///     let port = port.parse()?;
///     let reserved = || Failed::new(format!("port {port} is reserved"));
///     (port > 1_023).then_some(port).ok_or_else(reserved)
/// }
/// assert_eq!(begun("x").unwrap_err().to_string(), "invalid digit found in string");
/// assert_eq!(begun("80").unwrap_err().to_string(), "port 80 is reserved");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Failed(String);

impl Failed {
    /// Says what was expected and what came instead.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: StdError> From<E> for Failed {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        Self(text)
    }
}

/// Fails with a message unless a condition holds.
macro_rules! ensure {
    ($holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err($crate::failed::Failed::new(format!($($message)+)));
        }
    };
}

pub(crate) use ensure;

/// Fails unless two values are equal.
#[expect(clippy::needless_pass_by_value, reason = "most callers compare what they just made")]
pub(crate) fn same<T: PartialEq + fmt::Debug>(
    what: &str,
    actual: T,
    expected: T,
) -> Result<(), Failed> {
    ensure!(actual == expected, "{what}: expected {expected:?}, got {actual:?}");
    Ok(())
}

/// Fails unless an answer is an error of a kind that surely had no effect; answers the error.
pub(crate) fn fails<T>(
    what: &str,
    answer: Result<T, Error>,
    kind: ErrorKind,
) -> Result<Error, Failed> {
    let Err(error) = answer else {
        let wanted = kind.name();
        return Err(Failed::new(format!("{what}: expected {wanted}, was done")));
    };
    ensure!(
        error.kind() == kind,
        "{what}: expected {}, got {}: {error}",
        kind.name(),
        error.kind().name()
    );
    ensure!(
        error.outcome() == Outcome::NotApplied,
        "{what}: {} must say that nothing was applied",
        kind.name()
    );
    Ok(error)
}

/// Fails unless an answer is a conflict that names where the journal really ends.
pub(crate) fn conflicts_at<T>(
    what: &str,
    answer: Result<T, Error>,
    actual: Position,
) -> Result<(), Failed> {
    let error = fails(what, answer, ErrorKind::Conflict)?;
    let named = error.actual_position();
    ensure!(
        named == Some(actual),
        "{what}: the conflict must name position {actual}, names {named:?}"
    );
    Ok(())
}

/// Fails unless an answer is a conflict that names the revision that a document really has.
pub(crate) fn conflicts_with<T>(
    what: &str,
    answer: Result<T, Error>,
    actual: Option<Revision>,
) -> Result<(), Failed> {
    let error = fails(what, answer, ErrorKind::Conflict)?;
    let named = error.actual_revision();
    ensure!(named == actual, "{what}: the conflict must name revision {actual:?}, names {named:?}");
    Ok(())
}

/// Takes the one value out of a list that must have one.
pub(crate) fn only<T>(what: &str, list: Vec<T>) -> Result<T, Failed> {
    let count = list.len();
    let mut list = list.into_iter();
    match (list.next(), list.next()) {
        (Some(value), None) => Ok(value),
        _ => Err(Failed::new(format!("{what}: expected one, got {count}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_with_its_causes() {
        let error = Error::new(ErrorKind::Unavailable, "the lock was not free in time")
            .with_source(std::io::Error::other("held"));
        assert_eq!(Failed::from(error).to_string(), "the lock was not free in time: held");
    }

    #[test]
    fn another_kind_and_an_unknown_outcome_are_failures() {
        let conflict = || Error::new(ErrorKind::Conflict, "it moved");
        let answer = |error| Err::<(), _>(error);
        assert!(fails("x", answer(conflict()), ErrorKind::Conflict).is_ok());
        assert!(fails("x", answer(conflict()), ErrorKind::Missing).is_err());
        let unknown = conflict().outcome_unknown();
        assert!(fails("x", answer(unknown), ErrorKind::Conflict).is_err());
        assert!(fails("x", Ok(()), ErrorKind::Conflict).is_err());
    }
}
