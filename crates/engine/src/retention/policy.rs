//! What is kept, and for how long.

use std::time::Duration;

use sessile_core::{Error, ErrorKind, UnixMillis};

use crate::listing::{Checked, Filter};

/// How long sessions are kept, and how many.
///
/// A session is removed where its last activity is older than a time *and* where it is none of the
/// last so many; whichever of the two is not given does not protect it, and where neither is given
/// all are kept. Active and closed sessions are treated alike unless the filter says otherwise:
/// most are never closed.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_engine::{NewSession, Store};
/// use std::time::Duration;
/// use sessile_engine::{Filter, Retention};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// for _ in 0..3 {
///     store.create(NewSession::new().project("shop")).await?.append(["hi"]).await?;
/// }
/// let last_one = Retention::new().keep_last(1).among(Filter::all().project("shop"));
/// assert_eq!(store.prune(&last_one, true).await?.removed().count(), 2);
/// // Both must allow it, and nothing is that old.
/// let old_ones = last_one.older_than(Duration::from_hours(30 * 24));
/// assert_eq!(store.prune(&old_ones, true).await?.removed().count(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a retention does nothing before it is given to a store"]
pub struct Retention {
    older_than: Option<Duration>,
    keep_last: Option<usize>,
    filter: Filter,
    even_held: bool,
    even_damaged: bool,
}

impl Retention {
    /// Keeps all.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps those to which a caller added something within this time.
    pub const fn older_than(mut self, age: Duration) -> Self {
        self.older_than = Some(age);
        self
    }

    /// Keeps the last so many of those that the filter lets through, by their last activity.
    pub const fn keep_last(mut self, count: usize) -> Self {
        self.keep_last = Some(count);
        self
    }

    /// Looks only at these.
    pub fn among(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Removes also sessions that a request holds; its owner is fenced by that.
    pub const fn even_held(mut self) -> Self {
        self.even_held = true;
        self
    }

    /// Removes also sessions of which something can't be read, as long as their header can.
    pub const fn even_damaged(mut self) -> Self {
        self.even_damaged = true;
        self
    }

    /// Checks that it says what it can only have been meant to say.
    ///
    /// # Errors
    /// *refused* for an age of nothing, for the last none without an age, and for a filter that
    /// asks for deleted sessions, or for damaged ones that are not to be removed; *invalid id*
    /// for a filter by what is no name.
    pub(super) fn check(&self, now: UnixMillis) -> Result<Rules, Error> {
        let refused = |clause: &'static str, hint: &'static str| {
            Err(Error::new(ErrorKind::Refused, clause).with_hint(hint))
        };
        if self.older_than.is_some_and(|age| age.is_zero()) {
            return refused("an age of nothing keeps nothing", "say how old is too old");
        }
        if self.keep_last == Some(0) && self.older_than.is_none() {
            return refused(
                "the last none are all",
                "keep at least one, or say how old is too old",
            );
        }
        if self.filter.asks_for_deleted() {
            return refused("deleted sessions are removed already", "purge them");
        }
        if self.filter.asks_for_damaged() && !self.even_damaged {
            return refused("damaged sessions are kept", "say that they are to be removed too");
        }
        let cutoff = self.older_than.map(|age| {
            let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
            UnixMillis(now.millis().saturating_sub(age))
        });
        Ok(Rules {
            cutoff,
            keep_last: self.keep_last,
            filter: self.filter.clone().check()?,
            even_held: self.even_held,
            even_damaged: self.even_damaged,
        })
    }
}

/// A retention that was checked, at one moment.
#[derive(Debug)]
pub(super) struct Rules {
    /// What was last added to before this is old.
    pub(super) cutoff: Option<UnixMillis>,
    pub(super) keep_last: Option<usize>,
    pub(super) filter: Checked,
    pub(super) even_held: bool,
    pub(super) even_damaged: bool,
}

impl Rules {
    /// Whether anything may be removed at all.
    pub(super) const fn is_off(&self) -> bool {
        self.cutoff.is_none() && self.keep_last.is_none()
    }

    /// Whether a session was last added to so recently that it is kept for that.
    pub(super) fn is_recent(&self, updated_at: UnixMillis) -> bool {
        self.cutoff.is_some_and(|cutoff| updated_at >= cutoff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retention_that_can_only_be_a_mistake_is_refused() {
        let now = UnixMillis(1_000);
        for wrong in [
            Retention::new().older_than(Duration::ZERO),
            Retention::new().keep_last(0),
            Retention::new().keep_last(1).among(Filter::all().deleted()),
            Retention::new().keep_last(1).among(Filter::all().damaged()),
        ] {
            let error = wrong.check(now).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused, "{wrong:?}");
            assert!(error.hint().is_some(), "{wrong:?}");
        }
        let damaged = Retention::new().keep_last(1).among(Filter::all().damaged()).even_damaged();
        assert!(damaged.check(now).is_ok());
    }

    #[test]
    fn an_age_counts_back_from_now_and_never_below_the_beginning_of_time() {
        let aged = |age| Retention::new().older_than(Duration::from_millis(age));
        let rules = aged(400).check(UnixMillis(1_000)).unwrap();
        assert!(rules.is_recent(UnixMillis(600)) && !rules.is_recent(UnixMillis(599)));
        for age in [1_000, 2_000, u64::MAX] {
            let rules = aged(age).check(UnixMillis(1_000)).unwrap();
            assert!(rules.is_recent(UnixMillis(0)), "{age}");
        }
        assert!(Retention::new().check(UnixMillis(1)).unwrap().is_off());
    }
}
