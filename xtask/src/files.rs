//! The text files of the work tree.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Folders at the root that are not ours to read: fixtures are bytes, and cargo writes `target`.
const EXEMPT: &[&str] = &["fixtures", "target"];

/// The hidden folders that belong to the project; any other is a tool's own.
const HIDDEN: &[&str] = &[".cargo", ".ci", ".config"];

/// A text file with its path below the root.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Every text file below `root`, sorted by path.
///
/// The folder is walked and git is not asked, so that the answer is the same in a source archive.
pub(crate) fn below(root: &Path) -> anyhow::Result<Vec<TextFile>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let entry = entry.with_context(|| folder.display().to_string())?;
            let full = entry.path();
            let path = full.strip_prefix(root).unwrap_or(&full);
            // A link is not followed: what it points at is read where it stands.
            let kind = entry.file_type().with_context(|| full.display().to_string())?;
            if kind.is_dir() && is_ours(path) {
                folders.push(full);
            } else if kind.is_file() {
                let bytes = fs::read(&full).with_context(|| full.display().to_string())?;
                // What is not UTF-8 is no text, and no rule is about it.
                if let Ok(text) = String::from_utf8(bytes) {
                    files.push(TextFile { path: path.to_path_buf(), text });
                }
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn is_ours(folder: &Path) -> bool {
    let name = folder.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let exempt = EXEMPT.iter().any(|path| folder == Path::new(path));
    !exempt && (!name.starts_with('.') || HIDDEN.contains(&&*name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixtures_and_output_are_exempt_at_the_root_only() {
        assert!(!is_ours(Path::new("fixtures")));
        assert!(!is_ours(Path::new("target")));
        assert!(is_ours(Path::new("crates/core/src/fixtures")));
    }

    #[test]
    fn hidden_folders_are_read_if_they_are_the_projects_own() {
        assert!(is_ours(Path::new(".ci")));
        assert!(!is_ours(Path::new(".git")));
    }

    #[test]
    fn the_walk_finds_this_file_with_its_text() {
        let files = below(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let this = files.iter().find(|file| file.path == Path::new("src/files.rs"));
        assert!(this.is_some_and(|file| file.text.starts_with("//! The text files")));
    }
}
