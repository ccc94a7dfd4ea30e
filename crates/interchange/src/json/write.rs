//! From values to text.

use crate::json::escape::escape;
use crate::json::text::JsonText;
use crate::json::value::Value;

/// Writes a value as Python's `json.dumps(value, indent=2)` does.
pub fn pretty(value: &Value) -> String {
    write(value, &Style { indent: Some(2), comma: ",", colon: ": " })
}

/// Writes a value on one line as Python's `json.dumps(value, separators=(",", ":"))` does.
pub fn compact(value: &Value) -> String {
    write(value, &Style { indent: None, comma: ",", colon: ":" })
}

struct Style {
    indent: Option<usize>,
    comma: &'static str,
    colon: &'static str,
}

impl Style {
    /// Begins the next line, at a depth.
    fn line(&self, out: &mut String, depth: usize) {
        if let Some(indent) = self.indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * depth));
        }
    }
}

/// What is still to be written of an array or object.
struct Rest<'a> {
    items: Box<dyn Iterator<Item = (Option<&'a JsonText>, &'a Value)> + 'a>,
    close: char,
    is_first: bool,
}

fn write(value: &Value, style: &Style) -> String {
    let mut out = String::new();
    // A stack of its own, so that no depth is too much.
    let mut open: Vec<Rest<'_>> = begin(&mut out, value).into_iter().collect();
    while let Some(inner) = open.last_mut() {
        let Some((name, value)) = inner.items.next() else {
            let close = inner.close;
            open.pop();
            style.line(&mut out, open.len());
            out.push(close);
            continue;
        };
        if !std::mem::take(&mut inner.is_first) {
            out.push_str(style.comma);
        }
        style.line(&mut out, open.len());
        if let Some(name) = name {
            escape(&mut out, name);
            out.push_str(style.colon);
        }
        open.extend(begin(&mut out, value));
    }
    out
}

/// Writes a value, or the beginning of one that has others in it.
fn begin<'a>(out: &mut String, value: &'a Value) -> Option<Rest<'a>> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Integer(number) => out.push_str(number.as_str()),
        Value::Float(number) => out.push_str(&number.to_string()),
        Value::Text(text) => escape(out, text),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Array(items) => {
            out.push('[');
            let items = Box::new(items.iter().map(|item| (None, item)));
            return Some(Rest { items, close: ']', is_first: true });
        }
        Value::Object(members) => {
            out.push('{');
            let items = Box::new(members.iter().map(|(name, value)| (Some(name), value)));
            return Some(Rest { items, close: '}', is_first: true });
        }
    }
    None
}
