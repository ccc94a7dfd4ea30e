//! Faults of reading and of heads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use sessile_core::backend::{
    Backend as _, ChangeToken, Commits, DocKey, Document, Head, Precondition, SetAside, Span,
};
use sessile_core::entry::shape::Header;
use sessile_core::{Error, ErrorKind, Payload, SessionKey, Space, StoredCommit};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::broken::request::Read;
use crate::look::served;
use crate::sample;

/// Begins with the first commit that begins at or after what is asked for.
#[derive(Debug, Default)]
pub(super) struct BeginsAfterTheMiddle;

#[async_trait]
impl Fault for BeginsAfterTheMiddle {
    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        let mut commits = it.commits().await?;
        if let Span::From(seq) = it.span {
            commits.retain(|commit| commit.first_seq() >= seq);
        }
        Ok(served(commits))
    }
}

/// Serves the last commit to whoever asks for what comes after it.
#[derive(Debug, Default)]
pub(super) struct ServesTheLastAtLeast;

#[async_trait]
impl Fault for ServesTheLastAtLeast {
    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        let commits = it.commits().await?;
        if !commits.is_empty() || matches!(it.span, Span::Back { .. }) {
            return Ok(served(commits));
        }
        let before = it.sound.head(it.key).await?.tip.position;
        Read { span: Span::Back { before, max_bytes: 0 }, ..it }.done().await
    }
}

fn bytes_of(commit: &StoredCommit) -> u64 {
    commit.span_bytes()
}

/// Serves nothing where not even the last commit fits.
#[derive(Debug, Default)]
pub(super) struct ServesOnlyWhatFits;

#[async_trait]
impl Fault for ServesOnlyWhatFits {
    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        let mut commits = it.commits().await?;
        if let (Span::Back { max_bytes, .. }, [only]) = (it.span, commits.as_slice())
            && bytes_of(only) > max_bytes
        {
            commits.clear();
        }
        Ok(served(commits))
    }
}

/// Leaves out what is too large, and goes on with what is before it.
#[derive(Debug, Default)]
pub(super) struct SkipsWhatIsTooLarge;

#[async_trait]
impl Fault for SkipsWhatIsTooLarge {
    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        let Span::Back { before, max_bytes } = it.span else {
            return it.done().await;
        };
        let whole = Read { span: Span::Back { before, max_bytes: u64::MAX }, ..it };
        let mut commits = whole.commits().await?;
        let mut taken = Vec::from_iter(commits.pop());
        let mut bytes: u64 = taken.iter().map(bytes_of).sum();
        for commit in commits.into_iter().rev() {
            if bytes + bytes_of(&commit) <= max_bytes {
                bytes += bytes_of(&commit);
                taken.insert(0, commit);
            }
        }
        Ok(served(taken))
    }
}

/// Goes back from the end, wherever it should.
#[derive(Debug, Default)]
pub(super) struct GoesBackFromTheEnd;

#[async_trait]
impl Fault for GoesBackFromTheEnd {
    async fn read(&self, mut it: Read<'_>) -> Result<Commits, Error> {
        if let Span::Back { max_bytes, .. } = it.span {
            let before = it.sound.head(it.key).await?.tip.position;
            it.span = Span::Back { before, max_bytes };
        }
        it.done().await
    }
}

/// Reads nothing more until the stream that it gave before was read to its end.
#[derive(Debug, Default)]
pub(super) struct WantsItsStreamsReadToTheEnd(Arc<AtomicBool>);

#[async_trait]
impl Fault for WantsItsStreamsReadToTheEnd {
    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        let commits = it.done().await?;
        if self.0.swap(true, Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Unavailable, "another stream is open"));
        }
        let is_open = Arc::clone(&self.0);
        let end = stream::poll_fn(move |_| {
            is_open.store(false, Ordering::Relaxed);
            std::task::Poll::Ready(None)
        });
        Ok(Box::pin(commits.chain(end)))
    }
}

