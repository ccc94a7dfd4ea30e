//! What a token is bound to.

use sessile_core::SessionKey;
use sessile_core::digest::{Digest, Parts};

/// The first 16 bytes of a digest over what a token is for, the session and some parts.
///
/// It keeps tokens of one session and use from being taken for those of another. It is no secret:
/// who may call at all is decided elsewhere.
pub(crate) fn seal<'a>(
    purpose: &str,
    session: &SessionKey,
    parts: impl IntoIterator<Item = &'a [u8]>,
) -> [u8; 16] {
    let mut all = Parts::default();
    all.push(purpose.as_bytes());
    all.push(session.space.as_str().as_bytes());
    all.push(session.id.as_str().as_bytes());
    parts.into_iter().for_each(|part| all.push(part));
    first_half(all.digest())
}

fn first_half(digest: Digest) -> [u8; 16] {
    digest.as_bytes().first_chunk().copied().unwrap_or_default()
}
