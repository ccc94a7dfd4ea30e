//! Taking over a folder of transcripts, as the programs that write them keep them.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use sessile::interchange::{Format, binding};
use sessile::{Error, ErrorKind, Store};

use super::ending::Ending;
use super::found::{Found, Read, below};
use super::row::tell;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, notice, remark};
use crate::progress::Progress;
use crate::reading;

/// The answer for a file of which nothing was taken over.
#[derive(Debug, Serialize)]
struct Unread<'a> {
    source: String,
    /// None where it is none that is known.
    format: Option<&'a str>,
    damaged: Option<&'a str>,
}

/// A transcript that waits for the one that started it.
struct Waiting {
    found: Found,
    source_id: Option<String>,
    parent: String,
}

/// Imports all transcripts of a folder, those that started others first. What can't be read is told,
/// and spoils no others.
pub(super) async fn import(
    store: &Store,
    root: &Path,
    only: Option<Format>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let all = below(root)?;
    let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
    let progress = Progress::begin("importing", Some(total), output.is_json());
    let mut course =
        Course { store, only, output, progress, ending: Ending::default(), unknown: 0 };
    let mut waiting = Vec::new();
    for found in all {
        let Some(read) = course.read(&found)? else { continue };
        let main = read.source.sessions.first();
        match main.and_then(|main| main.source_parent.clone()) {
            // It is read again when its turn comes: of all files only one is in memory.
            Some(parent) => {
                let source_id = main.and_then(|main| main.source_id.clone());
                waiting.push(Waiting { found, source_id, parent });
            }
            None => course.take(&found, &read).await?,
        }
    }
    while !waiting.is_empty() {
        let ids: BTreeSet<String> =
            waiting.iter().filter_map(|one| one.source_id.clone()).collect();
        let (mut later, mut next): (Vec<Waiting>, Vec<Waiting>) =
            waiting.into_iter().partition(|one| ids.contains(&one.parent));
        if next.is_empty() {
            // They started one another.
            next = std::mem::take(&mut later);
        }
        for one in next {
            if let Some(read) = course.read(&one.found)? {
                course.take(&one.found, &read).await?;
            }
        }
        waiting = later;
    }
    course.end(root)
}

/// The import of a folder.
struct Course<'a> {
    store: &'a Store,
    only: Option<Format>,
    output: &'a mut Output,
    progress: Progress,
    ending: Ending,
    /// How many files are of no format that is known.
    unknown: u64,
}

impl Course<'_> {
    /// Reads a transcript; none where nothing of it can be taken over, which is told.
    fn read(&mut self, found: &Found) -> Result<Option<Read>, Failure> {
        match found.read(self.only) {
            Ok(Some(read)) => Ok(Some(read)),
            Ok(None) => {
                self.progress.step();
                self.unknown += 1;
                if self.output.is_json() {
                    self.tell_unread(found, None)?;
                }
                Ok(None)
            }
            Err(error) => {
                self.progress.step();
                self.ending.unreadable();
                self.tell_unread(found, Some(&error))?;
                Ok(None)
            }
        }
    }

    /// Takes over what was read.
    async fn take(&mut self, found: &Found, read: &Read) -> Result<(), Failure> {
        let place = found.path().display().to_string();
        let imported = self.store.import(&read.source).await;
        self.progress.step();
        match imported {
            Ok(imported) => {
                self.ending.readable();
                self.progress.aside(self.output, |output| {
                    for imported in &imported {
                        tell(&place, imported, output)?;
                    }
                    for path in &read.unread {
                        notice(&format!("sessile: {} was skipped: not JSON", path.display()));
                    }
                    output.flush()
                })
            }
            Err(error) if is_of_the_file(&error) => {
                self.tell_unread(found, Some(&error))?;
                self.ending.conflict(error.about(&place));
                Ok(())
            }
            Err(error) => Err(error.about(&place).into()),
        }
    }

    fn tell_unread(&mut self, found: &Found, error: Option<&Error>) -> Result<(), Failure> {
        let source = found.path().display().to_string();
        let damaged = error.map(Error::clause);
        if self.output.is_json() {
            return self.output.value(&Unread { source, format: None, damaged });
        }
        let reason = damaged.unwrap_or("its format is none that is known");
        self.progress.aside(self.output, |_| {
            notice(&format!("sessile: {source} was skipped: {reason}"));
            Ok(())
        })
    }

    fn end(self, root: &Path) -> Result<Exit, Failure> {
        let Self { output, progress, ending, unknown, .. } = self;
        drop(progress);
        if ending.parts() == 0 {
            let error = Error::new(ErrorKind::Refused, "there is no transcript in the folder");
            let hint = format!(
                "transcripts end in .jsonl or .json, and bindings are RECORD/CONTEXT/{}",
                binding::FILE_NAME
            );
            return Err(error.with_hint(hint).about(root.display()).into());
        }
        if unknown > 0 {
            let files = reading::counted(unknown, "file is", "files are");
            remark(
                &format!("{files} of no known format, and left out; --json names them"),
                output,
            )?;
        }
        ending.exit(root.display())
    }
}

/// Whether an error is about one source, and the others can still be taken over.
fn is_of_the_file(error: &Error) -> bool {
    let kinds = [
        ErrorKind::Conflict,
        ErrorKind::Exists,
        ErrorKind::Closed,
        ErrorKind::Busy,
        ErrorKind::Refused,
        ErrorKind::Corrupt,
        ErrorKind::UnknownVersion,
    ];
    kinds.contains(&error.kind())
}
