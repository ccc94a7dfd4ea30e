//! The chain: which objects continue a journal.
//!
//! Names only suggest an order. The journal is the chain of commits that name each other; an
//! object off the chain is served to nobody, and one that is missing is told of where a later one
//! proves it.

use bytes::Bytes;
use sessile_core::Error;
use sessile_core::commit::Tip;
use sessile_core::digest::Salt;

use crate::client::Client;
use crate::keys::SessionKeys;
use crate::piece::Piece;

/// What a piece is to the chain.
#[derive(Debug)]
pub(crate) enum Link {
    /// It continues the chain, perhaps behind damage that it tells of.
    On(Piece),
    /// It does not, and others do.
    Off,
}

/// Where a walk along the chain is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) salt: Salt,
    /// Where the chain ends so far; none where the walk began in the middle.
    pub(crate) before: Option<Tip>,
    /// Whether an object was not there since then.
    pub(crate) gap: bool,
}

impl Walk {
    /// Takes the next piece, which ends with an object of a number.
    ///
    /// # Errors
    /// Those of reading the object behind it, by which one off the chain is told apart.
    pub(crate) async fn take(
        &mut self,
        client: &Client,
        keys: &SessionKeys,
        (bytes, number): (Bytes, u64),
    ) -> Result<Link, Error> {
        let piece = Piece::read(bytes.clone(), self.salt, None);
        // A damaged one is told as such.
        let parts = self.before.filter(|before| piece.follows(*before) == Some(false));
        if let Some(before) = parts.filter(|_| !self.gap) {
            let behind = client.get(&keys.log(number + 1)).await?;
            let behind = behind.map(|object| Piece::read(object.bytes, self.salt, None));
            if behind.is_some_and(|behind| behind.follows(before) == Some(true)) {
                return Ok(Link::Off);
            }
        }
        let piece = match self.before {
            Some(before) => Piece::read(bytes, self.salt, Some(before)),
            None => piece,
        };
        self.before = Some(piece.end);
        self.gap = false;
        Ok(Link::On(piece))
    }
}
