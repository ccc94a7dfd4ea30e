//! Messages of the sizes and shapes that sessions hold, the same in every run.

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::random::Random;

/// How many different ones there are; after the last they begin again.
const DIFFERENT: usize = 10_000;

/// What text is made of: code, escapes, and letters of one to four bytes.
const WORDS: &[&str] = &[
    "the",
    "session",
    "returns",
    "an",
    "error",
    "when",
    "file",
    "is",
    "missing",
    "and",
    "retry",
    "after",
    "timeout",
    "let",
    "mut",
    "buffer",
    "=",
    "Vec::new();",
    "\n",
    "\n    ",
    "\t",
    "\"quoted\"",
    "C:\\path\\to",
    "if",
    "(x",
    ">=",
    "0)",
    "{",
    "}",
    "//",
    "note:",
    "cargo",
    "test",
    "--release",
    "0x5e55",
    "1,024",
    "https://example.com/a?b=c&d=e",
    "größer",
    "naïve",
    "сессия",
    "журнал",
    "ошибка",
    "会话",
    "日志",
    "追記",
    "再試行",
    "🙂",
    "🚀",
    "done.",
    "…",
];

/// A message of a conversation with a model that calls tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: String,
    pub(crate) content: Vec<Block>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Block {
    Text { text: String },
    ToolUse { id: String, name: String, input: Value },
    ToolResult { tool_use_id: String, content: String },
}

/// Messages, and each as one line of JSON without an end.
#[derive(Debug)]
pub(crate) struct Messages {
    typed: Vec<Message>,
    lines: Vec<String>,
}

impl Messages {
    pub(crate) fn seeded() -> Result<Self> {
        let mut random = Random::seeded(0x5e55_11e5);
        let typed: Vec<Message> = (0..DIFFERENT).map(|turn| message(&mut random, turn)).collect();
        let lines = typed.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        Ok(Self { typed, lines })
    }

    /// The message at `index`.
    pub(crate) fn typed(&self, index: usize) -> Result<&Message> {
        self.typed.get(index % DIFFERENT).context("there is no message")
    }

    /// `count` messages from `first` on.
    pub(crate) fn some(&self, first: usize, count: usize) -> impl Iterator<Item = &Message> {
        self.typed.iter().cycle().skip(first % DIFFERENT).take(count)
    }

    /// The line at `index`.
    pub(crate) fn line(&self, index: usize) -> Result<&str> {
        self.lines.get(index % DIFFERENT).map(String::as_str).context("there is no line")
    }

    /// How many bytes a line has in the mean.
    pub(crate) fn mean(&self) -> usize {
        self.lines.iter().map(String::len).sum::<usize>() / DIFFERENT
    }
}

/// A message read in the fastest way that a peer has: UTF-8 is checked once, for all of them.
pub(crate) fn parse(line: &str) -> Result<Message> {
    Ok(serde_json::from_str(line)?)
}

/// Text, checked with the processor's wide registers.
pub(crate) fn text(bytes: &[u8]) -> Result<&str> {
    simdutf8::basic::from_utf8(bytes).context("a line is no text")
}

fn message(random: &mut Random, turn: usize) -> Message {
    let size = size(random);
    let (role, content) = match turn % 4 {
        0 => ("user", vec![Block::Text { text: words(random, size) }]),
        1 => ("assistant", vec![Block::Text { text: words(random, size / 4) }, call(random, size)]),
        2 => {
            let content = words(random, size);
            ("user", vec![Block::ToolResult { tool_use_id: format!("call_{turn:08}"), content }])
        }
        _ => ("assistant", vec![Block::Text { text: words(random, size) }]),
    };
    Message { role: role.to_owned(), content }
}

fn call(random: &mut Random, size: usize) -> Block {
    let id = format!("call_{:08x}", random.below(1 << 32));
    let input = json!({
        "path": format!("src/{}.rs", random.below(1_000)),
        "lines": [random.below(400), random.below(400)],
        "replace": words(random, size / 2),
    });
    Block::ToolUse { id, name: "edit".to_owned(), input }
}

/// Mostly short turns, some code and tool output, rarely a whole file.
fn size(random: &mut Random) -> usize {
    let (low, high) = match random.below(1_000) {
        0..620 => (200, 700),
        620..920 => (700, 2_048),
        920..998 => (2_048, 8_192),
        _ => (102_400, 102_401),
    };
    usize::try_from(low + random.below(high - low)).unwrap_or(0)
}

fn words(random: &mut Random, size: usize) -> String {
    let mut text = String::with_capacity(size + 32);
    while text.len() < size {
        text.push_str(random.pick(WORDS));
        text.push(' ');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_its_message() {
        let messages = Messages::seeded().unwrap();
        for index in 0..DIFFERENT {
            let line = messages.line(index).unwrap();
            assert_eq!(
                &parse(text(line.as_bytes()).unwrap()).unwrap(),
                messages.typed(index).unwrap()
            );
            assert!(!line.contains('\n'));
        }
        assert!((900..1_500).contains(&messages.mean()), "{}", messages.mean());
    }

    #[test]
    fn every_run_has_the_same_messages() {
        let (one, other) = (Messages::seeded().unwrap(), Messages::seeded().unwrap());
        assert_eq!(one.lines, other.lines);
    }
}
