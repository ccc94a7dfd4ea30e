//! `sessile rewind`.

use sessile::Store;

use crate::args::RewindArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, numbers};

/// Goes back to an entry.
pub(crate) async fn run(
    store: &Store,
    args: RewindArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let to = numbers::seq(args.to, "--to")?;
    let session = store.open_session(args.id).await?;
    let committed = session.rewind(to).await?;
    answer::added(&session, &committed, output)?;
    Ok(Exit::Done)
}
