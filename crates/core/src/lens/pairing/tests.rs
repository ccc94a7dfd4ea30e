use super::finding::MOST_NAMED;
use super::*;
use crate::entry::shape::Dialect;
use crate::lens;
use crate::payload::Payload;

fn seq(number: usize) -> Seq {
    Seq::new(u64::try_from(number).unwrap()).unwrap()
}

/// Feeds messages that stand at 1, 2, 3...
fn fed<T: AsRef<str>>(dialect: Dialect, messages: &[T]) -> PairingReport {
    let mut pairing = Pairing::default();
    for (number, json) in (1..).zip(messages) {
        let data = Payload::parse(json.as_ref().to_owned()).unwrap();
        pairing.message(seq(number), &lens::read(dialect, &data));
    }
    pairing.report()
}

fn places(findings: &Findings) -> Vec<u64> {
    assert_eq!(findings.count, u64::try_from(findings.first.len()).unwrap());
    findings.first.iter().map(|finding| finding.seq.number()).collect()
}

fn ids(findings: &Findings) -> Vec<Option<&str>> {
    findings.first.iter().map(|finding| finding.id.as_deref()).collect()
}

fn call(id: &str) -> String {
    format!(r#"{{"role":"assistant","tool_calls":[{{"id":"{id}","function":{{"name":"f"}}}}]}}"#)
}

fn result(id: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#)
}

/// A record {id, parent} of the plain dialect.
fn linked(id: &str, parent: &str) -> String {
    format!(r#"{{"role":"user","id":"{id}","parent":"{parent}"}}"#)
}

#[test]
fn calls_and_results_that_fit_are_nothing_to_report() {
    let report = fed(Dialect::Openai, &[call("a"), result("a"), call("b"), result("b")]);
    assert_eq!(report, PairingReport::default());
    // The id of a call that has its result may be used again.
    assert_eq!(fed(Dialect::Openai, &[call("a"), result("a"), call("a"), result("a")]), report);
}

#[test]
fn each_kind_of_misfit_is_told_with_its_place() {
    let messages = [call("a"), result("a"), result("a"), result("b"), call("c"), call("b")];
    let report = fed(Dialect::Openai, &messages);
    assert_eq!(places(&report.second_results), [3]);
    assert_eq!(places(&report.orphan_results), [4], "a result before its call answers nothing");
    assert_eq!(places(&report.open_calls), [5, 6]);
    assert_eq!(ids(&report.second_results), [Some("a")]);
    assert_eq!(ids(&report.orphan_results), [Some("b")]);
    assert_eq!(ids(&report.open_calls), [Some("c"), Some("b")]);
    assert_eq!(report.from, None);
}

#[test]
fn of_the_end_of_a_transcript_only_what_shows_there_is_told() {
    let mut pairing = Pairing::default();
    let feed = |pairing: &mut Pairing, number: usize, json: String| {
        let data = Payload::parse(json).unwrap();
        // One dialect for calls, the other for links: each reads nothing of what is not its own.
        let dialect =
            if data.as_str().contains("parent") { Dialect::Plain } else { Dialect::Openai };
        pairing.message(seq(number), &lens::read(dialect, &data));
    };
    feed(&mut pairing, 1, call("lost"));
    pairing.restart(seq(10));
    let messages = [
        (10, result("before")),
        (11, call("open")),
        (12, call("done")),
        (13, result("done")),
        (14, result("done")),
        (15, linked("x", "before")),
        (16, linked("y", "y")),
    ];
    for (number, json) in messages {
        feed(&mut pairing, number, json);
    }
    let report = pairing.report();
    assert_eq!(report.from, Some(seq(10)));
    assert_eq!(places(&report.open_calls), [11]);
    assert_eq!(report.orphan_results, Findings::default(), "its call may stand before");
    assert_eq!(places(&report.second_results), [14]);
    assert_eq!(places(&report.unknown_parents), [16], "the other may stand before");
}

#[test]
fn parallel_calls_are_paired_one_by_one() {
    let report = fed(
        Dialect::Anthropic,
        &[
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"a"},
                {"type":"tool_use","id":"b"},{"type":"tool_use","id":"c"}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},
                {"type":"tool_result","tool_use_id":"c"}]}"#,
        ],
    );
    assert_eq!(places(&report.open_calls), [1]);
    // Gemini has both in one message.
    let both = r#"{"type":"gemini","toolCalls":[{"id":"a","result":[]},{"id":"b"}]}"#;
    assert_eq!(places(&fed(Dialect::Gemini, &[both]).open_calls), [1]);
}

