//! How a store on a filesystem is opened.

use std::time::Duration;

/// The options of a store on a filesystem.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// use std::fs::File;
/// use std::time::Duration;
///
/// use sessile_core::ErrorKind;
/// # use sessile_engine::{NewSession, Store};
/// use sessile_fs::{FsBackend, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let folder = tempfile::tempdir().expect("a folder");
/// let mut options = Options::default();
/// options.lock_deadline = Duration::from_millis(10);
/// let store = Store::on(Arc::new(FsBackend::open(folder.path(), options).await?));
/// let session = store.create_as("ses_42", NewSession::new()).await?;
///
/// // Another process that was stopped in the middle of an append, say in a debugger.
/// let path = folder.path().join("spaces/default/sessions/ses_42.lock");
/// let other = File::open(path).expect("the lock file");
/// other.lock().expect("nobody has it");
/// let error = session.append(["hi"]).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unavailable);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How long a writer waits for another process to finish its append; 30 s.
    pub lock_deadline: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { lock_deadline: Duration::from_secs(30) }
    }
}
