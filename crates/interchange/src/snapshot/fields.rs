//! Members of strict objects: each is there, is known and is of its type.

use std::borrow::Cow;

use crate::json::{JsonText, Object, Value};
use crate::snapshot::fault::Fault;

/// An object that is being read, with the place where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    place: &'a str,
    object: &'a Object,
}

/// What can be said of an object's members.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    /// These must be there.
    pub(super) required: &'a [&'a str],
    /// These may be there.
    pub(super) optional: &'a [&'a str],
}

impl<'a> Fields<'a> {
    /// Takes a value as an object of these members and no others. `place` is empty for the whole.
    pub(super) fn of(value: &'a Value, place: &'a str, names: Names<'_>) -> Result<Self, Fault> {
        let object = value
            .as_object()
            .ok_or_else(|| Fault::new(format!("{} is not an object", whole_or(place))))?;
        let fields = Self { place, object };
        fields.check(names)?;
        Ok(fields)
    }

    fn check(self, names: Names<'_>) -> Result<(), Fault> {
        if let Some(name) = names.required.iter().find(|name| self.object.get(name).is_none()) {
            return Err(Fault::new(format!("{} is missing", self.at(name))));
        }
        let is_known = |name: &JsonText| {
            names.required.iter().chain(names.optional).any(|known| name == known)
        };
        match self.object.iter().find(|(name, _)| !is_known(name)) {
            Some((name, _)) => Err(Fault::new(format!("{} is unknown", self.at(&told(name))))),
            None => Ok(()),
        }
    }

    /// The place of a member.
    pub(super) fn at(self, name: &str) -> String {
        if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) }
    }

    /// A member; none where it is missing.
    pub(super) fn maybe(self, name: &str) -> Option<&'a Value> {
        self.object.get(name)
    }

    /// A member that is there.
    pub(super) fn value(self, name: &str) -> Result<&'a Value, Fault> {
        self.maybe(name).ok_or_else(|| Fault::new(format!("{} is missing", self.at(name))))
    }

    /// A member that may be missing or `null`, which is the same.
    pub(super) fn present(self, name: &str) -> Option<&'a Value> {
        self.maybe(name).filter(|value| **value != Value::Null)
    }

    fn not(self, name: &str, what: &str) -> Fault {
        Fault::new(format!("{} is not {what}", self.at(name)))
    }

    /// Text.
    pub(super) fn text(self, name: &str) -> Result<JsonText, Fault> {
        self.value(name)?.as_text().cloned().ok_or_else(|| self.not(name, "a string"))
    }

    /// Text that names something: whole characters, and at least one.
    pub(super) fn name(self, name: &str) -> Result<String, Fault> {
        let text = self.value(name)?.as_text().and_then(JsonText::as_str);
        text.filter(|text| !text.is_empty())
            .map(str::to_owned)
            .ok_or_else(|| self.not(name, "a string of one or more whole characters"))
    }

    /// An integer of 0 or more that fits into 63 bits.
    pub(super) fn count(self, name: &str) -> Result<u64, Fault> {
        count(self.value(name)?).ok_or_else(|| self.not(name, COUNT))
    }

    /// The same, where the member is there.
    pub(super) fn maybe_count(self, name: &str) -> Result<Option<u64>, Fault> {
        self.maybe(name).map(|_| self.count(name)).transpose()
    }

    /// An integer of 0 or more that has a successor.
    pub(super) fn counter(self, name: &str) -> Result<u64, Fault> {
        let number = self.value(name)?.as_u64().filter(|number| *number < u64::MAX);
        number.ok_or_else(|| self.not(name, "an integer from 0 to 2^64 - 2"))
    }

    /// `true` or `false`.
    pub(super) fn truth(self, name: &str) -> Result<bool, Fault> {
        self.value(name)?.as_bool().ok_or_else(|| self.not(name, "true or false"))
    }

    /// A list.
    pub(super) fn list(self, name: &str) -> Result<&'a [Value], Fault> {
        self.value(name)?.as_array().ok_or_else(|| self.not(name, "a list"))
    }

    /// A list whose items are read with their places.
    pub(super) fn each<T>(
        self,
        name: &str,
        read: impl Fn(&'a Value, &str) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let items = self.list(name)?.iter().enumerate();
        items.map(|(index, item)| read(item, &format!("{}[{index}]", self.at(name)))).collect()
    }

    /// A list of text.
    pub(super) fn texts(self, name: &str) -> Result<Vec<JsonText>, Fault> {
        self.each(name, |item, place| {
            let not = || Fault::new(format!("{place} is not a string"));
            item.as_text().cloned().ok_or_else(not)
        })
    }
}

/// What a count has to be.
const COUNT: &str = "an integer from 0 to 2^63 - 1";

/// The number of an integer of 0 or more that fits into 63 bits.
pub(super) fn count(value: &Value) -> Option<u64> {
    value.as_u64().filter(|number| i64::try_from(*number).is_ok())
}

/// How the whole is called where a place would stand.
pub(super) fn whole_or(place: &str) -> &str {
    if place.is_empty() { "the snapshot" } else { place }
}

/// A name as it may be told: only what looks like one, since a key may hold anything.
fn told(name: &JsonText) -> Cow<'_, str> {
    let name = name.as_str().filter(|name| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    });
    name.map_or(Cow::Borrowed("(a name that is not shown)"), Cow::Borrowed)
}
