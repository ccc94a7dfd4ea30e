use sessile_core::ErrorKind;

use super::files::read;
use crate::json::{self, JsonText, Object, Value};
use crate::snapshot::runtime::{Ending, Outcome, Runtime, Terms, check_scheduler};

/// A run that awaits approval, or one that is indeterminate.
pub(super) fn runtime(name: &str) -> Runtime {
    let contents = read(&format!("v2/{name}.json")).into_contents();
    Runtime::decode(&contents.progress.runtime.unwrap()).unwrap()
}

const AGENTS: &[&str] = &["ida", "noor", "tom"];

fn contract() -> Value {
    json::parse(r#"{"limits":{"rounds":3},"tools":["mail","clock"]}"#).unwrap()
}

/// What restoring says of a run that was changed.
fn refusal(name: &str, change: impl Fn(&mut Runtime)) -> (ErrorKind, String) {
    let mut runtime = runtime(name);
    change(&mut runtime);
    let terms = Terms { contract: &contract(), agents: AGENTS, skills: &["clocks"] };
    let before = runtime.clone();
    let error = runtime.restore(&terms).unwrap_err();
    assert_eq!(runtime, before, "a refusal changes nothing");
    assert!(error.hint().unwrap().contains("delete the snapshot"));
    (error.kind(), error.to_string())
}

fn corrupt(clause: &str) -> (ErrorKind, String) {
    (ErrorKind::Corrupt, format!("loop.runtime.{clause}"))
}

#[test]
fn a_run_of_the_same_terms_is_restored() {
    let contract = contract();
    let terms = Terms { contract: &contract, agents: AGENTS, skills: &["clocks"] };
    for name in ["awaits-approval", "indeterminate", "ended"] {
        runtime(name).restore(&terms).unwrap();
    }
}

#[test]
fn another_contract_is_refused_before_anything_else() {
    let found = refusal("indeterminate", |runtime| {
        runtime.contract =
            json::parse(r#"{"tools":["mail","clock"],"limits":{"rounds":4}}"#).unwrap();
        runtime.run_id = String::new();
    });
    let clause = "contract.limits.rounds differs: saved is 4, current is 3".to_owned();
    assert_eq!(found, (ErrorKind::Mismatch, clause));
}

#[test]
fn what_does_not_fit_together_is_refused_by_name() {
    type Change = fn(&mut Runtime);
    let changes: [(Change, &str); 19] = [
        (|it| it.run_id = String::new(), "run_id is empty"),
        (|it| it.next_event = u64::MAX, "turn_id, next_call or next_event has no successor"),
        (
            |it| it.approval.as_mut().unwrap().request_id = "run-7:2:3".to_owned(),
            "approval.request_id is not the id of its call",
        ),
        (|it| it.approval = None, "approved is true, and there is no approval"),
        (
            |it| it.active.as_mut().unwrap().agent = "eve".to_owned(),
            "active.agent is none of this run's agents",
        ),
        (
            |it| it.active.as_mut().unwrap().state.as_mut().unwrap().results = vec![Value::Null; 3],
            "active.state has more results than calls",
        ),
        (|it| it.loaded_skills.push("locks".into()), "loaded_skills[1] can't be loaded"),
        (|it| it.active = None, "approval is there without an active turn"),
        (
            |it| (it.active, it.approval, it.approved) = (None, None, false),
            "intent is there without an active turn",
        ),
        (
            |it| (it.active, it.approval, it.approved, it.intent) = (None, None, false, None),
            "loaded_skills is there without an active turn",
        ),
        (
            |it| it.active.as_mut().unwrap().agent = "tom".to_owned(),
            "approval.identity.actor is not that of the next call",
        ),
        (
            |it| it.run_id = "run-8".to_owned(),
            "approval.identity.run_id is not that of the next call",
        ),
        (|it| it.turn_id = 3, "approval.identity.turn_id is not that of the next call"),
        (|it| it.next_call = 5, "approval.identity.call_id is not that of the next call"),
        (
            |it| it.intent.as_mut().unwrap().identity.call_id = "run-7:2:5".to_owned(),
            "intent.identity.call_id is not that of the next call",
        ),
        (
            |it| it.intent.as_mut().unwrap().call.arguments = Value::Null,
            "intent.call is not the pending call of the active turn",
        ),
        (
            |it| it.active.as_mut().unwrap().state = None,
            "approval.call is not the pending call of the active turn",
        ),
        (
            |it| it.usage.totals.extend([("tokens".to_owned(), Some(641))]),
            "usage.totals is not the sum of its records",
        ),
        (
            |it| it.usage.totals.extend([("cost_microusd".to_owned(), Some(31))]),
            "usage.totals is not the sum of its records",
        ),
    ];
    for (change, clause) in changes {
        assert_eq!(refusal("indeterminate", change), corrupt(clause));
    }
}

#[test]
fn a_closing_fits_its_scopes_and_the_end() {
    let closing = |next_scope: u64| {
        let text = format!(
            r#"{{"outcome":{{"status":"failed"}},"scopes":["turn","run"],"next_scope":{next_scope}}}"#
        );
        let object = runtime("ended").encode().with("closing", json::parse(&text).unwrap());
        Runtime::decode(&object).unwrap().closing
    };
    let found = refusal("indeterminate", |it| it.closing = closing(3));
    assert_eq!(found, corrupt("closing.next_scope is beyond its scopes"));
    let found = refusal("indeterminate", |it| {
        it.closing = closing(2);
        it.terminal = Some(Outcome { ending: Ending::Completed, detail: None });
    });
    assert_eq!(found, corrupt("closing.outcome is not that of terminal"));
}

#[test]
fn a_runtime_with_anything_missing_mistyped_or_unknown_is_refused_by_name() {
    let sound = runtime("indeterminate").encode();
    let refused = |object: &Object| Runtime::decode(object).unwrap_err().to_string();
    let optional = ["active", "approval", "intent"];
    for (name, _) in sound.iter() {
        let others = sound.iter().filter(|(it, _)| *it != name);
        let object =
            Object::of(others.map(|(name, it)| (name.clone(), it.clone())).collect()).unwrap();
        let name = name.as_str().unwrap();
        if optional.contains(&name) {
            Runtime::decode(&object).unwrap();
        } else {
            assert_eq!(refused(&object), format!("loop.runtime.{name} is missing"));
        }
        if !["contract", "context_cache"].contains(&name) {
            let found = refused(&sound.clone().with(name, Value::Array(vec![Value::Null])));
            assert!(found.starts_with(&format!("loop.runtime.{name}")), "{found}");
        }
    }
    assert_eq!(refused(&sound.clone().with("batch", 1_u64)), "loop.runtime.batch is unknown");
    let found = refused(&sound.clone().with("next_call", u64::MAX));
    assert_eq!(found, "loop.runtime.next_call is not an integer from 0 to 2^64 - 2");
    let inside = json::parse(r#"{"status":"done"}"#).unwrap();
    let found = refused(&sound.with("terminal", inside));
    assert_eq!(found, "loop.runtime.terminal.status is none of completed, failed and cancelled");
}

#[test]
fn a_scheduler_fits_the_loop_and_the_roster() {
    let contents = read("v2/awaits-approval.json").into_contents();
    let roster = &contents.identity.participants;
    check_scheduler(&contents.progress, roster).unwrap();
    let refused = |name: &str, value: Value| {
        let mut progress = contents.progress.clone();
        progress.scheduler = Some(progress.scheduler.unwrap().with(name, value));
        check_scheduler(&progress, roster).unwrap_err().to_string()
    };
    for name in ["turn_count", "index", "round_in_phase", "rounds_run"] {
        let clause = format!("loop.scheduler.{name} is not that of the loop");
        assert_eq!(refused(name, 9_u64.into()), clause);
    }
    assert_eq!(refused("pending", "eve".into()), "loop.scheduler.pending is no participant");
    assert_eq!(refused("mood", "good".into()), "loop.scheduler.mood is unknown");
    let nobody: &[JsonText] = &[];
    assert!(check_scheduler(&contents.progress, nobody).is_err());
    let mut without = contents.progress.clone();
    without.scheduler = None;
    check_scheduler(&without, nobody).unwrap();
}
