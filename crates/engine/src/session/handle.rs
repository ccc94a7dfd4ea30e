//! The handle, and what it tells without reading.

use std::fmt;
use std::sync::Arc;

use sessile_core::{Error, Position, SessionId, Space};

use crate::info::Info;
use crate::receipt::Receipt;
use crate::resident::Resident;

/// One session, open.
///
/// A handle is cheap to clone and may be used from any number of tasks; its clones share what
/// they know. Other handles and other processes may change the session at any time: a mutation is
/// decided on what the journal says at that moment, and a read shows what stands there then.
///
/// A mutation that has its turn is carried through in a task of its own. Dropping its future does
/// not cancel it; the next mutation of the handle waits for it.
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
    resident: Arc<Resident>,
}

impl Session {
    pub(crate) fn new(resident: Resident) -> Self {
        Self { resident: Arc::new(resident) }
    }

    pub(crate) const fn resident(&self) -> &Arc<Resident> {
        &self.resident
    }

    /// Its id.
    pub fn id(&self) -> &SessionId {
        &self.resident.key().id
    }

    /// The space it lies in.
    pub fn space(&self) -> &Space {
        &self.resident.key().space
    }

    /// What is known of it, without looking again; [`refresh`](Self::refresh) does.
    pub fn info(&self) -> Info {
        Info::of(&self.resident.folded())
    }

    /// Where its journal ends as far as is known, without looking again.
    pub fn position(&self) -> Position {
        self.resident.folded().state().position()
    }

    /// What was found damaged or was set aside, on opening or since; none if all is well.
    pub fn receipt(&self) -> Option<Receipt> {
        self.resident.folded().receipt()
    }

    /// Reads what others have added, and tells what is known then.
    ///
    /// # Errors
    /// *missing* or *deleted* when the session is gone, *unavailable*, *deadline*, *permission*.
    pub async fn refresh(&self) -> Result<Info, Error> {
        self.resident.catch_up().await?;
        Ok(self.info())
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
