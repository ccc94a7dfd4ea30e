//! `cargo xtask test --list`: which case checks what, on which backend.

use std::fmt::Write as _;

use crate::report::Report;
use crate::suites::{self, Case, SUITE};

/// Builds the tests and prints one row for each conformance case.
pub(super) fn cases(arguments: &[&str]) -> anyhow::Result<Report> {
    let mut cases = Vec::new();
    for suite in suites::build(arguments)? {
        cases.extend(suite.cases()?);
    }
    let text = if cases.is_empty() {
        format!("no conformance cases: no package has a test named `{SUITE}` that lists one\n")
    } else {
        table(&cases)
    };
    Ok(Report { passed: true, text })
}

/// The cases below each other in columns, and how many there are.
fn table(cases: &[Case]) -> String {
    let width = |cell: fn(&Case) -> &str| cases.iter().map(|it| cell(it).len()).max().unwrap_or(0);
    let backend_width = width(|case| &case.backend);
    let name_width = width(|case| &case.name);
    let mut backends: Vec<&str> = cases.iter().map(|case| case.backend.as_str()).collect();
    backends.sort_unstable();
    backends.dedup();
    let mut text = String::new();
    for Case { backend, name, tags } in cases {
        let tags = tags.join(" ");
        // Writing to a `String` cannot fail.
        _ = writeln!(text, "{backend:backend_width$}  {name:name_width$}  {tags}");
    }
    _ = writeln!(text, "cases: {}; backends: {}", cases.len(), backends.len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_stand_in_columns_and_are_counted() {
        let case = |backend: &str, name: &str, tags: &[&str]| Case {
            backend: backend.to_owned(),
            name: name.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        };
        let cases = [
            case("memory", "append/all_or_nothing", &["AppendIsAtomic", "TORN-1"]),
            case("fs", "documents/swap", &["records/22"]),
        ];
        let expected = "\
memory  append/all_or_nothing  AppendIsAtomic TORN-1
fs      documents/swap         records/22
cases: 2; backends: 2
";
        assert_eq!(table(&cases), expected);
    }
}
