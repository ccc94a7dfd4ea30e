use bytes::Bytes;
use sessile_core::{UnixMillis, lens};

use super::{notices, sessions, skipped};
use crate::{ENVELOPE, Exporter, Format, Origin, Record, Source, detect, parse};

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../../fixtures/sessions/", $name))
    };
}

pub(super) const WEATHER: &[u8] = fixture!("claude-code-weather.jsonl");
pub(super) const BRANCHES: &[u8] = fixture!("claude-code-branches.jsonl");
pub(super) const ODDITIES: &[u8] = fixture!("claude-code-oddities.jsonl");
pub(super) const CODEX: &[u8] = fixture!("codex-rollout.jsonl");
pub(super) const CODEX_AGENT: &[u8] = fixture!("codex-subagent.jsonl");
pub(super) const CODEX_BARE: &[u8] = fixture!("codex-bare.jsonl");
pub(super) const PI_V1: &[u8] = fixture!("pi-v1.jsonl");
pub(super) const PI_V3: &[u8] = fixture!("pi-v3-tree.jsonl");
pub(super) const GEMINI_DOCUMENT: &[u8] = fixture!("gemini-document.json");
pub(super) const GEMINI_LINES: &[u8] = fixture!("gemini-lines.jsonl");
pub(super) const GOOSE: &[u8] = fixture!("goose-header.jsonl");
pub(super) const PLAIN: &[u8] = fixture!("plain-messages.jsonl");

pub(super) const ALL: &[(Format, &[u8])] = &[
    (Format::ClaudeCode, WEATHER),
    (Format::ClaudeCode, BRANCHES),
    (Format::ClaudeCode, ODDITIES),
    (Format::Codex, CODEX),
    (Format::Codex, CODEX_AGENT),
    (Format::Codex, CODEX_BARE),
    (Format::Pi, PI_V1),
    (Format::Pi, PI_V3),
    (Format::Goose, GOOSE),
    (Format::Jsonl, PLAIN),
];

/// Reads a fixture as what it is found to be.
fn read(file: &'static [u8]) -> Source {
    let source = parse(detect(file).unwrap(), Bytes::from_static(file)).unwrap();
    assert_eq!(source.accounted(), source.lines);
    source
}

/// Records written as a file of the format that they came from.
pub(super) fn exported<'a>(
    source: &Source,
    records: impl IntoIterator<Item = &'a Record>,
) -> String {
    let main = &source.sessions[0];
    let mut exporter = Exporter::new(source.format.into(), main.dialect).unwrap();
    if let Some(envelope) = main.belonging.meta.get(ENVELOPE) {
        exporter = exporter.envelope(envelope.clone());
    }
    let mut file = exporter.head(source.sessions[0].title.as_deref());
    for record in records {
        exporter.entry(&mut file, &record.entry_type, &record.data, Origin::Imported);
    }
    file + exporter.tail()
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
    assert_eq!(exported(&source, main.records.iter()).as_bytes(), WEATHER);
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
        let reading = lens::read(main.dialect, &line(number).data);
        let answered = reading.results.into_iter().find_map(|result| result.text);
        reading.text.or(answered).unwrap().into_owned()
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
fn a_rollout_of_codex_is_a_main_session_and_the_turn_that_was_taken_back() {
    let source = read(CODEX);
    assert_eq!(
        sessions(&source),
        [
            (
                "main",
                "1e 2 3 4 5e 6e 7 8e 9 10 11 12 13 14e 15 16e 17e 18e 19e 24e 25e 26e 27 28e 29 30 \
                 31 32e 33e 34e 35"
                    .to_owned()
            ),
            (
                "line-20",
                "1e 2 3 4 5e 6e 7 8e 9 10 11 12 13 14e 15 16e 17e 18e 19e 20 21e 22 23e".to_owned()
            )
        ]
    );
    assert_eq!((skipped(&source), notices(&source)), (vec![], vec![]));
    let [main, taken_back] = &source.sessions[..] else { panic!("two sessions") };
    assert_eq!(main.title.as_deref(), Some("Summer tides"));
    assert_eq!(taken_back.title.as_deref(), Some("Now rewrite the parser."));
    assert_eq!(main.cwd.as_deref(), Some("/home/ida/tide-table"));
    assert_eq!(main.model.as_deref(), Some("gpt-5.2-codex-mini"));
    assert_eq!(main.source_id.as_deref(), Some("019cb7a0-41c7-7b0e-8d2a-6f3e9a7c5d01"));
    assert_eq!(main.source_parent, None);
}

#[test]
fn a_sub_agent_of_codex_names_the_session_that_started_it() {
    let source = read(CODEX_AGENT);
    assert_eq!(sessions(&source), [("main", "1e 2e 3e 4 5 6 7".to_owned())]);
    let main = &source.sessions[0];
    assert_eq!(main.source_id.as_deref(), Some("019cb7a0-52d8-7c1f-9e3b-7a4f0b8d6e02"));
    assert_eq!(main.source_parent.as_deref(), Some("019cb7a0-41c7-7b0e-8d2a-6f3e9a7c5d01"));
    assert_eq!(main.title.as_deref(), Some("Which files know of time zones?"));
}

#[test]
fn the_first_version_of_codex_is_one_session() {
    let source = read(CODEX_BARE);
    assert_eq!(sessions(&source), [("main", "1e 2e 3 4 5e 6 7 8e 9 10 11".to_owned())]);
    assert_eq!(skipped(&source), [(12, "torn last line")]);
    let main = &source.sessions[0];
    assert_eq!(main.source_id.as_deref(), Some("7d3f1c9e-2b64-4a0f-9c1d-5e8a7b6c4d03"));
    assert_eq!(main.title.as_deref(), Some("Why does the needle jump?"));
    assert_eq!(main.cwd.as_deref(), Some("/home/ida/barometer"));
    assert_eq!(main.created_at.map(UnixMillis::millis), Some(1_755_021_845_678));
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
