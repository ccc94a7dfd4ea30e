//! `sessile export`.

mod form;
mod legacy;
mod small_files;

use std::path::{Path, PathBuf};

use serde::Serialize;
use sessile::interchange::{ExportFormat, Format};
use sessile::records::Snapshots;
use sessile::{Error, ErrorKind, Export, Position, Seq, Session, SessionId, Store};

use self::form::Form;

use crate::answer;
use crate::args::ExportArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::new_file::NewFile;
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
    let form = args.format.as_deref().map(|word| flags::word(word, "--to", &Form::all()));
    let form: Option<Form> = form.transpose()?;
    let session = store.open_session(id).await?;
    let format = match form {
        Some(Form::Snapshot) => {
            let name = session.id().as_str().parse()?;
            let bytes = Snapshots::from(store).bytes(&name).await?.ok_or_else(|| {
                let error = Error::new(ErrorKind::Missing, "there is no snapshot of the session");
                let error = error.with_hint("only what was imported from a snapshot has one");
                error.about(format_args!("session {}", session.id()))
            })?;
            let whole = Whole { format: "snapshot", ending: "snapshot.json", bytes: &bytes };
            return whole.put(&session, args.output, args.force, output);
        }
        Some(Form::Legacy) => {
            let written = legacy::write(&session).await?;
            let bytes = written.bytes.as_bytes();
            let whole = Whole { format: "legacy", ending: "jsonl", bytes };
            let exit = whole.put(&session, args.output, args.force, output)?;
            for index in written.left_out {
                notice(&format!("sessile: message {} was left out: it has no role", index + 1));
            }
            return Ok(exit);
        }
        Some(Form::Session(format)) => Some(format),
        None => None,
    };
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
    let is_folder = path.is_dir();
    let (path, bytes) = if is_folder && format == ExportFormat::File(Format::Opencode) {
        let written = small_files::write(&mut export, &path, args.force).await;
        let bytes = written.map_err(|error| match error.subject() {
            Some(_) => error,
            None => error.about(format_args!("session {}", session.id())),
        })?;
        (path, bytes)
    } else {
        let path = if is_folder { path.join(export.file_name()) } else { path };
        let bytes = write(&mut export, &path, args.force).await?;
        (path, bytes)
    };
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
    let mut file = NewFile::begin(path, force)?;
    while let Some(piece) = export.next().await {
        file.add(&piece?)?;
    }
    Ok(file.finish()?)
}

/// A file that is known whole before it is written.
#[derive(Debug)]
struct Whole<'a> {
    format: &'static str,
    /// What its name ends with, after the id.
    ending: &'static str,
    bytes: &'a [u8],
}

impl Whole<'_> {
    /// Prints it, or writes it as a file.
    fn put(
        &self,
        session: &Session,
        path: Option<PathBuf>,
        force: bool,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let Some(path) = path.filter(|path| path != Path::new("-")) else {
            output.bytes(self.bytes)?;
            output.flush()?;
            answer::receipt(session);
            return Ok(Exit::Done);
        };
        let name = format!("{}.{}", session.id(), self.ending);
        let path = if path.is_dir() { path.join(name) } else { path };
        let mut file = NewFile::begin(&path, force)?;
        file.add(self.bytes)?;
        let bytes = file.finish()?;
        answer::receipt(session);
        let path = path.display().to_string();
        if !output.is_json() {
            output.line(&path)?;
            return Ok(Exit::Done);
        }
        let (session, position) = (session.id(), session.position());
        let (format, left_out) = (self.format, Vec::new());
        output.value(&Exported { session, position, format, path, bytes, left_out })?;
        Ok(Exit::Done)
    }
}
