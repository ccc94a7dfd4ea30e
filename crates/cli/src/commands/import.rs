//! `sessile import`.

mod kind;
mod row;
mod ending;
mod ledger;
mod snapshot;
mod bindings;
mod legacy;
mod found;
mod folder;

use sessile::interchange::{self, Format};
use sessile::{SessionId, Store};

use self::kind::Kind;
use self::row::tell;

use crate::args::ImportArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::messages;
use crate::output::{Output, remark};

/// Imports one file, or a folder of bindings or of session files.
pub(crate) async fn run(
    store: &Store,
    args: ImportArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let place = args.path.display().to_string();
    let given = args.from.map(|word| flags::word(&word, "--from", &Kind::all())).transpose()?;
    let new_id = args.id.map(|text| flags::id::<SessionId>(&text, "--as")).transpose()?;
    let kind = match given {
        Some(kind) => kind,
        None => Kind::of_path(&args.path).map_err(|error| error.about(&place))?,
    };
    match kind {
        Kind::Bindings if new_id.is_some() => {
            let hint = "each is kept under its own record and context";
            return Err(Failure::usage("--as", "bindings are no session", hint));
        }
        Kind::Bindings => return bindings::import(store, &args.path, output).await,
        Kind::Transcript(Format::Legacy) => {
            return legacy::import(store, &args.path, new_id.as_ref(), output).await;
        }
        Kind::Transcript(Format::Ledger) if new_id.is_some() => {
            let hint = "each of its sessions keeps its own id";
            return Err(Failure::usage("--as", "a ledger is no one session", hint));
        }
        Kind::Folder if new_id.is_some() => {
            let hint = "name one file in it";
            return Err(Failure::usage("--as", "the folder may have several sessions", hint));
        }
        Kind::Folder => return folder::import(store, &args.path, None, output).await,
        Kind::Transcript(format) if args.path.is_dir() => {
            return folder::import(store, &args.path, Some(format), output).await;
        }
        Kind::Snapshot | Kind::Transcript(_) => {}
    }
    let bytes = std::fs::read(&args.path);
    let bytes = bytes.map_err(|error| messages::unreadable(&args.path, error))?;
    let Kind::Transcript(format) = kind else {
        return snapshot::import(store, &place, &bytes, new_id, output).await;
    };
    if format == Format::Ledger {
        return ledger::import(store, &place, bytes, output).await;
    }
    let source = interchange::parse(format, bytes.into()).map_err(|error| error.about(&place))?;
    let imported = match &new_id {
        Some(id) => {
            let imported = store.import_as(id, &source).await;
            imported.map_err(|error| error.about(format_args!("session {id}")))?
        }
        None => store.import(&source).await.map_err(|error| error.about(&place))?,
    };
    for imported in &imported {
        tell(&place, imported, output)?;
    }
    // How many lines there were, and that each is accounted for.
    let (lines, skipped) = (source.lines, source.skipped.len());
    remark(&format!("{lines} lines, {skipped} of them skipped as unreadable"), output)?;
    Ok(Exit::Done)
}
