use crate::{Format, detect};

#[test]
fn each_format_is_known_by_its_first_records() {
    for (expected, file) in [
        (Format::Pi, r#"{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00Z"}"#),
        (
            Format::Pi,
            r#"{"type":"message","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user"}}"#,
        ),
        (Format::ClaudeCode, r#"{"type":"user","message":{"content":"hello"}}"#),
        (Format::ClaudeCode, r#"{"type":"summary","summary":"x","leafUuid":"u"}"#),
        (Format::ClaudeCode, r#"{"type":"file-history-snapshot","messageId":"u"}"#),
        (Format::ClaudeCode, r#"{"type":"system","uuid":"u","sessionId":"s"}"#),
        (Format::Codex, r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}"#),
        (Format::Codex, r#"{"type":"response_item","payload":{"role":"user"}}"#),
        (Format::Codex, r#"{"id":"s","timestamp":"t","instructions":null}"#),
        (Format::Codex, r#"{"record_type":"state"}"#),
        (Format::Jsonl, "{\"role\":\"user\",\"content\":\"a\"}\n\nnot JSON\n{\"role\":\"x\"}"),
    ] {
        assert_eq!(detect(file.as_bytes()), Some(expected), "{file}");
        let after_others = format!("\u{feff}not JSON\r\n42\r\n{file}");
        let expected = (expected != Format::Jsonl).then_some(expected);
        assert_eq!(detect(after_others.as_bytes()), expected, "{after_others}");
    }
}

#[test]
fn what_no_format_is_sure_of_is_not_guessed() {
    for file in [
        "",
        "\n\n",
        "not JSON",
        "42",
        "{}",
        "[{\"role\":\"user\"}]",
        "{\"role\":7}",
        "{\"role\":\"user\"}\n{\"created\":1}",
        // A journal of sessile's own, a file of Gemini's.
        r#"{"seq":0,"at":1,"type":"session","data":{"id":"s"}}"#,
        r#"{"type":"session_meta","payload":"s"}"#,
        r#"{"id":"m","type":"user","content":[{"text":"a"}]}"#,
    ] {
        assert_eq!(detect(file.as_bytes()), None, "{file}");
    }
    assert_eq!(detect(b"\xff\xfe\x00"), None);
}
