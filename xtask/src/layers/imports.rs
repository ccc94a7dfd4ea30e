//! What a module names outside itself: the paths in its code that start at `crate`, `self` or
//! `super`.
//!
//! Any other path begins with something in scope, and what is in scope got there by a `use` that
//! is seen here, is a child of the module, or is another crate.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItemFn, Item, ItemMod, ItemUse, Lit, Macro, Meta, Path, Token, UseTree};

/// A path as it is written in one module, made absolute.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) line: usize,
    /// The segments below the crate root; a glob ends in `*`.
    pub(super) target: Vec<String>,
}

/// Everything the items of one module name by `crate`, `self` or `super`.
///
/// Child modules are not entered (their imports are their own), nor is code that only tests
/// compile: tests look at whatever they test.
pub(super) fn of(module: &[String], items: &[Item]) -> Vec<Import> {
    let mut collector = Collector { module: module.to_vec(), found: Vec::new() };
    for item in items.iter().filter(|item| !matches!(item, Item::Mod(_))) {
        collector.visit_item(item);
    }
    collector.found
}

/// Whether something with these attributes is compiled for tests only.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        if path.is_ident("cfg") {
            attribute.parse_args::<Meta>().is_ok_and(|condition| requires_test(&condition))
        } else {
            // `#[test]`, `#[tokio::test]`.
            path.segments.last().is_some_and(|segment| segment.ident == "test")
        }
    })
}

/// Whether a `cfg` condition can hold in a test build only.
fn requires_test(condition: &Meta) -> bool {
    let Meta::List(list) = condition else {
        return condition.path().is_ident("test");
    };
    // An operand that is no `Meta` is a bare `true` or `false`, which holds without tests or never.
    let read = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let Ok(operands) = read else { return false };
    let mut operands = operands.iter();
    if list.path.is_ident("all") {
        operands.any(requires_test)
    } else {
        // `any()` of nothing never holds, and `not(...)` of anything can hold without tests.
        list.path.is_ident("any") && operands.all(requires_test)
    }
}

/// The name of an identifier as files spell it, without `r#`.
pub(super) fn name(ident: &Ident) -> String {
    ident.unraw().to_string()
}

struct Collector {
    /// Where `self` points.
    module: Vec<String>,
    found: Vec<Import>,
}

