//! What callers store, through a session.

use std::sync::Arc;

use sessile_engine::From;

use super::scene;
use crate::case::Case;
use crate::cases::payload::texts;
use crate::failed::{Failed, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new("session/payload/halves_of_characters", &["ENC-1"], |place| {
        Box::pin(come_back(place, texts::HALVES))
    }),
    Case::new("session/payload/line_breaks_that_are_not_newlines", &["ENC-2"], |place| {
        Box::pin(come_back(place, texts::LINE_BREAKS))
    }),
    Case::new("session/payload/nul_in_text_and_in_keys", &["ENC-3"], |place| {
        Box::pin(come_back(place, texts::NULS))
    }),
    Case::new("session/payload/whole_numbers_of_any_size", &["ENC-4"], |place| {
        Box::pin(come_back(place, texts::WHOLE_NUMBERS))
    }),
    Case::new("session/payload/numbers_as_they_are_spelled", &["ENC-5"], |place| {
        Box::pin(come_back(place, texts::SPELLINGS))
    }),
    Case::new("session/payload/text_of_a_type_is_the_same_text", &["ENC-3", "ENC-2"], |place| {
        Box::pin(text_of_a_type(place))
    }),
];

/// Appends payloads between neighbours, and fails unless each way of reading shows all of them
/// as they were, and the next number is right.
async fn come_back(place: Arc<dyn Place>, payloads: &[&str]) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["before"]).await?;
    let given = payloads.iter().map(|json| scene::payload(json)).collect::<Result<Vec<_>, _>>()?;
    let done = session.append(given.iter()).await?;
    session.append_events(given.iter()).await?;
    session.set_meta(given.iter().enumerate().map(|(key, value)| (key.to_string(), value))).await?;
    session.append(["after"]).await?;
    let mut expected = vec!["\"before\"".to_owned()];
    expected.extend(payloads.iter().map(|json| (*json).to_owned()));
    expected.push("\"after\"".to_owned());
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for handle in [&session, &reopened] {
        same("the messages", scene::bytes(handle).await?, expected.clone())?;
        let info = handle.info();
        same("how many messages", info.messages, count(&expected))?;
        same("how many events", info.events, count(payloads))?;
        for (key, value) in given.iter().enumerate() {
            same("a value", info.meta.value(&key.to_string()), Some(value))?;
        }
        let entries = handle.entries(From::seq(done.first)).await?.all().await?;
        let data: Vec<&str> = entries.iter().map(|entry| entry.data.as_str()).collect();
        same("the entries", data.get(..payloads.len()), Some(payloads))?;
    }
    Ok(())
}

fn count<T>(list: &[T]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}

async fn text_of_a_type(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    let texts: Vec<String> =
        ["\0", "\\u0000", "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{1c}f\rg\r\nh\n", "\u{feff}", ""]
            .map(str::to_owned)
            .to_vec();
    session.append(&texts).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    same("the texts", scene::texts(&reopened).await?, texts)
}
