//! Where a test's sessions lie, for its children too.

use std::path::{Path, PathBuf};

use sessile::prelude::*;
use tempfile::TempDir;

use crate::bucket::Bucket;

/// A store of the test's own, and a folder for what happens outside of it.
pub(crate) struct Site {
    place: String,
    variables: Vec<(&'static str, String)>,
    outside: TempDir,
    _files: Option<TempDir>,
}

impl Site {
    pub(crate) fn on_files() -> Self {
        let files = tempfile::tempdir().unwrap();
        let place = format!("file://{}", files.path().display());
        let outside = tempfile::tempdir().unwrap();
        Self { place, variables: Vec::new(), outside, _files: Some(files) }
    }

    pub(crate) async fn on_s3() -> Self {
        let bucket = Bucket::s3().await;
        // No key is needed by this process, which can't set variables for itself.
        let place = bucket.below("killed") + "&skip_signature=true";
        let outside = tempfile::tempdir().unwrap();
        Self { place, variables: bucket.variables, outside, _files: None }
    }

    /// The store, opened anew.
    pub(crate) async fn store(&self) -> Store {
        Store::open(self.place.clone()).await.unwrap()
    }

    /// What a child needs to open it.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        let outside = self.outside.path().display().to_string();
        let own = [(PLACE, self.place.clone()), (OUTSIDE, outside)];
        own.into_iter().chain(self.variables.iter().cloned()).collect()
    }

    pub(crate) fn outside(&self) -> &Path {
        self.outside.path()
    }
}

const PLACE: &str = "SESSILE_KILLS_PLACE";
const OUTSIDE: &str = "SESSILE_KILLS_OUTSIDE";

/// The store of a child.
pub(crate) async fn given_store() -> Store {
    Store::open(std::env::var(PLACE).unwrap()).await.unwrap()
}

/// The folder of a child.
pub(crate) fn given_outside() -> PathBuf {
    std::env::var_os(OUTSIDE).unwrap().into()
}
