//! The test functions that there are, by name.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use anyhow::anyhow;
use proc_macro2::{TokenStream, TokenTree};

use crate::files::TextFile;

/// The names of all test functions of the crates, as `crate::module::function`.
///
/// The crate goes by its folder, and a test target is a module of it. What is ignored unless it
/// is asked for shows nothing, and is left out.
pub(super) fn among(files: &[TextFile]) -> anyhow::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for file in files {
        if let Some(module) = module(&file.path) {
            let stream: TokenStream =
                file.text.parse().map_err(|error| anyhow!("{}: {error}", file.path.display()))?;
            collect(&module, stream, &mut names);
        }
    }
    Ok(names)
}

/// The module that a file of a crate holds; none if it holds none.
fn module(path: &Path) -> Option<String> {
    let path = path.strip_prefix("crates").ok()?;
    if path.extension()? != "rs" {
        return None;
    }
    let without_ending = path.with_extension("");
    let mut parts = without_ending.components().map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let name = parts.next()??;
    let place = parts.next()??;
    if !matches!(place, "src" | "tests") {
        return None;
    }
    let mut module = vec![name];
    module.extend(parts.collect::<Option<Vec<_>>>()?);
    module.pop_if(|last| matches!(*last, "lib" | "main" | "mod"));
    Some(module.join("::"))
}

/// Collects the test functions of a module, also those within macros.
fn collect(module: &str, stream: TokenStream, names: &mut BTreeSet<String>) {
    let tokens = Vec::from_iter(stream);
    let mut rest = tokens.as_slice();
    let (mut is_test, mut is_ignored) = (false, false);
    while let [token, tail @ ..] = rest {
        rest = tail;
        match (token, tail) {
            (TokenTree::Punct(hash), [TokenTree::Group(attribute), tail @ ..])
                if hash.as_char() == '#' =>
            {
                let name = name_of(attribute.stream());
                is_test |= name == "test";
                is_ignored |= name == "ignore";
                rest = tail;
            }
            (TokenTree::Ident(keyword), [TokenTree::Ident(name), tail @ ..]) if keyword == "fn" => {
                if is_test && !is_ignored {
                    names.insert(format!("{module}::{name}"));
                }
                (is_test, is_ignored) = (false, false);
                rest = tail;
            }
            (
                TokenTree::Ident(keyword),
                [TokenTree::Ident(name), TokenTree::Group(body), tail @ ..],
            ) if keyword == "mod" => {
                collect(&format!("{module}::{name}"), body.stream(), names);
                rest = tail;
            }
            (TokenTree::Group(group), _) => collect(module, group.stream(), names),
            _ => {}
        }
    }
}

/// The last word of an attribute's path.
fn name_of(attribute: TokenStream) -> String {
    let words = attribute.into_iter().map_while(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        TokenTree::Punct(colon) if colon.as_char() == ':' => Some(String::new()),
        _ => None,
    });
    words.last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let file = TextFile { path: path.into(), text: text.to_owned() };
        among(&[file]).unwrap().into_iter().collect()
    }

    #[test]
    fn a_file_is_the_module_of_its_path() {
        let text = "#[test] fn t() {}";
        for (path, name) in [
            ("crates/a/src/lib.rs", "a::t"),
            ("crates/a/src/b.rs", "a::b::t"),
            ("crates/a/src/b/mod.rs", "a::b::t"),
            ("crates/a/src/b/tests.rs", "a::b::tests::t"),
            ("crates/a/tests/b.rs", "a::b::t"),
            ("crates/a/tests/b/main.rs", "a::b::t"),
            ("crates/a/tests/b/c.rs", "a::b::c::t"),
        ] {
            assert_eq!(found(path, text), [name], "{path}");
        }
        for path in ["crates/a/benches/b.rs", "crates/a/README.md", "src/a.rs"] {
            assert_eq!(found(path, text), [""; 0], "{path}");
        }
    }

    #[test]
    fn only_tests_that_run_are_found_wherever_they_stand() {
        let text = "
            fn helper() {}
            #[tokio::test(flavor = \"multi_thread\")] async fn one() { fn inner() {} }
            #[cfg(test)] fn not_one() {}
            #[cfg(test)] mod tests {
                #[test] #[should_panic] fn two() {}
                #[test] #[ignore = \"a child\"] fn not_two() {}
                proptest! { #![config(1)] #[test] fn three(x in 0..9) {} }
            }
            #[test] fn four() {}
        ";
        let names = ["a::b::four", "a::b::one", "a::b::tests::three", "a::b::tests::two"];
        assert_eq!(found("crates/a/src/b.rs", text), names);
    }
}
