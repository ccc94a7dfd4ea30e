//! Files in, sessions out: the rules of each format, the fixtures, and bytes of any kind.

mod detect;
mod jsonl;
mod claude_code;
mod pi;
mod gemini;
mod goose;
mod opencode;
mod fixtures;
mod any_bytes;

use bytes::Bytes;
use sessile_core::EntryType;

use crate::{Format, Source, SourceSession, parse};

/// Reads lines as a file, and checks what holds for every file.
fn read(format: Format, lines: &[&str]) -> Source {
    let source = parse(format, Bytes::from(lines.join("\n"))).unwrap();
    assert_eq!(source.accounted(), source.lines);
    source
}

/// The line numbers of a session: messages as they are, events with `e` behind them.
fn lines_of(session: &SourceSession) -> String {
    let told = session.records.iter().map(|record| match record.entry_type {
        EntryType::Message => record.line.to_string(),
        _ => format!("{}e", record.line),
    });
    told.collect::<Vec<_>>().join(" ")
}

/// Each session as its branch and its lines.
fn sessions(source: &Source) -> Vec<(&str, String)> {
    source
        .sessions
        .iter()
        .map(|session| (session.branch.as_deref().unwrap_or("main"), lines_of(session)))
        .collect()
}

/// What is wrong with which line.
fn notices(source: &Source) -> Vec<(u64, &str)> {
    source.notices.iter().map(|it| (it.line, &*it.reason)).collect()
}

/// Which lines were skipped, and why.
fn skipped(source: &Source) -> Vec<(u64, &str)> {
    source.skipped.iter().map(|it| (it.line, &*it.reason)).collect()
}
