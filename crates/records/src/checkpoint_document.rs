//! The document of a checkpoint.

use sessile_core::{Error, Name};

use crate::checkpoint::Checkpoint;
use crate::members::{Members, Unreadable, Writing};

/// Writes a checkpoint, with the members that this version does not know of the one before it.
pub(crate) fn write(checkpoint: &Checkpoint, unknown: &Members) -> Result<Vec<u8>, Error> {
    Writing::new()
        .member("name", &checkpoint.name)?
        .member("number", &checkpoint.number)?
        .member("run", &checkpoint.run)?
        .member("kind", &checkpoint.kind)?
        .member("schema", &checkpoint.schema)?
        .member("updated_at", &checkpoint.updated_at)?
        .optional("session", checkpoint.session.as_ref())?
        .optional("built_on", checkpoint.built_on.as_ref())?
        .member("payload", &checkpoint.payload)?
        .end(unknown)
}

/// Reads the checkpoint of a name, and what its document has that this version does not know.
pub(crate) fn read(name: &Name, bytes: &[u8]) -> Result<(Checkpoint, Members), Unreadable> {
    let mut members = Members::read(bytes)?;
    let checkpoint = Checkpoint {
        name: members.required("name")?,
        number: members.required("number")?,
        run: members.required("run")?,
        kind: members.required("kind")?,
        schema: members.required("schema")?,
        updated_at: members.required("updated_at")?,
        session: members.optional("session")?,
        built_on: members.optional("built_on")?,
        payload: members.required("payload")?,
    };
    if checkpoint.name != *name {
        return Err(Unreadable::because("it is the checkpoint of another name"));
    }
    if checkpoint.built_on.is_some() && checkpoint.session.is_none() {
        return Err(Unreadable::because("it is built on a position of no session"));
    }
    Ok((checkpoint, members))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sessile_core::{Payload, Position, UnixMillis};

    const WHOLE: &str = r#"{"format":1,"name":"n","number":18446744073709551615,"run":"r","kind":"a.b","schema":1,"updated_at":5,"session":"s","built_on":7,"payload":{"b": 1.50, "a":1e400}}"#;

    fn name() -> Name {
        "n".parse().unwrap()
    }

    #[test]
    fn a_checkpoint_is_read_and_written_byte_for_byte() {
        let (checkpoint, rest) = read(&name(), WHOLE.as_bytes()).unwrap();
        assert_eq!((checkpoint.number, checkpoint.updated_at), (u64::MAX, UnixMillis(5)));
        assert_eq!(checkpoint.payload, Payload::parse(r#"{"b": 1.50, "a":1e400}"#).unwrap());
        assert_eq!(checkpoint.built_on, Position::new(7));
        assert_eq!(write(&checkpoint, &rest).unwrap(), WHOLE.as_bytes());
    }

    #[test]
    fn what_lacks_a_member_or_has_one_of_another_form_is_unreadable() {
        let changes = [
            ("\"name\":\"n\",", ""),
            ("\"name\":\"n\"", "\"name\":\"m\""),
            ("18446744073709551615", "18446744073709551616"),
            ("18446744073709551615", "-1"),
            ("18446744073709551615", "1.0"),
            ("\"run\":\"r\",", ""),
            ("a.b", "ab"),
            ("\"schema\":1", "\"schema\":4294967296"),
            ("\"session\":\"s\",", ""),
            ("\"s\"", "\"../s\""),
            (",\"payload\":{\"b\": 1.50, \"a\":1e400}", ""),
            ("}}", "}"),
        ];
        for (from, to) in changes {
            let text = WHOLE.replace(from, to);
            assert_ne!(text, WHOLE);
            assert!(read(&name(), text.as_bytes()).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_checkpoint_or_unreadable_and_nothing_panics(
            at in 0..WHOLE.len(), bytes: Vec<u8>, cut in 0..8_usize,
        ) {
            let mut changed = WHOLE.as_bytes().to_vec();
            let end = (at + cut).min(changed.len());
            changed.splice(at..end, bytes);
            if let Ok((checkpoint, rest)) = read(&name(), &changed) {
                let written = write(&checkpoint, &rest).unwrap();
                let (again, _) = read(&name(), &written).unwrap();
                prop_assert_eq!(again, checkpoint);
            }
        }
    }
}
