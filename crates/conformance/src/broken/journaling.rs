//! Faults of what workflow sessions are folded from: entries that come to stand in the journal as
//! other ones than were meant.

use std::fmt;
use std::marker::PhantomData;

use async_trait::async_trait;
use serde_json::{Map, Value};
use sessile_core::backend::{Appended, Backend as _, Head, Precondition};
use sessile_core::{EntryType, Error, NewEntry, Payload, SessionKey, UnixMillis};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::broken::request::{Append, changed, with_entries};
use crate::sample;

/// What is done to each entry before it is stored.
pub(super) trait Mistake: fmt::Debug + Default + Send + Sync + 'static {
    fn make(entry: &mut NewEntry);
}

/// Stores entries with a mistake in them.
#[derive(Debug, Default)]
pub(super) struct Stores<M>(PhantomData<M>);

#[async_trait]
impl<M: Mistake> Fault for Stores<M> {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        it.commits = changed(&it.commits, M::make)?;
        it.done().await
    }
}

/// Takes a member out of the data of an entry of a type.
pub(super) fn without(entry: &mut NewEntry, entry_type: &EntryType, member: &str) {
    if entry.entry_type != *entry_type {
        return;
    }
    let Ok(mut data) = entry.data.decode::<Map<String, Value>>() else { return };
    if data.remove(member).is_some()
        && let Ok(data) = Payload::of(&data)
    {
        entry.data = data;
    }
}

/// Stores an entry that says nothing in place of one of a type.
pub(super) fn nothing_for(entry: &mut NewEntry, entry_type: &EntryType) {
    if entry.entry_type == *entry_type
        && let Ok(data) = Payload::of(&Map::new())
    {
        (entry.entry_type, entry.data) = (EntryType::Meta, data);
    }
}

macro_rules! mistakes {
    ($($(#[$doc:meta])* $name:ident = $make:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Default)]
            pub(super) struct $name;

            impl Mistake for $name {
                fn make(entry: &mut NewEntry) {
                    let make: fn(&mut NewEntry) = $make;
                    make(entry);
                }
            }
        )*
    };
}

mistakes! {
    /// Forgets whose a session is.
    Owners = |it| without(it, &EntryType::Session, "owner");
    /// Forgets what a session belongs to.
    Projects = |it| without(it, &EntryType::Session, "project");
    /// Forgets what tells a project from another of its name.
    Identities = |it| without(it, &EntryType::Session, "project_identity");
    /// Forgets what the host has kept with a session.
    Hosts = |it| without(it, &EntryType::Session, "host");
    /// Forgets what a session must not do.
    Guards = |it| without(it, &EntryType::Meta, "workflow.guards");
    /// Forgets titles.
    Titles = |it| without(it, &EntryType::Meta, "title");
    /// Forgets contexts.
    Contexts = |it| nothing_for(it, &EntryType::Context);
    /// Forgets instructions.
    Instructions = |it| nothing_for(it, &EntryType::Instruct);
    /// Forgets events.
    Events = |it| nothing_for(it, &EntryType::Event);
    /// Forgets that a session was closed.
    Closes = |it| nothing_for(it, &EntryType::Close);
    /// Gives metadata a later time than what it comes with.
    Times = |it| {
        if it.entry_type == EntryType::Meta {
            it.at = UnixMillis(it.at.millis().saturating_add(1));
        }
    };
    /// Takes every instruction for the one that it knows by heart.
    Words = |it| {
        let text = Map::from_iter([("text".to_owned(), Value::from("as usual"))]);
        if it.entry_type == EntryType::Instruct
            && let Ok(data) = Payload::of(&text)
        {
            it.data = data;
        }
    };
}

/// Notes which sessions were asked for that are not there.
#[derive(Debug, Default)]
pub(super) struct NotesWhoIsMissing;

#[async_trait]
impl Fault for NotesWhoIsMissing {
    async fn head(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<Head, Error> {
        let answer = sound.head(key).await;
        if let (Err(_), Ok(note)) = (&answer, sample::document("missing", key.id.as_str())) {
            let _only_a_note = sound.put(&note, sample::value(""), Precondition::Absent).await;
        }
        answer
    }
}

/// Stores what happened, and what was said, twice.
#[derive(Debug, Default)]
pub(super) struct Twice;

#[async_trait]
impl Fault for Twice {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let doubled = |entry: &NewEntry| {
            let happens = matches!(
                entry.entry_type,
                EntryType::Event | EntryType::Instruct | EntryType::Close
            );
            std::iter::repeat_n(entry.clone(), if happens { 2 } else { 1 })
        };
        let commits = it.commits.iter();
        let commits =
            commits.map(|it| with_entries(it, it.entries().iter().flat_map(doubled).collect()));
        it.commits = commits.collect::<Result<_, _>>()?;
        it.done().await
    }
}
