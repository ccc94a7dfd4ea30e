//! Which statements there are.

/// Their chapters: what a tag begins with, and how many there are of it.
const CHAPTERS: &[(&str, usize)] = &[
    ("records/", 72),
    ("workflow/", 46),
    ("TORN-", 7),
    ("CONC-", 7),
    ("LOST-", 4),
    ("ORD-", 7),
    ("ID-", 6),
    ("LIST-", 4),
    ("MEM-", 4),
    ("ENC-", 8),
    ("PATH-", 6),
    ("DISK-", 3),
    ("CLK-", 3),
    ("VER-", 5),
    ("ADM-", 8),
    ("SIDE-", 5),
    ("OBJ-", 10),
    ("RET-", 8),
    ("IO-", 3),
    ("SEC-", 3),
    ("RES-", 3),
];

/// The tag of every statement and every case drawn from a report.
pub(super) fn all() -> impl Iterator<Item = String> {
    let tags = |(chapter, count): &(&'static str, usize)| {
        let chapter = *chapter;
        (1..=*count).map(move |number| format!("{chapter}{number}"))
    };
    CHAPTERS.iter().flat_map(tags)
}

/// Whether a tag of a case is of a statement; the others name clauses of the contract.
pub(super) fn is_of_statement(tag: &str) -> bool {
    tag.contains(['/', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_knows_the_same_ones() {
        let suite = include_str!("../../../crates/conformance/src/tag.rs");
        for (chapter, count) in CHAPTERS {
            let row = match chapter.strip_suffix('/') {
                Some(name) => format!("const {}: u8 = {count};", name.to_uppercase()),
                None => format!("(\"{}\", {count}),", chapter.trim_end_matches('-')),
            };
            assert!(suite.contains(&row), "{row}");
        }
        assert_eq!(suite.matches("    (\"").count() + 2, CHAPTERS.len());
    }

    #[test]
    fn clauses_are_no_statements() {
        assert!(all().all(|tag| is_of_statement(&tag)));
        assert!(!is_of_statement("ReadsAreExact"));
    }
}