impl Collector {
    /// Keeps a path if it starts at one of the three anchors.
    fn record(&mut self, line: usize, segments: &[String]) {
        let Some((anchor, mut rest)) = segments.split_first() else {
            return;
        };
        let mut target = match anchor.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return,
        };
        if anchor == "super" {
            target.pop();
        }
        while let [word, tail @ ..] = rest
            && word == "super"
        {
            target.pop();
            rest = tail;
        }
        // `use crate::a::{self}` means `crate::a`.
        target.extend(rest.iter().filter(|word| *word != "self").cloned());
        self.found.push(Import { line, target });
    }

    /// Records each leaf of a `use`.
    fn record_leaves(&mut self, tree: &UseTree, prefix: &[String]) {
        let (line, leaf) = match tree {
            UseTree::Path(path) => {
                return self.record_leaves(&path.tree, &joined(prefix, name(&path.ident)));
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.record_leaves(item, prefix));
            }
            UseTree::Name(leaf) => (line_of(&leaf.ident), name(&leaf.ident)),
            UseTree::Rename(leaf) => (line_of(&leaf.ident), name(&leaf.ident)),
            UseTree::Glob(glob) => (glob.star_token.span.start().line, "*".to_owned()),
        };
        self.record(line, &joined(prefix, leaf));
    }

    /// Looks for paths in code that is not parsed: the arguments and bodies of macros.
    fn scan(&mut self, stream: TokenStream) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut rest = tokens.as_slice();
        while let [token, tail @ ..] = rest {
            rest = tail;
            match token {
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Ident(word) if word == "use" => {
                    if let Some((item, after)) = use_item(token, tail) {
                        self.visit_item_use(&item);
                        rest = after;
                    }
                }
                TokenTree::Ident(word) if word == "crate" || word == "self" || word == "super" => {
                    let (segments, after) = path_from(word, tail);
                    // A lone word is a receiver or a visibility, and behind `crate::$name` nobody
                    // can look.
                    if segments.len() > 1 {
                        self.record(line_of(word), &segments);
                    }
                    rest = after;
                }
                _ => {}
            }
        }
    }

    /// Looks for paths in string literals, as in `#[serde(with = "crate::hex")]`.
    fn scan_literals(&mut self, stream: TokenStream) {
        for token in stream {
            match token {
                TokenTree::Group(group) => self.scan_literals(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Lit::Str(text) = Lit::new(literal)
                        && let Ok(path) = text.parse::<Path>()
                    {
                        self.visit_path(&path);
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, inner: &'ast ItemMod) {
        // Only a module inside a function body gets here: it counts as a part of this one.
        self.module.push(name(&inner.ident));
        visit::visit_item_mod(self, inner);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_none() {
            self.record_leaves(&item.tree, &[]);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let segments: Vec<String> = path.segments.iter().map(|it| name(&it.ident)).collect();
        // A lone `self` is a receiver.
        if path.leading_colon.is_none()
            && segments.len() > 1
            && let Some(first) = path.segments.first()
        {
            self.record(line_of(&first.ident), &segments);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.scan(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        match &attribute.meta {
            // A link in a doc comment is no import.
            Meta::NameValue(pair) if pair.path.is_ident("doc") => {}
            Meta::List(list) => {
                self.scan(list.tokens.clone());
                self.scan_literals(list.tokens.clone());
            }
            _ => visit::visit_attribute(self, attribute),
        }
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {
        // `pub(in crate::a)` says who may look in; it uses nothing.
    }
}

fn line_of(ident: &Ident) -> usize {
    ident.span().start().line
}

fn joined(prefix: &[String], leaf: String) -> Vec<String> {
    prefix.iter().cloned().chain([leaf]).collect()
}

/// The path that begins with `first`, and the tokens behind it.
fn path_from<'t>(first: &Ident, mut rest: &'t [TokenTree]) -> (Vec<String>, &'t [TokenTree]) {
    let mut segments = vec![name(first)];
    while let [one, two, TokenTree::Ident(next), tail @ ..] = rest
        && is_punct(one, ':')
        && is_punct(two, ':')
    {
        segments.push(name(next));
        rest = tail;
    }
    (segments, rest)
}

/// The `use` item that begins with this keyword, and the tokens behind it.
///
/// `$crate` is read as `crate`: the macro is defined in the crate it then names.
fn use_item<'t>(keyword: &TokenTree, rest: &'t [TokenTree]) -> Option<(ItemUse, &'t [TokenTree])> {
    let end = rest.iter().position(|token| is_punct(token, ';'))?;
    let (body, after) = rest.split_at_checked(end + 1)?;
    let body = match body {
        [dollar, path @ ..] if is_punct(dollar, '$') => path,
        path => path,
    };
    let tokens: TokenStream = [keyword].into_iter().chain(body).cloned().collect();
    Some((syn::parse2(tokens).ok()?, after))
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(it) => &it.attrs,
        Item::Enum(it) => &it.attrs,
        Item::ExternCrate(it) => &it.attrs,
        Item::Fn(it) => &it.attrs,
        Item::ForeignMod(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        Item::Macro(it) => &it.attrs,
        Item::Mod(it) => &it.attrs,
        Item::Static(it) => &it.attrs,
        Item::Struct(it) => &it.attrs,
        Item::Trait(it) => &it.attrs,
        Item::TraitAlias(it) => &it.attrs,
        Item::Type(it) => &it.attrs,
        Item::Union(it) => &it.attrs,
        Item::Use(it) => &it.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests;
