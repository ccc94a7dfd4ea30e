//! Answers that are lost, and places that can't be reached.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::{ErrorKind, Outcome};
use sessile_engine::{Append, Filter, From, NewSession, Options, Page, Store};

use super::scene;
use crate::case::Case;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::lossy::Lossy;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/outcome/a_place_that_is_out_of_reach_is_not_empty",
        &["records/12", "RET-6", "MEM-2"],
        |place| Box::pin(out_of_reach(place)),
    ),
    Case::new("session/outcome/a_lost_answer_is_found_out", &["OBJ-1"], |place| {
        Box::pin(a_lost_answer_is_found_out(place))
    }),
    Case::new("session/outcome/an_unknown_one_is_resolved_by_writing", &["OBJ-1"], |place| {
        Box::pin(an_unknown_one_is_resolved(place))
    }),
];

async fn out_of_reach(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let store = Store::on(backend);
    let session = scene::session(&store, "s1", &["one"]).await?;
    line.cut(true);
    let unavailable = ErrorKind::Unavailable;
    fails("opening", store.open_session("s1").await, unavailable)?;
    fails("creating", store.create_as("s2", NewSession::new()).await, unavailable)?;
    fails("either", store.open_or_create("s2", NewSession::new()).await, unavailable)?;
    fails("listing", store.list(Filter::all(), Page::of(9)).await, unavailable)?;
    fails("spaces", store.spaces(None, 9).await, unavailable)?;
    fails("verifying", store.verify("s1").await, unavailable)?;
    fails("deleting", store.delete("s1").await, unavailable)?;
    fails("looking again", session.refresh().await, unavailable)?;
    fails("appending", session.append(["x"]).await, unavailable)?;
    let reading = session.transcript::<String>(From::start()).await.map(drop);
    fails("reading", reading, unavailable)?;
    line.cut(false);
    same("the ids", scene::ids(&store, &Filter::all()).await?, vec!["s1".to_owned()])?;
    session.append(["two"]).await?;
    same("the texts", scene::texts(&session).await?, vec!["one".to_owned(), "two".to_owned()])
}

async fn a_lost_answer_is_found_out(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let store = Store::on(backend);
    line.lose_answers(1);
    let session = store.create_as("s1", NewSession::new()).await?;
    for lost in [1, 2] {
        line.lose_answers(lost);
        session.append([format!("{lost} lost")]).await?;
    }
    line.lose_answers(1);
    session.set_title("title").await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    let texts = scene::texts(&reopened).await?;
    same("the texts", texts, vec!["1 lost".to_owned(), "2 lost".to_owned()])?;
    line.lose_answers(1);
    session.delete().await?;
    fails("a deleted session", reopened.append(["x"]).await, ErrorKind::Deleted)?;
    Ok(())
}

async fn an_unknown_one_is_resolved(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let patient: Arc<Lossy> = Arc::clone(&line);
    scene::session(&Store::on(patient), "s1", &["one"]).await?;
    // Long enough to answer what is asked of a slow place, and waited for once.
    let store = Store::with(backend, Options::default().deadline(Duration::from_secs(2)));
    let session = store.open_session("s1").await?;
    line.lose_answers(usize::MAX);
    let append = Append::at(session.position()).commit_id("c".parse()?);
    let Err(error) = session.append_with(append.clone(), ["two"]).await else {
        return Err(Failed::new("an append whose answers are all lost was told as done"));
    };
    same("its outcome", error.outcome(), Outcome::Unknown)?;
    line.lose_answers(0);
    let found = session.resolve(&"c".parse()?).await?;
    let found = found.ok_or_else(|| Failed::new("what was done is not found"))?;
    ensure!(found.replayed, "what is found out was done before");
    let again = session.append_with(append, ["two"]).await?;
    same("where it was done", again.position, found.position)?;
    same("what never was", session.resolve(&"d".parse()?).await?, None)?;
    session.append(["three"]).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    let texts = scene::texts(&reopened).await?;
    same("the texts", texts, ["one", "two", "three"].map(str::to_owned).to_vec())
}
