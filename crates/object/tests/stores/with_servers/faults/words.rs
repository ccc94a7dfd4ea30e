//! What is stored: keys, commits and documents, each of its own.

use std::collections::BTreeMap;

use sessile_core::backend::{Collection, DocKey, NewDocument};
use sessile_core::digest::{Digest, Salt, Token};
use sessile_core::entry::shape::{Delete, Dialect, Header};
use sessile_core::id::{SessionKey, Space};
use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, Revision, UnixMillis};

use crate::support::servers::chance;

const NOW: UnixMillis = UnixMillis(1_790_000_000_000);

pub(super) fn token() -> Token {
    Token::from_digest(Digest::of(chance().as_bytes()))
}

fn salt() -> Salt {
    let digest = Digest::of(chance().as_bytes());
    Salt::from_random(*digest.as_bytes().first_chunk().unwrap())
}

/// A session that nobody has, and by whose id its requests are told.
pub(super) fn key(space: &Space) -> SessionKey {
    SessionKey { space: space.clone(), id: format!("ses-{}", chance()).parse().unwrap() }
}

fn commit(entry_type: EntryType, data: Payload) -> Commit {
    let entries = vec![NewEntry::new(NOW, entry_type, data)];
    let id = format!("commit-{}", chance()).parse().unwrap();
    Commit::new(id, token(), entries, &Limits::default()).unwrap()
}

pub(super) fn creation(key: &SessionKey) -> Commit {
    let header = Header {
        format: Header::FORMAT,
        id: key.id.clone(),
        space: key.space.clone(),
        created_at: NOW,
        crc: Header::CRC.to_owned(),
        salt: salt(),
        file: token(),
        dialect: Dialect::Plain,
        project: None,
        project_identity: None,
        owner: None,
        parent_id: None,
        forked_from: None,
        copied_to: None,
        identity: None,
        host: BTreeMap::new(),
    };
    commit(EntryType::Session, Payload::of(&header).unwrap())
}

pub(super) fn saying(text: &str) -> Commit {
    commit(EntryType::Message, Payload::of(text).unwrap())
}

pub(super) fn tombstone() -> Commit {
    commit(EntryType::Delete, Payload::of(&Delete::default()).unwrap())
}

/// A document that nobody has, and by whose name its requests are told.
pub(super) fn document(space: &Space) -> DocKey {
    let collection = Collection { space: space.clone(), name: "shelf".parse().unwrap() };
    DocKey { collection, name: chance().parse().unwrap() }
}

pub(super) fn value(text: &str) -> NewDocument {
    let bytes = text.as_bytes().to_vec().into();
    NewDocument { bytes, revision: Revision::new(token()), session: None }
}
