//! What a session belongs to: compared, and changed by accepting what was shown.

use serde_json::json;

use crate::scene::{Run, Scene};

/// The digest by which an error says that the difference is accepted.
fn shown(run: &Run) -> String {
    let (_, rest) = run.err.split_once("accept difference ").unwrap();
    rest.chars().take_while(char::is_ascii_hexdigit).collect()
}

fn info(scene: &Scene) -> serde_json::Value {
    scene.done(&["--json", "info", "s"], "").json()[0].clone()
}

#[test]
fn another_identity_is_told_and_changes_nothing_until_that_difference_is_accepted() {
    let scene = Scene::new();
    let created = ["model=\"large\"", "roster=[\"ann\",\"bob\"]", "workspace=\"/w\""];
    let [model, roster, workspace] = created;
    let mut new = vec!["new", "--id", "s", "--project", "shop"];
    new.extend(created.iter().flat_map(|field| ["--identity", field]));
    scene.done(&new, "");
    let same = ["--identity", model, "--identity", "roster=[\"bob\",\"ann\"]"];
    scene.done(&[&["info", "s", "--identity", "project=\"shop\""], &same[..]].concat(), "");
    scene.done(&[&["append", "s"], &same[..]].concat(), "\"hi\"");
    let known = info(&scene);
    let identity = json!({
        "project": "shop", "model": "large", "roster": ["ann", "bob"], "workspace": "/w"
    });
    assert_eq!((&known["identity"], &known["accepted_identity"]), (&identity, &json!(null)));

    let before = std::fs::read(scene.journal("s")).unwrap();
    let other = ["--identity", "model=\"small\""];
    let told = r#"identity.model differs: saved is "large", current is "small""#;
    for command in [&["info", "s"][..], &["append", "s"]] {
        let run = scene.run_with(&[command, &other[..]].concat(), "\"more\"");
        assert_eq!(run.status, 4);
        assert!(run.err.contains(told), "{}", run.err);
        assert!(run.out.is_empty());
    }
    let digest = shown(&scene.run(&[&["info", "s"], &other[..]].concat()));
    assert_eq!(digest.len(), 64);
    let accept = |field: &str, digest: &str| {
        let args = ["accept", "s", "--identity", field, "--difference", digest, "--by", "ann"];
        scene.run(&[&["--json"], &args[..]].concat())
    };
    // Another difference than the one that was shown.
    let run = accept("model=\"tiny\"", &digest);
    assert_eq!((run.status, run.error_kind().as_str()), (4, "conflict"));
    assert_eq!(std::fs::read(scene.journal("s")).unwrap(), before);

    let run = accept("model=\"small\"", &digest);
    assert_eq!(run.json(), [json!({"session": "s", "accepted": true, "position": 3})]);
    // Once more is nothing more.
    let run = accept("model=\"small\"", &digest);
    assert_eq!(run.json(), [json!({"session": "s", "accepted": false, "position": 3})]);
    scene.done(&[&["info", "s"], &other[..]].concat(), "");
    let back = scene.run(&["info", "s", "--identity", model]);
    assert_eq!(back.status, 4, "{}", back.err);

    let known = info(&scene);
    assert_eq!(known["identity"]["model"], "small");
    let accepted = &known["accepted_identity"];
    assert_eq!((&accepted["by"], &accepted["saved"]), (&json!("ann"), &identity));
    assert_eq!(accepted["current"], known["identity"]);
    let people = scene.done(&["info", "s"], "").out;
    let row = |name: &str| people.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!((row("identity"), row("accepted"), row("meta")), (3, 1, 0), "{people}");
    assert!(people.contains(" by ann\n") && people.contains(workspace), "{people}");
    let shown = scene.done(&["--json", "show", "s", "--events"], "").json();
    let history = shown.iter().filter(|entry| entry["type"] == "meta");
    let history: Vec<_> = history.map(|entry| entry["data"]["accepted-identity"].clone()).collect();
    assert_eq!(history, std::slice::from_ref(accepted));
    assert!(people.contains(roster), "{people}");
}

#[test]
fn what_was_accepted_is_not_set_as_other_metadata_is() {
    let scene = Scene::with_messages(1);
    let before = std::fs::read(scene.journal("s")).unwrap();
    for args in
        [&["meta", "s", "accepted-identity=null"][..], &["new", "--meta", "accepted-identity={}"]]
    {
        let run = scene.run(args);
        assert_eq!(run.status, 1, "{}", run.err);
        assert!(run.err.contains("accepted-identity"), "{}", run.err);
    }
    assert_eq!(std::fs::read(scene.journal("s")).unwrap(), before);
    assert_eq!(scene.done(&["--json", "list"], "").json().len(), 1);
}

#[test]
fn a_session_that_goes_on_in_another_project_is_found_by_the_one_it_was_created_in_everywhere() {
    let scene = Scene::new();
    scene.done(&["new", "--id", "s", "--project", "shop", "--title", "plums"], "");
    let other = ["--identity", "project=\"depot\""];
    let digest = shown(&scene.run(&[&["info", "s"], &other[..]].concat()));
    scene.done(&[&["accept", "s", "--difference", &digest], &other[..]].concat(), "");
    // Opened by this handle, and noted for others.
    let said = json!({"role": "user", "content": "pears"}).to_string();
    scene.done(&[&["append", "s"], &other[..]].concat(), &said);
    for noted in [true, false] {
        if !noted {
            scene.forget_what_was_noted();
        }
        for (project, rows) in [("shop", 1), ("depot", 0)] {
            for command in [
                &["list"][..],
                &["search", "plums"],
                &["search", "pears", "--text"],
                &["prune", "--keep-last", "9", "--dry-run"],
            ] {
                let args = [&["--json"], command, &["--project", project]].concat();
                assert_eq!(scene.done(&args, "").json().len(), rows, "{args:?}, {noted}");
            }
        }
        let listed = scene.done(&["--json", "list"], "").json().remove(0);
        let known = info(&scene);
        assert_eq!((&listed["project"], &known["project"]), (&json!("shop"), &json!("shop")));
        assert_eq!(known["identity"]["project"], "depot");
    }
}
