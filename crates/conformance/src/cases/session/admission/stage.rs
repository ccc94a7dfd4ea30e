//! Requests as the cases send them, and what is seen of them.

use std::sync::Arc;

use sessile_core::admission::Recovery;
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{Claim, Contract, Outcome};
use sessile_core::fold::Active;
use sessile_core::{
    Backend, Entry, EntryType, Error, ErrorKind, RequestId, Seq, SessionKey, Usage,
};
use sessile_engine::{Admission, Admit, Done, From, Session, Turn};

use crate::cases::session::scene;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::look::{self, Seen};

/// What most requests are asked.
pub(super) const INPUT: &str = r#"{"do":"this","n":1}"#;

/// The digest of that.
pub(super) fn digest() -> Digest {
    Digest::of(INPUT.as_bytes())
}

pub(super) fn request(id: &str) -> Result<RequestId, Error> {
    id.parse()
}

/// The terms of most requests.
pub(super) fn terms() -> Result<Contract, Error> {
    Contract::new().part("agent", "shop-7")?.part("tools", &["search", "buy"])
}

/// A request as most are.
pub(super) fn asking(id: &str) -> Result<Admit, Error> {
    Ok(Admit::new(&request(id)?, INPUT, &terms()?))
}

/// Sends a request.
pub(super) async fn send(session: &Session, id: &str) -> Result<Admission, Error> {
    session.admit_with(asking(id)?).await
}

/// Sends a request that holds the session then.
pub(super) async fn begin(session: &Session, id: &str) -> Result<Turn, Failed> {
    Ok(send(session, id).await?.started()?)
}

/// Sends a request that ended before; answers how.
pub(super) async fn told(session: &Session, id: &str) -> Result<Done, Failed> {
    replayed(&format!("request {id}"), send(session, id).await?)
}

/// How a request ended, of which that is to be told and nothing to be done.
pub(super) fn replayed(what: &str, admission: Admission) -> Result<Done, Failed> {
    match admission {
        Admission::Replay(done) => {
            ensure!(done.replayed, "{what}: what was told again says so");
            Ok(done)
        }
        Admission::Started(turn) => {
            let claim = turn.claim();
            Err(Failed::new(format!("{what}: it ended, and is done again under claim {claim}")))
        }
    }
}

/// The request that holds a session, read anew.
pub(super) async fn active(session: &Session) -> Result<Active, Failed> {
    let active = session.refresh().await?.active;
    active.ok_or_else(|| Failed::new("no request is active"))
}

/// Fails if a request holds a session, read anew.
pub(super) async fn is_idle(session: &Session) -> Result<(), Failed> {
    let active = session.refresh().await?.active;
    same("the request that is active", active.map(|it| it.request.to_string()), None)
}

/// Recovers the request that holds a session, as the one who sent it would.
pub(super) async fn recover(session: &Session, recovery: Recovery) -> Result<Turn, Failed> {
    let active = active(session).await?;
    let usage = active.usage.clone();
    Ok(session.recover(&active, INPUT, &terms()?, recovery, &usage).await?.started()?)
}

/// Recovers it with this usage, without asking what holds the session.
pub(super) async fn recover_at(
    session: &Session,
    active: &Active,
    recovery: Recovery,
    usage: Usage,
) -> Result<Admission, Error> {
    session.recover(active, INPUT, &terms()?, recovery, &usage).await
}

/// Fails unless an answer is *busy* by this claim of a request.
pub(super) fn is_busy<T>(
    what: &str,
    answer: Result<T, Error>,
    id: &str,
    claim: Seq,
) -> Result<(), Failed> {
    let error = fails(what, answer, ErrorKind::Busy)?;
    let told = error.occupant().map(|it| (it.request.to_string(), it.claim));
    same(&format!("{what}: who holds it"), told, Some((id.to_owned(), claim)))
}

/// A session on a handle of its own, as another process would open it.
pub(super) async fn reopened(place: &dyn Place, id: &str) -> Result<Session, Failed> {
    Ok(scene::store(place).await?.open_session(id).await?)
}

/// A session without messages, and another process that has it open.
pub(super) async fn pair(place: &dyn Place, texts: &[&str]) -> Result<[Session; 2], Failed> {
    let session = scene::session(&scene::store(place).await?, "s1", texts).await?;
    Ok([session, reopened(place, "s1").await?])
}

/// The entries of a type.
pub(super) async fn of_type(session: &Session, kind: &EntryType) -> Result<Vec<Entry>, Failed> {
    let mut entries = session.entries(From::start()).await?.all().await?;
    entries.retain(|entry| entry.entry_type == *kind);
    Ok(entries)
}

/// Every claim with its number.
pub(super) async fn claims(session: &Session) -> Result<Vec<(Seq, Claim)>, Failed> {
    let entries = of_type(session, &EntryType::Claim).await?;
    entries.into_iter().map(|it| Ok((it.seq, it.data.decode()?))).collect()
}

/// Every outcome with its number.
pub(super) async fn outcomes(session: &Session) -> Result<Vec<(Seq, Outcome)>, Failed> {
    let entries = of_type(session, &EntryType::Outcome).await?;
    entries.into_iter().map(|it| Ok((it.seq, it.data.decode()?))).collect()
}

/// A journal as it was, seen past the engine.
pub(super) struct Before {
    backend: Arc<dyn Backend>,
    key: SessionKey,
    seen: Seen,
}

impl Before {
    /// Looks at the journal of a session.
    pub(super) async fn of(place: &dyn Place, session: &Session) -> Result<Self, Failed> {
        let backend = place.handle().await?;
        let key = SessionKey { space: session.space().clone(), id: session.id().clone() };
        let seen = look::seen(&*backend, &key).await?;
        Ok(Self { backend, key, seen })
    }

    /// Fails unless the journal is what it was.
    pub(super) async fn stays(&self) -> Result<(), Failed> {
        look::unchanged(&*self.backend, &self.key, &self.seen).await
    }
}
