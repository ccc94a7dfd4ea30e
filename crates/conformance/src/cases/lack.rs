//! What a backend declares that it can't do.

use std::sync::Arc;

use sessile_core::ErrorKind;
use sessile_core::backend::{Capability, Span};

use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new("lack/every_handle_declares_the_same", &["LacksAreRefused"], |place| {
        Box::pin(every_handle_declares_the_same(place))
    }),
    Case::new("lack/of_rewrite_is_refused", &["LacksAreRefused"], |place| {
        Box::pin(of_rewrite_is_refused(place))
    })
    .needing(&[Need::Lacks(Capability::Rewrite)]),
    Case::new("lack/of_mask_is_refused", &["LacksAreRefused"], |place| {
        Box::pin(of_mask_is_refused(place))
    })
    .needing(&[Need::Lacks(Capability::Mask)]),
    Case::new("lack/of_purge_is_refused", &["LacksAreRefused"], |place| {
        Box::pin(of_purge_is_refused(place))
    })
    .needing(&[Need::Lacks(Capability::Purge)]),
];

async fn every_handle_declares_the_same(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let declared = backend.capabilities();
    Writer::saying(&backend, "s1", &["one"]).await?;
    for handle in [&backend, &place.handle().await?] {
        let again = handle.capabilities();
        ensure!(again == declared, "one handle declares {declared:?}, another {again:?}");
    }
    Ok(())
}

async fn of_rewrite_is_refused(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
    let answer = backend.rewrite(&writer.key, writer.tip, look::served(commits)).await;
    fails("rewrite", answer, ErrorKind::Unsupported)?;
    look::unchanged(&*backend, &writer.key, &before).await
}

async fn of_mask_is_refused(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let seqs = vec![look::seq(1)?];
    let answer = backend.mask(&writer.key, writer.tip, seqs).await;
    fails("mask", answer, ErrorKind::Unsupported)?;
    look::unchanged(&*backend, &writer.key, &before).await
}

async fn of_purge_is_refused(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    writer.remove().await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let answer = backend.purge(&writer.key).await;
    fails("purge", answer, ErrorKind::Unsupported)?;
    look::unchanged(&*backend, &writer.key, &before).await?;
    // It takes nothing from what is said of a session that never was.
    let never = sample::key("s2")?;
    look::no_session(&*backend, &never).await
}
