//! Importing ledgers.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::scene::Scene;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/ledgers").join(name)
}

fn reasons(row: &Value, member: &str) -> Vec<(u64, String)> {
    let lines = row[member].as_array().unwrap().iter();
    lines
        .map(|it| (it["line"].as_u64().unwrap(), it["reason"].as_str().unwrap().to_owned()))
        .collect()
}

#[test]
fn a_ledger_is_found_to_be_one_and_taken_over_once() {
    let scene = Scene::new();
    let path = fixture("board.json");
    let path = path.to_str().unwrap();
    let rows = scene.done(&["--json", "import", path], "").json();
    assert_eq!(rows.len(), 1);
    let id = "wc_sess_Board0Board0Boar";
    assert_eq!(
        (rows[0]["format"].as_str(), rows[0]["session"].as_str()),
        (Some("ledger"), Some(id))
    );
    assert_eq!((&rows[0]["added"], &rows[0]["source"]), (&Value::from(15), &Value::from(path)));
    let info = scene.done(&["--json", "info", id], "").json().remove(0);
    assert_eq!((&info["title"], &info["lifecycle"]), (&Value::from("The clock"), &"closed".into()));
    let shown = scene.done(&["--json", "show", id, "--events"], "").json();
    assert!(shown.iter().any(|row| row["type"] == "complete"), "{shown:?}");

    let journals = || -> Vec<Vec<u8>> {
        let folder = scene.journal(id).parent().unwrap().to_owned();
        fs::read_dir(folder).unwrap().map(|it| fs::read(it.unwrap().path()).unwrap()).collect()
    };
    let before = journals();
    let again = scene.done(&["--json", "import", path, "--from", "ledger"], "").json();
    assert_eq!(again[0]["added"], 0);
    assert_eq!(journals(), before);
    let told = scene.done(&["import", path], "");
    assert_eq!(told.out, format!("{id}: 0 entries added\n"));
    assert!(told.err.contains("1 rows, 0 of them dropped"), "{}", told.err);
}

#[test]
fn malformed_rows_are_told_and_spoil_no_others() {
    let scene = Scene::new();
    let path = fixture("damaged-rows.json");
    let rows = scene.done(&["--json", "import", path.to_str().unwrap()], "").json();
    let losses = fs::read_to_string(fixture("damaged-rows.losses")).unwrap();
    let mut told = Vec::new();
    let mut taken = 0;
    for row in &rows {
        told.extend(reasons(row, "skipped"));
        told.extend(reasons(row, "notices"));
        if row["session"].is_string() {
            taken += 1;
            assert_eq!(reasons(row, "skipped"), [], "{row}");
        } else {
            assert_eq!((&row["added"], &row["messages"]), (&0.into(), &0.into()), "{row}");
        }
    }
    let told = told.iter().map(|(line, reason)| format!("sessions[{}]: {reason}\n", line - 1));
    let mut told: Vec<String> = told.collect();
    let mut expected: Vec<String> = losses.lines().map(|line| format!("{line}\n")).collect();
    told.sort();
    expected.sort();
    assert_eq!(told, expected);
    assert_eq!(scene.done(&["--json", "list"], "").json().len(), taken);
    assert!(taken > 5, "{taken}");
    let run = scene.done(&["import", path.to_str().unwrap()], "");
    assert!(
        run.err.contains("sessile: sessions[1] was skipped: it is not an object"),
        "{}",
        run.err
    );
}

#[test]
fn a_damaged_ledger_changes_nothing() {
    for entry in fs::read_dir(fixture("refused")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|it| it != "json") {
            continue;
        }
        let scene = Scene::new();
        let run = scene.run(&["--json", "import", path.to_str().unwrap(), "--from", "ledger"]);
        let kind =
            if ["version-1", "version-3"].contains(&path.file_stem().unwrap().to_str().unwrap()) {
                "unknown-version"
            } else {
                "corrupt"
            };
        assert_eq!((run.status, run.error_kind().as_str()), (5, kind), "{path:?}");
        assert_eq!(run.out, "");
        let expected = fs::read_to_string(path.with_extension("error")).unwrap();
        let told: Value = serde_json::from_str(&run.err).unwrap();
        assert!(told["error"]["message"].as_str().unwrap().contains(expected.trim_end()), "{told}");
        assert_eq!(scene.done(&["list"], "").out, "");
    }
}

#[test]
fn a_ledger_of_which_no_row_can_be_read_is_corrupt() {
    let scene = Scene::new();
    let path = scene.folder().join("rows.json");
    fs::write(&path, r#"{"version":2,"sessions":[7,{}]}"#).unwrap();
    let run = scene.run(&["--json", "import", path.to_str().unwrap()]);
    assert_eq!((run.status, run.error_kind().as_str()), (5, "corrupt"), "{}", run.err);
    assert_eq!(run.json().len(), 2, "each is told");
    fs::write(&path, r#"{"version":2,"sessions":[]}"#).unwrap();
    assert_eq!(scene.done(&["--json", "import", path.to_str().unwrap()], "").out, "");
}

#[test]
fn a_row_that_has_changed_is_a_conflict_when_all_others_are_taken() {
    let scene = Scene::new();
    let path = scene.folder().join("ledger.json");
    let sound = fs::read_to_string(fixture("sound.json")).unwrap();
    fs::write(&path, &sound).unwrap();
    scene.done(&["import", path.to_str().unwrap()], "");
    scene.done(&["delete", "wc_sess_0000000000000000"], "");
    fs::write(&path, sound.replace("Mend the clock", "Mend two clocks")).unwrap();
    let run = scene.run(&["--json", "import", path.to_str().unwrap()]);
    assert_eq!((run.status, run.error_kind().as_str()), (4, "conflict"), "{}", run.err);
    let rows = run.json();
    assert_eq!(rows.len(), 3);
    assert_eq!(reasons(&rows[0], "skipped").len(), 1);
    assert_eq!((&rows[1]["added"], &rows[1]["deleted"]), (&0.into(), &false.into()));
    assert_eq!((&rows[2]["added"], &rows[2]["deleted"]), (&0.into(), &true.into()));
    let title = scene.done(&["--json", "info", "wc_sess_Zk9-_aB0Qq7xYw3P"], "").json();
    assert_eq!(title[0]["title"], "Mend the clock");
}

#[test]
fn nobody_gets_the_id_of_a_tombstone() {
    let scene = Scene::new();
    let path = fixture("tombstones.json");
    let rows = scene.done(&["--json", "import", path.to_str().unwrap()], "").json();
    let buried: Vec<&str> = rows
        .iter()
        .filter(|row| row["deleted"] == true)
        .map(|row| row["session"].as_str().unwrap())
        .collect();
    assert_eq!(buried, ["wc_sess_0000000000000001", "wc_sess_0000000000000002"]);
    for id in buried {
        let run = scene.run(&["--json", "new", "--id", id]);
        assert_eq!((run.status, run.error_kind().as_str()), (3, "deleted"));
    }
    let again = scene.done(&["--json", "import", path.to_str().unwrap()], "").json();
    assert!(again.iter().all(|row| row["added"] == 0), "{again:?}");
    let run = scene.run(&["--json", "import", path.to_str().unwrap(), "--as", "x"]);
    assert_eq!((run.status, run.error_kind().as_str()), (2, "usage"));
}
