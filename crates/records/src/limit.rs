//! Bounds that are checked before anything is sent.

use sessile_core::{Error, Limits, Payload};

/// Refuses a payload that is none, or nests deeper than the store takes.
pub(crate) fn check_payload(payload: &Payload, limits: &Limits) -> Result<(), Error> {
    if payload.is_absent() {
        return Err(Error::new(
            sessile_core::ErrorKind::Refused,
            "the payload holds no JSON value",
        ));
    }
    Limits::check("nesting", limits.nesting, payload.nesting())
}

/// Refuses a document that is larger than the store takes.
pub(crate) fn check_document(bytes: &[u8], limits: &Limits) -> Result<(), Error> {
    Limits::check("document_bytes", limits.document_bytes, bytes.len())
}
