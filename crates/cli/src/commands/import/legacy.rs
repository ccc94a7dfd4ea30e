//! Taking over session files: a folder of them, or one session by any of its files.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sessile::interchange::session_files::{Content, Folder, Part, SessionFiles};
use sessile::{Error, ErrorKind, SessionId, Store};

use super::ending::Ending;
use super::row::tell;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::messages;
use crate::output::{Output, notice};

/// The files of each session, by its id.
type Found = BTreeMap<String, Vec<Part>>;

/// The answer for a session that can't be read.
#[derive(Debug, Serialize)]
struct Unread<'a> {
    source: String,
    format: &'a str,
    id: &'a str,
    damaged: &'a str,
}

/// Imports the sessions of a folder, or the one that a file belongs to. Those that can't be read
/// are told, and spoil no others.
pub(super) async fn import(
    store: &Store,
    path: &Path,
    new_id: Option<&SessionId>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (root, found) = found(path)?;
    if let (Some(_), 2..) = (new_id, found.len()) {
        let hint = "name one file of the session";
        return Err(Failure::usage("--as", "the folder has several sessions", hint));
    }
    let mut ending = Ending::default();
    for (id, parts) in found {
        let files = read(&root, &id, parts);
        let place = root.join(files_name(&files, &id)).display().to_string();
        let whole = match files.read() {
            Ok(whole) => whole,
            Err(error) => {
                ending.unreadable();
                tell_damaged(&root, &id, &error, output)?;
                continue;
            }
        };
        let source = whole.to_source();
        let imported = match new_id {
            Some(id) => store.import_as(id, &source).await,
            None => store.import(&source).await,
        };
        match imported {
            Ok(imported) => {
                ending.readable();
                for imported in &imported {
                    tell(&place, imported, output)?;
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::Conflict | ErrorKind::Exists) => {
                ending.conflict(error.about(&place));
            }
            Err(error) => return Err(error.about(&place).into()),
        }
    }
    ending.exit(path.display())
}

/// The newest file of a session, by which it is told.
fn files_name(files: &SessionFiles, id: &str) -> String {
    let newest = Part::ALL.iter().rev().find(|part| files.has(**part));
    newest.map_or_else(|| id.to_owned(), |part| part.path(id))
}

fn tell_damaged(root: &Path, id: &str, error: &Error, output: &mut Output) -> Result<(), Failure> {
    let source = root.join(error.subject().unwrap_or(id)).display().to_string();
    if output.is_json() {
        return output.value(&Unread { source, format: "legacy", id, damaged: error.clause() });
    }
    notice(&format!("sessile: {source} was skipped: {}", error.clause()));
    Ok(())
}

/// The root of a path, and the sessions that are meant by it.
fn found(path: &Path) -> Result<(PathBuf, Found), Failure> {
    if path.is_dir() {
        let found = sessions(path)?;
        if found.is_empty() {
            let error = Error::new(ErrorKind::Refused, "there are no session files in the folder");
            let error = error.with_hint("the folder that has sessions/ in it is meant");
            return Err(error.about(path.display()).into());
        }
        return Ok((path.to_owned(), found));
    }
    fs::symlink_metadata(path).map_err(|error| messages::unreadable(path, error))?;
    let name = |path: &Path| path.file_name().and_then(OsStr::to_str).map(str::to_owned);
    let folder = path.parent();
    let of = [Folder::Sessions, Folder::Messages]
        .into_iter()
        .find(|it| folder.and_then(name).is_some_and(|folder| folder == it.name()));
    let (Some(of), Some(name), Some(root)) = (of, name(path), folder.and_then(Path::parent)) else {
        return Err(no_part(path));
    };
    let Some((_, id)) = Part::of(of, &name) else { return Err(no_part(path)) };
    let mut all = sessions(root)?;
    let found = all.remove_entry(id).into_iter().collect();
    Ok((root.to_owned(), found))
}

fn no_part(path: &Path) -> Failure {
    let clause = "it is none of the files of a session";
    let hint = "they stand as ID.jsonl or ID.json in a folder sessions or messages";
    Error::new(ErrorKind::Refused, clause).with_hint(hint).about(path.display()).into()
}

/// The sessions of a root; a folder that is not there has none.
fn sessions(root: &Path) -> Result<Found, Failure> {
    let mut found = Found::new();
    for of in [Folder::Sessions, Folder::Messages] {
        let folder = root.join(of.name());
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                let error = Error::new(ErrorKind::Corrupt, "a file stands in place of the folder")
                    .with_hint("see what stands there");
                return Err(error.about(folder.display()).into());
            }
            Err(error) => return Err(messages::unreadable(&folder, error).into()),
        };
        for entry in entries {
            let entry = entry.map_err(|error| messages::unreadable(&folder, error))?;
            if let Some((part, id)) = entry.file_name().to_str().and_then(|it| Part::of(of, it)) {
                found.entry(id.to_owned()).or_default().push(part);
            }
        }
    }
    Ok(found)
}

/// The files of one session as they are.
fn read(root: &Path, id: &str, parts: Vec<Part>) -> SessionFiles {
    let mut files = SessionFiles::new(id);
    for part in parts {
        let path = root.join(part.path(id));
        let content = match fs::read(&path) {
            Ok(bytes) => Content::of(bytes),
            Err(error) => {
                Content::Unreadable(messages::unreadable(&path, error).clause().to_owned())
            }
        };
        files.add(part, content);
    }
    files
}
