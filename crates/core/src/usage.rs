//! What a request has used, counted by its host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How much was used of what: tokens, calls, money, whatever a host counts.
///
/// A component that is not named is 0, so that two usages are equal if they name the same amounts.
///
/// # Examples
/// ```
/// use sessile_core::Usage;
///
/// let before = Usage::new().with("tokens", 8).with("calls", 1);
/// let after = Usage::new().with("tokens", 5).with("calls", 3);
/// let floor = before.max(&after);
/// assert_eq!((floor.of("tokens"), floor.of("calls"), floor.of("other")), (8, 3, 0));
/// assert!(floor.is_at_least(&before) && !before.is_at_least(&after));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, u64>", into = "BTreeMap<String, u64>")]
pub struct Usage(BTreeMap<String, u64>);

impl Usage {
    /// Nothing was used.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// The same usage with another amount of one component.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, amount: u64) -> Self {
        self.insert(name.into(), amount);
        self
    }

    /// Sets the amount of one component.
    fn insert(&mut self, name: String, amount: u64) {
        if amount == 0 {
            self.0.remove(&name);
        } else {
            self.0.insert(name, amount);
        }
    }

    /// How much was used of one component.
    pub fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// The components of which anything was used, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, amount)| (name.as_str(), *amount))
    }

    /// Whether nothing was used.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The greater amount of each component; never the sum.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        let mut greatest = self.clone();
        for (name, amount) in &other.0 {
            let mine = greatest.0.entry(name.clone()).or_insert(0);
            *mine = (*mine).max(*amount);
        }
        greatest
    }

    /// Whether no component is below another usage's.
    pub fn is_at_least(&self, other: &Self) -> bool {
        self.first_below(other).is_none()
    }

    /// The first component, by name, that is below another usage's.
    pub fn first_below<'a>(&self, other: &'a Self) -> Option<&'a str> {
        other.iter().find(|(name, amount)| self.of(name) < *amount).map(|(name, _)| name)
    }

    /// The first component, by name, that differs from another usage's.
    pub fn first_difference<'a>(&'a self, other: &'a Self) -> Option<&'a str> {
        let names = self.0.keys().chain(other.0.keys());
        names.map(String::as_str).filter(|name| self.of(name) != other.of(name)).min()
    }
}

impl From<BTreeMap<String, u64>> for Usage {
    fn from(amounts: BTreeMap<String, u64>) -> Self {
        amounts.into_iter().collect()
    }
}

impl From<Usage> for BTreeMap<String, u64> {
    fn from(usage: Usage) -> Self {
        usage.0
    }
}

impl<N: Into<String>> FromIterator<(N, u64)> for Usage {
    fn from_iter<I: IntoIterator<Item = (N, u64)>>(amounts: I) -> Self {
        let mut usage = Self::new();
        amounts.into_iter().for_each(|(name, amount)| usage.insert(name.into(), amount));
        usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn usage(text: &str) -> Usage {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn of_two_usages_the_greater_amount_of_each_component_counts() {
        let (one, other) = (usage(r#"{"a":8,"b":1}"#), usage(r#"{"a":5,"b":3}"#));
        assert_eq!(one.max(&other), usage(r#"{"a":8,"b":3}"#));
        assert_eq!(one.max(&Usage::new()), one);
    }

    #[test]
    fn what_is_not_named_is_nothing() {
        assert_eq!(usage(r#"{"a":0}"#), Usage::new());
        assert_eq!(serde_json::to_string(&usage(r#"{"b":0,"a":1}"#)).unwrap(), r#"{"a":1}"#);
        assert_eq!(usage(r#"{"a":1}"#).first_difference(&usage(r#"{"c":1}"#)), Some("a"));
        assert_eq!(usage(r#"{"a":1}"#).first_below(&usage(r#"{"a":1,"c":1}"#)), Some("c"));
        assert_eq!(usage("{}").first_difference(&usage(r#"{"c":0}"#)), None);
    }

    proptest! {
        #[test]
        fn the_greatest_is_at_least_each_and_no_more_than_it_takes(
            one in prop::collection::btree_map("[a-d]", 0_u64..4, 0..4),
            other in prop::collection::btree_map("[a-d]", 0_u64..4, 0..4),
        ) {
            let (one, other) = (Usage::from(one), Usage::from(other));
            let greatest = one.max(&other);
            prop_assert!(greatest.is_at_least(&one) && greatest.is_at_least(&other));
            prop_assert_eq!(&greatest, &other.max(&one));
            for (name, amount) in greatest.iter() {
                prop_assert!(one.of(name) == amount || other.of(name) == amount);
            }
            prop_assert_eq!(one == other, one.first_difference(&other).is_none());
        }
    }
}
