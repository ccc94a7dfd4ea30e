//! The document of an effect.

use sessile_core::{Error, Name, Payload};

use crate::effect::{EffectRecord, Request};
use crate::members::{Members, Unreadable, Writing};
use crate::state::{Kept, State};

/// Writes the members of a request.
pub(crate) fn write_request(writing: Writing, request: &Request) -> Result<Writing, Error> {
    writing
        .member("effect", &request.id)?
        .member("invocation", &request.invocation)?
        .member("kind", &request.kind)?
        .member("capability", &request.capability)?
        .member("input", &request.input)?
        .member("class", &request.class)?
        .optional("key", request.key.as_ref())
}

/// Reads the members of a request.
pub(crate) fn read_request(members: &mut Members) -> Result<Request, Unreadable> {
    Ok(Request {
        id: members.required("effect")?,
        invocation: members.required("invocation")?,
        kind: members.required("kind")?,
        capability: members.required("capability")?,
        input: members.required("input")?,
        class: members.required("class")?,
        key: members.optional("key")?,
    })
}

/// Writes an effect, with the members that this version does not know of the record before it.
pub(crate) fn write(record: &EffectRecord, unknown: &Members) -> Result<Vec<u8>, Error> {
    let writing = write_request(Writing::new(), &record.request)?
        .member("number", &record.number)?
        .member("updated_at", &record.updated_at)?
        .member("state", record.state.name())?;
    let writing = match &record.state {
        State::Prepared | State::Started => writing,
        State::Completed(kept) => write_kept(writing, "output", kept)?,
        State::Failed(kept) => write_kept(writing, "error", kept)?,
    };
    writing.end(unknown)
}

fn write_kept(writing: Writing, name: &str, kept: &Kept) -> Result<Writing, Error> {
    match kept {
        Kept::Whole(payload) => writing.member(name, payload),
        Kept::LeftOut { bytes } => writing.member("left_out", bytes),
    }
}

/// Reads the effect of an id, and what its document has that this version does not know.
pub(crate) fn read(id: &Name, bytes: &[u8]) -> Result<(EffectRecord, Members), Unreadable> {
    let mut members = Members::read(bytes)?;
    let request = read_request(&mut members)?;
    if request.id != *id {
        return Err(Unreadable::because("it is the effect of another id"));
    }
    let number = members.required("number")?;
    let updated_at = members.required("updated_at")?;
    let state: String = members.required("state")?;
    let state = match &*state {
        "prepared" => State::Prepared,
        "started" => State::Started,
        "completed" => State::Completed(read_kept(&mut members, "output")?),
        "failed" => State::Failed(read_kept(&mut members, "error")?),
        _ => return Err(Unreadable::because("it is in a state that there is not")),
    };
    Ok((EffectRecord { request, number, updated_at, state }, members))
}

fn read_kept(members: &mut Members, name: &str) -> Result<Kept, Unreadable> {
    let whole: Option<Payload> = members.optional(name)?;
    let bytes = members.optional("left_out")?;
    match (whole, bytes) {
        (Some(whole), None) => Ok(Kept::Whole(whole)),
        (None, Some(bytes)) => Ok(Kept::LeftOut { bytes }),
        _ => Err(Unreadable::because(format!("it has no {name}, or too much of it"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<(EffectRecord, Members), Unreadable> {
        super::read(&"e".parse().unwrap(), bytes)
    }

    fn document(end: &str) -> String {
        let input = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        format!(
            r#"{{"format":1,"effect":"e","invocation":"i","kind":"a.mail","capability":"mail","input":"{input}","class":"idempotent-write","key":"k","number":3,"updated_at":5,{end}}}"#
        )
    }

    const ENDS: [&str; 6] = [
        r#""state":"prepared""#,
        r#""state":"started""#,
        r#""state":"completed","output":{"b": 1.50}"#,
        r#""state":"completed","left_out":99"#,
        r#""state":"failed","error":null"#,
        r#""state":"failed","left_out":99,"later":[1 ,2]"#,
    ];

    #[test]
    fn an_effect_is_read_and_written_byte_for_byte() {
        for end in ENDS {
            let text = document(end);
            let (record, rest) = read(text.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(write(&record, &rest).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn what_is_in_no_state_or_ended_with_nothing_is_unreadable() {
        for end in [
            r#""state":"done""#,
            r#""state":"completed""#,
            r#""state":"completed","error":1"#,
            r#""state":"completed","output":1,"left_out":1"#,
            r#""state":1"#,
        ] {
            assert!(read(document(end).as_bytes()).is_err(), "{end}");
        }
        let whole = document(ENDS[0]);
        for (from, to) in [
            ("44136f", "44136"),
            ("idempotent-write", "write"),
            ("\"number\":3", "\"number\":-3"),
            ("\"effect\":\"e\"", "\"effect\":\"f\""),
        ] {
            assert!(read(whole.replace(from, to).as_bytes()).is_err(), "{to}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_effect_or_unreadable_and_nothing_panics(
            end in 0..ENDS.len(), at in 0..300_usize, bytes: Vec<u8>, cut in 0..8_usize,
        ) {
            let mut changed = document(ENDS[end]).into_bytes();
            let at = at.min(changed.len());
            let until = (at + cut).min(changed.len());
            changed.splice(at..until, bytes);
            if let Ok((record, rest)) = read(&changed) {
                let (again, _) = read(&write(&record, &rest).unwrap()).unwrap();
                prop_assert_eq!(again, record);
            }
        }
    }
}
