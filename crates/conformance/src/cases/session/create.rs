//! Creating sessions.

use std::sync::Arc;

use sessile_core::{ErrorKind, Payload};
use sessile_engine::NewSession;

use super::scene;
use crate::case::Case;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::together::together;

pub(super) const CASES: &[Case] = &[
    Case::new("session/create/it_is_what_it_was_created_as", &["records/2"], |place| {
        Box::pin(it_is_what_it_was_created_as(place))
    }),
    Case::new(
        "session/create/what_exists_is_not_replaced",
        &["records/4", "records/16", "LOST-1", "OBJ-9"],
        |place| Box::pin(what_exists_is_not_replaced(place)),
    ),
    Case::new("session/create/of_many_at_once_one_does", &["records/8"], |place| {
        Box::pin(of_many_at_once_one_does(place))
    }),
];

async fn it_is_what_it_was_created_as(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let new = NewSession::new().project("shop").owner("alice").host("run", "7");
    let created = store.create_as("s1", new.title("A title").tags(["x"]).meta("n", &1.5)).await?;
    let opened = scene::store(&*place).await?.open_session("s1").await?;
    for info in [created.info(), opened.info()] {
        same("the header", &info.header, &created.info().header)?;
        let project = info.header.project.as_ref().map(ToString::to_string);
        same("the project", project.as_deref(), Some("shop"))?;
        same("the title", info.title().as_deref(), Some("A title"))?;
        same("the tags", info.tags(), vec!["x".to_owned()])?;
        same("a value", info.meta.value("n").map(Payload::as_str), Some("1.5"))?;
        same("how many messages", info.messages, 0)?;
    }
    ensure!(opened.receipt().is_none(), "there is nothing to tell of a new session");
    Ok(())
}

async fn what_exists_is_not_replaced(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["one"]).await?;
    session.set_meta([("tag", "x")]).await?;
    let position = session.position();
    for store in [&store, &scene::store(&*place).await?] {
        let new = || NewSession::new().meta("tag", "y").title("other");
        fails("creating again", store.create_as("s1", new()).await, ErrorKind::Exists)?;
        let opened = store.open_or_create("s1", new()).await?;
        let info = opened.info();
        same("the metadata", info.meta.value("tag").map(Payload::as_str), Some("\"x\""))?;
        same("the title", info.title(), None)?;
        same("the position", info.position, position)?;
        let other = NewSession::new().project("other");
        fails("another project", store.open_or_create("s1", other).await, ErrorKind::Mismatch)?;
    }
    same("the texts", scene::texts(&session).await?, vec!["one".to_owned()])
}

async fn of_many_at_once_one_does(place: Arc<dyn Place>) -> Result<(), Failed> {
    let mut creating = Vec::new();
    for number in 0..6 {
        let store = scene::store(&*place).await?;
        creating.push(async move {
            let new = NewSession::new().title(number.to_string());
            Ok(store.create_as("s1", new).await)
        });
    }
    let answers = together(creating).await?;
    let mut titles = Vec::new();
    for answer in answers {
        match answer {
            Ok(session) => titles.push(session.info().title()),
            lost => drop(fails("a lost race", lost, ErrorKind::Exists)?),
        }
    }
    let stored = scene::store(&*place).await?.open_session("s1").await?;
    same("the titles of those who created it", titles, vec![stored.info().title()])
}
