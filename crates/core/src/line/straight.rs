//! Lines as this program writes them, taken apart from both ends without a look at what they hold.
//!
//! Before `data` stand members of fixed form, and behind it others of fixed form up to the checksum;
//! what is left between is the payload. Nothing in a payload can pass for what stands behind it:
//! read from the end, a line of JSON is forced. Its last brace closes it, and a quote with no
//! backslash before it ends or begins a string, in turns. The members behind `data` hold no brackets
//! and no backslashes, so that each stands in the line itself, no deeper, whatever stands before.
//!
//! What could stand between is members that this version does not know. Then what is left is no
//! value but a value and members, which begins and ends with the same kind of bracket only if the
//! value's own closing bracket is followed by a comma and a quote. Within a string no quote follows
//! a comma without a backslash but the one that ends it. So whatever looks like that is read the
//! careful way, and so is everything else that is not just so.

use bytes::Bytes;
use memchr::{memchr_iter, memchr2, memrchr};

use super::checksum::LineSum;
use super::whole::{Closing, Line};
use crate::entry::{Entry, EntryType};
use crate::payload::Payload;
use crate::position::{Position, Seq};
use crate::time::UnixMillis;

/// Takes a line apart whose checksum holds and which is UTF-8; none where it has another form than
/// this program gives it. Where it is JSON, it is read as the careful way reads it. The payload is
/// not looked at: whether it is JSON is found out by whoever decodes it.
pub(super) fn take_apart(line: &Bytes, covered: &[u8], crc: u32) -> Option<Line> {
    let mut front = Front(covered);
    front.pass(b"{\"seq\":")?;
    let seq = Seq::new(front.number()?)?;
    front.pass(b",\"at\":")?;
    let at = UnixMillis(front.number()?);
    front.pass(b",\"type\":\"")?;
    let entry_type = EntryType::from_name(front.plain_text()?);
    let must = front.pass(b",\"must\":true").is_some();
    let claim = match front.pass(b",\"claim\":") {
        Some(()) => Some(Seq::new(front.number()?)?),
        None => None,
    };
    front.pass(b",\"data\":")?;
    let mut back = Back(front.0);
    let closing = match back.pass(b",\"more\":true") {
        Some(()) => None,
        None => Some(back.closing()?),
    };
    let Back(data) = back;
    if !is_one_value(data) {
        return None;
    }
    let data = Payload::from_checked_line(line.slice_ref(data));
    let entry = Entry { seq, at, entry_type, must, claim, data, extra: Vec::new() };
    Some(Line { entry, closing, crc })
}

/// Bytes that are read from their beginning.
struct Front<'a>(&'a [u8]);

impl<'a> Front<'a> {
    fn pass(&mut self, text: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number(digits)
    }

    /// The rest of a string without escapes, and the quote that ends it.
    fn plain_text(&mut self) -> Option<&'a str> {
        let end = memchr2(b'"', b'\\', self.0)?;
        let (text, rest) = self.0.split_at_checked(end)?;
        self.0 = rest.strip_prefix(b"\"")?;
        let text = std::str::from_utf8(text).ok()?;
        // JSON has no such character in a string.
        text.bytes().all(|byte| byte >= b' ').then_some(text)
    }
}

/// Bytes that are read from their end.
struct Back<'a>(&'a [u8]);

impl<'a> Back<'a> {
    fn pass(&mut self, text: &[u8]) -> Option<()> {
        self.0 = self.0.strip_suffix(text)?;
        Some(())
    }

    /// The value of a member that is a number.
    fn number(&mut self, member: &[u8]) -> Option<u64> {
        let digits = self.0.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (rest, digits) = self.0.split_at_checked(self.0.len().checked_sub(digits)?)?;
        self.0 = rest.strip_suffix(member)?;
        number(digits)
    }

    /// The same of one that may be left out.
    fn number_if_there(&mut self, member: &[u8]) -> Option<u64> {
        let mut after = Self(self.0);
        let number = after.number(member)?;
        self.0 = after.0;
        Some(number)
    }

