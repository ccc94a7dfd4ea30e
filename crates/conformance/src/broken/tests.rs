use std::collections::BTreeSet;

use super::*;

#[test]
fn every_clause_is_broken_by_a_specimen() {
    for clause in Clause::ALL {
        let is_broken = SPECIMENS.iter().any(|it| it.breaks == Some(*clause));
        assert!(is_broken, "nothing breaks {clause}");
    }
}

#[test]
fn every_name_is_used_once_and_in_the_order_of_the_clauses() {
    let names: BTreeSet<_> = SPECIMENS.iter().map(|it| it.name).collect();
    assert_eq!(names.len(), SPECIMENS.len());
    assert!(SPECIMENS.is_sorted_by_key(|it| it.breaks));
}
