//! What the tests store, and what they look at it with.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use sessile_core::backend::{Collection, DocKey, NewDocument, Precondition};
use sessile_core::digest::{Digest, Token};
use sessile_core::{Backend, Error, Name, Payload, Revision, Space, UnixMillis};
use sessile_engine::{Clock, Options};
use sessile_memory::MemoryBackend;
use sessile_records::{
    Attempt, Checkpoint, Checkpoints, Class, Effects, Executed, Reconciler, Request, Retry,
};

pub(crate) fn payload(json: &str) -> Payload {
    Payload::parse(json.to_owned()).unwrap()
}

pub(crate) fn name(text: &str) -> Name {
    text.parse().unwrap()
}

/// The first checkpoint of a name.
pub(crate) fn first(of: &str, json: &str) -> Checkpoint {
    Checkpoint::new(name(of), name("run-1"), "agent.step".parse().unwrap(), 1, payload(json))
}

pub(crate) fn checkpoints(memory: &MemoryBackend) -> Checkpoints {
    Checkpoints::on(Arc::new(memory.clone()), Space::default())
}

/// The checkpoints behind a backend, with a deadline of a second.
pub(crate) fn checkpoints_behind(backend: Arc<dyn Backend>) -> Checkpoints {
    Checkpoints::with(backend, Space::default(), hasty())
}

/// Options with a deadline of a second.
pub(crate) fn hasty() -> Options {
    Options::default().deadline(Duration::from_secs(1))
}

pub(crate) fn effects(memory: &MemoryBackend) -> Effects {
    Effects::on(Arc::new(memory.clone()), Space::default())
}

/// A document as the backend has it.
pub(crate) fn document(collection: &str, of: &str) -> DocKey {
    let collection = Collection { space: Space::default(), name: name(collection) };
    DocKey { collection, name: name(of) }
}

/// Puts bytes as a document, past the records.
pub(crate) async fn put_past(memory: &MemoryBackend, key: &DocKey, bytes: &str) -> Revision {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed).to_le_bytes();
    let revision = Revision::new(Token::from_digest(Digest::of(&number)));
    let precondition = match memory.get(key).await {
        Ok(held) => Precondition::Revision(held.revision),
        Err(_) => Precondition::Absent,
    };
    let bytes = bytes.to_owned().into();
    let new = NewDocument { bytes, revision, session: None };
    memory.put(key, new, precondition).await.unwrap();
    revision
}

/// The bytes of a document as text.
pub(crate) async fn text_of(memory: &MemoryBackend, key: &DocKey) -> String {
    String::from_utf8(memory.get(key).await.unwrap().bytes.to_vec()).unwrap()
}

/// A clock that stands where it was set.
#[derive(Debug, Default)]
pub(crate) struct Hands(AtomicU64);

impl Hands {
    pub(crate) fn set(&self, millis: u64) {
        self.0.store(millis, Ordering::Relaxed);
    }
}

impl Clock for Hands {
    fn now(&self) -> UnixMillis {
        UnixMillis(self.0.load(Ordering::Relaxed))
    }
}

/// An effect with a key of its class.
pub(crate) fn keyed(id: &str, class: Class) -> Request {
    unkeyed(id, class).key(name("order-7"))
}

/// An effect without a key.
pub(crate) fn unkeyed(id: &str, class: Class) -> Request {
    let kind = "acme.pay".parse().unwrap();
    Request::new(name(id), kind, name("bank"), &payload(r#"{"amount":5}"#)).class(class)
}

/// What is done outside, and how often.
#[derive(Debug, Default)]
pub(crate) struct Outside(AtomicUsize);

impl Outside {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Does it, and answers with the attempt's token.
    fn act(&self, attempt: &Attempt) -> Payload {
        self.0.fetch_add(1, Ordering::Relaxed);
        payload(&attempt.token.to_string())
    }

    /// Executes it without asking anybody what became of it.
    pub(crate) async fn execute(
        &self,
        effects: &Effects,
        request: &Request,
    ) -> Result<Executed, Error> {
        self.execute_with(effects, request, Retry::RejectAmbiguous, None).await
    }

    /// Executes it with a policy and a reconciler.
    pub(crate) async fn execute_with(
        &self,
        effects: &Effects,
        request: &Request,
        retry: Retry,
        reconciler: Option<&dyn Reconciler>,
    ) -> Result<Executed, Error> {
        let handler = async |attempt| Ok(self.act(&attempt));
        effects.execute(request, retry, reconciler, handler).await
    }
}
