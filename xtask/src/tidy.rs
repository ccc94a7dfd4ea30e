//! `cargo xtask tidy`: refuses what a reader should never meet.
//!
//! Clippy and rustfmt have the first word; here stands what they do not see: leftovers, oversized
//! files, vague names, line ends, doc examples nobody compiles, statements that check nothing.

mod comments;
mod names;
mod text;
mod tokens;

use std::path::Path;

use crate::cargo;
use crate::files;
use crate::report::{Finding, Report};

/// Checks every text file of the work tree but the fixtures, whose bytes are what they are for.
pub(crate) fn check() -> anyhow::Result<Report> {
    let files = files::below(cargo::root())?;
    let findings: Vec<Finding> =
        files.iter().flat_map(|file| findings_in(&file.path, &file.text)).collect();
    Ok(Report::of("tidy", &format!("{} files", files.len()), &findings))
}

/// Everything wrong with one file.
fn findings_in(path: &Path, text: &str) -> Vec<Finding> {
    let mut findings = text::line_ends(path, text);
    if path.extension().is_some_and(|extension| extension == "rs") {
        findings.extend(names::of_file(path));
        findings.extend(text::length(path, text));
        match text.parse() {
            Ok(stream) => {
                findings.extend(text::prose(path, &comments::of(text, &stream)));
                findings.extend(tokens::check(path, stream));
            }
            Err(error) => findings.push(Finding::about(path, format!("is no Rust: {error}"))),
        }
    } else if !path.ends_with("Cargo.lock") {
        findings.extend(text::prose(path, text));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        findings_in(Path::new(path), text).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn every_rule_reaches_a_rust_file() {
        let text = "// FIXME\r\n/// ```ignore\nfn f() { matches!(1, 1); }";
        let found = findings("src/utils.rs", text);
        let wanted = ["line end", "last line", "`utils`", "FIXME", "```", "nothing"];
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for word in wanted {
            assert!(found.iter().any(|it| it.contains(word)), "{word} is missing in {found:?}");
        }
    }

    #[test]
    fn a_marker_in_a_string_is_data() {
        assert_eq!(findings("src/a.rs", "const TITLE: &str = \"TODO list\";\n"), [""; 0]);
    }

    #[test]
    fn a_marker_in_another_file_is_refused_wherever_it_stands() {
        assert_eq!(findings("docs/a.md", "Text.\n\nTODO: more text.\n").len(), 1);
        assert_eq!(findings("Cargo.lock", "# TODO\n"), [""; 0]);
    }

    #[test]
    fn what_does_not_lex_is_refused() {
        assert_eq!(findings("src/a.rs", "fn f() {\n").len(), 1);
    }
}
