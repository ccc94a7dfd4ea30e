//! What a listing shows without a look at the journal.

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sessile_core::backend::{Capability, Gist, Scope, Seen, Span};
use sessile_core::fold::Lifecycle;
use sessile_core::{Backend, SessionKey, StoredCommit, Tip};

use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new("gist/is_of_the_end_of_the_journal", &["GistsAreOfTheTip"], |place| {
        Box::pin(is_of_the_end(place))
    }),
    Case::new("gist/of_another_end_is_never_shown", &["GistsAreOfTheTip"], |place| {
        Box::pin(of_another_end_is_never_shown(place))
    }),
    Case::new("gist/makes_no_session", &["GistsAreOfTheTip"], |place| {
        Box::pin(makes_no_session(place))
    }),
    Case::new("gist/goes_with_data_that_is_removed", &["GistsAreOfTheTip"], |place| {
        Box::pin(goes_with_data_that_is_removed(place))
    })
    .needing(&[Need::Has(Capability::Mask)]),
    Case::new("gist/goes_with_what_a_rewrite_drops", &["GistsAreOfTheTip"], |place| {
        Box::pin(goes_with_what_a_rewrite_drops(place))
    })
    .needing(&[Need::Has(Capability::Rewrite)]),
];

/// A gist that a journal of the default space may have at a tip.
fn gist(tip: Tip, title: &str, lifecycle: Lifecycle) -> Arc<Gist> {
    Arc::new(Gist {
        tip,
        project: None,
        owner: None,
        parent: None,
        created_at: sample::NOW,
        updated_at: sample::NOW,
        title: Some(title.into()),
        tags: Arc::new(["red".to_owned(), "\t\"blue\"\n".to_owned()]),
        lifecycle,
        damaged: false,
        incomplete: false,
        messages: 1,
        occupant: None,
    })
}

/// What a handle shows of a session; the gist, if it shows one.
async fn shown(backend: &dyn Backend, key: &SessionKey) -> Result<Option<Arc<Gist>>, Failed> {
    let mut rows = look::recent(backend, &key.space, 10).await?;
    rows.retain(|row| row.recency.id == key.id);
    let row = rows.pop().ok_or_else(|| Failed::new(format!("{key} is not listed")))?;
    let seen = row.seen?;
    same("the tip of the row", seen.tip(), backend.head(key).await?.tip)?;
    Ok(match seen {
        Seen::Head(_) => None,
        Seen::Gist(gist) => Some(gist),
    })
}

/// Fails where any handle shows another gist than one.
async fn shows_at_most(
    place: &dyn Place,
    backend: &Arc<dyn Backend>,
    key: &SessionKey,
    expected: Option<&Arc<Gist>>,
) -> Result<(), Failed> {
    for handle in [backend, &place.handle().await?] {
        if let Some(shown) = shown(&**handle, key).await? {
            same("the gist", Some(&shown), expected)?;
        }
    }
    Ok(())
}

async fn is_of_the_end(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "a", &["one"]).await?;
    let key = writer.key.clone();
    let before = gist(writer.tip, "before \u{2028} \\n\t\"'\u{1f600}", Lifecycle::Active);
    backend.note(&key, Arc::clone(&before));
    shows_at_most(&*place, &backend, &key, Some(&before)).await?;
    // Letting go of the journal, a backend may have written it; another one may come.
    backend.close().await?;
    shows_at_most(&*place, &backend, &key, Some(&before)).await?;
    writer.say("two").await?;
    shows_at_most(&*place, &backend, &key, None).await?;
    let after = gist(writer.tip, "after", Lifecycle::Closed);
    backend.note(&key, Arc::clone(&after));
    shows_at_most(&*place, &backend, &key, Some(&after)).await?;
    backend.close().await?;
    shows_at_most(&*place, &backend, &key, Some(&after)).await?;
    // Another process goes on where this one thinks that it knows all.
    let mut other = writer.on(&place.handle().await?);
    other.say("three").await?;
    shows_at_most(&*place, &backend, &key, None).await
}

async fn of_another_end_is_never_shown(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "a", &["one"]).await?;
    let (key, before) = (writer.key.clone(), writer.tip);
    let mut other = Writer::saying(&backend, "b", &["one"]).await?;
    writer.say("two").await?;
    // One that comes late, and one of another journal that ends at the same number.
    backend.note(&key, gist(before, "late", Lifecycle::Active));
    other.say("two").await?;
    backend.note(&key, gist(other.tip, "of another", Lifecycle::Active));
    shows_at_most(&*place, &backend, &key, None).await?;
    backend.close().await?;
    shows_at_most(&*place, &backend, &key, None).await?;
    writer.remove().await?;
    shows_at_most(&*place, &backend, &key, None).await
}

async fn makes_no_session(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "a", &["one"]).await?;
    let absent = sample::key("b")?;
    backend.note(&absent, gist(writer.tip, "of nothing", Lifecycle::Active));
    backend.close().await?;
    for handle in [&backend, &place.handle().await?] {
        look::no_session(&**handle, &absent).await?;
        let rows = handle.recent(&absent.space, &Scope::ALL, None, 10).await?;
        same("how many rows", rows.len(), 1)?;
    }
    Ok(())
}

async fn goes_with_data_that_is_removed(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "a", &["one", "two"]).await?;
    let key = writer.key.clone();
    backend.note(&key, gist(writer.tip, "one", Lifecycle::Active));
    backend.close().await?;
    let masking = place.handle().await?;
    masking.mask(&key, writer.tip, vec![look::seq(1)?]).await?;
    shows_at_most(&*place, &masking, &key, None).await?;
    masking.close().await?;
    ensure!(shown(&*backend, &key).await?.is_none(), "a gist outlives what it was made of");
    shows_at_most(&*place, &backend, &key, None).await
}

async fn goes_with_what_a_rewrite_drops(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "a", &["one", "two", "three"]).await?;
    let key = writer.key.clone();
    backend.note(&key, gist(writer.tip, "one", Lifecycle::Active));
    backend.close().await?;
    let commits = backend.read(&key, Span::ALL).await?;
    let mut commits: Vec<StoredCommit> = commits.try_collect().await?;
    commits.remove(1);
    let rewriting = place.handle().await?;
    rewriting.rewrite(&key, writer.tip, look::served(commits)).await?;
    shows_at_most(&*place, &rewriting, &key, None).await?;
    rewriting.close().await?;
    shows_at_most(&*place, &backend, &key, None).await
}
