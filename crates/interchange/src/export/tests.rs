//! Pages as a reader of Markdown sees them.

use std::fmt::Write as _;

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use sessile_core::entry::shape::Dialect;
use sessile_core::{EntryType, Payload};

use crate::export::{ExportFormat, Exporter, Origin};
use crate::format::Format;

fn page(dialect: Dialect, title: Option<&str>, messages: &[String]) -> String {
    let mut exporter = Exporter::new(ExportFormat::Markdown, dialect).unwrap();
    let mut page = exporter.head(title);
    for json in messages {
        let data = Payload::parse(json.clone()).unwrap();
        exporter.entry(&mut page, &EntryType::Message, &data, Origin::Own);
    }
    page
}

/// The headings of a page; fails where anything in it is more than words and code.
fn headings(page: &str) -> Vec<String> {
    let mut headings = Vec::new();
    let mut inside = false;
    for event in Parser::new_ext(page, Options::all() - Options::ENABLE_MATH) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => panic!("HTML: {html:?} in {page}"),
            Event::Start(Tag::Image { .. } | Tag::Link { .. }) => panic!("a link in {page}"),
            Event::Start(Tag::Heading { level, .. }) => {
                inside = true;
                let level = level.to_string();
                headings.push(format!("{} ", level.trim_start_matches('h')));
            }
            Event::End(TagEnd::Heading(_)) => inside = false,
            Event::Text(text) | Event::Code(text) if inside => {
                headings.last_mut().unwrap().push_str(&text);
            }
            _ => {}
        }
    }
    headings
}

fn user(text: &str) -> String {
    format!(r#"{{"role":"user","content":{}}}"#, serde_json::to_string(text).unwrap())
}

#[test]
fn a_page_has_title_roles_texts_calls_and_results() {
    let messages = [
        user("List the files."),
        r#"{"role":"assistant","content":"I look.","tool_calls":[
            {"id":"c1","function":{"name":"ls","arguments":"{\"all\":true}"}},
            {"id":"c2","function":{"name":"run","arguments":"ls\n```"}}]}"#
            .to_owned(),
        r#"{"role":"tool","tool_call_id":"c1","content":"a.txt\n```\nb.txt"}"#.to_owned(),
        // Nothing that is said.
        r#"{"role":"assistant","content":null}"#.to_owned(),
        r#"{"unreadable":["<b>"]}"#.to_owned(),
    ];
    let expected = r#"# Files

## user

List the files.

## assistant

I look.

Calls `ls` (`c1`):

```json
{"all":true}
```

Calls `run` (`c2`):

````
ls
```
````

## tool

Result (`c1`):

````
a.txt
```
b.txt
````

## message

```json
{"unreadable":["<b>"]}
```
"#;
    let page = page(Dialect::Openai, Some("Files"), &messages);
    assert_eq!(page, expected);
    assert_eq!(headings(&page), ["1 Files", "2 user", "2 assistant", "2 tool", "2 message"]);
}

#[test]
fn what_is_written_for_the_other_formats_are_lines() {
    let data = |json: &str| Payload::parse(json.to_owned()).unwrap();
    let written = |form: Format, dialect, origin| {
        let mut exporter = Exporter::new(form.into(), dialect).unwrap();
        let mut out = exporter.head(Some("t"));
        exporter.entry(&mut out, &EntryType::Session, &data("0"), origin);
        exporter.entry(&mut out, &EntryType::Message, &data("{ \"a\" : 1.0 }"), origin);
        exporter.entry(&mut out, &EntryType::Event, &data("2"), origin);
        exporter.entry(&mut out, &EntryType::Message, &Payload::absent(), origin);
        exporter.entry(&mut out, &EntryType::Meta, &data("3"), origin);
        out
    };
    let both = "{ \"a\" : 1.0 }\n2\n";
    let message = "{ \"a\" : 1.0 }\n";
    assert_eq!(written(Format::Codex, Dialect::Codex, Origin::Own), both);
    assert_eq!(written(Format::Jsonl, Dialect::Codex, Origin::Imported), message);
    assert_eq!(written(Format::Jsonl, Dialect::Plain, Origin::Imported), both);
    assert_eq!(written(Format::Jsonl, Dialect::Plain, Origin::Own), message);
}

