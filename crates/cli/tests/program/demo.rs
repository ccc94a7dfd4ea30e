//! The demonstration.

use crate::scene::{Scene, fixture};

#[test]
fn it_recovers_and_leaves_nothing_behind() {
    let scene = Scene::new();
    let run = scene.done(&["demo"], "");
    for said in ["import", "resume", "append", "tear", "reopen", "recover", "sound"] {
        assert!(run.out.contains(said), "{said}: {}", run.out);
    }
    let steps = scene.done(&["--json", "demo"], "").json();
    assert_eq!(steps.last().unwrap()["step"], "verify");
    assert_eq!(std::fs::read_dir(scene.folder()).unwrap().count(), 0);
}

#[test]
fn a_folder_of_its_own_stays_and_one_that_exists_is_left_alone() {
    let scene = Scene::new();
    let folder = scene.folder().join("demo");
    let folder = folder.to_str().unwrap();
    let run = scene.done(&["demo", folder], "");
    assert!(run.err.contains(folder), "{}", run.err);
    let store = format!("file:{folder}");
    assert_eq!(scene.done(&["--json", "--store", &store, "list"], "").json().len(), 1);
    assert_eq!(scene.run(&["demo", folder]).status, 4);
}

#[test]
fn its_session_file_is_the_fixture() {
    let own = include_bytes!("../../demo/weather.jsonl");
    assert!(std::fs::read(fixture("claude-code-weather.jsonl")).unwrap() == own);
}
