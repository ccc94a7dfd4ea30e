//! What a list of a session's objects tells: candidates, which only their bytes prove.

use futures_util::TryStreamExt as _;
use sessile_core::Error;

use crate::client::{Client, Listed};
use crate::keys::SessionKeys;

/// After how many names in a list, which is a request's worth, it is worth asking for those behind
/// the merged ranges only.
const ENOUGH: u64 = 1_000;

/// How many bytes a log object has that holds nothing of the journal.
const NOTICE_BYTES: u64 = 1;

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
    /// The number of the last but one that is longer than a notice.
    pub(crate) before: Option<u64>,
    /// The number of the last one that is.
    longer: Option<u64>,
    /// How many bytes the log objects have.
    pub(crate) bytes: u64,
    pub(crate) ranges: Vec<Range>,
    /// Whether ranges were believed that there are as many objects as they say, and no more were
    /// listed.
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

    /// Lists the log objects behind a number, to be added to what is known up to it.
    ///
    /// # Errors
    /// Those of [`of`](Self::of).
    pub(crate) async fn behind(
        client: &Client,
        keys: &SessionKeys,
        number: u64,
    ) -> Result<Self, Error> {
        let mut survey = Self::default();
        let mut listed = client.list(&keys.folder(), Some(&keys.log(number)));
        while let Some(object) = listed.try_next().await? {
            survey.take(keys, &object);
        }
        Ok(survey)
    }

    /// Adds what stands behind it.
    pub(crate) fn go_on(&mut self, behind: &Self) {
        self.last = self.last.max(behind.last);
        self.take_longer(behind.before);
        self.take_longer(behind.longer);
        self.bytes += behind.bytes;
        self.jumped = false;
    }

    async fn listed(client: &Client, keys: &SessionKeys, enough: u64) -> Result<Self, Error> {
        let mut survey = Self::default();
        let mut listed = client.list(&keys.folder(), None);
        let (mut names, mut asked) = (0_u64, false);
        while let Some(object) = listed.try_next().await? {
            survey.take(keys, &object);
            names += 1;
            // Ranges sort before the log. Places that list in no order have shown any objects so
            // far: what was seen counts as it is.
            if asked || names < enough || survey.last.is_none() {
                continue;
            }
            asked = true;
            if let Some((to, bytes)) = survey.covered().filter(|(to, _)| Some(*to) > survey.last) {
                (survey.last, survey.bytes, survey.jumped) = (Some(to), bytes, true);
                (survey.before, survey.longer) = (None, None);
                break;
            }
        }
        Ok(survey)
    }

    fn take(&mut self, keys: &SessionKeys, object: &Listed) {
        if let Some(number) = keys.number_of(&object.path) {
            self.last = self.last.max(Some(number));
            self.bytes += object.bytes;
            if object.bytes > NOTICE_BYTES {
                self.take_longer(Some(number));
            }
        } else if let Some(range) = Range::of(keys, object) {
            self.ranges.push(range);
        }
    }

    fn take_longer(&mut self, number: Option<u64>) {
        self.before = self.before.max(self.longer.min(number));
        self.longer = self.longer.max(number);
    }

    /// Up to which number ranges hold the whole beginning of the log, and how many bytes those are.
    fn covered(&self) -> Option<(u64, u64)> {
        let mut end: Option<(u64, u64)> = None;
        loop {
            let next = end.map_or(0, |(to, _)| to + 1);
            let starting = self.ranges.iter().filter(|range| range.from == next);
            // Each object has a byte at least.
            let starting = starting.filter(|range| range.to - range.from < range.bytes);
            let Some(range) = starting.max_by_key(|range| range.to) else {
                return end;
            };
            end = Some((range.to, end.map_or(0, |(_, bytes)| bytes) + range.bytes));
        }
    }
}
