//! The suite on the filesystem backend.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use sessile_conformance::{Damage, Failed, Fixture, Footprint, Place};
use sessile_core::Backend;
use sessile_core::backend::{Collection, DocKey};
use sessile_fs::{FsBackend, Options};

struct Files;

struct FilesPlace(tempfile::TempDir);

#[async_trait]
impl Fixture for Files {
    async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
        Ok(Arc::new(FilesPlace(tempfile::tempdir()?)))
    }
}

#[async_trait]
impl Place for FilesPlace {
    async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
        Ok(Arc::new(FsBackend::open(self.0.path(), Options::default()).await?))
    }

    async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
        let mut footprint = Footprint::default();
        let mut folders: Vec<PathBuf> = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                let bytes = if path.is_dir() { Vec::new() } else { fs::read(&path)? };
                footprint.add(name(self.0.path(), &path), &bytes);
                folders.extend(path.is_dir().then_some(path));
            }
        }
        Ok(Some(footprint))
    }

    fn damage(&self) -> Option<&dyn Damage> {
        Some(self)
    }
}

#[async_trait]
impl Damage for FilesPlace {
    /// The names of the cases are spelled as they are.
    #[expect(clippy::disallowed_methods, reason = "it is damage because it passes by the store")]
    async fn damage_document(&self, key: &DocKey, stored: &[u8]) -> Result<(), Failed> {
        let DocKey { collection: Collection { space, name: collection }, name } = key;
        let folder = format!("spaces/{space}/documents/{collection}");
        let file = self.0.path().join(folder).join(format!("{name}.doc"));
        if !file.is_file() {
            return Err(Failed::new(format!("there is no {}", file.display())));
        }
        Ok(fs::write(file, stored)?)
    }
}

fn name(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

fn main() -> ExitCode {
    sessile_conformance::main("fs", Files)
}
