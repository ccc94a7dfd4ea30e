//! Importing session files of several layouts.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::scene::Scene;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/session-files").join(name)
}

/// Each file below a folder with its bytes.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push((path.clone(), fs::read(path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_folder_of_every_layout_is_taken_over_once_and_left_as_it_was() {
    for layout in ["current", "older", "mixed", "torn"] {
        let scene = Scene::new();
        let root = fixture(layout);
        let before = tree(&root);
        let rows = scene.done(&["--json", "import", root.to_str().unwrap()], "").json();
        assert!(rows.len() > 2, "{layout}");
        let mut ids: Vec<&str> = rows.iter().map(|row| row["session"].as_str().unwrap()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), rows.len(), "{layout}: a session stands twice");
        let list = scene.done(&["list"], "").out;
        let args = ["--json", "import", root.to_str().unwrap(), "--from", "legacy"];
        let again = scene.done(&args, "").json();
        for (first, again) in rows.iter().zip(&again) {
            assert_eq!(first["format"], "legacy");
            assert_eq!(
                (&first["session"], &first["messages"]),
                (&again["session"], &again["messages"])
            );
            assert_eq!(again["added"], 0, "{layout}");
        }
        assert_eq!(scene.done(&["list"], "").out, list, "{layout}");
        assert_eq!(tree(&root), before, "{layout}");
    }
}

#[test]
fn all_older_messages_stand_before_the_newer_ones() {
    let scene = Scene::new();
    let root = fixture("mixed");
    let log = root.join("sessions/ses_appended.jsonl");
    scene.done(&["import", log.to_str().unwrap(), "--from", "legacy"], "");
    assert_eq!(scene.done(&["--json", "list"], "").json().len(), 1, "one session is meant");
    let shown = scene.done(&["--json", "show", "ses_appended"], "").json();
    let shown: Vec<String> = shown.iter().map(|row| row["data"].to_string()).collect();
    let lines = |path: &str| -> Vec<String> {
        let text = fs::read_to_string(root.join(path)).unwrap();
        let values = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        values.filter(|value| value["role"].is_string()).map(|value| value.to_string()).collect()
    };
    let (old, new) = (lines("messages/ses_appended.jsonl"), lines("sessions/ses_appended.jsonl"));
    assert!(!old.is_empty() && !new.is_empty());
    assert_eq!(shown, [old, new].concat());
}

#[test]
fn what_is_damaged_is_told_and_does_not_stop_the_others() {
    let scene = Scene::new();
    let root = fixture("damaged");
    let rows = scene.done(&["--json", "import", root.to_str().unwrap()], "").json();
    let (damaged, taken): (Vec<&Value>, Vec<&Value>) =
        rows.iter().partition(|row| row["damaged"].is_string());
    assert!(damaged.len() > 9);
    assert!(taken.iter().any(|row| row["session"] == "ses_sound"), "{taken:?}");
    for row in damaged {
        let id = row["id"].as_str().unwrap();
        assert!(row["source"].as_str().unwrap().contains(id), "{row}");
    }
}

#[test]
fn a_file_in_place_of_the_folder_is_an_error_and_no_empty_list() {
    let scene = Scene::new();
    let root = scene.folder().join("old");
    fs::create_dir(&root).unwrap();
    let root_text = root.to_str().unwrap();
    let run = scene.run(&["--json", "import", root_text, "--from", "legacy"]);
    assert_eq!((run.status, run.error_kind().as_str()), (1, "refused"));
    fs::write(root.join("sessions"), "").unwrap();
    let run = scene.run(&["--json", "import", root_text]);
    assert_eq!((run.status, run.error_kind().as_str()), (5, "corrupt"));
}

#[test]
fn what_was_imported_is_exported_as_a_log_that_is_imported_alike() {
    let scene = Scene::new();
    let root = fixture("mixed");
    scene.done(&["import", root.to_str().unwrap()], "");
    let shown = |scene: &Scene, id: &str| {
        let rows = scene.done(&["--json", "show", id], "").json();
        // A log says of each of its lines what it is.
        let kind = ("type".to_owned(), Value::from("message"));
        let said = rows.iter().map(|row| {
            let mut data = row["data"].as_object().unwrap().clone();
            data.extend([kind.clone()]);
            data
        });
        said.collect::<Vec<_>>()
    };
    let other = Scene::new();
    let folder = other.folder().join("out/sessions");
    fs::create_dir_all(&folder).unwrap();
    for id in ["ses_appended", "ses_touched"] {
        let args = ["--json", "export", id, "--to", "legacy", "-o", folder.to_str().unwrap()];
        let row = scene.done(&args, "").json().remove(0);
        assert_eq!(row["path"], folder.join(format!("{id}.jsonl")).to_str().unwrap());
        let printed = scene.done(&["export", id, "--to", "legacy"], "").out;
        assert_eq!(fs::read_to_string(row["path"].as_str().unwrap()).unwrap(), printed);
    }
    other.done(&["import", folder.parent().unwrap().to_str().unwrap()], "");
    for id in ["ses_appended", "ses_touched"] {
        assert_eq!(shown(&other, id), shown(&scene, id), "{id}");
        let title =
            |scene: &Scene| scene.done(&["--json", "info", id], "").json()[0]["title"].clone();
        assert_eq!(title(&other), title(&scene), "{id}");
    }
}

