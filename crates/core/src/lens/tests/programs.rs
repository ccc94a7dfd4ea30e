//! Messages of programs that keep them in shapes of their own.

use super::told;
use crate::entry::shape::Dialect;

#[test]
fn records_of_codex_are_read() {
    let codex = |json: &str| told(Dialect::Codex, json);
    assert_eq!(
        codex(
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","id":"m",
                "role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image"}]}}"#
        ),
        "user | a |  |  | m | -"
    );
    for (call, name) in [
        (r#"{"type":"function_call","name":"f","arguments":"{}","call_id":"c"}"#, "f"),
        (
            r#"{"type":"custom_tool_call","name":"apply_patch","input":"x","call_id":"c"}"#,
            "apply_patch",
        ),
        (r#"{"type":"local_shell_call","id":"c","action":{"command":["ls"]}}"#, "local_shell"),
    ] {
        let record = format!(r#"{{"type":"response_item","payload":{call}}}"#);
        assert_eq!(codex(&record), format!("assistant | - | c={name} |  | - | -"));
        // The first files had the items bare.
        assert_eq!(codex(call), codex(&record));
    }
    for output in [
        r#""out""#,
        r#"{"content":"out","success":true}"#,
        r#"[{"type":"input_text","text":"out"},{"type":"input_image"}]"#,
    ] {
        let record = format!(
            r#"{{"type":"response_item","payload":{{"type":"function_call_output","call_id":"c","output":{output}}}}}"#
        );
        assert_eq!(codex(&record), "tool | - |  | c:out | - | -");
    }
    // Nothing answers a search of the web, and reasoning is not said.
    assert_eq!(
        codex(r#"{"type":"response_item","payload":{"type":"web_search_call","id":"ws"}}"#),
        "assistant | - |  |  | - | -"
    );
    assert_eq!(
        codex(r#"{"type":"response_item","payload":{"type":"reasoning","summary":[]}}"#),
        "assistant | - |  |  | - | -"
    );
    assert_eq!(
        codex(r#"{"type":"event_msg","payload":{"type":"user_message","message":"a"}}"#),
        "- | a |  |  | - | -"
    );
}

#[test]
fn messages_of_gemini_are_read() {
    let gemini = |json: &str| told(Dialect::Gemini, json);
    assert_eq!(gemini(r#"{"id":"u","type":"user","content":"a"}"#), "user | a |  |  | u | -");
    assert_eq!(
        gemini(
            r#"{"id":"g","type":"gemini","content":[{"text":"a"},{"text":"hm","thought":true}],
                "toolCalls":[
                {"id":"c1","name":"ls","args":{},"result":[{"functionResponse":{"id":"c1",
                    "response":{"output":"out"}}}]},
                {"id":"c2","name":"rm","result":null},
                {"id":"c3","name":"cat","result":{"text":"x"}},
                {"id":"c4","name":"ps","result":[],"resultDisplay":"shown"}]}"#
        ),
        "gemini | a | c1=ls,c2=rm,c3=cat,c4=ps | c1:out,c3:x,c4:shown | g | -"
    );
    assert_eq!(
        gemini(
            r#"{"role":"model","parts":[{"text":"a"},
                {"functionCall":{"id":"c","name":"ls","args":{}}}]}"#
        ),
        "model | a | c=ls |  | - | -"
    );
    assert_eq!(
        gemini(
            r#"{"role":"user","parts":[{"functionResponse":{"id":"c","response":{"error":"no"}}}]}"#
        ),
        "user | - |  | c:no | - | -"
    );
}

#[test]
fn messages_of_goose_are_read() {
    let goose = |json: &str| told(Dialect::Goose, json);
    assert_eq!(
        goose(
            r#"{"id":"m","role":"assistant","created":1,"content":[{"type":"text","text":"a"},
                {"type":"thinking","thinking":"hm"},{"type":"toolRequest","id":"c",
                "toolCall":{"status":"success","value":{"name":"shell","arguments":{}}}}]}"#
        ),
        "assistant | a | c=shell |  | m | -"
    );
    for result in [
        r#""toolResult":{"status":"success","value":{"content":[{"type":"text","text":"out"}]}}"#,
        r#""toolResult":{"status":"success","value":[{"type":"text","text":"out"}]}"#,
        r#""tool_result":{"Ok":[{"type":"text","text":"out"}]}"#,
        r#""toolResult":{"status":"error","error":"out"}"#,
    ] {
        let message =
            format!(r#"{{"role":"user","content":[{{"type":"toolResponse","id":"c",{result}}}]}}"#);
        assert_eq!(goose(&message), "user | - |  | c:out | - | -");
    }
}

#[test]
fn messages_and_parts_of_opencode_are_read() {
    let opencode = |json: &str| told(Dialect::Opencode, json);
    let info = r#"{"id":"m2","sessionID":"s","role":"assistant","parentID":"m1"}"#;
    let text = r#"{"id":"p1","messageID":"m2","type":"text","text":"a"}"#;
    let tool = r#"{"id":"p2","messageID":"m2","type":"tool","tool":"read","callID":"c",
        "state":{"status":"completed","input":{},"output":"out"}}"#;
    assert_eq!(opencode(info), "assistant | - |  |  | m2 | m1");
    assert_eq!(opencode(text), "- | a |  |  | p1 | m2");
    assert_eq!(opencode(tool), "- | - | c=read | c:out | p2 | m2");
    assert_eq!(
        opencode(&format!(r#"{{"info":{info},"parts":[{text},{tool}]}}"#)),
        "assistant | a | c=read | c:out | m2 | m1"
    );
    assert_eq!(
        opencode(r#"{"type":"tool","id":"p","tool":"read","state":{"status":"running"}}"#),
        "- | - | p=read |  | p | -"
    );
}

#[test]
fn turns_of_kerness_are_read() {
    let kerness = |json: &str| told(Dialect::Kerness, json);
    assert_eq!(
        kerness(
            r#"{"role":"assistant","speaker":"ada","content":"a","round_idx":0,"msg_type":"say"}"#
        ),
        "assistant | a |  |  | - | -"
    );
    assert_eq!(
        kerness(r#"{"sender":"ada","content":"a","msg_type":"say","round_idx":0}"#),
        "ada | a |  |  | - | -"
    );
}
