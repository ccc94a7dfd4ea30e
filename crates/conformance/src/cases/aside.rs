//! What repairs cut off.
//!
//! Tearing a journal takes more than the contract offers: that a torn tail is kept and told, a
//! backend that has something to tear tests itself.

use std::sync::Arc;

use sessile_core::backend::Capability;

use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] =
    &[Case::new("aside/nothing_of_a_journal_that_nothing_tore", &["SetAsideIsTold"], |place| {
        Box::pin(nothing_of_a_journal_that_nothing_tore(place))
    })];

/// Fails if anything is told of a journal, by any handle.
async fn is_sound(place: &dyn Place, writer: &Writer) -> Result<(), Failed> {
    for backend in [&writer.backend, &place.handle().await?] {
        let aside = backend.set_aside(&writer.key).await?;
        same("how much was set aside", aside.len(), 0)?;
        let head = backend.head(&writer.key).await?;
        ensure!(head.tail.is_none(), "it has a torn tail");
    }
    Ok(())
}

async fn nothing_of_a_journal_that_nothing_tore(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    is_sound(&*place, &writer).await?;
    // An append that is refused tears nothing either.
    for text in ["one", "two", &"x".repeat(10_000)] {
        let mut stale = writer.on(&backend);
        writer.say(text).await?;
        // Whether it should have been refused is for other cases to say.
        drop(stale.say("x").await);
        writer.tip = backend.head(&writer.key).await?.tip;
        is_sound(&*place, &writer).await?;
    }
    if backend.capabilities().has(Capability::Mask) {
        backend.mask(&writer.key, writer.tip, vec![look::seq(1)?]).await?;
        is_sound(&*place, &writer).await?;
    }
    writer.remove().await?;
    is_sound(&*place, &writer).await
}
