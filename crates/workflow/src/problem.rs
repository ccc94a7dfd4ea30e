//! Why something was refused, as far as a caller acts differently on it.

use std::fmt;

use sessile_core::{Error, ErrorKind, SessionKey};

/// What stands in the way of an operation on a workflow session: the source of the error that
/// tells of it.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Options, Workflow};
/// use sessile_core::Error;
/// use sessile_workflow::Problem;
///
/// fn asks_for_a_new_one(error: &Error) -> bool {
///     matches!(Problem::of(error), Some(Problem::Unknown | Problem::Expired | Problem::NotActive))
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// # let begin = Begin::new().project("shop").instruction("find the bug");
/// # let id = workflow.begin(begin).await?.summary.id;
/// workflow.close(id.as_str()).await?;
/// let again = Begin::new().project("shop").resume(id.as_str());
/// let closed = workflow.begin(again).await.unwrap_err();
/// assert!(asks_for_a_new_one(&closed));
/// // This one is for whoever wrote the call.
/// let blank = workflow.instruct(id.as_str(), " ", None).await.unwrap_err();
/// assert_eq!(Problem::of(&blank), Some(&Problem::Blank));
/// assert!(!asks_for_a_new_one(&blank));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The id is no id: fix the call. Kind *invalid id*.
    InvalidId,
    /// There is no such session, or it is another authority's. Kind *missing*.
    Unknown,
    /// It was the caller's own and was deleted: begin another. Kind *expired*.
    Expired,
    /// It is closed: begin another. Kind *closed*.
    NotActive,
    /// It belongs to another project. Kind *mismatch*.
    OtherProject,
    /// Its project has the same name and is another one by its identity. Kind *mismatch*.
    OtherProjectIdentity,
    /// No authority was named, and nothing is created without one. Kind *refused*.
    NoAuthority,
    /// A session without a project has no execution context. Kind *refused*.
    NoProject,
    /// The execution context breaks its rule, in these words. Kind *refused*.
    InvalidContext(String),
    /// There is no such mode. Kind *refused*.
    UnknownMode,
    /// A name of a guard is none: it is empty or too long. Kind *refused*.
    InvalidGuard,
    /// This guard would be lifted, which takes a scope that was verified. Kind *permission*.
    ScopeRequired(String),
    /// The guards that are stored can't be read: nothing is known to be allowed. Kind *corrupt*.
    UnreadableGuards,
    /// So many ids were drawn, and each is taken. Kind *exists*.
    IdsExhausted(usize),
    /// The text is blank. Kind *refused*.
    Blank,
    /// The store was not opened with the folds of workflow sessions. Kind *unsupported*.
    NotFolded,
}

impl Problem {
    /// The problem that an error tells of, if it tells of one.
    pub fn of(error: &Error) -> Option<&Self> {
        std::error::Error::source(error)?.downcast_ref()
    }

    /// The kind of the error that tells of it.
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::InvalidId => ErrorKind::InvalidId,
            Self::Unknown => ErrorKind::Missing,
            Self::Expired => ErrorKind::Expired,
            Self::NotActive => ErrorKind::Closed,
            Self::OtherProject | Self::OtherProjectIdentity => ErrorKind::Mismatch,
            Self::NoAuthority
            | Self::NoProject
            | Self::InvalidContext(_)
            | Self::UnknownMode
            | Self::InvalidGuard
            | Self::Blank => ErrorKind::Refused,
            Self::ScopeRequired(_) => ErrorKind::Permission,
            Self::UnreadableGuards => ErrorKind::Corrupt,
            Self::IdsExhausted(_) => ErrorKind::Exists,
            Self::NotFolded => ErrorKind::Unsupported,
        }
    }

    const fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::InvalidId => "give the id exactly as it was told, without spaces around it",
            Self::Unknown => "leave the id out to begin a session",
            Self::Expired | Self::NotActive => "begin another session",
            Self::OtherProject | Self::OtherProjectIdentity => {
                "continue it from its own project, or begin another session"
            }
            Self::NoAuthority => "name the authority with `as_owner`",
            Self::NoProject => "name a project, or give no context",
            Self::ScopeRequired(_) => "say that the scope was verified, once it was",
            Self::NotFolded => "open the store with the options that `Workflow::engine` makes",
            Self::UnreadableGuards => "begin another session; the bytes are kept",
            Self::IdsExhausted(_) => "the store's source of randomness repeats itself: replace it",
            Self::InvalidContext(_) | Self::UnknownMode | Self::InvalidGuard | Self::Blank => {
                return None;
            }
        })
    }

    /// The error that tells of it.
    pub(crate) fn error(self) -> Error {
        let error = Error::new(self.kind(), self.to_string());
        let error = match self.hint() {
            Some(hint) => error.with_hint(hint),
            None => error,
        };
        error.with_source(self)
    }

    /// The error that tells of it about a session.
    pub(crate) fn about(self, key: &SessionKey) -> Error {
        self.error().about(key)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidId => f.write_str("the id is no id of a session"),
            Self::Unknown => f.write_str("there is no such session"),
            Self::Expired => f.write_str("it was deleted"),
            Self::NotActive => f.write_str("it is closed"),
            Self::OtherProject => f.write_str("it belongs to another project"),
            Self::OtherProjectIdentity => {
                f.write_str("its project has another identity than asked for")
            }
            Self::NoAuthority => f.write_str("no authority was named"),
            Self::NoProject => f.write_str("it has no project, and so no execution context"),
            Self::InvalidContext(why) => write!(f, "the execution context is refused: {why}"),
            Self::UnknownMode => f.write_str("there is no such mode"),
            Self::InvalidGuard => f.write_str("the name of a guard has 1 to 64 characters"),
            Self::ScopeRequired(guard) => {
                write!(f, "guard {guard} would be lifted without a verified scope")
            }
            Self::UnreadableGuards => f.write_str("its guards can't be read"),
            Self::IdsExhausted(draws) => write!(f, "{draws} ids were drawn, and each is taken"),
            Self::Blank => f.write_str("the text is blank"),
            Self::NotFolded => f.write_str("the store does not fold workflow sessions"),
        }
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_tells_its_problem_and_what_to_do() {
        let error = Problem::ScopeRequired("write".to_owned()).error();
        assert_eq!(error.kind(), ErrorKind::Permission);
        assert_eq!(error.to_string(), "guard write would be lifted without a verified scope");
        assert_eq!(Problem::of(&error), Some(&Problem::ScopeRequired("write".to_owned())));
        assert!(error.hint().is_some());
        assert_eq!(Problem::of(&Error::new(ErrorKind::Missing, "nothing")), None);
    }
}
