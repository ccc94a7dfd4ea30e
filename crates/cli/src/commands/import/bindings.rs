//! Taking over bindings: a folder of conversations, with a file for each that is bound.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sessile::interchange::binding;
use sessile::records::Bindings;
use sessile::{Error, ErrorKind, Store};

use super::ending::Ending;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::messages;
use crate::output::{Output, notice};

/// The answer for one file.
#[derive(Debug, Serialize)]
struct Row<'a> {
    source: String,
    format: &'a str,
    record: &'a str,
    context: &'a str,
    added: u64,
    skipped: Option<String>,
}

/// Imports all bindings of a folder; those that can't be read are told, and spoil no others.
pub(super) async fn import(
    store: &Store,
    root: &Path,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let all = Bindings::from(store);
    let mut ending = Ending::default();
    for record in names(root)? {
        let bindings = all.clone().record(record.as_str())?;
        let folder = root.join(&record);
        for context in names(&folder)? {
            let path = folder.join(&context).join(binding::FILE_NAME);
            let taken = match fs::read(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let clause = messages::unreadable(&path, error).clause().to_owned();
                    Err(Error::new(ErrorKind::Corrupt, clause))
                }
                Ok(bytes) => bindings.take_over(&context, &bytes).await,
            };
            let (added, skipped) = match taken {
                Ok(added) => {
                    ending.readable();
                    (u64::from(added), None)
                }
                Err(error) if is_of_the_file(&error) => {
                    // Another tool's file is none that is damaged.
                    match error.kind() {
                        ErrorKind::Corrupt => ending.unreadable(),
                        _ => ending.readable(),
                    }
                    (0, Some(error.clause().to_owned()))
                }
                Err(error) if error.kind() == ErrorKind::Conflict => {
                    let clause = error.clause().to_owned();
                    ending.conflict(error.about(path.display()));
                    (0, Some(clause))
                }
                Err(error) => return Err(error.about(path.display()).into()),
            };
            let (source, format) = (path.display().to_string(), "bindings");
            let (record, context) = (record.as_str(), context.as_str());
            tell(&Row { source, format, record, context, added, skipped }, output)?;
        }
    }
    if ending.parts() == 0 {
        let hint = format!("a folder of bindings has RECORD/CONTEXT/{}", binding::FILE_NAME);
        let error = Error::new(ErrorKind::Refused, "there is no binding in the folder");
        return Err(error.with_hint(hint).about(root.display()).into());
    }
    ending.exit(root.display())
}

/// Whether an error is about the file that was to be taken over, and not about the store.
fn is_of_the_file(error: &Error) -> bool {
    let kinds = [ErrorKind::Corrupt, ErrorKind::Refused, ErrorKind::InvalidId];
    kinds.contains(&error.kind()) && error.actual_revision().is_none()
}

fn tell(row: &Row<'_>, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.value(row);
    }
    if let Some(reason) = &row.skipped {
        notice(&format!("sessile: {} was skipped: {reason}", row.source));
    } else {
        let told = if row.added == 1 { "added" } else { "there already" };
        output.line(&format!("{}/{}: {told}", row.record, row.context))?;
    }
    Ok(())
}

/// The names of the folders in a folder, sorted; what is no text is nobody's binding.
fn names(folder: &Path) -> Result<Vec<String>, Failure> {
    let unreadable = |error| messages::unreadable(folder, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path: PathBuf = entry.map_err(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        names.extend(name.filter(|name| path.is_dir() && binding::is_segment(name)));
    }
    names.sort_unstable();
    Ok(names)
}
