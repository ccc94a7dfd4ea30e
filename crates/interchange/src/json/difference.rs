//! Where two values differ.

use std::collections::HashMap;
use std::fmt;

use crate::json::text::JsonText;
use crate::json::value::{Object, Value};
use crate::json::write::compact;

/// One step into a value.
///
/// # Examples
/// ```
/// use sessile_interchange::json::{Step, difference, parse};
///
/// let saved = parse(r#"{"tools":[{"name":"ls"},{"name":"cat"}]}"#)?;
/// let current = parse(r#"{"tools":[{"name":"ls"},{"name":"rm"}]}"#)?;
/// let found = difference(&saved, &current).expect("they differ");
/// let steps = [Step::Member("tools".into()), Step::Item(1), Step::Member("name".into())];
/// assert_eq!(found.path, steps);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the member of an object.
    Member(JsonText),
    /// To the item of an array, from 0.
    Item(usize),
}

/// The first place at which two values differ.
///
/// Its `Display` names the place and both values, as JSON; where one side has nothing it says
/// `nothing`. Its `Debug` tells no content.
///
/// # Examples
/// ```
/// use sessile_interchange::json::{Difference, difference, parse};
///
/// let saved = parse(r#"{"model":{"name":"small","limit":1}}"#)?;
/// let current = parse(r#"{"model":{"limit":1.0,"name":"small"}}"#)?;
/// // The order of members is no difference, but an integer is no float.
/// let found: Difference = difference(&saved, &current).expect("they differ");
/// assert_eq!(found.place(), "model.limit");
/// assert_eq!(found.to_string(), "model.limit differs: saved is 1, current is 1.0");
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Difference {
    /// The way to the place.
    pub path: Vec<Step>,
    /// What the first value has there.
    pub saved: Option<Value>,
    /// What the second value has there.
    pub current: Option<Value>,
}

/// Finds the first place at which two values differ, in the order of the first one; none if there
/// is none.
///
/// The order of the members of an object makes no difference, the order of a list does. `1`, `1.0`
/// and `true` are three values; a member that is `null` is not one that is missing.
pub fn difference(saved: &Value, current: &Value) -> Option<Difference> {
    let mut rest = vec![(Vec::new(), Some(saved), Some(current))];
    while let Some((path, saved, current)) = rest.pop() {
        let pairs = match (saved, current) {
            (Some(Value::Object(saved)), Some(Value::Object(current))) => members(saved, current),
            (Some(Value::Array(saved)), Some(Value::Array(current))) => items(saved, current),
            (Some(saved), Some(current)) if saved == current => continue,
            _ => {
                return Some(Difference { path, saved: saved.cloned(), current: current.cloned() });
            }
        };
        // The last one that is put on the stack is looked at first.
        rest.extend(pairs.into_iter().rev().map(|(step, saved, current)| {
            let mut path = path.clone();
            path.push(step);
            (path, saved, current)
        }));
    }
    None
}

type Pair<'a> = (Step, Option<&'a Value>, Option<&'a Value>);

fn members<'a>(saved: &'a Object, current: &'a Object) -> Vec<Pair<'a>> {
    let mut new: HashMap<&JsonText, &Value> = current.iter().collect();
    let step = |name: &JsonText| Step::Member(name.clone());
    let mut pairs: Vec<Pair<'_>> =
        saved.iter().map(|(name, value)| (step(name), Some(value), new.remove(name))).collect();
    let added = current.iter().filter(|(name, _)| new.contains_key(name));
    pairs.extend(added.map(|(name, value)| (step(name), None, Some(value))));
    pairs
}

fn items<'a>(saved: &'a [Value], current: &'a [Value]) -> Vec<Pair<'a>> {
    let count = saved.len().max(current.len());
    (0..count).map(|at| (Step::Item(at), saved.get(at), current.get(at))).collect()
}

impl Difference {
    /// The place, as members with dots between them and items in brackets.
    pub fn place(&self) -> String {
        let mut place = String::new();
        for step in &self.path {
            match step {
                Step::Member(name) => {
                    if !place.is_empty() {
                        place.push('.');
                    }
                    place.push_str(&name.to_lossy());
                }
                Step::Item(at) => place.extend(["[", &at.to_string(), "]"]),
            }
        }
        place
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told =
            |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), compact);
        let (saved, current) = (told(&self.saved), told(&self.current));
        write!(f, "{} differs: saved is {saved}, current is {current}", self.place())
    }
}

impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Difference({} steps in)", self.path.len())
    }
}
