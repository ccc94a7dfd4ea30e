//! `sessile undelete`.

use sessile::Store;

use crate::answer;
use crate::args::SessionArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Takes a deletion back.
pub(crate) async fn run(
    store: &Store,
    args: SessionArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session = store.undelete(args.id).await?;
    answer::stepped(&session, output)?;
    Ok(Exit::Done)
}
