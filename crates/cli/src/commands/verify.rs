//! `sessile verify`.

use sessile::{Filter, SessionId, Store};

use crate::args::SomeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::output::{Output, remark};
use crate::progress::Progress;
use crate::verification::Row;
use crate::walk::Walk;

/// Reads one session or all of them whole; the exit status says whether all are sound.
pub(crate) async fn run(
    store: &Store,
    args: SomeArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if let Some(id) = args.id {
        let id: SessionId = flags::id(&id, "ID")?;
        let verification = store.verify(id).await?;
        tell(&Row::of(&verification), output)?;
        return Ok(if verification.sound { Exit::Done } else { Exit::Corrupt });
    }
    let mut exit = Exit::Done;
    let mut walk = Walk::new(store, Filter::all());
    let mut is_empty = true;
    let progress = Progress::begin("verifying", None, output.is_json());
    while let Some(summary) = walk.next().await? {
        is_empty = false;
        progress.step();
        if !is_sound(store, &summary.id, &progress, output).await? {
            exit = Exit::Corrupt;
        }
    }
    drop(progress);
    if is_empty {
        remark(&format!("there are no sessions in space {}", store.status().space), output)?;
    }
    Ok(exit)
}

/// Verifies one of many: what can't be verified does not stop the others.
async fn is_sound(
    store: &Store,
    id: &SessionId,
    progress: &Progress,
    output: &mut Output,
) -> Result<bool, Failure> {
    let mut tell = |row: Row<'_>| progress.aside(output, |output| tell(&row, output));
    match store.verify(id).await {
        Ok(verification) => {
            tell(Row::of(&verification))?;
            Ok(verification.sound)
        }
        Err(error) if Exit::of(&error) == Exit::Corrupt => {
            tell(Row::unreadable(id, &error))?;
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

fn tell(row: &Row<'_>, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() { output.value(row) } else { output.line(&row.text()) }
}
