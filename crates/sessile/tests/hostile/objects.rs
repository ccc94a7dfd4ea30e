//! What is read of a place of objects beside its journals: the notes of its catalog.

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sessile::backend::Scope;
use sessile::object::object_store::memory::InMemory;
use sessile::object::object_store::path::Path;
use sessile::object::object_store::{ObjectStore, ObjectStoreExt as _};
use sessile::object::{ObjectBackend, Options};
use sessile::prelude::*;
use sessile::{Backend, Digest, Space};
use tokio::runtime::{Builder, Runtime};

/// All of them.
pub(crate) const DECODERS: &[crate::decoders::Decoder] = &[
    // What a listing reads.
    ("note", note),
    ("sealed_note", sealed_note),
];

/// The one session that there is.
const ID: &str = "s";

/// How many hex digits of a digest begin a note.
const SUM: usize = 16;

thread_local! {
    static PLACE: Place = Place::make();
}

/// A place that is asked again and again, each time by somebody who knows nothing of it.
struct Place {
    runtime: Runtime,
    objects: Arc<dyn ObjectStore>,
}

/// The note of a session: whatever it says, a listing names the session.
pub(crate) fn note(bytes: &[u8]) {
    PLACE.with(|place| place.list_with(bytes.to_vec()));
}

/// The same with a right sum of what follows it, so that it is read.
pub(crate) fn sealed_note(bytes: &[u8]) {
    let told = bytes.get(SUM + 1..).unwrap_or_default();
    let sum = Digest::of(told).to_string();
    let sealed = [&sum.as_bytes()[..SUM], b" ", told].concat();
    PLACE.with(|place| place.list_with(sealed));
}

impl Place {
    fn make() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let objects: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        runtime.block_on(async {
            let store = Store::on(Arc::new(Self::backend(&objects)));
            let session = store.create_as(ID, NewSession::new()).await.unwrap();
            session.append(["said"]).await.unwrap();
            store.close().await.unwrap();
        });
        Self { runtime, objects }
    }

    fn backend(objects: &Arc<dyn ObjectStore>) -> ObjectBackend {
        let (reads, writes) = (Arc::clone(objects), Arc::clone(objects));
        ObjectBackend::on(reads, writes, &Path::from("p"), Options::default())
    }

    /// Lists all, and those of a project, where the only note says that.
    fn list_with(&self, note: Vec<u8>) {
        self.runtime.block_on(async {
            let notes = Path::from(format!("p/catalog/default/{ID}"));
            let old: Vec<_> = self.objects.list(Some(&notes)).try_collect().await.unwrap();
            for object in old {
                self.objects.delete(&object.location).await.unwrap();
            }
            let path = Path::from(format!("p/catalog/default/{ID}/1"));
            self.objects.put(&path, note.into()).await.unwrap();
            let backend = Self::backend(&self.objects);
            let project = Some("shop".parse().unwrap());
            for scope in [Scope::ALL, Scope { project, ..Scope::ALL }] {
                let recent = backend.recent(&Space::default(), &scope, None, 9).await.unwrap();
                let ids: Vec<_> = recent.iter().map(|it| it.recency.id.as_str()).collect();
                assert!(ids == [ID] || (ids.is_empty() && scope != Scope::ALL), "{ids:?}");
            }
        });
    }
}
