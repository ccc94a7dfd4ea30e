//! A place on a real server, reached through a proxy that makes faults and past it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use object_store::path::Path;
use sessile_core::Backend;
use sessile_core::backend::{Expected, Precondition, Span};
use sessile_core::commit::StoredCommit;
use sessile_core::digest::Token;
use sessile_core::id::{SessionKey, Space};
use sessile_core::{Commit, Error, ErrorKind, Tip};
use sessile_engine::{Session, Store};
use sessile_object::{ObjectBackend, Options};
use tokio::sync::OnceCell;

use super::words;
use crate::support::proxy::Proxy;
use crate::support::servers::{Kind, PATIENCE, Server, Stores, chance, once};
use crate::with_servers::site::{Objects, Site, objects_below};

/// After how long a handle gives up on a request that hangs.
pub(super) const SOON: Duration = Duration::from_secs(1);

/// After how long a handle gives up on a write that gets no answer that tells.
pub(super) const GIVES_UP: Duration = Duration::from_secs(2);

/// A space of its own, on a place that is a store already.
pub(super) struct Stage {
    pub(super) kind: Kind,
    pub(super) proxy: Proxy,
    pub(super) space: Space,
    server: Server,
    prefix: Path,
    /// Clients that go straight to the server: they know nothing, and making some takes a while.
    straight: Stores,
}

/// Runs the same on every server at once.
pub(super) async fn on_each(check: impl AsyncFn(Stage)) {
    let servers = [Server::s3().await, Server::azure().await];
    let [s3, azure] = servers.map(|server| server.unwrap_or_else(|absence| panic!("{absence}")));
    let straight = |server: &Server| server.stores(&server.address, PATIENCE);
    let stages = (Stage::on(&s3, straight(&s3)).await, Stage::on(&azure, straight(&azure)).await);
    tokio::join!(Box::pin(check(stages.0)), Box::pin(check(stages.1)));
}

/// Nothing that a handle writes by itself comes between what a test counts.
pub(super) fn options() -> Options {
    let mut options = Options::default();
    options.catalog_lag = Duration::from_hours(1);
    options.merge_every = 0;
    options
}

impl Stage {
    async fn on(server: &Server, straight: Stores) -> Self {
        let proxy = Proxy::before(&server.address).await;
        let space = format!("space-{}", chance()).parse().unwrap();
        let prefix = Self::prefix(server).await;
        Self { kind: server.kind, proxy, space, server: server.clone(), prefix, straight }
    }

    /// The prefix of all stages, which is probed once.
    async fn prefix(server: &Server) -> Path {
        static PREFIXES: [OnceCell<Path>; 2] = [const { OnceCell::const_new() }; 2];
        let [s3, azure] = &PREFIXES;
        let cell = if server.kind == Kind::S3 { s3 } else { azure };
        let made = cell.get_or_init(|| async {
            let prefix = Path::from(format!("faults-{}", chance()));
            let Stores { reads, writes } = server.stores(&server.address, PATIENCE);
            let backend = ObjectBackend::on(reads, writes, &prefix, options());
            let key = words::document(&Space::default());
            backend.put(&key, words::value("first"), Precondition::Absent).await.unwrap();
            prefix
        });
        made.await.clone()
    }

    /// Another stage on the same server, with a proxy of its own.
    pub(super) async fn another(&self) -> Self {
        Self::on(&self.server, self.straight.clone()).await
    }

    /// A fresh handle that goes straight to the server.
    pub(super) fn past(&self) -> ObjectBackend {
        self.handle(self.stores(), options())
    }

    /// A handle that goes through the proxy, as patient as handles are.
    pub(super) fn patient(&self) -> ObjectBackend {
        self.handle(self.stores_through(PATIENCE), options())
    }

    /// A handle that goes through the proxy and does not wait long for a request.
    pub(super) fn through(&self) -> ObjectBackend {
        let mut options = options();
        options.request_timeout = SOON;
        self.handle(self.stores_through(PATIENCE), options)
    }

