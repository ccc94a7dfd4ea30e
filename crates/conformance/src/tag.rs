//! What a case checks, as its tags say it.

use std::fmt;
use std::str::FromStr;

use sessile_core::backend::Clause;

/// How many numbered statements about records `docs/statements.md` has.
const RECORDS: u8 = 72;

/// How many numbered statements about workflow sessions `docs/statements.md` has.
const WORKFLOW: u8 = 46;

/// The kinds of reported faults, and how many cases of each were drawn from public bug reports.
const REPORTS: &[(&str, u8)] = &[
    ("TORN", 7),
    ("CONC", 7),
    ("LOST", 4),
    ("ORD", 7),
    ("ID", 6),
    ("LIST", 4),
    ("MEM", 4),
    ("ENC", 8),
    ("PATH", 6),
    ("DISK", 3),
    ("CLK", 3),
    ("VER", 5),
    ("ADM", 8),
    ("SIDE", 5),
    ("OBJ", 10),
    ("RET", 8),
    ("IO", 3),
    ("SEC", 3),
    ("RES", 3),
];

/// A promise or a reported fault that a case checks.
///
/// ```
/// use sessile_conformance::Tag;
/// use sessile_core::backend::Clause;
///
/// assert_eq!("ReadsAreExact".parse(), Ok(Tag::Clause(Clause::ReadsAreExact)));
/// assert_eq!("records/14".parse(), Ok(Tag::Records(14)));
/// assert_eq!("TORN-7".parse(), Ok(Tag::Report("TORN", 7)));
/// assert!("TORN-8".parse::<Tag>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Tag {
    /// A clause of the backend contract.
    Clause(Clause),
    /// A statement about records: bindings, session files, admission, checkpoints, snapshots.
    Records(u8),
    /// A statement about workflow sessions.
    Workflow(u8),
    /// A case drawn from a public bug report: its kind and number.
    Report(&'static str, u8),
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clause(clause) => clause.fmt(f),
            Self::Records(number) => write!(f, "records/{number}"),
            Self::Workflow(number) => write!(f, "workflow/{number}"),
            Self::Report(kind, number) => write!(f, "{kind}-{number}"),
        }
    }
}

/// A text is no tag.
///
/// # Examples
/// ```
/// use sessile_conformance::{Tag, UnknownTag};
///
/// // There are seven reports of torn writes, and a number has one spelling.
/// for text in ["TORN-8", "TORN-01"] {
///     let refused: UnknownTag = text.parse::<Tag>().unwrap_err();
///     let told = format!("`{text}` names no clause, statement or report");
///     assert_eq!(refused.to_string(), told);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTag(String);

impl fmt::Display for UnknownTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` names no clause, statement or report", self.0)
    }
}

impl std::error::Error for UnknownTag {}

impl FromStr for Tag {
    type Err = UnknownTag;

    fn from_str(text: &str) -> Result<Self, UnknownTag> {
        parse(text).ok_or_else(|| UnknownTag(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Tag> {
    if let Some(number) = text.strip_prefix("records/") {
        return number_to(RECORDS, number).map(Tag::Records);
    }
    if let Some(number) = text.strip_prefix("workflow/") {
        return number_to(WORKFLOW, number).map(Tag::Workflow);
    }
    if let Some((kind, number)) = text.split_once('-') {
        let (kind, last) = REPORTS.iter().find(|(known, _)| *known == kind)?;
        return number_to(*last, number).map(|number| Tag::Report(kind, number));
    }
    let clause = Clause::ALL.iter().find(|clause| clause.name() == text)?;
    Some(Tag::Clause(*clause))
}

/// Reads a number from 1 to the last, in its one spelling.
fn number_to(last: u8, text: &str) -> Option<u8> {
    let number: u8 = text.parse().ok()?;
    ((1..=last).contains(&number) && text == number.to_string()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_has_one_spelling() {
        let clauses = Clause::ALL.iter().map(|clause| clause.name().to_owned());
        let records = (1..=RECORDS).map(|number| format!("records/{number}"));
        let workflow = (1..=WORKFLOW).map(|number| format!("workflow/{number}"));
        let reports = REPORTS
            .iter()
            .flat_map(|(kind, last)| (1..=*last).map(move |number| format!("{kind}-{number}")));
        for text in clauses.chain(records).chain(workflow).chain(reports) {
            assert_eq!(text.parse::<Tag>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_reports_are_104() {
        let count: u32 = REPORTS.iter().map(|(_, last)| u32::from(*last)).sum();
        assert_eq!(count, 104);
    }

    #[test]
    fn what_names_nothing_is_refused() {
        for text in [
            "",
            "TORN",
            "TORN-0",
            "TORN-8",
            "TORN-01",
            "torn-1",
            "records/0",
            "records/73",
            "records/+1",
            "workflow/47",
            "readsareexact",
            "ReadsAreExact ",
        ] {
            assert!(text.parse::<Tag>().is_err(), "{text}");
        }
    }
}
