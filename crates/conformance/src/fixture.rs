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
}

/// What damages a place, as a broken disk or another program does.
#[async_trait]
pub trait Damage: Send + Sync {
    /// Puts bytes that are no document in place of all that is stored of one, its name excepted.
    ///
    /// # Errors
    /// Whatever keeps the bytes from being put there.
    async fn damage_document(&self, key: &DocKey, stored: &[u8]) -> Result<(), Failed>;
}

/// Everything that is stored in a place, by name.
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
