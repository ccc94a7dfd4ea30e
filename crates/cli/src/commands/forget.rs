//! `sessile forget`.

use sessile::{SessionId, Store};

use crate::args::ForgetArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, flags};

/// Removes what all entries before one hold.
pub(crate) async fn run(
    store: &Store,
    args: ForgetArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let before = flags::seq(args.before, "--before")?;
    let session = store.open_session(id).await?;
    match session.forget(before).await? {
        Some(committed) => answer::added(&session, &committed, output)?,
        None => answer::nothing_to_add(&session, output)?,
    }
    Ok(Exit::Done)
}
