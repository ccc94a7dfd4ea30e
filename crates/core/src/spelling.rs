//! From ids and names to names of files and objects and back, without loss on any filesystem.
//!
//! An id is lower-cased, so that a filesystem that merges cases keeps two ids apart by the case
//! bits that follow a `~`: `Ses_1` becomes `ses_1~01`. An id whose name a system reserves for a
//! device gets a leading `~`. A free name keeps lower-case letters, digits, `-` and `_`; every
//! other byte becomes `~` and two hex digits. A name too long for a file is told by its digest,
//! and stands whole inside the file.

use std::fmt::Write as _;

use crate::digest::Digest;
use crate::id::{Name, SessionId, Space};

/// Above this many bytes a free name is told by its digest.
const LONGEST_SPELLED: usize = 200;

/// How a name begins that is told by its digest: no spelled name has this escape.
const DIGEST_MARK: &str = "~~";

/// What some systems keep for devices, whatever follows a dot.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// The file name of a session id, without its ending.
pub fn of_session(id: &SessionId) -> String {
    of_id(id.as_str())
}

/// The session id of a file name, if it is one that [`of_session`] makes.
pub fn to_session(file: &str) -> Option<SessionId> {
    let id: SessionId = to_id(file)?.parse().ok()?;
    (of_session(&id) == file).then_some(id)
}

/// The folder name of a space.
pub fn of_space(space: &Space) -> String {
    of_id(space.as_str())
}

/// The space of a folder name, if it is one that [`of_space`] makes.
pub fn to_space(folder: &str) -> Option<Space> {
    let space: Space = to_id(folder)?.parse().ok()?;
    (of_space(&space) == folder).then_some(space)
}

fn of_id(id: &str) -> String {
    let lower = id.to_ascii_lowercase();
    let stem = lower.split('.').next().unwrap_or_default();
    let mut file = String::with_capacity(lower.len() + 1);
    if RESERVED.contains(&stem) {
        file.push('~');
    }
    file.push_str(&lower);
    if lower != id {
        file.push('~');
        for letters in id.as_bytes().chunks(8) {
            let bit = |(at, byte): (usize, &u8)| u8::from(byte.is_ascii_uppercase()) << at;
            let bits = letters.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit);
            let _infallible = write!(file, "{bits:02x}");
        }
    }
    file
}

fn to_id(file: &str) -> Option<String> {
    let file = file.strip_prefix('~').unwrap_or(file);
    let Some((lower, bits)) = file.split_once('~') else {
        return Some(file.to_owned());
    };
    let mut id = String::with_capacity(lower.len());
    for (at, letter) in lower.chars().enumerate() {
        let digits = bits.get(at / 8 * 2..at / 8 * 2 + 2)?;
        let upper = u8::from_str_radix(digits, 16).ok()? >> (at % 8) & 1 == 1;
        id.push(if upper { letter.to_ascii_uppercase() } else { letter });
    }
    Some(id)
}

/// The file name of a free name.
pub fn of_name(name: &Name) -> String {
    let mut file = String::with_capacity(name.as_str().len());
    for byte in name.as_str().bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => file.push(char::from(byte)),
            _ => {
                let _infallible = write!(file, "~{byte:02x}");
            }
        }
    }
    if RESERVED.contains(&file.as_str()) || file.len() > LONGEST_SPELLED {
        return format!("{DIGEST_MARK}{}", Digest::of(name.as_str().as_bytes()));
    }
    file
}

/// What a file name tells of a free name.
///
/// # Examples
/// ```
/// use sessile_core::Name;
/// use sessile_core::spelling::{Told, of_name, to_name};
///
/// let name: Name = "Notes/today".parse()?;
/// assert_eq!(of_name(&name), "~4eotes~2ftoday");
/// assert_eq!(to_name("~4eotes~2ftoday"), Told::Name(name));
/// // A long one is told by its digest: which it is stands inside the file.
/// let long: Name = "x".repeat(1_000).parse()?;
/// assert_eq!(to_name(&of_name(&long)), Told::Inside);
/// assert_eq!(to_name(".DS_Store"), Told::Nothing);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub enum Told {
    /// The name itself.
    Name(Name),
    /// Only that it stands inside the file.
    Inside,
    /// Nothing: the file is somebody else's.
    Nothing,
}

/// What a file name that [`of_name`] made tells.
pub fn to_name(file: &str) -> Told {
    if file.strip_prefix(DIGEST_MARK).is_some_and(|hex| hex.parse::<Digest>().is_ok()) {
        return Told::Inside;
    }
    let mut bytes = Vec::with_capacity(file.len());
    let mut letters = file.bytes();
    while let Some(letter) = letters.next() {
        if letter != b'~' {
            bytes.push(letter);
            continue;
        }
        let digits = [letters.next(), letters.next()].map(|digit| digit.map(char::from));
        let [Some(high), Some(low)] = digits.map(|digit| digit.and_then(|d| d.to_digit(16))) else {
            return Told::Nothing;
        };
        let Ok(byte) = u8::try_from(high << 4 | low) else {
            return Told::Nothing;
        };
        bytes.push(byte);
    }
    let name = String::from_utf8(bytes).ok().and_then(|text| text.parse::<Name>().ok());
    match name {
        Some(name) if of_name(&name) == file => Told::Name(name),
        _ => Told::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_that_a_filesystem_would_merge_have_names_apart() {
        let names = ["ses_1", "Ses_1", "SES_1", "con", "CON", "aux.txt", "x.con", "-"];
        let files: Vec<String> =
            names.iter().map(|id| of_session(&id.parse().unwrap()).to_lowercase()).collect();
        for (at, file) in files.iter().enumerate() {
            assert!(!files[..at].contains(file), "{file}");
            assert!(!RESERVED.contains(&file.split('.').next().unwrap()), "{file}");
        }
        assert_eq!(files[..2], ["ses_1", "ses_1~01"]);
    }

    #[test]
    fn files_of_others_are_no_ids() {
        for file in ["", "A", "a~", "a~0", "a~01~", "a~02", "~a", ".x", "a b", "a~zz", "con"] {
            assert_eq!(to_session(file), None, "{file}");
        }
    }

    #[test]
    fn the_longest_id_fits_a_file_name() {
        let id = "X".repeat(128).parse().unwrap();
        assert!(of_session(&id).len() + ".jsonl".len() <= 255);
        let name = "語".repeat(340).parse().unwrap();
        assert!(of_name(&name).len() <= 255);
        assert_eq!(to_name(&of_name(&name)), Told::Inside);
    }

    proptest! {
        #[test]
        fn every_id_comes_back(text in "[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}") {
            let id: SessionId = text.parse().unwrap();
            prop_assert_eq!(to_session(&of_session(&id)), Some(id));
        }

        #[test]
        fn every_name_comes_back_or_stands_inside(text in "[^\0]{1,60}") {
            let name: Name = text.parse().unwrap();
            let file = of_name(&name);
            prop_assert!(file.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()
                || b"-_~".contains(&b)));
            match to_name(&file) {
                Told::Name(back) => prop_assert_eq!(back, name),
                told => prop_assert!(told == Told::Inside && file.starts_with("~~")),
            }
        }
    }
}
