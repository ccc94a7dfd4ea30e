//! What a session must not do: a mode, and guards that only tighten within it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sessile_core::{Error, Payload};

use crate::problem::Problem;

/// The most characters that the name of a guard or of a mode may have.
const MOST_CHARS: usize = 64;

/// The key of the metadata under which a session's guards stand.
pub(crate) const KEY: &str = "workflow.guards";

/// What a session must not do.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Options, Workflow};
/// use sessile_workflow::Guards;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// let begin = Begin::new().mode("read_only").deny("network");
/// let guards: Guards = workflow.begin(begin).await?.summary.guards;
/// // A tool that needs several is told the first that is in its way, in its own order.
/// assert_eq!(guards.denies(["look", "network", "shell"]), Some("network"));
/// assert_eq!(guards.denies(["look"]), None);
/// // The mode's own are among them.
/// assert!(guards.deny.contains("write") && guards.deny.contains("shell"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guards {
    /// Its mode.
    pub mode: String,
    /// What is denied, each by the name of its guard.
    pub deny: BTreeSet<String>,
}

impl Guards {
    /// The first of these that is denied, in their order; none where all are allowed.
    pub fn denies<'a>(&self, asked: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        asked.into_iter().find(|guard| self.deny.contains(*guard))
    }
}

/// The modes that there are, and which guards can't be lifted without a verified scope.
///
/// `normal` denies what is asked to be denied; `read_only` always denies `write` and `shell`.
/// To lift `write` takes a verified scope.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_workflow::{Begin, Modes, Options, Problem, Workflow};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let mut options = Options::default();
/// options.modes = Modes::default().mode("offline", ["network"]).fenced("network");
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// let id = workflow.begin(Begin::new().mode("offline")).await?.summary.id;
///
/// // Whoever lifts what is fenced says that the scope for it was verified.
/// let online = || Begin::new().resume(id.as_str()).mode("normal");
/// let refused = workflow.begin(online()).await.unwrap_err();
/// assert_eq!(Problem::of(&refused), Some(&Problem::ScopeRequired("network".to_owned())));
/// let begun = workflow.begin(online().scope_verified()).await?;
/// assert!(begun.summary.guards.deny.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modes {
    /// What each denies whatever was asked for.
    always: BTreeMap<String, BTreeSet<String>>,
    first: String,
    fenced: BTreeSet<String>,
}

impl Default for Modes {
    fn default() -> Self {
        let none: [&str; 0] = [];
        let modes = Self {
            always: BTreeMap::new(),
            first: "normal".to_owned(),
            fenced: none.map(str::to_owned).into(),
        };
        modes.mode("normal", none).mode("read_only", ["write", "shell"]).fenced("write")
    }
}

impl Modes {
    /// Adds a mode that always denies these, or replaces it.
    #[must_use]
    pub fn mode<'a>(
        mut self,
        name: impl Into<String>,
        denies: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let denies = denies.into_iter().map(str::to_owned).collect();
        self.always.insert(name.into(), denies);
        self
    }

    /// Lets a guard be lifted only with a verified scope.
    #[must_use]
    pub fn fenced(mut self, guard: impl Into<String>) -> Self {
        self.fenced.insert(guard.into());
        self
    }

    /// Takes this mode where none is asked for and none is stored; `normal` unless said.
    #[must_use]
    pub fn first(mut self, name: impl Into<String>) -> Self {
        self.first = name.into();
        self
    }

    /// The guards of a new session.
    ///
    /// # Errors
    /// *refused* for a mode that there is not, and for what is no name of a guard.
    pub(crate) fn begun(&self, asked: &Asked) -> Result<Guards, Error> {
        self.effective(asked.mode.as_deref().unwrap_or(&self.first), &asked.deny)
    }

    /// The guards of a session that is continued: within its mode they only tighten, and another
    /// mode replaces them.
    ///
    /// # Errors
    /// Those of [`begun`](Self::begun); *permission* for a fenced guard that would be lifted.
    pub(crate) fn continued(&self, stored: &Guards, asked: &Asked) -> Result<Guards, Error> {
        let mode = asked.mode.as_deref().unwrap_or(&stored.mode);
        if mode == stored.mode {
            // A mode that this program does not know stays as it is stored.
            let known = self.always.get(mode).cloned().unwrap_or_default();
            let mut deny = checked(&asked.deny)?.clone();
            deny.extend(known);
            deny.extend(stored.deny.iter().cloned());
            return Ok(Guards { mode: mode.to_owned(), deny });
        }
        let guards = self.effective(mode, &asked.deny)?;
        let lifted = stored.deny.difference(&guards.deny).find(|it| self.fenced.contains(*it));
        match lifted {
            Some(lifted) if !asked.scope_verified => {
                Err(Problem::ScopeRequired(lifted.clone()).error())
            }
            _ => Ok(guards),
        }
    }

    fn effective(&self, mode: &str, asked: &BTreeSet<String>) -> Result<Guards, Error> {
        let always = self.always.get(mode).ok_or_else(|| Problem::UnknownMode.error())?;
        let deny = checked(asked)?.union(always).cloned().collect();
        Ok(Guards { mode: mode.to_owned(), deny })
    }

    /// The guards that a session's metadata names; those of a session without any are none.
    ///
    /// # Errors
    /// *corrupt* for what can't be read: nothing is known to be allowed then.
    pub(crate) fn stored(&self, value: Option<&Payload>) -> Result<Guards, Error> {
        match value {
            None => Ok(Guards { mode: self.first.clone(), deny: BTreeSet::new() }),
            Some(value) => value.decode().map_err(|_| Problem::UnreadableGuards.error()),
        }
    }
}

