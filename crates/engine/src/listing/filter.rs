//! Which sessions are listed.

use sessile_core::backend::Scope;
use sessile_core::digest::Digest;
use sessile_core::fold::Lifecycle;
use sessile_core::{Error, Name, SessionId};

/// Which sessions a listing shows: those that meet every condition; all but deleted ones unless
/// asked otherwise.
///
/// A session whose header can't be read meets no condition on what the header says. Without such
/// a condition it is shown, as damaged.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_engine::{NewSession, Page, Store};
/// use sessile_engine::Filter;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let [shop, bank] = ["shop", "bank"].map(|project| NewSession::new().project(project));
/// let kept = store.create(shop.tags(["urgent"])).await?;
/// store.create(bank.tags(["urgent"])).await?;
///
/// let filter = Filter::all().project("shop").tag("urgent").active();
/// let found = store.list(filter.clone(), Page::of(10)).await?.sessions;
/// assert_eq!(found.iter().map(|row| &row.id).collect::<Vec<_>>(), [kept.id()]);
/// // All conditions hold of what is shown.
/// kept.close().await?;
/// assert!(store.list(filter, Page::of(10)).await?.sessions.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a filter does nothing before it is given to a listing"]
pub struct Filter {
    project: Option<String>,
    owner: Option<Digest>,
    parent: Option<String>,
    tag: Option<String>,
    states: States,
}

/// Which states are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum States {
    /// All but deleted sessions.
    #[default]
    Living,
    /// Sessions in one state of life.
    Only(Lifecycle),
    /// Sessions of which something can't be read.
    Damaged,
}

impl Filter {
    /// Every session but deleted ones.
    pub fn all() -> Self {
        Self::default()
    }

    /// Those of a project.
    pub fn project(mut self, name: impl Into<String>) -> Self {
        self.project = Some(name.into());
        self
    }

    /// Those whose owner has a label.
    pub fn owner(self, label: impl AsRef<[u8]>) -> Self {
        self.owner_fingerprint(Digest::of(label.as_ref()))
    }

    /// Those whose owner has a fingerprint.
    pub const fn owner_fingerprint(mut self, fingerprint: Digest) -> Self {
        self.owner = Some(fingerprint);
        self
    }

    /// Those that a session has started.
    pub fn parent(mut self, id: impl Into<String>) -> Self {
        self.parent = Some(id.into());
        self
    }

    /// Those that have a tag.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = Some(tag.into());
        self
    }

    /// Active ones only.
    pub const fn active(mut self) -> Self {
        self.states = States::Only(Lifecycle::Active);
        self
    }

    /// Closed ones only.
    pub const fn closed(mut self) -> Self {
        self.states = States::Only(Lifecycle::Closed);
        self
    }

    /// Deleted ones only.
    pub const fn deleted(mut self) -> Self {
        self.states = States::Only(Lifecycle::Deleted);
        self
    }

    /// Damaged ones only, in whatever state of life they are.
    pub const fn damaged(mut self) -> Self {
        self.states = States::Damaged;
        self
    }

    /// Whether it shows deleted sessions only.
    pub(crate) fn asks_for_deleted(&self) -> bool {
        self.states == States::Only(Lifecycle::Deleted)
    }

    /// Whether it shows damaged sessions only.
    pub(crate) fn asks_for_damaged(&self) -> bool {
        self.states == States::Damaged
    }

    /// Checks the names: one that nothing can have is a mistake, not an empty list.
    pub(crate) fn check(self) -> Result<Checked, Error> {
        let scope = Scope {
            project: self.project.map(Name::try_from).transpose()?,
            owner: self.owner,
            parent: self.parent.map(SessionId::try_from).transpose()?,
        };
        Ok(Checked { scope, tag: self.tag, states: self.states })
    }
}

/// A filter whose names are names.
#[derive(Debug)]
pub(crate) struct Checked {
    scope: Scope,
    tag: Option<String>,
    states: States,
}

impl Checked {
    /// Which journals a backend is asked for.
    pub(crate) const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Whether a session of the scope may be shown, by whether it is deleted.
    pub(crate) fn takes_deleted(&self, deleted: bool) -> bool {
        match self.states {
            States::Living => !deleted,
            States::Only(lifecycle) => (lifecycle == Lifecycle::Deleted) == deleted,
            States::Damaged => true,
        }
    }

    /// Whether a session is shown of which nothing can be read.
    pub(super) fn takes_unreadable(&self) -> bool {
        let says_nothing = self.scope.is_empty() && self.tag.is_none();
        says_nothing && matches!(self.states, States::Living | States::Damaged)
    }

    /// Whether a session is shown, by what its fold tells.
    pub(crate) fn takes(&self, lifecycle: Lifecycle, damaged: bool, tags: &[String]) -> bool {
        let of_state = match self.states {
            States::Living => lifecycle != Lifecycle::Deleted,
            States::Only(asked) => lifecycle == asked,
            States::Damaged => damaged,
        };
        of_state && self.tag.as_ref().is_none_or(|tag| tags.contains(tag))
    }
}
