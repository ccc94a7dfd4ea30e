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
use crate::piece::{self, Piece};

/// What a piece is to the chain.
#[derive(Debug)]
pub(crate) enum Link {
    /// It continues the chain, perhaps behind damage that it tells of.
    On(Piece),
    /// It does not, and is served to nobody.
    Off,
    /// It holds nothing of the journal: it tells of a removal.
    Nothing,
    /// The walk began in the middle, and with what can't be told to be on the chain.
    Astray,
}

/// Where a walk along the chain is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) salt: Salt,
    /// Where the chain ends so far; none where the walk began in the middle.
    pub(crate) before: Option<Tip>,
    /// Whether what it took is on the chain: its first piece is once the next one continues it.
    pub(crate) proven: bool,
    /// Whether what stands there is damaged, so that what continues it can't be told.
    pub(crate) damaged: bool,
    /// Whether an object was not there since then.
    pub(crate) gap: bool,
}

impl Walk {
    /// A walk from the first object of a journal on.
    pub(crate) const fn from_first(salt: Salt) -> Self {
        Self { salt, before: Some(Tip::ABSENT), proven: true, damaged: false, gap: false }
    }

    /// A walk whose first piece is taken as it is: the next one has to prove it.
    pub(crate) const fn from_the_middle(salt: Salt) -> Self {
        Self { salt, before: None, proven: false, damaged: false, gap: false }
    }

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
        if piece::is_notice(&bytes) {
            return Ok(Link::Nothing);
        }
        let piece = Piece::read(bytes.clone(), self.salt, None);
        if !self.proven {
            let fits = match self.before {
                None => piece.is_whole(),
                Some(before) => !self.gap && piece.follows(before) == Some(true),
            };
            if !fits {
                return Ok(Link::Astray);
            }
            self.proven = self.before.is_some();
        }
        // A damaged one is told as such.
        let parts = self.before.filter(|before| piece.follows(*before) == Some(false));
        if let Some(before) = parts.filter(|_| !self.gap) {
            let behind = self.behind(client, keys, number).await?;
            let passes = |tip| behind.as_ref().is_some_and(|it| it.follows(tip) == Some(true));
            // Where the commit before it is whole it takes a writer that went on behind this one
            // to make it more than a stranger. Where that is damaged this one may well follow it.
            if passes(before) || !self.damaged && !passes(piece.end) {
                return Ok(Link::Off);
            }
        }
        let piece = match self.before {
            Some(before) => Piece::read(bytes, self.salt, Some(before)),
            None => piece,
        };
        self.before = Some(piece.end);
        self.damaged = piece.damaged;
        self.gap = false;
        Ok(Link::On(piece))
    }

    /// The next object behind a number that is no notice; none where there is none.
    async fn behind(
        &self,
        client: &Client,
        keys: &SessionKeys,
        number: u64,
    ) -> Result<Option<Piece>, Error> {
        let mut next = number + 1;
        loop {
            match client.get(&keys.log(next)).await? {
                Some(object) if piece::is_notice(&object.bytes) => next += 1,
                object => return Ok(object.map(|it| Piece::read(it.bytes, self.salt, None))),
            }
        }
    }
}
