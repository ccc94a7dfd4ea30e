//! What a list of a session's objects tells: candidates, which only their bytes prove.

use futures_util::TryStreamExt as _;
use sessile_core::Error;

use crate::client::{Client, Listed};
use crate::keys::SessionKeys;

/// After how many log objects in a list it is worth asking for those behind the merged ranges only.
const ENOUGH: u64 = 1_000;

/// A merged range as a list tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) hash: String,
    pub(crate) bytes: u64,
}

impl Range {
    /// What the name of an object tells, if it is a range's.
    pub(crate) fn of(keys: &SessionKeys, object: &Listed) -> Option<Self> {
        let (from, to, hash) = keys.range_of(&object.path)?;
        Some(Self { from, to, hash, bytes: object.bytes })
    }
}

/// A session's objects as listed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survey {
    /// The greatest number of a log object.
    pub(crate) last: Option<u64>,
    /// How many bytes the log objects have.
    pub(crate) bytes: u64,
    pub(crate) ranges: Vec<Range>,
    /// Whether ranges were believed that there are as many objects as they say.
    pub(crate) jumped: bool,
}

impl Survey {
    /// Lists a session's objects.
    ///
    /// # Errors
    /// *unavailable*, *permission*.
    pub(crate) async fn of(client: &Client, keys: &SessionKeys) -> Result<Self, Error> {
        Self::listed(client, keys, ENOUGH).await
    }

    /// Lists all of a session's objects, whatever ranges say.
    ///
    /// # Errors
    /// Those of [`of`](Self::of).
    pub(crate) async fn of_all(client: &Client, keys: &SessionKeys) -> Result<Self, Error> {
        Self::listed(client, keys, u64::MAX).await
    }

    async fn listed(client: &Client, keys: &SessionKeys, enough: u64) -> Result<Self, Error> {
        let mut survey = Self::default();
        let mut listed = client.list(&keys.folder(), None);
        let (mut logs, mut asked) = (0, false);
        while let Some(object) = listed.try_next().await? {
            let is_log = survey.take(keys, &object);
            logs += u64::from(is_log);
            if logs < enough || asked {
                continue;
            }
            asked = true;
            // Places that list in no order have shown any objects so far: what lies behind the
            // ranges is asked for, and what was seen counts as it is.
            if let Some((to, bytes)) = survey.covered().filter(|(to, _)| Some(*to) > survey.last) {
                (survey.last, survey.bytes, survey.jumped) = (Some(to), bytes, true);
                listed = client.list(&keys.folder(), Some(&keys.log(to)));
            }
        }
        Ok(survey)
    }

    fn take(&mut self, keys: &SessionKeys, object: &Listed) -> bool {
        if let Some(number) = keys.number_of(&object.path) {
            self.last = self.last.max(Some(number));
            self.bytes += object.bytes;
            return true;
        }
        if let Some(range) = Range::of(keys, object) {
            self.ranges.push(range);
        }
        false
    }

    /// Up to which number ranges hold the whole beginning of the log, and how many bytes those are.
    fn covered(&self) -> Option<(u64, u64)> {
        let mut end: Option<(u64, u64)> = None;
        loop {
            let next = end.map_or(0, |(to, _)| to + 1);
            let starting = self.ranges.iter().filter(|range| range.from == next);
            let Some(range) = starting.max_by_key(|range| range.to) else {
                return end;
            };
            end = Some((range.to, end.map_or(0, |(_, bytes)| bytes) + range.bytes));
        }
    }
}
