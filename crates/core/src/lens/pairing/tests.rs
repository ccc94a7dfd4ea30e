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
    assert_eq!(findings.count, u64::try_from(findings.seqs.len()).unwrap());
    findings.seqs.iter().map(|seq| seq.number()).collect()
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
    assert_eq!(report.unknown_parents.seqs.len(), MOST_NAMED);
    assert_eq!((pairing.ids.len(), pairing.waiting.len()), (1, 1));

    pairing.ids = (0..MOST_IDS).map(|number| key(&number.to_string())).collect();
    pairing.message(seq(900), &lens::read(Dialect::Plain, &data));
    pairing.message(seq(901), &lens::read(Dialect::Plain, &data));
    let stopped = pairing.report();
    assert_eq!(stopped.stopped_at, Some(seq(900)));
    assert_eq!(stopped.unknown_parents, report.unknown_parents);
}
