use sessile_core::{ErrorKind, UnixMillis};

use crate::binding::{After, Binding, Continuing, Failure, Plan, TurnEnd, plan};

fn planned(continuing: Continuing, context: Option<&str>, bound: Option<&str>) -> Plan {
    let entry = bound.and_then(|id| Binding::new(id, "h", "d", UnixMillis(1)));
    plan(continuing, context, entry.as_ref(), &"/c/harness-session.json").unwrap()
}

#[test]
fn a_turn_is_new_remembered_or_resumed() {
    let resumed = Plan::Resume("s".to_owned());
    assert_eq!(planned(Continuing::No, Some("c"), None), Plan::New);
    assert_eq!(planned(Continuing::No, Some("c"), Some("s")), Plan::New);
    assert_eq!(planned(Continuing::IfAny, Some("c"), None), Plan::Remember);
    assert_eq!(planned(Continuing::IfAny, Some("c"), Some("s")), resumed);
    assert_eq!(planned(Continuing::IfAny, None, None), Plan::New);
    assert_eq!(planned(Continuing::IfAny, None, Some("s")), Plan::New);
    assert_eq!(planned(Continuing::Must, Some("c"), Some("s")), resumed);
}

#[test]
fn a_turn_that_must_go_on_and_can_not_is_refused_with_the_file() {
    let file = &"/c/harness-session.json";
    let error = plan(Continuing::Must, Some("c"), None, file).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    assert_eq!(
        error.to_string(),
        "there is no session to resume: /c/harness-session.json binds none"
    );
    assert!(plan(Continuing::Must, None, None, file).is_err());
}

const END: TurnEnd<'_> =
    TurnEnd { offered: "new", acknowledged: None, produced: true, failure: None };

const FAILURES: [Failure; 6] = [
    Failure::Harness,
    Failure::Auth,
    Failure::Quota,
    Failure::MaxTurns,
    Failure::Cancelled,
    Failure::Other,
];

#[test]
fn an_id_is_bound_once_the_harness_has_produced_something() {
    let bound = |id: &str| After::Bind(id.to_owned());
    let remember = Plan::Remember;
    assert_eq!(remember.after(&END), bound("new"));
    assert_eq!(remember.after(&TurnEnd { acknowledged: Some("own"), ..END }), bound("own"));
    for failure in FAILURES {
        let end = TurnEnd { failure: Some(failure), ..END };
        assert_eq!(remember.after(&end), bound("new"), "{failure:?} after output");
        let end = TurnEnd { produced: false, ..end };
        assert_eq!(remember.after(&end), After::Keep, "{failure:?} before output");
        assert_eq!(Plan::New.after(&end), After::Keep);
    }
    assert_eq!(Plan::New.after(&END), After::Keep);
    assert_eq!(Plan::Resume("s".to_owned()).after(&END), bound("s"));
    let end = TurnEnd { acknowledged: Some("own"), ..END };
    assert_eq!(Plan::Resume("s".to_owned()).after(&end), bound("own"));
}

#[test]
fn a_session_is_gone_only_where_nothing_else_explains_the_failure_and_its_binding_stays() {
    let resume = Plan::Resume("s".to_owned());
    for failure in FAILURES {
        let end = TurnEnd { produced: false, failure: Some(failure), ..END };
        let is_gone = matches!(failure, Failure::Harness | Failure::Other);
        let expected = if is_gone { After::SessionGone } else { After::Keep };
        assert_eq!(resume.after(&end), expected, "{failure:?}");
        let acknowledged = TurnEnd { acknowledged: Some("s"), ..end };
        assert_eq!(resume.after(&acknowledged), After::Keep, "{failure:?}");
        assert_eq!(Plan::Remember.after(&end), After::Keep, "{failure:?}");
    }
}
