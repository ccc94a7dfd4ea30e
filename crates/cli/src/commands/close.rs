//! `sessile close`.

use sessile::Store;

use crate::answer;
use crate::args::SessionArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Closes a session to messages.
pub(crate) async fn run(
    store: &Store,
    args: SessionArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session = store.open_session(args.id).await?;
    session.close().await?;
    answer::stepped(&session, output)?;
    Ok(Exit::Done)
}
