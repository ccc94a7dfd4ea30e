//! Sessions that a request holds: what is told of them, and what a person may do.

use serde_json::{Value, json};

use crate::held::{self, CLAIM};
use crate::scene::{Run, Scene};

fn held_scene() -> Scene {
    let scene = Scene::new();
    held::hold(&scene, "s");
    scene
}

fn info(scene: &Scene, id: &str) -> Value {
    scene.done(&["--json", "info", id], "").json().remove(0)
}

fn fails(scene: &Scene, args: &[&str]) -> (i32, Value) {
    let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
    let run: Run = scene.run_with(&all, "{}");
    assert_eq!(run.out, "", "{args:?}: data although it failed");
    let error: Value = serde_json::from_str(&run.err).unwrap();
    (run.status, error["error"].clone())
}

/// The rows of `info` that tell of admission, with the time left out.
fn told(scene: &Scene, id: &str) -> Vec<String> {
    let text = scene.done(&["info", id], "").out;
    let names = ["admission", "usage", "awaits leave", "outcome unknown", "inherited", "strays"];
    let rows = text.lines().filter(|line| names.iter().any(|name| line.starts_with(name)));
    rows.map(|row| match row.split_once(", since ") {
        Some((before, after)) => {
            let after: String = after.chars().skip("2026-01-01 00:00".len()).collect();
            format!("{before}, since TIME{after}")
        }
        None => row.to_owned(),
    })
    .collect()
}

#[test]
fn info_tells_who_holds_a_session_and_what_nobody_knows() {
    let scene = held_scene();
    let known = info(&scene, "s");
    assert_eq!(known["admission"], "active");
    let active = &known["active"];
    for (member, value) in [
        ("request", json!("r1")),
        ("claim", json!(CLAIM)),
        ("holder", json!("worker 3")),
        ("usage", json!({"calls": 2, "tokens": 900})),
        ("checkpoint", json!(null)),
    ] {
        assert_eq!(active[member], value, "{member}");
    }
    assert!(active["since"].as_u64().unwrap() > 0);
    let unknown = json!([{"action": "call-2", "name": "mail", "seq": 7, "claim": CLAIM}]);
    assert_eq!(known["indeterminate"], unknown);
    let leave = json!([
        {"id": "pay-3", "action": "call-3", "seq": 8, "state": "pending"},
        {"id": "pay-4", "action": "call-4", "seq": 9, "state": "allowed"},
    ]);
    assert_eq!(active["approvals"], leave);
    assert_eq!((&known["inherited"], &known["strays"]), (&json!([]), &json!(null)));
    assert_eq!(known["messages"], 1, "provisional messages do not count");

    let expected = [
        "admission       active: request r1, claim 2, since TIME, by worker 3",
        "usage           calls=2, tokens=900",
        "awaits leave    pay-3 for call-3 at 8",
        "outcome unknown mail (call-2) at 7, under claim 2",
    ];
    assert_eq!(told(&scene, "s"), expected);
    scene.done(&["new", "--id", "free"], "");
    assert_eq!(told(&scene, "free"), ["admission       idle"]);
    let known = info(&scene, "free");
    assert_eq!((&known["admission"], &known["active"]), (&json!("idle"), &json!(null)));
}

#[test]
fn a_fork_tells_of_what_it_has_inherited_and_nobody_holds_it() {
    let scene = held_scene();
    scene.done(&["fork", "s", "--as", "f"], "");
    let expected = ["admission       idle", "inherited       outcome unknown: mail (call-2) at 7"];
    assert_eq!(told(&scene, "f"), expected);
    let known = info(&scene, "f");
    let inherited = json!([{"action": "call-2", "name": "mail", "seq": 7, "claim": null}]);
    assert_eq!((&known["inherited"], &known["indeterminate"]), (&inherited, &json!([])));
}

#[test]
fn what_a_fenced_owner_has_written_is_told_and_in_no_transcript() {
    let scene = held_scene();
    scene.done(&["recover", "s", "r1", "--claim", "2", "--abandon"], "");
    held::write(&scene, "s", sessile::EntryType::Message, CLAIM, "\"late\"");
    let strays = json!({"count": 1, "first": 13, "last": 13});
    assert_eq!(info(&scene, "s")["strays"], strays);
    let expected = [
        "admission       idle",
        "strays          1 entry of owners that were fenced, from 13 to 13",
    ];
    assert_eq!(told(&scene, "s"), expected);
    assert_eq!(scene.done(&["--json", "show", "s"], "").json().len(), 1);
    assert_eq!(scene.done(&["--json", "show", "s", "--events"], "").json()[13]["data"], "late");
}

