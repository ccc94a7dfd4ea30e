//! `sessile redact`.

use sessile::{Seq, SessionId, Store};

use crate::args::RedactArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, flags};

/// Removes what entries hold.
pub(crate) async fn run(
    store: &Store,
    args: RedactArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let seqs = args.seqs.iter().map(|number| flags::seq(*number, "SEQ"));
    let seqs: Vec<Seq> = seqs.collect::<Result<_, _>>()?;
    let session = store.open_session(id).await?;
    let committed = session.redact(seqs, args.reason.as_deref()).await?;
    answer::added(&session, &committed, output)?;
    Ok(Exit::Done)
}
