//! The modules of one crate, in the order in which their parents list them.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use syn::{Item, ItemMod};

use super::imports::{self, Import};
use crate::report::Finding;

/// Reads a file of the crate, given as it stands below the workspace's root.
pub(super) type Read<'r> = &'r dyn Fn(&Path) -> io::Result<String>;

/// A module: its imports, and its children bottom-up.
#[derive(Debug)]
pub(super) struct Module {
    /// The names from below the crate root; the root's own path is empty.
    pub(super) path: Vec<String>,
    pub(super) file: PathBuf,
    pub(super) imports: Vec<Import>,
    pub(super) children: Vec<Self>,
}

impl Module {
    /// The module itself and all below it.
    pub(super) fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }

    /// Where the child of this name stands among its siblings.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.children.iter().position(|child| child.path.last().is_some_and(|last| last == name))
    }

    /// The deepest module on the way along these names.
    pub(super) fn deepest(&self, names: &[String]) -> &Self {
        let next = names.split_first().and_then(|(name, rest)| {
            let child = self.children.get(self.position(name)?)?;
            Some((child, rest))
        });
        next.map_or(self, |(child, rest)| child.deepest(rest))
    }
}

/// A crate's modules, and what its files refuse to be.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) root: Module,
    pub(super) refused: Vec<Finding>,
}

/// Reads a crate from its entry file on, without the modules that only tests compile.
pub(super) fn load(entry: &Path, read: Read<'_>) -> anyhow::Result<Tree> {
    let mut loader = Loader { read, refused: Vec::new() };
    let items = parse(entry, &read(entry).with_context(|| entry.display().to_string())?)?;
    let folder = entry.parent().unwrap_or_else(|| Path::new(""));
    let root = loader.module(Vec::new(), Place { file: entry, folder }, &items)?;
    Ok(Tree { root, refused: loader.refused })
}

/// Where a module's text stands, and the folder that holds the files of its children.
#[derive(Clone, Copy)]
struct Place<'p> {
    file: &'p Path,
    folder: &'p Path,
}

struct Loader<'r> {
    read: Read<'r>,
    refused: Vec<Finding>,
}

impl Loader<'_> {
    fn module(
        &mut self,
        path: Vec<String>,
        place: Place<'_>,
        items: &[Item],
    ) -> anyhow::Result<Module> {
        let mut children = Vec::new();
        for item in items {
            if let Item::Mod(child) = item
                && !imports::is_for_tests(&child.attrs)
            {
                children.push(self.child(&path, place, child)?);
            }
        }
        let imports = imports::of(&path, items);
        Ok(Module { path, file: place.file.to_path_buf(), imports, children })
    }

    fn child(
        &mut self,
        parent: &[String],
        place: Place<'_>,
        child: &ItemMod,
    ) -> anyhow::Result<Module> {
        let name = imports::name(&child.ident);
        let path: Vec<String> = parent.iter().cloned().chain([name.clone()]).collect();
        let folder = place.folder.join(&name);
        if let Some((_, items)) = &child.content {
            return self.module(path, Place { file: place.file, folder: &folder }, items);
        }
        if child.attrs.iter().any(|attribute| attribute.path().is_ident("path")) {
            let line = child.ident.span().start().line;
            let text = format!(
                "module `{}` is kept under another name: drop `#[path]` and name the file after \
                 the module",
                path.join("::")
            );
            self.refused.push(Finding::at(place.file, line, text));
        }
        let (file, text) = self.find(&folder)?;
        let items = parse(&file, &text)?;
        self.module(path, Place { file: &file, folder: &folder }, &items)
    }

    /// The file of the module whose children live in `folder`.
    fn find(&mut self, folder: &Path) -> anyhow::Result<(PathBuf, String)> {
        let flat = folder.with_extension("rs");
        match (self.read)(&flat) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let nested = folder.join("mod.rs");
                let text = (self.read)(&nested).with_context(|| {
                    format!("there is neither {} nor {}", flat.display(), nested.display())
                })?;
                let way_out =
                    format!("a module's file bears its name: move it to {}", flat.display());
                self.refused.push(Finding::about(&nested, way_out));
                Ok((nested, text))
            }
            read => Ok((flat.clone(), read.with_context(|| flat.display().to_string())?)),
        }
    }
}

fn parse(file: &Path, text: &str) -> anyhow::Result<Vec<Item>> {
    let parsed = syn::parse_file(text)
        .map_err(|error| anyhow!("{}:{}: {error}", file.display(), error.span().start().line))?;
    Ok(if imports::is_for_tests(&parsed.attrs) { Vec::new() } else { parsed.items })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_from(files: &[(&str, &str)]) -> anyhow::Result<Tree> {
        load(Path::new("src/lib.rs"), &|path| {
            let file = files.iter().find(|(name, _)| Path::new(name) == path);
            let (_, text) = file.ok_or(io::ErrorKind::NotFound)?;
            Ok((*text).to_owned())
        })
    }

    fn paths(module: &Module) -> Vec<String> {
        let own = format!("{} in {}", module.path.join("::"), module.file.display());
        [own].into_iter().chain(module.children.iter().flat_map(paths)).collect()
    }

    #[test]
    fn modules_are_found_in_files_and_inline() {
        let tree = load_from(&[
            ("src/lib.rs", "mod b; mod a { mod inner; }"),
            ("src/b.rs", "mod child;"),
            ("src/b/child.rs", ""),
            ("src/a/inner.rs", ""),
        ])
        .unwrap();
        let expected = [
            " in src/lib.rs",
            "b in src/b.rs",
            "b::child in src/b/child.rs",
            "a in src/lib.rs",
            "a::inner in src/a/inner.rs",
        ];
        assert_eq!(paths(&tree.root), expected);
        assert_eq!(tree.root.count(), 5);
        assert_eq!(tree.refused, []);
    }

    #[test]
    fn modules_for_tests_are_left_out() {
        let text = "#[cfg(test)] mod tests; #[cfg(all(test, unix))] mod more;";
        let tree = load_from(&[("src/lib.rs", text)]).unwrap();
        assert_eq!(tree.root.count(), 1);
    }

    #[test]
    fn a_file_named_mod_is_refused_and_still_read() {
        let tree =
            load_from(&[("src/lib.rs", "mod a;"), ("src/a/mod.rs", "mod b;"), ("src/a/b.rs", "")])
                .unwrap();
        let refused: Vec<_> = tree.refused.iter().map(Finding::to_string).collect();
        assert_eq!(refused, ["src/a/mod.rs: a module's file bears its name: move it to src/a.rs"]);
        assert_eq!(tree.root.count(), 3);
    }

    #[test]
    fn a_path_attribute_is_refused() {
        let files = [("src/lib.rs", "#[path = \"x.rs\"]\nmod a;"), ("src/a.rs", "")];
        let refused = load_from(&files).unwrap().refused;
        assert!(
            matches!(&*refused, [one] if one.to_string().starts_with("src/lib.rs:2: module `a`"))
        );
    }

    #[test]
    fn a_missing_file_is_an_error_that_names_it() {
        let error = load_from(&[("src/lib.rs", "mod a;")]).unwrap_err();
        assert_eq!(error.to_string(), "there is neither src/a.rs nor src/a/mod.rs");
    }

    #[test]
    fn a_file_that_does_not_parse_is_an_error_with_its_line() {
        let error = load_from(&[("src/lib.rs", "mod a;"), ("src/a.rs", "\n}")]).unwrap_err();
        assert!(error.to_string().starts_with("src/a.rs:2: "), "{error}");
    }
}
