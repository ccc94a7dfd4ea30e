//! The order of messages.

use std::sync::Arc;

use sessile_core::{EntryType, UnixMillis};
use sessile_engine::{From, NewSession};

use super::scene;
use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::hands::Hands;
use crate::sample;

pub(super) const CASES: &[Case] = &[
    Case::new("session/order/is_not_that_of_times_in_messages", &["ORD-1", "CLK-2"], |place| {
        Box::pin(is_not_that_of_times(place))
    }),
    Case::new("session/order/in_one_moment_is_that_of_appending", &["ORD-2"], |place| {
        Box::pin(in_one_moment(place))
    }),
    Case::new(
        "session/order/what_is_not_understood_keeps_its_number_and_bytes",
        &["ORD-3", "VER-2"],
        |place| Box::pin(what_is_not_understood(place)),
    ),
];

async fn is_not_that_of_times(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, options) = Hands::with_options();
    let store = scene::store_with(&*place, options).await?;
    let session = store.create_as("s1", NewSession::new()).await?;
    let mut expected = Vec::new();
    // A result that was stamped before its call, hours ahead, and in 1970.
    for (clock, stamp) in [(20, 20), (21, 10), (22, 18_000_000), (5, 0), (1, 3)] {
        hands.set(clock);
        let message = format!(r#"{{"time":{stamp},"clock":{clock}}}"#);
        session.append([scene::payload(&message)?]).await?;
        expected.push(message);
    }
    // Nor is it that of the times of entries, which another program may write as they come.
    let falling = sample::message_at(UnixMillis(3), "late")?;
    scene::append_past(&*place, &session, vec![falling]).await?;
    expected.push("\"late\"".to_owned());
    session.refresh().await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for handle in [&session, &reopened] {
        same("the messages", scene::bytes(handle).await?, expected.clone())?;
        same("when it was updated", handle.info().updated_at.0, 22)?;
    }
    Ok(())
}

async fn in_one_moment(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (_, options) = Hands::with_options();
    let store = scene::store_with(&*place, options).await?;
    let session = store.create_as("s1", NewSession::new()).await?;
    for number in 0..50_u64 {
        session.append([2 * number, 2 * number + 1]).await?;
    }
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for _ in 0..3 {
        for handle in [&session, &reopened] {
            let read: Vec<u64> = handle.transcript(From::start()).await?.all().await?;
            same("the messages", read, (0..100).collect())?;
            let last: Vec<u64> = handle.transcript(From::last(10)).await?.all().await?;
            same("the last ones", last, (90..100).collect())?;
        }
    }
    Ok(())
}

async fn what_is_not_understood(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["one", "two"]).await?;
    let foreign = r#"{"kind":{"nested":[{"deeper":1.50}]},"parent":null}"#;
    let entries = vec![sample::entry("somebody.elses", foreign)?];
    let tip = scene::append_past(&*place, &session, entries).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for (handle, text) in [(&session, "three"), (&reopened, "four")] {
        handle.append([text]).await?;
    }
    for handle in [&session, &reopened] {
        let entries = handle.entries(From::start()).await?.all().await?;
        let numbers: Vec<u64> = entries.iter().map(|entry| entry.seq.number()).collect();
        ensure!(numbers.is_sorted_by(|a, b| a < b), "a number stands twice: {numbers:?}");
        let carried = entries.iter().find(|entry| entry.seq.after() == tip.position);
        let carried = carried.ok_or_else(|| Failed::new("the foreign entry is gone"))?;
        same("its type", &carried.entry_type, &EntryType::from_name("somebody.elses"))?;
        same("its bytes", carried.data.as_str(), foreign)?;
        let texts = scene::texts(handle).await?;
        same("the texts", texts, ["one", "two", "three", "four"].map(str::to_owned).to_vec())?;
        same("the ordinals", scene::ordinals(handle).await?, (1..=4).map(Some).collect())?;
    }
    Ok(())
}
