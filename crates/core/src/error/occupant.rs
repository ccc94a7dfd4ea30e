//! Who stands in the way of a caller's request.

use serde::Serialize;

use crate::position::Seq;
use crate::text::Text;
use crate::time::UnixMillis;

/// Who holds a session: what a *busy* tells.
///
/// # Examples
/// ```
/// use sessile_core::error::Occupant;
/// use sessile_core::{Error, Seq, UnixMillis};
///
/// let occupant = Occupant::new("req-7", Seq::FIRST, UnixMillis(0));
/// let error = Error::busy(occupant);
/// assert_eq!(error.occupant().map(|occupant| &*occupant.request), Some("req-7"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Occupant {
    /// The id of the active request.
    pub request: Box<str>,
    /// Its claim: what a recovery must name.
    pub claim: Seq,
    /// When that was made, by its writer's clock.
    pub since: UnixMillis,
    /// A label of who made it, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<Text>,
}

impl Occupant {
    /// Whoever holds a request under a claim since a time, without a label.
    pub fn new(request: impl Into<Box<str>>, claim: Seq, since: UnixMillis) -> Self {
        Self { request: request.into(), claim, since, holder: None }
    }

    /// The same, with a label of who it is.
    #[must_use]
    pub fn labelled(mut self, holder: Option<Text>) -> Self {
        self.holder = holder;
        self
    }
}
