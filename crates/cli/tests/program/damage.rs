//! Torn tails and holes, seen from the command line.

use std::fs::{self, OpenOptions};

use crate::scene::Scene;

fn cut(scene: &Scene, bytes: u64) {
    let path = scene.journal("s");
    let length = fs::read(&path).unwrap().trim_ascii_end().len();
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(u64::try_from(length).unwrap() - bytes).unwrap();
}

#[test]
fn a_torn_tail_is_told_set_aside_at_the_next_append_and_kept() {
    let scene = Scene::with_messages(3);
    cut(&scene, 10);
    let shown = scene.run(&["--json", "show", "s"]);
    assert_eq!((shown.status, shown.json().len()), (0, 2));
    assert!(shown.err.contains("bytes at offset"), "{}", shown.err);
    let verified = scene.run(&["--json", "verify", "s"]);
    assert_eq!(verified.status, 5);
    let aside = &verified.json()[0]["set_aside"][0];
    assert!(aside["bytes"].as_u64().unwrap() > 0 && aside["kept_at"].is_null(), "{aside}");

    scene.done(&["append", "s"], "{\"role\":\"user\",\"content\":\"next\"}");
    let verified = scene.done(&["--json", "verify"], "").json();
    assert_eq!(verified[0]["sound"], true);
    let kept_at = verified[0]["set_aside"][0]["kept_at"].as_str().unwrap();
    assert!(scene.folder().join("store").join(kept_at).exists());
    let shown = scene.done(&["--json", "show", "s"], "");
    assert_eq!(shown.json().last().unwrap()["data"]["content"], "next");
}

#[test]
fn a_repair_sets_a_torn_tail_aside_and_nothing_else() {
    let scene = Scene::with_messages(3);
    let repair = |more: &[&str]| {
        let args: Vec<&str> = ["--json", "repair", "s"].iter().chain(more).copied().collect();
        let run = scene.run(&args);
        (run.status, run.json().remove(0))
    };
    let (status, row) = repair(&[]);
    assert_eq!((status, &row["sound"], &row["repaired"]), (0, &true.into(), &0.into()));
    let sound = fs::read(scene.journal("s")).unwrap();

    cut(&scene, 10);
    let torn = fs::read(scene.journal("s")).unwrap();
    assert_ne!(torn, sound);
    let (status, row) = repair(&["--dry-run"]);
    assert_eq!((status, &row["sound"], &row["dry_run"]), (5, &false.into(), &true.into()));
    let bytes = row["repaired"].clone();
    assert!(bytes.as_u64().unwrap() > 0 && row["set_aside"][0]["kept_at"].is_null(), "{row}");
    assert_eq!(fs::read(scene.journal("s")).unwrap(), torn, "a dry run changes nothing");

    let (status, row) = repair(&[]);
    assert_eq!((status, &row["sound"], &row["repaired"]), (0, &true.into(), &bytes));
    assert_eq!((&row["session"], &row["entries"].is_u64()), (&"s".into(), &true));
    let kept_at = row["set_aside"][0]["kept_at"].as_str().unwrap();
    assert!(scene.folder().join("store").join(kept_at).exists());
    let (status, row) = repair(&[]);
    assert_eq!((status, &row["repaired"]), (0, &0.into()), "repaired once");
    assert_eq!(scene.done(&["--json", "show", "s"], "").json().len(), 2);
    assert_eq!(scene.run(&["repair", "nobody"]).status, 3);
}

#[test]
fn a_repair_leaves_a_hole_as_it_is() {
    let scene = Scene::with_messages(5);
    let path = scene.journal("s");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(9).position(|window| window == b"message 2").unwrap();
    bytes[at] = b'M';
    fs::write(&path, &bytes).unwrap();
    let run = scene.run(&["--json", "repair", "s"]);
    assert_eq!((run.status, &run.json()[0]["repaired"]), (5, &0.into()));
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert!(scene.done(&["--json", "info", "s"], "").json()[0]["calls"].is_null());
}

#[test]
fn a_hole_ends_the_transcript_and_is_never_skipped() {
    let scene = Scene::with_messages(5);
    let path = scene.journal("s");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(9).position(|window| window == b"message 2").unwrap();
    bytes[at] = b'M';
    fs::write(&path, &bytes).unwrap();

    let shown = scene.run(&["--json", "show", "s"]);
    assert_eq!((shown.status, shown.json().len()), (5, 2), "{}", shown.err);
    let verified = scene.run(&["--json", "verify", "s"]);
    assert_eq!(verified.status, 5);
    assert_eq!(verified.json()[0]["damage"][0]["seq"], 3);
    // What covers it is refused, what does not goes on.
    let tail = scene.done(&["--json", "show", "s", "--last", "2"], "").json();
    assert_eq!(tail.len(), 2);
    scene.done(&["append", "s"], "{}");
    let listed = scene.done(&["--json", "list", "--state", "damaged"], "").json();
    assert_eq!(listed[0]["id"], "s");
    let with_id = scene.run_with(&["--json", "append", "s", "--commit-id", "x"], "{}");
    assert_eq!(with_id.status, 5, "whether that commit is in the hole can't be told");
}

#[test]
fn damage_that_reaches_the_end_does_not_stop_what_comes_after() {
    let scene = Scene::with_messages(2);
    let lines = (0..300).map(|number| format!("{{\"n\":{number}}}")).collect::<Vec<_>>().join("\n");
    scene.done(&["append", "s"], &lines);
    scene.done(&["append", "s"], &lines);
    // The end of one commit and the beginning of the next, whose last line vouches for the first.
    let path = scene.journal("s");
    let mut bytes = fs::read(&path).unwrap();
    let second = bytes.windows(8).rposition(|window| window == b"{\"n\":0},").unwrap();
    bytes[second - 200..second + 200].fill(0);
    fs::write(&path, &bytes).unwrap();

    scene.done(&["append", "s"], "{\"role\":\"user\",\"content\":\"after\"}");
    scene.done(&["append", "s"], "{\"role\":\"user\",\"content\":\"and again\"}");
    let last = scene.done(&["--json", "show", "s", "--last", "2"], "").json();
    assert_eq!(last[0]["data"]["content"], "after");
    assert!(last[0]["seq"].as_u64().unwrap() > 602, "no number is given twice");
    assert_eq!(scene.run(&["--json", "verify", "s"]).status, 5);
}

#[test]
fn a_session_without_a_readable_header_is_listed_and_never_missing() {
    let scene = Scene::with_messages(1);
    let path = scene.journal("s");
    let length = fs::read(&path).unwrap().len();
    fs::write(&path, vec![0; length]).unwrap();
    let listed = scene.done(&["--json", "list"], "").json();
    assert_eq!((&listed[0]["id"], &listed[0]["damaged"]), (&"s".into(), &true.into()));
    for args in [&["--json", "info", "s"][..], &["--json", "show", "s"], &["--json", "append", "s"]]
    {
        let run = scene.run_with(args, "{}");
        assert_eq!((run.status, run.error_kind().as_str()), (5, "corrupt"), "{args:?}");
    }
    assert_eq!(scene.run(&["verify"]).status, 5);
    assert_eq!(fs::read(&path).unwrap(), vec![0; length], "looking at it changed nothing");
}
