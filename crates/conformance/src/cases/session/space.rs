//! Tenants that know each other's ids.

use std::sync::Arc;

use sessile_core::Error;
use sessile_engine::{Filter, NewSession, Store};

use super::scene;
use crate::case::Case;
use crate::failed::{Failed, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[Case::new(
    "session/space/an_id_of_another_is_one_that_never_was",
    &["ID-4", "records/16"],
    |place| Box::pin(an_id_of_another_is_one_that_never_was(place)),
)];

/// What each call that needs a session says of one, without its id.
async fn answers(store: &Store, id: &str) -> Result<Vec<Option<String>>, Failed> {
    fn told<T>(id: &str, answer: Result<T, Error>) -> Option<String> {
        answer.err().map(|error| {
            let text =
                format!("{:?} {:?} {error} {:?}", error.kind(), error.outcome(), error.hint());
            text.replace(id, "ID")
        })
    }
    Ok(vec![
        told(id, store.open_session(id).await),
        told(id, store.verify(id).await),
        told(id, store.delete(id).await),
        told(id, store.undelete(id).await),
        told(id, store.purge(id).await),
    ])
}

async fn an_id_of_another_is_one_that_never_was(place: Arc<dyn Place>) -> Result<(), Failed> {
    let root = scene::store(&*place).await?;
    let (mine, yours) = (root.space("mine")?, root.space("yours")?);
    for (id, end) in [("open", 0), ("closed", 1), ("deleted", 2)] {
        let session = scene::session(&mine, id, &["one"]).await?;
        match end {
            0 => {}
            1 => session.close().await?,
            _ => session.delete().await?,
        }
    }
    let never = answers(&yours, "nobody").await?;
    same("calls that were refused", never.iter().filter(|it| it.is_some()).count(), never.len())?;
    for id in ["open", "closed", "deleted"] {
        same("what another space says", answers(&yours, id).await?, never.clone())?;
    }
    for filter in [Filter::all(), Filter::all().deleted(), Filter::all().damaged()] {
        same("what another space lists", scene::ids(&yours, &filter).await?, Vec::new())?;
    }
    let own = yours.create_as("deleted", NewSession::new()).await?;
    own.append(["own"]).await?;
    same("its texts", scene::texts(&own).await?, vec!["own".to_owned()])?;
    let texts = scene::texts(&mine.open_session("open").await?).await?;
    same("my texts", texts, vec!["one".to_owned()])
}
