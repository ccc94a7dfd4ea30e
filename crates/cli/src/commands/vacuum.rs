//! `sessile vacuum`.

use serde::Serialize;
use sessile::{Filter, SessionId, Store, Vacuumed};

use crate::args::SomeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::output::Output;
use crate::progress::Progress;
use crate::walk::{Course, Walk};

/// The answer for one session.
#[derive(Debug, Serialize)]
struct Row<'a> {
    session: &'a SessionId,
    dropped: u64,
    emptied: u64,
    bytes_before: u64,
    bytes_after: u64,
}

/// Drops what the journals of one session, or of all, hold and nobody needs.
pub(crate) async fn run(
    store: &Store,
    args: SomeArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if let Some(id) = args.id {
        let id: SessionId = flags::id(&id, "ID")?;
        let progress = Progress::begin("vacuuming", None, output.is_json());
        let vacuumed = store.vacuum(id).await?;
        drop(progress);
        tell(&vacuumed, output)?;
        return Ok(Exit::Done);
    }
    let mut course = Course::new(output.is_json());
    let mut walk = Walk::new(store, Filter::all());
    let progress = Progress::begin("vacuuming", None, output.is_json());
    while let Some(summary) = walk.next().await? {
        let vacuumed = store.vacuum(&summary.id).await;
        progress.step();
        progress.aside(output, |output| match vacuumed {
            Ok(vacuumed) => tell(&vacuumed, output),
            Err(error) => course.note(error),
        })?;
    }
    drop(progress);
    Ok(course.exit())
}

fn tell(vacuumed: &Vacuumed, output: &mut Output) -> Result<(), Failure> {
    let Vacuumed { session, dropped, emptied, bytes_before, bytes_after, .. } = vacuumed;
    let (dropped, emptied) = (*dropped, *emptied);
    let (bytes_before, bytes_after) = (*bytes_before, *bytes_after);
    if output.is_json() {
        return output.value(&Row { session, dropped, emptied, bytes_before, bytes_after });
    }
    output.line(&format!(
        "{session}: {dropped} entries dropped, {emptied} emptied, {bytes_before} bytes before, \
         {bytes_after} now"
    ))
}
