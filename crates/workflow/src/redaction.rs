//! What is not carried on, and how much of the rest.

use sessile_core::Payload;
use sessile_interchange::json::{self, JsonText, Object, Value};

/// What stands in place of a secret.
pub const REDACTED: &str = "[redacted]";

/// Which texts and which members are taken for secrets. All are compared in lower case.
///
/// # Examples
/// ```
/// use sessile_workflow::Redaction;
///
/// let redaction = Redaction::default().sign("acme_key_");
/// assert_eq!(redaction.text("use ACME_KEY_4711"), "[redacted]");
/// assert_eq!(redaction.text("use the key"), "use the key");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    signs: Vec<String>,
    parts: Vec<String>,
    names: Vec<String>,
}

impl Default for Redaction {
    fn default() -> Self {
        let all = |texts: &[&str]| texts.iter().map(|it| (*it).to_owned()).collect();
        Self {
            signs: all(&[
                "bearer ",
                "client_secret",
                "wc_pat_",
                "wc_oat_",
                "wc_ort_",
                "wc_agent_",
                "wc_acct_",
                "wc_pair_",
                "wc_csec_",
            ]),
            parts: all(&["token", "secret", "password"]),
            names: all(&["authorization", "auth", "client_secret", "pat", "bearer"]),
        }
    }
}

impl Redaction {
    /// Takes every text for a secret that contains this.
    #[must_use]
    pub fn sign(mut self, sign: impl Into<String>) -> Self {
        self.signs.push(sign.into().to_lowercase());
        self
    }

    /// Takes the value of every member for a secret whose name contains this.
    #[must_use]
    pub fn part_of_name(mut self, part: impl Into<String>) -> Self {
        self.parts.push(part.into().to_lowercase());
        self
    }

    /// Whether a text may hold a secret.
    pub fn is_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.signs.iter().any(|sign| text.contains(sign))
    }

    /// The text, or what stands in its place if it may hold a secret.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        if self.is_in(text) { REDACTED } else { text }
    }

    /// The value without secrets. Where there is none in it, it is the same bytes.
    pub fn value(&self, value: &Payload) -> Payload {
        let unreadable = || Payload::of(REDACTED).unwrap_or_else(|_| value.clone());
        // What this can't read it can't vouch for.
        let Ok(read) = json::parse(value.as_str()) else {
            return unreadable();
        };
        let clean = self.clean(&read);
        if clean == read {
            return value.clone();
        }
        Payload::parse(json::compact(&clean)).unwrap_or_else(|_| unreadable())
    }

    /// It recurses no deeper than values are read.
    fn clean(&self, value: &Value) -> Value {
        match value {
            Value::Text(text) if self.is_in(&text.to_lossy()) => REDACTED.into(),
            Value::Array(items) => Value::Array(items.iter().map(|it| self.clean(it)).collect()),
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| {
                    let value =
                        if self.names_one(name) { REDACTED.into() } else { self.clean(value) };
                    (name.clone(), value)
                });
                Object::of(members.collect()).map_or(Value::Null, Value::Object)
            }
            other => other.clone(),
        }
    }

    fn names_one(&self, name: &JsonText) -> bool {
        let name = name.to_lossy().to_lowercase();
        self.names.iter().any(|it| **it == *name) || self.parts.iter().any(|it| name.contains(it))
    }
}

/// Keeps so many characters of a text; where that cuts it, `...` follows. Doing it twice is doing
/// it once.
pub fn bounded(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) if text.strip_suffix("...").is_none_or(|it| it.len() != end) => {
            format!("{}...", text.get(..end).unwrap_or_default())
        }
        _ => text.to_owned(),
    }
}

/// Keeps so many characters of a text, and nothing tells that it was cut.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// How much of a value is kept where only its outline is wanted, as of what a tool was called with.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use sessile_core::Payload;
/// use sessile_workflow::Outline;
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// // What a tool was called with, for a log: which file, and not all that was written into it.
/// let call = Payload::of(&json!({"path": "a.rs", "text": "fn main() {}"}))?;
/// let outline = Outline { text_chars: 7, ..Outline::default() };
/// assert_eq!(outline.of(&call).as_str(), r#"{"path":"a.rs","text":"fn main..."}"#);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The characters of a text; 120.
    pub text_chars: usize,
    /// The members of an object; 16. One more, `_truncated`, says that there were others.
    pub object_keys: usize,
    /// The items of a list; 8. One more, `_truncated`, says that there were others.
    pub array_items: usize,
}

