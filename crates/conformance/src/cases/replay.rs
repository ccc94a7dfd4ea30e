//! Sending an append again, because its answer was lost.

use std::sync::Arc;

use sessile_core::backend::{Appended, Expected, Span};
use sessile_core::{Backend, Commit, SessionKey, Tip};

use crate::case::Case;
use crate::failed::{Failed, conflicts_at, only, same};
use crate::fixture::Place;
use crate::look;
use crate::mint;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "replay/an_append_sent_again_is_answered_alike",
        &["OwnTokenIsReplayed", "OBJ-1"],
        |place| Box::pin(an_append_sent_again(place)),
    ),
    Case::new(
        "replay/also_when_others_appended_since",
        &["OwnTokenIsReplayed", "OBJ-1"],
        |place| Box::pin(also_when_others_appended_since(place)),
    ),
    Case::new(
        "replay/a_batch_is_answered_member_by_member",
        &["OwnTokenIsReplayed", "OBJ-1"],
        |place| Box::pin(a_batch_is_answered_member_by_member(place)),
    ),
    Case::new(
        "replay/a_creation_sent_again",
        &["OwnTokenIsReplayed", "CreateIsExclusive", "OBJ-1"],
        |place| Box::pin(a_creation_sent_again(place)),
    ),
    Case::new(
        "replay/an_append_at_the_end_sent_again",
        &["OwnTokenIsReplayed", "OBJ-1"],
        |place| Box::pin(an_append_at_the_end_sent_again(place)),
    ),
    Case::new(
        "replay/a_tombstone_sent_again",
        &["OwnTokenIsReplayed", "TombstonesHold", "RET-3"],
        |place| Box::pin(a_tombstone_sent_again(place)),
    ),
    Case::new(
        "replay/another_token_is_another_attempt",
        &["OwnTokenIsReplayed", "AppendIsConditional"],
        |place| Box::pin(another_token_is_another_attempt(place)),
    ),
];

/// Sends commits that are in the journal, and fails unless each answer is what it was before and
/// says that it is told again.
async fn resend(
    backend: &dyn Backend,
    key: &SessionKey,
    expected: Expected,
    commits: &[Commit],
    first: &[Appended],
) -> Result<(), Failed> {
    let before = look::seen(backend, key).await?;
    let again = backend.append(key, expected, commits.to_vec()).await?;
    let replayed: Vec<Appended> =
        first.iter().map(|answer| Appended { replayed: true, ..*answer }).collect();
    same("the answer to what was sent again", again, replayed)?;
    look::unchanged(backend, key, &before).await
}

async fn an_append_sent_again(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let expected = Expected::At(writer.tip);
    let commits = vec![sample::saying("two")?];
    let first = backend.append(&writer.key, expected, commits.clone()).await?;
    let other = place.handle().await?;
    for handle in [&backend, &other, &backend] {
        resend(&**handle, &writer.key, expected, &commits, &first).await?;
    }
    Ok(())
}

async fn also_when_others_appended_since(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let expected = Expected::At(writer.tip);
    let commits = vec![sample::saying("two")?];
    let first = backend.append(&writer.key, expected, commits.clone()).await?;
    let mut other = writer.on(&place.handle().await?);
    other.tip = first.last().map_or(other.tip, |answer| answer.tip);
    for number in 0..20 {
        other.say(&format!("other {number}")).await?;
    }
    resend(&*backend, &writer.key, expected, &commits, &first).await?;
    resend(&*place.handle().await?, &writer.key, expected, &commits, &first).await
}

async fn a_batch_is_answered_member_by_member(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let commits = ["a", "b", "c"].map(sample::saying);
    let commits = commits.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut expected = Expected::At(writer.tip);
    let first = backend.append(&writer.key, expected, commits.clone()).await?;
    same("how many answers", first.len(), commits.len())?;
    resend(&*backend, &writer.key, expected, &commits, &first).await?;
    for (commit, answer) in commits.iter().zip(&first) {
        let (commit, answer) = (std::slice::from_ref(commit), std::slice::from_ref(answer));
        resend(&*backend, &writer.key, expected, commit, answer).await?;
        expected = answer.first().map_or(expected, |it| Expected::At(it.tip));
    }
    Ok(())
}

async fn a_creation_sent_again(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    let commits = vec![sample::creation(&key)?, sample::saying("one")?];
    let expected = Expected::At(Tip::ABSENT);
    let first = backend.append(&key, expected, commits.clone()).await?;
    resend(&*backend, &key, expected, &commits, &first).await?;
    resend(&*place.handle().await?, &key, expected, &commits, &first).await
}

async fn an_append_at_the_end_sent_again(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let commits = vec![sample::saying("two")?];
    let first = backend.append(&writer.key, Expected::End, commits.clone()).await?;
    resend(&*backend, &writer.key, Expected::End, &commits, &first).await?;
    for number in 0..5 {
        let others = vec![sample::saying(&format!("other {number}"))?];
        backend.append(&writer.key, Expected::End, others).await?;
    }
    let other = place.handle().await?;
    resend(&*other, &writer.key, Expected::End, &commits, &first).await
}

async fn a_tombstone_sent_again(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let tombstone = sample::tombstone()?;
    let remove = |backend: Arc<dyn Backend>| {
        let (writer, tombstone) = (writer.clone(), tombstone.clone());
        async move { backend.remove(&writer.key, writer.tip, tombstone).await }
    };
    let first = remove(Arc::clone(&backend)).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let replayed = Appended { replayed: true, ..first };
    for handle in [&backend, &place.handle().await?] {
        let again = remove(Arc::clone(handle)).await?;
        same("the answer to a tombstone sent again", again, replayed)?;
    }
    look::unchanged(&*backend, &writer.key, &before).await
}

async fn another_token_is_another_attempt(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let commit = sample::saying("two")?;
    let expected = Expected::At(writer.tip);
    let first = backend.append(&writer.key, expected, vec![commit.clone()]).await?;
    let first = only("the answer to one commit", first)?;
    let again = commit.with_token(mint::token());
    let answer = backend.append(&writer.key, expected, vec![again]).await;
    conflicts_at("the same commit under another token", answer, first.tip.position)?;
    let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
    same("how many commits", commits.len(), 3)
}
