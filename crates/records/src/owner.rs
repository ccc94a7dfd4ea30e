//! Which effect does the work of a key.
//!
//! One key of a capability has one owner for good. Its document is made before the effect's own and
//! has the whole request in it, so that whoever finds an owner without a record can make the record
//! that its owner would have made: a crash between the two leaves nothing that could be done twice.

use sessile_core::digest::Digest;
use sessile_core::{Error, Name};

use crate::effect::Request;
use crate::effect_document;
use crate::members::{Members, Unreadable, Writing};

/// The name of the document of a key; capability and key of any length and any sign are told apart.
pub(crate) fn name(capability: &Name, key: &Name) -> Result<Name, Error> {
    let parts = [capability, key].map(|name| name.as_str().as_bytes());
    Digest::of_parts(parts).to_string().parse()
}

/// Writes the document that names a request as the owner of its key.
pub(crate) fn write(request: &Request) -> Result<Vec<u8>, Error> {
    effect_document::write_request(Writing::new(), request)?.end(&Members::default())
}

/// Reads the owner of a key.
pub(crate) fn read(capability: &Name, key: &Name, bytes: &[u8]) -> Result<Request, Unreadable> {
    let mut members = Members::read(bytes)?;
    let request = effect_document::read_request(&mut members)?;
    if request.capability != *capability || request.key.as_ref() != Some(key) {
        return Err(Unreadable::because("it is the owner of another key"));
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sessile_core::Payload;

    fn named(text: &str) -> Name {
        text.parse().unwrap()
    }

    #[test]
    fn keys_do_not_run_into_their_capability() {
        let of = |capability, key| name(&named(capability), &named(key)).unwrap();
        assert_ne!(of("ab", "c"), of("a", "bc"));
        assert_eq!(of("ab", "c"), of("ab", "c"));
        assert!(name(&named(&"x".repeat(1_024)), &named(&"y".repeat(1_024))).is_ok());
    }

    #[test]
    fn an_owner_is_read_under_its_own_key_only() {
        let input = Payload::parse("1").unwrap();
        let kind = "a.mail".parse().unwrap();
        let request = Request::new(named("e"), kind, named("mail"), &input).key(named("k"));
        let bytes = write(&request).unwrap();
        assert_eq!(read(&named("mail"), &named("k"), &bytes).unwrap(), request);
        for (capability, key) in [("mail", "x"), ("x", "k")] {
            assert!(read(&named(capability), &named(key), &bytes).is_err());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_owner_or_unreadable(bytes: Vec<u8>) {
            prop_assert!(read(&named("mail"), &named("k"), &bytes).is_err());
        }
    }
}