    /// The same, and it asks once for what it reads, and does not send a write again for long.
    pub(super) fn hasty(&self) -> ObjectBackend {
        let mut options = options();
        options.request_timeout = SOON;
        options.deadline = GIVES_UP;
        let mut stores = self.stores_through(PATIENCE);
        stores.reads = self.server.client(self.proxy.address(), once(), PATIENCE);
        self.handle(stores, options)
    }

    /// Clients that go straight to the server.
    pub(super) fn stores(&self) -> Stores {
        self.straight.clone()
    }

    /// Clients that go through the proxy.
    pub(super) fn stores_through(&self, timeout: Duration) -> Stores {
        self.server.stores(self.proxy.address(), timeout)
    }

    /// Clients that go through the proxy, of a bucket that is not there.
    pub(super) fn stores_of_no_bucket(&self, timeout: Duration) -> Stores {
        let server = Server { bucket: format!("none-{}", chance()), ..self.server.clone() };
        server.stores(self.proxy.address(), timeout)
    }

    /// A handle through clients.
    pub(super) fn handle(&self, stores: Stores, options: Options) -> ObjectBackend {
        let Stores { reads, writes } = stores;
        ObjectBackend::on(reads, writes, &self.prefix, options)
    }

    /// All objects of the space whose names have a part, with their entity tags and bytes.
    pub(super) async fn objects_of(&self, part: &str) -> Objects {
        let folder = format!("{}/spaces/{}", self.prefix, self.space);
        let mut found = objects_below(&*self.straight.reads, &folder).await;
        found.retain(|name, _| name.contains(part));
        found
    }

    /// The place, as other processes find it.
    pub(super) fn site(&self) -> Site {
        Site { server: self.server.clone(), prefix: self.prefix.clone() }
    }

    /// Makes a session with some messages past the proxy; answers its tokens and where it ends.
    pub(super) async fn session(&self, texts: &[&str]) -> (SessionKey, Vec<Token>, Tip) {
        let (key, past) = (words::key(&self.space), self.past());
        let first = words::creation(&key);
        let mut tip = append(&past, &key, Tip::ABSENT, &first).await.unwrap();
        let mut tokens = vec![first.token()];
        for text in texts {
            let commit = words::saying(text);
            tip = append(&past, &key, tip, &commit).await.unwrap();
            tokens.push(commit.token());
        }
        (key, tokens, tip)
    }

    /// The tokens of a session's commits, as a fresh handle past the proxy reads them.
    pub(super) async fn tokens(&self, key: &SessionKey) -> Vec<Token> {
        read(&self.past(), key).await.unwrap().iter().map(|commit| commit.token).collect()
    }
}

/// Appends a commit behind a tip, and answers the next one.
pub(super) async fn append(
    backend: &ObjectBackend,
    key: &SessionKey,
    tip: Tip,
    commit: &Commit,
) -> Result<Tip, Error> {
    let appended = backend.append(key, Expected::At(tip), vec![commit.clone()]).await?;
    assert_eq!(appended.len(), 1);
    Ok(appended[0].tip)
}

pub(super) fn key_of(session: &Session) -> SessionKey {
    SessionKey { space: session.space().clone(), id: session.id().clone() }
}

/// Reads a whole journal.
pub(super) async fn read(
    backend: &dyn Backend,
    key: &SessionKey,
) -> Result<Vec<StoredCommit>, Error> {
    backend.read(key, Span::ALL).await?.try_collect().await
}

/// A store over a handle, whose calls are as patient as those of stores are.
pub(super) fn patient_store(backend: ObjectBackend, space: &Space) -> Store {
    Store::on(Arc::new(backend)).space(space.as_str()).unwrap()
}

/// A store over a handle, whose calls give up a little later than the handle.
pub(super) fn store(backend: ObjectBackend, space: &Space) -> Store {
    let options = sessile_engine::Options::default().deadline(GIVES_UP * 2);
    Store::with(Arc::new(backend), options).space(space.as_str()).unwrap()
}

/// Calls until the place answers in time: those who give up soon also do where all is sound and
/// slow. What is called does the same however often it is called.
pub(super) async fn at_last<T>(call: impl AsyncFn() -> Result<T, Error>) -> Result<T, Error> {
    loop {
        match call().await {
            Err(error) if matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Deadline) => {}
            answer => return answer,
        }
    }
}
