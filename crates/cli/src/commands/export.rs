//! `sessile export`.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sessile::interchange::ExportFormat;
use sessile::{Error, ErrorKind, Export, Position, Seq, SessionId, Store};

use crate::answer;
use crate::args::ExportArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::output::{Output, notice};

/// The answer where the file is not the answer itself.
#[derive(Debug, Serialize)]
struct Exported<'a> {
    session: &'a SessionId,
    position: Position,
    format: &'a str,
    path: String,
    bytes: u64,
    left_out: Vec<LeftOut<'a>>,
}

/// Entries that could not be read.
#[derive(Debug, Serialize)]
struct LeftOut<'a> {
    from: Seq,
    to: Seq,
    reason: &'a str,
}

/// Writes a session as a file.
pub(crate) async fn run(
    store: &Store,
    args: ExportArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id: SessionId = flags::id(&args.id, "ID")?;
    let format = args.format.map(|word| flags::word(&word, "--to", ExportFormat::ALL));
    let format: Option<ExportFormat> = format.transpose()?;
    let session = store.open_session(id).await?;
    let format = format.unwrap_or_else(|| ExportFormat::of(session.info().header.dialect));
    let mut export = if args.skip_damaged {
        store.export_readable(session.id(), format).await?
    } else {
        store.export(session.id(), format).await?
    };
    let path = args.output.filter(|path| path != Path::new("-"));
    let Some(path) = path else {
        let printed = print(&mut export, output).await;
        // What stands before a hole is printed before the hole is told of.
        output.flush()?;
        answer::receipt(&session);
        tell_left_out(&export);
        return printed;
    };
    let path = if path.is_dir() { path.join(export.file_name()) } else { path };
    let bytes = write(&mut export, &path, args.force).await?;
    answer::receipt(&session);
    tell_left_out(&export);
    if output.is_json() {
        let left_out = export.left_out().iter();
        output.value(&Exported {
            session: session.id(),
            position: export.position(),
            format: format.name(),
            path: path.display().to_string(),
            bytes,
            left_out: left_out
                .map(|it| LeftOut { from: it.from, to: it.to, reason: &it.reason })
                .collect(),
        })?;
    } else {
        output.line(&path.display().to_string())?;
    }
    Ok(Exit::Done)
}

/// Tells what is no part of the file because it could not be read.
fn tell_left_out(export: &Export) {
    for sessile::LeftOut { from, to, reason, .. } in export.left_out() {
        notice(&format!("sessile: entries {from} to {to} were left out: {reason}"));
    }
}

async fn print(export: &mut Export, output: &mut Output) -> Result<Exit, Failure> {
    while let Some(piece) = export.next().await {
        output.bytes(&piece?)?;
    }
    Ok(Exit::Done)
}

/// Writes a file that appears under its name when all of it is there; answers its size.
async fn write(export: &mut Export, path: &Path, force: bool) -> Result<u64, Failure> {
    // Told before the work as well, so that it is not done in vain.
    if !force && path.symlink_metadata().is_ok() {
        return Err(there_already(path).into());
    }
    let failed = |error| unwritable(path, error);
    let file = tempfile::Builder::new().prefix(".sessile-export-").tempfile_in(folder(path));
    let mut file = BufWriter::new(file.map_err(failed)?);
    let mut bytes = 0;
    while let Some(piece) = export.next().await {
        let piece = piece?;
        file.write_all(&piece).map_err(failed)?;
        bytes += u64::try_from(piece.len()).unwrap_or(u64::MAX);
    }
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.as_file().sync_all().map_err(failed)?;
    let named = if force { file.persist(path) } else { file.persist_noclobber(path) };
    named.map_err(|error| failed(error.error))?;
    Ok(bytes)
}

/// The folder that a file lies in.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn there_already(path: &Path) -> Error {
    Error::new(ErrorKind::Exists, "the file is there already")
        .with_hint("--force replaces it")
        .about(path.display())
}

/// Why a file can't be written.
fn unwritable(path: &Path, error: io::Error) -> Error {
    let told = |kind, clause| {
        Error::new(kind, clause).with_hint("choose another place for it").about(path.display())
    };
    match error.kind() {
        io::ErrorKind::AlreadyExists => there_already(path),
        io::ErrorKind::NotFound => told(ErrorKind::Missing, "the folder of the file is not there"),
        io::ErrorKind::NotADirectory => {
            told(ErrorKind::Refused, "a file stands where its folder should be")
        }
        io::ErrorKind::PermissionDenied => {
            told(ErrorKind::Permission, "the file can't be written").with_source(error)
        }
        _ => told(ErrorKind::Unavailable, "the file can't be written").with_source(error),
    }
}
