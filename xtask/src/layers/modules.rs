//! The staircase inside a crate: a module may use what its parent lists before it, and its own
//! children.
//!
//! A parent stands above its children, for it uses them, and the crate root stands above all. So
//! no module can name an item of its parent or of the root, and none needs to: what several
//! children share lives in a child that is listed first, and a re-export is for other crates.

use super::imports::Import;
use super::tree::Module;
use crate::report::Finding;

/// Every import of the crate that climbs.
pub(super) fn climbs(root: &Module) -> Vec<Finding> {
    let mut findings = Vec::new();
    climbs_below(root, root, &mut findings);
    findings
}

fn climbs_below(root: &Module, module: &Module, findings: &mut Vec<Finding>) {
    for import in &module.imports {
        if let Some(text) = climb(root, module, import) {
            findings.push(Finding::at(&module.file, import.line, text));
        }
    }
    for child in &module.children {
        climbs_below(root, child, findings);
    }
}

/// Says what is wrong with an import, if it climbs.
fn climb(root: &Module, module: &Module, import: &Import) -> Option<String> {
    let target = root.deepest(&import.target);
    let parted = module.path.iter().zip(&target.path).take_while(|(a, b)| a == b).count();
    // Without a branch the target is the module itself or stands below it.
    let branch = module.path.get(parted)?;
    let fork = root.deepest(module.path.get(..parted)?);
    let here = module.path.join("::");
    let Some(other) = target.path.get(parted) else {
        let item = import.target.join("::");
        return Some(if fork.path.is_empty() {
            format!(
                "module `{here}` uses `crate::{item}`, and the crate root stands above every \
                 module: name it by its full path, or move it from the root into a module listed \
                 before `{branch}`"
            )
        } else {
            format!(
                "module `{here}` uses `{item}`, and `{}` stands above what it holds: name it by \
                 its full path, or move it into a child listed before `{branch}`",
                fork.path.join("::")
            )
        });
    };
    if fork.position(other)? < fork.position(branch)? {
        return None;
    }
    Some(format!(
        "module `{here}` uses `{}`, which stands above it: list `{other}` before `{branch}` in {}, \
         or move what both need into a module listed before them",
        target.path.join("::"),
        fork.file.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::super::tree;
    use super::*;

    /// What is refused in a crate of these files.
    fn refused(files: &[(&str, &str)]) -> Vec<String> {
        let tree = tree::load(Path::new("src/lib.rs"), &|path| {
            let file = files.iter().find(|(name, _)| Path::new(name) == path);
            let (_, text) = file.ok_or(io::ErrorKind::NotFound)?;
            Ok((*text).to_owned())
        });
        climbs(&tree.unwrap().root).iter().map(Finding::to_string).collect()
    }

    /// What is refused in a crate that lists `low`, `mid` (with the children `a`, `b`), `high`.
    fn refused_in(file: &str, text: &str) -> Vec<String> {
        let mut files = vec![
            ("src/lib.rs", "mod low; mod mid; mod high; pub use low::Low;"),
            ("src/low.rs", "pub struct Low;"),
            ("src/mid.rs", "mod a; mod b; pub use a::A; pub struct Mid;"),
            ("src/mid/a.rs", "pub struct A;"),
            ("src/mid/b.rs", "pub struct B;"),
            ("src/high.rs", "pub struct High;"),
        ];
        files.retain(|(name, _)| *name != file);
        files.push((file, text));
        refused(&files)
    }

    #[test]
    fn a_module_may_use_what_is_listed_before_it() {
        assert_eq!(refused_in("src/high.rs", "use crate::{low::Low, mid::Mid};"), [""; 0]);
        assert_eq!(refused_in("src/high.rs", "use super::low::Low;"), [""; 0]);
    }

    #[test]
    fn a_module_that_uses_a_later_one_is_refused_with_the_way_out() {
        let expected = "src/low.rs:2: module `low` uses `high`, which stands above it: list \
                        `high` before `low` in src/lib.rs, or move what both need into a module \
                        listed before them";
        assert_eq!(refused_in("src/low.rs", "\nuse crate::high::High;"), [expected]);
    }

    #[test]
    fn super_climbs_like_crate() {
        assert_eq!(refused_in("src/low.rs", "use super::high::High;").len(), 1);
        assert_eq!(refused_in("src/mid/a.rs", "use super::super::high::High;").len(), 1);
    }

    #[test]
    fn each_climbing_leaf_of_a_group_is_refused() {
        let found = refused_in("src/low.rs", "use crate::{\n mid::{a::A,\n b},\n high::*};");
        let places: Vec<_> = found.iter().filter_map(|it| it.split(" module").next()).collect();
        assert_eq!(places, ["src/low.rs:2:", "src/low.rs:3:", "src/low.rs:4:"]);
    }

    #[test]
    fn a_path_in_a_body_climbs_like_a_use() {
        assert_eq!(refused_in("src/low.rs", "fn f() { vec![crate::high::High] }").len(), 1);
    }

    #[test]
    fn a_reexport_that_climbs_is_refused() {
        assert_eq!(refused_in("src/low.rs", "pub use crate::high::High;").len(), 1);
    }

    #[test]
    fn a_child_may_use_earlier_siblings_and_what_its_ancestors_may() {
        let text = "use super::a::A; use crate::mid::a; use crate::low::Low;";
        assert_eq!(refused_in("src/mid/b.rs", text), [""; 0]);
    }

    #[test]
    fn a_child_that_uses_a_later_sibling_is_refused() {
        let found = refused_in("src/mid/a.rs", "use super::b::B;");
        assert_eq!(found.len(), 1);
        assert!(
            found.iter().all(|it| it.contains("list `b` before `a` in src/mid.rs")),
            "{found:?}"
        );
    }

    #[test]
    fn a_child_that_uses_a_module_above_its_parent_is_refused() {
        let found = refused_in("src/mid/a.rs", "use crate::high::High;");
        assert_eq!(found.len(), 1);
        assert!(found.iter().all(|it| it.contains("list `high` before `mid`")), "{found:?}");
    }

    #[test]
    fn a_child_that_names_an_item_of_its_parent_is_refused() {
        let expected = "src/mid/b.rs:1: module `mid::b` uses `mid::Mid`, and `mid` stands above \
                        what it holds: name it by its full path, or move it into a child listed \
                        before `b`";
        assert_eq!(refused_in("src/mid/b.rs", "use super::Mid;"), [expected]);
        assert_eq!(refused_in("src/mid/b.rs", "use crate::mid::Mid;"), [expected]);
        assert_eq!(refused_in("src/mid/b.rs", "use super::*;").len(), 1);
        assert_eq!(refused_in("src/mid/b.rs", "use super::{self, a::A};").len(), 1);
    }

    #[test]
    fn a_reexport_of_the_parent_is_no_way_around() {
        assert_eq!(refused_in("src/mid/b.rs", "use super::A;").len(), 1);
    }

    #[test]
    fn a_reexport_of_the_root_is_no_way_around() {
        let expected = "src/mid/b.rs:1: module `mid::b` uses `crate::Low`, and the crate root \
                        stands above every module: name it by its full path, or move it from the \
                        root into a module listed before `mid`";
        assert_eq!(refused_in("src/mid/b.rs", "use crate::Low;"), [expected]);
        assert_eq!(refused_in("src/high.rs", "use crate::*;").len(), 1);
    }

    #[test]
    fn a_parent_and_the_root_may_use_everything_below_them() {
        let text = "mod a; mod b; use self::b::B; pub(crate) use crate::mid::a::A;";
        assert_eq!(refused_in("src/mid.rs", text), [""; 0]);
        let root = "mod low; mod mid; mod high; use crate::high::High; use self::mid::Mid;";
        assert_eq!(refused_in("src/lib.rs", root), [""; 0]);
    }

    #[test]
    fn tests_may_look_at_everything() {
        let text = "#[cfg(test)] mod tests { use super::*; use crate::high::High; }";
        assert_eq!(refused_in("src/low.rs", text), [""; 0]);
    }

    #[test]
    fn an_inline_module_stands_on_the_same_stairs() {
        assert_eq!(refused(&[("src/lib.rs", "mod a { use super::b::B; } mod b {}")]).len(), 1);
        assert_eq!(refused(&[("src/lib.rs", "mod a {} mod b { use super::a::A; }")]), [""; 0]);
    }
}
