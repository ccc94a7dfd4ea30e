//! What the cases store: keys, entries, commits and documents.

use sessile_core::backend::{Collection, DocKey, NewDocument};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{Delete, Dialect, Header, Undelete};
use sessile_core::{
    Commit, EntryType, Limits, NewEntry, Payload, SessionId, SessionKey, Space, UnixMillis,
};

use crate::failed::Failed;
use crate::mint;

/// When everything happens that has no time of its own.
pub(crate) const NOW: UnixMillis = UnixMillis(1_790_000_000_000);

/// A session of the default space.
pub(crate) fn key(id: &str) -> Result<SessionKey, Failed> {
    key_in("default", id)
}

/// A session of a space.
pub(crate) fn key_in(space: &str, id: &str) -> Result<SessionKey, Failed> {
    Ok(SessionKey { space: space.parse()?, id: id.parse()? })
}

/// A number of ids, in their order.
pub(crate) fn ids(count: usize) -> Result<Vec<SessionId>, Failed> {
    (0..count).map(|number| Ok(format!("ses_{number:05}").parse()?)).collect()
}

/// The header of a session.
pub(crate) fn header(key: &SessionKey) -> Result<NewEntry, Failed> {
    header_at(NOW, key)
}

/// The header of a session that was created at some time.
pub(crate) fn header_at(at: UnixMillis, key: &SessionKey) -> Result<NewEntry, Failed> {
    let header = Header {
        format: Header::FORMAT,
        id: key.id.clone(),
        space: key.space.clone(),
        created_at: at,
        crc: Header::CRC.to_owned(),
        salt: mint::salt(),
        file: mint::token(),
        dialect: Dialect::Plain,
        project: None,
        project_identity: None,
        owner: None,
        parent_id: None,
        forked_from: None,
        copied_to: None,
        identity: None,
        host: std::collections::BTreeMap::new(),
    };
    Ok(NewEntry::new(at, EntryType::Session, Payload::of(&header)?))
}

/// A message that is a text.
pub(crate) fn message(text: &str) -> Result<NewEntry, Failed> {
    message_at(NOW, text)
}

/// A message that is a text, made at some time.
pub(crate) fn message_at(at: UnixMillis, text: &str) -> Result<NewEntry, Failed> {
    Ok(NewEntry::new(at, EntryType::Message, Payload::of(text)?))
}

/// An entry of any type whose data is JSON.
pub(crate) fn entry(name: &str, json: &str) -> Result<NewEntry, Failed> {
    let data = Payload::parse(json.to_owned())?;
    Ok(NewEntry::new(NOW, EntryType::from_name(name), data))
}

/// A commit of some entries, of an id and a token of its own.
pub(crate) fn commit(entries: Vec<NewEntry>) -> Result<Commit, Failed> {
    let (id, token) = (mint::commit_id()?, mint::token());
    Ok(Commit::new(id, token, entries, &Limits::default())?)
}

/// A commit of one message.
pub(crate) fn saying(text: &str) -> Result<Commit, Failed> {
    commit(vec![message(text)?])
}

/// The commit that creates a session.
pub(crate) fn creation(key: &SessionKey) -> Result<Commit, Failed> {
    commit(vec![header(key)?])
}

/// The commit that deletes a session.
pub(crate) fn tombstone() -> Result<Commit, Failed> {
    let data = Payload::of(&Delete::default())?;
    commit(vec![NewEntry::new(NOW, EntryType::Delete, data)])
}

/// The commit that takes a tombstone back.
pub(crate) fn undeletion() -> Result<Commit, Failed> {
    let data = Payload::of(&Undelete::default())?;
    commit(vec![NewEntry::new(NOW, EntryType::Undelete, data)])
}

/// A collection of the default space.
pub(crate) fn collection(name: &str) -> Result<Collection, Failed> {
    Ok(Collection { space: Space::default(), name: name.parse()? })
}

/// A document of the default space.
pub(crate) fn document(collection_name: &str, name: &str) -> Result<DocKey, Failed> {
    Ok(DocKey { collection: collection(collection_name)?, name: name.parse()? })
}

/// A value of a revision of its own.
pub(crate) fn value(bytes: impl Into<Vec<u8>>) -> NewDocument {
    NewDocument { bytes: bytes.into().into(), revision: mint::revision(), session: None }
}

/// Numbers that look random and are the same in every run.
pub(crate) fn scattered(seed: u64) -> impl Iterator<Item = u64> {
    (0_u64..).map(move |number| {
        let digest = Digest::of(&[seed.to_le_bytes(), number.to_le_bytes()].concat());
        let bytes = digest.as_bytes().first_chunk().copied();
        u64::from_le_bytes(bytes.unwrap_or_default())
    })
}
