use proptest::collection::vec;
use proptest::prelude::*;

use crate::json::{Float, Integer, JsonText, Object, Value};

/// Text of every kind, halves of characters included.
pub(crate) fn any_text() -> BoxedStrategy<JsonText> {
    let halves = vec(prop_oneof![any::<u16>(), 0xd7f0_u16..0xe010, 0_u16..0x80], 0..12);
    prop_oneof![
        any::<String>().prop_map(JsonText::from),
        "[a-z_]{0,8}".prop_map(JsonText::from),
        halves.prop_map(JsonText::from_utf16),
    ]
    .boxed()
}

/// Floats of every size.
pub(crate) fn any_float() -> impl Strategy<Value = f64> {
    let bits = any::<u64>().prop_map(f64::from_bits);
    let short = (any::<i32>(), -25_i32..25)
        .prop_map(|(digits, power)| f64::from(digits) * 10_f64.powi(power));
    let plain = (-1e17..1e17).prop_map(|float: f64| float);
    // The floats around powers of two have neighbours at two distances.
    let powers = (-1074_i32..1024, -1_i64..2).prop_map(|(power, step)| {
        f64::from_bits(2_f64.powi(power).to_bits().wrapping_add_signed(step))
    });
    prop_oneof![bits, short, plain, powers, any::<i32>().prop_map(f64::from)]
        .prop_filter("a number", |float| float.is_finite())
}

fn any_integer() -> impl Strategy<Value = Integer> {
    prop_oneof![
        any::<u64>().prop_map(Integer::from),
        any::<i64>().prop_map(Integer::from),
        "-?[1-9][0-9]{0,60}".prop_map(|digits| Integer::parse(&digits).unwrap()),
    ]
}

/// Values of every kind.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any_integer().prop_map(Value::Integer),
        any_float().prop_map(|float| Value::Float(Float::new(float).unwrap())),
        any_text().prop_map(Value::Text),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        let members = vec((any_text(), inner.clone()), 0..6).prop_map(|members| {
            members
                .into_iter()
                .fold(Object::default(), |object, (name, value)| object.with(name, value))
        });
        prop_oneof![vec(inner, 0..6).prop_map(Value::Array), members.prop_map(Value::Object)]
    })
}
