//! What is erased, and the word that it is meant.

use sessile_core::backend::Seen;
use sessile_core::digest::Digest;
use sessile_core::{Error, ErrorKind, Name, Space, header};

/// Whose sessions are erased.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Erasure, NewSession, Scope};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// store.create_as("ses_42", NewSession::new().owner("ann")).await?;
/// store.create_as("ses_43", NewSession::new().owner("bob")).await?;
/// let erasure = Erasure::of(Scope::owner("ann"));
/// assert_eq!(store.erase(&erasure, true).await?.sessions[0].as_str(), "ses_42");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those in the store's space whose owner has this fingerprint.
    Owner(Digest),
    /// All in the store's space.
    Space,
}

impl Scope {
    /// Those of the owner with a label.
    pub fn owner(label: impl AsRef<[u8]>) -> Self {
        Self::Owner(Digest::of(label.as_ref()))
    }

    /// Whether a session is one of them.
    ///
    /// # Errors
    /// Why its header can't be read.
    pub(super) fn takes(&self, seen: &Seen) -> Result<bool, Error> {
        let owner = match seen {
            Seen::Head(head) => header::read(&head.header)?.owner,
            Seen::Gist(gist) => gist.owner,
        };
        Ok(match self {
            Self::Owner(asked) => owner.as_ref() == Some(asked),
            Self::Space => true,
        })
    }
}

/// What is erased, with the confirmation that it is meant.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_engine::{NewSession, Store};
/// use sessile_core::ErrorKind;
/// use sessile_engine::{Erasure, Scope};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// let id = store.create(NewSession::new().owner("alice")).await?.id().clone();
/// let erasure = Erasure::of(Scope::owner("alice"));
/// // Nothing of it can be brought back: whoever means it says whose it is once more.
/// let unsure = store.erase(&erasure, false).await.unwrap_err();
/// assert_eq!(unsure.kind(), ErrorKind::Refused);
/// let erased = store.erase(&erasure.confirmed_by("alice"), false).await?;
/// assert_eq!((erased.sessions, erased.left.len()), (vec![id], 0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "an erasure does nothing before it is given to a store"]
pub struct Erasure {
    scope: Scope,
    confirmation: Option<String>,
    collections: Vec<Name>,
}

impl Erasure {
    /// Erases these.
    pub const fn of(scope: Scope) -> Self {
        Self { scope, confirmation: None, collections: Vec::new() }
    }

    /// Confirms it: by the owner's label or fingerprint, or by the space's name.
    pub fn confirmed_by(mut self, word: impl Into<String>) -> Self {
        self.confirmation = Some(word.into());
        self
    }

    /// Erases with a whole space the documents of these collections too. Documents that name a
    /// session go with it in any case; which other collections there are only those know who put
    /// something there.
    pub fn collections(mut self, names: impl IntoIterator<Item = Name>) -> Self {
        self.collections.extend(names);
        self
    }

    pub(super) const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The collections that are emptied.
    pub(super) fn emptied(&self) -> &[Name] {
        match self.scope {
            Scope::Owner(_) => &[],
            Scope::Space => &self.collections,
        }
    }

    /// Refuses it where it is not confirmed.
    ///
    /// # Errors
    /// *refused* without the right word; the word is not echoed.
    pub(super) fn check(&self, space: &Space) -> Result<(), Error> {
        let word = self.confirmation.as_deref();
        let is_confirmed = match &self.scope {
            Scope::Owner(owner) => word.is_some_and(|word| {
                Digest::of(word.as_bytes()) == *owner || word == owner.to_string()
            }),
            Scope::Space => word == Some(space.as_str()),
        };
        if is_confirmed {
            return Ok(());
        }
        let hint = match self.scope {
            Scope::Owner(_) => "confirm it by the owner's label or fingerprint",
            Scope::Space => "confirm it by the name of the space",
        };
        Err(Error::new(ErrorKind::Refused, "erasing is not confirmed").with_hint(hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_word_confirms() {
        let space: Space = "tenant-7".parse().unwrap();
        let owner = Digest::of(b"alice").to_string();
        let confirmed = |scope: &Scope, word: &str| {
            Erasure::of(scope.clone()).confirmed_by(word).check(&space).is_ok()
        };
        let (alice, all) = (Scope::owner("alice"), Scope::Space);
        assert!(confirmed(&alice, "alice") && confirmed(&alice, &owner));
        assert!(confirmed(&all, "tenant-7"));
        for word in ["", "Alice", "alice ", "tenant-7", "yes"] {
            assert!(!confirmed(&alice, word), "{word}");
        }
        for word in ["", "default", "tenant", "alice"] {
            assert!(!confirmed(&all, word), "{word}");
        }
        assert_eq!(Erasure::of(all).check(&space).unwrap_err().kind(), ErrorKind::Refused);
    }
}
