//! Reading.

use sessile_core::Error;

use super::handle::Session;
use crate::misfits::{self, Misfits, Reach};
use crate::reading::{self, Entries, From, FromMessage, RawMessage, Transcript, View, Window};

impl Session {
    /// Reads messages, from a beginning to the journal's present end.
    ///
    /// They are read piece by piece: memory holds one commit at a time. What is added meanwhile
    /// is for the next read, which begins with
    /// [`From::seq`] at this one's [`position`](Transcript::position).
    ///
    /// # Errors
    /// *refused* for the last 0; *corrupt* where damage hides the beginning; *missing*,
    /// *unavailable*, *deadline*, *permission*. Damage further on is an item of the stream.
    pub async fn transcript<T: FromMessage>(&self, from: From) -> Result<Transcript<T>, Error> {
        Transcript::begin(&*self.at_hand().await?, from).await
    }

    /// Reads the provisional messages: those that the active request has pushed and that no outcome
    /// has adopted yet. They have no ordinals, and are part of no transcript and no session's view.
    ///
    /// It tells of the session as it was when it was last looked at here. Behind a transcript that was
    /// begun right before, and while nothing else uses the session in this store, no message is shown
    /// twice and none is left out; where it had to be read anew in between, for want of room, what
    /// others did meanwhile shows.
    ///
    /// # Errors
    /// *corrupt* where damage lies among them; *missing*, *unavailable*, *deadline*, *permission*.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_core::entry::shape::Contract;
    /// # use sessile_engine::{From, NewSession, Store};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// let session = store.create(NewSession::new()).await?;
    /// let turn = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?.started()?;
    /// let pushed = turn.push("hello").await?;
    /// assert_eq!(session.pending().await?[0].seq, pushed.first);
    /// assert!(session.transcript::<String>(From::start()).await?.next().await.is_none());
    /// turn.commit("done").await?;
    /// assert!(session.pending().await?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn pending(&self) -> Result<Vec<RawMessage>, Error> {
        reading::pending(&*self.at_hand().await?).await
    }

    /// Takes the view: the last summary, the last messages, and how many stand between.
    ///
    /// What rewinds hide and what was forgotten is not part of it.
    ///
    /// # Errors
    /// *refused* for a window of no messages; *corrupt* where damage lies among those that are
    /// shown; *missing*, *unavailable*, *deadline*, *permission*.
    pub async fn view(&self, window: Window) -> Result<View, Error> {
        reading::view(&*self.at_hand().await?, window).await
    }

    /// Reads all entries, of whatever type, from a beginning to the journal's present end.
    ///
    /// # Errors
    /// Those of [`transcript`](Self::transcript).
    pub async fn entries(&self, from: From) -> Result<Entries, Error> {
        Entries::begin(&*self.at_hand().await?, from).await
    }

    /// Reads events, from a beginning to the journal's present end.
    ///
    /// # Errors
    /// Those of [`transcript`](Self::transcript).
    pub async fn events(&self, from: From) -> Result<Entries, Error> {
        Entries::events(&*self.at_hand().await?, from).await
    }

    /// Looks for what does not fit together among the messages in sight and the events: calls
    /// without a result, results without a call, second results, and parents that are nowhere.
    ///
    /// It is read piece by piece, and of what was read only digests of ids are kept. Nothing is
    /// refused for what it tells: a message is any JSON value.
    ///
    /// # Errors
    /// *missing*, *unavailable*, *deadline*, *permission*. Damage is none: what stands behind it
    /// is examined, and [`from`](Misfits::from) says so.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use serde_json::json;
    /// # use sessile_core::entry::shape::Dialect;
    /// # use sessile_engine::{NewSession, Reach, Store};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// let session = store.create(NewSession::new().dialect(Dialect::Openai)).await?;
    /// let call = json!({"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "ls"}}]});
    /// let done = session.append([call]).await?;
    /// let misfits = session.misfits(Reach::End).await?;
    /// assert!(misfits.whole);
    /// assert_eq!(misfits.open_calls.first[0].seq, done.first);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn misfits(&self, reach: Reach) -> Result<Misfits, Error> {
        misfits::misfits(&*self.at_hand().await?, reach).await
    }
}
