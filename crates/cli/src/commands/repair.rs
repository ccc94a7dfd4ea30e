//! `sessile repair`.

use serde::Serialize;
use sessile::{SessionId, Store, Verification};

use crate::args::RepairArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::output::Output;
use crate::reading;
use crate::verification::Row;

/// The answer: what can be read now.
#[derive(Debug, Serialize)]
struct Receipt<'a> {
    #[serde(flatten)]
    found: Row<'a>,
    /// How many bytes at the end are set aside, or would be in a dry run.
    repaired: u64,
    /// How many entries were removed that were recorded to be, or would be in a dry run.
    removed: u64,
    dry_run: bool,
}

/// Sets a torn tail aside, and removes what is recorded to be; the exit status says whether the session is sound then.
pub(crate) async fn run(
    store: &Store,
    args: RepairArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let mut found = store.verify(&id).await?;
    let repaired = torn(&found);
    let removed = u64::try_from(found.unfinished.len()).unwrap_or(u64::MAX);
    if repaired + removed > 0 && !args.dry_run {
        store.open_session(&id).await?.repair().await?;
        found = store.verify(&id).await?;
    }
    let row = Row::of(&found);
    if output.is_json() {
        output.value(&Receipt { found: row, repaired, removed, dry_run: args.dry_run })?;
    } else {
        let done = match (repaired, args.dry_run) {
            (0, _) => "there is no torn tail to set aside".to_owned(),
            (bytes, false) => format!("{bytes} bytes were set aside"),
            (_, true) if found.copied_to.is_some() => {
                "a repair is refused: the copy could not be completed any more".to_owned()
            }
            (bytes, true) => format!("{bytes} bytes would be set aside; nothing was changed"),
        };
        let entries = reading::counted(removed, "entry", "entries");
        let completed = match (removed, args.dry_run) {
            (0, _) => String::new(),
            (_, false) => format!("\n    {entries} removed that were recorded to be"),
            (_, true) => format!("\n    {entries} would be removed that are recorded to be"),
        };
        output.line(&format!("{}\n    {done}{completed}", row.text()))?;
    }
    Ok(if found.sound { Exit::Done } else { Exit::Corrupt })
}

/// How many bytes at the end of the journal are kept nowhere else.
fn torn(found: &Verification) -> u64 {
    let torn = found.set_aside.iter().filter(|aside| aside.kept_at.is_none());
    torn.map(|aside| aside.bytes).sum()
}
