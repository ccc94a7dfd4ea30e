//! How far somebody has seen the changes of a board.

use sessile_core::SessionKey;

use super::base64;
use super::refused::Refused;
use super::seal::seal;

const PREFIX: &str = "wsm2_";

/// How long a token is.
const LENGTH: usize = 37;

/// The token of who has seen a board up to a change.
pub(crate) fn issue(session: &SessionKey, revision: u64) -> String {
    let tag = tag(session, revision);
    let hidden = revision ^ veil(session, tag);
    let bytes = [hidden.to_be_bytes().as_slice(), &tag].concat();
    format!("{PREFIX}{}", base64::encode(&bytes))
}

/// The change that a token tells of.
///
/// # Errors
/// [`Refused::OversizedToken`], [`Refused::MalformedToken`].
pub(crate) fn read(session: &SessionKey, token: &str) -> Result<u64, Refused> {
    if token.len() > LENGTH {
        return Err(Refused::OversizedToken);
    }
    parse(session, token).ok_or(Refused::MalformedToken)
}

fn parse(session: &SessionKey, token: &str) -> Option<u64> {
    let bytes = base64::decode(token.strip_prefix(PREFIX)?)?;
    let (hidden, rest) = bytes.split_first_chunk::<8>()?;
    let tag: [u8; 16] = rest.try_into().ok()?;
    let revision = u64::from_be_bytes(*hidden) ^ veil(session, tag);
    (self::tag(session, revision) == tag).then_some(revision)
}

fn tag(session: &SessionKey, revision: u64) -> [u8; 16] {
    seal("sessile observation", session, [revision.to_be_bytes().as_slice()])
}

/// What hides the number, so that nobody comes to count on it.
fn veil(session: &SessionKey, tag: [u8; 16]) -> u64 {
    let bytes = seal("sessile observation veil", session, [tag.as_slice()]);
    bytes.first_chunk().map_or(0, |first| u64::from_be_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: &str) -> SessionKey {
        SessionKey { space: "default".parse().unwrap(), id: id.parse().unwrap() }
    }

    #[test]
    fn a_token_is_of_one_session_and_one_change_and_can_not_be_altered() {
        for revision in [0, 1, 2, u64::MAX] {
            let token = issue(&key("s1"), revision);
            assert_eq!(token.len(), LENGTH);
            assert_eq!(read(&key("s1"), &token), Ok(revision));
            assert_eq!(read(&key("s2"), &token), Err(Refused::MalformedToken));
            for at in PREFIX.len()..LENGTH {
                let mut letters: Vec<char> = token.chars().collect();
                letters[at] = if letters[at] == 'A' { 'B' } else { 'A' };
                let altered: String = letters.into_iter().collect();
                assert_eq!(read(&key("s1"), &altered), Err(Refused::MalformedToken));
            }
        }
    }

    #[test]
    fn what_is_too_long_is_told_from_what_is_malformed() {
        let token = issue(&key("s1"), 3);
        assert_eq!(read(&key("s1"), &format!("{token}A")), Err(Refused::OversizedToken));
        for text in ["", "wsm2_", token.get(..36).unwrap(), "wsm2_\u{e9}"] {
            assert_eq!(read(&key("s1"), text), Err(Refused::MalformedToken), "{text}");
        }
    }
}
