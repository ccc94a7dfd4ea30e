//! Text that others wrote, within a page of Markdown.
//!
//! What a model or a tool said may hold anything: headings that look like a change of speaker, a
//! fence that is never closed, tags that a browser runs, pictures that tell somebody that the page
//! was opened. Words stay readable, and nothing of them becomes part of the page's structure. Both
//! `CommonMark` and its extension by GitHub are kept in mind.

use std::iter;

/// The most letters that a code block's language has.
const MAX_LANGUAGE: usize = 24;

/// The shortest fence.
const MIN_FENCE: usize = 3;

/// Writes text: words with what would be structure escaped, and code blocks as such.
pub(super) fn write_text(out: &mut String, text: &str) {
    let mut lines = lines(text);
    while let Some(line) = lines.next() {
        let Some(fence) = Fence::opened_by(line) else {
            write_words(out, line);
            out.push('\n');
            continue;
        };
        // A block that is never closed goes on to the end of the text.
        let code: Vec<&str> = lines.by_ref().take_while(|line| !fence.is_closed_by(line)).collect();
        write_block(out, &language(fence.info), code.into_iter());
    }
}

/// A piece of a text.
pub(super) enum Block<'a> {
    /// Words, line by line.
    Words(Vec<&'a str>),
    /// What stands in a code block, line by line.
    Code(Vec<&'a str>),
}

/// A text as words and code blocks, which never overlap.
pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut words = Vec::new();
    let mut lines = lines(text);
    while let Some(line) = lines.next() {
        let Some(fence) = Fence::opened_by(line) else {
            words.push(line);
            continue;
        };
        blocks.push(Block::Words(std::mem::take(&mut words)));
        let code = lines.by_ref().take_while(|line| !fence.is_closed_by(line)).collect();
        blocks.push(Block::Code(code));
    }
    blocks.push(Block::Words(words));
    blocks.retain(|block| match block {
        Block::Words(lines) => lines.iter().any(|line| !line.trim().is_empty()),
        Block::Code(_) => true,
    });
    blocks
}

/// Writes a code block around text, whatever it holds.
pub(super) fn write_code(out: &mut String, language: &str, text: &str) {
    write_block(out, language, lines(text));
}

/// Writes words on one line: what Markdown could act upon is escaped, and what is too long is cut.
pub(super) fn write_inline(out: &mut String, text: &str, max: usize) {
    let mut letters = text.chars();
    for letter in letters.by_ref().take(max) {
        match letter {
            '\n' | '\r' | '\t' => out.push(' '),
            _ if r"\`*_[]<>&#|~".contains(letter) => out.extend(['\\', letter]),
            _ => out.push(visible(letter)),
        }
    }
    if letters.next().is_some() {
        out.push('\u{2026}');
    }
}

/// Writes a name as code on one line; what is too long is cut.
pub(super) fn write_name(out: &mut String, name: &str, max: usize) {
    let mut letters = name.chars();
    out.push('`');
    for letter in letters.by_ref().take(max) {
        out.push(match letter {
            '\n' | '\r' | '\t' => ' ',
            '`' => '\'',
            _ => visible(letter),
        });
    }
    if letters.next().is_some() {
        out.push('\u{2026}');
    }
    out.push('`');
}

fn write_block<'a>(out: &mut String, language: &str, code: impl Iterator<Item = &'a str> + Clone) {
    let longest = code.clone().map(longest_run).max().unwrap_or_default();
    let fence = "`".repeat(MIN_FENCE.max(longest + 1));
    // Apart from what stands around it, or it could become part of that.
    let begins_apart = out.is_empty() || out.ends_with("\n\n");
    if !begins_apart {
        out.push('\n');
    }
    out.push_str(&fence);
    out.push_str(language);
    out.push('\n');
    for line in code {
        out.extend(line.chars().map(visible));
        out.push('\n');
    }
    out.push_str(&fence);
    out.push_str("\n\n");
}

/// The length of the longest run of backticks.
fn longest_run(line: &str) -> usize {
    line.split(|letter| letter != '`').map(str::len).max().unwrap_or_default()
}

/// The language that a block names, if it is a plain word.
fn language(info: &str) -> String {
    let word = info.trim().split([' ', '\t']).next().unwrap_or_default();
    let is_plain = word.len() <= MAX_LANGUAGE
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-#_.".contains(letter));
    if is_plain { word.to_owned() } else { String::new() }
}

