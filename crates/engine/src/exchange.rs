//! What a store exchanges with other programs' files and with other stores.

use std::sync::Arc;

use sessile_core::{Error, SessionId, SessionKey};
use sessile_interchange::ledger::Ledger;
use sessile_interchange::{ExportFormat, Source};

use crate::diagnosis::{self, Diagnosis};
use crate::search::{self, Hits, Query};
use crate::store::Store;
use crate::transfer::{self, Copied, Damage, Export, Imported, LedgerRow, Place};

impl Store {
    /// Takes over the sessions of another program's file: once, whole, and byte for byte.
    ///
    /// A source is recognised wherever its file lies, by its format and its own id, or without
    /// one by what was imported of it first. Importing it again adds nothing; of a file that has
    /// grown it adds what is new, unless somebody else has added messages since; an import that
    /// was cut short is completed. A session gets the source's id where that is an id and is
    /// free, else one that is derived from it. Lines above a limit are left out, and named.
    ///
    /// # Errors
    /// *conflict* when a known source does not begin any more with what was imported of it, or
    /// messages were added to a session that would grow; *exists* when no id is free; *closed*
    /// when a session would grow that is closed; *corrupt* when damage may hide what was
    /// imported. Nothing was changed then. Those of [`create`](Self::create) and
    /// [`Session::append`](crate::Session::append): what was added by then stays, and importing
    /// again goes on from there.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::Store;
    /// use sessile_interchange::{Format, parse};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// let file = b"{\"role\":\"user\",\"content\":\"hi\"}\n";
    /// let source = parse(Format::Jsonl, file.as_slice().into())?;
    /// assert_eq!(store.import(&source).await?[0].added, 1);
    /// assert_eq!(store.import(&source).await?[0].added, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn import(&self, source: &Source) -> Result<Vec<Imported>, Error> {
        transfer::import(self.opened(), self.space_name(), source, None).await
    }

    /// Takes over the sessions of another program's file under an id of the caller's, as sessions
    /// of their own, whether or not the source is known.
    ///
    /// The file's main session gets the id; its branches get ids that are derived from it.
    ///
    /// # Errors
    /// Those of [`import`](Self::import); *exists* when the id is something else's.
    pub async fn import_as(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
        source: &Source,
    ) -> Result<Vec<Imported>, Error> {
        let id = id.try_into().map_err(Into::into)?;
        transfer::import(self.opened(), self.space_name(), source, Some(&id)).await
    }

    /// Takes over the sessions of a ledger, each row once; answers what became of each that could
    /// be read, in order.
    ///
    /// A session gets the row's id where that is free, else one that is derived from it, and the
    /// row's owner, project and title; `docs/files-of-others.md` tells which entries the rest
    /// becomes. Importing again adds nothing, and completes what was cut short. A row whose session
    /// was imported as it stood otherwise is a conflict, and one whose session was deleted since
    /// stays so. The id of a tombstone is made that of a deleted session, so that nobody gets it.
    /// What can't be taken over spoils no other row.
    ///
    /// # Errors
    /// *unavailable*, *deadline*, *permission*: what was taken over by then stays, and importing
    /// again goes on from there. What is wrong with a row is with the row.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::{RowDone, Store};
    /// use sessile_interchange::ledger;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// let owner = "0a".repeat(32);
    /// let file = format!(
    ///     r#"{{"version":2,"sessions":[{{"session_id":"wc_sess_Zk9-_aB0Qq7xYw3P","created_at":1790000000,
    ///       "updated_at":1790000060,"owner_authority_fingerprint":"{owner}","mode":"normal",
    ///       "lifecycle":"active","events":[{{"event_id":"evt_1","kind":"x"}}],"events_observed":1,
    ///       "messages":[]}}]}}"#
    /// );
    /// let ledger = ledger::decode(&file.into())?;
    /// for added in [1, 0] {
    ///     let rows = store.import_ledger(&ledger).await?;
    ///     assert!(matches!(&rows[0].done, RowDone::Imported(row) if row.added == added));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn import_ledger(&self, ledger: &Ledger) -> Result<Vec<LedgerRow>, Error> {
        transfer::import_ledger(self.opened(), self.space_name(), ledger).await
    }

    /// Writes a session as a file, piece by piece; reads only.
    ///
    /// In the format of its own dialect the file is the concatenation of its messages and events,
    /// which is what an import of such a file has taken over. What a rewind has hidden, what a turn
    /// has not made stable yet and what was forgotten is no part of it.
    ///
    /// # Errors
    /// Those of [`open_session`](Self::open_session); *unsupported* for the format of another
    /// dialect: nothing is converted.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::{NewSession, Store};
    /// use sessile_interchange::ExportFormat;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// let session = store.create(NewSession::new()).await?;
    /// session.append([[("role", "user"), ("content", "hi")]]).await?;
    /// let mut export = store.export(session.id(), ExportFormat::Markdown).await?;
    /// let mut page = Vec::new();
    /// while let Some(piece) = export.next().await {
    ///     page.extend(piece?);
    /// }
    /// let page = String::from_utf8_lossy(&page);
    /// assert!(page.contains("hi"), "{page}");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn export(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
        format: impl Into<ExportFormat>,
    ) -> Result<Export, Error> {
        let resident = self.read(self.key(id)?).await?;
        Export::begin(&resident, format.into(), Damage::Ends).await
    }

    /// Writes what can be read of a session as a file: damage does not end it, and is told by
    /// [`Export::left_out`].
    ///
    /// # Errors
    /// Those of [`export`](Self::export).
    pub async fn export_readable(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
        format: impl Into<ExportFormat>,
    ) -> Result<Export, Error> {
        let resident = self.read(self.key(id)?).await?;
        Export::begin(&resident, format.into(), Damage::IsLeftOut).await
    }

    /// Copies a session to another store, under its own id: every entry with its number, commit id
    /// and token. The source is only read.
    ///
    /// Others see the copy grow there; it is whole when this answers. A copy that was cut short is
    /// completed by copying again, a source that has grown adds what it has more, and where nothing
    /// is missing nothing is added. At the end all of the target was compared with the source, byte
    /// for byte, and is durable there.
    ///
    /// # Errors
    /// *missing*, *deleted*; *corrupt* when anything of the source is damaged; *conflict* when the
    /// target has a session of that id that is no part of this one; *refused* above a limit of the
    /// target, or onto itself. The target is what it was then. *unavailable*, *deadline*,
    /// *permission*: it may hold a part of the session.
    pub async fn copy(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
        target: &Self,
    ) -> Result<Copied, Error> {
        let (source, target) = self.both_ends(id, target)?;
        transfer::copy(&source, &target).await
    }

    /// Copies a session to another store and deletes it here, once the target holds all of it.
    ///
    /// It is deleted only where it ended when the target was found to hold it: what others add
    /// meanwhile is copied first. Whoever has it open here learns from its next append. A move that
    /// was cut short is completed by moving again, wherever it was: also one that had deleted the
    /// session already, which is told by its journal until that is purged.
    ///
    /// # Errors
    /// Those of [`copy`](Self::copy) and [`delete`](Self::delete); *deleted* also where it was
    /// deleted by a move to somewhere else.
    pub async fn move_to(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
        target: &Self,
    ) -> Result<Copied, Error> {
        let (source, target) = self.both_ends(id, target)?;
        transfer::move_over(&source, &target).await
    }

    /// A session here, and where it is or will be in another store.
    fn both_ends(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
        target: &Self,
    ) -> Result<(Place, Place), Error> {
        let source = Place { opened: Arc::clone(self.opened()), key: self.key(id)? };
        let key = SessionKey { space: target.space_name().clone(), id: source.key.id.clone() };
        Ok((source, Place { opened: Arc::clone(target.opened()), key }))
    }

    /// Looks for a word in titles, and in transcripts if that is asked for; reads only.
    ///
    /// The cost is bounded by the query: so many sessions are listed, and so many bytes of
    /// transcripts read. Where that was not enough the answer says where to go on. What can't be
    /// read of a session is told, and does not end the search.
    ///
    /// # Errors
    /// *refused* for an empty word; those of [`list`](Self::list).
    pub async fn search(&self, query: Query) -> Result<Hits, Error> {
        search::search(self, query).await
    }

    /// Examines a session: what is wrong with it or waits for somebody, what follows from that,
    /// and what each remedy would do. It reads all of it, and writes nothing, anywhere.
    ///
    /// # Errors
    /// *missing*, *unavailable*, *deadline*, *permission*. Damage is what the answer is about.
    pub async fn examine(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<Diagnosis, Error> {
        let key = self.key(id)?;
        diagnosis::examine(self, key.id).await
    }
}
