//! What all contenders stand on: the messages, the runtime, the folder and so the filesystem.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context as _, Result};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use crate::messages::Messages;

/// What has the machine forget all that it keeps of files.
pub(crate) const CACHES: &str = "/proc/sys/vm/drop_caches";

/// The shared ground of a run.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) messages: Messages,
    /// What `#[tokio::main]` gives a program.
    pub(crate) runtime: Runtime,
    directory: PathBuf,
    /// What several contenders begin with, by name; each gets a copy.
    templates: Mutex<BTreeMap<String, TempDir>>,
}

impl Ground {
    /// Makes the folder in which everything is kept, if it is not there.
    pub(crate) fn at(directory: &Path) -> Result<Self> {
        fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        let directory = directory.canonicalize()?;
        let templates = Mutex::default();
        Ok(Self { messages: Messages::seeded()?, runtime, directory, templates })
    }

    /// A fresh folder that goes with its value.
    pub(crate) fn folder(&self) -> Result<TempDir> {
        Ok(tempfile::Builder::new().prefix("bench").tempdir_in(&self.directory)?)
    }

    /// Copies what `make` makes in a folder; it is made once for each name.
    pub(crate) fn copy_of(
        &self,
        name: &str,
        home: &Path,
        make: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<()> {
        let mut templates = self.templates.lock().unwrap_or_else(PoisonError::into_inner);
        let template = match templates.entry(name.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let folder = self.folder()?;
                make(folder.path())?;
                place.insert(folder)
            }
        };
        copy(template.path(), home)
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// What a reader has to know of the machine; nothing that names it.
    pub(crate) fn facts(&self) -> Result<Vec<(&'static str, String)>> {
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let cores = thread::available_parallelism().map_or(0, usize::from);
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split(' ').next().unwrap_or_default().to_owned();
        let caches = fs::OpenOptions::new().write(true).open(CACHES).is_ok();
        let forgotten = if caches { "everything" } else { "the contents of the files" };
        Ok(vec![
            (
                "kernel",
                format!("Linux {}", kernel.trim_end().split('-').next().unwrap_or_default()),
            ),
            ("cores", cores.to_string()),
            ("filesystem", self.filesystem()?),
            ("load when it began", load),
            ("forgotten before a cold read", forgotten.to_owned()),
            ("bytes of a message in the mean", self.messages.mean().to_string()),
        ])
    }

    /// Type and mount options of the filesystem, and whether it keeps a journal of its own.
    fn filesystem(&self) -> Result<String> {
        let mounts = fs::read_to_string("/proc/self/mountinfo")?;
        // `36 35 98:0 /root /point options optional... - type source super-options`; the last of
        // equal mount points is the one in sight.
        let found = mounts
            .lines()
            .filter_map(|line| {
                let (mount, filesystem) = line.split_once(" - ")?;
                let mut fields = mount.split(' ').skip(4);
                let (point, options) = (fields.next()?, fields.next()?);
                let mut fields = filesystem.split(' ');
                let (name, source) = (fields.next()?, fields.next()?);
                self.directory.starts_with(point).then_some((point.len(), name, source, options))
            })
            .max_by_key(|(length, ..)| *length);
        let (_, name, source, options) = found.context("no mount point found")?;
        let device = Path::new(source).file_name().unwrap_or_default().to_string_lossy();
        let journal = fs::exists(format!("/proc/fs/jbd2/{device}-8")).unwrap_or(false);
        let journal = match (name, journal) {
            ("ext4", false) => ", without a journal",
            ("ext4", true) => ", with a journal",
            _ => "",
        };
        Ok(format!("{name} ({options}){journal}"))
    }
}

/// Copies what is in a folder into another one.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&target)?;
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
