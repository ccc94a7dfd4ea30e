//! The mark of a session: which removal of its data was the last one, or that it was purged.
//!
//! What was read of the log is valid under the mark that was read before, and so are merged
//! ranges. Of a purged session it says by what name to ask for what is left, whatever a list
//! shows.

use bytes::Bytes;
use sessile_core::Error;

use crate::client::{Client, Object, Only};
use crate::keys::SessionKeys;
use crate::settle::{Settled, Whose, settle};

/// How the mark of a purged session begins.
const PURGED: &str = "purged ";

/// What the mark says; empty where nothing was ever removed.
///
/// # Errors
/// *unavailable*, *permission*.
pub(crate) async fn read(client: &Client, keys: &SessionKeys) -> Result<String, Error> {
    let object = client.get(&keys.masked()).await?;
    Ok(object.map(|it| text(&it)).unwrap_or_default())
}

/// Puts another mark, which never stood there, in place of the one that stands there, unless that
/// says that the session was purged; answers the one that stands there then.
///
/// # Errors
/// Those of [`settle`] and of reading.
pub(crate) async fn swap(
    client: &Client,
    keys: &SessionKeys,
    mark: String,
) -> Result<String, Error> {
    let (path, body) = (keys.masked(), Bytes::from(mark.clone()));
    loop {
        let now = client.get(&path).await?;
        if let Some(now) = now.as_ref().map(text).filter(|now| purged(now).is_some()) {
            return Ok(now);
        }
        let only = now.as_ref().map_or(Only::IfAbsent, |now| Only::IfStill(now.tag.clone()));
        let whose = |found: &Object| match () {
            () if found.bytes == body => Whose::Ours,
            () if now.as_ref().is_some_and(|now| now.tag == found.tag) => Whose::Expected,
            () => Whose::Others,
        };
        if matches!(settle(client, &path, &body, &only, whose).await?, Settled::Ours(_)) {
            return Ok(mark);
        }
    }
}

fn text(object: &Object) -> String {
    String::from_utf8_lossy(&object.bytes).into_owned()
}

/// The mark of a session of which an object of a number is left.
pub(crate) fn of_purged(number: u64) -> String {
    format!("{PURGED}{number}")
}

/// The number of the object that is left of a purged session.
pub(crate) fn purged(mark: &str) -> Option<u64> {
    // One more may always follow.
    mark.strip_prefix(PURGED)?.parse().ok().filter(|number| *number < u64::MAX)
}
