use sessile_core::UnixMillis;
use sessile_core::entry::shape::Dialect;

use super::{notices, read, sessions};
use crate::{Format, Source};

const HEADER: &str = r#"{"type":"session","version":3,"id":"pi-1","timestamp":"1970-01-01T00:00:09Z","cwd":"/boat","title":"From the header"}"#;

/// A message `id<parent`; without a link it is one of the first version.
fn message(link: &str, role: &str, text: &str) -> String {
    let link = match link.split_once('<') {
        Some((id, parent)) => format!(r#""id":"{id}","parentId":"{parent}","#),
        None if link.is_empty() => String::new(),
        None => format!(r#""id":"{link}","parentId":null,"#),
    };
    format!(r#"{{"type":"message",{link}"message":{{"role":"{role}","content":"{text}"}}}}"#)
}

fn read_all(lines: &[&str]) -> Source {
    read(Format::Pi, lines)
}

#[test]
fn the_first_version_is_a_list() {
    let (ask, answer) = (message("", "user", "hi"), message("", "assistant", "hello"));
    let change = r#"{"type":"model_change","provider":"p","modelId":"m2"}"#;
    let source =
        read_all(&[&HEADER.replace("\"cwd\"", "\"modelId\":\"m1\",\"cwd\""), &ask, &answer]);
    assert_eq!(sessions(&source), [("main", "1e 2 3".to_owned())]);
    let main = &source.sessions[0];
    assert_eq!(main.dialect, Dialect::Pi);
    assert_eq!(main.source_id.as_deref(), Some("pi-1"));
    assert_eq!(main.created_at, Some(UnixMillis(9_000)));
    assert_eq!(main.cwd.as_deref(), Some("/boat"));
    assert_eq!(main.model.as_deref(), Some("m1"));
    assert_eq!(main.title.as_deref(), Some("From the header"));
    let source = read_all(&[&ask, change]);
    assert_eq!(source.sessions[0].model.as_deref(), Some("m2"));
    assert_eq!(source.sessions[0].title.as_deref(), Some("hi"));
}

#[test]
fn going_back_makes_a_branch() {
    let source = read_all(&[
        HEADER,
        r#"{"type":"model_change","id":"m","parentId":null,"modelId":"x"}"#,
        &message("a<m", "user", "question"),
        &message("b<a", "assistant", "answer"),
        r#"{"type":"label","id":"l","parentId":"b","targetId":"b"}"#,
        r#"{"type":"branch_summary","id":"s","parentId":"a","summary":"left"}"#,
        &message("c<s", "assistant", "another"),
        r#"{"type":"session_info","id":"i","parentId":"c","name":" Named "}"#,
        r#"{"type":"of the future","id":"z","parentId":"i"}"#,
    ]);
    assert_eq!(
        sessions(&source),
        [("main", "1e 2e 3 6e 7 8e 9e".to_owned()), ("b", "1e 2e 3 4 5e".to_owned())]
    );
    assert_eq!(source.sessions[0].title.as_deref(), Some("Named"));
    assert_eq!(
        (source.sessions[1].parent_branch, source.sessions[1].forked_after),
        (Some(0), Some(3))
    );
    assert_eq!(source.sessions[1].source_id.as_deref(), Some("pi-1"));
    assert_eq!(notices(&source), []);
}

#[test]
fn every_fork_of_pi_is_one_that_its_user_made_also_in_the_middle_of_tool_work() {
    let result = r#"{"type":"message","id":"r","parentId":"a","message":{"role":"toolResult","toolCallId":"t","content":[]}}"#;
    let source =
        read_all(&[HEADER, &message("a", "user", "1"), result, &message("b<a", "user", "2")]);
    assert_eq!(sessions(&source), [("main", "1e 2 4".to_owned()), ("r", "1e 2 3".to_owned())]);
}

#[test]
fn the_headers_id_is_no_parent_and_broken_links_are_told() {
    let source = read_all(&[HEADER, &message("a<pi-1", "user", "1"), &message("b<a", "user", "2")]);
    assert_eq!(sessions(&source), [("main", "1e 2 3".to_owned())]);
    let reason = "its parent is not in the file; it was taken to continue what stands before it";
    assert_eq!(notices(&source), [(2, reason)]);
}

#[test]
fn messages_of_extensions_are_messages() {
    let source = read_all(&[
        HEADER,
        r#"{"type":"custom_message","id":"a","parentId":null,"content":"tide"}"#,
        r#"{"type":"custom","id":"b","parentId":"a","data":{}}"#,
        r#"{"type":"compaction","id":"c","parentId":"b","summary":"so far"}"#,
    ]);
    assert_eq!(sessions(&source), [("main", "1e 2 3e 4e".to_owned())]);
}
