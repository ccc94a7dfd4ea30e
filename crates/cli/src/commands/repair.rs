//! `sessile repair`.

use serde::Serialize;
use sessile::{SessionId, Store, Verification};

use crate::args::RepairArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::verification::Row;

/// The answer: what can be read now.
#[derive(Debug, Serialize)]
struct Receipt<'a> {
    #[serde(flatten)]
    found: Row<'a>,
    /// How many bytes at the end are set aside, or would be in a dry run.
    repaired: u64,
    dry_run: bool,
}

/// Sets a torn tail aside; the exit status says whether the session is sound then.
pub(crate) async fn run(
    store: &Store,
    args: RepairArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = args.id.parse()?;
    let mut found = store.verify(&id).await?;
    let repaired = torn(&found);
    if repaired > 0 && !args.dry_run {
        store.open_session(&id).await?.repair().await?;
        found = store.verify(&id).await?;
    }
    let row = Row::of(&found);
    if output.is_json() {
        output.value(&Receipt { found: row, repaired, dry_run: args.dry_run })?;
    } else {
        let done = match (repaired, args.dry_run) {
            (0, _) => "there is no torn tail to set aside".to_owned(),
            (bytes, false) => format!("{bytes} bytes were set aside"),
            (bytes, true) => format!("{bytes} bytes would be set aside; nothing was changed"),
        };
        output.line(&format!("{}\n    {done}", row.text()))?;
    }
    Ok(if found.sound { Exit::Done } else { Exit::Corrupt })
}

/// How many bytes at the end of the journal are kept nowhere else.
fn torn(found: &Verification) -> u64 {
    let torn = found.set_aside.iter().filter(|aside| aside.kept_at.is_none());
    torn.map(|aside| aside.bytes).sum()
}
