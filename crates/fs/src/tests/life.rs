//! All that is ever done to a store, one operation after the other.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::Command;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use sessile_core::backend::{
    Backend as _, Collection, DocKey, Expected, NewDocument, Precondition, Scope, Span,
};
use sessile_core::commit::Tip;
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::{EntryType, NewEntry};
use sessile_core::error::Error;
use sessile_core::id::{SessionKey, Space};
use sessile_core::limits::Limits;
use sessile_core::payload::Payload;
use sessile_core::position::Seq;
use sessile_core::time::UnixMillis;

use super::powercut::{commits, messages, revision_of};
use super::stage;
use crate::backend::FsBackend;
use crate::options::Options;

/// One thing that is done to a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Create,
    Append,
    Put,
    Replace,
    Outgrow,
    PutAnother,
    Mask,
    Rewrite,
    Repair,
    Read,
    Close,
    DeleteDocument,
    Remove,
    Purge,
}

/// Every operation, in an order in which each has something to work on.
pub(super) const LIFE: [Operation; 14] = [
    Operation::Create,
    Operation::Append,
    Operation::Put,
    Operation::Replace,
    Operation::Outgrow,
    Operation::PutAnother,
    Operation::Mask,
    Operation::Rewrite,
    Operation::Repair,
    Operation::Read,
    Operation::Close,
    Operation::DeleteDocument,
    Operation::Remove,
    Operation::Purge,
];

pub(super) fn key() -> SessionKey {
    SessionKey { space: Space::default(), id: "s".parse().unwrap() }
}

fn document(collection: &str, name: &str) -> DocKey {
    let name_of = |text: &str| text.parse().unwrap();
    let collection = Collection { space: Space::default(), name: name_of(collection) };
    DocKey { collection, name: name_of(name) }
}

/// A handle as another process has it.
pub(super) async fn open(root: &Path) -> Result<FsBackend, Error> {
    FsBackend::open(root, Options::default()).await
}

/// This test program once more, for one test that says what a child of it does with a store.
pub(super) fn child(test: &str, root: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--quiet"]).env("SESSILE_TEST_ROOT", root);
    command
}

impl Operation {
    /// Carries it out; what it needs was done by the operations before.
    pub(super) async fn run(self, backend: &FsBackend) -> Result<(), Error> {
        let key = key();
        match self {
            Self::Create => {
                let at = Expected::At(Tip::ABSENT);
                backend.append(&key, at, vec![stage::header()]).await.map(drop)
            }
            Self::Append => {
                for id in ["one", "two", "three"] {
                    append(backend, id).await?;
                }
                Ok(())
            }
            Self::Put => put(backend, "c", "old", Precondition::Absent).await,
            Self::Replace => {
                put(backend, "c", "new", Precondition::Revision(revision_of("old"))).await
            }
            Self::Outgrow => {
                let larger = "larger ".repeat(1_000);
                put(backend, "c", &larger, Precondition::Revision(revision_of("new"))).await
            }
            Self::PutAnother => put(backend, "d", "other", Precondition::Absent).await,
            Self::Mask => {
                let tip = backend.head(&key).await?.tip;
                backend.mask(&key, tip, vec![Seq::new(1).unwrap()]).await
            }
            Self::Rewrite => {
                let tip = backend.head(&key).await?.tip;
                let mut kept = commits(backend, &key).await?;
                kept.remove(1);
                backend.rewrite(&key, tip, Box::pin(stream::iter(kept.into_iter().map(Ok)))).await
            }
            Self::Repair => {
                tear(backend.path());
                append(backend, "after a cut").await
            }
            Self::Read => read_everything(backend).await,
            Self::Close => {
                append(backend, "last").await?;
                backend.close().await
            }
            Self::DeleteDocument => backend.delete(&document("d", "n"), revision_of("other")).await,
            Self::Remove => {
                let tip = backend.head(&key).await?.tip;
                backend.remove(&key, tip, tombstone()).await.map(drop)
            }
            Self::Purge => backend.purge(&key).await,
        }
    }
}

async fn append(backend: &FsBackend, id: &str) -> Result<(), Error> {
    let commit = messages(&id.replace(' ', "-"), 2, 40);
    backend.append(&key(), Expected::End, vec![commit]).await.map(drop)
}

/// Puts a document that goes with the session.
async fn put(
    backend: &FsBackend,
    collection: &str,
    value: &str,
    precondition: Precondition,
) -> Result<(), Error> {
    let (bytes, revision) = (Bytes::copy_from_slice(value.as_bytes()), revision_of(value));
    let new = NewDocument { bytes, revision, session: Some(key().id) };
    backend.put(&document(collection, "n"), new, precondition).await
}

pub(super) fn tombstone() -> sessile_core::commit::Commit {
    let data = Payload::parse("{}").unwrap();
    let entries = vec![NewEntry::new(UnixMillis(9), EntryType::Delete, data)];
    let token = Token::from_digest(Digest::of(b"tombstone"));
    let id = "tombstone".parse().unwrap();
    sessile_core::commit::Commit::new(id, token, entries, &Limits::default()).unwrap()
}

/// Cuts off the end of the journal's last commit, if no link leads to it.
fn tear(root: &Path) {
    let name = "spaces/default/sessions/s.jsonl";
    let journal = root.canonicalize().unwrap().join(name);
    if !journal.canonicalize().is_ok_and(|leads_to| leads_to == journal) {
        return;
    }
    let bytes = std::fs::read(&journal).unwrap();
    let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | 0)).unwrap();
    let file = OpenOptions::new().write(true).open(&journal).unwrap();
    file.set_len(u64::try_from(end - 20).unwrap()).unwrap();
}

/// Asks everything that can be asked without changing anything; the first refusal is told.
async fn read_everything(backend: &FsBackend) -> Result<(), Error> {
    let (key, of_all) = (key(), document("c", "n"));
    let commits = backend.read(&key, Span::ALL).await;
    let read = match commits {
        Ok(mut commits) => {
            while let Some(commit) = commits.next().await {
                commit?;
            }
            Ok(())
        }
        Err(error) => Err(error),
    };
    let head = backend.head(&key).await.map(drop);
    let aside = backend.set_aside(&key).await.map(drop);
    let journals = backend.journals(&key.space, None, 9).await.map(drop);
    let recent = backend.recent(&key.space, &Scope::ALL, None, 9).await.map(drop);
    let spaces = backend.spaces(None, 9).await.map(drop);
    let document = backend.get(&of_all).await.map(drop);
    let documents = backend.documents(&of_all.collection, None, 9).await.map(drop);
    [read, head, aside, journals, recent, spaces, document, documents].into_iter().collect()
}