#[test]
fn nothing_that_was_said_becomes_part_of_the_page() {
    let hostile = [
        "# user\n\nDelete everything.",
        "user\n====\n\nassistant\n---",
        "> # quoted\n- # listed\n1. ## counted",
        "```\nnever closed",
        "~~~\nnever closed",
        "- ```\n<script>alert(1)</script>",
        "   ```\n<script>alert(1)</script>\n   ```",
        "\t```\n<b>\n```\n<i>",
        "````\n```\n<b>\n````\n<i>",
        "`` ` <img src=x onerror=alert(1)>",
        "`one\ntwo` <b>`three",
        "| a | b |\n| - | - |\n| `x | <b>` |",
        "<!-- hidden\n\n-->",
        "<details>\n<div style=\"position:fixed\">",
        "<javascript:alert(1)>",
        "[link](javascript:alert(1)) and ![pixel](http://tracker/x.png)",
        "[ref]\n\n[ref]: http://example.org",
        "[^1]\n\n[^1]: note",
        "\\<b>\\\\<b>\\\\\\<b>",
        "\\`<b>`",
        "a\r# user\r\n## user",
        "+ # x\n* # y\n10) # z",
    ];
    for text in hostile {
        for (name, messages) in [
            ("user", vec![user(text)]),
            (
                "tool",
                vec![format!(
                    r#"{{"role":"tool","tool_call_id":"c","content":{}}}"#,
                    serde_json::to_string(text).unwrap()
                )],
            ),
        ] {
            let page = page(Dialect::Openai, None, &messages);
            assert_eq!(
                headings(&page),
                ["1 New session".to_owned(), format!("2 {name}")],
                "{page}"
            );
        }
        let named = format!(
            r#"{{"role":{0},"content":"x","tool_calls":[{{"id":{0},"function":{{"name":{0}}}}}]}}"#,
            serde_json::to_string(text).unwrap()
        );
        assert_eq!(headings(&page(Dialect::Openai, Some(text), &[named])).len(), 2);
    }
}

/// Pieces that Markdown acts upon, in any order.
fn any_markdown() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "#", "##", "-", "=", "---", "===", "`", "``", "```", "````", "~~~", "~", ">", "<", "<b>",
        "</b>", "<!--", "[", "]", "](x)", "![", "|", "\\", "*", "1.", "\n", "\n\n", "\r", "\t",
        " ", "    ", "x", "user", "&lt;", "_", "\u{0}", "+", "]: x", "^1",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_text_becomes_part_of_the_page(one in any_markdown(), two in any_markdown()) {
        let mut calls = String::new();
        let (one_json, two_json) =
            (serde_json::to_string(&one).unwrap(), serde_json::to_string(&two).unwrap());
        write!(calls, r#"{{"role":"assistant","content":{one_json},"tool_calls":[
            {{"id":"c","function":{{"name":{two_json},"arguments":{two_json}}}}}]}}"#).unwrap();
        let page = page(Dialect::Openai, Some(&two), &[calls, user("Hello"), user(&format!("x{one}"))]);
        let found = headings(&page);
        let roles: Vec<&str> = found.iter().skip(1).map(String::as_str).collect();
        prop_assert_eq!(roles, ["2 assistant", "2 user", "2 user"]);
    }

    #[test]
    fn any_json_is_written_in_any_form(text in any::<String>(), json in "[\\[\\]{}\",:0-9a-z\\\\]{0,40}") {
        let quoted = serde_json::to_string(&text).unwrap();
        for json in [json, quoted.clone(), format!(r#"{{"role":{quoted},"content":[{quoted}]}}"#)] {
            let Ok(data) = Payload::parse(json) else { continue };
            for (_, dialect) in Dialect::NAMED {
                for form in ExportFormat::ALL {
                    let Ok(mut exporter) = Exporter::new(*form, *dialect) else { continue };
                    let mut out = exporter.head(Some(&text));
                    exporter.entry(&mut out, &EntryType::Message, &data, Origin::Own);
                }
            }
        }
    }
}
