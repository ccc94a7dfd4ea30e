use proptest::prelude::*;
use sessile_core::digest::Digest;
use sessile_core::{EntryType, Payload};

use super::*;
use crate::{ExportFormat, Exporter, Origin};

fn page(title: Option<&str>, messages: &[String]) -> String {
    let mut exporter = Exporter::new(ExportFormat::Html, Dialect::Openai).unwrap();
    let mut page = exporter.head(title);
    for message in messages {
        let data = Payload::parse(message.clone()).unwrap();
        exporter.entry(&mut page, &EntryType::Message, &data, Origin::Own);
    }
    page + exporter.tail()
}

/// A message that says a text in every place that a page shows.
fn everywhere(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(
        r#"{{"role":{text},"content":{text},"tool_calls":[{{"id":{text},"function":{{"name":{text},"arguments":{text}}}}}]}}"#
    )
}

/// What of a page lies between its own head and tail: the messages.
fn body(page: &str) -> &str {
    page.split_once("<main>\n").unwrap().1.split_once("</main>\n<footer>").unwrap().0
}

/// The tags of a piece of a page; none of its attributes holds a `>`.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|tag| tag.split_once('>').unwrap().0).collect()
}

/// SHA-256 as a policy names it: in base 64.
fn base64_of_digest(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let hex = Digest::of(text.as_bytes()).to_string();
    let digits: Vec<u32> = hex.chars().map(|digit| digit.to_digit(16).unwrap()).collect();
    // Three digits are two letters.
    let letters = digits.chunks(3).flat_map(|three| {
        let bits = three.iter().fold(0, |bits, digit| bits * 16 + digit);
        let bits = bits << (4 * (3 - three.len()));
        [bits / 64, bits % 64].map(|place| char::from(LETTERS[usize::try_from(place).unwrap()]))
    });
    // 64 digits are 43 letters and one that says nothing.
    letters.take(43).collect::<String>() + "="
}

#[test]
fn the_policy_names_the_style_and_the_script_of_the_page_and_nothing_else() {
    assert_eq!(base64_of_digest(STYLE), STYLE_DIGEST);
    assert_eq!(base64_of_digest(SCRIPT), SCRIPT_DIGEST);
    let page = page(Some("Files"), &[everywhere("x")]);
    assert!(page.contains(&format!("<style>{STYLE}</style>")));
    assert!(page.contains(&format!("<script>{SCRIPT}</script>")));
    assert!(page.contains("default-src 'none'; style-src 'sha256-"), "{page}");
}

#[test]
fn a_page_needs_nothing_but_itself() {
    let page = page(Some("Files"), &[everywhere("http://tracker/x.png")]);
    for outside in [" src=", "<link", "<img", "<iframe", "@import", "url(", "fetch(", "XMLHttp"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // References lead to a place of the page only.
    let hrefs: Vec<&str> =
        page.split("href=\"").skip(1).map(|rest| rest.get(..1).unwrap()).collect();
    assert_eq!(hrefs, ["#"]);
}

#[test]
fn a_page_shows_who_says_calls_and_answers_what() {
    let messages = [
        r#"{"role":"user","content":"List the files.\n\n```sh\nls <dir>\n```\n\n \nPlease & thanks\n"}"#.to_owned(),
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{\"all\":true}"}}]}"#.to_owned(),
        format!(r#"{{"role":"tool","tool_call_id":"c1","content":"{}"}}"#, "line\\n".repeat(40)),
        r#"{"role":"assistant","content":null}"#.to_owned(),
        r#"{"unreadable":["<b>"]}"#.to_owned(),
    ];
    let page = page(Some("Files & <more>"), &messages);
    assert!(page.contains("<title>Files &amp; &lt;more&gt;</title>"));
    let expected = "<article class=\"user\" id=\"m1\">\n<h2>user <a href=\"#m1\">1</a></h2>\n\
        <div class=\"words\" dir=\"auto\">List the files.</div>\n<pre>ls &lt;dir&gt;</pre>\n\
        <div class=\"words\" dir=\"auto\">Please &amp; thanks</div>\n</article>\n\
        <article class=\"assistant\" id=\"m2\">\n<h2>assistant <a href=\"#m2\">2</a></h2>\n\
        <details class=\"calls\" open><summary>calls <b>ls</b> <span>c1</span></summary>\n\
        <pre>{&quot;all&quot;:true}</pre>\n</details>\n</article>\n\
        <article class=\"tool\" id=\"m3\">\n<h2>tool <a href=\"#m3\">3</a></h2>\n\
        <details class=\"result\"><summary>result <b></b> <span>c1, 40 lines</span></summary>\n<pre>line\n";
    assert!(body(&page).starts_with(expected), "{}", body(&page));
    assert!(page.contains("id=\"m4\">\n<h2>message <a"), "what says nothing has no number");
    assert!(page.contains("<pre>{&quot;unreadable&quot;:[&quot;&lt;b&gt;&quot;]}</pre>"));
}

#[test]
fn nothing_that_was_said_runs_hides_or_turns_the_page() {
    for text in [
        "<script>alert(1)</script>",
        "</script></style></title></pre><img src=x onerror=alert(1)>",
        "\"onmouseover=alert(1) x=\"",
        "' onfocus='alert(1)",
        "<!-- hidden",
        "]]><svg/onload=alert(1)>",
        "&lt;b&gt; &#60;",
        "\u{1b}[2J\u{1b}]0;title\u{7}",
        "a\u{202e}b\u{2066}c\u{0}",
        "```\nnever closed <b>",
    ] {
        let page = page(Some(text), &[everywhere(text)]);
        let allowed = ["article", "h2", "a", "div", "pre", "details", "summary", "b", "span"];
        for tag in tags(body(&page)) {
            let name = tag.trim_start_matches('/').split(' ').next().unwrap();
            assert!(allowed.contains(&name), "{text:?}: {tag}");
            for attribute in tag.split(' ').skip(1) {
                let name = attribute.split('=').next().unwrap();
                assert!(["class", "id", "href", "dir", "open"].contains(&name), "{text:?}: {tag}");
            }
        }
        assert_eq!(page.matches("<script>").count(), 1);
        assert!(!page.contains(['\u{1b}', '\u{202e}', '\u{2066}', '\u{0}', '\u{7}']));
    }
}

#[test]
fn a_line_of_a_million_letters_is_written_once() {
    let text = "x".repeat(1_000_000);
    let page = page(Some(&text), &[format!(r#"{{"role":"user","content":"{text}"}}"#)]);
    assert!(page.len() < 1_020_000, "{}", page.len());
    assert!(STYLE.contains("overflow-wrap:anywhere"), "and wrapped where it is shown");
}

proptest! {
    #[test]
    fn whatever_is_said_is_one_article_of_the_same_tags(text in "[<>&\"'`/!a-z \\n\u{0}\u{1b}\u{202e}-]{0,60}") {
        let page = page(None, &[everywhere(&text)]);
        let found = tags(body(&page));
        prop_assert_eq!(found.iter().filter(|tag| tag.starts_with("article ")).count(), 1);
        prop_assert_eq!(found.last().copied(), Some("/article"));
        prop_assert_eq!(page.matches("<script").count(), 1);
    }
}
