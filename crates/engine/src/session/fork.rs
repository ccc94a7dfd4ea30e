//! Forking.

use sessile_core::{Error, Seq, SessionId, SessionKey};

use super::handle::Session;
use crate::fork;

impl Session {
    /// Copies the session up to an entry, itself included, or up to its end, under a minted id.
    ///
    /// The copy depends on nothing: what becomes of this session does not touch it. It is cut at
    /// the end of the commit that holds the entry. Entries keep their numbers and times, commit
    /// ids are recognised as here, and a closed session's copy is open again. What was redacted
    /// here by then is so there; what is redacted later is not. What can't be read is left out: the
    /// copy's [`Info::lost`](crate::Info::lost) says so, and reads that come across it are refused
    /// there as here.
    ///
    /// A mutation without a key of the caller's: if its answer is lost, the copy may be there, or
    /// part of it, without anybody knowing its id: that part is listed as incomplete, nobody can
    /// open it, and deleting drops it. Where that matters, use [`fork_as`](Self::fork_as). This session is not changed, so there is no position to expect.
    ///
    /// Metadata that was set again behind the entry is the fork's as it was there, but for what a
    /// [vacuum](crate::Store::vacuum) has dropped since: that is unset.
    ///
    /// # Errors
    /// *refused* for an entry that the journal has not; *forgotten* for one before what was;
    /// *deleted*, *unavailable*, *deadline*, *permission*.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::{From, NewSession, Store};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// # let session = store.create(NewSession::new()).await?;
    /// let asked = session.append(["a question"]).await?;
    /// session.append(["an answer"]).await?;
    /// let fork = session.fork(Some(asked.first)).await?;
    /// fork.append(["another answer"]).await?;
    /// let seen: Vec<String> = fork.transcript(From::start()).await?.all().await?;
    /// assert_eq!(seen, ["a question", "another answer"]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fork(&self, at: Option<Seq>) -> Result<Self, Error> {
        let id = self.opened().session_id()?;
        self.fork_as(id, at).await
    }

    /// Copies the session up to an entry under an id of the caller's.
    ///
    /// Safe to repeat where the entry is named: a copy that was cut short is completed, and one
    /// that is whole is opened as it is now.
    ///
    /// # Errors
    /// Those of [`fork`](Self::fork); *exists* when the id is another session's, *deleted* when
    /// it was one: an id is never used twice; *incomplete* when what is there of the copy was
    /// damaged, or a repair has used up the numbers of what is missing.
    pub async fn fork_as(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
        at: Option<Seq>,
    ) -> Result<Self, Error> {
        let id = id.try_into().map_err(Into::into)?;
        let key = SessionKey { space: self.space().clone(), id };
        let source = self.at_hand().await?;
        Ok(self.beside(fork::fork(&source, key, at).await?))
    }
}
