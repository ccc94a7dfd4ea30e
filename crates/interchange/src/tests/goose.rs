use super::fixtures::{GOOSE, exported};
use super::{read, sessions, skipped};
use crate::{ENVELOPE, Format};

fn lines() -> Vec<&'static str> {
    std::str::from_utf8(GOOSE).unwrap().lines().collect()
}

#[test]
fn the_header_says_what_the_session_is_and_the_rest_are_messages() {
    let source = read(Format::Goose, &lines());
    assert_eq!(sessions(&source), [("main", "2 3 4 5".to_owned())]);
    let main = &source.sessions[0];
    assert_eq!(main.source_id.as_deref(), Some("20260118_3"));
    assert_eq!(main.title.as_deref(), Some("Label the beehives"));
    assert_eq!(main.cwd.as_deref(), Some("/home/ida/bees"));
    assert_eq!(main.records.iter().next().unwrap().at.unwrap().millis(), 1_768_723_201_000);
    assert_eq!(exported(&source, main.records.iter()).as_bytes(), GOOSE);
}

#[test]
fn a_header_that_was_written_anew_changes_no_record() {
    let lines = lines();
    let header = lines[0].replace("\"message_count\":4", "\"message_count\":3");
    let before = read(Format::Goose, &[&[&*header], &lines[1..4]].concat());
    let after = read(Format::Goose, &lines);
    let records = |source: &crate::Source| {
        source.sessions[0].records.iter().map(|it| it.data.clone()).collect::<Vec<_>>()
    };
    assert!(records(&after).starts_with(&records(&before)));
    assert_ne!(
        before.sessions[0].belonging.meta[ENVELOPE],
        after.sessions[0].belonging.meta[ENVELOPE]
    );
}

#[test]
fn without_a_header_the_messages_alone_are_a_session() {
    let lines = lines();
    let source = read(Format::Goose, &[&lines[1..], &["no JSON", "{\"x\":1}"]].concat());
    assert_eq!(sessions(&source), [("main", "1 2 3 4 6e".to_owned())]);
    assert_eq!(skipped(&source), [(5, "not JSON")]);
    assert_eq!(source.sessions[0].title.as_deref(), Some("Number the hives in hives.txt"));
    assert_eq!(crate::detect(lines[1].as_bytes()), Some(Format::Goose));
}
