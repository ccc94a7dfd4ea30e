//! A session that a request holds whose owner has stopped.

use sessile::backend::{Backend as _, Expected};
use sessile::fs::FsBackend;
use sessile::prelude::*;
use sessile::{Admit, EntryType, Error, Limits, Payload, Seq, UnixMillis, Usage};
use sessile_core::digest::Token;
use sessile_core::{Commit, NewEntry, SessionKey, Space};

use crate::scene::Scene;

/// The claim that holds it.
pub(crate) const CLAIM: u64 = 2;

fn terms() -> Result<Contract, Error> {
    Contract::new().part("agent", "a-1")
}

/// Has a new session `id` of one message held by request `r1`, whose owner has stopped within its
/// turn: one call is done, one may have been, one waits for leave, and leave was given for one.
pub(crate) fn hold(scene: &Scene, id: &str) {
    on(scene, async |store| {
        let session = store.create_as(id, NewSession::new()).await?;
        session.append([serde_json::json!({"role": "user", "content": "before"})]).await?;
        let used = Usage::new().with("tokens", 900).with("calls", 2);
        let admit = Admit::new(&"r1".parse()?, "input", &terms()?).holder("worker 3").usage(used);
        let turn = session.admit_with(admit).await?.started()?;
        assert_eq!(turn.claim().number(), CLAIM);
        turn.push(&serde_json::json!({"role": "user", "content": "asked"})).await?;
        turn.push(&serde_json::json!({"role": "assistant", "content": "answering"})).await?;
        let Intent::Fresh(done) = turn.intend(Action::new("call-1", "mail", "1")).await? else {
            panic!("nobody intended it before")
        };
        done.complete("sent").await?;
        let _unknown = turn.intend(Action::new("call-2", "mail", "2")).await?;
        turn.ask("pay-3", &Action::new("call-3", "pay", "3")).await?;
        turn.ask("pay-4", &Action::new("call-4", "pay", "4")).await?;
        session.decide("pay-4", true, None).await?;
        Ok(())
    });
}

/// Has request `r1` hold a session and end with a result.
pub(crate) fn end(scene: &Scene, id: &str) {
    on(scene, async |store| {
        let session = store.open_or_create(id, NewSession::new()).await?;
        let turn = session.admit(&"r1".parse()?, "input", &terms()?).await?.started()?;
        turn.push("pushed").await?;
        turn.commit("done").await?;
        Ok(())
    });
}

/// Has a new session held by request `req-7` under claim 17, which waits for leave `pay-3`.
pub(crate) fn hold_at_17(scene: &Scene, id: &str) {
    on(scene, async |store| {
        let session = store.create_as(id, NewSession::new()).await?;
        session.append([0; 16]).await?;
        let turn = session.admit(&"req-7".parse()?, "input", &terms()?).await?.started()?;
        assert_eq!(turn.claim().number(), 17);
        turn.ask("pay-3", &Action::new("call-3", "pay", "3")).await?;
        Ok(())
    });
}

/// Has another request hold a session of another store of the scene.
pub(crate) fn hold_again(scene: &Scene, store: &str, id: &str) {
    let place = format!("file:{}", scene.folder().join(store).display());
    at(&place, async |store| {
        let session = store.open_session(id).await?;
        session.admit(&"r2".parse()?, "input", &terms()?).await?.started()?;
        Ok(())
    });
}

/// Sends the request again, as whoever has it would; answers its claim.
pub(crate) fn send_again(scene: &Scene, id: &str) -> u64 {
    let mut claim = 0;
    on(scene, async |store| {
        let session = store.open_session(id).await?;
        let turn = session.admit(&"r1".parse()?, "input", &terms()?).await?.started()?;
        claim = turn.claim().number();
        Ok(())
    });
    claim
}

/// Appends an entry that no handle of this version would.
pub(crate) fn write(scene: &Scene, id: &str, entry_type: EntryType, claim: u64, data: &str) {
    on(scene, async |_| {
        let folder = scene.folder().join("store");
        let backend = FsBackend::open(&folder, sessile::fs::Options::default()).await?;
        let key = SessionKey { space: Space::default(), id: id.parse()? };
        let entry = NewEntry::new(UnixMillis(1), entry_type, Payload::parse(data.to_owned())?);
        let entry = NewEntry { claim: Seq::new(claim), ..entry };
        let token = Token::from_random([7; 16]);
        let commit = Commit::new("other".parse()?, token, vec![entry], &Limits::default())?;
        let tip = backend.head(&key).await?.tip;
        backend.append(&key, Expected::At(tip), vec![commit]).await?;
        Ok(())
    });
}

/// Does something on the store of a scene, in this process.
fn on(scene: &Scene, work: impl AsyncFnOnce(&Store) -> Result<(), Error>) {
    at(&scene.store(), work);
}

/// Does something on the store of a place, in this process.
fn at(place: &str, work: impl AsyncFnOnce(&Store) -> Result<(), Error>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime
        .block_on(async {
            let store = Store::open(place.to_owned()).await?;
            work(&store).await?;
            store.close().await
        })
        .unwrap();
}