impl Default for Outline {
    fn default() -> Self {
        Self { text_chars: 120, object_keys: 16, array_items: 8 }
    }
}

impl Outline {
    /// The outline of a value; what can't be read has none but that it was redacted.
    ///
    /// # Examples
    /// ```
    /// use sessile_core::Payload;
    /// use sessile_workflow::Outline;
    ///
    /// # fn main() -> Result<(), sessile_core::Error> {
    /// let list = Payload::parse("[1,2,3,4,5,6,7,8,9]")?;
    /// let outline = Outline::default().of(&list);
    /// assert_eq!(outline.as_str(), r#"[1,2,3,4,5,6,7,8,"_truncated"]"#);
    /// # Ok(())
    /// # }
    /// ```
    pub fn of(&self, value: &Payload) -> Payload {
        let outlined = json::parse(value.as_str()).map(|it| json::compact(&self.outlined(&it)));
        let outlined = outlined.and_then(Payload::parse);
        outlined.or_else(|_| Payload::of(REDACTED)).unwrap_or_else(|_| value.clone())
    }

    fn outlined(&self, value: &Value) -> Value {
        match value {
            Value::Text(text) => (&*bounded(&text.to_lossy(), self.text_chars)).into(),
            Value::Array(items) => {
                let mut kept: Vec<Value> =
                    items.iter().take(self.array_items).map(|it| self.outlined(it)).collect();
                if items.len() > self.array_items {
                    kept.push("_truncated".into());
                }
                Value::Array(kept)
            }
            Value::Object(members) => {
                let kept = members.iter().take(self.object_keys);
                let kept = kept.map(|(name, value)| (name.clone(), self.outlined(value)));
                let object = Object::of(kept.collect()).unwrap_or_default();
                Value::Object(if members.len() > self.object_keys {
                    object.with("_truncated", Value::Bool(true))
                } else {
                    object
                })
            }
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(json: &str) -> Payload {
        Payload::parse(json.to_owned()).unwrap()
    }

    #[test]
    fn secrets_go_and_everything_else_stays_byte_for_byte() {
        let clean = |json: &str| Redaction::default().value(&payload(json)).as_str().to_owned();
        for same in [r#"{"a": 1.50, "b":[1,  2], "c":"\u0041"}"#, "9007199254740993", "\"x\""] {
            assert_eq!(clean(same), same);
        }
        for (secret, left) in [
            (r#"{"API_Token":{"deep":1},"n":1}"#, r#"{"API_Token":"[redacted]","n":1}"#),
            (r#"{"auth":"x","author":"y"}"#, r#"{"auth":"[redacted]","author":"y"}"#),
            (r#"["say Bearer abc",["wc_pat_1"]]"#, r#"["[redacted]",["[redacted]"]]"#),
            (r#"{"a":[{"Password":null}]}"#, r#"{"a":[{"Password":"[redacted]"}]}"#),
        ] {
            assert_eq!(clean(secret), left, "{secret}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_vouched_for() {
        let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
        assert_eq!(Redaction::default().value(&payload(&deep)).as_str(), "\"[redacted]\"");
        assert_eq!(Outline::default().of(&payload(&deep)).as_str(), "\"[redacted]\"");
    }

    #[test]
    fn bounding_counts_characters_and_is_idempotent() {
        assert_eq!(bounded("äöü", 3), "äöü");
        assert_eq!(bounded("äöüx", 3), "äöü...");
        for (text, most) in [("äöüx", 3), ("", 0), ("abc", 0), ("a...", 1), ("......", 3)] {
            let once = bounded(text, most);
            assert_eq!(bounded(&once, most), once, "{text} {most}");
            assert!(once.chars().count() <= most + 3);
        }
        assert_eq!((cut("äöüx", 3), cut("ä", 3), cut("x", 0)), ("äöü", "ä", ""));
    }

    #[test]
    fn an_outline_says_what_it_left_out() {
        let keys: Vec<String> = (0..17).map(|it| format!("\"k{it}\":{it}")).collect();
        let outline = Outline::default().of(&payload(&format!("{{{}}}", keys.join(","))));
        let outline: serde_json::Value = serde_json::from_str(outline.as_str()).unwrap();
        assert_eq!(outline.as_object().unwrap().len(), 17);
        assert_eq!(outline["_truncated"], true);
        assert_eq!(outline.get("k16"), None);
        let long = format!("\"{}\"", "x".repeat(121));
        let outline = Outline::default().of(&payload(&long));
        assert_eq!(outline.len(), 2 + 123);
    }
}
