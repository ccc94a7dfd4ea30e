//! From what the operating system answers to what the caller does next.

use std::io;

use rustix::io::Errno;
use sessile_core::error::{Error, ErrorKind};

/// A link where the store has a file or folder of its own.
#[derive(Debug)]
pub(crate) struct Link {
    /// Its name.
    pub(crate) name: String,
}

impl std::fmt::Display for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is a link", self.name)
    }
}

impl std::error::Error for Link {}

/// Sorts an I/O error of an operation, which is told in one clause.
///
/// *Missing* is never decided here: whether a name that is not there means a missing session is
/// known only where the name is.
pub(crate) fn unavailable(doing: &'static str, error: io::Error) -> Error {
    let retry = || Error::new(ErrorKind::Unavailable, doing).retryable();
    let link = error.get_ref().and_then(|error| error.downcast_ref::<Link>());
    if let Some(link) = link {
        return Error::new(ErrorKind::Permission, format!("{doing}: {link}"))
            .with_hint("links below a store's root are not followed: put what it leads to there");
    }
    let failed = match Errno::from_io_error(&error) {
        Some(Errno::ACCESS | Errno::PERM) => Error::new(ErrorKind::Permission, doing)
            .with_hint("the store's folders need to be readable and writable by this user"),
        Some(Errno::ROFS) => Error::new(ErrorKind::Permission, doing)
            .with_hint("mount the filesystem for writing, or use a store that lies elsewhere"),
        Some(Errno::NOSPC | Errno::DQUOT) => {
            retry().with_hint("the disk is full: free space, then do it again")
        }
        Some(Errno::MFILE | Errno::NFILE) => {
            retry().with_hint("too many files are open: raise the limit, or close sessions")
        }
        Some(Errno::ISDIR | Errno::NOTDIR) => Error::new(ErrorKind::Corrupt, doing)
            .with_hint("a folder stands where a file should, or the other way round"),
        _ => retry(),
    };
    failed.with_source(error)
}

/// Whether nothing stands under a name.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// Whether no file can have such a name.
pub(crate) fn is_no_name(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NAMETOOLONG | Errno::INVAL))
}

/// Whether something stands under a name already.
pub(crate) fn exists(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists
}

/// Whether only the owner of a file or folder may do that to it.
pub(crate) fn is_not_owner(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::PERM)
}

/// Whether the disk is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOSPC | Errno::DQUOT))
}

/// Whether another program keeps a name busy for the moment.
pub(crate) fn is_busy(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::BUSY | Errno::TXTBSY))
}
