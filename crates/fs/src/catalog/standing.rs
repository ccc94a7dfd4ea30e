//! Two orders of recency as one.

use std::cmp::Reverse;
use std::sync::Arc;

use sessile_core::backend::Gist;

use super::orders::Place;
use super::packed::Packed;

/// A session where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Standing<'a> {
    /// One that the block alone tells of.
    Packed(&'a Packed, usize),
    /// One that is known by itself.
    Known(&'a Place),
}

impl Standing<'_> {
    /// Its place, and what is shown of it, if the block tells that.
    pub(crate) fn shown(&self) -> Option<(Place, Option<Arc<Gist>>)> {
        match self {
            Self::Packed(packed, at) => {
                let (updated_at, _) = packed.place(*at)?;
                let (id, gist) = packed.shown(*at)?;
                Some(((Reverse(updated_at), id), Some(gist)))
            }
            Self::Known(place) => Some(((*place).clone(), None)),
        }
    }
}

/// The sessions of a block, and those that are known by themselves, in the order of both.
pub(crate) fn merged<'a>(
    of: &'a Packed,
    packed: impl Iterator<Item = usize>,
    known: impl Iterator<Item = &'a Place>,
) -> impl Iterator<Item = Standing<'a>> {
    let (mut packed, mut known) = (packed.peekable(), known.peekable());
    std::iter::from_fn(move || {
        let is_packed_next = match (packed.peek().and_then(|at| of.place(*at)), known.peek()) {
            (Some((at, id)), Some((Reverse(known_at), known_id))) => {
                (Reverse(at), id) < (Reverse(*known_at), known_id.as_str())
            }
            (packed, _) => packed.is_some(),
        };
        if is_packed_next {
            packed.next().map(|at| Standing::Packed(of, at))
        } else {
            known.next().map(Standing::Known)
        }
    })
}
