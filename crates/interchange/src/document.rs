//! Files that are one object: a list of messages, and what is said around it.

use std::fmt::Write as _;

use bytes::Bytes;
use bytestring::ByteString;
use sessile_core::lens::View;
use sessile_core::{Error, Payload};

use crate::lines::Line;

/// The name of the list.
const MESSAGES: &str = "messages";

/// A file that was taken apart.
#[derive(Debug)]
pub(crate) struct Document {
    /// All members but the list.
    pub(crate) envelope: Payload,
    /// The items of the list, counted from 1.
    pub(crate) items: Vec<Line>,
}

/// The whole file as one object with a list of messages; none where it is no such thing.
pub(crate) fn view(bytes: &[u8]) -> Option<View<'_>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    // Nothing is parsed of what can't be one.
    if !bytes.starts_with(b"{") || !bytes.ends_with(b"}") {
        return None;
    }
    let whole = View::parse(std::str::from_utf8(bytes).ok()?)?;
    whole.member(MESSAGES).filter(|list| list.is_array()).map(|_| whole)
}

/// Takes a file apart; its items share the buffer.
pub(crate) fn take_apart(bytes: &Bytes) -> Result<Option<Document>, Error> {
    let Some(whole) = view(bytes) else { return Ok(None) };
    let list = whole.member(MESSAGES);
    let items = (1..).zip(list.into_iter().flat_map(View::items)).map(|(number, item)| {
        let text = ByteString::try_from(bytes.slice_ref(item.as_json().as_bytes()));
        // It was text as a part of the whole.
        let text = text.unwrap_or_else(|_| ByteString::from(item.as_json()));
        Payload::parse(text).map(|data| Line { number, data })
    });
    Ok(Some(Document { envelope: envelope(whole)?, items: items.collect::<Result<_, _>>()? }))
}

/// All members of an object but the list, each as it stands.
fn envelope(whole: View<'_>) -> Result<Payload, Error> {
    let mut text = String::from("{");
    for (name, value) in whole.members().filter(|(name, _)| name != MESSAGES) {
        let name = Payload::of(&*name)?;
        let comma = if text.len() > 1 { "," } else { "" };
        let _infallible = write!(text, "{comma}{}:{}", name.as_str(), value.as_json());
    }
    text.push('}');
    Payload::parse(text)
}

/// What a file begins with whose list is to follow.
pub(crate) fn head(envelope: &Payload) -> String {
    let inside = envelope.as_str().trim_ascii_end().strip_suffix('}').unwrap_or("{");
    let comma = if inside.trim_ascii() == "{" { "" } else { "," };
    format!("{inside}{comma}\"{MESSAGES}\":[")
}

/// What it ends with.
pub(crate) const TAIL: &str = "\n]}\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_taken_apart_and_put_together_again() {
        let file = "{ \"a\" : 1.0,\n\"messages\":[ {\"b\": 2} ,\n3], \"c\":[{\"messages\":[]}] }\n";
        let document = take_apart(&Bytes::from_static(file.as_bytes())).unwrap().unwrap();
        assert_eq!(document.envelope.as_str(), r#"{"a":1.0,"c":[{"messages":[]}]}"#);
        let items: Vec<(u64, &str)> =
            document.items.iter().map(|it| (it.number, it.data.as_str())).collect();
        assert_eq!(items, [(1, "{\"b\": 2}"), (2, "3")]);
        assert_eq!(head(&document.envelope), r#"{"a":1.0,"c":[{"messages":[]}],"messages":["#);
        assert_eq!(head(&Payload::parse("{}").unwrap()), r#"{"messages":["#);
    }

    #[test]
    fn what_is_no_document_is_none() {
        for file in
            ["", "{", "[]", "{}", r#"{"messages":{}}"#, "{\"messages\":[]}\n{}", "\u{feff}1"]
        {
            assert!(view(file.as_bytes()).is_none(), "{file}");
        }
        assert!(view("\u{feff} {\"messages\":[]}\r\n".as_bytes()).is_some());
    }
}
