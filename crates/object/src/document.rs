//! The object of a document: one line of JSON that names it, its revisions and the digest of its
//! value, and then the value's bytes.
//!
//! A place has no conditional deletion, and what is deleted without a condition can be put back
//! by whoever is late. So a deleted document is an object too: a *tombstone*, which keeps the
//! revisions, so that none of them ever matches again. Each object begins its revisions with one
//! of its own, also a tombstone; therefore no two objects of one name are equal, and entity tags
//! that are made of the content never repeat.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sessile_core::backend::{DocKey, Document, NewDocument, REVISIONS_KEPT};
use sessile_core::digest::{Digest, Token};
use sessile_core::id::{Name, SessionId};
use sessile_core::{Error, ErrorKind, Revision};

/// No first line is longer, and so no tombstone is. A name has up to 1,024 bytes, for each of
/// which JSON takes six at most, and so has a collection's; 16 revisions take 560.
pub(crate) const LONGEST_LINE: u64 = 16_384;

const FORMAT: u32 = 1;

/// The first line of a document's object.
#[derive(Debug, Deserialize, Serialize)]
struct Envelope {
    /// The version of this layout.
    format: u32,
    /// The document's name within its collection.
    name: Name,
    /// The collection's name.
    collection: Name,
    /// Its last revisions, newest first.
    revisions: Vec<Revision>,
    /// The session with which it is purged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    /// Whether it is a tombstone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
    /// How many bytes the value has.
    bytes: usize,
    /// The digest of the value.
    digest: Digest,
}

/// What a document's object holds.
#[derive(Debug)]
pub(crate) enum Held {
    /// A document.
    Living(Document),
    /// A tombstone, with the last revisions, newest first.
    Deleted(Vec<Revision>),
}

impl Held {
    /// The last revisions, newest first; the first is the object's own.
    pub(crate) fn recent(&self) -> &[Revision] {
        match self {
            Self::Living(document) => &document.recent,
            Self::Deleted(recent) => recent,
        }
    }

    /// The revision that a precondition is compared with: that of a document that is there.
    pub(crate) const fn actual(&self) -> Option<Revision> {
        match self {
            Self::Living(document) => Some(document.revision),
            Self::Deleted(_) => None,
        }
    }

    pub(crate) const fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Living(document) => document.session.as_ref(),
            Self::Deleted(_) => None,
        }
    }
}

/// The object of a document that is put over revisions.
///
/// # Errors
/// *refused* where it has no JSON form.
pub(crate) fn of_value(key: &DocKey, new: &NewDocument, over: &[Revision]) -> Result<Bytes, Error> {
    let envelope = Envelope {
        format: FORMAT,
        name: key.name.clone(),
        collection: key.collection.name.clone(),
        revisions: before(new.revision, over),
        session: new.session.clone(),
        deleted: false,
        bytes: new.bytes.len(),
        digest: Digest::of(&new.bytes),
    };
    encode(&envelope, &new.bytes)
}

/// The tombstone of a document that had revisions.
///
/// # Errors
/// *refused* where it has no JSON form.
pub(crate) fn of_nothing(key: &DocKey, own: Revision, over: &[Revision]) -> Result<Bytes, Error> {
    let envelope = Envelope {
        format: FORMAT,
        name: key.name.clone(),
        collection: key.collection.name.clone(),
        revisions: before(own, over),
        session: None,
        deleted: true,
        bytes: 0,
        digest: Digest::of(&[]),
    };
    encode(&envelope, &[])
}

/// How long the tombstone of a document can be at most; a longer object of its name is none.
pub(crate) fn longest_tombstone(key: &DocKey) -> u64 {
    let any = Revision::new(Token::from_digest(Digest::of(&[])));
    let longest = of_nothing(key, any, &[any; REVISIONS_KEPT]);
    longest.ok().and_then(|bytes| bytes.len().try_into().ok()).unwrap_or(LONGEST_LINE)
}

fn before(own: Revision, over: &[Revision]) -> Vec<Revision> {
    std::iter::once(own).chain(over.iter().copied()).take(REVISIONS_KEPT).collect()
}

fn encode(envelope: &Envelope, value: &[u8]) -> Result<Bytes, Error> {
    let mut bytes = serde_json::to_vec(envelope).map_err(|error| {
        Error::new(ErrorKind::Refused, "the document has no envelope").with_source(error)
    })?;
    bytes.push(b'\n');
    bytes.extend_from_slice(value);
    Ok(bytes.into())
}

/// Reads the object of a document.
///
/// # Errors
/// *corrupt* where it is damaged or another document's, *unknown version*.
pub(crate) fn decode(key: &DocKey, bytes: &Bytes) -> Result<Held, Error> {
    let (envelope, value) = split(bytes)?;
    if envelope.name != key.name || envelope.collection != key.collection.name {
        return Err(corrupt("its first line names another document"));
    }
    if value.len() != envelope.bytes || Digest::of(&value) != envelope.digest {
        return Err(corrupt("its value is not what its digest says"));
    }
    let Envelope { revisions: recent, session, deleted, .. } = envelope;
    let revision = *recent.first().ok_or_else(|| corrupt("its envelope has no revision"))?;
    if deleted {
        return Ok(Held::Deleted(recent));
    }
    Ok(Held::Living(Document { bytes: value, revision, recent, session }))
}

