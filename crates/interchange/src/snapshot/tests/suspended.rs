use sessile_core::ErrorKind;

use super::restoring::runtime;
use crate::json::Value;
use crate::snapshot::runtime::{Ending, Runtime, Standing, Terms};

/// What a change says, which must leave the run as it was.
fn refused(runtime: &mut Runtime, change: impl Fn(&mut Runtime) -> Option<ErrorKind>) -> ErrorKind {
    let before = runtime.clone();
    let kind = change(runtime).expect("it is refused");
    assert_eq!(*runtime, before, "a refusal changes nothing");
    kind
}

/// A change that may be refused.
type Change = fn(&mut Runtime) -> Option<ErrorKind>;

/// What one finds who opens a snapshot of the run in another process.
fn reopened(runtime: &Runtime) -> Runtime {
    let reopened = Runtime::decode(&runtime.encode()).unwrap();
    let terms = Terms { contract: &runtime.contract, agents: &["noor"], skills: &["clocks"] };
    reopened.restore(&terms).unwrap();
    reopened
}

/// A run whose second call is pending.
fn working() -> Runtime {
    let mut runtime = runtime("awaits-approval");
    (runtime.approval, runtime.usage.tool_calls) = (None, 1);
    runtime
}

#[test]
fn a_call_that_was_not_begun_is_pending_under_the_same_id() {
    let mut runtime = reopened(&working());
    let Standing::Working(Some(call)) = runtime.standing() else { panic!("it works") };
    assert_eq!(call.name, "mail");
    assert_eq!(runtime.begin().unwrap().action_id(), "run-7:2:4");
}

#[test]
fn a_call_that_was_begun_is_indeterminate_and_never_begun_again() {
    let mut runtime = working();
    runtime.begin().unwrap();
    let mut runtime = reopened(&runtime);
    assert!(matches!(runtime.standing(), Standing::Indeterminate(it) if it.call.name == "mail"));
    let kind = refused(&mut runtime, |it| it.begin().err().map(|error| error.kind()));
    assert_eq!(kind, ErrorKind::InvalidAdmission);
}

#[test]
fn a_call_whose_result_was_taken_is_done() {
    let mut runtime = working();
    runtime.begin().unwrap();
    runtime.complete(Value::from("sent")).unwrap();
    let mut runtime = reopened(&runtime);
    assert_eq!(runtime.standing(), Standing::Working(None));
    assert_eq!((runtime.next_call, runtime.usage.tool_calls), (5, 2));
    let kind = refused(&mut runtime, |it| it.begin().err().map(|error| error.kind()));
    assert_eq!(kind, ErrorKind::InvalidAdmission);
}

#[test]
fn reconciling_needs_the_calls_own_id_and_tool_and_counts_once() {
    let mut runtime = runtime("indeterminate");
    let result = || Value::from("sent");
    let kind = |runtime: &mut Runtime, id: &str, tool: &str| {
        refused(runtime, |it| it.reconcile(id, tool, result()).err().map(|error| error.kind()))
    };
    assert_eq!(kind(&mut runtime, "run-7:2:3", "mail"), ErrorKind::Mismatch);
    assert_eq!(kind(&mut runtime, "run-7:2:4", "post"), ErrorKind::Mismatch);
    let before = runtime.usage.clone();
    runtime.reconcile("run-7:2:4", "mail", result()).unwrap();
    assert_eq!(runtime.usage, before);
    let state = runtime.active.as_ref().unwrap().state.as_ref().unwrap();
    assert_eq!(state.results, [Value::from("12:01"), Value::from("sent")]);
    assert_eq!((&runtime.approval, runtime.approved), (&None, false));
    assert_eq!(kind(&mut runtime, "run-7:2:4", "mail"), ErrorKind::InvalidAdmission);
    reopened(&runtime);
}

#[test]
fn an_approval_survives_a_restart_and_is_given_once() {
    let mut runtime = working();
    let id = runtime.ask(Value::from("a letter")).unwrap().request_id.clone();
    assert_eq!(id, "run-7:2:4");
    let mut runtime = reopened(&runtime);
    assert!(matches!(runtime.standing(), Standing::AwaitsApproval(_)));
    let begun = refused(&mut runtime, |it| it.begin().err().map(|error| error.kind()));
    assert_eq!(begun, ErrorKind::InvalidAdmission);
    let approve = |runtime: &mut Runtime, id: &str| {
        refused(runtime, |it| it.approve(id).err().map(|error| error.kind()))
    };
    assert_eq!(approve(&mut runtime, "run-7:2:3"), ErrorKind::StaleApproval);
    runtime.approve(&id).unwrap();
    assert_eq!(approve(&mut runtime, &id), ErrorKind::StaleApproval);
    let mut runtime = reopened(&runtime);
    runtime.begin().unwrap();
    assert_eq!(approve(&mut runtime, &id), ErrorKind::StaleApproval);
    runtime.complete(Value::Null).unwrap();
    assert_eq!(approve(&mut runtime, &id), ErrorKind::StaleApproval);
}

#[test]
fn cancelling_keeps_what_was_used_and_makes_no_call() {
    for name in ["awaits-approval", "indeterminate"] {
        let mut runtime = runtime(name);
        let before = runtime.usage.clone();
        let outcome = runtime.cancel(Some(Value::from("sold"))).unwrap();
        assert_eq!(outcome.ending, Ending::Cancelled);
        let runtime = reopened(&runtime);
        assert_eq!((&runtime.usage, &runtime.intent), (&before, &None), "{name}");
        assert!(matches!(runtime.standing(), Standing::Ended(_)), "{name}");
    }
}

#[test]
fn what_has_ended_stays_so() {
    let mut ended = runtime("ended");
    let Standing::Ended(outcome) = ended.standing() else { panic!("it has ended") };
    assert_eq!(outcome.detail, Some(Value::from("the clock was sold")));
    let changes: [Change; 6] = [
        |it| it.ask(Value::Null).err().map(|error| error.kind()),
        |it| it.approve("run-7:2:4").err().map(|error| error.kind()),
        |it| it.begin().err().map(|error| error.kind()),
        |it| it.complete(Value::Null).err().map(|error| error.kind()),
        |it| it.reconcile("run-7:2:4", "mail", Value::Null).err().map(|error| error.kind()),
        |it| it.cancel(None).err().map(|error| error.kind()),
    ];
    for change in changes {
        assert_eq!(refused(&mut ended, change), ErrorKind::Closed);
    }
    assert_eq!(reopened(&ended), ended);
}

#[test]
fn debug_tells_no_content() {
    for name in ["awaits-approval", "indeterminate", "ended"] {
        let told = format!("{:?} {:?}", runtime(name), runtime(name).standing());
        for content in ["ida@example.org", "letter", "clocks", "brief", "sold"] {
            assert!(!told.contains(content), "{content} in {told}");
        }
    }
}
