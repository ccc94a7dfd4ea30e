//! That the tables hold together.

use std::collections::BTreeSet;

use sessile_core::backend::Clause;

use super::*;
use crate::case::Size;
use crate::tag::Tag;

#[test]
fn every_name_is_of_its_group_and_used_once() {
    let mut names = BTreeSet::new();
    for table in GROUPS {
        let group = table.first().and_then(|case| case.name.split_once('/')).unwrap().0;
        for case in *table {
            let (of, rest) = case.name.split_once('/').unwrap();
            let is_plain = |sign: char| sign.is_ascii_lowercase() || sign == '_';
            assert_eq!(of, group, "{}", case.name);
            assert!(!rest.is_empty() && rest.chars().all(is_plain), "{}", case.name);
            assert!(names.insert(case.name), "two cases are named {}", case.name);
        }
    }
}

#[test]
fn every_case_has_tags_that_name_something() {
    for case in cases() {
        assert!(!case.tags.is_empty(), "{} has no tag", case.name);
        let tags = case.tags.iter().map(|tag| tag.parse::<Tag>());
        let tags: BTreeSet<Tag> = tags.collect::<Result<_, _>>().unwrap();
        assert_eq!(tags.len(), case.tags.len(), "{} has a tag twice", case.name);
        let has_clause = tags.iter().any(|tag| matches!(tag, Tag::Clause(_)));
        assert!(has_clause, "{} checks no clause of the contract", case.name);
    }
}

#[test]
fn every_clause_has_a_case_that_runs_in_seconds() {
    for clause in Clause::ALL {
        let mut short = cases().filter(|case| case.size == Size::Ci);
        assert!(short.any(|case| case.tags.contains(&clause.name())), "{clause} has no case");
    }
}
