//! Finding sessions by a word.

use serde_json::json;

use crate::scene::Scene;

/// Sessions with titles, and one that says something.
fn inhabited() -> Scene {
    let scene = Scene::new();
    for (id, title) in [("a", "Fix the Parser"), ("b", "Water the plants"), ("c", "Parse dates")] {
        scene.done(&["new", "--id", id, "--title", title, "--project", "shop"], "");
    }
    let said = json!({"role": "user", "content": "Two lines\nand a  PARSEC \u{1b}[31m away"});
    scene.done(&["append", "b"], &said.to_string());
    scene
}

fn ids(scene: &Scene, args: &[&str]) -> Vec<String> {
    let rows = scene.done(&[&["--json", "search"], args].concat(), "").json();
    rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_word_is_found_in_titles_and_in_what_was_said_where_that_is_asked_for() {
    let scene = inhabited();
    assert_eq!(ids(&scene, &["parse"]), ["c", "a"]);
    assert_eq!(ids(&scene, &["PARSE", "--text"]), ["b", "c", "a"]);
    assert_eq!(ids(&scene, &["plants"]), ["b"]);
    assert_eq!(ids(&scene, &["the p"]), ["b", "a"]);
    assert_eq!(ids(&scene, &["parse", "--project", "other"]), Vec::<String>::new());
    let row = &scene.done(&["--json", "search", "parsec", "--text"], "").json()[0];
    assert_eq!((&row["seq"], &row["ordinal"]), (&json!(2), &json!(1)));
    assert_eq!(row["excerpt"], "Two lines and a PARSEC \u{1b}[31m away");
    let run = scene.done(&["search", "parsec", "--text"], "");
    assert!(!run.out.contains('\u{1b}'), "nothing that a terminal acts upon: {:?}", run.out);
    let run = scene.done(&["search", "nothing like it"], "");
    assert_eq!(
        (run.out.as_str(), run.err.as_str()),
        ("", "sessile: nothing was found in 3 sessions\n")
    );
}

#[test]
fn a_search_ends_at_its_bound_and_tells_where_to_go_on() {
    let scene = inhabited();
    let run = scene.done(&["search", "fix", "--look-at", "2"], "");
    assert_eq!(run.out, "");
    let cursor = run.err.trim().strip_prefix("sessile: more with --after ").unwrap().to_owned();
    assert_eq!(ids(&scene, &["fix", "--look-at", "2", "--after", &cursor]), ["a"]);
    // No transcript is read beyond so many bytes.
    assert_eq!(ids(&scene, &["parsec", "--text", "--most-mib", "0"]), Vec::<String>::new());
}

#[test]
fn a_damaged_transcript_is_told_and_others_are_searched() {
    let scene = inhabited();
    let said = json!({"role": "user", "content": "parsec again"}).to_string();
    scene.done(&["append", "a"], &said);
    scene.done(&["append", "b"], &json!({"role": "user", "content": "more"}).to_string());
    let journal = scene.journal("b");
    let bytes = std::fs::read_to_string(&journal).unwrap().replace("Two lines", "Too lines");
    std::fs::write(&journal, bytes).unwrap();
    let run = scene.done(&["search", "parsec", "--text"], "");
    assert!(run.out.starts_with("a "), "{} {}", run.out, run.err);
    assert!(run.err.contains("session b was not read to its end"), "{}", run.err);
}
