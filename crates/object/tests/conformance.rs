//! The suite on object storage: in memory, on an S3 server, on an Azure server, and in a bucket of
//! the reader's own where one is named.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "without its clients and its runtime the suite can't begin"
)]
#![expect(clippy::print_stdout, reason = "who lends a bucket is told what was done in it")]

#[path = "support/own_bucket.rs"]
mod own_bucket;
#[path = "support/servers.rs"]
mod servers;

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use sessile_conformance::{Damage, Failed, Fixture, Footprint, Place, Suite};
use sessile_core::Backend;
use sessile_core::backend::{Collection, DocKey};
use sessile_object::{ObjectBackend, Options};
use tokio::runtime::Runtime;

use self::own_bucket::OwnBucket;
use self::servers::{Absence, PATIENCE, Server, Stores, chance};

/// How many objects are read at once.
const ABREAST: usize = 16;

/// One in so many rounds of a case of minutes is taken where each request takes milliseconds.
const OF_REMOTE: usize = 10;

/// Where places are.
#[derive(Clone, Debug)]
enum Bucket {
    /// Each place is a store of its own.
    Memory,
    Server(Server),
    Own(OwnBucket),
}

/// What has happened is listed at once, and what is deleted may be purged at once: the suite
/// looks at what comes of both, and not at how long it takes.
fn options() -> Options {
    let mut options = Options::default();
    options.catalog_lag = Duration::ZERO;
    options.purges_at_once = true;
    // What is merged behind an append is written later: a case that looks whether anything was
    // written appends fewer times.
    options.merge_every = 16;
    options
}

/// A prefix that no other place has, and what makes new clients for each handle.
struct Prefix {
    stores: Box<dyn Fn() -> Stores + Send + Sync>,
    below: Path,
    /// Whether each request takes milliseconds.
    is_remote: bool,
}

#[async_trait]
impl Fixture for Bucket {
    async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
        let word = chance();
        let place = match self.clone() {
            Self::Memory => {
                let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
                let stores = Stores { reads: Arc::clone(&store), writes: store };
                Prefix {
                    stores: Box::new(move || stores.clone()),
                    below: word.into(),
                    is_remote: false,
                }
            }
            Self::Server(server) => {
                let server = server.awake().await?;
                let stores = move || server.stores(&server.address, PATIENCE);
                Prefix { stores: Box::new(stores), below: word.into(), is_remote: true }
            }
            Self::Own(bucket) => {
                let below = bucket.prefix.clone().join(word);
                Prefix { stores: Box::new(move || bucket.stores()), below, is_remote: true }
            }
        };
        Ok(Arc::new(place))
    }
}

#[async_trait]
impl Place for Prefix {
    async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
        let Stores { reads, writes } = (self.stores)();
        Ok(Arc::new(ObjectBackend::on(reads, writes, &self.below, options())))
    }

    async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
        let store = &(self.stores)().reads;
        let objects = store.list(Some(&self.below)).map_ok(|object| async move {
            let bytes = store.get(&object.location).await?.bytes().await?;
            Ok((object.location, bytes))
        });
        let objects: Vec<_> = objects.try_buffer_unordered(ABREAST).try_collect().await?;
        let mut footprint = Footprint::default();
        for (location, bytes) in objects {
            footprint.add(location.to_string(), &bytes);
        }
        Ok(Some(footprint))
    }

    fn damage(&self) -> Option<&dyn Damage> {
        Some(self)
    }

    fn rounds(&self, full: usize) -> usize {
        if self.is_remote { (full / OF_REMOTE).max(1) } else { full }
    }
}

#[async_trait]
impl Damage for Prefix {
    /// The names of the cases are spelled as they are.
    async fn damage_document(&self, key: &DocKey, stored: &[u8]) -> Result<(), Failed> {
        let DocKey { collection: Collection { space, name: collection }, name } = key;
        let below = format!("spaces/{space}/documents/{collection}/{name}");
        let location = Path::parse(format!("{}/{below}", self.below))?;
        let store = (self.stores)().reads;
        store.head(&location).await?;
        store.put(&location, stored.to_vec().into()).await?;
        Ok(())
    }
}

impl Drop for Prefix {
    /// Removes what the case left: servers that hold everything in one list get slow by it.
    fn drop(&mut self) {
        thread::scope(|scope| {
            // The runtime of the case may be ending; this one may not stand within it.
            let cleared = scope.spawn(|| {
                let clearing = async { clear(&(self.stores)().reads, &self.below).await };
                Runtime::new().expect("a runtime can be made").block_on(clearing)
            });
            // What can't be removed is in nobody's way: no other place has this prefix.
            _ = cleared.join();
        });
    }
}

/// Removes everything below a prefix, and tells how many objects that were.
async fn clear(store: &dyn ObjectStore, prefix: &Path) -> object_store::Result<usize> {
    let locations = store.list(Some(prefix)).map_ok(|object| object.location).boxed();
    let removed: Vec<Path> = store.delete_stream(locations).try_collect().await?;
    Ok(removed.len())
}

/// The suite on a server, which keeps its cases in the listing also when there is none.
fn on_server(backend: &str, server: Result<Server, Absence>) -> Suite {
    match server {
        Ok(server) => Suite::of(backend, Bucket::Server(server)),
        Err(Absence::LeftOut) => {
            Suite::of(backend, Bucket::Memory).left_out(Absence::LeftOut.to_string())
        }
        Err(absence) => Suite::of(backend, Bucket::Memory).missing(absence.to_string()),
    }
}

fn main() -> ExitCode {
    let runtime = Runtime::new().expect("a runtime can be made");
    let own = OwnBucket::named();
    let mut suites = vec![
        Suite::of("object-memory", Bucket::Memory),
        on_server("s3", runtime.block_on(Server::s3())),
        on_server("azure", runtime.block_on(Server::azure())),
    ];
    suites.extend(own.clone().map(|bucket| Suite::of("bucket", Bucket::Own(bucket))));
    let code = sessile_conformance::main_of(suites);
    if let Some(bucket) = own {
        // What hung in the end, or began when its case was over, may have left something.
        let cleared = runtime.block_on(clear(&bucket.stores().reads, &bucket.prefix));
        println!("removed {} objects below {}", cleared.expect("it can be"), bucket.prefix);
    }
    code
}