#[test]
fn members_that_are_not_known_outlive_import_and_export() {
    let scene = Scene::new();
    let root = scene.folder().join("old");
    for folder in ["sessions", "messages"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    let times = r#""created_at":1790000000000,"updated_at":1790000300000"#;
    let others = r#""pinned":true,"budget":{"usd":1.50,"of":[1e2,"\ud83d"]}"#;
    let log = format!(
        "{{\"type\":\"session\",\"id\":\"ses_log\",{times},{others}}}\n\
         {{\"type\":\"message\",\"role\":\"user\",\"content\":\"Hi.\"}}\n"
    );
    fs::write(root.join("sessions/ses_log.jsonl"), &log).unwrap();
    let record = format!("{{\"id\":\"ses_record\",{others},{times}}}");
    fs::write(root.join("sessions/ses_record.json"), record).unwrap();
    let message = "{\"role\":\"user\",\"content\":\"Hi.\"}\n";
    fs::write(root.join("messages/ses_record.jsonl"), message).unwrap();
    scene.done(&["import", root.to_str().unwrap()], "");
    for id in ["ses_log", "ses_record"] {
        let written = scene.done(&["export", id, "--to", "legacy"], "").out;
        let header = written.lines().next().unwrap();
        assert!(header.ends_with(&format!("{others}}}")), "{id}: {header}");
        // What is written is read again, and written alike.
        let other = Scene::new();
        let folder = other.folder().join("out/sessions");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{id}.jsonl")), &written).unwrap();
        other.done(&["import", folder.parent().unwrap().to_str().unwrap()], "");
        let again = other.done(&["export", id, "--to", "legacy"], "").out;
        assert!(again.lines().next().unwrap().ends_with(&format!("{others}}}")), "{again}");
    }
}

#[test]
fn a_log_whose_header_was_written_anew_is_another_source() {
    let scene = Scene::new();
    let folder = scene.folder().join("old/sessions");
    fs::create_dir_all(&folder).unwrap();
    let root = folder.parent().unwrap().to_str().unwrap();
    let log = |updated_at: u64, messages: usize| {
        let header = format!(
            "{{\"type\":\"session\",\"id\":\"ses_1\",\"created_at\":5,\"updated_at\":{updated_at}}}\n"
        );
        let message = "{\"type\":\"message\",\"role\":\"user\",\"content\":\"Hi.\"}\n";
        fs::write(folder.join("ses_1.jsonl"), header + &message.repeat(messages)).unwrap();
    };
    let messages = |id: &str| scene.done(&["--json", "info", id], "").json()[0]["messages"].clone();
    log(6, 1);
    scene.done(&["import", root], "");
    // Grown at its end it goes on as the same.
    log(6, 2);
    scene.done(&["import", root], "");
    assert_eq!(messages("ses_1"), 2);
    log(7, 3);
    let run = scene.run(&["--json", "import", root]);
    assert_eq!((run.status, run.error_kind().as_str()), (4, "conflict"), "{}", run.err);
    assert!(run.err.contains("--as NEW"), "{}", run.err);
    assert_eq!(messages("ses_1"), 2, "nothing was changed");
    scene.done(&["import", root, "--as", "ses_2"], "");
    assert_eq!((messages("ses_1"), messages("ses_2")), (2.into(), 3.into()));
}

#[test]
fn a_folder_of_which_nothing_can_be_read_is_corrupt() {
    let scene = Scene::new();
    let folder = scene.folder().join("old/sessions");
    fs::create_dir_all(&folder).unwrap();
    for name in ["ses_no_id", "ses_no_time"] {
        let from = fixture("damaged/sessions").join(format!("{name}.jsonl"));
        fs::copy(from, folder.join(format!("{name}.jsonl"))).unwrap();
    }
    let root = folder.parent().unwrap().to_str().unwrap();
    let run = scene.run(&["--json", "import", root]);
    assert_eq!((run.status, run.error_kind().as_str()), (5, "corrupt"), "{}", run.err);
    let rows = run.json();
    assert!(rows.iter().all(|row| row["damaged"].is_string()), "{rows:?}");
    assert_eq!(rows.len(), 2, "each is told");
    fs::copy(fixture("damaged/sessions/ses_sound.jsonl"), folder.join("ses_sound.jsonl")).unwrap();
    assert_eq!(scene.done(&["--json", "import", root], "").json().len(), 3);
}
