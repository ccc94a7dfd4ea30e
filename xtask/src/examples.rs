//! `cargo xtask examples`: refuses a type that the facade gives its users without showing its use.
//!
//! What the facade re-exports by name has an example in its own documentation, or in that of the
//! re-export; a module that it re-exports whole has one there. The types in it are left to their crates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use syn::{Attribute, Expr, Item, Lit, Meta, UseTree, Visibility};

use crate::cargo;
use crate::files::{self, TextFile};
use crate::report::{Finding, Report};

/// The crate that users depend on.
const FACADE: &str = "sessile";

/// A public type.
#[derive(Debug)]
struct Type {
    file: PathBuf,
    line: usize,
    is_shown: bool,
}

/// The public types of all crates, by the folder of their crate and by their name.
type Types = BTreeMap<(String, String), Vec<Type>>;

/// A name that is given to users.
#[derive(Debug)]
struct Export {
    /// The folder of the crate that it comes from.
    krate: String,
    name: String,
    is_shown: bool,
}

/// Checks what the facade exports.
pub(crate) fn check() -> anyhow::Result<Report> {
    let (covered, findings) = findings(&files::below(cargo::root())?)?;
    Ok(Report::of("examples", &format!("{covered} types"), &findings))
}

/// How many types are exported, and those that nothing shows.
fn findings(files: &[TextFile]) -> anyhow::Result<(usize, Vec<Finding>)> {
    let mut types = Types::new();
    let mut exports = Vec::new();
    let mut findings = Vec::new();
    for TextFile { path, text } in files {
        let Some(krate) = crate_of(path) else { continue };
        let parsed =
            syn::parse_file(text).map_err(|error| anyhow!("{}: {error}", path.display()))?;
        for item in &parsed.items {
            if let Some((name, line, attributes)) = public_type(item) {
                let found = Type { file: path.clone(), line, is_shown: is_shown(attributes) };
                types.entry((krate.to_owned(), name)).or_default().push(found);
            }
            if let Item::Use(item) = item
                && krate == FACADE
                && matches!(item.vis, Visibility::Public(_))
            {
                let is_shown = is_shown(&item.attrs);
                if let Some(module) = module(&item.tree).filter(|_| !is_shown) {
                    let text = format!("module `{module}` has no example where it is re-exported");
                    findings.push(Finding::at(path, item.use_token.span.start().line, text));
                }
                leaves(&item.tree, &mut |first, name| {
                    let krate = first.strip_prefix("sessile_").unwrap_or(FACADE).to_owned();
                    exports.push(Export { krate, name, is_shown });
                });
            }
        }
    }
    let mut covered = 0;
    for Export { krate, name, is_shown } in exports {
        let way_out = format!("`{name}` has no example: users of the facade name it");
        // What is no type is a module, or is exported from where another export has put it.
        let Some(found) = types.get(&(krate, name)) else { continue };
        covered += 1;
        if !is_shown && !found.iter().any(|it| it.is_shown) {
            findings.extend(found.first().map(|it| Finding::at(&it.file, it.line, way_out)));
        }
    }
    Ok((covered, findings))
}

/// The folder of the crate whose source a file is.
fn crate_of(path: &Path) -> Option<&str> {
    let mut parts = path.iter().map(|part| part.to_str());
    let (crates, krate, src) = (parts.next()??, parts.next()??, parts.next()??);
    let is_source = path.extension().is_some_and(|extension| extension == "rs");
    (crates == "crates" && src == "src" && is_source).then_some(krate)
}

/// The name of a public type, its line, and what stands above it.
fn public_type(item: &Item) -> Option<(String, usize, &[Attribute])> {
    let (vis, ident, attributes) = match item {
        Item::Struct(it) => (&it.vis, &it.ident, &it.attrs),
        Item::Enum(it) => (&it.vis, &it.ident, &it.attrs),
        Item::Trait(it) => (&it.vis, &it.ident, &it.attrs),
        _ => return None,
    };
    let line = ident.span().start().line;
    matches!(vis, Visibility::Public(_)).then(|| (ident.to_string(), line, attributes.as_slice()))
}

/// Whether documentation has a block of code.
fn is_shown(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        if let Meta::NameValue(meta) = &attribute.meta
            && meta.path.is_ident("doc")
            && let Expr::Lit(value) = &meta.value
            && let Lit::Str(text) = &value.lit
        {
            return text.value().contains("```");
        }
        false
    })
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
    fn what_is_exported_without_an_example_is_refused_where_it_stands() {
        let (covered, findings) = found(&[
            (FACADE_FILE, "pub use sessile_core::{a::{self, Bare}, Shown};"),
            ("crates/core/src/a.rs", "/// Text.\npub struct Bare;"),
            ("crates/core/src/b.rs", "/// ```\n/// let it = 1;\n/// ```\npub enum Shown {}"),
        ]);
        assert_eq!(covered, 2);
        let expected = "crates/core/src/a.rs:2: `Bare` has no example: users of the facade name it";
        assert_eq!(findings, [expected]);
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
    fn what_is_not_exported_is_nobodys_business() {
        let (covered, findings) = found(&[
            (FACADE_FILE, "use sessile_core::Private; pub use sessile_core::function::*;"),
            ("crates/core/src/a.rs", "pub struct Private; pub(crate) struct Inner;"),
            ("crates/core/tests/a.rs", "pub struct Tested;"),
        ]);
        assert_eq!((covered, findings), (0, vec![]));
    }
}
