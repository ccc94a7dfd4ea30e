//! What the page must keep.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::page::{Page, Row};
use super::tags;
use crate::report::Finding;

/// Everything that is wrong with the page, given the cases with their tags and the names of the
/// test functions.
pub(super) fn findings(
    path: &Path,
    page: &Page,
    cases: &BTreeMap<String, Vec<String>>,
    functions: &BTreeSet<String>,
) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        page.unreadable.iter().map(|(line, text)| Finding::at(path, *line, text)).collect();
    findings.extend(each_statement_once(path, page));
    for row in &page.rows {
        let refuse = |text| Finding::at(path, row.line, text);
        findings.extend(false_names(row, cases, functions).map(refuse));
    }
    findings.extend(tagged_but_not_named(path, page, cases));
    findings
}

fn each_statement_once(path: &Path, page: &Page) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut missing: BTreeSet<String> = tags::all().collect();
    let known = missing.clone();
    // A row that can't be read is refused for itself.
    let mut seen = BTreeSet::new();
    for Row { line, tag, .. } in &page.rows {
        missing.remove(tag);
        if !known.contains(tag) {
            findings.push(Finding::at(path, *line, format!("{tag} is no statement")));
        } else if !seen.insert(tag) {
            findings.push(Finding::at(path, *line, format!("{tag} has a row already")));
        }
    }
    let rowless = |tag| Finding::about(path, format!("{tag} has no row that can be read"));
    findings.extend(missing.iter().map(rowless));
    findings
}

/// The names in a row of what is not there, or is not tagged with the statement.
fn false_names(
    row: &Row,
    cases: &BTreeMap<String, Vec<String>>,
    functions: &BTreeSet<String>,
) -> impl Iterator<Item = String> {
    row.verdict.names().iter().filter_map(|name| {
        let tag = &row.tag;
        match cases.get(name) {
            Some(tags) if tags.contains(tag) => None,
            Some(_) => Some(format!("{tag}: the case `{name}` is not tagged with it")),
            None if functions.contains(name) => None,
            None => Some(format!("{tag}: there is no case and no test `{name}`")),
        }
    })
}

/// The cases that do not stand in the row of a statement they are tagged with.
fn tagged_but_not_named(
    path: &Path,
    page: &Page,
    cases: &BTreeMap<String, Vec<String>>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (case, tags) in cases {
        for tag in tags.iter().filter(|tag| tags::is_of_statement(tag)) {
            match page.rows.iter().find(|row| row.tag == *tag) {
                Some(row) if row.verdict.names().contains(case) => {}
                Some(row) => {
                    let text = format!("{tag}: the case `{case}` is tagged with it: name it here");
                    findings.push(Finding::at(path, row.line, text));
                }
                None => {
                    let text = format!("the case `{case}` is tagged with {tag}, which has no row");
                    findings.push(Finding::about(path, text));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements::page;

    /// A page with a row for every statement; these rows stand in place of the usual ones.
    fn complete(rows: &[&str]) -> String {
        let said = |tag: &str| rows.iter().any(|row| row.contains(&format!("**{tag}**")));
        let usual = tags::all()
            .filter(|tag| !said(tag))
            .map(|tag| format!("- **{tag}** It holds. *pending*: later\n"));
        rows.iter().map(|row| format!("{row}\n")).chain(usual).collect()
    }

    fn found(text: &str) -> Vec<String> {
        let cases = BTreeMap::from([
            ("append/one".to_owned(), vec!["ReadsAreExact".to_owned(), "ID-1".to_owned()]),
            ("append/two".to_owned(), vec!["ReadsAreExact".to_owned()]),
        ]);
        let functions = BTreeSet::from(["core::line::a_test".to_owned()]);
        let findings = findings(Path::new("s.md"), &page::read(text), &cases, &functions);
        findings.iter().map(ToString::to_string).collect()
    }

    const GOOD: &str = "- **ID-1** It. *held by* `append/one`, `core::line::a_test`";

    #[test]
    fn a_page_that_keeps_the_rules_passes() {
        assert_eq!(found(&complete(&[GOOD])), [""; 0]);
        let pending = "- **ID-1** It. *pending*: later; so far `append/one`";
        assert_eq!(found(&complete(&[pending])), [""; 0]);
    }

    #[test]
    fn a_statement_without_a_row_is_refused() {
        let page = complete(&[GOOD]).replace("- **TORN-7** It holds. *pending*: later\n", "");
        assert_eq!(found(&page), ["s.md: TORN-7 has no row that can be read"]);
    }

    #[test]
    fn a_row_that_says_nothing_is_refused() {
        let found = found(&complete(&[GOOD, "- **TORN-7** It holds."]));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().any(|it| it.contains("exactly one of")), "{found:?}");
    }

    #[test]
    fn a_row_twice_or_of_no_statement_is_refused() {
        let twice = "- **TORN-7** It. *pending*: later";
        assert_eq!(found(&complete(&[GOOD, twice, twice])), ["s.md:3: TORN-7 has a row already"]);
        let unknown = "- **TORN-8** It. *pending*: later";
        assert_eq!(found(&complete(&[GOOD, unknown])), ["s.md:2: TORN-8 is no statement"]);
    }

    #[test]
    fn a_name_of_nothing_is_refused() {
        let wrong = "- **ID-2** It. *held by* `append/three`, `core::line::no_test`";
        let found = found(&complete(&[GOOD, wrong]));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|it| it.contains("there is no case and no test")), "{found:?}");
    }

    #[test]
    fn a_case_and_the_row_of_its_tag_name_each_other() {
        let untagged = "- **ID-1** It. *held by* `append/one`, `append/two`";
        assert_eq!(
            found(&complete(&[untagged])),
            ["s.md:1: ID-1: the case `append/two` is not tagged with it"]
        );
        for unnamed in [
            "- **ID-1** It. *held by* `core::line::a_test`",
            "- **ID-1** It. *pending*: later",
            "- **ID-1** It. *does not apply*: a reason",
        ] {
            assert_eq!(
                found(&complete(&[unnamed])),
                ["s.md:1: ID-1: the case `append/one` is tagged with it: name it here"]
            );
        }
    }
}
