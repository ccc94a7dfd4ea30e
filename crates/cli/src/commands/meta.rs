//! `sessile meta`.

use sessile::{SessionId, Store};

use crate::answer;
use crate::args::MetaArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::members;
use crate::output::Output;

/// Sets metadata key by key.
pub(crate) async fn run(
    store: &Store,
    args: MetaArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let members = members::read(args.members, "KEY=JSON")?;
    let session = store.open_session(id).await?;
    let committed = session.set_meta(members).await?;
    answer::added(&session, &committed, output)?;
    Ok(Exit::Done)
}
