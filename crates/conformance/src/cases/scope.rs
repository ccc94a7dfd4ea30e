//! Listing within a scope.

use std::sync::Arc;

use sessile_core::backend::{Recency, Scope};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::Header;
use sessile_core::{
    Backend, EntryType, NewEntry, Payload, SessionId, SessionKey, Space, Tip, UnixMillis,
};

use crate::case::Case;
use crate::failed::{Failed, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new("scope/holds_what_the_headers_say_and_no_other", &["ScopesAreKept"], |place| {
        Box::pin(holds_what_the_headers_say(place))
    }),
    Case::new("scope/is_paged_through_among_others", &["ScopesAreKept"], |place| {
        Box::pin(is_paged_through_among_others(place))
    }),
    Case::new("scope/a_new_session_is_never_missing", &["ScopesAreKept"], |place| {
        Box::pin(a_new_session_is_never_missing(place))
    }),
];

/// Whose a session is.
#[derive(Clone, Copy, Default)]
struct Of {
    project: Option<&'static str>,
    owner: Option<&'static str>,
    parent: Option<&'static str>,
}

impl Of {
    fn scope(self) -> Result<Scope, Failed> {
        Ok(Scope {
            project: self.project.map(str::parse).transpose()?,
            owner: self.owner.map(|owner| Digest::of(owner.as_bytes())),
            parent: self.parent.map(str::parse).transpose()?,
        })
    }

    async fn create(
        self,
        backend: &Arc<dyn Backend>,
        key: &SessionKey,
        at: u64,
    ) -> Result<Writer, Failed> {
        let Scope { project, owner, parent } = self.scope()?;
        let plain: Header = sample::header_at(UnixMillis(at), key)?.data.decode()?;
        let header = Header { project, owner, parent_id: parent, ..plain };
        let header = NewEntry::new(UnixMillis(at), EntryType::Session, Payload::of(&header)?);
        let mut writer = Writer::at(backend, key, Tip::ABSENT);
        writer.append(&sample::commit(vec![header])?).await?;
        Ok(writer)
    }
}

/// The ids that a scope has, by pages of a size.
async fn listed(
    backend: &dyn Backend,
    scope: &Scope,
    limit: usize,
) -> Result<Vec<SessionId>, Failed> {
    let mut ids = Vec::new();
    let mut after: Option<Recency> = None;
    loop {
        let page = backend.recent(&Space::default(), scope, after.as_ref(), limit).await?;
        let Some(last) = page.last() else { return Ok(ids) };
        after = Some(last.recency.clone());
        ids.extend(page.into_iter().map(|row| row.recency.id));
    }
}

async fn holds_what_the_headers_say(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let sessions = [
        ("a", Of::default()),
        ("b", Of { project: Some("shop"), ..Of::default() }),
        ("c", Of { owner: Some("alice"), ..Of::default() }),
        ("d", Of { project: Some("shop"), owner: Some("alice"), ..Of::default() }),
        ("e", Of { project: Some("shop"), owner: Some("bob"), parent: Some("d") }),
        ("f", Of { project: Some("Shop"), owner: Some("Alice"), parent: Some("D") }),
    ];
    for ((id, of), at) in sessions.into_iter().zip((1_000..).step_by(100)) {
        let mut writer = of.create(&backend, &sample::key(id)?, at).await?;
        if id == "c" {
            // What is deleted is still somebody's.
            writer.remove().await?;
        }
    }
    for handle in [&backend, &place.handle().await?] {
        tokio::time::sleep(handle.capabilities().recency_lag()).await;
        for (of, expected) in [
            (Of::default(), &["c", "f", "e", "d", "b", "a"][..]),
            (Of { project: Some("shop"), ..Of::default() }, &["e", "d", "b"]),
            (Of { owner: Some("alice"), ..Of::default() }, &["c", "d"]),
            (Of { parent: Some("d"), ..Of::default() }, &["e"]),
            (Of { project: Some("shop"), owner: Some("alice"), ..Of::default() }, &["d"]),
            (Of { project: Some("shop"), owner: Some("carol"), ..Of::default() }, &[]),
        ] {
            for limit in [1, 2, 100] {
                let ids = listed(&**handle, &of.scope()?, limit).await?;
                let ids: Vec<&str> = ids.iter().map(SessionId::as_str).collect();
                same(&format!("by pages of {limit}, a scope"), ids, expected.to_vec())?;
            }
        }
    }
    Ok(())
}

async fn is_paged_through_among_others(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut own = Vec::new();
    for (number, id) in sample::ids(24)?.into_iter().enumerate() {
        let owner = if number % 5 == 2 { "alice" } else { "bob" };
        let of = Of { owner: Some(owner), ..Of::default() };
        let at = 9_000 - u64::try_from(number)?;
        of.create(&backend, &sample::key(id.as_str())?, at).await?;
        if owner == "alice" {
            own.push(id);
        }
    }
    tokio::time::sleep(backend.capabilities().recency_lag()).await;
    let scope = Of { owner: Some("alice"), ..Of::default() }.scope()?;
    for limit in [1, 2, 5, 100] {
        let ids = listed(&*place.handle().await?, &scope, limit).await?;
        same(&format!("one owner's by pages of {limit}"), &ids, &own)?;
    }
    Ok(())
}

async fn a_new_session_is_never_missing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (backend, reader) = (place.handle().await?, place.handle().await?);
    let of = Of { project: Some("shop"), ..Of::default() };
    let mut created = Vec::new();
    for id in sample::ids(8)? {
        let key = sample::key(id.as_str())?;
        of.create(&backend, &key, sample::NOW.millis()).await?;
        created.push(id);
        let mut ids = listed(&*reader, &of.scope()?, 100).await?;
        ids.sort();
        same("the sessions of the project", &ids, &created)?;
        let all = look::recent_ids(&*reader, &Space::default(), 100).await?;
        same("how many there are in all", all.len(), created.len())?;
    }
    Ok(())
}
