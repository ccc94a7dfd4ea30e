//! Values.

use std::fmt;

use crate::json::number::{Float, Integer};
use crate::json::text::JsonText;

/// The most levels of arrays and objects within each other.
///
/// Python's own limit is about a thousand; what agents store nests a few dozen levels deep.
pub const MAX_DEPTH: usize = 256;

/// One JSON value.
///
/// # Examples
/// ```
/// use sessile_interchange::json::{Value, parse};
///
/// let value: Value = parse(r#"{"n":[1,1.0,true,null]}"#)?;
/// let items = value.as_object().and_then(|it| it.get("n")?.as_array()).expect("a list");
/// // They are four values, and stay what they are.
/// assert_eq!((items[0].as_u64(), items[1].as_u64()), (Some(1), None));
/// assert_eq!((items[2].as_bool(), items[0] == items[1]), (Some(true), false));
/// assert_eq!(value.depth(), 2);
/// // A log hears sizes only.
/// assert_eq!(format!("{value:?}"), "Object(1 members)");
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without a fraction and without an exponent.
    Integer(Integer),
    /// Any other number.
    Float(Float),
    /// A string.
    Text(JsonText),
    /// A list.
    Array(Vec<Self>),
    /// Members in their order.
    Object(Object),
}

impl Value {
    /// The text, if it is a string.
    pub fn as_text(&self) -> Option<&JsonText> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The members, if it is an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The items, if it is an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The number, if it is an integer that is not negative and fits.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Integer(number) => number.as_u64(),
            _ => None,
        }
    }

    /// The truth, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// How many levels of arrays and objects it has, counted up to one more than
    /// [`MAX_DEPTH`].
    pub fn depth(&self) -> usize {
        let mut level = vec![self];
        let mut depth = 0;
        while depth <= MAX_DEPTH {
            level = level.into_iter().flat_map(Self::children).collect();
            if level.is_empty() {
                break;
            }
            depth += 1;
        }
        depth
    }

    /// What stands in it, with itself in place of nothing, so that an empty list is a level too.
    fn children(&self) -> Vec<&Self> {
        match self {
            Self::Array(items) if !items.is_empty() => items.iter().collect(),
            Self::Object(members) if !members.is_empty() => {
                members.iter().map(|(_, value)| value).collect()
            }
            Self::Array(_) | Self::Object(_) => vec![&Self::Null],
            _ => Vec::new(),
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Integer(number.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<JsonText> for Value {
    fn from(text: JsonText) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<Self>> for Value {
    fn from(items: Vec<Self>) -> Self {
        Self::Array(items)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl fmt::Debug for Value {
    /// Tells the kind and the size only: what files hold never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Bool(_) => f.write_str("Bool(_)"),
            Self::Integer(number) => number.fmt(f),
            Self::Float(number) => fmt::Debug::fmt(number, f),
            Self::Text(text) => text.fmt(f),
            Self::Array(items) => write!(f, "Array({} items)", items.len()),
            Self::Object(object) => object.fmt(f),
        }
    }
}

/// The members of an object in their order; no name stands twice.
///
/// # Examples
/// ```
/// use sessile_interchange::json::{Object, Value, compact};
///
/// let mut object = Object::default().with("b", 1_u64).with("a", "x");
/// object.set("b", true);
/// // Members stay where they are.
/// assert_eq!(compact(&object.into()), r#"{"b":true,"a":"x"}"#);
/// // Of two of one name nobody could say which one counts.
/// assert!(Object::of(vec![("a".into(), Value::Null), ("a".into(), Value::Null)]).is_none());
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Object(Vec<(JsonText, Value)>);

impl Object {
    /// Takes members whose names all differ; none if one stands twice.
    pub fn of(members: Vec<(JsonText, Value)>) -> Option<Self> {
        let mut names: Vec<&JsonText> = members.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        let differ = names.iter().zip(names.iter().skip(1)).all(|(one, next)| one != next);
        differ.then_some(Self(members))
    }

    /// The member of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(it, _)| it == name).map(|(_, value)| value)
    }

    /// Sets a member: in its place if the name is there, else at the end.
    pub fn set(&mut self, name: impl Into<JsonText>, value: impl Into<Value>) {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(it, _)| *it == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// The object with a member set; see [`set`](Self::set).
    #[must_use]
    pub fn with(mut self, name: impl Into<JsonText>, value: impl Into<Value>) -> Self {
        self.set(name, value);
        self
    }

    /// The members in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&JsonText, &Value)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Object {
    /// Tells the size only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Object({} members)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_once() {
        let name = || JsonText::from("a");
        assert!(Object::of(vec![(name(), Value::Null), (name(), Value::Null)]).is_none());
        let mut object =
            Object::of(vec![(name(), Value::Null), ("b".into(), Value::Null)]).unwrap();
        object.set("a", true);
        object.set("c", 7_u64);
        let names: Vec<_> = object.iter().map(|(name, _)| name.to_lossy().into_owned()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(object.get("a").and_then(Value::as_bool), Some(true));
        assert_eq!(object.len(), 3);
    }

    #[test]
    fn depth_counts_levels() {
        let nested = |levels: usize| {
            (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner, Value::Null]))
        };
        assert_eq!(Value::Null.depth(), 0);
        assert_eq!(Value::Array(Vec::new()).depth(), 1);
        assert_eq!(Value::from(Object::default().with("a", Object::default())).depth(), 2);
        for levels in [1, 7, MAX_DEPTH] {
            assert_eq!(nested(levels).depth(), levels);
        }
        assert_eq!(nested(MAX_DEPTH + 9).depth(), MAX_DEPTH + 1);
    }

    #[test]
    fn debug_tells_no_content() {
        let value = Value::from(Object::default().with("secret", "secret").with("n", 777_u64));
        assert_eq!(format!("{value:?}"), "Object(2 members)");
        let told =
            format!("{:?}", [Value::from("secret"), Value::from(777_u64), Value::from(true)]);
        assert_eq!(told, "[JsonText(6 bytes), Integer(3 characters), Bool(_)]");
    }
}
