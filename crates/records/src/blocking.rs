//! Calls that block, away from the runtime's own threads.

use sessile_core::{Error, ErrorKind};
use tokio::runtime::Handle;

/// Runs a call to its end, also where nobody waits for it any more.
///
/// # Errors
/// Its own, and [`ErrorKind::Unsupported`] outside a tokio runtime.
pub(crate) async fn run<T: Send + 'static>(
    call: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let runtime = Handle::try_current().map_err(|error| {
        Error::new(ErrorKind::Unsupported, "there is no tokio runtime to run on").with_source(error)
    })?;
    let ended = runtime.spawn_blocking(call).await;
    ended.unwrap_or_else(|error| {
        let error = Error::new(ErrorKind::Unavailable, "it was cut short").with_source(error);
        Err(error.outcome_unknown())
    })
}
