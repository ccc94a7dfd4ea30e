mod programs;

use std::borrow::Cow;

use proptest::prelude::*;

use super::*;

fn payload(json: &str) -> Payload {
    Payload::parse(json.to_owned()).unwrap()
}

/// Role, text, calls, results, id and parent on one line, so that a failure can be read.
fn told(dialect: Dialect, json: &str) -> String {
    let data = payload(json);
    let reading = read(dialect, &data);
    let calls: Vec<String> =
        reading.calls.iter().map(|call| format!("{}={}", call.id, call.name)).collect();
    let results: Vec<String> = reading
        .results
        .iter()
        .map(|it| match &it.text {
            Some(text) => format!("{}:{}", it.call_id, text.replace('\n', "/")),
            None => it.call_id.clone().into_owned(),
        })
        .collect();
    let or_none = |part: &Option<Cow<'_, str>>| part.as_deref().unwrap_or("-").to_owned();
    format!(
        "{} | {} | {} | {} | {} | {}",
        or_none(&reading.role),
        or_none(&reading.text).replace('\n', "/"),
        calls.join(","),
        results.join(","),
        or_none(&reading.id),
        or_none(&reading.parent),
    )
}

#[test]
fn plain_messages_are_read_whoever_wrote_them() {
    let plain = |json| told(Dialect::Plain, json);
    assert_eq!(plain(r#"{"role":"user","content":"hi"}"#), "user | hi |  |  | - | -");
    assert_eq!(
        plain(r#"{"role":"tool","tool_call_id":"c","content":"42","id":"m2","parent":"m1"}"#),
        "tool | - |  | c:42 | m2 | m1"
    );
    assert_eq!(
        plain(r#"{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f"},"x"]}"#),
        "assistant | x | c=f |  | - | -"
    );
}

#[test]
fn openai_messages_are_read() {
    let openai = |json| told(Dialect::Openai, json);
    assert_eq!(
        openai(
            r#"{"role":"assistant","content":null,"tool_calls":[
                {"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},
                {"id":"c2","type":"custom","custom":{"name":"g","input":""}},
                {"type":"function","function":{"name":"without id"}}]}"#
        ),
        "assistant | - | c1=f,c2=g |  | - | -"
    );
    assert_eq!(
        openai(
            r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"},
                {"type":"input_text","text":"b"}]}"#
        ),
        "user | a/b |  |  | - | -"
    );
    assert_eq!(
        openai(r#"{"role":"assistant","content":null,"refusal":"no"}"#),
        "assistant | no |  |  | - | -"
    );
}

#[test]
fn anthropic_messages_are_read() {
    let anthropic = |json| told(Dialect::Anthropic, json);
    assert_eq!(
        anthropic(
            r#"{"id":"msg","role":"assistant","content":[{"type":"thinking","thinking":"hm"},
                {"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"f","input":{}},
                {"type":"server_tool_use","id":"t2","name":"web_search"}]}"#
        ),
        "assistant | a | t1=f,t2=web_search |  | msg | -"
    );
    assert_eq!(
        anthropic(
            r#"{"role":"user","content":[
                {"type":"tool_result","tool_use_id":"t1","content":"out"},
                {"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"more"}]},
                {"type":"tool_result","tool_use_id":"t3","content":null}]}"#
        ),
        "user | - |  | t1:out,t2:more,t3 | - | -"
    );
}

