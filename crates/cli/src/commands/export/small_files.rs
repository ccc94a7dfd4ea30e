//! A session of opencode's as the small files that it keeps.

use std::fs;
use std::path::Path;

use sessile::interchange::opencode;
use sessile::{Error, ErrorKind, Export};

use crate::new_file::{self, NewFile};

/// The folder of all small files.
const STORAGE: &str = "storage";

/// Writes a session below a folder, each of its small files whole or not at all; answers how many
/// bytes they have. What is there already stays, unless it is to be replaced.
pub(super) async fn write(export: &mut Export, folder: &Path, force: bool) -> Result<u64, Error> {
    let mut document = Vec::new();
    while let Some(piece) = export.next().await {
        document.append(&mut piece?);
    }
    let document = String::from_utf8(document)
        .map_err(|_| Error::new(ErrorKind::Corrupt, "the session is not text"))?;
    let files = opencode::take_apart(&document)?;
    let paths: Vec<_> =
        files.iter().map(|file| folder.join(STORAGE).join(Path::new(&file.path))).collect();
    if !force {
        // All are looked at first, so that a refusal leaves nothing behind.
        paths.iter().try_for_each(|path| new_file::refuse_existing(path))?;
    }
    let mut bytes = 0;
    for (file, path) in files.iter().zip(&paths) {
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| new_file::unwritable(path, error))?;
        let mut new = NewFile::begin(path, force)?;
        new.add(file.content.as_bytes())?;
        bytes += new.finish()?;
    }
    Ok(bytes)
}
