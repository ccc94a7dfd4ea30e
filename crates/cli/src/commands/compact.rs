//! `sessile compact`.

use sessile::{From, SessionId, Store};

use crate::args::CompactArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, flags, messages};

/// Lets a summary stand for the messages before an entry.
pub(crate) async fn run(
    store: &Store,
    args: CompactArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let keep = From::seq(flags::seq(args.keep_from, "--keep-from")?);
    let session = store.open_session(id).await?;
    let summary = messages::from_file(&args.summary).await?;
    let committed = session.compact(keep, summary).await?;
    answer::added(&session, &committed, output)?;
    Ok(Exit::Done)
}
