//! `sessile undelete`.

use sessile::{SessionId, Store};

use crate::answer;
use crate::args::SessionArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::output::Output;

/// Takes a deletion back.
pub(crate) async fn run(
    store: &Store,
    args: SessionArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let session = store.undelete(id).await?;
    answer::stepped(&session, output)?;
    Ok(Exit::Done)
}
