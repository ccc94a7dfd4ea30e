//! Every request on every state.

use std::collections::{BTreeMap, BTreeSet};

use super::requests::{REQUESTS, word};
use super::states::STATES;

/// What is to be answered.
const TABLE: &str = include_str!("table.txt");

/// For each request the answer on each state.
type Answers = BTreeMap<String, BTreeMap<String, String>>;

/// The table, which has no pair twice.
fn expected() -> Answers {
    let mut answers = Answers::new();
    let (mut request, mut answer) = ("", "");
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some(states) = line.strip_prefix("    ") else {
            request = line;
            assert!(answers.insert(line.to_owned(), BTreeMap::new()).is_none(), "{line} twice");
            continue;
        };
        let states = states.strip_prefix("    ").unwrap_or_else(|| {
            let (name, states) = states.split_once(": ").unwrap();
            answer = name;
            states
        });
        let row = answers.get_mut(request).unwrap();
        for state in states.split(' ') {
            let before = row.insert(state.to_owned(), answer.to_owned());
            assert_eq!(before, None, "{request}: {state} stands twice");
        }
    }
    answers
}

fn actual() -> Answers {
    let row = |(name, ask): &(&str, fn(&mut _) -> _)| {
        let answer = |(state, make): &(&str, fn() -> _)| {
            ((*state).to_owned(), word(&ask(&mut make())).to_owned())
        };
        ((*name).to_owned(), STATES.iter().map(answer).collect())
    };
    REQUESTS.iter().map(row).collect()
}

/// A row as the table has it.
fn told(row: &BTreeMap<String, String>) -> String {
    let mut by_answer: Vec<(&str, Vec<&str>)> = Vec::new();
    for (state, _) in STATES {
        let Some(answer) = row.get(*state) else { continue };
        match by_answer.iter_mut().find(|(known, _)| known == answer) {
            Some((_, states)) => states.push(state),
            None => by_answer.push((answer, vec![state])),
        }
    }
    let line =
        |(answer, states): (&str, Vec<&str>)| format!("    {answer}: {}\n", states.join(" "));
    by_answer.into_iter().map(line).collect()
}

#[test]
fn every_request_has_its_answer_on_every_state() {
    let (expected, actual) = (expected(), actual());
    let names = |answers: &Answers| answers.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&expected), names(&actual));
    let mut differences = String::new();
    for (request, row) in &actual {
        if row != &expected[request] {
            let told = [told(row), told(&expected[request])].join("  and not\n");
            differences.extend([request, "\n", &told]);
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn an_answer_is_the_same_for_who_has_opened_the_journal_anew() {
    for (state_name, make) in STATES {
        let opened_anew = || {
            let mut state = make();
            state.journal.reopen();
            state
        };
        // Who can't read an entry keeps no state, and neither does anybody of a deleted session.
        if matches!(*state_name, "unreadable" | "deleted") {
            continue;
        }
        for (request, ask) in REQUESTS {
            let (before, after) = (ask(&mut make()), ask(&mut opened_anew()));
            assert_eq!(word(&before), word(&after), "{request} on {state_name}");
        }
    }
}