/// The lines of a text, whichever way they end.
fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    let ends = |letter| matches!(letter, '\n' | '\r');
    let mut rest = Some(text.trim_end_matches(ends));
    iter::from_fn(move || {
        let text = rest?;
        let Some(at) = text.find(ends) else {
            rest = None;
            return Some(text);
        };
        let (line, after) = text.split_at_checked(at)?;
        rest = after.strip_prefix("\r\n").or_else(|| after.strip_prefix(ends));
        Some(line)
    })
}

/// A line that begins a code block.
struct Fence<'a> {
    letter: char,
    length: usize,
    info: &'a str,
}

impl<'a> Fence<'a> {
    /// Only at the very start of a line is it sure that no list and no quotation holds the fence,
    /// which would end the block elsewhere.
    fn opened_by(line: &'a str) -> Option<Self> {
        let letter = line.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
        let info = line.trim_start_matches(letter);
        let length = line.len() - info.len();
        let is_fence = length >= MIN_FENCE && !(letter == '`' && info.contains('`'));
        is_fence.then_some(Self { letter, length, info })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let fence = line.trim_matches([' ', '\t']);
        let indent = line.len() - line.trim_start_matches(' ').len();
        indent <= 3
            && !line.starts_with('\t')
            && fence.len() >= self.length
            && fence.chars().all(|letter| letter == self.letter)
    }
}

/// Writes a line of words.
fn write_words(out: &mut String, line: &str) {
    let mut rest = line;
    // Before the first word of a line lists and quotations may begin, within one another.
    let before_words = |letter: char| letter.is_ascii_digit() || " \t>*+-.)".contains(letter);
    let words = line.trim_start_matches(before_words);
    // Of a line below words that makes them a heading: its marks.
    let marks = line.trim_start_matches([' ', '\t', '>']);
    let is_rule = marks.chars().all(|letter| matches!(letter, ' ' | '\t' | '-' | '='));
    let structure = if is_rule { marks } else { words };
    if structure.starts_with(['#', '-', '=']) {
        push_visible(out, line.strip_suffix(structure).unwrap_or_default());
        out.push('\\');
        rest = structure;
    }
    while let Some(at) = rest.find(['\\', '`', '<', '[', '~']) {
        let (before, special) = rest.split_at_checked(at).unwrap_or((rest, ""));
        push_visible(out, before);
        rest = write_special(out, special);
    }
    push_visible(out, rest);
}

/// Writes what begins with a letter that Markdown may act upon; answers what follows it.
fn write_special<'a>(out: &mut String, text: &'a str) -> &'a str {
    let mut letters = text.chars();
    match letters.next() {
        Some('`') => write_ticks(out, text),
        Some('\\') => {
            // What is escaped already stays so; any other backslash stands for itself.
            out.push('\\');
            match letters.next().filter(char::is_ascii_punctuation) {
                Some(escaped) => out.push(escaped),
                None => return text.strip_prefix('\\').unwrap_or_default(),
            }
            letters.as_str()
        }
        Some('~') if !text.starts_with("~~~") => {
            out.push('~');
            let rest = letters.as_str();
            match rest.strip_prefix('~') {
                Some(rest) => {
                    out.push('~');
                    rest
                }
                None => rest,
            }
        }
        Some(special) => {
            out.extend(['\\', special]);
            letters.as_str()
        }
        None => "",
    }
}

/// Writes what begins with backticks: code, if as many end it on the same line.
///
/// No backtick is left that could pair with one of another line, and none with one of another
/// cell of a table, for what stands between would become code or cease to be it.
fn write_ticks<'a>(out: &mut String, text: &'a str) -> &'a str {
    let after = text.trim_start_matches('`');
    let length = text.len() - after.len();
    let mut from = 0;
    while let Some(found) = after.get(from..).and_then(|rest| rest.find('`')) {
        let begin = from + found;
        let run = after.get(begin..).unwrap_or_default();
        let rest = run.trim_start_matches('`');
        if run.len() - rest.len() == length {
            let code = after.get(..begin).unwrap_or_default();
            if code.contains('|') {
                break;
            }
            let ticks = "`".repeat(length);
            out.push_str(&ticks);
            push_visible(out, code);
            out.push_str(&ticks);
            return rest;
        }
        from = begin + (run.len() - rest.len());
    }
    out.extend(iter::repeat_n("\\`", length));
    after
}

fn push_visible(out: &mut String, text: &str) {
    out.extend(text.chars().map(visible));
}

/// A letter, or a mark in place of one that a terminal would act upon or that turns the direction
/// of the text around it.
pub(super) const fn visible(letter: char) -> char {
    match letter {
        '\t' => letter,
        '\u{0}'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        _ => letter,
    }
}

#[cfg(test)]
mod tests;
