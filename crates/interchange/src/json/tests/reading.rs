use proptest::prelude::*;

use super::values::any_value;
use crate::json::{MAX_DEPTH, Object, Value, compact, difference, parse, parse_bytes, pretty};

fn refusal(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn what_is_refused_is_told_with_its_line_and_without_content() {
    let refused = [
        ("", "not JSON: fails at line 1, column 0"),
        ("{\n\"secret\": nope}", "not JSON: fails at line 2, column 12"),
        ("NaN", "not JSON: fails at line 1, column 1"),
        ("[\n-Infinity]", "not JSON: fails at line 2, column 2"),
        ("\u{feff}1", "not JSON: fails at line 1, column 1"),
        ("{\n\"a\":1,\n\"\\u0061\":2}", "line 3: a name stands twice in the object that ends here"),
        ("[1,\n1e400]", "line 2: a number beyond the greatest float"),
    ];
    for (text, clause) in refused {
        assert_eq!(refusal(text), clause);
    }
    let error = parse_bytes(b"\"a\xff\"").unwrap_err();
    assert_eq!(error.to_string(), "not text in UTF-8: fails at byte 2");
}

#[test]
fn depth_has_a_limit_and_costs_no_stack() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    let deepest = parse(&nested(MAX_DEPTH)).unwrap();
    assert_eq!(deepest.depth(), MAX_DEPTH);
    assert_eq!(compact(&deepest), nested(MAX_DEPTH));
    for levels in [MAX_DEPTH + 1, 200_000] {
        assert_eq!(refusal(&nested(levels)), "line 1: more than 256 levels");
    }
}

#[test]
fn the_first_difference_is_named_with_both_values() {
    let told = |one: &str, two: &str| {
        difference(&parse(one).unwrap(), &parse(two).unwrap()).map(|it| it.to_string())
    };
    assert_eq!(told(r#"{"a":1,"b":[1,{"c":2}]}"#, r#" {"b":[1,{"c":2}] , "a":1}"#), None);
    let differs = [
        (
            r#"{"a":{"b":[1,2]}}"#,
            r#"{"a":{"b":[1,3]}}"#,
            "a.b[1] differs: saved is 2, current is 3",
        ),
        ("[1,2]", "[2,1]", "[0] differs: saved is 1, current is 2"),
        ("[1]", "[1,2]", "[1] differs: saved is nothing, current is 2"),
        (r#"{"a":null}"#, "{}", "a differs: saved is null, current is nothing"),
        ("{}", r#"{"a":"é"}"#, r#"a differs: saved is nothing, current is "\u00e9""#),
        ("1", "1.0", " differs: saved is 1, current is 1.0"),
        (r#"{"z":1,"a":1}"#, r#"{"a":2,"z":2}"#, "z differs: saved is 1, current is 2"),
    ];
    for (one, two, clause) in differs {
        assert_eq!(told(one, two).as_deref(), Some(clause));
    }
    let secret = difference(&Value::from("secret"), &Value::Null).unwrap();
    assert!(!format!("{secret:?}").contains("secret"));
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(value in any_value()) {
        prop_assert_eq!(&parse(&pretty(&value)).unwrap(), &value);
        prop_assert_eq!(&parse(&compact(&value)).unwrap(), &value);
        prop_assert_eq!(difference(&value, &value), None);
    }

    #[test]
    fn what_was_written_is_written_the_same_again(value in any_value()) {
        let text = pretty(&value);
        prop_assert_eq!(pretty(&parse(&text).unwrap()), text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(value) = parse_bytes(&bytes) {
            prop_assert_eq!(parse(&pretty(&value)).unwrap(), value);
        }
    }

    #[test]
    fn any_text_like_json_is_read_or_refused(
        text in "([\\[\\]{}\",:0-9a-z\\\\ \n.eE+-]|null|true|\\\\ud83d|\"a\":){0,60}",
    ) {
        match parse(&text) {
            Ok(value) => prop_assert_eq!(parse(&pretty(&value)).unwrap(), value),
            Err(_) => prop_assert!(
                serde_json::from_str::<serde_json::Value>(&text).is_err()
                    || text.contains(['"', 'e', 'E']),
                "only doubled names, half characters and great numbers are refused beyond"
            ),
        }
    }

    #[test]
    fn the_order_of_members_makes_no_difference(
        members in proptest::collection::btree_map("[a-d]{1,3}", any_value(), 0..6)
    ) {
        let object = |members: Vec<(&String, &Value)>| {
            let add = |object: Object, (name, value): (&String, &Value)| {
                object.with(name.as_str(), value.clone())
            };
            Value::Object(members.into_iter().fold(Object::default(), add))
        };
        let forwards: Vec<_> = members.iter().collect();
        let backwards: Vec<_> = members.iter().rev().collect();
        prop_assert_eq!(difference(&object(forwards), &object(backwards)), None);
    }
}