    /// The value of a member that is a string without quotes and escapes; `begins` ends with the
    /// quote that it begins with.
    fn text(&mut self, begins: &[u8]) -> Option<&'a str> {
        let before = self.0.strip_suffix(b"\"")?;
        let (rest, text) = before.split_at_checked(memrchr(b'"', before)? + 1)?;
        self.0 = rest.strip_suffix(begins)?;
        std::str::from_utf8(text).ok()
    }

    /// The same of one that may be left out.
    fn text_if_there(&mut self, begins: &[u8]) -> Option<&'a str> {
        let mut after = Self(self.0);
        let text = after.text(begins)?;
        self.0 = after.0;
        Some(text)
    }

    /// What the last line of a commit says of it.
    fn closing(&mut self) -> Option<Closing> {
        let sum = match self.text_if_there(b",\"sum\":\"") {
            Some(hex) => Some(LineSum::from_number(u32::from_str_radix(hex, 16).ok()?)),
            None => None,
        };
        let vacuumed = self.number_if_there(b",\"vacuumed\":");
        let state = self.number_if_there(b",\"state\":");
        let digest = self.text(b",\"digest\":\"")?.parse().ok()?;
        let synced = Position::new(self.number(b",\"synced\":")?)?;
        let prev = match self.text_if_there(b",\"prev\":\"") {
            Some(hex) => Some(hex.parse().ok()?),
            None => None,
        };
        let lines = self.number(b",\"n\":")?;
        let token = self.text(b",\"token\":\"")?.parse().ok()?;
        let id = self.text(b",\"commit\":\"")?.parse().ok()?;
        let state = match state {
            Some(number) => Some(Seq::new(number)?),
            None => None,
        };
        let vacuumed = vacuumed.unwrap_or(0);
        Some(Closing { id, token, lines, prev, synced, digest, state, vacuumed, sum })
    }
}

/// The number that digits are, as JSON has it.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 1 && digits.starts_with(b"0") {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        number.checked_mul(10)?.checked_add(u64::from(digit.checked_sub(b'0')?))
    })
}

/// Whether what stands where a value is followed by no members is sure to be one value.
fn is_one_value(data: &[u8]) -> bool {
    match data {
        [b'{', inner @ .., b'}'] => !may_go_on(inner, b'}'),
        [b'[', inner @ .., b']'] => !may_go_on(inner, b']'),
        [b'"', inner @ .., b'"'] => memchr2(b'"', b'\\', inner).is_none(),
        _ => false,
    }
}

/// Whether a closing bracket is followed by what a further member begins with.
fn may_go_on(inner: &[u8], bracket: u8) -> bool {
    memchr_iter(bracket, inner).any(|at| {
        let mut rest = inner.get(at + 1..).unwrap_or_default().trim_ascii_start();
        let is_followed = rest.starts_with(b",");
        rest = rest.get(1..).unwrap_or_default().trim_ascii_start();
        // Where it ends with the comma, what follows is the bracket that was cut off.
        is_followed && rest.starts_with(b"\"")
    })
}

#[cfg(test)]
mod tests {
    use super::super::{BadLine, decode, decode_line, encode_commit};
    use super::*;
    use crate::commit::{Commit, Tip};
    use crate::digest::{Salt, Token};
    use crate::entry::{Member, NewEntry};
    use crate::limits::Limits;
    use crate::line::checksum;
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    const SALT: Salt = Salt::from_random([0, 1, 2, 3]);

    /// Ends text as the encoder would.
    fn sealed(covered: &[u8], salt: Option<Salt>) -> Bytes {
        let crc = checksum::of_line(salt, covered);
        Bytes::from([covered, format!(",\"crc\":\"{crc:08x}\"}}").as_bytes()].concat())
    }

    /// Reads a line both ways; what the straight one gives is what the careful one does, or it is
    /// refused by that because the payload is no JSON. Answers whether it went straight.
    fn same_both_ways(line: &Bytes, salt: Option<Salt>) -> bool {
        let (covered, crc) = checksum::split(line).unwrap();
        assert_eq!(checksum::of_line(salt, covered), crc);
        let Ok(text) = std::str::from_utf8(line) else {
            return false;
        };
        let Some(straight) = take_apart(line, covered, crc) else {
            return false;
        };
        match decode::carefully(line, text, crc) {
            Ok(careful) => assert_eq!(straight, careful, "{text}"),
            Err(bad) => {
                assert_eq!(bad, BadLine::NotAnEntry);
                let payload = straight.entry.data.as_str();
                let is_json = serde_json::from_str::<&RawValue>(payload).is_ok();
                // A payload that is JSON may be followed by what is none.
                assert!(!is_json || text.contains('\r'), "{text}");
            }
        }
        true
    }

