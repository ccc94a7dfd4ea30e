//! Members of objects that know all their members.

use std::collections::BTreeSet;

use sessile_core::lens::View;

/// Checks that a value is an object of these members, each at most once.
///
/// # Errors
/// What is wrong with it, in words that never quote it.
pub(super) fn check(value: View<'_>, required: &[&str], optional: &[&str]) -> Result<(), String> {
    if !value.is_object() {
        return Err("it is not an object".to_owned());
    }
    let mut seen = BTreeSet::new();
    for (name, _) in value.members() {
        let known = required.iter().chain(optional).find(|known| **known == name);
        let known = known.ok_or("it has a member that is not known")?;
        if !seen.insert(*known) {
            return Err(format!("{known} stands twice"));
        }
    }
    match required.iter().find(|name| !seen.contains(*name)) {
        Some(name) => Err(format!("{name} is missing")),
        None => Ok(()),
    }
}

/// A member that may be missing or `null`, which is the same.
pub(super) fn maybe<'a>(object: View<'a>, name: &str) -> Option<View<'a>> {
    object.member(name).filter(|value| value.as_json() != "null")
}

/// A string that may be missing.
pub(super) fn text(object: View<'_>, name: &str) -> Result<Option<String>, String> {
    let Some(value) = maybe(object, name) else { return Ok(None) };
    let text = value.text().ok_or_else(|| format!("{name} is not a string"))?;
    Ok(Some(text.into_owned()))
}

/// A number that may be missing.
pub(super) fn count(object: View<'_>, name: &str) -> Result<Option<u64>, String> {
    let Some(value) = maybe(object, name) else { return Ok(None) };
    let number = value.whole_number();
    number.map(Some).ok_or_else(|| format!("{name} is not an integer from 0 to 2^64 - 1"))
}

/// `true` or `false`; what is missing is the one that is given.
pub(super) fn truth(object: View<'_>, name: &str, missing: bool) -> Result<bool, String> {
    match maybe(object, name).map(View::as_json) {
        None => Ok(missing),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(_) => Err(format!("{name} is not true or false")),
    }
}

/// The items of a list; none where it is missing.
pub(super) fn list<'a>(object: View<'a>, name: &str) -> Result<Vec<View<'a>>, String> {
    match maybe(object, name) {
        Some(value) if value.as_json().starts_with('[') => Ok(value.items().collect()),
        Some(_) => Err(format!("{name} is not a list")),
        None => Ok(Vec::new()),
    }
}
