//! What is found in a folder: transcripts, each a file or a few small ones.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use sessile::interchange::opencode::{self, Message};
use sessile::interchange::{self, Format, Source};
use sessile::{Error, ErrorKind};

use crate::messages;

/// A transcript in a folder.
#[derive(Debug)]
pub(super) enum Found {
    /// It is one file.
    File(PathBuf),
    /// It is a session of opencode's: its own file, and the folder of all.
    Opencode { root: PathBuf, session: PathBuf },
}

/// A transcript that was read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) source: Source,
    /// The small files of it that can't be read.
    pub(super) unread: Vec<PathBuf>,
}

impl Found {
    /// The file that it is told by.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Opencode { session: path, .. } => path,
        }
    }

    /// Reads it; none where its format is none that is known, or another than is asked for.
    ///
    /// # Errors
    /// *corrupt* where nothing of it can be read, and those of reading its file.
    pub(super) fn read(&self, only: Option<Format>) -> Result<Option<Read>, Error> {
        let is_asked_for = |format| only.is_none_or(|only| only == format);
        match self {
            Self::File(path) => {
                let bytes = fs::read(path).map_err(|error| messages::unreadable(path, error))?;
                let format = interchange::detect(&bytes).filter(|format| is_asked_for(*format));
                let Some(format) = format else { return Ok(None) };
                let mut source = interchange::parse(format, bytes.into())?;
                name_parent(&mut source, path);
                Ok(Some(Read { source, unread: Vec::new() }))
            }
            Self::Opencode { .. } if !is_asked_for(Format::Opencode) => Ok(None),
            Self::Opencode { root, session } => small_files(root, session).map(Some),
        }
    }
}

/// Gemini keeps what a sub-agent said in a folder that is named by the session that started it.
fn name_parent(source: &mut Source, path: &Path) {
    let folder = path.parent().and_then(Path::file_name).and_then(OsStr::to_str);
    let is_among_all = folder.is_none_or(|name| name == "chats");
    if source.format == Format::Gemini
        && let Some(main) = source.sessions.first_mut()
        && !is_among_all
        && main.source_id.as_deref() != folder
        && path.ancestors().nth(2).and_then(Path::file_name) == Some(OsStr::new("chats"))
    {
        main.source_parent = folder.map(str::to_owned);
    }
}

/// All transcripts below a folder, in the order of their names; links are not followed.
pub(super) fn below(root: &Path) -> Result<Vec<Found>, Error> {
    let mut all = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        if is_opencode(&folder) {
            for project in sorted(&folder.join("session"))? {
                let sessions = sorted(&project)?.into_iter().filter(|path| has(path, &["json"]));
                all.extend(
                    sessions.map(|session| Found::Opencode { root: folder.clone(), session }),
                );
            }
            continue;
        }
        let mut within = Vec::new();
        for path in sorted(&folder)? {
            let kind =
                path.symlink_metadata().map_err(|error| messages::unreadable(&path, error))?;
            if kind.is_dir() {
                within.push(path);
            } else if kind.is_file() && has(&path, &["jsonl", "json"]) {
                all.push(Found::File(path));
            }
        }
        folders.extend(within.into_iter().rev());
    }
    Ok(all)
}

fn is_opencode(folder: &Path) -> bool {
    ["session", "message", "part"].iter().all(|name| folder.join(name).is_dir())
}

fn has(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
}

/// What stands in a folder, by name; a folder that is not there has nothing.
fn sorted(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = |error| messages::unreadable(folder, error);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

/// Reads a session that is kept in small files.
fn small_files(root: &Path, session: &Path) -> Result<Read, Error> {
    let mut unread = Vec::new();
    let info = text(session)?;
    let name = |path: &Path| path.file_stem().map(OsStr::to_owned).unwrap_or_default();
    let folder = session.parent().map(name).unwrap_or_default();
    let project = root.join("project").join(folder).with_extension("json");
    let project = project.is_file().then(|| kept(&project, &mut unread)).flatten();
    let mut said = Vec::new();
    for path in sorted(&root.join("message").join(name(session)))? {
        let Some(info) = kept(&path, &mut unread) else { continue };
        let parts = sorted(&root.join("part").join(name(&path)))?;
        let parts = parts.iter().filter_map(|path| kept(path, &mut unread)).collect();
        let mut message = Message::default();
        (message.info, message.parts) = (info, parts);
        said.push(message);
    }
    let document = opencode::assemble(&info, project.as_deref(), said).map_err(|error| {
        Error::new(ErrorKind::Corrupt, error.clause().to_owned()).about(session.display())
    })?;
    let source = interchange::parse(Format::Opencode, document.into())?;
    Ok(Read { source, unread })
}

/// A small file that holds one JSON value; others are noted and left out.
fn kept(path: &Path, unread: &mut Vec<PathBuf>) -> Option<String> {
    let text = text(path).ok().filter(|text| sessile::Payload::parse(text.clone()).is_ok());
    if text.is_none() {
        unread.push(path.to_owned());
    }
    text
}

fn text(path: &Path) -> Result<String, Error> {
    let bytes = fs::read(path).map_err(|error| messages::unreadable(path, error))?;
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::Corrupt, "it is not UTF-8"))
}
