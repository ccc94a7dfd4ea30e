use crate::ledger::{Ledger, Row, decode};

const ID: &str = "wc_sess_00112233445566778899aabbccddeeff";

/// A ledger of one row that is sound but for these members.
fn ledger(members: &[(&str, &str)]) -> Ledger {
    let owner = format!("\"{}\"", "0a".repeat(32));
    let id = format!("\"{ID}\"");
    let sound = [
        ("session_id", &*id),
        ("created_at", "1790000000"),
        ("updated_at", "1790000000"),
        ("owner_authority_fingerprint", &owner),
        ("mode", "\"normal\""),
        ("lifecycle", "\"active\""),
        ("events", "[]"),
        ("events_observed", "0"),
        ("messages", "[]"),
    ];
    let kept = sound.iter().filter(|(name, _)| members.iter().all(|(other, _)| name != other));
    let row: Vec<String> =
        kept.chain(members).map(|(name, value)| format!("\"{name}\":{value}")).collect();
    decode(&format!(r#"{{"version":2,"sessions":[{{{}}}]}}"#, row.join(",")).into()).unwrap()
}

fn row(members: &[(&str, &str)]) -> (Row, Vec<String>) {
    let ledger = ledger(members);
    assert_eq!(ledger.dropped, []);
    let mended = ledger.mended.into_iter().map(|loss| loss.reason).collect();
    (ledger.rows.into_iter().next().unwrap(), mended)
}

#[test]
fn what_is_too_long_is_cut_and_what_may_be_secret_is_taken_out() {
    let title = format!("\"{}\"", "é".repeat(241));
    let instruction = format!("\"{}\"", "é".repeat(4_001));
    let (row, mended) = row(&[("title", &title), ("current_instruction", &instruction)]);
    assert_eq!(row.title, Some("é".repeat(240)));
    assert_eq!(row.instruction, Some("é".repeat(4_000) + "..."));
    assert_eq!(
        mended,
        ["its title was cut after 240 characters", "its instruction was cut after 4000 characters"]
    );
    let bounded = format!("\"{}...\"", "é".repeat(4_000));
    let (_, mended) = self::row(&[("current_instruction", &bounded)]);
    assert_eq!(mended, [""; 0], "cutting again cuts nothing");
    for secret in ["Use Bearer abc", "the CLIENT_SECRET is x", "wc_pat_x", "-wc_csec_1"] {
        let (row, mended) = self::row(&[("current_instruction", &format!("\"{secret}\""))]);
        assert_eq!(row.instruction.as_deref(), Some("[redacted]"), "{secret}");
        assert_eq!(mended, ["its instruction was redacted: it may hold a secret"]);
    }
}

#[test]
fn an_instruction_among_the_events_is_kept_without_secrets() {
    let events = r#"[{"event_id":"evt_1","kind":"task_instruction","text":"wc_pat_7","n":1.50,
        "auth_token":{"a":1},"PAT":"x"},{"id":"evt_2","kind":"tool_call_started","n":1.50}]"#;
    let (row, mended) = row(&[("events", events), ("events_observed", "2")]);
    assert_eq!(mended, ["events[0] was redacted: it may hold a secret"]);
    assert_eq!(
        row.events[0].as_str(),
        r#"{"event_id":"evt_1","kind":"task_instruction","text":"[redacted]","n":1.5,"auth_token":"[redacted]","PAT":"[redacted]"}"#
    );
    assert_eq!(row.events[1].as_str(), r#"{"id":"evt_2","kind":"tool_call_started","n":1.50}"#);
}

#[test]
fn numbers_of_changes_that_contradict_each_other_count_as_lost() {
    let messages = r#"[{"message_id":"wc_msg_a"},{"message_id":"wc_msg_b"}]"#;
    let board = |revision: &str, floor: &str, revisions: &str| {
        row(&[
            ("messages", messages),
            ("message_observation_revision", revision),
            ("message_observation_floor", floor),
            ("message_observation_revisions", revisions),
        ])
    };
    let (sound, mended) = board("3", "1", r#"{"wc_msg_a":2,"wc_msg_b":3}"#);
    assert_eq!((sound.board.floor, mended.len()), (1, 0));
    for (revision, floor, revisions) in [
        ("3", "0", r#"{"wc_msg_a":2,"wc_msg_b":4}"#),
        ("3", "0", r#"{"wc_msg_a":3}"#),
        ("3", "0", r#"{"wc_msg_a":3,"wc_msg_b":3}"#),
        ("4", "1", r#"{"wc_msg_a":2,"wc_msg_b":3}"#),
        ("3", "4", r#"{"wc_msg_a":2,"wc_msg_b":3}"#),
        ("3", "0", r#"{"wc_msg_a":2,"wc_msg_b":3,"wc_msg_c":1}"#),
        ("3", "0", r#"{"wc_msg_a":2,"wc_msg_b":"3"}"#),
        ("3", "0", "[]"),
    ] {
        let (row, mended) = board(revision, floor, revisions);
        assert_eq!(row.board.floor.to_string(), revision, "{revisions}");
        assert!(row.board.revisions.values().all(|revision| *revision == 0));
        assert_eq!(row.board.revisions.len(), 2);
        let reason =
            "its numbers of changes contradict each other: all up to the last count as lost";
        assert_eq!(mended, [reason], "{revisions}");
    }
}

#[test]
fn what_is_wrong_about_tasks_counts_as_incomplete() {
    let tracked = [
        ("assignment_history_tracking_complete", "true"),
        ("completion_assignment_fence_tracking_complete", "true"),
    ];
    let (row, _) = row(&tracked);
    assert!(row.board.tasks_are_tracked && row.board.fences_are_tracked);
    let wrong = [
        ("assignment_history_floors", r#"{"wc_msg_none":0}"#),
        ("completion_assignment_fence_fingerprints", r#"{"wc_msg_none":"x"}"#),
    ];
    let (row, mended) = self::row(&[tracked.as_slice(), wrong.as_slice()].concat());
    assert!(!row.board.tasks_are_tracked && !row.board.fences_are_tracked);
    assert_eq!(mended.len(), 2);
}

#[test]
fn an_id_has_one_of_two_forms() {
    for id in ["wc_sess_0123456789abcdef", "wc_sess_-_ZZZZZZZZZZZZZZ", ID] {
        assert_eq!(row(&[("session_id", &format!("\"{id}\""))]).0.id, id);
    }
    for id in [
        "",
        "wc_sess_",
        "wc_sess_0123",
        "ses_0123456789abcdef",
        "wc_sess_0123456789abcde!",
        "wc_sess_00112233445566778899AABBCCDDEEFF",
        " wc_sess_0123456789abcdef",
    ] {
        let ledger = ledger(&[("session_id", &format!("\"{id}\""))]);
        assert_eq!(ledger.dropped[0].reason, "session_id is no id of a session", "{id}");
    }
}
