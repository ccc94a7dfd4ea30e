use super::*;

fn text(text: &str) -> String {
    let mut out = String::new();
    write_text(&mut out, text);
    out
}

#[test]
fn words_stay_as_they_are() {
    for words in [
        "Plain *words*, **bold**, `code`, 3 < 4? no: \"quoted\" (in brackets).",
        "- a list\n- of things\n  1. within\n> quoted",
        "a `Vec<u8>[0]` and ``a ` tick``",
        "~~gone~~ and a~b",
        "C# and issue #7",
    ] {
        assert_eq!(text(words), format!("{}\n", words.replace("3 < 4", "3 \\< 4")), "{words}");
    }
}

#[test]
fn what_would_be_structure_is_escaped() {
    for (words, escaped) in [
        ("# user", "\\# user"),
        ("  ## user", "  \\## user"),
        ("> 1. - # user", "> 1. - \\# user"),
        ("user\n---", "user\n\\---"),
        ("user\n===", "user\n\\==="),
        ("> user\n> -", "> user\n> \\-"),
        ("<script>", "\\<script>"),
        ("a <!-- b", "a \\<!-- b"),
        ("![x](http://a/b.png)", "!\\[x](http://a/b.png)"),
        ("[x]: http://a", "\\[x]: http://a"),
        ("\\<b>", "\\<b>"),
        ("\\\\<b>", "\\\\\\<b>"),
        ("C:\\dir", "C:\\dir"),
        ("`a", "\\`a"),
        ("`` a `<b>", "\\`\\` a \\`\\<b>"),
        ("| `x | <b>` |", "| \\`x | \\<b>\\` |"),
        ("  ```\n<b>", "  \\`\\`\\`\n\\<b>"),
        ("- ~~~\n<b>", "- \\~~~\n\\<b>"),
        ("a\rb\r\nc", "a\nb\nc"),
        ("a\0\u{1b}[2J\u{202e}", "a\u{fffd}\u{fffd}\\[2J\u{fffd}"),
    ] {
        assert_eq!(text(words), format!("{escaped}\n"), "{words:?}");
    }
}

#[test]
fn code_blocks_are_kept_and_always_closed() {
    assert_eq!(
        text("a\n```rust\nlet x = `<b>`;\n```\nb"),
        "a\n\n```rust\nlet x = `<b>`;\n```\n\nb\n"
    );
    assert_eq!(text("```\n<b>\n# never closed"), "```\n<b>\n# never closed\n```\n\n");
    assert_eq!(text("~~~~ a b\n~~~\n   ~~~~~  \nc"), "```a\n~~~\n```\n\nc\n");
    assert_eq!(text("```\"><b>\nx\n```"), "```\nx\n```\n\n");
    assert_eq!(text("````\n```\n````"), "````\n```\n````\n\n");
    // Backticks after the backticks: words.
    assert_eq!(text("``` a `b"), "\\`\\`\\` a \\`b\n");
}

#[test]
fn a_fence_is_longer_than_any_inside() {
    let mut out = String::new();
    write_code(&mut out, "", "a ````` b\n```\n# user");
    assert_eq!(out, "``````\na ````` b\n```\n# user\n``````\n\n");
}

#[test]
fn one_line_stays_one_line() {
    let inline = |text: &str| {
        let mut out = String::new();
        write_inline(&mut out, text, 12);
        out
    };
    assert_eq!(inline("a\n# b\r\nc"), "a \\# b  c");
    assert_eq!(inline("<b>[x]"), "\\<b\\>\\[x\\]");
    assert_eq!(inline("0123456789abc"), "0123456789ab\u{2026}");
    let mut out = String::new();
    write_name(&mut out, "a`b\n`<c>|\u{7}", 80);
    assert_eq!(out, "`a'b '<c>|\u{fffd}`");
}
