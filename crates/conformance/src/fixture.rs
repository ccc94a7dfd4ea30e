//! What a backend's author writes: where the cases find their places.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use sessile_core::Backend;
use sessile_core::backend::DocKey;
use sessile_core::digest::Digest;

use crate::failed::Failed;

/// Makes places, a fresh one for each case.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use async_trait::async_trait;
/// use sessile_conformance::{Failed, Fixture, Footprint, Place, Verdict, cases, run_all};
/// # use sessile_core::Backend;
/// use sessile_memory::MemoryBackend;
///
/// struct Memory;
///
/// # struct MemoryPlace(MemoryBackend);
/// # #[async_trait]
/// # impl Place for MemoryPlace {
/// #     async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
/// #         Ok(Arc::new(self.0.clone()))
/// #     }
/// #     async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
/// #         Ok(None)
/// #     }
/// # }
/// #[async_trait]
/// impl Fixture for Memory {
///     async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
///         Ok(Arc::new(MemoryPlace(MemoryBackend::new())))
///     }
/// }
/// # fn main() -> Result<(), Failed> {
/// let memory: Arc<dyn Fixture> = Arc::new(Memory);
/// // While a backend is being written: those of one group.
/// let appends = cases().filter(|case| case.name.starts_with("append/"));
/// let verdicts = run_all(&memory, appends)?;
/// assert!(verdicts.iter().all(|(_, verdict)| *verdict == Verdict::Passed), "{verdicts:?}");
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Fixture: Send + Sync {
    /// Makes a place that holds nothing and that no other case uses.
    ///
    /// # Errors
    /// Whatever keeps the place from being made; the case fails with it.
    async fn fresh(&self) -> Result<Arc<dyn Place>, Failed>;
}

/// A place of a backend, for one case.
///
/// The value guards what the place is made of: a temporary folder, a bucket's prefix, a server.
/// When the case is over it is dropped, after every handle.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use async_trait::async_trait;
/// use sessile_conformance::{Failed, Footprint, Place};
/// use sessile_core::Backend;
/// # use sessile_engine::{NewSession, Store};
/// use sessile_memory::MemoryBackend;
///
/// struct MemoryPlace(MemoryBackend);
///
/// #[async_trait]
/// impl Place for MemoryPlace {
///     async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
///         Ok(Arc::new(self.0.clone()))
///     }
///
///     async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
///         let mut footprint = Footprint::default();
///         footprint.add("memory", self.0.digest().as_bytes());
///         Ok(Some(footprint))
///     }
/// }
/// # fn main() -> Result<(), Failed> {
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// # runtime.block_on(async {
/// let place = MemoryPlace(MemoryBackend::new());
/// let id = Store::on(place.handle().await?).create(NewSession::new()).await?.id().clone();
/// let written = place.footprint().await?;
/// // Another process finds what the first one wrote, and looking leaves no trace.
/// Store::on(place.handle().await?).open_session(&id).await?;
/// assert_eq!(place.footprint().await?, written);
/// # Ok(())
/// # })
/// # }
/// ```
#[async_trait]
pub trait Place: Send + Sync {
    /// Opens a further handle, as another process would.
    ///
    /// Two handles must share nothing but the place: no cache, no connection, no lock that two
    /// processes would not share. A case that drops every handle and then opens one has restarted
    /// the program.
    ///
    /// # Errors
    /// Whatever keeps the handle from being opened; the case fails with it.
    async fn handle(&self) -> Result<Arc<dyn Backend>, Failed>;

    /// Takes down everything that is stored, as seen from outside the backend: each file, object
    /// or row with its bytes, and no times. None where that can't be seen.
    ///
    /// By it a case sees whether a reader wrote. Where it is none such cases are *ignored by
    /// name*: that reading writes nothing is then claimed and not shown. It must not be asked by
    /// the methods under test, which would not tell on themselves.
    ///
    /// # Errors
    /// Whatever keeps the place from being looked through.
    async fn footprint(&self) -> Result<Option<Footprint>, Failed>;

    /// What damages this place's bytes from outside the backend. None where the bytes can't be
    /// reached, or where there are none that could be damaged: cases that need it are then
    /// *ignored by name*.
    fn damage(&self) -> Option<&dyn Damage> {
        None
    }

    /// How many rounds a case of minutes takes here, of those that it takes where nothing keeps it
    /// from as many. A place where each call costs milliseconds, as one on a server, answers with
    /// fewer, so that the case is over within minutes; each round asserts the same.
    fn rounds(&self, full: usize) -> usize {
        full
    }
}

