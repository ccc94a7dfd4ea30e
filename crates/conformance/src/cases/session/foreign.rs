//! What another version has written, through everything that this one does.

use std::sync::Arc;

use sessile_core::backend::Capability;
use sessile_core::entry::Member;
use sessile_core::{Entry, EntryType};
use sessile_engine::{From, Options, Session, Store};
use sessile_interchange::Format;
use sessile_memory::MemoryBackend;

use super::scene;
use crate::case::{Case, Need};
use crate::failed::{Failed, same};
use crate::fixture::Place;
use crate::sample;

pub(super) const CASES: &[Case] = &[
    Case::new("session/foreign/kinds_outlive_every_way_of_a_session", &["VER-2"], |place| {
        Box::pin(kinds_outlive(place))
    }),
    Case::new("session/foreign/members_outlive_the_changes_of_others", &["VER-1"], |place| {
        Box::pin(members_outlive(place))
    }),
    Case::new("session/foreign/members_outlive_what_is_taken_out", &["VER-1"], |place| {
        Box::pin(members_outlive_trimming(place))
    })
    .needing(&[Need::Has(Capability::Mask), Need::Has(Capability::Rewrite)]),
];

/// A session with entries of kinds and with members that nobody knows.
async fn filled(place: &dyn Place, store: &Store) -> Result<Session, Failed> {
    let session = scene::session(store, "s1", &["one", "two"]).await?;
    let member = |name: &'static str, json: &'static str| -> Result<Member, Failed> {
        Ok(Member { name: name.into(), value: scene::payload(json)? })
    };
    let mut kind = sample::entry("somebody.elses", r#"{"z":1.50,"a":{"deep":[ ]}}"#)?;
    kind.extra = vec![member("z", "1.0")?, member("a", r#"{"n" : [1e2]}"#)?];
    let mut message = sample::entry("message", r#"{"role":"user","mention":{"kind":"gone"}}"#)?;
    message.extra = vec![member("later", "\"kept\"")?];
    let bare = sample::entry("somebody.elses.too", "null")?;
    scene::append_past(place, &session, vec![kind, message, bare]).await?;
    session.refresh().await?;
    let members = foreign(&session).await?.into_iter().map(|entry| entry.extra.len());
    same("how many members are carried", members.collect(), vec![2, 1, 0])?;
    Ok(session)
}

/// The entries that another version has written.
async fn foreign(session: &Session) -> Result<Vec<Entry>, Failed> {
    let mut entries = session.entries(From::start()).await?.all().await?;
    entries.retain(|it| {
        !it.extra.is_empty() || it.entry_type.to_string().starts_with("somebody.elses")
    });
    Ok(entries)
}

async fn kinds_outlive(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = filled(&*place, &store).await?;
    let expected = foreign(&session).await?;
    session.append(["three"]).await?;
    session.compact(From::last(1), ["a summary"]).await?;
    let far = Store::on(Arc::new(MemoryBackend::new()));
    let near = scene::store(&*place).await?.space("near")?;
    for target in [&far, &near] {
        store.copy("s1", target).await?;
        same("in a copy", foreign(&target.open_session("s1").await?).await?, expected.clone())?;
    }
    let fork = session.fork_as("fork", None).await?;
    for handle in [&session, &fork, &scene::store(&*place).await?.open_session("s1").await?] {
        same("the foreign entries", foreign(handle).await?, expected.clone())?;
        // The known ones between them are as usual.
        let read = scene::bytes(handle).await?;
        let known = r#"{"role":"user","mention":{"kind":"gone"}}"#;
        let texts = [r#""one""#, r#""two""#, known, r#""three""#];
        same("the messages", read, texts.map(str::to_owned).to_vec())?;
        let file = store.export(handle.id(), Format::Jsonl).await?.all().await?;
        same("the file", String::from_utf8(file)?, texts.join("\n") + "\n")?;
    }
    Ok(())
}

async fn members_outlive(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = filled(&*place, &store).await?;
    let expected = foreign(&session).await?;
    session.set_title("renamed").await?;
    session.touch().await?;
    session.set_meta([("k", "v")]).await?;
    session.append(["three"]).await?;
    session.compact(From::last(2), ["a summary"]).await?;
    session.pop(1).await?;
    session.close().await?;
    session.delete().await?;
    let session = store.undelete("s1").await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for handle in [&session, &reopened] {
        same("the foreign entries", foreign(handle).await?, expected.clone())?;
    }
    Ok(())
}

async fn members_outlive_trimming(place: Arc<dyn Place>) -> Result<(), Failed> {
    // States come so often that a vacuum has something to drop.
    let store = scene::store_with(&*place, Options::default().state_every(2, 1 << 20)).await?;
    let session = filled(&*place, &store).await?;
    let expected = foreign(&session).await?;
    for number in 0..8 {
        session.append([number]).await?;
    }
    let first = scene::messages(&session).await?.first().map(|message| message.seq);
    session.redact(first, None).await?;
    let dropped = store.vacuum("s1").await?.dropped;
    same("whether a vacuum dropped anything", dropped > 0, true)?;
    let kept = expected.first().map(|entry| entry.seq);
    session.forget(kept.ok_or_else(|| Failed::new("there is one"))?).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for handle in [&session, &reopened] {
        same("the foreign entries", foreign(handle).await?, expected.clone())?;
        let entries = handle.entries(From::start()).await?.all().await?;
        let messages = entries.iter().filter(|entry| entry.entry_type == EntryType::Message);
        let redacted = messages
            .map(|entry| entry.data.as_str())
            .filter(|data| *data == r#"{"redacted":true}"#);
        same("how many are redacted", redacted.count(), 2)?;
    }
    Ok(())
}
