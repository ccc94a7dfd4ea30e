//! `sessile delete`.

use sessile::{SessionId, Store};

use crate::answer;
use crate::args::SessionArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::output::Output;

/// Deletes a session.
pub(crate) async fn run(
    store: &Store,
    args: SessionArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    store.delete(&id).await?;
    answer::gone(&id, "deleted", output)?;
    Ok(Exit::Done)
}
