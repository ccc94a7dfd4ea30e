//! Exit statuses and the kinds of errors.

use crate::scene::Scene;

/// Runs a command that fails; answers its status and the kind that it tells.
fn failure(scene: &Scene, args: &[&str], input: &str) -> (i32, String) {
    let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
    let run = scene.run_with(&all, input);
    assert_eq!(run.out, "", "{args:?}: data although it failed");
    (run.status, run.error_kind())
}

#[test]
fn each_kind_of_failure_has_its_status() {
    let scene = Scene::with_messages(1);
    let message = "{}";
    for (args, input, status, kind) in [
        (&["info", "../x"][..], "", 2, "invalid-id"),
        (&["new", "--id", ".x"], "", 2, "invalid-id"),
        (&["--space", "a/b", "list"], "", 2, "invalid-id"),
        (&["--store", "ftp://x", "list"], "", 2, "invalid-place"),
        (&["--store", "s3://", "list"], "", 2, "invalid-place"),
        (&["new", "--meta", "nothing"], "", 2, "usage"),
        (&["new", "--meta", "k=text"], "", 2, "usage"),
        (&["import", ".", "--from", "x"], "", 2, "usage"),
        (&["show", "s", "--from", "9007199254740991"], "", 2, "usage"),
        (&["info", "nobody"], "", 3, "missing"),
        (&["append", "nobody"], message, 3, "missing"),
        (&["import", "no/such/file"], "", 3, "missing"),
        (&["new", "--id", "s"], "", 4, "exists"),
        (&["append", "s", "--expect", "7"], message, 4, "conflict"),
        (&["append", "s"], "no json", 1, "refused"),
        (&["append", "s"], "", 1, "refused"),
        (&["list", "--after", "nonsense"], "", 2, "usage"),
        (&["import", "src"], "", 1, "refused"),
    ] {
        assert_eq!(failure(&scene, args, input), (status, kind.to_owned()), "{args:?}");
    }
    let rows = scene.done(&["--json", "show", "s"], "").json();
    assert_eq!(rows.len(), 1, "nothing of it was applied");
}

#[test]
fn a_command_line_that_asks_for_nothing_is_usage() {
    let scene = Scene::new();
    for args in [&[][..], &["frobnicate"], &["show"], &["append", "s", "--expect", "x"]] {
        let run = scene.run(args);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{args:?}");
        assert!(!run.err.is_empty());
    }
    for args in [&["--help"][..], &["--version"], &["append", "--help"]] {
        assert_eq!(scene.run(args).status, 0, "{args:?}");
    }
}

#[test]
fn an_error_for_people_names_the_thing_the_reason_and_the_way_out() {
    let scene = Scene::with_messages(1);
    let run = scene.run_with(&["append", "s", "--expect", "7"], "{}");
    assert_eq!(run.status, 4);
    assert!(run.err.contains("session s: the journal ends at position 2, not at 7"), "{}", run.err);
    assert_eq!(run.err.lines().count(), 2, "{}", run.err);
}
