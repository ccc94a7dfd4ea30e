//! From a line to its entry.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::checksum::{self, LineSum};
use super::straight;
use super::whole::{BadLine, Closing, Line};
use crate::digest::{Digest, Salt, Token};
use crate::entry::{Entry, EntryType, Member};
use crate::id::CommitId;
use crate::payload::Payload;
use crate::position::{Position, Seq};
use crate::time::UnixMillis;

/// Reads one line, without its LF; payloads share its buffer.
///
/// The header's line is read without a salt, every other with the header's.
///
/// # Errors
/// [`BadLine`] when it is not whole.
pub fn decode_line(line: &Bytes, salt: Option<Salt>) -> Result<Line, BadLine> {
    let (covered, crc) = checksum::split(line).ok_or(BadLine::NoChecksum)?;
    if checksum::of_line(salt, covered) != crc {
        return Err(BadLine::ChecksumDiffers);
    }
    let text = simdutf8::basic::from_utf8(line).map_err(|_| BadLine::NotAnEntry)?;
    match straight::take_apart(line, covered, crc) {
        Some(line) => Ok(line),
        None => carefully(line, text, crc),
    }
}

/// Reads a line of any form, member by member.
pub(super) fn carefully(line: &Bytes, text: &str, crc: u32) -> Result<Line, BadLine> {
    let members: Members<'_> = serde_json::from_str(text).map_err(|_| BadLine::NotAnEntry)?;
    members.into_line(line, crc).ok_or(BadLine::NotAnEntry)
}

/// The members of a line, borrowed from it.
#[derive(Default)]
struct Members<'a> {
    seq: Option<Seq>,
    at: Option<UnixMillis>,
    entry_type: Option<Text<'a>>,
    must: Option<bool>,
    claim: Option<Seq>,
    data: Option<&'a RawValue>,
    more: Option<bool>,
    commit: Option<CommitId>,
    token: Option<Token>,
    n: Option<u64>,
    prev: Option<Token>,
    synced: Option<Position>,
    digest: Option<Digest>,
    state: Option<Seq>,
    vacuumed: Option<u64>,
    sum: Option<Text<'a>>,
    crc: Option<Text<'a>>,
    extra: Vec<(Text<'a>, &'a RawValue)>,
}

impl Members<'_> {
    /// Checks that what belongs together stands together.
    fn into_line(self, line: &Bytes, crc: u32) -> Option<Line> {
        let payload =
            |raw: &RawValue| Payload::from_checked_line(line.slice_ref(raw.get().as_bytes()));
        let must = self.must.unwrap_or(false);
        // Without `data` another member holds it, which only a program that knows it can read.
        if self.data.is_none() && !must {
            return None;
        }
        let entry = Entry {
            seq: self.seq?,
            at: self.at?,
            entry_type: EntryType::from_name(&self.entry_type?.0),
            must,
            claim: self.claim,
            data: self.data.map_or_else(Payload::absent, payload),
            extra: self
                .extra
                .iter()
                .map(|(name, value)| Member { name: (&*name.0).into(), value: payload(value) })
                .collect(),
        };
        let sum = match self.sum {
            Some(text) => Some(LineSum::from_number(u32::from_str_radix(&text.0, 16).ok()?)),
            None => None,
        };
        let closing = match (self.more.unwrap_or(false), self.commit) {
            (true, None) => None,
            (false, Some(id)) => Some(Closing {
                id,
                token: self.token?,
                lines: self.n?,
                prev: self.prev,
                synced: self.synced?,
                digest: self.digest?,
                state: self.state,
                vacuumed: self.vacuumed.unwrap_or(0),
                sum,
            }),
            (true, Some(_)) | (false, None) => return None,
        };
        Some(Line { entry, closing, crc })
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a journal line")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members::default();
        while let Some(name) = map.next_key::<Text<'de>>()? {
            match &*name.0 {
                "seq" => once(&mut members.seq, &mut map)?,
                "at" => once(&mut members.at, &mut map)?,
                "type" => once(&mut members.entry_type, &mut map)?,
                "must" => once(&mut members.must, &mut map)?,
                "claim" => once(&mut members.claim, &mut map)?,
                "data" => once(&mut members.data, &mut map)?,
                "more" => once(&mut members.more, &mut map)?,
                "commit" => once(&mut members.commit, &mut map)?,
                "token" => once(&mut members.token, &mut map)?,
                "n" => once(&mut members.n, &mut map)?,
                "prev" => once(&mut members.prev, &mut map)?,
                "synced" => once(&mut members.synced, &mut map)?,
                "digest" => once(&mut members.digest, &mut map)?,
                "state" => once(&mut members.state, &mut map)?,
                "vacuumed" => once(&mut members.vacuumed, &mut map)?,
                "sum" => once(&mut members.sum, &mut map)?,
                "crc" => once(&mut members.crc, &mut map)?,
                _ => members.extra.push((name, map.next_value()?)),
            }
        }
        Ok(members)
    }
}

/// A control member may stand once: two readers could take two different ones for true.
fn once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    member: &mut Option<T>,
    map: &mut A,
) -> Result<(), A::Error> {
    if member.replace(map.next_value()?).is_some() {
        return Err(A::Error::custom("a control member stands twice"));
    }
    Ok(())
}

/// Text that is borrowed from the line unless it has escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}
