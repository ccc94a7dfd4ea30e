//! What one handle acknowledged, seen by the others and after a restart.

use std::sync::Arc;

use sessile_core::backend::{Capability, Precondition, Span};

use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "share/turns_may_alternate_between_handles",
        &["AppendsAreShared", "RES-1"],
        |place| Box::pin(turns_may_alternate(place)),
    ),
    Case::new(
        "share/a_handle_that_has_read_sees_what_came_after",
        &["AppendsAreShared", "RES-1", "RES-2"],
        |place| Box::pin(a_handle_that_has_read(place)),
    ),
    Case::new("share/a_handle_opened_later_sees_everything", &["AppendsAreShared"], |place| {
        Box::pin(a_handle_opened_later(place))
    }),
    Case::new(
        "share/a_closed_handle_lost_nothing_and_opens_anew",
        &["AppendsAreShared", "RET-5"],
        |place| Box::pin(a_closed_handle(place)),
    ),
    Case::new(
        "share/masked_data_is_gone_for_others_too",
        &["AppendsAreShared", "RES-2"],
        |place| Box::pin(masked_data_is_gone_for_others(place)),
    )
    .needing(&[Need::Has(Capability::Mask)]),
    Case::new("share/everything_is_there_after_a_restart", &["AppendsAreDurable"], |place| {
        Box::pin(everything_is_there_after_a_restart(place, true))
    })
    .needing(&[Need::Has(Capability::Durable)]),
    Case::new(
        "share/everything_is_there_after_an_end_without_closing",
        &["AppendsAreDurable"],
        |place| Box::pin(everything_is_there_after_a_restart(place, false)),
    )
    .needing(&[Need::Has(Capability::Durable)]),
];

async fn turns_may_alternate(place: Arc<dyn Place>) -> Result<(), Failed> {
    let one = place.handle().await?;
    let other = place.handle().await?;
    let mut writer = Writer::create(&one, &sample::key("s1")?).await?;
    let mut said = Vec::new();
    for turn in 0..10 {
        let backend = if turn % 2 == 0 { &other } else { &one };
        let texts = look::texts(&**backend, &writer.key).await?;
        same("what the next speaker sees", texts, said.clone())?;
        writer = writer.on(backend);
        writer.say(&turn.to_string()).await?;
        said.push(turn.to_string());
    }
    Ok(())
}

async fn a_handle_that_has_read(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let reader = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    for round in 0..3 {
        let seen = look::seen(&*reader, &writer.key).await?;
        let head = reader.head(&writer.key).await?;
        same("the tip another handle sees", head.tip, writer.tip)?;
        writer.say(&format!("more {round}")).await?;
        let now = look::seen(&*reader, &writer.key).await?;
        ensure!(now != seen, "the reader still sees what it saw before");
        same("what it sees", now.texts()?.len(), round + 2)?;
    }
    let document = sample::document("c", "n")?;
    for _ in 0..3 {
        let value = sample::value("v");
        let actual = reader.get(&document).await.ok().map(|held| held.revision);
        let precondition = actual.map_or(Precondition::Absent, Precondition::Revision);
        backend.put(&document, value.clone(), precondition).await?;
        look::is_value(&reader.get(&document).await?, &value)?;
    }
    Ok(())
}

async fn a_handle_opened_later(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    for number in 1..=5 {
        writer.say(&number.to_string()).await?;
        let later = place.handle().await?;
        let texts = look::texts(&*later, &writer.key).await?;
        same("how many messages a later handle sees", texts.len(), number)?;
    }
    writer.remove().await?;
    let head = place.handle().await?.head(&writer.key).await?;
    ensure!(head.deleted, "a later handle does not see the tombstone");
    Ok(())
}

async fn a_closed_handle(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    backend.close().await?;
    let texts = look::texts(&*place.handle().await?, &writer.key).await?;
    same("the texts after closing", texts, vec!["one".into()])?;
    writer.say("two").await?;
    backend.close().await?;
    backend.close().await?;
    let texts = look::texts(&*backend, &writer.key).await?;
    same("the texts after closing again", texts, vec!["one".into(), "two".into()])
}

async fn masked_data_is_gone_for_others(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let reader = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one", "secret", "three"]).await?;
    let seen = look::seen(&*reader, &writer.key).await?;
    ensure!(seen.holds("secret"), "the reader does not see the message");
    backend.mask(&writer.key, writer.tip, vec![look::seq(2)?]).await?;
    let seen = look::seen(&*reader, &writer.key).await?;
    ensure!(!seen.holds("secret"), "the reader still sees what was masked");
    Ok(())
}

async fn everything_is_there_after_a_restart(
    place: Arc<dyn Place>,
    closed: bool,
) -> Result<(), Failed> {
    let key = sample::key("s1")?;
    let document = sample::document("c", "n")?;
    let value = sample::value("value");
    let before = {
        let backend = place.handle().await?;
        let mut deleted = Writer::saying(&backend, "s2", &["gone"]).await?;
        deleted.remove().await?;
        Writer::saying(&backend, "s1", &["one", "two"]).await?;
        let absent = Precondition::Absent;
        backend.put(&document, value.clone(), absent).await?;
        let before = look::seen(&*backend, &key).await?;
        if closed {
            backend.close().await?;
        }
        before
    };
    let backend = place.handle().await?;
    look::unchanged(&*backend, &key, &before).await?;
    look::is_value(&backend.get(&document).await?, &value)?;
    let deleted = backend.head(&sample::key("s2")?).await?;
    ensure!(deleted.deleted, "the tombstone is gone");
    let tip = backend.head(&key).await?.tip;
    Writer::at(&backend, &key, tip).say("three").await?;
    let commits = look::read(&*backend, &key, Span::ALL).await?;
    same("how many commits", commits.len(), 4)
}