/// Reads the first line of a document's object, whatever follows it: its name, and whether it is
/// a tombstone.
///
/// # Errors
/// *corrupt*, *unknown version*.
pub(crate) fn name_of(start: &Bytes) -> Result<(Name, bool), Error> {
    let (envelope, _) = split(start)?;
    Ok((envelope.name, envelope.deleted))
}

fn split(bytes: &Bytes) -> Result<(Envelope, Bytes), Error> {
    let end = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .ok_or_else(|| corrupt("its first line has no end"))?;
    let line = bytes.slice(..end);
    let Format { format } = parse(&line)?;
    if format > FORMAT {
        let clause = format!("the document has format {format}, this program reads up to {FORMAT}");
        return Err(Error::new(ErrorKind::UnknownVersion, clause));
    }
    Ok((parse(&line)?, bytes.slice(end + 1..)))
}

/// What every version's first line has.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

fn parse<T: for<'de> Deserialize<'de>>(line: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(line).map_err(|_| corrupt("its first line is no envelope"))
}

fn corrupt(reason: &'static str) -> Error {
    Error::new(ErrorKind::Corrupt, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy;
    use sessile_core::backend::Collection;

    fn key(collection: &str, name: &str) -> DocKey {
        let space = "s".parse().unwrap();
        let name = name.parse().unwrap();
        DocKey { collection: Collection { space, name: collection.parse().unwrap() }, name }
    }

    fn new(bytes: &'static [u8]) -> NewDocument {
        let revision = Revision::new(entropy::token());
        NewDocument { bytes: bytes.into(), revision, session: Some("s1".parse().unwrap()) }
    }

    fn revisions(count: usize) -> Vec<Revision> {
        (0..count).map(|_| Revision::new(entropy::token())).collect()
    }

    #[test]
    fn a_document_comes_back_with_its_last_sixteen_revisions() {
        let (key, new) = (key("c", "n"), new(b"a\nvalue\0"));
        for count in [0, 1, 15, 16] {
            let over = revisions(count);
            let bytes = of_value(&key, &new, &over).unwrap();
            let Held::Living(document) = decode(&key, &bytes).unwrap() else { panic!("deleted") };
            assert_eq!(document.bytes, new.bytes);
            assert_eq!((document.revision, &document.session), (new.revision, &new.session));
            assert_eq!(document.recent, before(new.revision, &over));
            assert_eq!(document.recent.len(), (count + 1).min(16));
        }
    }

    #[test]
    fn the_object_is_a_line_of_json_and_the_value() {
        let key = key("c", "n");
        let revision = "00112233445566778899aabbccddeeff";
        let own = Revision::new(revision.parse().unwrap());
        let new = NewDocument { bytes: "v".into(), revision: own, session: None };
        let digest = Digest::of(b"v");
        assert_eq!(
            of_value(&key, &new, &[]).unwrap(),
            format!(
                "{{\"format\":1,\"name\":\"n\",\"collection\":\"c\",\"revisions\":[\"{revision}\"],\
                 \"bytes\":1,\"digest\":\"{digest}\"}}\nv"
            )
        );
        let digest = Digest::of(b"");
        assert_eq!(
            of_nothing(&key, own, &[]).unwrap(),
            format!(
                "{{\"format\":1,\"name\":\"n\",\"collection\":\"c\",\"revisions\":[\"{revision}\"],\
                 \"deleted\":true,\"bytes\":0,\"digest\":\"{digest}\"}}\n"
            )
        );
    }

    #[test]
    fn every_damage_of_the_frame_or_the_value_is_corrupt_or_another_document() {
        let key = key("c", "n");
        let whole = of_value(&key, &new(b"value"), &revisions(1)).unwrap();
        for end in 0..whole.len() {
            let error = decode(&key, &whole.slice(..end)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "cut at {end}");
        }
        let longer = [&*whole, b"!"].concat().into();
        assert_eq!(decode(&key, &longer).unwrap_err().kind(), ErrorKind::Corrupt);
        for at in whole.len() - 5..whole.len() {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 1;
            assert_eq!(decode(&key, &bytes.into()).unwrap_err().kind(), ErrorKind::Corrupt);
        }
        let zeros = vec![0; whole.len()].into();
        assert_eq!(decode(&key, &zeros).unwrap_err().kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn the_object_of_another_document_is_corrupt() {
        let bytes = of_value(&key("c", "n"), &new(b"v"), &[]).unwrap();
        for other in [key("c", "m"), key("d", "n")] {
            assert_eq!(decode(&other, &bytes).unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }

    #[test]
    fn a_newer_format_is_an_unknown_version() {
        let bytes = Bytes::from_static(b"{\"format\":2,\"else\":[]}\n");
        let error = decode(&key("c", "n"), &bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownVersion);
        assert!(error.to_string().contains("format 2"), "{error}");
    }

    #[test]
    fn the_longest_lines_are_within_their_bounds() {
        let longest = "\u{1}".repeat(1_024);
        for name in ["n", "\"ü\u{1}", &longest] {
            let key = key("c", name);
            for count in [0, 15, 20] {
                let own = revisions(1)[0];
                let tombstone = of_nothing(&key, own, &revisions(count)).unwrap();
                assert!(u64::try_from(tombstone.len()).unwrap() <= longest_tombstone(&key));
            }
        }
        let new = NewDocument { session: Some("x".repeat(128).parse().unwrap()), ..new(b"") };
        let whole = of_value(&key(&longest, &longest), &new, &revisions(15)).unwrap();
        assert!(u64::try_from(whole.len()).unwrap() <= LONGEST_LINE);
    }
}
