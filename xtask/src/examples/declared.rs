//! The public types that a file declares, those that its macros make included.
//!
//! What stands in a module within a file is left out: nothing outside can name it.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::{Attribute, Expr, File, Item, ItemMacro, Lit, Meta, Visibility};

/// What is said before the name of a type.
const KEYWORDS: &[&str] = &["struct", "enum", "trait", "union", "type"];

/// A public type.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    /// Counted from one.
    pub(super) line: usize,
    /// Whether its documentation has a block of code that is compiled.
    pub(super) is_shown: bool,
}

impl Declared {
    fn new(name: &str, span: Span, is_shown: bool) -> Self {
        Self { name: name.to_owned(), line: span.start().line, is_shown }
    }
}

/// The types of a file, in order.
pub(super) fn declared(file: &File) -> Vec<Declared> {
    let mut types = Vec::new();
    // Macros that make a type whose name they are given.
    let mut naming = BTreeSet::new();
    for item in &file.items {
        let (vis, ident, attributes) = match item {
            Item::Struct(it) => (&it.vis, &it.ident, &it.attrs),
            Item::Enum(it) => (&it.vis, &it.ident, &it.attrs),
            Item::Trait(it) => (&it.vis, &it.ident, &it.attrs),
            Item::Union(it) => (&it.vis, &it.ident, &it.attrs),
            Item::Type(it) => (&it.vis, &it.ident, &it.attrs),
            Item::Macro(it) => {
                of_macro(it, &mut naming, &mut types);
                continue;
            }
            _ => continue,
        };
        if matches!(vis, Visibility::Public(_)) {
            types.push(Declared::new(&ident.to_string(), ident.span(), is_shown(attributes)));
        }
    }
    types
}

/// Whether documentation has a block of code that is compiled.
pub(super) fn is_shown(attributes: &[Attribute]) -> bool {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => Some(&meta.value),
        _ => None,
    });
    // A page that is included is there for its blocks.
    lines.clone().any(|line| matches!(line, Expr::Macro(_)))
        || has_example(lines.filter_map(|line| match line {
            Expr::Lit(line) => Some(&line.lit),
            _ => None,
        }))
}

/// Whether lines of documentation have one; a block in another language, or one that nobody compiles,
/// shows nothing.
fn has_example<'a>(lines: impl Iterator<Item = &'a Lit>) -> bool {
    let mut is_open = false;
    for line in lines {
        let Lit::Str(line) = line else { continue };
        let line = line.value();
        let Some(language) = line.trim().strip_prefix("```") else { continue };
        let mut words = language.split(',').map(str::trim);
        let compiled = ["", "rust", "no_run", "should_panic", "compile_fail"];
        if !is_open && words.all(|word| compiled.contains(&word)) {
            return true;
        }
        is_open = !is_open;
    }
    false
}

/// What a macro makes where it is defined or called: `pub enum Name` with its own name, or one that
/// the call gives as its first word.
fn of_macro(item: &ItemMacro, naming: &mut BTreeSet<String>, types: &mut Vec<Declared>) {
    let tokens = item.mac.tokens.clone();
    if let Some(defined) = &item.ident {
        if within(tokens, types) {
            naming.insert(defined.to_string());
        }
    } else if item.mac.path.get_ident().is_some_and(|it| naming.contains(&it.to_string())) {
        let mut docs = Vec::new();
        for token in tokens {
            match &token {
                TokenTree::Ident(name) => {
                    let is_shown = has_example(docs.iter());
                    return types.push(Declared::new(&name.to_string(), name.span(), is_shown));
                }
                TokenTree::Group(group) => docs.extend(doc_line(group.stream())),
                _ => {}
            }
        }
    } else {
        within(tokens, types);
    }
}

