//! Files outside of any store: whole or not at all, private, and never taken for missing.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use rustix::io::Errno;
use sessile_core::error::{ErrorKind, Outcome};

use crate::faults::Step;
use crate::private_file::PrivateFile;

const MOST: u64 = 1 << 20;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

fn widen(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn looking_makes_nothing_and_what_is_made_is_private() {
    let folder = tempfile::tempdir().unwrap();
    widen(folder.path(), 0o755);
    let file = PrivateFile::at(folder.path().join("a/b/run.json")).unwrap();
    assert_eq!(file.read(MOST).unwrap(), None);
    assert!(!file.remove().unwrap());
    assert_eq!(names(folder.path()), [""; 0]);
    for bytes in [&b"first"[..], b"second, which is longer", b""] {
        file.replace(bytes).unwrap();
        assert_eq!(file.read(MOST).unwrap().unwrap(), bytes);
        assert_eq!(names(&folder.path().join("a/b")), ["run.json"]);
    }
    assert_eq!(mode(&folder.path().join("a")), 0o700);
    assert_eq!(mode(&folder.path().join("a/b")), 0o700);
    assert_eq!(mode(file.path()), 0o600);
    // The folder of somebody else keeps its mode.
    assert_eq!(mode(folder.path()), 0o755);
    assert!(file.remove().unwrap());
    assert_eq!(file.read(MOST).unwrap(), None);
}

#[test]
fn folders_of_its_own_are_private_again_and_the_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("conversations");
    let file = PrivateFile::below(&root, &["record", "context", "entry.json"]).unwrap();
    file.replace(b"1").unwrap();
    let all = ["", "record", "record/context", "record/context/entry.json"];
    for path in all {
        widen(&root.join(path), 0o777);
    }
    assert_eq!(file.read(MOST).unwrap().unwrap(), &b"1"[..]);
    file.replace(b"2").unwrap();
    assert_eq!(all.map(|path| mode(&root.join(path))), [0o700, 0o700, 0o700, 0o600]);
}

#[test]
fn what_can_not_be_read_is_not_missing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| PrivateFile::at(folder.path().join(path)).unwrap();
    let kind = |path: &str| at(path).read(MOST).unwrap_err().kind();
    symlink(folder.path().join("nowhere"), folder.path().join("link")).unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    at("file").replace(b"some bytes").unwrap();
    assert_eq!(kind("link"), ErrorKind::Permission);
    assert_eq!(kind("link/file"), ErrorKind::Permission);
    assert_eq!(kind("link/deeper/file"), ErrorKind::Permission);
    assert_eq!(kind("folder"), ErrorKind::Corrupt);
    assert_eq!(kind("file/file"), ErrorKind::Corrupt);
    assert_eq!(at("file").read(4).unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(at("file").read(10).unwrap().unwrap(), &b"some bytes"[..]);
    let large = vec![7; 200_000];
    at("large").replace(&large).unwrap();
    assert_eq!(at("large").read(MOST).unwrap().unwrap(), large);
    assert_eq!(at("large").read(199_999).unwrap_err().kind(), ErrorKind::Refused);
}

#[test]
fn what_stands_in_its_place_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let canary = PrivateFile::at(folder.path().join("canary")).unwrap();
    canary.replace(b"alive").unwrap();
    for target in ["canary", "nowhere"] {
        let link = folder.path().join(format!("to-{target}"));
        symlink(folder.path().join(target), &link).unwrap();
        let error = PrivateFile::at(&link).unwrap().replace(b"other").unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Permission, Outcome::NotApplied));
        assert!(link.read_link().is_ok());
    }
    assert_eq!(canary.read(MOST).unwrap().unwrap(), &b"alive"[..]);
    let inner = PrivateFile::at(folder.path().join("folder/inner")).unwrap();
    inner.replace(b"kept").unwrap();
    let error = PrivateFile::at(folder.path().join("folder")).unwrap().replace(b"x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(inner.read(MOST).unwrap().unwrap(), &b"kept"[..]);
}

#[test]
fn a_failed_step_leaves_the_old_file_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    PrivateFile::at(&path).unwrap().replace(b"old").unwrap();
    for step in [Step::Write, Step::SyncFile, Step::Name] {
        for after in 0..3 {
            let file = PrivateFile::at(&path).unwrap();
            file.faults().fail(step, after, 1, Errno::IO);
            let Err(error) = file.replace(b"new") else { break };
            assert_eq!(error.outcome(), Outcome::NotApplied, "{step:?} {after}");
            assert_eq!(file.read(MOST).unwrap().unwrap(), &b"old"[..], "{step:?} {after}");
            file.faults().mend();
            assert_eq!(names(folder.path()), ["run.json"], "{step:?} {after}");
        }
        PrivateFile::at(&path).unwrap().replace(b"old").unwrap();
    }
}

#[test]
fn a_folder_that_can_not_be_synced_leaves_it_unknown_what_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = PrivateFile::at(folder.path().join("run.json")).unwrap();
    file.replace(b"old").unwrap();
    file.faults().fail(Step::SyncFolder, 0, 1, Errno::IO);
    let error = file.replace(b"new").unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
    assert_eq!(file.read(MOST).unwrap().unwrap(), &b"new"[..]);
    file.faults().fail(Step::SyncFolder, 0, 1, Errno::IO);
    let error = file.remove().unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
    assert_eq!(file.read(MOST).unwrap(), None);
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for names in [&[][..], &[""], &["."], &[".."], &["a", ".."], &["a/b"], &["a/"], &["/a"]] {
        let error = PrivateFile::below(folder.path(), names).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{names:?}");
    }
    assert_eq!(PrivateFile::at("/").unwrap_err().kind(), ErrorKind::InvalidPlace);
}
