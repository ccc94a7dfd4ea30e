//! Rules about lines of text, whatever the language.

use std::path::Path;

use crate::report::Finding;

/// More lines than this and a file holds more than one thing.
const LONG: usize = 400;

/// More lines than this and the file is refused.
const TOO_LONG: usize = 600;

/// Words that leave work behind in place of an issue.
const MARKERS: &[&str] = &["TODO", "FIXME", "XXX"];

/// Line ends other than a line feed, and a last line without one.
pub(super) fn line_ends(path: &Path, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(at) = text.split('\n').position(|line| line.contains('\r')) {
        let text = "has a line end other than a line feed: convert the file";
        findings.push(Finding::at(path, at + 1, text));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        findings.push(Finding::about(path, "its last line has no end: add a line feed"));
    }
    findings
}

/// The size of a source file.
pub(super) fn length(path: &Path, text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    let about = |limit| {
        let text = format!("{lines} lines, more than {limit}: split it by what it holds");
        Finding::about(path, text)
    };
    if lines > TOO_LONG {
        Some(about(TOO_LONG))
    } else if lines > LONG {
        Some(about(LONG).warned())
    } else {
        None
    }
}

/// Markers and unchecked examples in what is written for people.
pub(super) fn prose(path: &Path, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(marker) = marker_in(line) {
            let text = format!("{marker}: do it now, or open an issue");
            findings.push(Finding::at(path, number, text));
        }
        if fence_in(line).is_some_and(is_ignored) {
            let text = "a ``` block marked `ignore` is never compiled: make it run, or say \
                        `no_run`, `compile_fail` or `text`";
            findings.push(Finding::at(path, number, text));
        }
    }
    findings
}

fn marker_in(line: &str) -> Option<&str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .find(|word| MARKERS.contains(word))
}

/// What stands behind the opening marks of a code block, in a comment or outside.
fn fence_in(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '\t', '/', '!', '*', '>']);
    line.strip_prefix("```").or_else(|| line.strip_prefix("~~~"))
}

/// Whether the words behind a fence keep rustdoc from compiling it, on any platform or on some.
fn is_ignored(info: &str) -> bool {
    info.split([' ', '\t', ',', '`', '~', '{', '}', '.'])
        .any(|word| word == "ignore" || word.starts_with("ignore-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose_of(text: &str) -> Vec<String> {
        prose(Path::new("a"), text).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_carriage_return_is_refused_with_its_line() {
        let found = line_ends(Path::new("a"), "one\ntwo\r\nthree\r\n");
        let text = "has a line end other than a line feed: convert the file";
        assert_eq!(found, [Finding::at(Path::new("a"), 2, text)]);
    }

    #[test]
    fn a_last_line_without_end_is_refused() {
        assert_eq!(line_ends(Path::new("a"), "one").len(), 1);
        assert_eq!(line_ends(Path::new("a"), "one\n"), []);
        assert_eq!(line_ends(Path::new("a"), ""), []);
    }

    #[test]
    fn a_long_file_is_warned_about_and_a_longer_one_refused() {
        let of = |lines: usize| {
            length(Path::new("a"), &"\n".repeat(lines)).map(|it| it.to_string().contains("warning"))
        };
        assert_eq!(of(400), None);
        assert_eq!(of(401), Some(true));
        assert_eq!(of(600), Some(true));
        assert_eq!(of(601), Some(false));
    }

    #[test]
    fn a_marker_is_refused_as_a_whole_word() {
        assert_eq!(prose_of("# TODO: x").len(), 1);
        assert_eq!(prose_of("(FIXME)\n// XXX").len(), 2);
        assert_eq!(prose_of("a todo, TODOS, XXXX, TODO_LIST"), [""; 0]);
    }

    #[test]
    fn an_ignored_example_is_refused() {
        for line in ["/// ```ignore", "//! ```rust,ignore", "~~~ ignore", "* ```ignore-windows"] {
            assert_eq!(prose_of(line).len(), 1, "{line}");
        }
        for line in ["/// ```", "/// ```no_run", "/// ```text", "we ignore ```"] {
            assert_eq!(prose_of(line), [""; 0], "{line}");
        }
    }
}
