//! Bindings as files in another program's layout.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use sessile_core::ErrorKind;
use sessile_engine::Options;
use sessile_interchange::binding::{Continuing, NewBinding};
use sessile_records::{BestEffort, Bindings};

fn bindings(root: &Path) -> Bindings {
    Bindings::in_folder(root, "record", Options::default())
}

fn to(session_id: &str) -> NewBinding<'_> {
    NewBinding { session_id, harness: "claude", driver: "claude-code" }
}

async fn id(bindings: &Bindings, context: &str) -> Option<String> {
    bindings.get(context).await.unwrap().map(|binding| binding.session_id)
}

/// Puts a file where bindings are, as another program might.
fn put_past(root: &Path, context: &str, text: &str) {
    let folder = root.join("record").join(context);
    fs::create_dir_all(&folder).unwrap();
    let file = sessile_fs::PrivateFile::at(folder.join("harness-session.json")).unwrap();
    file.replace(text.as_bytes()).unwrap();
}

#[tokio::test]
async fn nothing_is_made_before_the_first_put_and_a_private_file_by_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("conversations");
    let map = bindings(&root);
    let path = root.join("record/ctx_1/harness-session.json");
    assert_eq!(map.place("ctx_1"), Some(path.display().to_string()));
    assert_eq!(id(&map, "ctx_1").await, None);
    assert_eq!(map.forget("ctx_1", "me").await.unwrap(), None);
    map.plan(Continuing::IfAny, Some("ctx_1")).await.unwrap();
    let error = map.plan(Continuing::Must, Some("ctx_1")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    assert!(error.clause().contains(&path.display().to_string()), "{error}");
    map.put("ctx_1", &to("")).await.unwrap();
    assert!(!root.exists());
    map.put("ctx_1", &to("0198-a")).await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folders = ["", "record", "record/ctx_1"].map(|path| mode(&root.join(path)));
    assert_eq!((folders, mode(&path)), ([0o700; 3], 0o600));
    let text = fs::read_to_string(&path).unwrap();
    let expected = concat!(
        r#"{"type":"murmur.harness-session","session_id":"0198-a","harness":"claude","#,
        r#""driver":"claude-code","created_ms":"#
    );
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(id(&bindings(&root), "ctx_1").await, Some("0198-a".to_owned()));
    assert_eq!(bindings(&root).forget("ctx_1", "me").await.unwrap(), Some("0198-a".to_owned()));
    assert!(!path.exists() && path.parent().unwrap().exists());
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
}

#[tokio::test]
async fn what_can_not_be_read_is_not_missing_and_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put_past(root, "torn", r#"{"type":"murmur.harness-session","session_id":"a""#);
    put_past(root, "foreign", r#"{"type":"another.tool"}"#);
    fs::create_dir_all(root.join("record/folder/harness-session.json")).unwrap();
    for context in ["torn", "folder"] {
        let error = bindings(root).get(context).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{context}");
        assert!(error.subject().unwrap().ends_with("harness-session.json"), "{error}");
        let error = bindings(root).put(context, &to("b")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{context}");
        let map = bindings(root);
        let error = map.forget(context, "me").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{context}");
        assert_eq!(id(&map, context).await, None);
    }
    let map = bindings(root);
    assert_eq!(id(&map, "foreign").await, None);
    assert_eq!(map.forget("foreign", "me").await.unwrap(), None);
    let error = map.put("foreign", &to("b")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exists);
    assert_eq!(id(&map, "foreign").await, Some("b".to_owned()));
    let text = fs::read_to_string(root.join("record/foreign/harness-session.json")).unwrap();
    assert_eq!(text, r#"{"type":"another.tool"}"#);
    let lenient = bindings(root).treating_unreadable_as_absent();
    assert_eq!(id(&lenient, "torn").await, None);
    lenient.put("torn", &to("c")).await.unwrap();
    assert_eq!(id(&bindings(root), "torn").await, Some("c".to_owned()));
}

#[tokio::test]
async fn a_root_that_can_not_be_written_is_reported_once_and_memory_holds() {
    let folder = tempfile::tempdir().unwrap();
    // A file in place of the folder stops everybody, whatever they may do.
    let root = folder.path().join("conversations");
    sessile_fs::PrivateFile::at(&root).unwrap().replace(b"").unwrap();
    let reports: Arc<Mutex<Vec<ErrorKind>>> = Arc::default();
    let told = Arc::clone(&reports);
    let map = BestEffort::of(bindings(&root), move |error| {
        told.lock().unwrap().push(error.kind());
    });
    map.put("x", &to("a")).await;
    map.put("y", &to("b")).await;
    assert_eq!(*reports.lock().unwrap(), [ErrorKind::Corrupt]);
    assert_eq!(id(map.bindings(), "x").await, Some("a".to_owned()));
    assert_eq!(id(map.bindings(), "y").await, Some("b".to_owned()));
    assert_eq!(map.forget("x", "me").await, Some("a".to_owned()));
    assert_eq!(id(map.bindings(), "x").await, None);
    assert_eq!(reports.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_context_that_is_no_segment_has_no_file_and_is_bound_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("a/conversations");
    let reports: Arc<Mutex<usize>> = Arc::default();
    let told = Arc::clone(&reports);
    let map = BestEffort::of(bindings(&root), move |_| *told.lock().unwrap() += 1);
    for context in ["", ".", "..", ".x", "a/b", "a/", "/a", "../x"] {
        assert_eq!(map.bindings().place(context), None);
        map.put(context, &to("a")).await;
        assert_eq!(id(map.bindings(), context).await, Some("a".to_owned()), "{context:?}");
    }
    assert_eq!(*reports.lock().unwrap(), 1);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_file_that_can_not_be_removed_is_forgotten_here() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("conversations");
    let map = bindings(&root);
    map.put("ctx", &to("a")).await.unwrap();
    // A folder in its place can't be removed as a file.
    let path = root.join("record/ctx/harness-session.json");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    map.forget("ctx", "me").await.unwrap_err();
    assert_eq!(id(&map, "ctx").await, None);
    bindings(&root).get("ctx").await.unwrap_err();
}
