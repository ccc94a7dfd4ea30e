//! The handle, and what it tells without reading.

use std::fmt;
use std::sync::Arc;

use sessile_core::{Error, Position, SessionId, SessionKey, Space};

use crate::info::Info;
use crate::opened::Opened;
use crate::receipt::Receipt;
use crate::residency::Residency;
use crate::resident::Resident;
use crate::seat::{InUse, Seat};

/// One session, open.
///
/// A handle is cheap to clone and may be used from any number of tasks; the handles of a session in
/// one store share what they know. Other stores and other processes may change the session at any
/// time: a mutation is decided on what the journal says at that moment, and a read shows what stands
/// there then.
///
/// It holds little of the session: what is folded of it is in memory while there is
/// [room](crate::Options::residency), and read from the journal's end again where it is not.
///
/// A mutation that has its turn is carried through by itself. Dropping its future, or keeping it
/// without polling it, does not stop it; the next mutation of the handle waits for it.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use sessile_engine::{Append, From, NewSession, RawMessage, Store};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let store = Store::on(Arc::new(MemoryBackend::new()));
/// let session = store.create(NewSession::new().title("A greeting")).await?;
///
/// let done = session.append([json!({"role": "user", "content": "hi"})]).await?;
/// // Only if nobody else has added anything since.
/// let at = Append::at(done.position);
/// session.append_with(at, [json!({"role": "assistant", "content": "hello"})]).await?;
///
/// let messages = session.transcript::<RawMessage>(From::last(1)).await?.all().await?;
/// assert_eq!(messages[0].data.as_str(), r#"{"content":"hello","role":"assistant"}"#);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session {
    seat: Arc<Seat>,
}

impl Session {
    /// A handle that shares what it keeps with its clones only.
    pub(crate) fn new(resident: Resident) -> Self {
        Self::among(&Arc::new(Residency::new(1, usize::MAX)), resident)
    }

    /// A handle of a session of a store.
    pub(crate) fn among(residency: &Arc<Residency>, resident: Resident) -> Self {
        Self { seat: Arc::new(Seat::take(residency, resident)) }
    }

    /// A handle of another session of the same store.
    pub(crate) fn beside(&self, resident: Resident) -> Self {
        Self::among(self.seat.residency(), resident)
    }

    pub(crate) const fn seat(&self) -> &Arc<Seat> {
        &self.seat
    }

    /// Its fold, to look at.
    pub(crate) async fn at_hand(&self) -> Result<InUse, Error> {
        self.seat.at_hand().await
    }

    /// Its fold, to change it once everything is written that waits before that.
    pub(crate) async fn admit_change(&self) -> Result<InUse, Error> {
        if let Some(behind) = self.seat.residency().behind() {
            behind.drain(self.key()).await.map_err(|error| error.about(self.key()))?;
        }
        self.seat.admit().await
    }

    /// Its name.
    pub(crate) fn key(&self) -> &SessionKey {
        self.seat.key()
    }

    /// The store's backend and options.
    pub(crate) fn opened(&self) -> &Arc<Opened> {
        self.seat.opened()
    }

    /// Its id.
    pub fn id(&self) -> &SessionId {
        &self.key().id
    }

    /// The space it lies in.
    pub fn space(&self) -> &Space {
        &self.key().space
    }

    /// What is known of it, without looking again; [`refresh`](Self::refresh) does.
    pub fn info(&self) -> Info {
        self.seat.info()
    }

    /// Where its journal ends as far as is known, without looking again.
    pub fn position(&self) -> Position {
        self.seat.position()
    }

    /// What was found damaged or was set aside, on opening or since; none if all is well.
    pub fn receipt(&self) -> Option<Receipt> {
        self.seat.receipt()
    }

    /// Reads what others have added, and tells what is known then.
    ///
    /// # Errors
    /// *missing* or *deleted* when the session is gone, *unavailable*, *deadline*, *permission*.
    pub async fn refresh(&self) -> Result<Info, Error> {
        let resident = self.at_hand().await?;
        if !resident.is_fresh() {
            resident.catch_up().await?;
        }
        Ok(Info::of(&resident.folded()))
    }

    /// Waits until the journal is known to reach beyond a position, and tells how far: whichever
    /// handle of the store comes to know of it, by appending or by reading.
    ///
    /// What another process appends is known once somebody here has looked. Whoever looks at the
    /// session first and waits from the position that it had then misses nothing; to stop waiting,
    /// drop the future.
    pub async fn moved_past(&self, position: Position) -> Position {
        self.seat.moved_past(position).await
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", self.id())
            .field("space", self.space())
            .field("position", &self.position())
            .finish_non_exhaustive()
    }
}
