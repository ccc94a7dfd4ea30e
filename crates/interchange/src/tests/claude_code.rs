use sessile_core::entry::shape::Dialect;
use sessile_core::{EntryType, UnixMillis};

use super::{notices, read, sessions};
use crate::{Format, Source};

/// A record `id<parent` of a type with more members; no parent is null.
fn record(kind: &str, link: &str, more: &str) -> String {
    let (id, parent) = link.split_once('<').unwrap_or((link, ""));
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(r#"{{"type":"{kind}","uuid":"{id}","parentUuid":{parent},"sessionId":"s"{more}}}"#)
}

fn user(link: &str, text: &str) -> String {
    record("user", link, &format!(r#","message":{{"role":"user","content":"{text}"}}"#))
}

fn assistant(link: &str, text: &str) -> String {
    let message = format!(r#","message":{{"role":"assistant","model":"m","content":"{text}"}}"#);
    record("assistant", link, &message)
}

fn call(link: &str, call: &str) -> String {
    let block = format!(r#"[{{"type":"tool_use","id":"{call}","name":"f"}}]"#);
    record("assistant", link, &format!(r#","message":{{"role":"assistant","content":{block}}}"#))
}

fn result(link: &str, call: &str) -> String {
    let block = format!(r#"[{{"type":"tool_result","tool_use_id":"{call}","content":"out"}}]"#);
    record("user", link, &format!(r#","message":{{"role":"user","content":{block}}}"#))
}

fn read_all(lines: &[String]) -> Source {
    read(Format::ClaudeCode, &lines.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn users_and_assistants_speak_and_every_other_record_is_an_event() {
    let source = read_all(&[
        user("a", "hi"),
        record("progress", "p<a", ""),
        assistant("b<p", "hello"),
        record("system", "c<b", r#","content":"done""#),
        r#"{"type":"queue-operation","operation":"enqueue","sessionId":"s"}"#.to_owned(),
        r#"{"type":"of the future","x":1}"#.to_owned(),
        r#"{"silly":"this"}"#.to_owned(),
        "[1]".to_owned(),
        record("user", "d<c", r#","message":"error""#),
    ]);
    assert_eq!(sessions(&source), [("main", "1 2e 3 4e 5e 6e 7e 8e 9".to_owned())]);
    assert_eq!(notices(&source), []);
    assert_eq!(source.sessions[0].dialect, Dialect::ClaudeCode);
}

#[test]
fn going_back_makes_a_branch_that_holds_what_it_shares() {
    let source = read_all(&[
        user("a", "plan"),
        assistant("b<a", "for when?"),
        user("c<b", "spring"),
        assistant("d<c", "lettuce"),
        user("e<b", "autumn"),
        assistant("f<e", "spinach"),
        assistant("g<c", "radish"),
        user("h<f", "more"),
    ]);
    let expected = [("main", "1 2 5 6 8"), ("c", "1 2 3 7"), ("d", "1 2 3 4")];
    assert_eq!(sessions(&source), expected.map(|(branch, lines)| (branch, lines.to_owned())));
    let origins: Vec<_> =
        source.sessions.iter().map(|it| (it.parent_branch, it.forked_after)).collect();
    assert_eq!(origins, [(None, None), (Some(0), Some(2)), (Some(1), Some(3))]);
    assert_eq!(source.sessions[1].title.as_deref(), Some("spring"));
    assert_eq!(source.sessions[2].title.as_deref(), Some("spring"), "without a prompt of its own");
}

#[test]
fn an_alternative_answer_is_a_branch() {
    let source = read_all(&[user("a", "hi"), assistant("b<a", "one"), assistant("c<a", "two")]);
    assert_eq!(sessions(&source), [("main", "1 3".to_owned()), ("b", "1 2".to_owned())]);
}

#[test]
fn parallel_calls_and_their_results_are_no_branches() {
    let source = read_all(&[
        user("a", "compare"),
        call("b<a", "t1"),
        call("c<b", "t2"),
        result("r1<b", "t1"),
        result("r2<c", "t2"),
        assistant("d<r2", "equal"),
        record("progress", "p<b", ""),
    ]);
    assert_eq!(sessions(&source), [("main", "1 2 3 4 5 6 7e".to_owned())]);
}

#[test]
fn a_record_without_a_parent_continues_the_one_before_it() {
    let all_null = [user("a", "1"), assistant("b", "2"), user("c", "3"), assistant("d", "4")];
    assert_eq!(sessions(&read_all(&all_null)), [("main", "1 2 3 4".to_owned())]);
    let no_links = [r#"{"type":"user","message":{"content":"hi"}}"#.to_owned(), user("a", "x")];
    assert_eq!(sessions(&read_all(&no_links)), [("main", "1 2".to_owned())]);
}

#[test]
fn what_follows_a_compaction_follows_what_it_says_went_before() {
    let boundary = |before: &str| {
        let more = format!(r#","subtype":"compact_boundary","logicalParentUuid":"{before}""#);
        record("system", "x", &more)
    };
    let file = |before| {
        read_all(&[
            user("a", "1"),
            assistant("b<a", "2"),
            user("c<a", "3"),
            assistant("d<b", "4"),
            boundary(before),
            user("e<x", "5"),
        ])
    };
    let expected = [("main", "1 3 5e 6".to_owned()), ("b", "1 2 4".to_owned())];
    assert_eq!(sessions(&file("c")), expected);
    // What went before may be in another file; that is no fault.
    let source = file("elsewhere");
    assert_eq!(sessions(&source)[0], ("main", "1 2 4 5e 6".to_owned()));
    assert_eq!(notices(&source), []);
}

#[test]
fn a_broken_chain_is_told_and_loses_nothing() {
    let mut lines: Vec<String> = (1..100).map(|n| user(&format!("{n}<{}", n - 1), "x")).collect();
    lines.insert(0, user("0", "x"));
    for (parent, reason) in [
        ("gone", "its parent is not in the file"),
        ("60", "it names itself as its parent"),
        ("61", "its parents run in a circle"),
    ] {
        let mut lines = lines.clone();
        lines[60] = user(&format!("60<{parent}"), "x");
        let source = read_all(&lines);
        assert_eq!(source.sessions.len(), 1, "{reason}");
        assert_eq!(source.sessions[0].records.len(), 100);
        let expected = format!("{reason}; it was taken to continue what stands before it");
        assert_eq!(notices(&source), [(61, &*expected)]);
    }
}

#[test]
fn a_strangers_record_at_the_end_changes_nothing_of_the_chain() {
    let mut lines = vec![user("a", "1"), assistant("b<a", "2"), user("c<a", "3")];
    let before = sessions(&read_all(&lines)).len();
    lines.push(r#"{"type":"stranger","note":"hello"}"#.to_owned());
    let source = read_all(&lines);
    assert_eq!(sessions(&source)[0], ("main", "1 3 4e".to_owned()));
    assert_eq!(source.sessions.len(), before);
}

#[test]
fn sub_agents_are_sessions_of_their_own() {
    let side = |link: &str, more: &str| {
        let message = r#","isSidechain":true,"message":{"role":"user","content":"look"}"#;
        record("user", link, &format!("{message}{more}"))
    };
    let source = read_all(&[
        user("a", "1"),
        side("s", ""),
        side("t<a", r#","agentId":"x7""#),
        side("u<s", ""),
        side("v<t", r#","agentId":"x7""#),
        assistant("b<a", "2"),
    ]);
    let expected = [("main", "1 6"), ("sidechain-s", "2 4"), ("sidechain-x7", "3 5")];
    assert_eq!(sessions(&source), expected.map(|(branch, lines)| (branch, lines.to_owned())));
    assert_eq!(source.sessions[1].parent_branch, Some(0));
    assert_eq!(source.sessions[1].forked_after, None);
    assert_eq!(notices(&source), []);
}

#[test]
fn the_file_of_a_sub_agent_is_its_own_main_session() {
    let more = r#","isSidechain":true,"agentId":"x7","message":{"role":"user","content":"look"}"#;
    let source = read_all(&[record("user", "a", more), record("user", "b<a", more)]);
    assert_eq!(sessions(&source), [("main", "1 2".to_owned())]);
    assert_eq!(source.sessions[0].source_id.as_deref(), Some("agent-x7"));
}

#[test]
fn the_first_session_id_names_a_file_that_continues_another() {
    let source = read_all(&[
        r#"{"type":"summary","summary":"x","leafUuid":"gone"}"#.to_owned(),
        user("a", "1").replace("\"sessionId\":\"s\"", "\"sessionId\":\"first\""),
        user("b<a", "2"),
    ]);
    assert_eq!(source.sessions[0].source_id.as_deref(), Some("first"));
}

#[test]
fn titles_are_taken_from_who_knows_best() {
    let custom = r#"{"type":"custom-title","customTitle":" Mine \n more"}"#;
    let made = r#"{"type":"ai-title","aiTitle":"Made"}"#;
    let summary = r#"{"type":"summary","summary":"In short","leafUuid":"b"}"#;
    let others = r#"{"type":"summary","summary":"Another file","leafUuid":"gone"}"#;
    let talk = [user("a", "fix it"), assistant("b<a", "done"), others.to_owned()];
    let title = |more: &[&str]| {
        let mut lines = talk.to_vec();
        lines.extend(more.iter().map(|line| (*line).to_owned()));
        read_all(&lines).sessions[0].title.clone().unwrap()
    };
    assert_eq!(title(&[]), "fix it");
    assert_eq!(title(&[summary]), "In short");
    assert_eq!(title(&[made, summary]), "Made");
    assert_eq!(title(&[custom, made, summary]), "Mine");
}

#[test]
fn a_title_is_made_from_words_of_the_user_only() {
    let source = read_all(&[
        user("a", "<command-name>/clear</command-name>"),
        user("b<a", "Caveat: The messages below were generated by the user"),
        user("c<b", "meta").replace("\"uuid\"", "\"isMeta\":true,\"uuid\""),
        result("d<c", "t"),
        user("e<d", "the real one"),
    ]);
    assert_eq!(source.sessions[0].title.as_deref(), Some("the real one"));
    assert_eq!(read_all(&[assistant("a", "hello")]).sessions[0].title, None);
}

#[test]
fn time_folder_and_model_are_read() {
    let at = |line: String, time: &str| {
        line.replace("\"uuid\"", &format!(r#""timestamp":"{time}","cwd":"/{time}","uuid""#))
    };
    let source = read_all(&[
        r#"{"type":"summary","summary":"x"}"#.to_owned(),
        at(user("a", "1"), "1970-01-01T00:00:01Z"),
        at(assistant("b<a", "2"), "1970-01-01T00:00:02Z"),
        assistant("c<b", "no answer").replace("\"m\"", "\"<synthetic>\""),
    ]);
    let main = &source.sessions[0];
    assert_eq!(main.created_at, Some(UnixMillis(1_000)));
    assert_eq!(main.cwd.as_deref(), Some("/1970-01-01T00:00:01Z"));
    assert_eq!(main.model.as_deref(), Some("m"));
    let times: Vec<_> = main.records.iter().map(|record| record.at).collect();
    assert_eq!(times, [None, Some(UnixMillis(1_000)), Some(UnixMillis(2_000)), None]);
}

#[test]
fn a_name_of_any_length_is_not_taken_for_each_fork() {
    let long = "x".repeat(5_000);
    let source = read_all(&[
        user("a", "1").replace("\"uuid\"", &format!(r#""cwd":"{long}","uuid""#)),
        user("b<a", "2"),
        user("c<a", "3"),
    ]);
    assert!(source.sessions.iter().all(|session| session.cwd.is_none()));
}

#[test]
fn ids_that_cannot_name_a_branch_give_way_to_the_line() {
    let long = "x".repeat(200);
    let source = read_all(&[
        user("a", "1"),
        user("../b<a", "2"),
        user(&format!("{long}<a"), "3"),
        user("line-9<a", "4"),
        user("c<a", "5"),
        user("c<a", "6"),
        user("d<a", "7"),
    ]);
    let branches: Vec<_> = source.sessions.iter().filter_map(|it| it.branch.as_deref()).collect();
    assert_eq!(branches, ["line-2", "line-3", "line-4", "c", "line-6"]);
}

#[test]
fn debug_tells_no_content() {
    let source = read_all(&[user("a", "secret")]);
    assert!(!format!("{source:?}").contains("secret"));
    assert_eq!(source.sessions[0].records.own()[0].entry_type, EntryType::Message);
}
