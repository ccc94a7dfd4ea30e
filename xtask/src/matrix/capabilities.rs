//! The table of what the backends declare.

use std::fmt::Write as _;

use super::table::Column;

/// A capability as its source has it: its stable name, and what it means.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Capability {
    name: String,
    meaning: String,
}

/// The capabilities in their source, in its order; each has one line that says what it means.
pub(super) fn known(source: &str) -> Vec<Capability> {
    let (_, list) = source.split_once("pub enum Capability {\n").unwrap_or_default();
    let mut meaning = String::new();
    let mut known = Vec::new();
    for line in list.lines().take_while(|line| *line != "}").map(str::trim) {
        if let Some(said) = line.strip_prefix("/// ") {
            said.trim_end_matches('.').clone_into(&mut meaning);
        } else if let Some(variant) = line.strip_suffix(',') {
            let meaning = std::mem::take(&mut meaning);
            known.push(Capability { name: stable(variant), meaning });
        }
    }
    known
}

/// The stable name of a variant.
fn stable(variant: &str) -> String {
    let mut name = String::new();
    for sign in variant.chars() {
        if sign.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(sign.to_lowercase());
    }
    name
}

/// A row for each capability.
pub(super) fn of(known: &[Capability], columns: &[Column]) -> String {
    let mut text = String::new();
    let mut row = |first: &str, cell: &dyn Fn(&Column) -> String, last: &str| {
        let cells: Vec<String> = columns.iter().map(cell).collect();
        // Writing to a `String` cannot fail.
        _ = writeln!(text, "| {first} | {} | {last} |", cells.join(" | "));
    };
    row("capability", &|column| column.backend().to_owned(), "what it means");
    row("---", &|_| "---".to_owned(), "---");
    for Capability { name, meaning } in known {
        let declares = |column: &Column| {
            let declared = column.capabilities.contains(name);
            if declared { "yes" } else { "no" }.to_owned()
        };
        let mut signs = meaning.chars();
        let first = signs.next().map(char::to_lowercase);
        let meaning: String = first.into_iter().flatten().chain(signs).collect();
        row(&format!("`{name}`"), &declares, &meaning);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::Case;

    #[test]
    fn capabilities_are_read_with_their_stable_names() {
        let source = "/// Something.\npub enum Capability {\n    /// It lasts.\n    Durable,\n    \
                      /// Many may.\n    CrossProcess,\n}\n\nenum No {\n    Other,\n}\n";
        let known = known(source);
        let told: Vec<_> = known.iter().map(|it| (&*it.name, &*it.meaning)).collect();
        assert_eq!(told, [("durable", "It lasts"), ("cross_process", "Many may")]);
    }

    #[test]
    fn the_names_are_those_that_the_backends_print() {
        let source = include_str!("../../../crates/core/src/backend/capabilities.rs");
        let known = known(source);
        assert!(!known.is_empty());
        for Capability { name, meaning } in known {
            assert!(source.contains(&format!("=> \"{name}\",")), "{name}");
            assert!(!meaning.is_empty(), "{name}");
        }
    }

    #[test]
    fn each_backend_says_yes_or_no() {
        let column = |backend: &str, capabilities: &[&str]| Column {
            cases: vec![Case {
                backend: backend.to_owned(),
                name: "a/b".to_owned(),
                tags: Vec::new(),
            }],
            ignored: Vec::new(),
            capabilities: capabilities.iter().map(|it| (*it).to_owned()).collect(),
        };
        let known =
            [Capability { name: "mask".to_owned(), meaning: "Data can be removed".to_owned() }];
        let columns = [column("fs", &["mask"]), column("memory", &["purge"])];
        let expected = "\
| capability | fs | memory | what it means |
| --- | --- | --- | --- |
| `mask` | yes | no | data can be removed |
";
        assert_eq!(of(&known, &columns), expected);
    }
}
