//! That the tables hold together.

use std::collections::BTreeSet;

use sessile_core::backend::Clause;

use super::*;
use crate::case::Size;
use crate::tag::Tag;

#[test]
fn every_name_is_of_its_group_and_used_once() {
    let mut names = BTreeSet::new();
    let tables = GROUPS.iter().chain(record::GROUPS).chain(workflow::GROUPS).copied();
    let tables = tables.chain(session::groups());
    for table in tables {
        let group = table.first().and_then(|case| case.name.rsplit_once('/')).unwrap().0;
        for case in table {
            let (of, rest) = case.name.rsplit_once('/').unwrap();
            let is_plain = |sign: char| sign.is_ascii_lowercase() || sign == '_';
            assert_eq!(of, group, "{}", case.name);
            assert!(!rest.is_empty() && rest.chars().all(is_plain), "{}", case.name);
            assert!(names.insert(case.name), "two cases are named {}", case.name);
        }
    }
}

#[test]
fn every_case_has_tags_that_name_something() {
    for case in all() {
        assert!(!case.tags.is_empty(), "{} has no tag", case.name);
        let tags = case.tags.iter().map(|tag| tag.parse::<Tag>());
        let tags: BTreeSet<Tag> = tags.collect::<Result<_, _>>().unwrap();
        assert_eq!(tags.len(), case.tags.len(), "{} has a tag twice", case.name);
    }
}

#[test]
fn clauses_are_checked_by_cases_of_the_contract_and_by_no_others() {
    let checks_clause = |case: &Case| {
        let tags = case.tags.iter().map(|tag| tag.parse::<Tag>().unwrap());
        tags.into_iter().any(|tag| matches!(tag, Tag::Clause(_)))
    };
    for case in cases() {
        assert!(checks_clause(case), "{} checks no clause of the contract", case.name);
    }
    for case in sessions().chain(records()).chain(workflows()) {
        assert!(!checks_clause(case), "{} leans on what is above a backend", case.name);
    }
}

#[test]
fn every_clause_has_a_case_that_runs_in_seconds() {
    for clause in Clause::ALL {
        let mut short = cases().filter(|case| case.size == Size::Ci);
        assert!(short.any(|case| case.tags.contains(&clause.name())), "{clause} has no case");
    }
}
