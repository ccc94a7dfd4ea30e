//! Everything that writes, as deeds that are done and looked at in one way.

use bytes::Bytes;
use sessile_core::backend::{DocKey, Expected, NewDocument, Precondition};
use sessile_core::digest::Token;
use sessile_core::id::SessionKey;
use sessile_core::{Backend as _, Commit, Error, ErrorKind, Outcome, Seq, Tip};
use sessile_object::ObjectBackend;

use super::stage::{Stage, append, read};
use super::words;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Create,
    Append,
    AppendAtTheEnd,
    Remove,
    Mask,
    Put,
    Swap,
    Delete,
}

pub(super) const DEEDS: [Deed; 8] = [
    Deed::Create,
    Deed::Append,
    Deed::AppendAtTheEnd,
    Deed::Remove,
    Deed::Mask,
    Deed::Put,
    Deed::Swap,
    Deed::Delete,
];

/// A word that only what is masked has.
const SECRET: &str = "the word that is to go";

/// A deed that can be done, again too, with what it finds and what it leaves.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) deed: Deed,
    /// What every request of it has in its target.
    pub(super) part: String,
    pub(super) key: SessionKey,
    tip: Tip,
    pub(super) tokens: Vec<Token>,
    pub(super) commit: Commit,
    document: DocKey,
    before: NewDocument,
    after: NewDocument,
}

impl Deed {
    /// How many writes it takes where nothing goes wrong.
    pub(super) const fn writes(self) -> usize {
        match self {
            Self::Append | Self::AppendAtTheEnd | Self::Remove | Self::Swap | Self::Delete => 1,
            // A note for the catalog, or of the session whose document it is.
            Self::Create | Self::Put => 2,
            // The mark and a notice stand before and after what is swapped.
            Self::Mask => 5,
        }
    }

    /// How many writes come before the one that counts.
    pub(super) const fn writes_before(self) -> usize {
        match self {
            Self::Create | Self::Put => 1,
            Self::Mask => 2,
            _ => 0,
        }
    }

    /// Makes what it needs, past the proxy.
    pub(super) async fn plan(self, stage: &Stage) -> Planned {
        let (mut before, mut after) = (words::value("before"), words::value("after"));
        let (key, tokens, tip) = match self {
            Self::Create | Self::Put | Self::Swap | Self::Delete => {
                (words::key(&stage.space), vec![], Tip::ABSENT)
            }
            Self::Append | Self::AppendAtTheEnd | Self::Remove | Self::Mask => {
                stage.session(&["one", SECRET]).await
            }
        };
        let commit = match self {
            Self::Create => words::creation(&key),
            Self::Remove => words::tombstone(),
            _ => words::saying("two"),
        };
        let mut document = words::document(&stage.space);
        document.name = key.id.as_str().parse().unwrap();
        (before.session, after.session) = (Some(key.id.clone()), Some(key.id.clone()));
        if matches!(self, Self::Swap | Self::Delete) {
            let new = before.clone();
            stage.past().put(&document, new, Precondition::Absent).await.unwrap();
        }
        let part = key.id.to_string();
        Planned { deed: self, part, key, tip, tokens, commit, document, before, after }
    }
}

impl Planned {
    /// What another wants to do in its place; nothing for what two may do.
    pub(super) fn rival(&self) -> Option<Self> {
        let mut rival = self.clone();
        rival.after.revision = words::value("rival").revision;
        (rival.deed, rival.commit) = match self.deed {
            Deed::Mask => return None,
            Deed::Create => (Deed::Create, words::creation(&self.key)),
            Deed::Append | Deed::AppendAtTheEnd | Deed::Remove => {
                (Deed::Append, words::saying("rival"))
            }
            Deed::Delete => (Deed::Swap, self.commit.clone()),
            deed => (deed, self.commit.clone()),
        };
        Some(rival)
    }

    pub(super) async fn carry_out(&self, backend: &ObjectBackend) -> Result<(), Error> {
        let Self { deed, key, tip, commit, document, before, after, .. } = self;
        match deed {
            Deed::Create | Deed::Append => append(backend, key, *tip, commit).await.map(|_| ()),
            Deed::AppendAtTheEnd => {
                backend.append(key, Expected::End, vec![commit.clone()]).await.map(|_| ())
            }
            Deed::Remove => backend.remove(key, *tip, commit.clone()).await.map(|_| ()),
            Deed::Mask => backend.mask(key, *tip, vec![Seq::new(2).unwrap()]).await,
            Deed::Put => backend.put(document, after.clone(), Precondition::Absent).await,
            Deed::Swap => {
                let over = Precondition::Revision(before.revision);
                backend.put(document, after.clone(), over).await
            }
            Deed::Delete => backend.delete(document, before.revision).await,
        }
    }

    /// Whether it was done, as a fresh handle past the proxy sees it; everything else is as it was.
    pub(super) async fn is_done(&self, stage: &Stage) -> bool {
        let past = stage.past();
        match self.deed {
            Deed::Create | Deed::Append | Deed::AppendAtTheEnd | Deed::Remove => {
                self.is_appended(stage).await
            }
            Deed::Mask => {
                assert_eq!(stage.tokens(&self.key).await, self.tokens);
                let objects = stage.objects_of(&format!("/sessions/{}/", self.key.id)).await;
                let holds = |it: &Bytes| String::from_utf8_lossy(it).contains(SECRET);
                !objects.values().any(|(_, bytes)| holds(bytes))
            }
            Deed::Put | Deed::Swap => match past.get(&self.document).await {
                Ok(document) if document.revision == self.after.revision => {
                    let mut revisions = vec![self.after.revision];
                    revisions.extend((self.deed == Deed::Swap).then_some(self.before.revision));
                    assert_eq!(
                        (document.recent, document.bytes),
                        (revisions, self.after.bytes.clone())
                    );
                    true
                }
                Ok(document) => {
                    assert_eq!(
                        (self.deed, document.recent),
                        (Deed::Swap, vec![self.before.revision])
                    );
                    false
                }
                Err(error) => {
                    assert_eq!((self.deed, error.kind()), (Deed::Put, ErrorKind::Missing));
                    false
                }
            },
            Deed::Delete => match past.get(&self.document).await {
                Ok(document) => {
                    assert_eq!(document.recent, [self.before.revision]);
                    false
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Missing);
                    true
                }
            },
        }
    }

    async fn is_appended(&self, stage: &Stage) -> bool {
        let past = stage.past();
        let found = match read(&past, &self.key).await {
            Ok(commits) => commits.iter().map(|commit| commit.token).collect(),
            Err(error) => {
                assert_eq!((self.deed, error.kind()), (Deed::Create, ErrorKind::Missing));
                vec![]
            }
        };
        if found == self.tokens {
            return false;
        }
        assert_eq!(found, [&*self.tokens, &[self.commit.token()]].concat());
        let head = past.head(&self.key).await.unwrap();
        assert_eq!(
            (head.tip.token, head.deleted),
            (found.last().copied(), self.deed == Deed::Remove)
        );
        assert_eq!(past.set_aside(&self.key).await.unwrap(), []);
        true
    }
}

/// Does a deed again until it is known what became of it.
pub(super) async fn found_out(planned: &Planned, backend: &ObjectBackend) -> Result<(), Error> {
    loop {
        let answer = planned.carry_out(backend).await;
        if !matches!(&answer, Err(error) if error.outcome() == Outcome::Unknown) {
            return answer;
        }
    }
}
