//! Lists that show less than there is: cut as if they were whole, in pages, or broken off.
//!
//! A list of one session's objects is only where to look, so that one that was cut costs requests.
//! A list of sessions, notes or documents is all that tells which there are: what it leaves out is
//! left out, and nothing that it shows is wrong by that.

use std::collections::BTreeSet;

use sessile_core::backend::{Expected, Precondition, Scope};
use sessile_core::digest::Token;
use sessile_core::id::{SessionId, SessionKey};
use sessile_core::{Backend, Commit, ErrorKind, Tip};
use sessile_object::ObjectBackend;

use super::stage::{Stage, on_each, options, read};
use super::words;
use crate::support::proxy::{Fault, Loss, Rule};
use crate::support::servers::PATIENCE;

/// More objects than are asked for one after the other before a list is quicker.
const MANY: usize = 40;

/// What lists of objects have in their targets.
const LIST: &str = "prefix=";

/// A session of many objects.
async fn long_session(stage: &Stage, backend: &ObjectBackend) -> (SessionKey, Vec<Token>) {
    let key = words::key(&stage.space);
    let mut commits = vec![words::creation(&key)];
    commits.extend((1..MANY).map(|number| words::saying(&number.to_string())));
    for commit in &commits {
        let at = if commit == &commits[0] { Expected::At(Tip::ABSENT) } else { Expected::End };
        backend.append(&key, at, vec![commit.clone()]).await.unwrap();
    }
    (key, commits.iter().map(Commit::token).collect())
}

/// Sees that a fresh handle through the proxy finds all of a session, and its end.
async fn is_whole(stage: &Stage, key: &SessionKey, tokens: &[Token], course: &str) {
    let fresh = stage.patient();
    let head = fresh.head(key).await.unwrap();
    assert_eq!(head.tip.token.as_ref(), tokens.last(), "{:?} {course}", stage.kind);
    let found: Vec<_> = read(&fresh, key).await.unwrap().iter().map(|it| it.token).collect();
    assert_eq!(found, tokens, "{:?} {course}", stage.kind);
    assert_eq!(fresh.set_aside(key).await.unwrap(), []);
}

#[tokio::test]
async fn a_session_whose_list_was_cut_is_found_to_its_end() {
    on_each(async |stage| {
        let (key, tokens) = long_session(&stage, &stage.past()).await;
        for keep in [0, 1, 2, 20, MANY - 1] {
            stage.proxy.rule(Rule::on("GET", LIST, Fault::Shortened(keep)).always());
            is_whole(&stage, &key, &tokens, &format!("cut to {keep}")).await;
            stage.proxy.mend();
        }
        for keep in [1, MANY / 2] {
            stage.proxy.rule(Rule::on("GET", LIST, Fault::Paged(keep)).always());
            is_whole(&stage, &key, &tokens, &format!("pages of {keep}")).await;
            stage.proxy.mend();
        }
    })
    .await;
}

#[tokio::test]
async fn a_handle_that_others_left_behind_catches_up_without_a_whole_list() {
    on_each(async |stage| {
        let key = words::key(&stage.space);
        let (first, warm) = (words::creation(&key), stage.patient());
        warm.append(&key, Expected::At(Tip::ABSENT), vec![first.clone()]).await.unwrap();
        let (past, mut tokens) = (stage.past(), vec![first.token()]);
        for number in 1..MANY {
            let commit = words::saying(&number.to_string());
            tokens.push(commit.token());
            past.append(&key, Expected::End, vec![commit]).await.unwrap();
        }
        stage.proxy.rule(Rule::on("GET", LIST, Fault::Shortened(1)).always());
        let next = words::saying("next");
        tokens.push(next.token());
        warm.append(&key, Expected::End, vec![next]).await.unwrap();
        assert_eq!(stage.tokens(&key).await, tokens, "{:?}", stage.kind);
    })
    .await;
}

#[tokio::test]
async fn merged_ranges_that_a_cut_list_shows_or_hides_change_nothing_that_is_read() {
    on_each(async |stage| {
        let mut merging = options();
        merging.merge_every = 4;
        let writer = stage.handle(stage.stores(), merging.clone());
        let (key, tokens) = long_session(&stage, &writer).await;
        for keep in [0, 1, 2, 5] {
            let rule = Rule::on("GET", LIST, Fault::Shortened(keep)).always();
            stage.proxy.rule(rule);
            let fresh = stage.handle(stage.stores_through(PATIENCE), merging.clone());
            let commits = read(&fresh, &key).await.unwrap();
            let found: Vec<_> = commits.iter().map(|commit| commit.token).collect();
            assert_eq!(found, tokens, "{:?} {keep}", stage.kind);
            stage.proxy.mend();
        }
    })
    .await;
}

