//! What a blocking peer costs a program that awaits: one hop to a thread of the runtime's pool.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;

use crate::ground::Ground;
use crate::peers::peer::{Peer, Sync};

/// A peer that is called by `spawn_blocking`.
#[derive(Clone)]
pub(crate) struct Hop {
    ground: Arc<Ground>,
    peer: Arc<Mutex<Box<dyn Peer>>>,
}

impl Hop {
    pub(crate) fn new(ground: &Arc<Ground>, peer: Box<dyn Peer>) -> Self {
        Self { ground: Arc::clone(ground), peer: Arc::new(Mutex::new(peer)) }
    }

    /// Does something with the peer on another thread.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut dyn Peer, &Ground) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let own = self.clone();
        let called = tokio::task::spawn_blocking(move || {
            let mut peer = own.peer.lock().unwrap_or_else(PoisonError::into_inner);
            call(peer.as_mut(), &own.ground)
        });
        called.await?
    }

    /// Appends the message at `index`, durably.
    pub(crate) async fn append(&self, session: u64, index: usize) -> Result<()> {
        self.call(move |peer, ground| {
            peer.append(session, &[ground.messages.typed(index)?], Sync::Durable)
        })
        .await
    }
}
