//! What a place does with what this backend relies on.
//!
//! Many servers take the headers of a conditional write and ignore them, or check the condition a
//! moment before they write. On those, two writers overwrite one another and neither notices. So
//! a place is probed before it is used.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{TryStreamExt as _, future};
use object_store::path::Path;
use sessile_core::probe::{Finding, Probe};
use sessile_core::{Error, ErrorKind};
use tokio::time;

use crate::client::{Client, Object, Only, Tag};
use crate::entropy;
use crate::failure::Refused;
use crate::keys::{self, Keys};
use crate::settle::{Settled, Whose, settle};

/// How many writers race for one name.
const RIVALS: usize = 16;

/// How many races are run: one may be won by luck.
const RACES: usize = 3;

/// How often a swap is sent before it counts as refused: any one may meet a bad moment.
const SENDINGS: usize = 3;

const BETWEEN_SENDINGS: Duration = Duration::from_millis(500);

/// How long the longest keys are that this backend uses.
const LONGEST_KEY: usize = 700;

/// How long the longest segments of keys are.
const LONGEST_SEGMENT: usize = 200;

/// What a probe of a place found, and why the place could not be probed.
#[derive(Debug, Default)]
pub(crate) struct Probed {
    /// After one that shows that the place can't be asked there are no more.
    findings: Vec<Finding>,
    trouble: Option<Error>,
}

/// What one look gives: what the place did, where it does what is needed; or else what it did
/// instead.
type Looked = Result<String, Wrong>;

/// Why a look found nothing good.
enum Wrong {
    /// The place does something else.
    Else(String),
    /// The place can't be asked.
    Trouble(Error),
}

impl Wrong {
    fn instead(what: impl Into<String>) -> Self {
        Self::Else(what.into())
    }
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        Self::Trouble(error)
    }
}

impl Probed {
    /// What was found, for whoever asked.
    pub(crate) fn told(self) -> Probe {
        Probe::of(self.findings)
    }

    /// Refuses a place that does not do what is needed.
    ///
    /// # Errors
    /// *invalid place* with the names of what failed; *unsupported* where the place offers no
    /// conditional writes; *unavailable*, *permission* where it could not be probed.
    pub(crate) fn accept(self) -> Result<(), Error> {
        if let Some(trouble) = self.trouble {
            return Err(trouble);
        }
        let failed: Vec<&str> =
            self.findings.iter().filter(|it| !it.ok).map(|it| it.name).collect();
        if failed.is_empty() {
            return Ok(());
        }
        let clause = format!("the place can't keep a store; it fails at: {}", failed.join(", "));
        Err(Error::new(ErrorKind::InvalidPlace, clause)
            .with_hint("`sessile check` says what it does instead"))
    }

    /// Adds a finding; none where the place can't be asked any more.
    fn add(&mut self, name: &'static str, looked: Looked) -> Option<()> {
        let looked = looked.map_err(|wrong| match wrong {
            Wrong::Else(detail) => detail,
            Wrong::Trouble(error) => {
                let detail = Told(&error).to_string();
                self.trouble.get_or_insert(error);
                detail
            }
        });
        self.findings.push(Finding::new(name, looked));
        self.trouble.is_none().then_some(())
    }
}

/// An error with what it comes from, in one line.
struct Told<'a>(&'a Error);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = std::error::Error::source(self.0).map(|cause| format!(": {cause}"));
        write!(f, "{}{}", self.0, cause.unwrap_or_default())?;
        self.0.hint().map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

/// Probes a place: what is missing, conditions and races, lists, long keys, deletions. It writes
/// below a name of its own, and removes that.
pub(crate) async fn probe(client: &Client, keys: &Keys) -> Probed {
    let folder = keys.probe(&entropy::token().to_string());
    let bench = Bench { client, folder, written: Mutex::default() };
    let mut probe = Probed::default();
    let asked = bench.look_at_all(&mut probe).await;
    let cleaned = bench.clean_up().await;
    asked.and_then(|()| probe.add("deletion", cleaned));
    probe
}

/// Where a probe works.
struct Bench<'a> {
    client: &'a Client,
    folder: String,
    /// What it may have written.
    written: Mutex<BTreeSet<Path>>,
}

