//! Pairs of identities, compared by the store and by a second comparison that knows only what is
//! documented.

#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::{collection, option};
use serde_json::{Value, json};
use sessile_core::Error;
use sessile_engine::{Expected, NewSession, Store};
use sessile_memory::MemoryBackend;

const IN_ORDER: [&str; 9] = [
    "project",
    "project_identity",
    "workspace",
    "model",
    "digests",
    "roster",
    "Budget",
    "aims",
    "z",
];

fn text() -> impl Strategy<Value = Value> {
    prop::sample::select(vec!["a", "b", "é"]).prop_map(Value::from)
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text(),
        Just(Value::Null),
        Just(json!(1)),
        Just(json!(1.0)),
        Just(json!(true)),
        Just(json!("1")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn roster() -> impl Strategy<Value = Value> {
    collection::vec(text(), 0..4).prop_map(Value::from)
}

fn digests() -> impl Strategy<Value = Value> {
    collection::btree_map("[pq]", text(), 0..3).prop_map(|members| members.into_iter().collect())
}

/// A value of each field, or none.
fn identity() -> impl Strategy<Value = BTreeMap<&'static str, Value>> {
    let texts = [(); 4].map(|()| option::of(text()));
    let own = [(); 3].map(|()| option::of(any_value()));
    (texts, option::of(digests()), option::of(roster()), own).prop_map(
        |(texts, digests, roster, own)| {
            let values = texts.into_iter().chain([digests, roster]).chain(own);
            IN_ORDER.into_iter().zip(values).filter_map(|(name, it)| Some((name, it?))).collect()
        },
    )
}

/// A second one that takes over many fields of the first.
fn pair() -> impl Strategy<Value = (BTreeMap<&'static str, Value>, BTreeMap<&'static str, Value>)> {
    (identity(), identity(), any::<[bool; 9]>()).prop_map(|(saved, mut asked, taken)| {
        for (name, _) in IN_ORDER.into_iter().zip(taken).filter(|(_, taken)| *taken) {
            match saved.get(name) {
                Some(value) => asked.insert(name, value.clone()),
                None => asked.remove(name),
            };
        }
        (saved, asked)
    })
}

fn expected(fields: &BTreeMap<&'static str, Value>, exactly: bool) -> Expected {
    let all = fields.iter().fold(Expected::new(), |all, (name, value)| all.field(*name, value));
    if exactly { all.exactly() } else { all }
}

/// The fields that differ, in order, by what the documentation says.
fn differing(
    saved: &BTreeMap<&'static str, Value>,
    asked: &BTreeMap<&'static str, Value>,
    exactly: bool,
) -> Vec<&'static str> {
    let set = |value: &Value| -> Option<BTreeSet<String>> {
        value.as_array().map(|items| items.iter().map(Value::to_string).collect())
    };
    let same = |name: &str| match (saved.get(name), asked.get(name)) {
        (_, None) if !exactly => true,
        (Some(saved), Some(asked)) if name == "roster" => set(saved) == set(asked),
        (saved, asked) => saved == asked,
    };
    IN_ORDER.into_iter().filter(|name| !same(name)).collect()
}

async fn compare(
    saved: &BTreeMap<&'static str, Value>,
    asked: &BTreeMap<&'static str, Value>,
    exactly: bool,
) -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let new = NewSession::new().expecting(&expected(saved, false));
    let session = store.create_as("a", new).await?;
    let told = session.differences(&expected(asked, exactly)).await?;
    let fields: Vec<&str> = told.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(fields, differing(saved, asked, exactly));
    for it in told.iter() {
        let of = |side: &BTreeMap<&str, Value>| side.get(it.field.as_str()).cloned();
        let decoded = |value: &Option<sessile_core::Payload>| {
            value.as_ref().map(|value| value.decode::<Value>().unwrap())
        };
        assert_eq!((decoded(&it.saved), decoded(&it.current)), (of(saved), of(asked)));
    }
    let opened = store.open_with("a", &expected(asked, exactly)).await;
    let created = NewSession::new().expecting(&expected(asked, exactly));
    let found = store.open_or_create("a", created).await;
    assert_eq!((opened.is_ok(), found.is_ok()), (fields.is_empty(), fields.is_empty()));
    if let Some(first) = fields.first() {
        let clause = opened.unwrap_err().clause().to_owned();
        assert!(clause.starts_with(&format!("identity.{first}")), "{clause}");
    }
    assert_eq!(session.accept(&told, None).await?.is_some(), !fields.is_empty());
    let now: BTreeMap<&str, Value> = {
        let mut now = saved.clone();
        if exactly {
            now.retain(|name, _| asked.contains_key(name));
        }
        let changed = asked.iter().filter(|(name, _)| fields.contains(name));
        now.extend(changed.map(|(name, value)| (*name, value.clone())));
        now
    };
    let identity = session.info().identity()?;
    let identity: BTreeMap<&str, Value> =
        identity.iter().map(|(name, it)| (name.as_str(), it.decode().unwrap())).collect();
    assert_eq!(identity, now);
    store.open_with("a", &expected(asked, exactly)).await?;
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_fields_that_differ_are_those_of_an_independent_comparison_and_none_once_accepted(
        (saved, asked) in pair(),
        exactly: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(compare(&saved, &asked, exactly)).unwrap();
    }
}
