//! Whether a folder does what a store needs.

use std::fs::TryLockError;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use sessile_core::error::Error;
use sessile_core::probe::{Finding, Probe};

use crate::door::Folder;
use crate::failure;
use crate::root::Root;

/// What is written to be read again.
const BYTES: &[u8] = b"sessile\n";

/// Looks at what a folder does, with files of its own.
///
/// # Errors
/// *permission*, *unavailable* when it can't be opened.
pub(crate) fn probe(root: &Root) -> Result<Probe, Error> {
    let (folder, path) = root.closest()?;
    let bench = Bench::new(&folder);
    let findings = [
        ("folder", Ok(place(root.path(), path))),
        ("writing", bench.writing()),
        ("exclusive names", bench.exclusive_names()),
        ("replacing", bench.replacing()),
        ("locks", bench.locks()),
        ("letters", bench.letters()),
        ("removing", bench.clean_up()),
    ];
    let told = findings.map(|(name, looked)| Finding::new(name, looked.map_err(Wrong::told)));
    Ok(Probe::of(told))
}

/// Where it was looked at, and whether that is the store's own folder.
fn place(wanted: &Path, found: &Path) -> String {
    if wanted == found {
        return format!("{} is there", wanted.display());
    }
    format!("{} is made when something is written; below {}", wanted.display(), found.display())
}

/// Why a look found nothing good.
enum Wrong {
    /// The folder does something else.
    Else(&'static str),
    /// The system refuses it.
    Refused(io::Error),
}

type Looked = Result<String, Wrong>;

impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Self {
        Self::Refused(error)
    }
}

impl Wrong {
    fn told(self) -> String {
        match self {
            Self::Else(what) => what.to_owned(),
            Self::Refused(error) => error.to_string(),
        }
    }
}

/// A folder with names that nobody else uses.
struct Bench<'a> {
    folder: &'a Folder,
    own: String,
}

impl<'a> Bench<'a> {
    fn new(folder: &'a Folder) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // Spelled as what is left over when a writer dies: nobody takes it for more.
        Self { folder, own: format!(".probe-{}-{number}", std::process::id()) }
    }

    fn name(&self, what: &str) -> String {
        format!("{}-{what}.tmp", self.own)
    }

    /// Makes a file with bytes in it, durably.
    fn make(&self, what: &str, bytes: &[u8]) -> io::Result<()> {
        let file = self.folder.new_file(&self.name(what))?;
        if let (_, Some(error)) = file.write_at(bytes, 0) {
            return Err(error);
        }
        file.sync()
    }

