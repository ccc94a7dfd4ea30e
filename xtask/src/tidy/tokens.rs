//! Rules about Rust code, read as tokens so that the bodies of macros count too.

use std::path::Path;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

use super::names;
use crate::report::Finding;

/// Macros that stand for code nobody has written.
const UNWRITTEN: &[&str] = &["todo", "unimplemented"];

/// Everything in the code that is refused.
pub(super) fn check(path: &Path, stream: TokenStream) -> Vec<Finding> {
    let mut findings = Vec::new();
    check_tokens(path, &Vec::from_iter(stream), &mut findings);
    findings
}

fn check_tokens(path: &Path, tokens: &[TokenTree], findings: &mut Vec<Finding>) {
    let mut refuse = |place: &Ident, text: String| {
        findings.push(Finding::at(path, place.span().start().line, text));
    };
    let mut rest = tokens;
    while let [_, tail @ ..] = rest {
        match rest {
            [TokenTree::Ident(name), bang, TokenTree::Group(_), ..]
                if is_punct(bang, '!') && UNWRITTEN.iter().any(|it| name == it) =>
            {
                refuse(name, format!("`{name}!` stands for code nobody has written: write it"));
            }
            [TokenTree::Ident(keyword), TokenTree::Ident(name), TokenTree::Group(_), ..]
                if keyword == "mod" && names::is_vague(&name.to_string()) =>
            {
                let text = format!("`{name}` could hold anything: name it by what it holds");
                refuse(name, text);
            }
            _ => {}
        }
        rest = tail;
    }
    for token in tokens {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let inner = Vec::from_iter(group.stream());
        // Elsewhere a semicolon does not end a statement: `[0; 4]`.
        if group.delimiter() == Delimiter::Brace {
            for statement in statements(&inner) {
                if let Some(predicate) = idle_predicate(statement) {
                    let line = predicate.span().start().line;
                    let text = format!("the answer of `{predicate}` changes nothing: assert it");
                    findings.push(Finding::at(path, line, text));
                }
            }
        }
        check_tokens(path, &inner, findings);
    }
}

/// Cuts a block behind each semicolon and each inner block that ends a statement by itself.
fn statements(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    let mut found = Vec::new();
    let mut start = 0;
    for (end, token) in (1..).zip(tokens) {
        if ends_statement(token, tokens.get(end)) {
            found.extend(tokens.get(start..end));
            start = end;
        }
    }
    found
}

fn ends_statement(token: &TokenTree, next: Option<&TokenTree>) -> bool {
    let TokenTree::Group(group) = token else {
        return is_punct(token, ';');
    };
    let goes_on = match next {
        Some(TokenTree::Punct(_)) => true,
        Some(TokenTree::Ident(word)) => word == "else",
        _ => false,
    };
    group.delimiter() == Delimiter::Brace && !goes_on
}

/// The predicate a statement asks for nothing: `matches!(..);`, `it.is_ok();`, or the same behind
/// `let _ =`, which also silences the compiler's own warning.
fn idle_predicate(statement: &[TokenTree]) -> Option<&Ident> {
    let [body @ .., end] = statement else {
        return None;
    };
    if !is_punct(end, ';') {
        return None;
    }
    let body = match body {
        [TokenTree::Ident(keyword), TokenTree::Ident(hole), equals, value @ ..]
            if keyword == "let" && hole == "_" && is_punct(equals, '=') =>
        {
            value
        }
        [TokenTree::Ident(hole), equals, value @ ..] if hole == "_" && is_punct(equals, '=') => {
            value
        }
        _ => body,
    };
    match body {
        [TokenTree::Ident(name), bang, TokenTree::Group(_)]
            if name == "matches" && is_punct(bang, '!') =>
        {
            Some(name)
        }
        [value @ .., dot, TokenTree::Ident(name), TokenTree::Group(_)]
            if is_punct(dot, '.') && name.to_string().starts_with("is_") && !hands_on(value) =>
        {
            Some(name)
        }
        _ => None,
    }
}

/// Whether the value of an expression that begins like this goes somewhere.
fn hands_on(expression: &[TokenTree]) -> bool {
    let keywords = ["return", "break", "yield"];
    expression.iter().any(|token| match token {
        TokenTree::Ident(word) => keywords.iter().any(|it| word == it),
        token => is_punct(token, '='),
    })
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        check(Path::new("a.rs"), source.parse().unwrap()).iter().map(Finding::to_string).collect()
    }

    /// What is found in a function of this body.
    fn found_in(body: &str) -> Vec<String> {
        found(&format!("fn f() {{ {body} }}"))
    }

    #[test]
    fn a_statement_that_asserts_nothing_is_refused() {
        for body in [
            "matches!(x, Some(_));",
            "g(); matches!(x, Some(_));",
            "if x { g(); } matches!(x, Some(_));",
            "let _ = matches!(x, Some(_));",
            "_ = matches!(x, Some(_));",
            "x.y(1)?.is_ok();",
            "let _ = x.is_none();",
            "for x in y { x.is_empty(); }",
            "runs(async { x.is_err(); });",
            "proptest! { fn p(x in 0..9) { x.is_positive(); } }",
        ] {
            let found = found_in(body);
            assert_eq!(found.len(), 1, "{body}: {found:?}");
            assert!(found.iter().all(|it| it.contains("changes nothing: assert it")), "{found:?}");
        }
    }

    #[test]
    fn an_answer_that_goes_somewhere_is_fine() {
        for body in [
            "assert!(matches!(x, Some(_)));",
            "let y = matches!(x, Some(_));",
            "y = x.is_ok();",
            "y |= x.is_ok();",
            "return x.is_ok();",
            "let y = if z { a } else { b }.is_ok();",
            "if x.is_ok() { g(); }",
            "x.is_ok()",
            "let y = [x.is_ok(); 3];",
            "g(x.is_ok());",
        ] {
            assert_eq!(found_in(body), [""; 0], "{body}");
        }
    }

    #[test]
    fn a_finding_bears_the_line_of_its_word() {
        let found = found("fn f() {\n    x\n        .is_ok();\n}\n");
        assert_eq!(found, ["a.rs:3: the answer of `is_ok` changes nothing: assert it"]);
    }

    #[test]
    fn code_nobody_has_written_is_refused() {
        assert_eq!(found_in("todo!()").len(), 1);
        assert_eq!(found_in("x.map(|_| unimplemented!(\"later\"))").len(), 1);
        assert_eq!(found_in("if todo != x { todo(); }"), [""; 0]);
    }

    #[test]
    fn a_vague_inline_module_is_refused() {
        assert_eq!(found("pub mod utils { }").len(), 1);
        // The file of a module that has one is refused by its own name.
        assert_eq!(found("mod utils; mod paths { }"), [""; 0]);
    }
}
