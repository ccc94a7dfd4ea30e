use sessile_core::ErrorKind;

use crate::json::{self, Object};
use crate::snapshot::{Identity, OwnSnapshot};

fn identity(participants: &[&str]) -> Identity {
    Identity {
        gameplan: "review".into(),
        topic: "the parser".into(),
        orchestrator: "round-robin".into(),
        participants: participants.iter().map(|name| (*name).into()).collect(),
    }
}

#[test]
fn the_order_of_participants_makes_no_difference() {
    let saved = identity(&["ida", "noor", "tom"]);
    saved.check(&identity(&["tom", "ida", "noor"])).unwrap();
    assert_eq!(saved.difference(&identity(&["tom", "ida", "noor", "tom"])), None);
}

#[test]
fn the_first_field_that_differs_is_named_with_both_values_and_the_ways_out() {
    let saved = identity(&["ida", "noor"]);
    let told = |current: &Identity| {
        let error = saved.check(current).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        assert!(error.hint().unwrap().contains("delete the snapshot"));
        assert!(error.hint().unwrap().contains("another place"));
        error.to_string()
    };
    let mut current = identity(&["noor", "tom"]);
    current.orchestrator = "moderated".into();
    assert_eq!(
        told(&current),
        r#"identity.participants differs: saved is ["ida","noor"], current is ["noor","tom"]"#
    );
    current.topic = "the lexer – again".into();
    assert_eq!(
        told(&current),
        r#"identity.topic differs: saved is "the parser", current is "the lexer \u2013 again""#
    );
    current.gameplan = "".into();
    assert_eq!(told(&current), r#"identity.gameplan differs: saved is "review", current is """#);
    let mut current = identity(&["noor", "ida"]);
    current.orchestrator = "moderated".into();
    assert_eq!(
        told(&current),
        r#"identity.orchestrator differs: saved is "round-robin", current is "moderated""#
    );
}

fn object(text: &str) -> Object {
    json::parse(text).unwrap().as_object().unwrap().clone()
}

#[test]
fn an_identity_of_the_callers_own_covers_its_inside() {
    let saved = object(r#"{"model":"m","tools":[{"name":"mail","limit":3},"clock"],"note":null}"#);
    let snapshot = OwnSnapshot::of(saved, "state").unwrap();
    let told = |current: &str| snapshot.check(&object(current)).map_err(|it| it.to_string());
    let same =
        r#" { "note":null, "tools" : [ {"limit":3,"name":"mail"} , "clock" ], "model":"m" } "#;
    assert_eq!(told(same), Ok(()));
    let differs = [
        (
            r#"{"model":"m","tools":[{"name":"post","limit":3},"clock"],"note":null}"#,
            r#"identity.tools[0].name differs: saved is "mail", current is "post""#,
        ),
        (
            r#"{"model":"m","tools":[{"name":"mail","limit":4},"clock"],"note":null}"#,
            "identity.tools[0].limit differs: saved is 3, current is 4",
        ),
        (
            r#"{"model":"m","tools":[{"name":"mail","limit":3,"more":null},"clock"],"note":null}"#,
            "identity.tools[0].more differs: saved is nothing, current is null",
        ),
        (
            r#"{"model":"m","tools":["clock",{"name":"mail","limit":3}],"note":null}"#,
            r#"identity.tools[0] differs: saved is {"name":"mail","limit":3}, current is "clock""#,
        ),
        (
            r#"{"model":"m","tools":[{"name":"mail","limit":3},"clock"]}"#,
            "identity.note differs: saved is null, current is nothing",
        ),
    ];
    for (current, clause) in differs {
        assert_eq!(told(current), Err(clause.to_owned()));
    }
}
