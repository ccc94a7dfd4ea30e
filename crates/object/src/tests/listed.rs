//! Rows of a listing, and gists that they may show.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::UnixMillis;
use sessile_core::backend::{Backend as _, Gist, Head, Recent, Scope, Seen};
use sessile_core::commit::Tip;
use sessile_core::fold::Lifecycle;

use super::stage::{Stage, options};
use crate::backend::ObjectBackend;
use crate::options::Options;

/// The gist of a session that lives.
pub(super) fn gist(tip: Tip, title: &str) -> Arc<Gist> {
    Arc::new(Gist {
        tip,
        project: None,
        owner: None,
        parent: None,
        created_at: UnixMillis(1),
        updated_at: UnixMillis(1),
        title: Some(title.to_owned().into()),
        tags: Arc::new([]),
        lifecycle: Lifecycle::Active,
        damaged: false,
        incomplete: false,
        messages: 1,
        occupant: None,
    })
}

/// Notes nothing before it is closed, where time stands still, and is mostly killed before that.
pub(super) fn silent() -> Options {
    Options { catalog_lag: Duration::from_hours(1), ..options() }
}

/// The row of the session.
pub(super) async fn row(stage: &Stage, backend: &ObjectBackend) -> Recent {
    let rows = backend.recent(&stage.key.space, &Scope::ALL, None, 9).await.unwrap();
    let mut rows = rows.into_iter().filter(|row| row.recency.id == stage.key.id);
    let row = rows.next().unwrap();
    assert!(rows.next().is_none());
    row
}

/// The title that a fresh handle shows, if it shows a gist, and how many objects it asked for.
pub(super) async fn shown(stage: &Stage) -> (Option<String>, u64) {
    let fresh = stage.handle(options());
    // The marker is asked for once.
    fresh.spaces(None, 1).await.unwrap();
    let before = fresh.counts().gets;
    let seen = row(stage, &fresh).await.seen.unwrap();
    let asked = fresh.counts().gets - before;
    let head = stage.head(&stage.handle(options())).await;
    assert_eq!((seen.tip(), seen.is_deleted()), (head.tip, head.deleted));
    let title = match seen {
        Seen::Gist(gist) => gist.title.as_ref().map(ToString::to_string),
        Seen::Head(shown) => {
            // How many bytes it takes is not known better, to who saw it shrink, than when it grew.
            let Head { change, updated_at, header, .. } = *shown;
            assert_eq!((change, updated_at), (head.change, head.updated_at));
            assert_eq!(header, head.header);
            None
        }
    };
    (title, asked)
}

/// A session that its writer has let go of, with a gist or without.
pub(super) async fn let_go(title: Option<&str>) -> Stage {
    let (stage, backend) = Stage::with_messages(5).await;
    if let Some(title) = title {
        backend.note(&stage.key, gist(stage.tip().await, title));
    }
    backend.close().await.unwrap();
    stage
}

/// Whether anything in the catalog holds a text.
pub(super) async fn is_noted(stage: &Stage, text: &str) -> bool {
    let notes = stage.notes().await;
    notes.values().any(|says| String::from_utf8_lossy(says).contains(text))
}