/// The types among tokens, however deep they stand; whether one is made that has no name of its own.
fn within(tokens: TokenStream, types: &mut Vec<Declared>) -> bool {
    let mut takes_a_name = false;
    let mut docs = Vec::new();
    // The words since the last attribute.
    let mut words: Vec<String> = Vec::new();
    for token in tokens {
        match &token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                docs.extend(doc_line(group.stream()));
                words.clear();
            }
            TokenTree::Group(group) => {
                takes_a_name |= within(group.stream(), types);
                docs.clear();
                words.clear();
            }
            TokenTree::Ident(name) if is_declaration(&words) => {
                let is_shown = has_example(docs.iter());
                types.push(Declared::new(&name.to_string(), name.span(), is_shown));
                words.clear();
            }
            TokenTree::Punct(mark) if mark.as_char() == '$' && is_declaration(&words) => {
                takes_a_name = true;
                words.clear();
            }
            TokenTree::Ident(word) => words.push(word.to_string()),
            _ => words.clear(),
        }
    }
    takes_a_name
}

/// Whether the next word is the name of a public type.
fn is_declaration(words: &[String]) -> bool {
    matches!(words, [.., public, keyword] if public == "pub" && KEYWORDS.contains(&keyword.as_str()))
}

/// The line of documentation that the inside of an attribute is.
fn doc_line(tokens: TokenStream) -> Option<Lit> {
    let mut tokens = tokens.into_iter();
    let (Some(TokenTree::Ident(name)), Some(_), Some(TokenTree::Literal(line))) =
        (tokens.next(), tokens.next(), tokens.next())
    else {
        return None;
    };
    (name == "doc").then(|| Lit::new(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(String, usize, bool)> {
        let types = declared(&syn::parse_file(text).unwrap());
        types.into_iter().map(|it| (it.name, it.line, it.is_shown)).collect()
    }

    fn one(name: &str, line: usize, is_shown: bool) -> (String, usize, bool) {
        (name.to_owned(), line, is_shown)
    }

    #[test]
    fn every_kind_of_type_is_one_if_it_is_public() {
        let text = "pub struct A;\npub enum B {}\npub trait C {}\npub union D { a: u8 }\n\
                    pub type E = u8;\nstruct F;\npub(crate) enum G {}\npub fn h() {}\n\
                    mod private { pub trait I {} }";
        let names = ["A", "B", "C", "D", "E"].into_iter().zip(1..);
        assert_eq!(of(text), names.map(|(name, line)| one(name, line, false)).collect::<Vec<_>>());
    }

    #[test]
    fn only_a_block_that_is_compiled_is_an_example() {
        let shown = |block: &str| of(&format!("/// Text.\n/// {block}\n/// ```\npub struct A;"));
        for block in ["```", "```no_run", "```rust,should_panic"] {
            assert_eq!(shown(block), [one("A", 4, true)], "{block}");
        }
        for block in ["```text", "```ignore", "```json"] {
            assert_eq!(shown(block), [one("A", 4, false)], "{block}");
        }
        assert_eq!(of("/// Text.\npub struct A;"), [one("A", 2, false)]);
        assert_eq!(of("#[doc = include_str!(\"a.md\")]\npub struct A;"), [one("A", 2, true)]);
        let second = "/// ```text\n/// ```\n/// ```\n/// ```\npub struct A;";
        assert_eq!(of(second), [one("A", 5, true)]);
    }

    #[test]
    fn what_a_macro_makes_under_a_name_of_its_own_is_found() {
        let text = "macro_rules! words {\n($($it:ident,)*) => {\n/// Text.\n#[derive(Debug)]\n\
                    pub enum A { $($it,)* }\nimpl A { pub fn b() {} }\n/// ```\n/// ```\n\
                    pub struct C;\n};\n}\nwords! { X, }";
        assert_eq!(of(text), [one("A", 5, false), one("C", 9, true)]);
    }

    #[test]
    fn what_a_macro_makes_is_found_where_it_is_named() {
        let text = "macro_rules! words {\n($(#[$d:meta])* $n:ident {}) => {\n$(#[$d])*\n\
                    pub enum $n {}\n};\n}\nwords! {\n/// Text.\nA {}\n}\n\
                    words! {\n/// ```\n/// ```\nB {}\n}\nother! { C {} }";
        assert_eq!(of(text), [one("A", 9, false), one("B", 14, true)]);
    }
}
