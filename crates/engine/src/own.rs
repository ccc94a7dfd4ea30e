//! What the header of a journal says of its own file and of nothing else.

use sessile_core::entry::shape::Header;
use sessile_core::{Error, Payload, lens};

/// The data of a header with the space, the salt and the file token of another; every other member,
/// known or not, stays as it is.
pub(crate) fn with_own(data: &Payload, own: &Header) -> Result<Payload, Error> {
    let mut json = String::from("{");
    for (name, value) in lens::View::of(data).members() {
        let value = match &*name {
            "space" => Payload::of(&own.space)?,
            "salt" => Payload::of(&own.salt)?,
            "file" => Payload::of(&own.file)?,
            _ => Payload::parse(value.as_json().to_owned())?,
        };
        let separator = if json.len() > 1 { "," } else { "" };
        json.push_str(separator);
        json.push_str(Payload::of(&*name)?.as_str());
        json.push(':');
        json.push_str(value.as_str());
    }
    json.push('}');
    Payload::parse(json)
}