    fn read(&self, what: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.folder.file_to_read(&self.name(what))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn writing(&self) -> Looked {
        self.make("file", BYTES)?;
        self.folder.sync()?;
        if self.read("file")? != BYTES {
            return Err(Wrong::Else("what is read is not what was written"));
        }
        Ok("files can be made, written, synced and read".into())
    }

    fn exclusive_names(&self) -> Looked {
        self.make("one", BYTES)?;
        self.make("other", b"another")?;
        let again = self.folder.new_file(&self.name("one"));
        if !again.is_err_and(|error| failure::exists(&error)) {
            return Err(Wrong::Else("a name that is taken can be made again"));
        }
        self.folder.link(&self.name("one"), &self.name("link"))?;
        let linked = self.folder.link(&self.name("other"), &self.name("link"));
        if !linked.is_err_and(|error| failure::exists(&error)) || self.read("link")? != BYTES {
            return Err(Wrong::Else("a file can be linked to a name that is taken"));
        }
        Ok("a name that is taken is taken by nobody else".into())
    }

    fn replacing(&self) -> Looked {
        self.make("old", b"old")?;
        self.make("new", BYTES)?;
        self.folder.rename(&self.name("new"), &self.name("old"))?;
        self.folder.sync()?;
        if self.read("old")? != BYTES || self.read("new").is_ok() {
            return Err(Wrong::Else("a file that was renamed is not where it should be"));
        }
        Ok("a file can be put in place of another".into())
    }

    fn locks(&self) -> Looked {
        let holder = self.folder.lock_file(&self.name("lock"))?;
        let rival = self.folder.lock_file(&self.name("lock"))?;
        let refused = |tried| match tried {
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(false),
        };
        if refused(holder.try_lock())? {
            return Err(Wrong::Else("a lock that nobody holds can't be taken"));
        }
        if !refused(rival.try_lock())? || !refused(rival.try_lock_shared())? {
            return Err(Wrong::Else("a lock that is held can be taken again"));
        }
        drop(holder);
        if refused(rival.try_lock())? {
            return Err(Wrong::Else("a lock that was given back can't be taken"));
        }
        Ok("one holder at a time".into())
    }

    /// Ids are spelled so that both ways are right; which one it is, is told.
    fn letters(&self) -> Looked {
        self.make("case", BYTES)?;
        Ok(match self.folder.look(&self.name("CASE")) {
            Ok(_) => "large and small ones are the same in names; ids are spelled apart".into(),
            Err(_) => "large and small ones differ in names".into(),
        })
    }

    /// Removes what it made.
    fn clean_up(&self) -> Looked {
        let mut refused = None;
        for what in ["file", "one", "other", "link", "old", "new", "lock", "case"] {
            match self.folder.remove(&self.name(what)) {
                // It could not be made, or has another name by now.
                Err(error) if failure::is_missing(&error) => {}
                Err(error) => refused = Some(error),
                Ok(()) => {}
            }
        }
        refused.map_or_else(|| Ok("what was made is gone".into()), |error| Err(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustix::io::Errno;

    use super::*;
    use crate::counts::Counters;
    use crate::faults::Step;

    fn looked_at(path: &Path, fail: Option<(Step, u32, Errno)>) -> Probe {
        let root = Root::at(path, Arc::new(Counters::default())).unwrap();
        if let Some((step, times, error)) = fail {
            root.counters().faults.fail(step, 0, times, error);
        }
        probe(&root).unwrap()
    }

    fn failed(probe: &Probe) -> Vec<&'static str> {
        probe.findings.iter().filter(|finding| !finding.ok).map(|finding| finding.name).collect()
    }

    fn names(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_good_folder_is_told_so_and_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let probe = looked_at(folder.path(), None);
        assert!(probe.ok, "{probe:?}");
        let looked: Vec<_> = probe.findings.iter().map(|finding| finding.name).collect();
        let all =
            ["folder", "writing", "exclusive names", "replacing", "locks", "letters", "removing"];
        assert_eq!(looked, all);
        assert_eq!(names(folder.path()), 0);
    }

    #[test]
    fn a_folder_that_is_to_be_made_is_looked_at_where_that_will_be() {
        let folder = tempfile::tempdir().unwrap();
        let wanted = folder.path().join("a/b");
        let probe = looked_at(&wanted, None);
        assert!(probe.ok, "{probe:?}");
        let told = &probe.findings[0].detail;
        assert!(told.contains("is made when something is written"), "{told}");
        assert_eq!(names(folder.path()), 0);
    }

    #[test]
    fn what_a_folder_does_not_do_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for (step, error, named) in [
            (Step::Name, Errno::ROFS, "writing"),
            (Step::Write, Errno::NOSPC, "writing"),
            (Step::SyncFile, Errno::IO, "exclusive names"),
            (Step::SyncFolder, Errno::IO, "replacing"),
        ] {
            let probe = looked_at(folder.path(), Some((step, u32::MAX, error)));
            assert!(!probe.ok && failed(&probe).contains(&named), "{step:?}: {probe:?}");
            let finding = probe.findings.iter().find(|finding| finding.name == named).unwrap();
            let told = io::Error::from(error).to_string();
            assert_eq!(finding.detail, told, "{step:?}");
        }
        assert_eq!(names(folder.path()), 0);
    }
}
