//! The examples, run as whoever tries them runs them.
#![cfg(feature = "fs")]
#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The binary of an example. A run of all tests builds it beside them; one of some tests does not, and
/// would find what an earlier one has left.
fn example(name: &str) -> PathBuf {
    let own = env::current_exe().unwrap();
    let built = own.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let is_fresh = |built: &Path| {
        fs::metadata(built).is_ok_and(|it| it.modified().unwrap() > newest_below(crates))
    };
    if !is_fresh(&built) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--package", "sessile", "--example", name]);
        assert!(cargo.status().unwrap().success(), "{name} can't be built");
    }
    built
}

/// When a file below a folder was last changed that is no test.
fn newest_below(folder: &Path) -> SystemTime {
    let items = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let times = items.filter_map(|item| {
        let path = item.path();
        match path.extension() {
            _ if path.ends_with("tests") => None,
            _ if path.is_dir() => Some(newest_below(&path)),
            Some(extension) if extension == "rs" => Some(item.metadata().ok()?.modified().unwrap()),
            _ => None,
        }
    });
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

#[test]
fn of_two_agents_one_is_killed_and_both_requests_are_answered_once() {
    let output = Command::new(example("two_agents")).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}{errors}");
    // Which of them is first is theirs to find out.
    let is_last = |line: &str| told.lines().last() == Some(line);
    let ann_was_killed = "req-ann completed by another agent, after a crash: paid 30 to ann, once; \
                          req-bob completed: paid 20 to bob, once";
    let bob_was_killed = "req-ann completed: paid 30 to ann, once; \
                          req-bob completed by another agent, after a crash: paid 20 to bob, once";
    assert!(is_last(ann_was_killed) || is_last(bob_was_killed), "{told}");
}
