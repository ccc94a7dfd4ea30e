//! `sessile forget`.

use sessile::Store;

use crate::args::ForgetArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, numbers};

/// Removes what all entries before one hold.
pub(crate) async fn run(
    store: &Store,
    args: ForgetArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let before = numbers::seq(args.before, "--before")?;
    let session = store.open_session(args.id).await?;
    match session.forget(before).await? {
        Some(committed) => answer::added(&session, &committed, output)?,
        None => answer::nothing_to_add(&session, output)?,
    }
    Ok(Exit::Done)
}
