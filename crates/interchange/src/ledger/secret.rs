//! Text that must not be carried on.

use crate::json::{self, JsonText, Object, Value};

/// What stands in place of a text with a secret in it.
pub(super) const REDACTED: &str = "[redacted]";

/// What credentials of the product begin with, and how others are introduced.
const SIGNS: [&str; 9] = [
    "bearer ",
    "client_secret",
    "wc_pat_",
    "wc_oat_",
    "wc_ort_",
    "wc_agent_",
    "wc_acct_",
    "wc_pair_",
    "wc_csec_",
];

/// Parts of the names of members whose values are secrets.
const PARTS: [&str; 3] = ["token", "secret", "password"];

/// Names of members whose values are secrets.
const NAMES: [&str; 5] = ["authorization", "auth", "client_secret", "pat", "bearer"];

/// Whether a text may hold a secret.
pub(super) fn is_in(text: &str) -> bool {
    let text = text.to_lowercase();
    SIGNS.iter().any(|sign| text.contains(sign))
}

/// Keeps so many characters of a text; where that cuts it, `...` follows.
pub(super) fn bounded(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) if text.strip_suffix("...").is_none_or(|it| it.len() != end) => {
            format!("{}...", text.get(..end).unwrap_or_default())
        }
        _ => text.to_owned(),
    }
}

/// Takes secrets out of a JSON text; none where there is none in it.
pub(super) fn without(json: &str) -> Option<String> {
    let value = json::parse(json).ok()?;
    let clean = clean(&value);
    (clean != value).then(|| json::compact(&clean))
}

/// The value without secrets. It recurses no deeper than values are read.
fn clean(value: &Value) -> Value {
    match value {
        Value::Text(text) if is_in(&text.to_lossy()) => REDACTED.into(),
        Value::Array(items) => Value::Array(items.iter().map(clean).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                let value = if names_one(name) { REDACTED.into() } else { clean(value) };
                (name.clone(), value)
            });
            Object::of(members.collect()).map_or(Value::Null, Value::Object)
        }
        other => other.clone(),
    }
}

fn names_one(name: &JsonText) -> bool {
    let name = name.to_lossy().to_lowercase();
    NAMES.contains(&&*name) || PARTS.iter().any(|part| name.contains(part))
}
