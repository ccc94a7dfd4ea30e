//! Changing metadata.

use std::collections::BTreeMap;

use serde::Serialize;
use sessile_core::{EntryType, Error, NewEntry, Payload};

use super::handle::Session;
use crate::append::{Append, Committed};
use crate::identity;

impl Session {
    /// Sets metadata, key by key; `null` removes a key, and keys that are not named stay.
    ///
    /// `title`, `model`, `cwd` and `tags` are read by this program, `accepted-identity` is set by
    /// [`accept`](Self::accept) only, and every other key is yours. It
    /// needs no expected position: changes of different keys do not touch one another, and of the
    /// same key the last one counts. Repeating it changes nothing more.
    ///
    /// # Errors
    /// *refused* for a value without JSON form or above a limit, and for `accepted-identity`; *deleted*, *unavailable*,
    /// *deadline*, *permission*. Closed sessions take it.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use serde_json::json;
    /// # use sessile_engine::{NewSession, Store};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// # let session = store.create(NewSession::new()).await?;
    /// session.set_meta([("tags", json!(["urgent"])), ("priority", json!(1))]).await?;
    /// session.set_meta([("priority", json!(null))]).await?;
    /// assert_eq!(session.info().tags(), ["urgent"]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn set_meta<K: Into<String>, V: Serialize>(
        &self,
        changes: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Committed, Error> {
        self.set_meta_with(Append::at_end(), changes).await
    }

    /// Sets metadata where, and under which commit id, the caller says.
    ///
    /// # Errors
    /// Those of [`set_meta`](Self::set_meta); *conflict* as for
    /// [`append_with`](Self::append_with).
    pub async fn set_meta_with<K: Into<String>, V: Serialize>(
        &self,
        append: Append,
        changes: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Committed, Error> {
        let change = |(key, value): (K, V)| Ok((key.into(), Payload::of(&value)?));
        let changes: Result<BTreeMap<String, Payload>, Error> =
            changes.into_iter().map(change).collect();
        let changes = changes?;
        identity::refuse_by_hand(changes.keys())?;
        let data = Payload::of(&changes)?;
        let at = self.opened().now();
        let entry = NewEntry::new(at, EntryType::Meta, data);
        self.commit(append, vec![entry]).await
    }

    /// Sets the title.
    ///
    /// It needs no expected position: the last title counts, and setting it twice is setting it
    /// once.
    ///
    /// # Errors
    /// Those of [`set_meta`](Self::set_meta).
    pub async fn set_title(&self, title: impl AsRef<str>) -> Result<Committed, Error> {
        self.set_meta([("title", title.as_ref())]).await
    }

    /// Says that the session is in use, and nothing else: it moves to the top of listings.
    ///
    /// It needs neither an expected position nor a commit id: it changes nothing but when it was
    /// last used, and doing it again is saying it again.
    ///
    /// # Errors
    /// Those of [`set_meta`](Self::set_meta).
    pub async fn touch(&self) -> Result<Committed, Error> {
        self.set_meta::<&str, ()>([]).await
    }
}