#[tokio::test]
async fn what_a_cut_list_hides_is_not_created_again() {
    on_each(async |stage| {
        let (key, tokens, _) = stage.session(&["one"]).await;
        let document = words::document(&stage.space);
        let held = words::value("held");
        stage.past().put(&document, held.clone(), Precondition::Absent).await.unwrap();
        stage.proxy.rule(Rule::on("GET", LIST, Fault::Shortened(0)).always());
        let through = stage.patient();
        let again = vec![words::creation(&key)];
        let error = through.append(&key, Expected::At(Tip::ABSENT), again).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
        let error = through.put(&document, words::value("new"), Precondition::Absent).await;
        assert_eq!(error.unwrap_err().actual_revision(), Some(held.revision));
        assert_eq!(stage.tokens(&key).await, tokens, "{:?}", stage.kind);
    })
    .await;
}

/// Some sessions and documents, and how many of each.
async fn some(stage: &Stage) -> BTreeSet<SessionId> {
    let mut ids = BTreeSet::new();
    for number in 0..5 {
        ids.insert(stage.session(&["one"]).await.0.id);
        let key = words::document(&stage.space);
        let value = words::value(&number.to_string());
        stage.past().put(&key, value, Precondition::Absent).await.unwrap();
    }
    ids
}

/// What the listings of a handle show: sessions, rows by recency with true heads, documents.
async fn shown(
    stage: &Stage,
    backend: &ObjectBackend,
) -> Result<(BTreeSet<SessionId>, BTreeSet<SessionId>, usize), sessile_core::Error> {
    let journals = backend.journals(&stage.space, None, 100).await?;
    let recent = backend.recent(&stage.space, &Scope::ALL, None, 100).await?;
    let collection = words::document(&stage.space).collection;
    let documents = backend.documents(&collection, None, 100).await?;
    for row in &recent {
        let head = row.seen.as_ref().unwrap();
        assert_eq!(head.tip().position.number(), 2, "{:?}", stage.kind);
    }
    let rows = recent.into_iter().map(|row| row.recency.id).collect();
    Ok((journals.into_iter().collect(), rows, documents.len()))
}

#[tokio::test]
async fn listings_in_pages_are_whole_and_a_page_that_fails_is_no_end() {
    on_each(async |stage| {
        let ids = some(&stage).await;
        let whole = (ids.clone(), ids, 5);
        for keep in [1, 3] {
            stage.proxy.rule(Rule::on("GET", LIST, Fault::Paged(keep)).always());
            assert_eq!(shown(&stage, &stage.patient()).await.unwrap(), whole, "{:?}", stage.kind);
            stage.proxy.mend();
        }
        let (space, hasty) = (&stage.space, stage.hasty());
        let collection = words::document(space).collection;
        for loss in [Loss::Status(500), Loss::Status(403), Loss::Close, Loss::Half] {
            stage.proxy.rule(Rule::on("GET", "proxy-page", Fault::Unanswered(loss)).always());
            stage.proxy.rule(Rule::on("GET", LIST, Fault::Paged(2)).always());
            let errors = [
                hasty.journals(space, None, 100).await.unwrap_err(),
                hasty.recent(space, &Scope::ALL, None, 100).await.unwrap_err(),
                hasty.documents(&collection, None, 100).await.unwrap_err(),
            ];
            let kind = match loss {
                Loss::Status(403) => ErrorKind::Permission,
                _ => ErrorKind::Unavailable,
            };
            assert!(errors.iter().all(|error| error.kind() == kind), "{loss:?} {errors:?}");
            stage.proxy.mend();
        }
    })
    .await;
}

#[tokio::test]
async fn a_row_is_whole_although_the_list_of_its_session_was_cut() {
    on_each(async |stage| {
        let ids = some(&stage).await;
        for id in &ids {
            let rule = Rule::on("GET", format!("{id}&"), Fault::Shortened(0)).always();
            stage.proxy.rule(rule);
            let rule = Rule::on("GET", format!("{id}%2F"), Fault::Shortened(0)).always();
            stage.proxy.rule(rule);
        }
        let (journals, rows, _) = shown(&stage, &stage.patient()).await.unwrap();
        assert_eq!((journals, rows), (ids.clone(), ids), "{:?}", stage.kind);
        let cut = stage.proxy.seen().iter().filter(|it| it.target.contains(LIST)).count();
        assert!(cut > 5, "{cut}");
    })
    .await;
}

#[tokio::test]
async fn a_listing_that_was_cut_as_if_whole_shows_fewer_rows_and_true_ones() {
    on_each(async |stage| {
        let ids = some(&stage).await;
        stage.proxy.rule(Rule::on("GET", LIST, Fault::Shortened(2)).always());
        let (journals, rows, documents) = shown(&stage, &stage.patient()).await.unwrap();
        assert!(journals.is_subset(&ids) && rows.is_subset(&ids), "{:?}", stage.kind);
        assert_eq!((journals.len(), rows.len(), documents), (2, 2, 2), "{:?}", stage.kind);
        // The next list that is whole shows all of them, also to the same handle.
        let handle = stage.patient();
        shown(&stage, &handle).await.unwrap();
        stage.proxy.mend();
        let whole = (ids.clone(), ids, 5);
        assert_eq!(shown(&stage, &handle).await.unwrap(), whole, "{:?}", stage.kind);
    })
    .await;
}