/// What damages a place, as a broken disk or another program does.
///
/// # Examples
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::Mutex;
/// use async_trait::async_trait;
/// use sessile_conformance::{Damage, Failed};
/// use sessile_core::backend::DocKey;
/// # use sessile_core::{Space, backend::Collection};
///
/// /// What a backend keeps its documents in; it believes that nobody else writes there.
/// struct Disk(Mutex<BTreeMap<DocKey, Vec<u8>>>);
///
/// #[async_trait]
/// impl Damage for Disk {
///     async fn damage_document(&self, key: &DocKey, stored: &[u8]) -> Result<(), Failed> {
///         let mut files = self.0.lock()?;
///         // To damage what is not there would let every case pass.
///         let file = files.get_mut(key).ok_or_else(|| Failed::new("there is no such document"))?;
///         *file = stored.to_vec();
///         Ok(())
///     }
/// }
/// # fn main() -> Result<(), Failed> {
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// # runtime.block_on(async {
/// # let collection = Collection { space: Space::default(), name: "c".parse()? };
/// # let key = DocKey { collection, name: "n".parse()? };
/// let disk = Disk(Mutex::default());
/// assert!(disk.damage_document(&key, b"junk").await.is_err());
/// disk.0.lock()?.insert(key.clone(), b"{}".to_vec());
/// disk.damage_document(&key, b"junk").await?;
/// assert_eq!(disk.0.lock()?[&key], b"junk");
/// # Ok(())
/// # })
/// # }
/// ```
#[async_trait]
pub trait Damage: Send + Sync {
    /// Puts bytes that are no document in place of all that is stored of one, its name excepted.
    ///
    /// # Errors
    /// Whatever keeps the bytes from being put there.
    async fn damage_document(&self, key: &DocKey, stored: &[u8]) -> Result<(), Failed>;
}

/// Everything that is stored in a place, by name.
///
/// # Examples
/// ```
/// use sessile_conformance::Footprint;
///
/// let taken = |files: &[(&str, &str)]| {
///     let mut footprint = Footprint::default();
///     files.iter().for_each(|(name, bytes)| footprint.add(*name, bytes.as_bytes()));
///     footprint
/// };
/// let before = taken(&[("a.jsonl", "{}"), ("folder", "")]);
/// assert!(before.changes(&before).is_empty());
/// // A reader that leaves a lock behind has written.
/// let after = taken(&[("a.jsonl", "{}"), ("a.lock", ""), ("folder", "")]);
/// assert_eq!(before.changes(&after).added, ["a.lock"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint(BTreeMap<String, Digest>);

impl Footprint {
    /// Adds a file, an object or a row, with its bytes; a folder has none.
    pub fn add(&mut self, name: impl Into<String>, bytes: &[u8]) {
        self.0.insert(name.into(), Digest::of(bytes));
    }

    /// What stands in a later footprint and not in this one, or the other way round.
    pub fn changes(&self, later: &Self) -> Changes {
        let names = |from: &Self, is: &dyn Fn(&String, &Digest) -> bool| {
            let found = from.0.iter().filter(|(name, bytes)| is(name, bytes));
            found.map(|(name, _)| name.clone()).collect()
        };
        Changes {
            added: names(later, &|name, _| !self.0.contains_key(name)),
            changed: names(later, &|name, bytes| {
                self.0.get(name).is_some_and(|before| before != bytes)
            }),
            removed: names(self, &|name, _| !later.0.contains_key(name)),
        }
    }
}

/// How two footprints differ.
///
/// # Examples
/// ```
/// use sessile_conformance::{Changes, Footprint};
///
/// let (mut before, mut after) = (Footprint::default(), Footprint::default());
/// before.add("a", b"1");
/// after.add("a", b"2");
/// after.add("b", b"1");
/// let changes: Changes = before.changes(&after);
/// assert_eq!(changes.changed, ["a"]);
/// // As the failure of a case tells it.
/// assert_eq!(changes.to_string(), r#"added ["b"], changed ["a"], removed []"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// What is there only in the later one.
    pub added: Vec<String>,
    /// What has other bytes in the later one.
    pub changed: Vec<String>,
    /// What is not there in the later one.
    pub removed: Vec<String>,
}

impl Changes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { added, changed, removed } = self;
        write!(f, "added {added:?}, changed {changed:?}, removed {removed:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footprint(files: &[(&str, &str)]) -> Footprint {
        let mut footprint = Footprint::default();
        for (name, bytes) in files {
            footprint.add(*name, bytes.as_bytes());
        }
        footprint
    }

    #[test]
    fn every_change_is_named() {
        let before = footprint(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let after = footprint(&[("a", "1"), ("b", "2"), ("d", "1")]);
        assert!(before.changes(&before).is_empty());
        assert_eq!(
            before.changes(&after).to_string(),
            r#"added ["d"], changed ["b"], removed ["c"]"#
        );
    }
}