#[test]
fn records_of_claude_code_are_read() {
    let claude = |json| told(Dialect::ClaudeCode, json);
    assert_eq!(
        claude(
            r#"{"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"msg",
                "role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash"}]}}"#
        ),
        "assistant | - | t=Bash |  | b | a"
    );
    assert_eq!(
        claude(r#"{"type":"user","parentUuid":null,"message":{"content":"hello"}}"#),
        "user | hello |  |  | - | -"
    );
    assert_eq!(
        claude(r#"{"type":"system","uuid":"s","parentUuid":"b","content":"compacted"}"#),
        "- | compacted |  |  | s | b"
    );
    assert_eq!(claude(r#"{"type":"summary","summary":"x"}"#), "- | x |  |  | - | -");
    assert_eq!(claude(r#"{"type":"user","message":"error"}"#), "user | error |  |  | - | -");
}

#[test]
fn records_of_pi_are_read() {
    let pi = |json| told(Dialect::Pi, json);
    assert_eq!(
        pi(r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[
            {"type":"thinking","thinking":"hm"},{"type":"text","text":"I look."},
            {"type":"toolCall","id":"t","name":"read","arguments":{}}]}}"#),
        "assistant | I look. | t=read |  | b | a"
    );
    assert_eq!(
        pi(r#"{"type":"message","message":{"role":"toolResult","toolCallId":"t",
            "content":[{"type":"text","text":"out"}]}}"#),
        "toolResult | - |  | t:out | - | -"
    );
    assert_eq!(
        pi(r#"{"type":"message","message":{"role":"bashExecution","command":"ls","output":"a"}}"#),
        "bashExecution | ls/a |  |  | - | -"
    );
    assert_eq!(
        pi(r#"{"type":"custom_message","id":"c","parentId":null,"content":"note"}"#),
        "custom | note |  |  | c | -"
    );
    assert_eq!(
        pi(r#"{"type":"compaction","id":"c","summary":"so far"}"#),
        "- | so far |  |  | c | -"
    );
}

#[test]
fn what_a_call_is_given_is_shown_as_it_stands() {
    for (dialect, json) in [
        (
            Dialect::Openai,
            r#"{"tool_calls":[{"id":"c","function":{"name":"f","arguments":{"n":1e999}}}]}"#,
        ),
        (
            Dialect::Anthropic,
            r#"{"content":[{"type":"tool_use","id":"c","name":"f","input":{"n":1e999}}]}"#,
        ),
        (
            Dialect::Pi,
            r#"{"type":"message","message":{"content":[
                {"type":"toolCall","id":"c","name":"f","arguments":{"n":1e999}}]}}"#,
        ),
        (Dialect::Gemini, r#"{"toolCalls":[{"id":"c","name":"f","args":{"n":1e999}}]}"#),
    ] {
        let data = payload(json);
        let reading = read(dialect, &data);
        let input = reading.calls.first().unwrap().input.unwrap();
        assert_eq!(input.as_json(), r#"{"n":1e999}"#);
    }
}

#[test]
fn through_an_unknown_dialect_nothing_is_read() {
    let data = payload(r#"{"role":"user","content":"hi"}"#);
    assert!(read(Dialect::Unknown, &data).is_empty());
}

#[test]
fn what_strict_parsers_refuse_is_read_all_the_same() {
    let plain = |json| told(Dialect::Plain, json);
    assert_eq!(
        plain(r#"{"role":"user","content":"before \ud83d after","\udc00":1e999999}"#),
        "user | before \u{fffd} after |  |  | - | -"
    );
    assert_eq!(
        plain(
            r#"{"role":"a","n":123456789012345678901234567890,"role":"user","content":"x\u0000y"}"#
        ),
        "user | x\0y |  |  | - | -"
    );
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let json = format!(r#"{{"role":"user","content":{deep}}}"#);
    assert_eq!(plain(&json), "user | - |  |  | - | -");
}

#[test]
fn what_is_no_message_reads_as_nothing() {
    for json in ["42", "\"massive error\"", "[1]", "null", r#"{"silly":"this"}"#, r#"{"role":7}"#] {
        for (_, dialect) in Dialect::NAMED {
            assert!(read(*dialect, &payload(json)).is_empty(), "{json}");
        }
    }
    assert!(read(Dialect::Plain, &Payload::absent()).is_empty());
}

#[test]
fn text_without_escapes_is_borrowed() {
    let data = payload(r#"{"role":"user","content":[{"type":"text","text":"hi"}]}"#);
    let reading = read(Dialect::Anthropic, &data);
    assert!(matches!(reading.text, Some(Cow::Borrowed("hi"))));
}

#[test]
fn debug_tells_no_content() {
    let data = payload(r#"{"role":"secret","content":"secret"}"#);
    assert!(!format!("{:?}", read(Dialect::Plain, &data)).contains("secret"));
}

/// JSON made of the words that lenses look for, so that odd shapes of known names come up.
fn any_json() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "role",
        "content",
        "type",
        "text",
        "id",
        "uuid",
        "message",
        "tool_calls",
        "tool_call_id",
        "function",
        "payload",
        "output",
        "call_id",
        "toolCalls",
        "functionResponse",
        "response",
        "result",
        "toolResult",
        "state",
        "status",
        "parts",
    ]);
    let word = prop::sample::select(vec![
        "\"user\"",
        "\"tool_use\"",
        "\"tool_result\"",
        "\"toolCall\"",
        "\"message\"",
        "\"response_item\"",
        "\"function_call_output\"",
        "\"toolResponse\"",
        "\"tool\"",
        "\"completed\"",
        "\"\\ud83d\"",
        "1e999",
        "null",
        "true",
        "\"\"",
    ]);
    word.prop_map(str::to_owned).prop_recursive(5, 40, 5, move |inner| {
        let list = prop::collection::vec(inner.clone(), 0..5);
        let members = prop::collection::vec((name.clone(), inner), 0..5);
        prop_oneof![
            list.prop_map(|items| format!("[{}]", items.join(","))),
            members.prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(name, json)| format!("\"{name}\":{json}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_through_any_lens(json in any_json()) {
        let data = payload(&json);
        for (_, dialect) in Dialect::NAMED {
            let reading = read(*dialect, &data);
            prop_assert_ne!(reading.text.as_deref(), Some(""));
            prop_assert!(reading.results.iter().all(|it| it.text.as_deref() != Some("")));
        }
    }
}
