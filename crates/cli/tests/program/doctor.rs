//! What is wrong, and what a repair would do.

use std::fs;

use serde_json::json;

use crate::held;
use crate::scene::Scene;

#[test]
fn a_sound_store_has_nothing_to_say() {
    let scene = Scene::with_messages(2);
    let run = scene.done(&["doctor"], "");
    assert_eq!(run.out, "");
    assert_eq!(run.err, "sessile: 1 session examined, 0 with something to say, 0 not sound\n");
}

#[test]
fn a_torn_tail_is_explained_before_it_is_repaired() {
    let scene = Scene::with_messages(2);
    let journal = scene.journal("s");
    let mut bytes = fs::read(&journal).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != b'\n').unwrap();
    bytes.truncate(end - 10);
    fs::write(&journal, &bytes).unwrap();
    let run = scene.run(&["doctor", "s"]);
    assert_eq!(run.status, 5, "{}", run.err);
    for told in
        ["s: NOT SOUND", "are torn", "so: they are not served", "--repair: a repair keeps them"]
    {
        assert!(run.out.contains(told), "{told}: {}", run.out);
    }
    assert_eq!(fs::read(&journal).unwrap(), bytes, "looking changes nothing");
    let run = scene.done(&["doctor", "s", "--repair"], "");
    let (told, done) =
        (run.out.find("are torn").unwrap(), run.out.find("repaired: it is sound").unwrap());
    assert!(told < done, "{}", run.out);
    assert_eq!(scene.done(&["--json", "doctor", "s"], "").json()[0]["ailments"], json!([]));
}

#[test]
fn damage_is_left_to_a_person_and_the_ways_on_are_named() {
    let scene = Scene::with_messages(4);
    let journal = scene.journal("s");
    let damaged = fs::read_to_string(&journal).unwrap().replace("message 1", "message X");
    fs::write(&journal, &damaged).unwrap();
    let run = scene.run(&["--json", "doctor", "s", "--repair"]);
    assert_eq!(run.status, 5);
    let row = &run.json()[0];
    assert_eq!((&row["sound"], &row["repaired"]), (&json!(false), &json!(false)));
    assert_eq!(row["ailments"][0]["remedy"], "decide");
    let would = row["ailments"][0]["would"].as_str().unwrap();
    assert!(would.contains("sessile fork s --at 1") && would.contains("--skip-damaged"), "{would}");
    // The way on is one.
    scene.done(&["fork", "s", "--at", "1", "--as", "t"], "");
    assert_eq!(fs::read_to_string(&journal).unwrap(), damaged, "nothing was changed");
}

#[test]
fn who_holds_a_session_is_told_with_what_lets_go_of_it() {
    let scene = Scene::new();
    held::hold(&scene, "h");
    let run = scene.done(&["doctor", "h"], "");
    assert!(run.out.contains("request r1 holds it by claim 2"), "{}", run.out);
    assert!(run.out.contains("sessile recover h r1 --claim 2 --retry"), "{}", run.out);
}
