use bytes::Bytes;
use sessile_core::Payload;
use sessile_core::lens;

use super::{notices, sessions, skipped};
use crate::{Format, Source, detect, export, parse};

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../../fixtures/sessions/", $name))
    };
}

pub(super) const WEATHER: &[u8] = fixture!("claude-code-weather.jsonl");
pub(super) const BRANCHES: &[u8] = fixture!("claude-code-branches.jsonl");
pub(super) const ODDITIES: &[u8] = fixture!("claude-code-oddities.jsonl");
pub(super) const PI_V1: &[u8] = fixture!("pi-v1.jsonl");
pub(super) const PI_V3: &[u8] = fixture!("pi-v3-tree.jsonl");
pub(super) const PLAIN: &[u8] = fixture!("plain-messages.jsonl");

pub(super) const ALL: &[(Format, &[u8])] = &[
    (Format::ClaudeCode, WEATHER),
    (Format::ClaudeCode, BRANCHES),
    (Format::ClaudeCode, ODDITIES),
    (Format::Pi, PI_V1),
    (Format::Pi, PI_V3),
    (Format::Jsonl, PLAIN),
];

/// Reads a fixture as what it is found to be.
fn read(file: &'static [u8]) -> Source {
    let source = parse(detect(file).unwrap(), Bytes::from_static(file)).unwrap();
    assert_eq!(source.accounted(), source.lines);
    source
}

/// The whole lines of a file: those that are not blank, without the white space around them.
pub(super) fn lines(file: &[u8]) -> Vec<&[u8]> {
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    let lines = file.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn every_fixture_is_recognised() {
    for (format, file) in ALL {
        assert_eq!(detect(file), Some(*format));
    }
}

#[test]
fn the_weather_is_one_session_that_reads_well() {
    let source = read(WEATHER);
    assert_eq!(
        sessions(&source),
        [("main", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17e".to_owned())]
    );
    assert_eq!((skipped(&source), notices(&source)), (vec![], vec![]));
    let main = &source.sessions[0];
    assert_eq!(main.title.as_deref(), Some("Forecast showed yesterday after midnight"));
    let readings: Vec<_> =
        main.records.iter().map(|record| lens::read(main.dialect, &record.data)).collect();
    let calls: usize = readings.iter().map(|reading| reading.calls.len()).sum();
    let results: usize = readings.iter().map(|reading| reading.results.len()).sum();
    assert_eq!((calls, results), (6, 6));
    let payloads: Vec<&Payload> = main.records.iter().map(|record| &record.data).collect();
    assert_eq!(export(source.format, payloads), WEATHER);
}

#[test]
fn the_branches_are_a_main_session_a_fork_and_a_sub_agent() {
    let source = read(BRANCHES);
    assert_eq!(
        sessions(&source),
        [
            ("main", "1e 2 3 6 7 10 11 12e 13 14 15 16 17 18e 19e".to_owned()),
            ("00000053-41c7-4b0e-8d2a-6f3e9a7c5d53", "1e 2 3 4 5".to_owned()),
            ("sidechain-a1b2c3d4", "8 9".to_owned())
        ]
    );
    assert_eq!((skipped(&source), notices(&source)), (vec![], vec![]));
    assert_eq!(source.sessions[0].title.as_deref(), Some("Autumn bed"));
}

#[test]
fn the_oddities_are_kept_or_named() {
    let source = read(ODDITIES);
    assert_eq!(
        sessions(&source),
        [
            ("main", "1 2 3 4 5 6 9 10 11 12 13e 14e 15e 16e 19e 20 21".to_owned()),
            ("sidechain-00000027-41c7-4b0e-8d2a-6f3e9a7c5d27", "7 8".to_owned())
        ]
    );
    assert_eq!(source.lines, 21);
    assert_eq!(skipped(&source), [(22, "not JSON"), (23, "torn last line")]);
    let reason = "its parent is not in the file; it was taken to continue what stands before it";
    assert_eq!(notices(&source), [(20, reason)]);
    let main = &source.sessions[0];
    let line = |number| main.records.iter().find(|record| record.line == number).unwrap();
    let text = |number| {
        lens::read(main.dialect, &line(number).data).text.map(std::borrow::Cow::into_owned).unwrap()
    };
    assert_eq!(text(6), "April is higher by 150. \u{fffd} here");
    assert!(line(6).data.as_str().contains(r"\ud83d"), "the bytes stay as they are");
    assert!(text(9).contains("\u{2028}second line\u{2029}third line\u{85}"));
    for digits in ["2512292042121000001", "1000000000000000000000000000000", "1.5777777777770001"] {
        assert!(line(10).data.as_str().contains(digits));
    }
    assert_eq!(text(11), "NUL: \0 and the six characters \\u0000");
    assert!(line(1).data.as_str().ends_with('}'), "no CR within");
}

#[test]
fn the_first_version_of_pi_is_one_session() {
    let source = read(PI_V1);
    assert_eq!(sessions(&source), [("main", "1e 2 3 4 5 6e 7e 8 9 10".to_owned())]);
    assert_eq!(source.sessions[0].model.as_deref(), Some("gpt-5.1"));
}

#[test]
fn the_third_version_of_pi_is_a_tree() {
    let source = read(PI_V3);
    assert_eq!(
        sessions(&source),
        [
            ("main", "1e 2e 3e 4 5 12e 13 14 15e 16 17 18 19e".to_owned()),
            ("7f3a0005", "1e 2e 3e 4 5 6 7 8 9 11e".to_owned())
        ]
    );
    assert_eq!(skipped(&source), [(10, "not JSON")]);
    assert_eq!(source.sessions[0].title.as_deref(), Some("Rattling rudder"));
}

#[test]
fn plain_messages_are_one_session() {
    let source = read(PLAIN);
    assert_eq!(sessions(&source), [("main", "1 2 3 4 5".to_owned())]);
}
