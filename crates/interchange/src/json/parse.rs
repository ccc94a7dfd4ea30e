//! From text to values.

use serde_json::value::RawValue;
use sessile_core::{Error, ErrorKind};

use crate::json::escape::unescape;
use crate::json::number::{Float, Integer};
use crate::json::text::JsonText;
use crate::json::value::{MAX_DEPTH, Object, Value};

/// Reads bytes that are one JSON value in UTF-8, with white space around it or none.
///
/// # Errors
/// [`ErrorKind::Refused`] when they are not UTF-8; else as [`parse`].
pub fn parse_bytes(bytes: &[u8]) -> Result<Value, Error> {
    let text = str::from_utf8(bytes).map_err(|error| {
        refused(format!("not text in UTF-8: fails at byte {}", error.valid_up_to()))
    })?;
    parse(text)
}

/// Reads text that is one JSON value, with white space around it or none.
///
/// # Errors
/// [`ErrorKind::Refused`], with the line, when it is not one JSON value, when a name stands twice
/// in one object, when a number is beyond the greatest float, or when it has more than
/// [`MAX_DEPTH`] levels.
pub fn parse(text: &str) -> Result<Value, Error> {
    let value: &RawValue = serde_json::from_str(text).map_err(|error| {
        refused(format!("not JSON: fails at line {}, column {}", error.line(), error.column()))
    })?;
    let mut reader = Reader { all: text, rest: value.get(), open: Vec::new() };
    loop {
        if let Some(value) = reader.step()? {
            return Ok(value);
        }
    }
}

fn refused(clause: String) -> Error {
    Error::new(ErrorKind::Refused, clause)
}

/// Takes valid JSON apart from its start to its end.
struct Reader<'a> {
    all: &'a str,
    rest: &'a str,
    /// The arrays and objects whose end is still to come, the innermost last.
    open: Vec<Open>,
}

enum Open {
    Array(Vec<Value>),
    /// The members so far, and the name whose value is next.
    Object(Vec<(JsonText, Value)>, Option<JsonText>),
}

impl<'a> Reader<'a> {
    /// Reads on to the next value or bracket; gives the whole value once it is complete.
    fn step(&mut self) -> Result<Option<Value>, Error> {
        // Nothing else stands between the values of valid JSON.
        self.rest = self.rest.trim_start_matches([',', ':', ' ', '\t', '\n', '\r']);
        let value = match self.rest.bytes().next() {
            Some(b'[') => return self.begin(Open::Array(Vec::new())),
            Some(b'{') => return self.begin(Open::Object(Vec::new(), None)),
            Some(b']' | b'}') => {
                self.take(1);
                let Some(value) = self.end()? else { return Ok(None) };
                value
            }
            Some(b'"') => {
                let text = self.string();
                if let Some(Open::Object(_, name @ None)) = self.open.last_mut() {
                    *name = Some(text);
                    return Ok(None);
                }
                Value::Text(text)
            }
            Some(_) => self.word()?,
            // Valid JSON has an end for each beginning.
            None => return Err(refused("not JSON: it has no end".to_owned())),
        };
        Ok(self.place(value))
    }

    fn begin(&mut self, open: Open) -> Result<Option<Value>, Error> {
        if self.open.len() == MAX_DEPTH {
            let line = self.line_of(self.rest);
            return Err(refused(format!("line {line}: more than {MAX_DEPTH} levels")));
        }
        self.take(1);
        self.open.push(open);
        Ok(None)
    }

    fn end(&mut self) -> Result<Option<Value>, Error> {
        Ok(match self.open.pop() {
            Some(Open::Array(items)) => Some(Value::Array(items)),
            Some(Open::Object(members, _)) => {
                let object = Object::of(members);
                let twice = || {
                    let line = self.line_of(self.rest);
                    refused(format!(
                        "line {line}: a name stands twice in the object that ends here"
                    ))
                };
                Some(Value::Object(object.ok_or_else(twice)?))
            }
            None => None,
        })
    }

    /// Puts a value where it belongs; gives it back if it is the whole.
    fn place(&mut self, value: Value) -> Option<Value> {
        match self.open.last_mut() {
            None => return Some(value),
            Some(Open::Array(items)) => items.push(value),
            Some(Open::Object(members, name)) => {
                members.extend(name.take().map(|name| (name, value)));
            }
        }
        None
    }

    /// Takes a string and gives what it says.
    fn string(&mut self) -> JsonText {
        let mut escaped = false;
        let length = self.rest.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let quoted = self.take(length.map_or(self.rest.len(), |length| length + 2));
        let inside = quoted.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        unescape(inside.unwrap_or_default())
    }

    /// Takes a number or a literal.
    fn word(&mut self) -> Result<Value, Error> {
        let before = self.rest;
        let end = before.find([',', ']', '}', ' ', '\t', '\n', '\r']);
        let number = match self.take(end.unwrap_or(before.len())) {
            "null" => return Ok(Value::Null),
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            number => number,
        };
        if let Some(integer) = Integer::parse(number) {
            return Ok(Value::Integer(integer));
        }
        number.parse().ok().and_then(Float::new).map(Value::Float).ok_or_else(|| {
            refused(format!("line {}: a number beyond the greatest float", self.line_of(before)))
        })
    }

    /// Takes so many bytes off.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// The line on which a rest begins. It counts from the start, so it is for errors only.
    fn line_of(&self, rest: &str) -> usize {
        let end = rest.as_ptr().addr().wrapping_sub(self.all.as_ptr().addr());
        1 + self.all.bytes().take(end).filter(|byte| *byte == b'\n').count()
    }
}
