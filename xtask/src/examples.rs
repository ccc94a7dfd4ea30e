//! `cargo xtask examples`: refuses a public type without an example of its use.
//!
//! It holds for every crate that others can depend on. A module that the facade re-exports whole has
//! an example where it is re-exported.

mod declared;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::anyhow;
use syn::{Item, UseTree, Visibility};

use crate::cargo;
use crate::files::{self, TextFile};
use crate::report::{Finding, Report};

use declared::{Declared, declared, is_shown};

/// The crate that users depend on.
const FACADE: &str = "sessile";

/// Checks every crate that is a library.
pub(crate) fn check() -> anyhow::Result<Report> {
    let (covered, findings) = findings(&files::below(cargo::root())?)?;
    Ok(Report::of("examples", &format!("{covered} types"), &findings))
}

/// How many types are to have an example, and what has none.
fn findings(files: &[TextFile]) -> anyhow::Result<(usize, Vec<Finding>)> {
    let roots = files.iter().filter(|file| file.path.ends_with("src/lib.rs"));
    let libraries: BTreeSet<&str> = roots.filter_map(|file| crate_of(&file.path)).collect();
    let (mut covered, mut findings) = (0, Vec::new());
    for TextFile { path, text } in files {
        let Some(krate) = crate_of(path).filter(|it| libraries.contains(it)) else { continue };
        let parsed =
            syn::parse_file(text).map_err(|error| anyhow!("{}: {error}", path.display()))?;
        for Declared { name, line, is_shown } in declared(&parsed) {
            covered += 1;
            if !is_shown {
                let text = format!("`{name}` has no example: whoever uses the crate may name it");
                findings.push(Finding::at(path, line, text));
            }
        }
        if krate == FACADE {
            findings.extend(parsed.items.iter().filter_map(|item| bare_module(item, path)));
        }
    }
    Ok((covered, findings))
}

/// A module that the facade re-exports whole and shows nothing of.
fn bare_module(item: &Item, path: &Path) -> Option<Finding> {
    let Item::Use(item) = item else { return None };
    if !matches!(item.vis, Visibility::Public(_)) || is_shown(&item.attrs) {
        return None;
    }
    let module = module(&item.tree)?;
    let text = format!("module `{module}` has no example where it is re-exported");
    Some(Finding::at(path, item.use_token.span.start().line, text))
}

/// The folder of the crate whose source a file is.
fn crate_of(path: &Path) -> Option<&str> {
    let mut parts = path.iter().map(|part| part.to_str());
    let (crates, krate, src) = (parts.next()??, parts.next()??, parts.next()??);
    let is_source = path.extension().is_some_and(|extension| extension == "rs");
    (crates == "crates" && src == "src" && is_source).then_some(krate)
}

/// The module that is re-exported by itself, if one is: its name begins small, as no type's does.
fn module(tree: &UseTree) -> Option<String> {
    let name = match tree {
        UseTree::Path(path) => return module(&path.tree),
        UseTree::Name(name) => name.ident.to_string(),
        UseTree::Rename(renamed) => renamed.rename.to_string(),
        UseTree::Group(_) | UseTree::Glob(_) => return None,
    };
    name.starts_with(char::is_lowercase).then_some(name)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn found(files: &[(&str, &str)]) -> (usize, Vec<String>) {
        let files = files
            .iter()
            .map(|(path, text)| TextFile { path: PathBuf::from(path), text: (*text).to_owned() });
        let (covered, findings) = findings(&files.collect::<Vec<_>>()).unwrap();
        (covered, findings.iter().map(Finding::to_string).collect())
    }

    const FACADE_FILE: &str = "crates/sessile/src/lib.rs";

    #[test]
    fn every_public_type_of_a_library_has_an_example() {
        let text =
            "/// Text.\npub struct Bare;\nstruct Inner;\n/// ```\n/// ```\npub enum Shown {}";
        let (covered, findings) =
            found(&[("crates/a/src/b/c.rs", text), ("crates/a/src/lib.rs", "pub mod b;")]);
        assert_eq!(covered, 2);
        let place = "crates/a/src/b/c.rs:2";
        let expected =
            format!("{place}: `Bare` has no example: whoever uses the crate may name it");
        assert_eq!(findings, [expected]);
    }

    #[test]
    fn programs_and_tests_are_left_alone() {
        let (covered, findings) = found(&[
            ("crates/a/src/main.rs", "pub struct Bare;"),
            ("crates/b/src/lib.rs", "pub(crate) struct Inner;"),
            ("crates/b/tests/a.rs", "pub struct Tested;"),
            ("xtask/src/lib.rs", "pub struct Bare;"),
        ]);
        assert_eq!((covered, findings), (0, vec![]));
    }

    #[test]
    fn a_module_has_its_example_where_it_is_re_exported() {
        let bare = "pub use sessile_core::lens;\npub use sessile_fs as fs;\npub use a::{B, c};";
        let (_, findings) = found(&[(FACADE_FILE, bare)]);
        let refused = |line, name| {
            format!("{FACADE_FILE}:{line}: module `{name}` has no example where it is re-exported")
        };
        assert_eq!(findings, [refused(1, "lens"), refused(2, "fs")]);
        let shown = "/// ```\n/// ```\npub use sessile_fs as fs;";
        assert_eq!(found(&[(FACADE_FILE, shown)]).1, [""; 0]);
        // Another crate's own modules show themselves by what is in them.
        assert_eq!(found(&[("crates/a/src/lib.rs", bare)]).1, [""; 0]);
    }
}
