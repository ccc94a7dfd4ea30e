//! What a look at a place found, before anything relies on it.

use serde::Serialize;

/// What a probe of a place found.
///
/// # Examples
/// ```
/// use sessile_core::probe::{Finding, Probe};
///
/// let probe = Probe::of([Finding::new("writing", Err("the disk is full".to_owned()))]);
/// assert!(!probe.ok);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Probe {
    /// Whether the place does all that is needed.
    pub ok: bool,
    /// What was looked at, in order.
    pub findings: Vec<Finding>,
}

/// One thing that a probe looked at.
///
/// # Examples
/// ```
/// use sessile_core::probe::Finding;
///
/// let finding = Finding::new("locks", Ok("one holder at a time".to_owned()));
/// assert!(finding.ok);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// What was looked at, in a few words.
    pub name: &'static str,
    /// Whether the place does what is needed.
    pub ok: bool,
    /// What it did.
    pub detail: String,
}

impl Probe {
    /// A probe that found this; the place is good if all of it is.
    pub fn of(findings: impl IntoIterator<Item = Finding>) -> Self {
        let findings: Vec<Finding> = findings.into_iter().collect();
        Self { ok: findings.iter().all(|finding| finding.ok), findings }
    }
}

impl Finding {
    /// What a place did, where that is good; or else what it did instead.
    pub fn new(name: &'static str, looked: Result<String, String>) -> Self {
        let ok = looked.is_ok();
        Self { name, ok, detail: looked.unwrap_or_else(|instead| instead) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_good_if_all_that_was_found_is() {
        let good = Finding::new("a", Ok("does it".into()));
        let bad = Finding::new("b", Err("does not".into()));
        assert!((good.ok, bad.ok) == (true, false));
        assert!(Probe::of([good.clone()]).ok);
        let probe = Probe::of([good, bad]);
        assert!(!probe.ok);
        assert_eq!(probe.findings[1].detail, "does not");
    }
}
