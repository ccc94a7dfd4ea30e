//! The comments of a Rust file, without its code.

use proc_macro2::{Span, TokenStream, TokenTree};

/// The text with everything but comments blanked out, line by line where it was.
///
/// A comment is what the lexer leaves out. A doc comment it turns into tokens, all of which bear
/// the place of the comment, so they are known by the slashes that stand there.
pub(super) fn of(text: &str, stream: &TokenStream) -> String {
    let mut kept = text.as_bytes().to_vec();
    blank(text, &mut kept, stream);
    // Tokens begin and end between characters, so nothing is lost here.
    String::from_utf8_lossy(&kept).into_owned()
}

fn blank(text: &str, kept: &mut [u8], stream: &TokenStream) {
    for token in stream.clone() {
        let span = token.span();
        let source = text.get(span.byte_range()).unwrap_or_default();
        if source.starts_with("//") || source.starts_with("/*") {
            continue;
        }
        if let TokenTree::Group(group) = &token {
            blank_span(kept, group.span_open());
            blank(text, kept, &group.stream());
            blank_span(kept, group.span_close());
        } else {
            blank_span(kept, span);
        }
    }
}

fn blank_span(kept: &mut [u8], span: Span) {
    let bytes = kept.get_mut(span.byte_range()).unwrap_or_default();
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stay_in_their_lines_and_code_goes() {
        let text = "//! Head.\nfn f() { // why\n    g(\"// no\\n\n TODO\", 'é'); /* a\n b */ }\n\
                    /// Doc.\nstruct S;\n";
        let comments = of(text, &text.parse().unwrap());
        let lines: Vec<&str> = comments.lines().map(str::trim).collect();
        assert_eq!(lines, ["//! Head.", "// why", "", "/* a", "b */", "/// Doc.", ""]);
    }
}
