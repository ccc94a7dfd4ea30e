//! What is altered: the files of `fixtures/`, and how.

use std::fs;
use std::path::Path;

use crate::chance::Chance;

/// No input is longer: what goes wrong with a long one goes wrong with a short one too, or is
/// among the [`extremes`].
const LONGEST: usize = 6 << 10;

/// What breaks readers: put anywhere.
const PIECES: &[&str] = &[
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "\r\n",
    "\0",
    "\u{feff}",
    "\u{2028}",
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "-0.0",
    "9007199254740993",
    "18446744073709551616",
    "\"\\ud83d\"",
    "\"\\u0000\"",
    "{\"seq\":",
    ",\"more\":true",
    ",\"crc\":\"00000000\"}",
    "\"id\":\"\"",
    "..",
    "/",
    "%00",
    "%zz",
    "~2f",
    "~~",
    "con",
    "ü",
];

/// All files of the fixtures, cut to a length.
pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path).unwrap();
            bytes.truncate(LONGEST);
            // The lines too: a message alone, a record alone.
            if let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
                found.push((format!("{}, line 1", path.display()), bytes[..end].to_vec()));
            }
            found.push((path.display().to_string(), bytes));
        }
    }
    found.sort();
    found
}

/// Inputs that are long or deep.
pub(crate) fn extremes() -> Vec<(&'static str, Vec<u8>)> {
    let deep = |open: &str, close: &str| [open.repeat(50_000), close.repeat(50_000)].concat();
    vec![
        ("nothing", Vec::new()),
        ("lists in lists", deep("[", "]").into_bytes()),
        ("objects in objects", deep("{\"a\":", "}").into_bytes()),
        ("open lists", "[".repeat(200_000).into_bytes()),
        ("numbers", format!("[{}0]", "0,".repeat(100_000)).into_bytes()),
        ("texts", format!("[{}\"\"]", "\"\",".repeat(50_000)).into_bytes()),
        ("empty objects", format!("[{}{{}}]", "{},".repeat(50_000)).into_bytes()),
        ("lines", "\n".repeat(200_000).into_bytes()),
        ("lines of objects", "{}\n".repeat(50_000).into_bytes()),
        ("lines of messages", "{\"role\":\"user\",\"content\":\"\"}\n".repeat(5_000).into_bytes()),
        ("zeros", vec![0; 200_000]),
        ("ones", vec![0xff; 200_000]),
        ("escapes", format!("\"{}\"", "\\ud83d".repeat(30_000)).into_bytes()),
        ("a long text", format!("\"{}\"", "x".repeat(200_000)).into_bytes()),
        ("begun entries", "{\"seq\":".repeat(30_000).into_bytes()),
    ]
}

/// An input, altered a few times.
pub(crate) fn altered(inputs: &[&[u8]], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = chance.pick(inputs).to_vec();
    for _ in 0..=chance.below(4) {
        alter(&mut bytes, inputs, chance);
    }
    bytes.truncate(2 * LONGEST);
    bytes
}

fn alter(bytes: &mut Vec<u8>, inputs: &[&[u8]], chance: &mut Chance) {
    let at = chance.below(bytes.len() + 1);
    let to = (at + chance.below(40)).min(bytes.len());
    match chance.below(8) {
        0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
        1 if at < bytes.len() => bytes[at] = u8::try_from(chance.below(256)).unwrap(),
        2 => drop(bytes.drain(at..to)),
        3 => {
            let again = bytes[at..to].to_vec();
            drop(bytes.splice(at..at, again));
        }
        4 => bytes.truncate(at),
        5 => {
            let other = *chance.pick(inputs);
            let from = chance.below(other.len() + 1);
            let end = (from + chance.below(200)).min(other.len());
            drop(bytes.splice(at..to, other[from..end].iter().copied()));
        }
        6 => {
            // A number becomes another one.
            let digit = bytes[at..].iter().position(u8::is_ascii_digit).map(|found| at + found);
            if let Some(begin) = digit {
                let length = bytes[begin..].iter().take_while(|it| it.is_ascii_digit()).count();
                let piece = chance.pick(&["0", "1", "9007199254740992", "18446744073709551615"]);
                drop(bytes.splice(begin..begin + length, piece.bytes()));
            }
        }
        _ => drop(bytes.splice(at..to.min(at + chance.below(3)), chance.pick(PIECES).bytes())),
    }
}
