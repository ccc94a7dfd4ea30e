//! A place on a real server, as this process and the ones that it starts find it.

use std::collections::BTreeMap;
use std::env;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, future};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};
use sessile_engine::{From, RawMessage, Session, Store};
use sessile_object::{ObjectBackend, Options};
use tokio::sync::Barrier;

use crate::support::servers::{Kind, PATIENCE, Server, Stores, chance};

/// Where a child finds the place of its parent.
const PLACE: [&str; 4] = [
    "SESSILE_TEST_KIND",
    "SESSILE_TEST_ADDRESS",
    "SESSILE_TEST_BUCKET_OF_PARENT",
    "SESSILE_TEST_PREFIX",
];

/// Objects by their names, with their entity tags and bytes.
pub(super) type Objects = BTreeMap<String, (Option<String>, Bytes)>;

/// A prefix of a bucket.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) server: Server,
    pub(super) prefix: Path,
}

impl Site {
    /// A place of its own on the S3 server.
    pub(super) async fn s3() -> Self {
        Self::on(Server::s3().await.unwrap_or_else(|absence| panic!("{absence}")))
    }

    /// A place of its own on the Azure server.
    pub(super) async fn azure() -> Self {
        Self::on(Server::azure().await.unwrap_or_else(|absence| panic!("{absence}")))
    }

    fn on(server: Server) -> Self {
        Self { server, prefix: Path::from(format!("site-{}", chance())) }
    }

    /// The place of the process that started this one.
    pub(super) fn of_the_parent() -> Self {
        let [kind, address, bucket, prefix] = PLACE.map(|name| env::var(name).unwrap());
        let kind = if kind == "S3" { Kind::S3 } else { Kind::Azure };
        Self { server: Server { kind, address, bucket }, prefix: prefix.into() }
    }

    /// What a child needs to find the place.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&'static str, String)> {
        let Server { kind, address, bucket } = &self.server;
        let values =
            [format!("{kind:?}"), address.clone(), bucket.clone(), self.prefix.to_string()];
        PLACE.into_iter().zip(values)
    }

    /// A handle with clients of its own, as another host has.
    pub(super) fn backend(&self) -> ObjectBackend {
        self.backend_with(Options::default())
    }

    /// The same with options.
    pub(super) fn backend_with(&self, options: Options) -> ObjectBackend {
        let Stores { reads, writes } = self.server.stores(&self.server.address, PATIENCE);
        ObjectBackend::on(reads, writes, &self.prefix, options)
    }

    /// All objects of the place, with their entity tags and bytes.
    pub(super) async fn objects(&self) -> Objects {
        let Stores { reads, .. } = self.server.stores(&self.server.address, PATIENCE);
        objects_below(&*reads, self.prefix.as_ref()).await
    }

    /// Removes everything: servers that hold everything in one list get slow by it.
    pub(super) async fn clear(self) {
        let Stores { reads, .. } = self.server.stores(&self.server.address, PATIENCE);
        let locations = reads.list(Some(&self.prefix)).map_ok(|object| object.location).boxed();
        reads.delete_stream(locations).try_collect::<Vec<_>>().await.unwrap();
    }

    /// A store on such a handle.
    pub(super) fn store(&self) -> Store {
        Store::on(Arc::new(self.backend()))
    }
}

/// Everything below a folder, with its entity tags and bytes.
pub(super) async fn objects_below(store: &dyn ObjectStore, folder: &str) -> Objects {
    let folder = Path::parse(folder).unwrap();
    let listed: Vec<_> = store.list(Some(&folder)).try_collect().await.unwrap();
    let mut found = Objects::new();
    for ObjectMeta { location, .. } in listed {
        let object = store.get(&location).await.unwrap();
        let tag = object.meta.e_tag.clone();
        found.insert(location.to_string(), (tag, object.bytes().await.unwrap()));
    }
    found
}

/// All messages of a session.
pub(super) async fn messages(session: &Session) -> Vec<RawMessage> {
    session.transcript(From::start()).await.unwrap().all().await.unwrap()
}

/// Runs tasks at once, none before all are there; answers in their order.
pub(super) async fn together<T, F>(tasks: Vec<F>) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let barrier = Arc::new(Barrier::new(tasks.len()));
    let started = tasks.into_iter().map(|task| {
        let barrier = Arc::clone(&barrier);
        tokio::spawn(async move {
            barrier.wait().await;
            task.await
        })
    });
    future::join_all(started.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).collect()
}