#[test]
fn a_claim_that_can_t_be_read_is_told_and_nothing_is_guessed() {
    let scene = Scene::with_messages(1);
    held::write(&scene, "s", sessile::EntryType::Claim, 2, "{\"of\": \"a later version\"}");
    let known = info(&scene, "s");
    assert_eq!(
        (&known["admission"], &known["unreadable_claim"]),
        (&json!("unreadable"), &json!(2))
    );
    assert_eq!(told(&scene, "s"), ["admission       claim 2 holds it and can't be read"]);
    let before = std::fs::read(scene.journal("s")).unwrap();
    for end in ["--retry", "--abandon"] {
        let (status, error) = fails(&scene, &["recover", "s", "r1", "--claim", "2", end]);
        assert_eq!((status, &error["kind"]), (4, &json!("invalid-admission")), "{end}");
    }
    let (status, error) = fails(&scene, &["append", "s"]);
    assert_eq!((status, &error["kind"]), (1, &json!("unsupported")), "{error}");
    assert!(std::fs::read(scene.journal("s")).unwrap() == before);
    assert_eq!(scene.done(&["--json", "show", "s"], "").json().len(), 1);
}

#[test]
fn provisional_messages_are_shown_last_and_marked() {
    let scene = held_scene();
    let rows = scene.done(&["--json", "show", "s"], "").json();
    let seen: Vec<(u64, &Value)> =
        rows.iter().map(|row| (row["seq"].as_u64().unwrap(), &row["provisional"])).collect();
    assert_eq!(seen, [(1, &json!(null)), (3, &json!(true)), (4, &json!(true))]);
    let text = scene.done(&["show", "s"], "").out;
    let heads: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    for (head, begins) in heads.iter().zip([
        "#1 user ",
        "seq 3 (provisional) user ",
        "seq 4 (provisional) assistant ",
    ]) {
        assert!(head.starts_with(begins), "{head}");
    }
    assert_eq!(heads.len(), 3);
    let seqs = |args: &[&str]| {
        let rows = scene.done(args, "").json();
        rows.iter().map(|row| row["seq"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(seqs(&["--json", "show", "s", "--from", "4"]), [4]);
    assert_eq!(seqs(&["--json", "show", "s", "--last", "1"]), [1, 3, 4]);
    let all = scene.done(&["--json", "show", "s", "--events"], "").json();
    let marked = all.iter().filter(|row| row["provisional"] == true);
    assert_eq!(marked.count(), 2);
    assert_eq!(all[2]["type"], "claim");

    scene.done(&["recover", "s", "r1", "--claim", "2", "--abandon"], "");
    assert_eq!(seqs(&["--json", "show", "s"]), [1]);
    let all = scene.done(&["--json", "show", "s", "--events"], "").json();
    assert_eq!(all[4]["data"]["content"], "answering", "what was left is kept as evidence");
    assert!(all.iter().all(|row| row["provisional"].is_null()));
}

#[test]
fn a_listing_marks_what_is_held() {
    let scene = held_scene();
    scene.done(&["new", "--id", "free"], "");
    let rows = scene.done(&["--json", "list"], "").json();
    let by_id = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap()["occupant"].clone();
    assert_eq!(by_id("free"), json!(null));
    let occupant = by_id("s");
    assert_eq!((&occupant["request"], &occupant["claim"]), (&json!("r1"), &json!(CLAIM)));
    assert_eq!(occupant["holder"], "worker 3");
    let text = scene.done(&["list"], "").out;
    let held: Vec<&str> = text.lines().filter(|line| line.ends_with("[held]")).collect();
    assert!(held.len() == 1 && held[0].starts_with("s  "), "{text}");
}

#[test]
fn a_busy_answer_names_who_holds_it() {
    let scene = held_scene();
    let (status, error) = fails(&scene, &["append", "s"]);
    assert_eq!((status, &error["kind"]), (4, &json!("busy")));
    assert_eq!(error["occupant"]["request"], "r1");
    assert_eq!(error["occupant"]["claim"], CLAIM);
    let run = scene.run_with(&["append", "s"], "{}");
    assert!(run.err.contains("request r1 holds the session by claim 2"), "{}", run.err);
    let way_out = "sessile recover ID r1 --claim 2 --retry, or --abandon";
    assert!(run.err.contains(way_out), "{}", run.err);
}

#[test]
fn a_request_that_is_let_in_again_goes_on_under_another_claim() {
    let scene = held_scene();
    let retry = ["recover", "s", "r1", "--claim", "2", "--retry", "--by", "ann"];
    let run = scene.done(&retry, "");
    let expected = "s: request r1 is released by claim 11: send it again to go on\n";
    assert_eq!(run.out, expected);
    let warning = "sessile: nobody knows what came of mail (call-2) at 7, under claim 2: \
                   look at what it acts on\n";
    assert_eq!(run.err, warning);
    let told_by_claim_11 = info(&scene, "s");
    assert_eq!(told_by_claim_11["admission"], "released");
    assert_eq!(told_by_claim_11["active"]["holder"], "ann");
    let rows = told(&scene, "s");
    assert_eq!(rows[0], "admission       released: request r1, claim 11, since TIME, by ann");

    // Again, after a lost answer: it stands.
    let again = [&["--json"], &retry[..]].concat();
    let row = scene.done(&again, "").json().remove(0);
    let expected = json!({
        "session": "s", "request": "r1", "status": "released", "claim": 11, "position": 12,
    });
    assert_eq!(row, expected);
    assert_eq!(held::send_again(&scene, "s"), 12);
    assert_eq!(info(&scene, "s")["admission"], "active");
    let (status, error) = fails(&scene, &retry);
    assert_eq!((status, &error["kind"]), (4, &json!("conflict")));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("claim 12 is the last of request r1, not 2"), "{message}");
}

#[test]
fn a_request_that_is_given_up_frees_the_session() {
    let scene = held_scene();
    let abandon = ["--json", "recover", "s", "r1", "--claim", "2", "--abandon"];
    let row = scene.done(&abandon, "").json().remove(0);
    let expected = json!({
        "session": "s", "request": "r1", "status": "abandoned", "claim": 11, "position": 13,
    });
    assert_eq!(row, expected);
    assert_eq!(info(&scene, "s")["admission"], "idle");
    scene.done(&["append", "s"], "{}");
    let (status, error) = fails(&scene, &abandon[1..]);
    assert_eq!((status, &error["kind"]), (4, &json!("invalid-admission")));
    assert_eq!(scene.run(&["verify", "s"]).status, 0);
}

#[test]
fn leave_is_decided_once_and_again_alike() {
    let scene = held_scene();
    let run = scene.done(&["approve", "s", "pay-3", "--by", "ann"], "");
    assert_eq!(run.out, "s: approval pay-3 is allowed by entry 11\n");
    let row = scene.done(&["--json", "approve", "s", "pay-3"], "").json().remove(0);
    let expected = json!({
        "session": "s", "approval": "pay-3", "decision": "allowed", "seq": 11, "position": 12,
    });
    assert_eq!(row, expected);
    let all = scene.done(&["--json", "show", "s", "--events"], "").json();
    assert_eq!((&all[11]["type"], &all[11]["data"]["by"]), (&json!("decision"), &json!("ann")));
    let (status, error) = fails(&scene, &["deny", "s", "pay-3"]);
    assert_eq!((status, &error["kind"]), (4, &json!("conflict")));
    assert_eq!(info(&scene, "s")["active"]["approvals"][0]["state"], "allowed");
    assert!(!told(&scene, "s").iter().any(|row| row.starts_with("awaits leave")));

    let other = held_scene();
    let run = other.done(&["deny", "s", "pay-3"], "");
    assert_eq!(run.out, "s: approval pay-3 is denied by entry 11\n");
    assert_eq!(info(&other, "s")["active"]["approvals"][0]["state"], "denied");
    for args in [["approve", "s", "pay-3"], ["deny", "s", "pay-4"]] {
        assert_eq!(fails(&other, &args).1["kind"], "conflict", "{args:?}");
    }
    let (status, error) = fails(&other, &["deny", "s", "pay-5"]);
    assert_eq!((status, &error["kind"]), (4, &json!("stale-approval")));
}

#[test]
fn a_hole_among_provisional_messages_hides_nothing_before_it() {
    let scene = held_scene();
    let text = std::fs::read_to_string(scene.journal("s")).unwrap();
    std::fs::write(scene.journal("s"), text.replace("answering", "ANSWERING")).unwrap();
    let run = scene.run(&["--json", "show", "s"]);
    assert!(run.status == 5 && run.err.contains(r#""kind":"corrupt""#), "{}", run.err);
    assert_eq!(run.json().len(), 1, "the transcript stands before it");
    let run = scene.run(&["--json", "show", "s", "--events"]);
    assert_eq!((run.status, run.json().len()), (5, 4));
}
