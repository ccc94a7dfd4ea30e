use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::values::{any_float, any_value};
use crate::json::{Float, Value, compact, parse, pretty};

/// Reads JSON, one value a line, and writes each as `json.dumps(indent=2)` does, a NUL after each.
const WRITE: &str = r"
import json, sys
for line in sys.stdin.buffer.read().splitlines():
    sys.stdout.buffer.write(json.dumps(json.loads(line), indent=2).encode() + b'\0')
";

/// What a program of Python's makes of its input.
pub(crate) fn python(program: &str, input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is needed to compare with what it writes: install it");
    // It reads everything before it writes, so that neither waits for the other.
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "python3 refuses what was given to it");
    output.stdout
}

/// What Python writes of each text.
pub(crate) fn rewritten(texts: &[String]) -> Vec<String> {
    let output = String::from_utf8(python(WRITE, texts.join("\n").as_bytes())).unwrap();
    output.strip_suffix('\0').unwrap().split('\0').map(str::to_owned).collect()
}

pub(crate) fn drawn<S: Strategy>(strategy: &S, count: usize) -> Vec<S::Value> {
    let mut runner = TestRunner::default();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

#[test]
fn what_is_written_here_python_reads_and_writes_the_same() {
    let values = drawn(&any_value(), 1_500);
    let texts: Vec<String> = values.iter().map(compact).collect();
    let theirs = rewritten(&texts);
    assert_eq!(theirs.len(), values.len());
    for (value, theirs) in values.iter().zip(theirs) {
        assert_eq!(pretty(value), theirs);
    }
}

#[test]
fn floats_of_every_size_are_spelt_as_python_spells_them() {
    let mut floats = drawn(&any_float(), 100_000);
    floats.extend((-1074..1024).map(|power| 2_f64.powi(power)));
    // As Rust spells them: Python reads any spelling.
    let texts: Vec<String> = floats.iter().map(|float| format!("{float:?}")).collect();
    for (float, theirs) in floats.iter().zip(rewritten(&texts)) {
        assert_eq!(pretty(&Value::Float(Float::new(*float).unwrap())), theirs);
    }
}

#[test]
fn any_spelling_of_a_value_is_written_as_python_writes_it() {
    let texts: Vec<String> = [
        "1e16",
        "1E5",
        "1.50e-5",
        "-0",
        "-0.0",
        "0e10",
        "1e-400",
        "123456789012345678901234567890",
        "1.7976931348623157e308",
        r#""\u0041\u00E9\ud83d\ude00 \/ \ud83d\u007f é 😀""#,
        r#" { "b" : [ ] , "a" : { } , "c" : [ [ ] , { "d" : null } ] } "#,
        r#"{"":"","\u0000":"\u0000","\ud83d":"\ude00\ud83d"}"#,
        "[true,false,null,[[[]]]]",
        "\"\u{7f}\u{80}\u{2028}\u{ffff}\"",
    ]
    .map(str::to_owned)
    .into();
    for (text, theirs) in texts.iter().zip(rewritten(&texts)) {
        assert_eq!(pretty(&parse(text).unwrap()), theirs, "{text}");
    }
}
