//! Names that say nothing about what they hold.

use std::path::{Component, Path};

use crate::report::Finding;

/// Words that fit any content, so that a reader cannot guess what to find behind them.
const VAGUE: &[&str] =
    &["common", "helper", "helpers", "manager", "misc", "types", "util", "utils"];

/// Whether a module of this name could hold anything.
pub(super) fn is_vague(name: &str) -> bool {
    VAGUE.contains(&name)
}

/// What is wrong with the names along the path of a Rust file.
pub(super) fn of_file(path: &Path) -> Option<Finding> {
    let stem = path.file_stem();
    let folders = path.parent().into_iter().flat_map(Path::components).map(Component::as_os_str);
    let vague = folders.chain(stem).filter_map(|name| name.to_str()).find(|name| is_vague(name))?;
    Some(Finding::about(path, format!("`{vague}` could hold anything: name it by what it holds")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vague_name_is_refused_for_a_file_and_for_a_folder() {
        for path in ["src/utils.rs", "src/types/id.rs", "tests/common/start.rs", "src/misc.rs"] {
            assert!(of_file(Path::new(path)).is_some(), "{path}");
        }
    }

    #[test]
    fn a_name_that_says_more_is_fine() {
        for path in ["src/lib.rs", "src/entry_types.rs", "src/common_prefix.rs"] {
            assert_eq!(of_file(Path::new(path)), None, "{path}");
        }
    }
}
