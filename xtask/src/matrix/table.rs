//! The table, and the list of what is ignored below it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::suites::{Case, Declared, Ignored};

/// A backend: the cases that its suite lists, which of them it ignores, and what it declares.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) cases: Vec<Case>,
    pub(super) ignored: Vec<Ignored>,
    pub(super) capabilities: Vec<String>,
}

impl Column {
    /// The columns of a suite, which may run on several backends, in its order.
    pub(super) fn each(
        cases: Vec<Case>,
        ignored: Vec<Ignored>,
        declared: Vec<Declared>,
    ) -> Vec<Self> {
        let mut columns: Vec<Self> = Vec::new();
        for case in cases {
            match columns.iter_mut().find(|column| column.backend() == case.backend) {
                Some(column) => column.cases.push(case),
                None => columns.push(Self {
                    cases: vec![case],
                    ignored: Vec::new(),
                    capabilities: Vec::new(),
                }),
            }
        }
        for it in ignored {
            let column = columns.iter_mut().find(|column| column.backend() == it.case.backend);
            if let Some(column) = column {
                column.ignored.push(it);
            }
        }
        for Declared { backend, capability } in declared {
            if let Some(column) = columns.iter_mut().find(|it| it.backend() == backend) {
                column.capabilities.push(capability);
            }
        }
        columns
    }

    pub(super) fn backend(&self) -> &str {
        self.cases.first().map_or("", |case| &case.backend)
    }

    /// How many cases check a clause, as a cell says it.
    fn cell(&self, clause: &str) -> String {
        let checks = |case: &Case| case.tags.iter().any(|tag| tag == clause);
        let all = self.cases.iter().filter(|case| checks(case)).count();
        let ignored = self.ignored.iter().filter(|it| checks(&it.case)).count();
        match ignored {
            0 => all.to_string(),
            _ => format!("{} of {all}", all.saturating_sub(ignored)),
        }
    }
}

/// The names of the clauses in their source, in its order.
pub(super) fn clauses(source: &str) -> Vec<String> {
    let (_, list) = source.split_once("\nclauses! {\n").unwrap_or_default();
    let lines = list.lines().take_while(|line| *line != "}");
    lines
        .filter_map(|line| line.trim().strip_suffix(','))
        .filter(|name| name.chars().all(char::is_alphanumeric))
        .map(str::to_owned)
        .collect()
}

/// A row for each clause, and below it each case that is ignored with the reason.
pub(super) fn of(clauses: &[String], columns: &[Column]) -> String {
    let mut text = String::new();
    let mut row = |cells: Vec<String>| {
        // Writing to a `String` cannot fail.
        _ = writeln!(text, "| {} |", cells.join(" | "));
    };
    let line = |first: String, cell: &dyn Fn(&Column) -> String| {
        [first].into_iter().chain(columns.iter().map(cell)).collect::<Vec<_>>()
    };
    row(line("clause".to_owned(), &|column| column.backend().to_owned()));
    row(line("---".to_owned(), &|_| "---".to_owned()));
    for clause in clauses {
        row(line(format!("`{clause}`"), &|column| column.cell(clause)));
    }
    text.push_str(&ignored(columns));
    text
}

fn ignored(columns: &[Column]) -> String {
    let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for it in columns.iter().flat_map(|column| &column.ignored) {
        let group = groups.entry((&it.case.backend, &it.reason)).or_default();
        group.push(&it.case.name);
    }
    let mut text = String::new();
    for ((backend, reason), names) in groups {
        if text.is_empty() {
            text.push_str("\nIgnored by name:\n\n");
        }
        let names = names.join("`, `");
        // Writing to a `String` cannot fail.
        _ = writeln!(text, "- {backend}: `{names}` ({reason})");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(backend: &str, name: &str, tags: &[&str]) -> Case {
        Case {
            backend: backend.to_owned(),
            name: name.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        }
    }

    #[test]
    fn clauses_are_read_in_their_order() {
        let source = "enum X {\n    No,\n}\n\nclauses! {\n    /// A promise,\n    /// more of it,\n    \
                      Second,\n    /// Another,\n    First,\n}\n\nenum Y {\n    No,\n}\n";
        assert_eq!(clauses(source), ["Second", "First"]);
    }

    #[test]
    fn a_suite_on_several_backends_has_a_column_for_each() {
        let ignored =
            |backend| Ignored { case: case(backend, "a/one", &["Kept"]), reason: String::new() };
        let cases = ["s3", "azure", "s3"].map(|backend| case(backend, "a/one", &["Kept"])).to_vec();
        let columns = Column::each(cases, vec![ignored("azure")], Vec::new());
        let cells: Vec<_> = columns.iter().map(|it| (it.backend(), it.cell("Kept"))).collect();
        assert_eq!(cells, [("s3", "2".to_owned()), ("azure", "0 of 1".to_owned())]);
    }

    #[test]
    fn cells_count_and_what_is_ignored_is_named() {
        let cases = |backend| {
            vec![
                case(backend, "a/one", &["Kept", "records/1"]),
                case(backend, "a/two", &["Kept", "Lacked"]),
            ]
        };
        let ignored = Ignored {
            case: case("fs", "a/two", &["Kept", "Lacked"]),
            reason: "it needs a backend without mask".to_owned(),
        };
        let columns = [
            Column { cases: cases("fs"), ignored: vec![ignored], capabilities: Vec::new() },
            Column { cases: cases("memory"), ignored: Vec::new(), capabilities: Vec::new() },
        ];
        let clauses = ["Kept".to_owned(), "Lacked".to_owned(), "Unchecked".to_owned()];
        let expected = "\
| clause | fs | memory |
| --- | --- | --- |
| `Kept` | 1 of 2 | 2 |
| `Lacked` | 0 of 1 | 1 |
| `Unchecked` | 0 | 0 |

Ignored by name:

- fs: `a/two` (it needs a backend without mask)
";
        assert_eq!(of(&clauses, &columns), expected);
    }
}