    fn golden() -> Vec<(Bytes, Option<Salt>)> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/formats/v1");
        let mut lines = Vec::new();
        for file in std::fs::read_dir(folder).unwrap() {
            let bytes = Bytes::from(std::fs::read(file.unwrap().path()).unwrap());
            let mut salt = None;
            for line in bytes.split(|byte| matches!(byte, b'\n' | 0)) {
                let line = bytes.slice_ref(line.strip_suffix(b"\r").unwrap_or(line));
                let Some((covered, crc)) = checksum::split(&line) else { continue };
                let its = if lines_begin(&line) { None } else { salt };
                if checksum::of_line(its, covered) != crc {
                    continue;
                }
                if its.is_none() {
                    let header: serde_json::Value = serde_json::from_slice(&line).unwrap();
                    salt = header["data"]["salt"].as_str().map(|salt| salt.parse().unwrap());
                }
                lines.push((line, its));
            }
        }
        assert!(lines.len() > 50, "{}", lines.len());
        lines
    }

    fn lines_begin(line: &[u8]) -> bool {
        line.starts_with(b"{\"seq\":0,")
    }

    #[test]
    fn golden_lines_are_read_alike_both_ways_and_mostly_straight() {
        let lines = golden();
        let straight = lines.iter().filter(|(line, salt)| same_both_ways(line, *salt)).count();
        assert!(straight * 2 > lines.len(), "{straight} of {}", lines.len());
    }

    #[test]
    fn whatever_is_cut_off_or_changed_is_read_alike_both_ways() {
        let mut read = 0;
        for (line, salt) in golden() {
            let (covered, _) = checksum::split(&line).unwrap();
            for length in 0..covered.len() {
                read += usize::from(same_both_ways(&sealed(&covered[..length], salt), salt));
            }
            for at in 0..covered.len() {
                for to in [covered[at] ^ 1, b'"', b'}', b',', b'0'] {
                    let mut changed = covered.to_vec();
                    changed[at] = to;
                    read += usize::from(same_both_ways(&sealed(&changed, salt), salt));
                }
            }
        }
        assert!(read > 10_000, "{read}");
    }

    #[test]
    fn members_that_are_not_known_are_never_taken_for_the_payload() {
        let values = ["{}", "[]", r#"{"b":1}"#, r#"[{"b":[1]}]"#, "\"b\"", "1", "null"];
        let spaces = ["", " ", "  "];
        for data in values {
            for value in values {
                for space in spaces {
                    let begin = r#"{"seq":1,"at":1,"type":"event","data":"#;
                    let more = format!(r#"{space},{space}"x":{value},"more":true"#);
                    let line = sealed(format!("{begin}{data}{more}").as_bytes(), Some(SALT));
                    assert!(!same_both_ways(&line, Some(SALT)), "{line:?}");
                    let read = decode_line(&line, Some(SALT)).unwrap();
                    assert_eq!(read.entry.data.as_str(), data);
                    assert_eq!(read.entry.extra.len(), 1);
                }
            }
        }
        for twice in [r#","seq":2"#, r#","data":{}"#, r#","more":true"#, r#","crc":{}"#] {
            let text = format!(r#"{{"seq":1,"at":1,"type":"event","data":{{}}{twice},"more":true"#);
            let line = sealed(text.as_bytes(), Some(SALT));
            let read = decode_line(&line, Some(SALT));
            assert_eq!(read, Err(BadLine::NotAnEntry), "{text}");
        }
    }

    /// JSON of any kind, with text that looks like members of a line.
    fn json() -> impl Strategy<Value = String> {
        let text = prop_oneof![
            any::<String>(),
            Just("\",\"more\":true,\"crc\":\"00000000\"}".to_owned()),
            Just("},".to_owned()),
            Just("\\\"}, \"".to_owned()),
        ];
        let leaf = prop_oneof![
            text.prop_map(serde_json::Value::from),
            any::<i64>().prop_map(serde_json::Value::from),
            any::<bool>().prop_map(serde_json::Value::from),
        ];
        let value = leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
                prop::collection::btree_map("[a-z\",}\\\\]{0,4}", inner, 0..4)
                    .prop_map(|map| { serde_json::Value::Object(map.into_iter().collect()) }),
            ]
        });
        (value, any::<bool>()).prop_map(|(value, wide)| {
            if wide { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() }
        })
    }

    proptest! {
        #[test]
        fn what_is_written_comes_back_whichever_way_it_is_read(
            entries in prop::collection::vec(
                (json(), any::<bool>(), 0..9_u64, prop::collection::vec(json(), 0..2)), 1..4
            ),
            vacuumed in 0..2_u64,
        ) {
            let entry = |(data, must, claim, extra): &(String, bool, u64, Vec<String>)| {
                let payload = |text: &String| Payload::parse(text.clone()).unwrap();
                let mut entry = NewEntry::new(UnixMillis(5), EntryType::Message, payload(data));
                entry.must = *must;
                entry.claim = Seq::new(*claim).filter(|claim| claim.number() > 4);
                let member = |value| Member { name: "x\"".into(), value: payload(value) };
                entry.extra = extra.iter().map(member).collect();
                entry
            };
            let new: Vec<NewEntry> = entries.iter().map(entry).collect();
            let (id, token) = ("c.1_-".parse().unwrap(), Token::from_random([9; 16]));
            let commit = Commit::new(id, token, new, &Limits::default()).unwrap();
            let tip = Tip { position: Position::new(7).unwrap(), token: Some(token) };
            let mut stored = commit.stored_at(tip, tip.position).unwrap();
            stored.vacuumed = vacuumed;
            let mut bytes = Vec::new();
            encode_commit(&mut bytes, &stored, SALT);
            let bytes = Bytes::from(bytes);
            for (line, entry) in bytes.split(|byte| *byte == b'\n').zip(&stored.entries) {
                let line = bytes.slice_ref(line);
                same_both_ways(&line, Some(SALT));
                let read = decode_line(&line, Some(SALT)).unwrap();
                prop_assert_eq!(&read.entry, entry);
            }
        }
    }
}