/// What a caller asks of the guards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The mode; as it is, if none.
    pub(crate) mode: Option<String>,
    /// What is to be denied.
    pub(crate) deny: BTreeSet<String>,
    /// Whether whoever asks may lift what is fenced.
    pub(crate) scope_verified: bool,
}

fn checked(guards: &BTreeSet<String>) -> Result<&BTreeSet<String>, Error> {
    let is_name = |name: &String| !name.is_empty() && name.chars().count() <= MOST_CHARS;
    if guards.iter().all(is_name) { Ok(guards) } else { Err(Problem::InvalidGuard.error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(mode: Option<&str>, deny: &[&str]) -> Asked {
        Asked {
            mode: mode.map(str::to_owned),
            deny: deny.iter().map(|it| (*it).to_owned()).collect(),
            scope_verified: false,
        }
    }

    fn guards(mode: &str, deny: &[&str]) -> Guards {
        Guards { mode: mode.to_owned(), deny: asked(None, deny).deny }
    }

    #[test]
    fn a_mode_denies_whatever_was_asked_for() {
        let modes = Modes::default();
        for (mode, deny, left) in [
            (None, &[][..], guards("normal", &[])),
            (Some("normal"), &["x"], guards("normal", &["x"])),
            (Some("read_only"), &[], guards("read_only", &["write", "shell"])),
            (Some("read_only"), &["x"], guards("read_only", &["write", "shell", "x"])),
        ] {
            assert_eq!(modes.begun(&asked(mode, deny)).unwrap(), left);
        }
        let problem = |asked| Problem::of(&modes.begun(&asked).unwrap_err()).cloned();
        assert_eq!(problem(asked(Some("free"), &[])), Some(Problem::UnknownMode));
        assert_eq!(problem(asked(None, &[""])), Some(Problem::InvalidGuard));
        assert_eq!(problem(asked(None, &[&"x".repeat(65)])), Some(Problem::InvalidGuard));
    }

    #[test]
    fn within_a_mode_guards_only_tighten() {
        let modes = Modes::default();
        let stored = guards("normal", &["write"]);
        for mode in [None, Some("normal")] {
            let next = modes.continued(&stored, &asked(mode, &["shell"])).unwrap();
            assert_eq!(next, guards("normal", &["write", "shell"]));
            assert_eq!(modes.continued(&stored, &asked(mode, &[])).unwrap(), stored);
        }
        // Also in a mode that only a later program knows.
        let later = guards("later", &["y"]);
        assert_eq!(modes.continued(&later, &asked(None, &["x"])).unwrap().deny.len(), 2);
    }

    #[test]
    fn another_mode_replaces_them_and_lifts_what_is_fenced_with_a_verified_scope_only() {
        let modes = Modes::default();
        let stored = modes.begun(&asked(Some("read_only"), &[])).unwrap();
        let free = asked(Some("normal"), &[]);
        let error = modes.continued(&stored, &free).unwrap_err();
        assert_eq!(Problem::of(&error), Some(&Problem::ScopeRequired("write".to_owned())));
        let verified = Asked { scope_verified: true, ..free };
        assert_eq!(modes.continued(&stored, &verified).unwrap(), guards("normal", &[]));
        // `shell` has no such fence.
        let kept = asked(Some("normal"), &["write"]);
        assert_eq!(modes.continued(&stored, &kept).unwrap(), guards("normal", &["write"]));
    }

    #[test]
    fn what_is_stored_and_unreadable_allows_nothing() {
        let modes = Modes::default();
        let stored = |json: &str| modes.stored(Some(&Payload::parse(json.to_owned()).unwrap()));
        assert_eq!(modes.stored(None).unwrap(), guards("normal", &[]));
        assert_eq!(stored(r#"{"mode":"m","deny":["a"]}"#).unwrap(), guards("m", &["a"]));
        for bad in ["[]", r#"{"mode":"m"}"#, "1"] {
            let error = stored(bad).unwrap_err();
            assert_eq!(Problem::of(&error), Some(&Problem::UnreadableGuards));
        }
    }

    #[test]
    fn the_first_that_is_denied_is_named_in_the_order_of_asking() {
        let both = guards("read_only", &["write", "shell"]);
        assert_eq!(both.denies(["shell", "write"]), Some("shell"));
        assert_eq!(both.denies(["network"]), None);
    }
}
