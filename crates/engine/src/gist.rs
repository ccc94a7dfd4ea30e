//! What a listing shows of a session that was folded.

use sessile_core::backend::Gist;
use sessile_core::fold::{Active, Lifecycle};
use sessile_core::{EntryType, ErrorKind};

use crate::folded::Folded;

/// The gist of a session at the tip that it was folded up to.
///
/// There is none of a session of which more has to be known before it may be removed: that it is
/// held under a claim that can't be read, or that only a newer version may end it.
pub(crate) fn of(folded: &Folded) -> Option<Gist> {
    let state = folded.state();
    let admission = state.admission();
    let is_held_unreadably = admission.claim().is_some() && admission.active().is_none();
    let is_of_newer = state.lifecycle() != Lifecycle::Deleted
        && state
            .accepts(&EntryType::Delete)
            .is_err_and(|error| error.kind() == ErrorKind::Unsupported);
    if is_held_unreadably || is_of_newer {
        return None;
    }
    let header = state.header();
    Some(Gist {
        tip: state.tip(),
        project: header.project.clone(),
        owner: header.owner,
        parent: header.parent_id.clone(),
        created_at: header.created_at,
        updated_at: state.updated_at(),
        title: state.meta().title().map(Into::into),
        tags: state.meta().tags().into(),
        lifecycle: state.lifecycle(),
        damaged: !state.damage().is_empty(),
        incomplete: state.is_incomplete(),
        messages: state.messages(),
        occupant: admission.active().map(Active::occupant),
    })
}
