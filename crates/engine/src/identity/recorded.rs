//! The identity that a session has.

use std::collections::BTreeMap;

use sessile_core::entry::shape::Header;
use sessile_core::fold::Meta;
use sessile_core::{Error, ErrorKind, Payload};

use super::field::{PROJECT, PROJECT_IDENTITY};

/// An identity: its fields by name, each a JSON value.
pub(crate) type Fields = BTreeMap<String, Payload>;

/// The field that an identity is which is no object.
const WHOLE: &str = "identity";

/// The identity that a session has: the one that was accepted last, or that it was created with.
///
/// # Errors
/// *corrupt* where the record of what was accepted can't be read.
pub(crate) fn recorded(header: &Header, meta: &Meta) -> Result<Fields, Error> {
    if let Some(accepted) = meta.accepted_identity()? {
        return Ok(accepted.current);
    }
    let project = header.project.as_ref().map(Payload::of).transpose()?;
    let of_project = header.project_identity.as_ref().map(Payload::of).transpose()?;
    Ok(created_with(project, of_project, header.identity.as_ref()))
}

/// Refuses metadata that only who accepts a difference sets.
///
/// # Errors
/// *refused* where its key is among those that a caller sets.
pub(crate) fn refuse_by_hand<'a>(keys: impl IntoIterator<Item = &'a String>) -> Result<(), Error> {
    if keys.into_iter().all(|key| key != Meta::ACCEPTED_IDENTITY) {
        return Ok(());
    }
    let clause = format!("{} is set by accepting a difference only", Meta::ACCEPTED_IDENTITY);
    Err(Error::new(ErrorKind::Refused, clause).with_hint("choose another key"))
}

/// The identity that a header gives: the members of its identity block, and its project, which
/// stands before a member of that name.
pub(crate) fn created_with(
    project: Option<Payload>,
    project_identity: Option<Payload>,
    block: Option<&Payload>,
) -> Fields {
    let members = |block: &Payload| {
        // What is no object is one value.
        block.decode().unwrap_or_else(|_| Fields::from([(WHOLE.to_owned(), block.clone())]))
    };
    let mut fields: Fields = block.map(members).unwrap_or_default();
    fields.extend(project.map(|value| (PROJECT.to_owned(), value)));
    fields.extend(project_identity.map(|value| (PROJECT_IDENTITY.to_owned(), value)));
    fields
}
