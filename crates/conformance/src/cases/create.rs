//! Creating a journal.

use std::sync::Arc;

use sessile_core::backend::{Expected, Span};
use sessile_core::{ErrorKind, Payload, Position, Seq, Space, Tip};

use crate::case::Case;
use crate::failed::{Failed, conflicts_at, ensure, fails, only, same};
use crate::fixture::Place;
use crate::look;
use crate::mint;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "create/what_was_created_is_served",
        &["CreateIsExclusive", "CommitsAreAtomic", "records/2"],
        |place| Box::pin(what_was_created_is_served(place)),
    ),
    Case::new(
        "create/twice_is_a_conflict_and_changes_nothing",
        &["CreateIsExclusive", "records/4", "LOST-1"],
        |place| Box::pin(twice_is_a_conflict(place)),
    ),
    Case::new(
        "create/several_commits_at_once",
        &["CreateIsExclusive", "CommitsAreOrdered", "AppendsAreShared"],
        |place| Box::pin(several_commits_at_once(place)),
    ),
    Case::new(
        "create/a_journal_begins_with_its_own_header",
        &["CreateIsExclusive", "ID-2"],
        |place| Box::pin(a_journal_begins_with_its_own_header(place)),
    ),
    Case::new(
        "create/an_append_elsewhere_creates_nothing",
        &["CreateIsExclusive", "MissingIsMissing"],
        |place| Box::pin(an_append_elsewhere_creates_nothing(place)),
    ),
];

async fn what_was_created_is_served(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    let commit = sample::commit(vec![sample::header(&key)?, sample::message("one")?])?;
    let created = backend.append(&key, Expected::At(Tip::ABSENT), vec![commit.clone()]).await?;
    let created = only("the answer to one commit", created)?;
    same("the first number", created.first, Seq::FIRST)?;
    same("the position", created.tip.position.number(), 2)?;
    ensure!(!created.replayed, "the first append is no replay");
    let commits = look::read(&*backend, &key, Span::ALL).await?;
    look::stands(&commits, &commit, &created)?;
    let first = only("the commits", commits)?;
    same("what the first commit follows", first.prev, None)?;
    let listed = look::journals(&*backend, &key.space, 10).await?;
    same("the sessions", listed, vec![key.id.clone()])
}

async fn twice_is_a_conflict(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    for handle in [backend, place.handle().await?] {
        let other =
            sample::commit(vec![sample::header(&writer.key)?, sample::message("another")?])?;
        let answer = handle.append(&writer.key, Expected::At(Tip::ABSENT), vec![other]).await;
        conflicts_at("a second creation", answer, writer.tip.position)?;
        look::unchanged(&*handle, &writer.key, &before).await?;
    }
    Ok(())
}

async fn several_commits_at_once(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    let commits = vec![sample::creation(&key)?, sample::saying("one")?, sample::saying("two")?];
    let answers = backend.append(&key, Expected::At(Tip::ABSENT), commits.clone()).await?;
    same("how many answers", answers.len(), commits.len())?;
    let stored = look::read(&*place.handle().await?, &key, Span::ALL).await?;
    same("how many commits", stored.len(), commits.len())?;
    for (commit, answer) in commits.iter().zip(&answers) {
        look::stands(&stored, commit, answer)?;
    }
    same("the texts", look::texts_of(&stored)?, vec!["one".into(), "two".into()])
}

async fn a_journal_begins_with_its_own_header(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    let mut undecodable = sample::header(&key)?;
    undecodable.data = Payload::parse("{}")?;
    let mut elsewhere = sample::header(&key)?;
    elsewhere.seq = Some(look::seq(3)?);
    let firsts = [
        ("a message", sample::message("one")?),
        ("a header without content", undecodable),
        ("a header that is not the first entry", elsewhere),
        ("another id's header", sample::header(&sample::key("s2")?)?),
        ("another space's header", sample::header(&sample::key_in("other", "s1")?)?),
    ];
    for (what, first) in firsts {
        let commit = sample::commit(vec![first])?;
        let answer = backend.append(&key, Expected::At(Tip::ABSENT), vec![commit]).await;
        fails(what, answer, ErrorKind::Refused)?;
        look::no_session(&*backend, &key).await?;
    }
    Writer::create(&backend, &key).await?;
    Ok(())
}

async fn an_append_elsewhere_creates_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    let token = Some(mint::token());
    let at = |position: u64, token| {
        let position = Position::new(position).unwrap_or(Position::START);
        Expected::At(Tip { position, token })
    };
    for expected in [at(1, token), at(1, None), at(0, token), Expected::End] {
        let answer = backend.append(&key, expected, vec![sample::creation(&key)?]).await;
        fails("an append to nothing", answer, ErrorKind::Missing)?;
        look::no_session(&*backend, &key).await?;
    }
    let spaces = look::spaces(&*backend, 10).await?;
    same("the spaces that hold anything", spaces, Vec::<Space>::new())
}
