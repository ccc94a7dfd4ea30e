//! Modes: nobody else may do anything with what the store has, at any moment.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustix::fs::Mode;

use super::life::{self, LIFE, Operation};

/// Everything below a folder and the folder itself, links left out.
fn paths(folder: &Path) -> Vec<PathBuf> {
    let mut paths = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(path) = paths.get(next).cloned() {
        next += 1;
        // What goes away meanwhile is nobody's to read.
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        paths.extend(entries.map(|entry| entry.path()));
    }
    paths
}

fn mode(path: &Path) -> Option<u32> {
    Some(fs::symlink_metadata(path).ok()?.permissions().mode() & 0o777)
}

/// The paths below a folder that are not private, with their modes.
fn not_private(folder: &Path) -> Vec<String> {
    let told = |path: PathBuf| {
        let (mode, wanted) = (mode(&path)?, if path.is_dir() { 0o700 } else { 0o600 });
        (mode != wanted).then(|| format!("{} is {mode:03o}", path.display()))
    };
    paths(folder).into_iter().filter_map(told).collect()
}

#[test]
fn whatever_the_umask_every_path_is_private_at_every_step() {
    for umask in ["000", "002", "022", "077"] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = life::child("tests::private::lives_as_a_child", folder.path());
        let child = child.env("SESSILE_TEST_UMASK", umask).status().unwrap();
        assert!(child.success(), "under umask {umask}");
    }
}

#[tokio::test]
#[ignore = "the child of the test above: a umask is the whole process's"]
#[expect(clippy::disallowed_methods, reason = "a file of another program's shows the umask")]
async fn lives_as_a_child() {
    let folder = PathBuf::from(std::env::var_os("SESSILE_TEST_ROOT").unwrap());
    let umask = std::env::var("SESSILE_TEST_UMASK").unwrap();
    let umask = u32::from_str_radix(&umask, 8).unwrap();
    rustix::process::umask(Mode::from_raw_mode(umask));
    fs::write(folder.join("witness"), "").unwrap();
    assert_eq!(mode(&folder.join("witness")), Some(0o666 & !umask));

    // The store makes the folder above its root too.
    let above = folder.join("above");
    let seen: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let wide: Arc<Mutex<Vec<String>>> = Arc::default();
    let backend = life::open(&above.join("store")).await.unwrap();
    let (watched, all, found) = (above.clone(), Arc::clone(&seen), Arc::clone(&wide));
    backend.faults().watch(move |step| {
        let paths = paths(&watched).into_iter().map(|path| path.display().to_string());
        all.lock().unwrap().extend(paths);
        let told = not_private(&watched).into_iter().map(|path| format!("{step:?}: {path}"));
        found.lock().unwrap().extend(told);
    });
    for operation in LIFE {
        operation.run(&backend).await.unwrap_or_else(|error| panic!("{operation:?}: {error}"));
        assert_eq!(not_private(&above), [""; 0], "after {operation:?}");
    }
    assert_eq!(*wide.lock().unwrap(), [""; 0]);
    // What is there for a moment only was seen too.
    let seen = seen.lock().unwrap();
    for (folder, ending) in [
        ("above/store/.", ".tmp"),
        ("sessions/.", ".tmp"),
        ("sessions/s", ".lock"),
        ("documents/c/.", ".tmp"),
        ("documents/c/collection", ".lock"),
        ("set-aside/s/", "-0"),
        ("catalog/", "recency"),
    ] {
        let is_there = |path: &&String| path.contains(folder) && path.ends_with(ending);
        assert!(seen.iter().any(|path| is_there(&path)), "{folder}*{ending} in {seen:#?}");
    }
}

/// Grants everybody everything that a path's owner may do, and to read at least.
fn widen(folder: &Path) {
    for path in paths(folder) {
        let mode = if path.is_dir() { 0o777 } else { 0o666 };
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
}

#[tokio::test]
async fn what_is_written_to_is_private_again_and_what_is_read_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("store");
    fs::create_dir(&root).unwrap();
    fs::set_permissions(&root, Permissions::from_mode(0o755)).unwrap();
    for operation in LIFE {
        // A handle of its own, as of a process that finds the store as somebody left it.
        let backend = life::open(&root).await.unwrap();
        operation.run(&backend).await.unwrap_or_else(|error| panic!("{operation:?}: {error}"));
        let below = |path: &str| root.join("spaces/default").join(path);
        let journal = [below("sessions"), below("sessions/s.jsonl"), below("sessions/s.lock")];
        let collection = |name: &str| {
            let folder = below("documents").join(name);
            vec![below("documents"), folder.join("collection.lock"), folder]
        };
        let touched = match operation {
            Operation::Read => {
                let wide = not_private(folder.path()).len();
                assert!(wide >= paths(folder.path()).len() - 1, "reading changed a mode");
                continue;
            }
            Operation::Put | Operation::Replace | Operation::Outgrow => {
                [collection("c"), vec![below("documents/c/n.doc")]].concat()
            }
            Operation::PutAnother | Operation::DeleteDocument => collection("d"),
            Operation::Repair => {
                [&journal[..], &[below("set-aside"), below("set-aside/s")]].concat()
            }
            Operation::Close => {
                [&journal[..], &[below("catalog"), below("catalog/recency")]].concat()
            }
            Operation::Purge => [&journal[..], &collection("c")].concat(),
            _ => journal.to_vec(),
        };
        let way = ["", "sessile.json", "spaces", "spaces/default"].map(|path| root.join(path));
        let wide: Vec<_> = way
            .into_iter()
            .chain(touched)
            .filter_map(|path| {
                assert!(path.exists(), "{operation:?}: {}", path.display());
                let wanted = if path.is_dir() { 0o700 } else { 0o600 };
                (mode(&path) != Some(wanted)).then_some(path)
            })
            .collect();
        assert_eq!(wide, [""; 0].map(PathBuf::from), "after {operation:?}");
        widen(&root);
    }
}