/// Leaves a hint for the next reader.
#[derive(Debug, Default)]
pub(super) struct LeavesAHint;

#[async_trait]
impl Fault for LeavesAHint {
    async fn head(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<Head, Error> {
        let head = sound.head(key).await?;
        if let Ok(mut hint) = sample::document("hints", key.id.as_str()) {
            hint.collection.space = key.space.clone();
            let before = sound.get(&hint).await.ok().map(|hint| hint.revision);
            let precondition = before.map_or(Precondition::Absent, Precondition::Revision);
            let value = sample::value(head.tip.position.to_string());
            let _only_a_hint = sound.put(&hint, value, precondition).await;
        }
        Ok(head)
    }
}

/// Notes what it did not find.
#[derive(Debug, Default)]
pub(super) struct NotesWhatIsMissing;

#[async_trait]
impl Fault for NotesWhatIsMissing {
    async fn get(&self, sound: &MemoryBackend, key: &DocKey) -> Result<Document, Error> {
        let answer = sound.get(key).await;
        if let (Err(_), Ok(note)) = (&answer, sample::document("missing", key.name.as_str())) {
            let _only_a_note = sound.put(&note, sample::value(""), Precondition::Absent).await;
        }
        answer
    }
}

/// Says that nothing has changed.
#[derive(Debug, Default)]
pub(super) struct NeverChangesItsToken;

#[async_trait]
impl Fault for NeverChangesItsToken {
    async fn head(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<Head, Error> {
        let head = sound.head(key).await?;
        Ok(Head { change: ChangeToken("unchanged".to_owned()), ..head })
    }
}

/// Tells when a session was created for when it was last written to.
#[derive(Debug, Default)]
pub(super) struct TellsTheTimeOfTheHeader;

#[async_trait]
impl Fault for TellsTheTimeOfTheHeader {
    async fn head(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<Head, Error> {
        let head = sound.head(key).await?;
        Ok(Head { updated_at: head.header.at, ..head })
    }
}

/// Tells of the header what it knows, and of the size nothing.
#[derive(Debug, Default)]
pub(super) struct TellsWhatItKnows;

#[async_trait]
impl Fault for TellsWhatItKnows {
    async fn head(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<Head, Error> {
        let mut head = sound.head(key).await?;
        let known: Header = head.header.data.decode()?;
        head.header.data = Payload::of(&known)?;
        Ok(Head { bytes: 0, ..head })
    }
}

/// Takes a journal that is not there for one that is empty.
#[derive(Debug, Default)]
pub(super) struct ReadsNothingWhereNothingIs;

#[async_trait]
impl Fault for ReadsNothingWhereNothingIs {
    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        match it.done().await {
            Err(error) if error.kind() == ErrorKind::Missing => Ok(served(Vec::new())),
            answer => answer,
        }
    }
}

/// Tells of bytes that it set aside, of every journal.
#[derive(Debug, Default)]
pub(super) struct SetsAsideWhatIsWhole;

#[async_trait]
impl Fault for SetsAsideWhatIsWhole {
    async fn set_aside(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
    ) -> Result<Vec<SetAside>, Error> {
        let mut aside = sound.set_aside(key).await?;
        let reason = "its last line has no end".to_owned();
        aside.push(SetAside { offset: 0, bytes: 1, reason, kept_at: None });
        Ok(aside)
    }
}

/// Lists the default space whether it holds anything or not.
#[derive(Debug, Default)]
pub(super) struct AlwaysHasADefaultSpace;

#[async_trait]
impl Fault for AlwaysHasADefaultSpace {
    async fn spaces(
        &self,
        sound: &MemoryBackend,
        after: Option<&Space>,
        limit: usize,
    ) -> Result<Vec<Space>, Error> {
        let mut spaces = sound.spaces(after, limit).await?;
        let default = Space::default();
        if after.is_none_or(|after| *after < default) {
            spaces.push(default);
            spaces.sort();
            spaces.dedup();
            spaces.truncate(limit);
        }
        Ok(spaces)
    }
}
