//! `sessile rewind`.

use sessile::{SessionId, Store};

use crate::args::RewindArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, flags};

/// Goes back to an entry.
pub(crate) async fn run(
    store: &Store,
    args: RewindArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let to = flags::seq(args.to, "--to")?;
    let session = store.open_session(id).await?;
    let committed = session.rewind(to).await?;
    answer::added(&session, &committed, output)?;
    Ok(Exit::Done)
}
