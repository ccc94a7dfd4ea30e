//! One field of an identity: its place in the order of comparison, and when two values are the same.

use sessile_core::{Error, Payload};
use sessile_interchange::json::{self, Object, Value};

pub(super) const PROJECT: &str = "project";
pub(super) const PROJECT_IDENTITY: &str = "project_identity";
pub(super) const WORKSPACE: &str = "workspace";
pub(super) const MODEL: &str = "model";
pub(super) const DIGESTS: &str = "digests";
pub(super) const ROSTER: &str = "roster";

/// The fields that are compared first, in this order; every other follows in the order of names.
const FIRST: [&str; 6] = [PROJECT, PROJECT_IDENTITY, WORKSPACE, MODEL, DIGESTS, ROSTER];

/// Names in the order in which they are compared, each once.
pub(super) fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let rank = |name: &str| FIRST.iter().position(|it| *it == name).unwrap_or(FIRST.len());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable_by_key(|name| (rank(name), *name));
    names.dedup();
    names
}

/// How a field differs, if it does: the innermost place, and both values.
///
/// The order of the members of an object makes no difference, that of a list does; the roster is a
/// set. None is another value than any, `null` included.
pub(super) fn difference(
    name: &str,
    saved: Option<&Payload>,
    current: Option<&Payload>,
) -> Option<String> {
    if saved == current {
        return None;
    }
    let told = || -> Result<_, Error> {
        let (saved, current) = (of(name, saved)?, of(name, current)?);
        Ok(json::difference(&saved, &current).map(|difference| difference.to_string()))
    };
    // What is no value of JSON as others read it, as a number beyond their range, is compared whole.
    told().unwrap_or_else(|_| Some(format!("identity.{name} differs")))
}

/// A field within an identity, in the form in which it is compared.
fn of(name: &str, value: Option<&Payload>) -> Result<Value, Error> {
    let mut fields = Object::default();
    if let Some(value) = value {
        let value = json::parse(value.as_str())?;
        fields.set(name, if name == ROSTER { as_set(value) } else { value });
    }
    Ok(Object::default().with("identity", fields).into())
}

/// The items of a list, each once and in one order; what is no list, as it is.
fn as_set(value: Value) -> Value {
    match value {
        Value::Array(mut items) => {
            items.sort_by_cached_key(json::compact);
            items.dedup();
            Value::Array(items)
        }
        value => value,
    }
}
