//! A snapshot as a file.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use sessile_core::{ErrorKind, Outcome};
use sessile_interchange::json::Object;
use sessile_interchange::snapshot::{Contents, Identity, OwnSnapshot, Snapshot, Turn};
use sessile_records::SnapshotFile;

fn identity(topic: &str) -> Identity {
    Identity {
        gameplan: "plän \u{1f30a}".into(),
        topic: topic.into(),
        orchestrator: "chair".into(),
        participants: vec!["b".into(), "a".into()],
    }
}

fn snapshot(topic: &str) -> Snapshot {
    let mut contents = Contents::begun(identity(topic));
    contents.turns = vec![Turn {
        role: "user".into(),
        speaker: "a".into(),
        content: "é\n\"\u{7f}\u{1f30a}".into(),
        round_idx: 3,
        msg_type: "say".into(),
    }];
    Snapshot::of(contents).unwrap()
}

/// What Python writes of a file, with the line end of the format.
fn rewritten_by_python(path: &Path) -> Vec<u8> {
    let program = "import json,sys; sys.stdout.write(json.dumps(json.load(open(sys.argv[1], \
                   encoding='utf-8')), indent=2) + '\\n')";
    let output = Command::new("python3").args(["-c", program]).arg(path).output();
    let output = output.expect("python3 is needed to read what is written here: install it");
    assert!(output.status.success(), "python3 refuses the file");
    output.stdout
}

#[tokio::test]
async fn a_missing_file_is_a_first_run_and_what_is_saved_is_what_python_writes() {
    let folder = tempfile::tempdir().unwrap();
    let file = SnapshotFile::at(folder.path().join("runs/7.json")).unwrap();
    assert!(file.load::<Snapshot>().await.unwrap().is_none());
    assert!(!folder.path().join("runs").exists());
    for topic in ["tides", "winds"] {
        file.save(&snapshot(topic)).await.unwrap();
        assert_eq!(fs::read(file.path()).unwrap(), rewritten_by_python(file.path()));
        let loaded = file.resume::<Snapshot>(&identity(topic)).await.unwrap().unwrap();
        assert_eq!(loaded.encode(), snapshot(topic).encode());
    }
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(file.path()), 0o600);
    assert_eq!(mode(file.path().parent().unwrap()), 0o700);
    assert!(file.delete().await.unwrap());
    assert!(file.load::<Snapshot>().await.unwrap().is_none());
}

#[tokio::test]
async fn what_python_wrote_is_loaded_and_saved_again_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let file = SnapshotFile::at(folder.path().join("run.json")).unwrap();
    file.save(&snapshot("tides")).await.unwrap();
    let theirs = rewritten_by_python(file.path());
    let loaded = file.load::<Snapshot>().await.unwrap().unwrap();
    file.save(&loaded).await.unwrap();
    assert_eq!(fs::read(file.path()).unwrap(), theirs);
}

#[tokio::test]
async fn what_can_not_be_read_is_no_first_run_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| SnapshotFile::at(folder.path().join(name)).unwrap();
    symlink(folder.path().join("nowhere"), folder.path().join("link.json")).unwrap();
    fs::create_dir(folder.path().join("folder.json")).unwrap();
    fs::create_dir(folder.path().join("folder.json/kept")).unwrap();
    let kinds = [("link.json", ErrorKind::Permission), ("folder.json", ErrorKind::Corrupt)];
    for (name, kind) in kinds {
        assert_eq!(at(name).load::<Snapshot>().await.unwrap_err().kind(), kind, "{name}");
        let error = at(name).save(&snapshot("tides")).await.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (kind, Outcome::NotApplied), "{name}");
    }
    assert!(folder.path().join("folder.json/kept").exists());
    assert!(folder.path().join("link.json").read_link().is_ok());
    assert!(!folder.path().join("nowhere").exists());
}

#[tokio::test]
async fn a_file_that_is_no_snapshot_is_refused_by_its_place_with_the_ways_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = SnapshotFile::at(folder.path().join("run.json")).unwrap();
    let own = OwnSnapshot::of(Object::default().with("model", "large"), 1_u64).unwrap();
    file.save(&own).await.unwrap();
    let error = file.load::<Snapshot>().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(error.subject(), Some(&*file.path().display().to_string()));
    assert!(error.hint().unwrap().contains("another place"), "{error}");
    assert!(file.load::<OwnSnapshot>().await.unwrap().is_some());
}

#[tokio::test]
async fn another_identity_needs_to_be_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let file = SnapshotFile::at(folder.path().join("run.json")).unwrap();
    let error = file.accept::<Snapshot>(&identity("tides")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    file.save(&snapshot("tides")).await.unwrap();
    let before = fs::read(file.path()).unwrap();
    let error = file.resume::<Snapshot>(&identity("winds")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch);
    assert!(error.clause().contains(r#"saved is "tides", current is "winds""#), "{error}");
    assert_eq!(fs::read(file.path()).unwrap(), before);
    file.accept::<Snapshot>(&identity("winds")).await.unwrap();
    let resumed = file.resume::<Snapshot>(&identity("winds")).await.unwrap().unwrap();
    assert_eq!(resumed.encode(), snapshot("winds").encode());
}
