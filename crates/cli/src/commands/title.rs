//! `sessile title`.

use sessile::{SessionId, Store};

use crate::answer;
use crate::args::TitleArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::output::Output;

/// Sets the title.
pub(crate) async fn run(
    store: &Store,
    args: TitleArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let session = store.open_session(id).await?;
    let committed = session.set_title(args.text).await?;
    answer::added(&session, &committed, output)?;
    Ok(Exit::Done)
}
