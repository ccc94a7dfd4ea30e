//! What happens outside of any store: a tool that leaves a line for each time it was run.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

/// Runs the tool for a request, under a fencing token.
pub(crate) fn run_tool(outside: &Path, request: &str, token: u64) -> String {
    // One write at the end: it happened, or it did not.
    let mut file = OpenOptions::new().create(true).append(true).open(outside.join("tool")).unwrap();
    file.write_all(format!("{request} {token}\n").as_bytes()).unwrap();
    format!("receipt of {request}")
}

/// How often it was run for a request.
pub(crate) fn runs(outside: &Path, request: &str) -> usize {
    let ran = fs::read_to_string(outside.join("tool")).unwrap_or_default();
    ran.lines().filter(|line| line.split(' ').next() == Some(request)).count()
}
