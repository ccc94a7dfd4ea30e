//! `cargo xtask examples`: refuses a public type without an example of its use.
//!
//! An example stands in the documentation of the type, or in that of the facade's re-export of it; a
//! module that the facade re-exports whole has one there. Held are the types that the facade exports,
//! and all of the crates of [`HELD`].

mod declared;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::anyhow;
use syn::{Item, UseTree, Visibility};

use crate::cargo;
use crate::files::{self, TextFile};
use crate::report::{Finding, Report};

use declared::{Declared, declared, is_shown};

/// The crate that users depend on.
const FACADE: &str = "sessile";

/// The crates of which every public type has an example, a line each.
const HELD: &[&str] = &[
    "conformance",
    "core",
    "engine",
    "fs",
    "interchange",
    "memory",
    "object",
    "records",
    "sessile",
    "workflow",
];

/// What the facade exports: the folder of the crate that it comes from and its name, and whether the
/// re-export shows it.
type Exports = BTreeMap<(String, String), bool>;

/// Checks every crate.
pub(crate) fn check() -> anyhow::Result<Report> {
    let (covered, findings) = findings(&files::below(cargo::root())?, HELD)?;
    Ok(Report::of("examples", &format!("{covered} types"), &findings))
}

/// How many types are to have an example, and those that have none.
fn findings(files: &[TextFile], held: &[&str]) -> anyhow::Result<(usize, Vec<Finding>)> {
    let mut types: Vec<(&str, &Path, Declared)> = Vec::new();
    let mut exports = Exports::new();
    let mut findings = Vec::new();
    for TextFile { path, text } in files {
        let Some(krate) = crate_of(path) else { continue };
        let parsed =
            syn::parse_file(text).map_err(|error| anyhow!("{}: {error}", path.display()))?;
        types.extend(declared(&parsed).into_iter().map(|it| (krate, path.as_path(), it)));
        if krate == FACADE {
            for item in &parsed.items {
                exported(item, path, &mut exports, &mut findings);
            }
        }
    }
    let mut covered = 0;
    for (krate, path, Declared { name, line, is_shown }) in types {
        let export = exports.get(&(krate.to_owned(), name.clone()));
        if export.is_none() && !held.contains(&krate) {
            continue;
        }
        covered += 1;
        if !is_shown && export != Some(&true) {
            let text = format!("`{name}` has no example: whoever uses the crate may name it");
            findings.push(Finding::at(path, line, text));
        }
    }
    Ok((covered, findings))
}

/// Takes down what an item of the facade exports, and refuses a bare module.
fn exported(item: &Item, path: &Path, exports: &mut Exports, findings: &mut Vec<Finding>) {
    let Item::Use(item) = item else { return };
    if !matches!(item.vis, Visibility::Public(_)) {
        return;
    }
    let is_shown = is_shown(&item.attrs);
    if let Some(module) = module(&item.tree).filter(|_| !is_shown) {
        let text = format!("module `{module}` has no example where it is re-exported");
        findings.push(Finding::at(path, item.use_token.span.start().line, text));
    }
    leaves(&item.tree, &mut |first, name| {
        let krate = first.strip_prefix("sessile_").unwrap_or(FACADE).to_owned();
        *exports.entry((krate, name)).or_default() |= is_shown;
    });
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

/// Tells each name at the end of a tree, with the first name on the way to it.
fn leaves(tree: &UseTree, tell: &mut dyn FnMut(&str, String)) {
    if let UseTree::Path(path) = tree {
        ends(&path.tree, &path.ident.to_string(), tell);
    }
}

fn ends(tree: &UseTree, first: &str, tell: &mut dyn FnMut(&str, String)) {
    match tree {
        UseTree::Path(path) => ends(&path.tree, first, tell),
        UseTree::Name(name) => tell(first, name.ident.to_string()),
        UseTree::Rename(renamed) => tell(first, renamed.ident.to_string()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| ends(tree, first, tell)),
        UseTree::Glob(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn found(files: &[(&str, &str)]) -> (usize, Vec<String>) {
        let files = files
            .iter()
            .map(|(path, text)| TextFile { path: PathBuf::from(path), text: (*text).to_owned() });
        let (covered, findings) = findings(&files.collect::<Vec<_>>(), &["held"]).unwrap();
        (covered, findings.iter().map(Finding::to_string).collect())
    }

    fn bare(place: &str) -> String {
        format!("{place}: `Bare` has no example: whoever uses the crate may name it")
    }

    const FACADE_FILE: &str = "crates/sessile/src/lib.rs";

    #[test]
    fn what_is_exported_without_an_example_is_refused_where_it_stands() {
        let (covered, findings) = found(&[
            (FACADE_FILE, "pub use sessile_core::{a::{self, Bare}, Shown};"),
            ("crates/core/src/a.rs", "/// Text.\npub struct Bare;"),
            ("crates/core/src/b.rs", "/// ```\n/// let it = 1;\n/// ```\npub enum Shown {}"),
        ]);
        assert_eq!(covered, 2);
        assert_eq!(findings, [bare("crates/core/src/a.rs:2")]);
    }

    #[test]
    fn the_example_of_a_re_export_is_one() {
        let (covered, findings) = found(&[
            (FACADE_FILE, "pub use told::Bare;"),
            ("crates/sessile/src/told.rs", "/// ```\n/// ```\npub use sessile_core::Bare;"),
            ("crates/core/src/a.rs", "pub trait Bare {}"),
        ]);
        assert_eq!((covered, findings), (1, vec![]));
    }

    #[test]
    fn a_module_has_its_example_where_it_is_re_exported() {
        let bare = "pub use sessile_core::lens;\npub use sessile_fs as fs;";
        let (_, findings) = found(&[(FACADE_FILE, bare)]);
        let refused = |line, name| {
            format!("{FACADE_FILE}:{line}: module `{name}` has no example where it is re-exported")
        };
        assert_eq!(findings, [refused(1, "lens"), refused(2, "fs")]);
        let shown = "/// ```\n/// ```\npub use sessile_fs as fs;";
        assert_eq!(found(&[(FACADE_FILE, shown)]).1, [""; 0]);
    }

    #[test]
    fn every_public_type_of_a_crate_that_is_held_has_an_example() {
        let text = "pub struct Bare;\nstruct Inner;\n/// ```\n/// ```\npub enum Shown {}";
        let (covered, findings) = found(&[("crates/held/src/a/b.rs", text)]);
        assert_eq!((covered, findings), (2, vec![bare("crates/held/src/a/b.rs:1")]));
    }

    #[test]
    fn what_is_not_exported_is_nobodys_business() {
        let (covered, findings) = found(&[
            (FACADE_FILE, "use sessile_core::Private; pub use sessile_core::function::*;"),
            ("crates/core/src/a.rs", "pub struct Private; pub(crate) struct Inner;"),
            ("crates/core/tests/a.rs", "pub struct Tested;"),
        ]);
        assert_eq!((covered, findings), (0, vec![]));
    }
}
