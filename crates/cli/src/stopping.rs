//! Ctrl-C: it ends a command between two steps.

use sessile::Store;

use crate::failure::Failure;

/// Does work, until it is done or Ctrl-C is pressed.
///
/// What the work has begun in a store by then is carried through by the store; [`close`] waits for it.
///
/// # Errors
/// Those of the work; [`Failure::Stopped`].
pub(crate) async fn or_stopped<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::select! {
        // Asked first, so that nothing is printed or written while Ctrl-C still ends the process.
        biased;
        Ok(()) = tokio::signal::ctrl_c() => Err(Failure::Stopped),
        ended = work => ended,
    }
}

/// Closes a store: waits for what was begun, so that nothing is left half done. Who does not want to
/// wait presses Ctrl-C again.
///
/// # Errors
/// Those of closing; [`Failure::Stopped`].
pub(crate) async fn close(store: &Store) -> Result<(), Failure> {
    or_stopped(async { Ok(store.close().await?) }).await
}
