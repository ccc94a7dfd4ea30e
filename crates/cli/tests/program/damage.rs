//! Torn tails and holes, seen from the command line.

use std::fs::{self, OpenOptions};

use serde_json::{Value, json};

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
fn a_redaction_that_was_cut_short_is_told_and_repaired() {
    let scene = Scene::with_messages(3);
    let path = scene.journal("s");
    let mut bytes = fs::read(&path).unwrap().trim_ascii_end().to_vec();
    scene.done(&["redact", "s", "2"], "");
    // As a crash leaves it that comes when the redaction is recorded, and not done yet.
    let redacted = fs::read(&path).unwrap().trim_ascii_end().to_vec();
    let record = redacted.rsplit(|byte| *byte == b'\n').next().unwrap();
    bytes.push(b'\n');
    bytes.extend(record);
    bytes.push(b'\n');
    fs::write(&path, bytes).unwrap();

    let verified = scene.done(&["--json", "verify", "s"], "").json();
    assert_eq!(verified[0]["sound"], true);
    assert_eq!(verified[0]["unfinished"], json!([{"seq": 2, "what": "redacted"}]));
    let told = scene.done(&["verify", "s"], "").out;
    assert!(told.contains("entry 2 is recorded as redacted and still there"), "{told}");

    let row = scene.done(&["--json", "repair", "s", "--dry-run"], "").json();
    assert_eq!((&row[0]["removed"], &row[0]["unfinished"][0]["seq"]), (&1.into(), &2.into()));
    let row = scene.done(&["--json", "repair", "s"], "").json();
    assert_eq!((&row[0]["removed"], &row[0]["unfinished"]), (&1.into(), &json!([])));
    let rows = scene.done(&["--json", "show", "s"], "").json();
    assert_eq!(rows[1]["data"], json!({"redacted": true}));
    assert_eq!(rows[0]["data"]["content"], "message 0");
    assert_eq!(scene.done(&["--json", "repair", "s"], "").json()[0]["removed"], 0);
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
    // What stands behind the hole, entry 3, is examined.
    let examined = scene.done(&["--json", "info", "s"], "").json()[0]["examined"].clone();
    assert_eq!(examined, serde_json::json!({"from": 4, "whole": false}));
    let text = scene.done(&["info", "s", "--whole"], "").out;
    assert!(text.contains("from entry 4 on"), "{text}");
}

/// A session of ten messages of which the one with a number can't be read.
fn with_a_hole(number: usize) -> Scene {
    let scene = Scene::with_messages(10);
    let path = scene.journal("s");
    let mut bytes = fs::read(&path).unwrap();
    let name = format!("message {number}");
    let at = bytes.windows(name.len()).position(|window| window == name.as_bytes()).unwrap();
    bytes[at] = b'M';
    fs::write(&path, &bytes).unwrap();
    scene
}

#[test]
fn every_way_out_of_a_hole_works_without_what_lies_there() {
    let scene = with_a_hole(4);
    let shown = |args: &[&str]| {
        let all: Vec<&str> = ["--json", "show"].iter().chain(args).copied().collect();
        let run = scene.run(&all);
        (run.status, run.json().len())
    };
    // Entry 5 is the hole. Fork from before it, and from behind it.
    scene.done(&["fork", "s", "--at", "4", "--as", "before"], "");
    assert_eq!(shown(&["before"]), (0, 4));
    scene.done(&["fork", "s", "--as", "behind"], "");
    assert_eq!(shown(&["behind"]), (5, 4));
    assert_eq!(shown(&["behind", "--last", "5"]), (0, 5));
    let verified = scene.done(&["--json", "verify", "behind"], "").json().remove(0);
    assert_eq!(
        (&verified["sound"], &verified["lost"]),
        (&true.into(), &json!([{"from": 5, "to": 5}]))
    );
    let told = scene.done(&["verify", "behind"], "").out;
    assert!(told.contains("entries 5 to 5 could not be read when it was forked"), "{told}");
    let info = scene.done(&["--json", "info", "behind"], "").json().remove(0);
    assert_eq!((&info["damaged"], &info["lost"]), (&true.into(), &verified["lost"]));
    let told = scene.done(&["info", "behind"], "").out;
    assert!(told.contains("entries 5 to 5"), "{told}");
    // A summary of all up to behind it, and what is kept.
    let summary = scene.folder().join("summary");
    fs::write(&summary, "\"up to 6\"").unwrap();
    for id in ["s", "behind"] {
        let file = summary.to_str().unwrap();
        scene.done(&["compact", id, "--summary", file, "--keep-from", "8"], "");
        scene.done(&["append", id], "{}");
        assert_eq!(shown(&[id, "--last", "3"]), (0, 3));
        let exported = scene.run(&["export", id, "--skip-damaged"]);
        assert_eq!((exported.status, exported.out.lines().count()), (0, 10), "{}", exported.err);
    }
    // Going back to before it takes it out of the way.
    scene.done(&["rewind", "s", "--to", "4"], "");
    assert_eq!(shown(&["s"]), (0, 4));
}

