use bytes::Bytes;
use sessile_core::{ErrorKind, lens};

use super::fixtures::{GEMINI_DOCUMENT, GEMINI_LINES, exported, lines};
use super::{notices, read, sessions, skipped};
use crate::{Format, Source, detect, parse};

fn parsed(file: &'static [u8]) -> Source {
    assert_eq!(detect(file), Some(Format::Gemini));
    let source = parse(Format::Gemini, Bytes::from_static(file)).unwrap();
    assert_eq!(source.accounted(), source.lines);
    source
}

/// The messages of the main session, as they were read.
fn messages(source: &Source) -> Vec<String> {
    let records = source.sessions[0].records.iter();
    let messages = records.filter(|it| it.entry_type == sessile_core::EntryType::Message);
    messages.map(|it| it.data.as_str().to_owned()).collect()
}

#[test]
fn an_object_is_one_session_with_what_stands_around_its_messages() {
    let source = parsed(GEMINI_DOCUMENT);
    assert_eq!(sessions(&source), [("main", "1 2 3e 4".to_owned())]);
    assert_eq!((source.lines, skipped(&source), notices(&source)), (4, vec![], vec![]));
    let main = &source.sessions[0];
    assert_eq!(main.source_id.as_deref(), Some("6c1f0a52-9d3b-4e77-8a41-2b5c7d9e0f11"));
    assert_eq!(main.title.as_deref(), Some("Count the jars of quince"));
    assert_eq!(main.model.as_deref(), Some("gemini-2.5-pro"));
    let second = &main.records.own()[1];
    let reading = lens::read(main.dialect, &second.data);
    assert_eq!(reading.calls[0].name, "read_file");
    assert_eq!(reading.results[0].text.as_deref(), Some("jar,count\nquince,7\nplum,12"));
    let last = main.records.own()[3].data.as_str();
    assert!(last.contains(r#"{\"quince\": 7.0}, \ud83d half"#), "{last}");
}

#[test]
fn an_object_that_is_written_again_has_the_same_messages_byte_for_byte() {
    let source = parsed(GEMINI_DOCUMENT);
    let file = exported(&source, source.sessions[0].records.iter());
    assert_eq!(detect(file.as_bytes()), Some(Format::Gemini));
    let again = parse(Format::Gemini, file.clone().into()).unwrap();
    assert_eq!(messages(&again), messages(&source));
    assert_eq!(again.sessions[0].belonging.meta, source.sessions[0].belonging.meta);
    assert_eq!(exported(&again, again.sessions[0].records.iter()), file);
}

#[test]
fn lines_are_a_main_session_and_the_turn_that_was_taken_back() {
    let source = parsed(GEMINI_LINES);
    assert_eq!(
        sessions(&source),
        [
            ("main", "1e 2 3e 4 5e 6 9e 10 11e 12e 12".to_owned()),
            ("line-7", "1e 2 3e 4 5e 6 7 8".to_owned())
        ]
    );
    assert_eq!((skipped(&source), notices(&source)), (vec![(13, "torn last line")], vec![]));
    let main = &source.sessions[0];
    assert_eq!(main.title.as_deref(), Some("Times of the ferry"));
    assert_eq!(main.cwd.as_deref(), Some("/home/ida/harbour"));
    assert_eq!(main.created_at.unwrap().millis(), 1_775_926_800_000);
    let last = messages(&source).pop().unwrap();
    assert!(last.contains("Not on Sundays."), "the list that was given anew has a new one: {last}");
}

#[test]
fn lines_come_back_but_for_what_takes_back_and_again_as_the_same_messages() {
    let source = parsed(GEMINI_LINES);
    let file = exported(&source, source.sessions[0].records.iter());
    let branch: Vec<u64> = source.sessions[1].records.own().iter().map(|it| it.line).collect();
    let expected = lines(GEMINI_LINES)
        .into_iter()
        .zip(1_u64..)
        .filter(|(_, number)| ![9, 13].contains(number) && !branch.contains(number))
        .map(|(line, _)| [line, b"\n"].concat());
    assert_eq!(file.as_bytes(), expected.collect::<Vec<_>>().concat());
    let again = parse(Format::Gemini, file.into()).unwrap();
    assert_eq!(messages(&again), messages(&source));
}

#[test]
fn a_grown_file_has_the_records_that_it_had() {
    let all: Vec<&str> = std::str::from_utf8(GEMINI_LINES).unwrap().lines().collect();
    let whole = read(Format::Gemini, &all[..12]);
    let whole: Vec<_> = whole.sessions.last().unwrap().records.iter().map(|it| &it.data).collect();
    for count in 1..=8 {
        let part = read(Format::Gemini, &all[..count]);
        let part: Vec<_> = part.sessions[0].records.iter().map(|it| it.data.clone()).collect();
        assert!(whole.iter().copied().take(part.len()).eq(part.iter()), "{count}");
    }
}

#[test]
fn an_object_that_breaks_off_is_damaged_and_never_half_read() {
    for length in [GEMINI_DOCUMENT.len() / 2, GEMINI_DOCUMENT.len() - 3] {
        let torn = &GEMINI_DOCUMENT[..length];
        assert_eq!(detect(torn), Some(Format::Gemini));
        let error = parse(Format::Gemini, Bytes::from_static(torn)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    }
}

#[test]
fn a_rewind_to_what_is_not_there_and_a_list_of_anything_change_nothing_else() {
    let source = read(
        Format::Gemini,
        &[
            r#"{"sessionId":"s","projectHash":"p","startTime":"2026-01-01T00:00:00Z","messages":[]}"#,
            r#"{"id":"a","type":"user","content":"one"}"#,
            r#"{"$rewindTo":"nobody"}"#,
            r#"{"$set":{"messages":[1,null,{"id":7},{"id":"b","type":"user","content":"two"}]}}"#,
            "[]",
        ],
    );
    assert_eq!(sessions(&source), [("main", "1e 2 3e 4e 4 5e".to_owned())]);
}
