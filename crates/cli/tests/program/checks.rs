//! What is said of a place before traffic.

use serde_json::json;

use crate::scene::Scene;

#[test]
fn a_good_place_is_told_so_and_left_as_it_was() {
    let scene = Scene::new();
    let folder = format!("file:{}", scene.folder().join("x/y").display());
    for place in ["memory:", "memory:name", folder.as_str()] {
        let run = scene.done(&["check", place], "");
        assert!(run.out.ends_with(&format!("{place} can keep a store\n")), "{}", run.out);
        assert!(run.out.lines().rev().skip(1).all(|line| line.starts_with("ok ")), "{}", run.out);
        let rows = scene.done(&["--json", "check", place], "").json();
        assert_eq!(rows.len(), 1);
        assert_eq!((&rows[0]["place"], &rows[0]["ok"]), (&json!(place), &json!(true)));
        for finding in rows[0]["findings"].as_array().unwrap() {
            assert!(finding["name"].is_string() && finding["detail"].is_string(), "{finding}");
            assert_eq!(finding["ok"], true, "{finding}");
        }
    }
    assert_eq!(std::fs::read_dir(scene.folder()).unwrap().count(), 0);
}

#[test]
fn a_store_may_be_checked_while_it_is_in_use() {
    let scene = Scene::with_messages(1);
    let place = format!("file:{}", scene.folder().join("store").display());
    scene.done(&["check", &place], "");
    assert_eq!(scene.run(&["verify"]).status, 0);
    assert_eq!(scene.done(&["--json", "show", "s"], "").json().len(), 1);
}

#[test]
fn a_place_that_fails_or_does_not_answer_has_a_status_of_its_own() {
    let scene = Scene::new();
    // Nothing can be made in there, whoever asks.
    let run = scene.run(&["check", "file:///proc/sessile"]);
    assert_eq!(run.status, 6, "{}", run.err);
    assert!(run.out.contains("FAILS  writing: "), "{}", run.out);
    let run = scene.run(&["--json", "check", "file:///proc/sessile"]);
    assert_eq!((run.status, run.err.as_str()), (6, ""));
    assert_eq!(run.json()[0]["ok"], false);
    // Nobody listens there. Whether that is found out before time is up makes no difference.
    let nobody = "s3://b/p?endpoint=http://127.0.0.1:1&allow_http=true&skip_signature=true";
    let run = scene.run(&["check", "--timeout", "2", nobody]);
    assert_eq!(run.status, 6, "{}", run.err);
    assert!(!format!("{}{}", run.out, run.err).contains("can keep"), "{}", run.out);
}

#[test]
fn what_is_no_place_is_usage_and_is_not_repeated() {
    let scene = Scene::new();
    let no_store = format!("file:{}", scene.folder().display());
    std::fs::write(scene.folder().join("other"), "").unwrap();
    for place in [
        "",
        "hush",
        "ftp://hush",
        "file://host/hush",
        "s3://",
        "s3://id:hush@bucket/p",
        "s3://bucket/p?secret_access_key=hush",
        "s3://bucket/p?endpoint=https://id:hush@host",
        "gs://bucket/p?bearer_token=hush",
        "az://container/p?account=a&sas_token=hush",
        no_store.as_str(),
    ] {
        let run = scene.run(&["--json", "check", place]);
        assert_eq!((run.status, run.error_kind().as_str()), (2, "invalid-place"), "{place}");
        assert_eq!(run.out, "", "{place}");
        assert!(!run.err.contains("hush"), "{}", run.err);
        let run = scene.run(&["check", place]);
        assert!(run.status == 2 && !run.err.contains("hush"), "{place}: {}", run.err);
    }
}
