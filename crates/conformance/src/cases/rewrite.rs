//! Rewriting a journal physically.

use std::sync::Arc;

use futures_util::future::{Either, ready, select};
use futures_util::{StreamExt as _, stream};
use sessile_core::backend::{Capability, Span};
use sessile_core::{Backend, EntryType, Error, ErrorKind, SessionKey, StoredCommit, Tip};
use tokio::sync::oneshot;

use crate::case::{Case, Need};
use crate::failed::{Failed, conflicts_at, ensure, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::mint;
use crate::sample;
use crate::together::beside;
use crate::writer::Writer;

const REWRITE: &[Need] = &[Need::Has(Capability::Rewrite)];

pub(super) const CASES: &[Case] = &[
    Case::new(
        "rewrite/keeps_numbers_bytes_and_the_tip",
        &["RewritesKeepNumbers", "PayloadsAreVerbatim", "HeadsAreTrue"],
        |place| Box::pin(keeps_numbers_bytes_and_the_tip(place)),
    )
    .needing(REWRITE),
    Case::new(
        "rewrite/is_refused_where_others_appended",
        &["AppendIsConditional", "CONC-2"],
        |place| Box::pin(is_refused_where_others_appended(place)),
    )
    .needing(REWRITE),
    Case::new("rewrite/is_refused_where_the_end_would_move", &["RewritesKeepNumbers"], |place| {
        Box::pin(is_refused_where_the_end_would_move(place))
    })
    .needing(REWRITE),
    Case::new("rewrite/that_breaks_off_changes_nothing", &["RewritesKeepNumbers"], |place| {
        Box::pin(that_breaks_off_changes_nothing(place))
    })
    .needing(REWRITE),
    Case::new(
        "rewrite/is_seen_by_others_at_once_and_whole",
        &["CommitsAreAtomic", "AppendsAreShared", "CONC-1"],
        |place| Box::pin(is_seen_whole(place)),
    )
    .needing(REWRITE),
];

/// A journal of messages with a `state` before each.
async fn with_states(backend: &Arc<dyn Backend>, count: usize) -> Result<Writer, Failed> {
    let mut writer = Writer::create(backend, &sample::key("s1")?).await?;
    for number in 0..count {
        let state = sample::entry("state", r#"{"v":1}"#)?;
        let message = sample::message(&number.to_string())?;
        writer.append(&sample::commit(vec![state, message])?).await?;
    }
    Ok(writer)
}

/// The commits without what is derived.
fn without_states(mut commits: Vec<StoredCommit>) -> Vec<StoredCommit> {
    for commit in &mut commits {
        commit.entries.retain(|entry| entry.entry_type != EntryType::State);
        commit.state = None;
    }
    commits
}

async fn keeps_numbers_bytes_and_the_tip(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = with_states(&backend, 5).await?;
    let head = backend.head(&writer.key).await?;
    let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
    let mut kept = without_states(commits);
    // One that had nothing but what is superseded goes as a whole.
    let dropped = kept.remove(2);
    backend.rewrite(&writer.key, writer.tip, look::served(kept.clone())).await?;
    for handle in [&backend, &place.handle().await?] {
        let now = handle.head(&writer.key).await?;
        same("the tip", now.tip, writer.tip)?;
        ensure!(now.change != head.change, "the change token is the same");
        let served = look::read(&**handle, &writer.key, Span::ALL).await?;
        same("how many commits", served.len(), kept.len())?;
        let mut prev = None;
        for (commit, kept) in served.iter().zip(&kept) {
            ensure!(
                commit.entries == kept.entries && commit.token == kept.token,
                "the commit at {} is another",
                kept.first_seq()
            );
            same("the digest", commit.digest, kept.digest)?;
            same("what the commit follows", commit.prev, prev)?;
            prev = Some(commit.token);
        }
        let gone = look::read(&**handle, &writer.key, Span::From(dropped.first_seq())).await?;
        let next = gone.first().map(StoredCommit::first_seq);
        same("what follows the gap", next, kept.get(2).map(StoredCommit::first_seq))?;
    }
    writer.say("after").await?;
    writer.on(&place.handle().await?).say("and on").await?;
    Ok(())
}

async fn is_refused_where_others_appended(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = with_states(&backend, 3).await?;
    let kept = without_states(look::read(&*backend, &writer.key, Span::ALL).await?);
    let mut other = writer.on(&place.handle().await?);
    other.say("newer").await?;
    let before = look::seen(&*backend, &writer.key).await?;
    for tip in [writer.tip, Tip { token: Some(mint::token()), ..other.tip }] {
        let answer = backend.rewrite(&writer.key, tip, look::served(kept.clone())).await;
        conflicts_at("a stale rewrite", answer, other.tip.position)?;
    }
    look::unchanged(&*backend, &writer.key, &before).await
}

async fn is_refused_where_the_end_would_move(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = with_states(&backend, 3).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
    let mut shorter = commits.clone();
    shorter.pop();
    let mut headless = commits.clone();
    headless.remove(0);
    let mut turned = commits;
    turned.swap(1, 2);
    for (what, commits) in [
        ("a rewrite without the last commit", shorter),
        ("a rewrite without the header", headless),
        ("a rewrite out of order", turned),
        ("a rewrite to nothing", Vec::new()),
    ] {
        let answer = backend.rewrite(&writer.key, writer.tip, look::served(commits)).await;
        fails(what, answer, ErrorKind::Refused)?;
        look::unchanged(&*backend, &writer.key, &before).await?;
    }
    Ok(())
}

async fn that_breaks_off_changes_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = with_states(&backend, 3).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let kept = without_states(look::read(&*backend, &writer.key, Span::ALL).await?);
    let two = || stream::iter(kept.clone().into_iter().take(2).map(Ok));

    let error = Error::new(ErrorKind::Permission, "the source is not to be read any more");
    let breaking = two().chain(stream::once(ready(Err(error))));
    let answer = backend.rewrite(&writer.key, writer.tip, Box::pin(breaking)).await;
    fails("a rewrite whose source fails", answer, ErrorKind::Permission)?;
    look::unchanged(&*backend, &writer.key, &before).await?;

    // Given up for certain while it waits for the third commit.
    let (asked, was_asked) = oneshot::channel();
    let waiting = stream::once(async move {
        // The case that waits for it is there until it is told.
        let _unheard = asked.send(());
        std::future::pending().await
    });
    let endless = two().chain(waiting);
    let rewriting = backend.rewrite(&writer.key, writer.tip, Box::pin(endless));
    if let Either::Left((answer, _)) = select(rewriting, was_asked).await {
        return Err(Failed::new(format!("a rewrite without an end is answered: {answer:?}")));
    }
    look::unchanged(&*backend, &writer.key, &before).await?;
    writer.say("after").await?;
    Ok(())
}

/// Reads once, and fails unless every message so far is there.
async fn read_whole(backend: Arc<dyn Backend>, key: SessionKey) -> Result<(), Failed> {
    let texts = look::texts(&*backend, &key).await?;
    let expected: Vec<String> = (0..texts.len()).map(|number| number.to_string()).collect();
    same("the texts", &texts, &expected)?;
    ensure!(texts.len() >= 10, "messages are missing");
    Ok(())
}

async fn is_seen_whole(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = with_states(&backend, 10).await?;
    let (reader, key) = (place.handle().await?, writer.key.clone());
    let reading = move || read_whole(Arc::clone(&reader), key.clone());
    let writing = async {
        for number in 10..30 {
            let state = sample::entry("state", r#"{"v":2}"#)?;
            let message = sample::message(&number.to_string())?;
            writer.append(&sample::commit(vec![state, message])?).await?;
            let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
            let kept = without_states(commits);
            backend.rewrite(&writer.key, writer.tip, look::served(kept)).await?;
        }
        Ok(())
    };
    beside(vec![reading], writing).await?;
    let texts = look::texts(&*place.handle().await?, &writer.key).await?;
    same("how many messages", texts.len(), 30)
}
