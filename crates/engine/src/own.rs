//! What the header of a journal says of its own file and of nothing else.

use sessile_core::entry::shape::Header;
use sessile_core::{Error, Payload, lens};

/// The member that tells where the source of a copy ended.
const COPIED_TO: &str = "copied_to";

/// The data of a header with the space, the salt, the file token and the source's end of another; every
/// other member, known or not, stays as it is.
pub(crate) fn with_own(data: &Payload, own: &Header) -> Result<Payload, Error> {
    let mut json = String::from("{");
    let mut add = |name: &str, value: &Payload| -> Result<(), Error> {
        let separator = if json.len() > 1 { "," } else { "" };
        json.push_str(separator);
        json.push_str(Payload::of(name)?.as_str());
        json.push(':');
        json.push_str(value.as_str());
        Ok(())
    };
    for (name, value) in lens::View::of(data).members() {
        match &*name {
            "space" => add(&name, &Payload::of(&own.space)?)?,
            "salt" => add(&name, &Payload::of(&own.salt)?)?,
            "file" => add(&name, &Payload::of(&own.file)?)?,
            COPIED_TO => {}
            _ => add(&name, &Payload::parse(value.as_json().to_owned())?)?,
        }
    }
    if let Some(end) = own.copied_to {
        add(COPIED_TO, &Payload::of(&end)?)?;
    }
    json.push('}');
    Payload::parse(json)
}
