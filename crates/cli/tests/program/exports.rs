//! Writing sessions as files.

use std::fs;

use crate::scene::{Scene, fixture};

/// A session that was imported from a fixture.
fn imported(file: &str) -> (Scene, String) {
    let scene = Scene::new();
    let rows = scene.done(&["--json", "import", fixture(file).to_str().unwrap()], "").json();
    let id = rows[0]["session"].as_str().unwrap().to_owned();
    (scene, id)
}

#[test]
fn what_was_imported_is_exported_byte_for_byte() {
    for (file, format) in
        [("claude-code-weather.jsonl", "claude-code"), ("plain-messages.jsonl", "jsonl")]
    {
        let (scene, id) = imported(file);
        let text = fs::read_to_string(fixture(file)).unwrap();
        // With `--json` too the answer is the file itself.
        for args in [
            &["export", &id][..],
            &["export", &id, "-o", "-"],
            &["--json", "export", &id, "--to", format],
        ] {
            assert_eq!(scene.done(args, "").out, text, "{file}, {args:?}");
        }
    }
}

#[test]
fn a_file_is_made_whole_and_none_is_overwritten_unasked() {
    let (scene, id) = imported("claude-code-weather.jsonl");
    let path = scene.folder().join("out.jsonl");
    let path = path.to_str().unwrap();
    let row = scene.done(&["--json", "export", &id, "-o", path], "").json().remove(0);
    let text = fs::read(path).unwrap();
    assert_eq!(text, fs::read(fixture("claude-code-weather.jsonl")).unwrap());
    assert_eq!((&row["session"], &row["path"]), (&id.as_str().into(), &path.into()));
    assert_eq!((&row["format"], &row["bytes"]), (&"claude-code".into(), &text.len().into()));
    assert!(row["position"].is_u64());

    fs::write(path, "precious").unwrap();
    let run = scene.run(&["--json", "export", &id, "-o", path]);
    assert_eq!((run.status, run.error_kind().as_str()), (4, "exists"));
    assert_eq!(fs::read(path).unwrap(), b"precious");
    scene.done(&["export", &id, "-o", path, "--force"], "");
    assert_eq!(fs::read(path).unwrap(), text);
}

#[test]
fn in_a_folder_a_file_gets_a_name_of_its_own() {
    let (scene, id) = imported("claude-code-weather.jsonl");
    let folder = scene.folder().join("pages");
    fs::create_dir(&folder).unwrap();
    let args = ["export", &id, "--to", "markdown", "-o", folder.to_str().unwrap()];
    let path = scene.done(&args, "").out;
    let page = fs::read_to_string(path.trim_end()).unwrap();
    assert!(page.starts_with("# Forecast"), "{path}: {page}");
    assert_eq!(scene.run(&args).status, 4);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn what_can_t_be_written_is_refused_and_leaves_nothing() {
    let (scene, id) = imported("claude-code-weather.jsonl");
    let path = scene.folder().join("no/such/file");
    let path = path.to_str().unwrap();
    for (args, status, kind) in [
        (&["export", &id, "--to", "pi"][..], 1, "unsupported"),
        (&["export", &id, "--to", "pdf"], 2, "usage"),
        (&["export", &id, "--force"], 2, "usage"),
        (&["export", &id, "-o", path], 3, "missing"),
        (&["export", "nobody"], 3, "missing"),
    ] {
        let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
        let run = scene.run(&all);
        assert_eq!((run.status, run.error_kind().as_str()), (status, kind), "{args:?}");
        assert_eq!(run.out, "", "{args:?}");
    }
}

#[test]
fn a_hole_ends_what_is_printed_and_keeps_a_file_from_being_made() {
    let scene = Scene::with_messages(5);
    let journal = scene.journal("s");
    let mut bytes = fs::read(&journal).unwrap();
    let at = bytes.windows(9).position(|window| window == b"message 2").unwrap();
    bytes[at] = b'M';
    fs::write(&journal, &bytes).unwrap();
    let printed = scene.run(&["export", "s"]);
    assert_eq!((printed.status, printed.out.lines().count()), (5, 2), "{}", printed.err);
    let folder = scene.folder().join("pages");
    fs::create_dir(&folder).unwrap();
    let run = scene.run(&["export", "s", "-o", folder.join("x").to_str().unwrap()]);
    assert_eq!(run.status, 5);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);

    // Who wants what is left gets it, and is told what is not.
    let printed = scene.run(&["export", "s", "--skip-damaged"]);
    assert_eq!((printed.status, printed.out.lines().count()), (0, 4));
    assert!(!printed.out.contains("essage 2"), "{}", printed.out);
    assert!(
        printed.err.contains("entries 3 to 3 were left out: entry 3 at byte"),
        "{}",
        printed.err
    );
    let path = folder.join("x");
    let args = ["--json", "export", "s", "--skip-damaged", "-o", path.to_str().unwrap()];
    let row = scene.done(&args, "").json().remove(0);
    assert_eq!((&row["left_out"][0]["from"], &row["left_out"][0]["to"]), (&3.into(), &3.into()));
    assert_eq!(fs::read_to_string(path).unwrap(), printed.out);
    let whole = Scene::with_messages(5);
    let skipped = whole.done(&["export", "s", "--skip-damaged"], "");
    assert_eq!(skipped.out, whole.done(&["export", "s"], "").out);
}