impl Bench<'_> {
    async fn look_at_all(&self, probe: &mut Probed) -> Option<()> {
        probe.add("missing names", self.missing().await)?;
        probe.add("create-only writes", self.create_twice().await)?;
        probe.add("conditional swaps", self.swap().await)?;
        probe.add("stale swaps", self.swap_stale().await)?;
        probe.add("races of creates", self.race_to_create().await)?;
        probe.add("races of swaps", self.race_to_swap().await)?;
        probe.add("lists after writes", self.list().await)?;
        probe.add("lists from a name on", self.list_from().await)?;
        probe.add("long keys", self.long_key().await)
    }

    fn path(&self, name: &str) -> Path {
        keys::path(format!("{}/{name}", self.folder))
    }

    /// A body that no other is equal to.
    fn body() -> Bytes {
        entropy::token().to_string().into()
    }

    /// Writes where the condition holds, and finds out whether it did.
    async fn write(&self, path: &Path, body: &Bytes, only: &Only) -> Result<Settled, Error> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        let whose = |object: &Object| {
            if object.bytes == body {
                Whose::Ours
            } else if matches!(only, Only::IfStill(tag) if tag.text() == object.tag.text()) {
                Whose::Expected
            } else {
                Whose::Others
            }
        };
        settle(self.client, path, body, only, whose).await
    }

    /// Swaps an object with its current tag, which a place may always refuse.
    async fn swap_current(&self, path: &Path, tag: Tag) -> Result<Bytes, Wrong> {
        let (body, only) = (Self::body(), Only::IfStill(tag));
        let mut refused = None;
        for _ in 0..SENDINGS {
            match self.client.send(path, body.clone(), &only).await {
                Ok(_) => return Ok(body),
                Err(Refused::Final(error)) if error.kind() != ErrorKind::Unsupported => {
                    return Err(error.into());
                }
                Err(Refused::Final(error)) => {
                    return Err(Wrong::instead(error.clause().to_owned()));
                }
                Err(Refused::Open(error) | Refused::Throttled(error)) => refused = Some(error),
            }
            time::sleep(BETWEEN_SENDINGS).await;
            if self.client.get(path).await?.is_some_and(|object| object.bytes == body) {
                return Ok(body);
            }
        }
        let why = refused.as_ref().and_then(|error| error.source()).map(ToString::to_string);
        let clause = "one with the current tag is refused; a server may want tags without quotes";
        Err(Wrong::Else(format!("{clause}: {}", why.unwrap_or_default())))
    }

    /// Creates an object; answers its body and its tag.
    async fn create(&self, path: &Path) -> Result<(Bytes, Tag), Error> {
        let body = Self::body();
        match self.write(path, &body, &Only::IfAbsent).await? {
            Settled::Ours(tag) => Ok((body, tag)),
            Settled::Others(object) => Ok((object.bytes, object.tag)),
            Settled::Gone => Ok((Bytes::new(), Tag::default())),
        }
    }

    /// Expects that something stands at a name.
    async fn holds(&self, path: &Path, body: &Bytes) -> Result<Tag, Wrong> {
        match self.client.get(path).await? {
            Some(object) if object.bytes == body => Ok(object.tag),
            Some(_) => Err(Wrong::instead("other bytes are there than those that were written")),
            None => Err(Wrong::instead("what was written is not there")),
        }
    }

    async fn missing(&self) -> Looked {
        match self.client.get(&self.path("missing")).await {
            Ok(None) => Ok("what is not there is answered as missing".into()),
            Ok(Some(_)) => Err(Wrong::instead("something is there that nobody wrote")),
            // Where nothing may be listed some places don't tell what is missing.
            Err(error) if error.kind() == ErrorKind::Permission => {
                let folder = keys::path(self.folder.clone());
                match self.client.list_all(&folder, None).await {
                    Ok(_) => Err(Wrong::instead(
                        "what is not there is answered with a refusal of access",
                    )),
                    Err(_) => Err(Wrong::Trouble(error.with_hint(
                        "the role may not list or read here; it needs to list, read, write and \
                         delete",
                    ))),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn create_twice(&self) -> Looked {
        let path = self.path("create");
        let (first, _) = self.create(&path).await?;
        let second = Self::body();
        match self.write(&path, &second, &Only::IfAbsent).await? {
            Settled::Ours(_) => Err(Wrong::instead("what is there was created a second time")),
            Settled::Others(_) | Settled::Gone => {
                self.holds(&path, &first).await?;
                Ok("the second one of a name is refused, and the first one stays".into())
            }
        }
    }

    async fn swap(&self) -> Looked {
        let path = self.path("swap");
        let (_, told) = self.create(&path).await?;
        let second = self.swap_current(&path, told).await?;
        let read = self.holds(&path, &second).await?;
        let third = self.swap_current(&path, read).await?;
        self.holds(&path, &third).await?;
        Ok("those with the current tag are taken".into())
    }

    async fn swap_stale(&self) -> Looked {
        let path = self.path("stale");
        let (_, stale) = self.create(&path).await?;
        let second = self.swap_current(&path, stale.clone()).await?;
        let third = Self::body();
        if let Settled::Ours(_) = self.write(&path, &third, &Only::IfStill(stale)).await? {
            return Err(Wrong::instead("one with the tag of what was replaced is taken"));
        }
        self.holds(&path, &second).await?;
        Ok("those with the tag of what was replaced are refused".into())
    }

    async fn race_to_create(&self) -> Looked {
        for number in 0..RACES {
            let path = self.path(&format!("race/create-{number}"));
            self.race(&path, Only::IfAbsent).await?;
        }
        Ok(format!("of {RIVALS} writers one wins, {RACES} times of {RACES}"))
    }

    async fn race_to_swap(&self) -> Looked {
        // Where no swap is ever taken there is no race.
        let path = self.path("race/swap");
        let (_, tag) = self.create(&path).await?;
        self.swap_current(&path, tag).await?;
        for number in 0..RACES {
            let path = self.path(&format!("race/swap-{number}"));
            let (_, tag) = self.create(&path).await?;
            self.race(&path, Only::IfStill(tag)).await?;
        }
        Ok(format!("of {RIVALS} writers one wins, {RACES} times of {RACES}"))
    }

    /// Lets writers race for one name.
    async fn race(&self, path: &Path, only: Only) -> Result<(), Wrong> {
        let racing = (0..RIVALS).map(|_| async {
            let body = Self::body();
            let settled = self.write(path, &body, &only).await?;
            Ok::<_, Error>(matches!(settled, Settled::Ours(_)).then_some(body))
        });
        let answers = future::try_join_all(racing).await?;
        let won: Vec<Bytes> = answers.into_iter().flatten().collect();
        let [winner] = won.as_slice() else {
            let clause = format!("{} of {RIVALS} writers were told that they won", won.len());
            return Err(Wrong::Else(clause));
        };
        self.holds(path, winner).await.map(|_| ())
    }

    /// The objects that lists are tried with.
    fn listable(&self) -> [Path; 3] {
        ["list/a", "list/b~0", "list/b~00"].map(|name| self.path(name))
    }

    async fn list(&self) -> Looked {
        for (number, path) in self.listable().iter().enumerate() {
            self.create(path).await?;
            let listed = self.client.list_all(&self.path("list"), None).await?;
            if listed.len() != number + 1 || listed.last().is_none_or(|last| last.path != *path) {
                let clause = format!("of {} objects just written {}", number + 1, listed.len());
                return Err(Wrong::Else(format!("{clause} are listed")));
            }
        }
        Ok("what was just written is listed".into())
    }

    async fn list_from(&self) -> Looked {
        let [first, rest @ ..] = self.listable();
        let folder = self.path("list");
        let filtered = self.client.list_all(&folder, Some(&first)).await?;
        let filtered: Vec<Path> = filtered.into_iter().map(|listed| listed.path).collect();
        if filtered != rest {
            return Err(Wrong::instead("what stands after a name is not listed"));
        }
        let listed = self.client.list_unfiltered(&folder, Some(&first));
        let listed: Vec<_> = listed.try_collect().await?;
        if listed.len() == rest.len() {
            return Ok("they begin after it".into());
        }
        Ok("they begin at the beginning, and cost more the more is there".into())
    }

    async fn long_key(&self) -> Looked {
        let mut key = self.folder.clone();
        while let room @ 2.. = LONGEST_KEY.saturating_sub(key.len()) {
            // None of them may leave room for a slash without a sign after it.
            let sign = if room - 1 <= LONGEST_SEGMENT { room - 1 } else { LONGEST_SEGMENT - 1 };
            key.push('/');
            key.push_str(&"~".repeat(sign));
        }
        let path = keys::path(key);
        let written = self.create(&path).await;
        let (body, _) = match written {
            Err(error) if error.kind() == ErrorKind::Refused => {
                return Err(Wrong::Else(format!("one of {LONGEST_KEY} bytes is refused")));
            }
            written => written?,
        };
        self.holds(&path, &body).await?;
        Ok(format!("one of {LONGEST_KEY} bytes is taken"))
    }

    /// Deletes what the probe wrote.
    async fn clean_up(&self) -> Looked {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.client.delete(written.iter().cloned().collect()).await?;
        if !self.client.list_all(&keys::path(self.folder.clone()), None).await?.is_empty() {
            return Err(Wrong::instead("what was deleted is still there"));
        }
        Ok("what is deleted is gone".into())
    }
}

#[cfg(test)]
mod tests;
