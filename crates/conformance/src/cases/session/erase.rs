//! Removing all of an owner or of a space.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::ErrorKind;
use sessile_core::backend::{Capability, Precondition};
use sessile_engine::{Erased, Erasure, Filter, NewSession, Options, Scope, Store};

use super::scene;
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::lossy::Lossy;
use crate::sample;

pub(super) const CASES: &[Case] = &[
    Case::new("session/erase/an_owner_is_erased_and_nobody_else", &["RET-2", "RET-5"], |place| {
        Box::pin(an_owner_is_erased(place))
    })
    .needing(&[Need::Has(Capability::Purge)]),
    Case::new("session/erase/a_space_is_erased_and_no_other", &["RET-2", "RET-7"], |place| {
        Box::pin(a_space_is_erased(place))
    })
    .needing(&[Need::Has(Capability::Purge)]),
    Case::new("session/erase/where_nothing_is_purged_nothing_is_erased", &["RET-2"], |place| {
        Box::pin(nothing_is_erased(place))
    })
    .needing(&[Need::Lacks(Capability::Purge)]),
];

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

/// Puts a document that goes with a session.
async fn document(
    store: &Store,
    collection: &str,
    name: &str,
    session: Option<&str>,
) -> Result<(), Failed> {
    let mut key = sample::document(collection, name)?;
    key.collection.space = store.space_name().clone();
    let mut document = sample::value("value");
    document.session = session.map(str::parse).transpose()?;
    Ok(store.backend().put(&key, document, Precondition::Absent).await?)
}

/// The names of a collection.
async fn listed(store: &Store, collection: &str) -> Result<Vec<String>, Failed> {
    let mut collection = sample::collection(collection)?;
    collection.space = store.space_name().clone();
    let names = store.backend().documents(&collection, None, 100).await?;
    Ok(names.iter().map(ToString::to_string).collect())
}

async fn an_owner_is_erased(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let other = store.space("other")?;
    for (store, id, owner) in [
        (&store, "a1", Some("ann")),
        (&store, "a2", Some("ann")),
        (&store, "a3", Some("ann")),
        (&store, "b1", Some("bob")),
        (&store, "n1", None),
        (&other, "a1", Some("ann")),
    ] {
        let new = owner.map_or_else(NewSession::new, |owner| NewSession::new().owner(owner));
        store.create_as(id, new).await?.append(["secret"]).await?;
        document(store, "notes", id, Some(id)).await?;
    }
    store.delete("a2").await?;
    store.open_session("a3").await?.close().await?;
    let ann = Erasure::of(Scope::owner("ann"));
    let kept = store.erase(&ann.clone().confirmed_by("bob"), false).await;
    fails("without the right word", kept, ErrorKind::Refused)?;
    let mine = |erased: &Erased| {
        let mut ids: Vec<String> = erased.sessions.iter().map(ToString::to_string).collect();
        ids.sort_unstable();
        ids
    };
    let rehearsed = store.erase(&ann, true).await?;
    same("how many are there after a dry run", scene::ids(&store, &Filter::all()).await?.len(), 4)?;
    let confirmed = ann.confirmed_by("ann");
    for _ in 0..2 {
        let erased = store.erase(&confirmed, false).await?;
        same("what is erased", mine(&erased), names(&["a1", "a2", "a3"]))?;
        same("as it was told before", mine(&erased), mine(&rehearsed))?;
        ensure!(erased.left.is_empty(), "left is {:?}", erased.left);
    }
    let mut living = scene::ids(&store, &Filter::all()).await?;
    living.sort_unstable();
    same("the ids", living, names(&["b1", "n1"]))?;
    same("the documents", listed(&store, "notes").await?, names(&["b1", "n1"]))?;
    same("those elsewhere", scene::ids(&other, &Filter::all()).await?, names(&["a1"]))?;
    same("the documents elsewhere", listed(&other, "notes").await?, names(&["a1"]))?;
    for id in ["a1", "a2", "a3"] {
        fails("undeleting", store.undelete(id).await, ErrorKind::Deleted)?;
        let key = sample::key(id)?;
        let seen = look::seen(&**store.backend(), &key).await?;
        ensure!(!seen.holds("secret"), "{id} still holds what it did");
    }
    Ok(())
}

async fn a_space_is_erased(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let all = Store::with(backend, Options::default().deadline(Duration::from_secs(2)));
    let (one, other) = (all.space("one")?, all.space("other")?);
    for store in [&one, &other] {
        for id in ["a", "b", "c"] {
            scene::session(store, id, &["secret"]).await?;
        }
        document(store, "plain", "x", None).await?;
        document(store, "plain", "y", Some("a")).await?;
        document(store, "kept", "z", None).await?;
    }
    let erasure = Erasure::of(Scope::Space).collections(["plain".parse()?]).confirmed_by("one");
    fails("another space", other.erase(&erasure, false).await, ErrorKind::Refused)?;
    line.breaks_after(3, true);
    fails("erasing over a broken line", one.erase(&erasure, false).await, ErrorKind::Unavailable)?;
    line.mend();
    let erased = one.erase(&erasure, false).await?;
    same("how many are erased", erased.sessions.len(), 3)?;
    same("how many are left", erased.left.len(), 0)?;
    for (store, living, plain) in [(&one, 0, 0), (&other, 3, 2)] {
        same("the sessions", scene::ids(store, &Filter::all()).await?.len(), living)?;
        same("the documents", listed(store, "plain").await?.len(), plain)?;
        same("those that nobody named", listed(store, "kept").await?.len(), 1)?;
    }
    Ok(())
}

async fn nothing_is_erased(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    scene::session(&store, "a", &["one"]).await?;
    let erasure = Erasure::of(Scope::Space).confirmed_by("default");
    fails("erasing", store.erase(&erasure, false).await, ErrorKind::Unsupported)?;
    same("the ids", scene::ids(&store, &Filter::all()).await?, names(&["a"]))
}