#[test]
fn a_fork_that_was_cut_short_is_neither_damaged_nor_a_session() {
    let scene = Scene::with_messages(5);
    scene.done(&["fork", "s", "--at", "5", "--as", "f"], "");
    let path = scene.journal("f");
    let whole = fs::read_to_string(&path).unwrap();
    let cut: String = whole.lines().take(4).map(|line| line.to_owned() + "\n").collect();
    fs::write(&path, &cut).unwrap();
    scene.forget_what_was_noted();
    for args in [&["show", "f"][..], &["info", "f"], &["append", "f"], &["export", "f"]] {
        let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
        let run = scene.run_with(&all, "{}");
        assert_eq!((run.status, run.error_kind().as_str()), (5, "incomplete"), "{args:?}");
        assert!(run.err.contains("make the same copy under the same id again"), "{}", run.err);
    }
    let row = |id: &str| {
        let rows = scene.done(&["--json", "list"], "").json();
        rows.into_iter().find(|row| row["id"] == id).unwrap()
    };
    assert_eq!((&row("f")["incomplete"], &row("f")["damaged"]), (&true.into(), &false.into()));
    assert!(scene.done(&["list"], "").out.contains("[incomplete]"));
    let run = scene.run(&["--json", "verify", "f"]);
    let verified = run.json().remove(0);
    assert_eq!((run.status, &verified["incomplete"]), (5, &true.into()));
    assert_eq!(verified["damage"], json!([]));
    assert!(scene.run(&["verify", "f"]).out.contains("it is a fork that was cut short"));
    assert_eq!(fs::read_to_string(&path).unwrap(), cut, "looking changes nothing");

    scene.done(&["fork", "s", "--at", "5", "--as", "f"], "");
    assert_eq!(scene.done(&["--json", "show", "f"], "").json().len(), 5);
    assert_eq!(row("f")["incomplete"], false);
    assert_eq!(scene.done(&["--json", "verify", "f"], "").json()[0]["sound"], true);
}

#[test]
fn half_a_copy_is_completed_by_copying_again_whatever_a_repair_is_asked_for() {
    let scene = Scene::with_messages(5);
    let (from, to) = (scene.store(), format!("file:{}", scene.folder().join("to").display()));
    scene.done(&["copy", &from, &to, "s"], "");
    let copied = scene.done(&["--json", "--store", &to, "show", "s", "--events"], "").out;
    let path = scene.folder().join("to/spaces/default/sessions/s.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    // Killed in the middle of a write.
    let (at, _) = whole.match_indices("{\"seq\":4").next().unwrap();
    let (half, _) = whole.split_at(at + 40);
    fs::write(&path, half).unwrap();
    fs::remove_dir_all(scene.folder().join("to/spaces/default/catalog")).unwrap();

    let verified = scene.run(&["--json", "--store", &to, "verify", "s"]);
    assert_eq!((verified.status, &verified.json()[0]["copied_to"]), (5, &6.into()));
    for args in [&["repair", "s"][..], &["doctor", "s", "--repair"], &["repair", "s", "--dry-run"]]
    {
        let run = scene.run(&[&["--store", &to][..], args].concat());
        assert_eq!(run.status, 5, "{args:?}");
        let told = run.out + &run.err;
        assert!(told.contains("it is a copy that was cut short"), "{args:?}: {told}");
        assert_eq!(fs::read_to_string(&path).unwrap(), half, "{args:?}");
    }
    let refused = scene.run(&["--json", "--store", &to, "repair", "s"]);
    assert_eq!(refused.error_kind(), "incomplete");
    assert!(refused.err.contains("copy it again") && refused.err.contains("sessile fork"));
    // What is there may become a session of its own.
    scene.done(&["--store", &to, "fork", "s", "--as", "own"], "");
    scene.done(&["--store", &to, "append", "own"], "1");
    scene.done(&["--store", &to, "verify", "own"], "");

    let again = scene.done(&["--json", "copy", &from, &to, "s"], "").json();
    assert_eq!((&again[0]["commits"], &again[0]["added"]), (&6.into(), &2.into()));
    let shown = scene.done(&["--json", "--store", &to, "show", "s", "--events"], "").out;
    assert!(shown.lines().skip(1).eq(copied.lines().skip(1)), "{shown}");
    scene.done(&["--store", &to, "repair", "s"], "");
    let verified = scene.done(&["--json", "--store", &to, "verify", "s"], "").json();
    assert_eq!(verified[0]["copied_to"], Value::Null);
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
    // A state may stand between the two.
    let end = bytes.windows(9).position(|window| window == b"{\"n\":299}").unwrap();
    let begin = bytes.windows(8).rposition(|window| window == b"{\"n\":0},").unwrap();
    assert!(end < begin);
    bytes[end..begin + 200].fill(0);
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
    scene.forget_what_was_noted();
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
