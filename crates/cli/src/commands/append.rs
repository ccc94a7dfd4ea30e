//! `sessile append`.

use sessile::{Append, SessionId, Store};

use crate::args::AppendArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{answer, flags, identity, messages};

/// Appends the lines of standard input as the messages of one commit.
pub(crate) async fn run(
    store: &Store,
    args: AppendArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let mut append = match args.expect {
        Some(number) => Append::at(flags::position(number, "--expect")?),
        None => Append::at_end(),
    };
    if let Some(id) = args.commit_id {
        append = append.commit_id(flags::id(&id, "--commit-id")?);
    }
    let session = identity::open(store, id, args.identity).await?;
    let messages = messages::from_input().await?;
    let committed = session.append_with(append, messages).await?;
    answer::added(&session, &committed, output)?;
    Ok(Exit::Done)
}