#[test]
fn parents_that_are_nowhere_are_told_and_late_ones_are_not() {
    let chain: Vec<String> = (1..=100)
        .map(|number: u32| match number {
            60 => linked("60", "nowhere"),
            70 => linked("70", "70"),
            // Written before the one it follows.
            80 => linked("80", "81"),
            81 => linked("81", "79"),
            82 => linked("82", "80"),
            _ => linked(&number.to_string(), &(number - 1).to_string()),
        })
        .collect();
    let report = fed(Dialect::Plain, &chain[1..]);
    // The first one's parent was left out.
    assert_eq!(places(&report.unknown_parents), [1, 59, 69]);
}

#[test]
fn events_may_be_parents() {
    let mut pairing = Pairing::default();
    let data = |json: String| Payload::parse(json).unwrap();
    let (event, message) = (data(linked("e", "m0")), data(linked("m1", "e")));
    pairing.event(seq(1), &lens::read(Dialect::Plain, &event));
    pairing.message(seq(2), &lens::read(Dialect::Plain, &message));
    assert_eq!(places(&pairing.report().unknown_parents), [1]);
}

#[test]
fn what_is_kept_is_bounded() {
    let long = "x".repeat(100_000);
    let mut pairing = Pairing::default();
    let json = format!(r#"{{"role":"user","id":"{long}","parent":"{long}y"}}"#);
    let data = Payload::parse(json).unwrap();
    for number in 0..3 * MOST_NAMED {
        pairing.message(seq(number), &lens::read(Dialect::Plain, &data));
    }
    let report = pairing.report();
    assert_eq!(report.unknown_parents.count, 3 * u64::try_from(MOST_NAMED).unwrap());
    assert_eq!(report.unknown_parents.first.len(), MOST_NAMED);
    assert_eq!((pairing.ids.len(), pairing.waiting.len()), (1, 1));
    assert_eq!(report.unknown_parents.first[0].id, None, "it is too long to be named");

    pairing.ids = (0..MOST_IDS).map(|number| key(&number.to_string())).collect();
    pairing.message(seq(900), &lens::read(Dialect::Plain, &data));
    pairing.message(seq(901), &lens::read(Dialect::Plain, &data));
    assert_eq!((pairing.ids.len(), pairing.report().from), (1, Some(seq(900))));
}

#[test]
fn the_ids_that_are_kept_as_text_are_few_and_make_room_again() {
    let mut pairing = Pairing::default();
    let feed = |pairing: &mut Pairing, number: usize, json: String| {
        let data = Payload::parse(json).unwrap();
        pairing.message(seq(number), &lens::read(Dialect::Openai, &data));
    };
    for number in 0..=MOST_TEXTS {
        feed(&mut pairing, number, call(&number.to_string()));
    }
    let open = |pairing: &Pairing| pairing.report().open_calls;
    assert_eq!(open(&pairing).count, u64::try_from(MOST_TEXTS + 1).unwrap());
    assert_eq!(pairing.texts, MOST_TEXTS);
    for number in 0..MOST_TEXTS {
        feed(&mut pairing, 9000 + number, result(&number.to_string()));
    }
    assert_eq!(pairing.texts, 0);
    assert_eq!(ids(&open(&pairing)), [None], "there was no room for the last one");
    feed(&mut pairing, 99_999, call("next"));
    feed(&mut pairing, 99_999, call("next"));
    assert_eq!((ids(&open(&pairing)), pairing.texts), (vec![None, Some("next")], 1));
}

#[test]
fn debug_tells_no_ids() {
    let mut pairing = Pairing::default();
    let data = Payload::parse(call("secret")).unwrap();
    pairing.message(seq(1), &lens::read(Dialect::Openai, &data));
    let debug = format!("{pairing:?}{:?}", pairing.report());
    assert!(!debug.contains("secret"), "{debug}");
    assert!(debug.contains("at 1"), "{debug}");
}
