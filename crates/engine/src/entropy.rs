//! The one door of randomness, and the ids that are minted from it.

use std::cell::RefCell;
use std::fmt;
use std::time::SystemTime;

use sessile_core::digest::{Salt, Token};
use sessile_core::{CommitId, Error, Revision, SessionId, UnixMillis};
use uuid::{Builder, Uuid};

/// Draws what nobody can guess and nobody draws twice.
///
/// A source that repeats itself breaks what rests on tokens: an append that is not its own would
/// be taken for its own.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use sessile_core::CommitId;
/// use sessile_core::digest::Digest;
/// use sessile_engine::{Entropy, Options, Store};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// /// Numbers in a row: tests see the same ids each time.
/// #[derive(Debug, Default)]
/// struct Counted(AtomicU64);
///
/// impl Entropy for Counted {
///     fn draw(&self) -> [u8; 16] {
///         let number = self.0.fetch_add(1, Ordering::Relaxed);
///         // Every bit counts: some are fixed in an id.
///         Digest::of(&number.to_be_bytes()).as_bytes()[..16].try_into().expect("16 of 32")
///     }
/// }
///
/// let minted = async || {
///     let options = Options::default().entropy(Arc::new(Counted::default()));
///     let store = Store::with(Arc::new(MemoryBackend::new()), options);
///     store.mint_commit_id()
/// };
/// let number = |id: CommitId| id.as_str().rsplit('-').next().map(str::to_owned);
/// assert_eq!(number(minted().await?), number(minted().await?));
/// # Ok(())
/// # }
/// ```
pub trait Entropy: fmt::Debug + Send + Sync {
    /// Sixteen random bytes.
    fn draw(&self) -> [u8; 16];
}

/// The randomness of the operating system, which is asked for a block of it now and then.
///
/// A process that was copied by `fork` has the same block as its origin: what it draws is told apart
/// by when it draws it.
///
/// # Examples
/// ```
/// use sessile_engine::Entropy as _;
/// use sessile_engine::SystemEntropy;
///
/// assert_ne!(SystemEntropy.draw(), SystemEntropy.draw());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

/// How many bytes the system is asked for at once, each thread for itself.
const BLOCK: usize = 1_024;

/// Randomness that was not drawn yet.
struct Block {
    bytes: [u8; BLOCK],
    /// How much of it was drawn; what was is wiped.
    drawn: usize,
}

thread_local! {
    static DRAWN: RefCell<Block> = const { RefCell::new(Block { bytes: [0; BLOCK], drawn: BLOCK }) };
}

impl Block {
    fn draw(&mut self) -> [u8; 16] {
        if self.drawn >= BLOCK {
            self.bytes = fresh();
            self.drawn = 0;
        }
        let mut drawn = [0; 16];
        let block = self.bytes.iter_mut().skip(self.drawn);
        drawn.iter_mut().zip(block).for_each(|(to, from)| *to = std::mem::take(from));
        self.drawn += drawn.len();
        drawn
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the door")]
fn fresh() -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    if getrandom::fill(&mut block).is_err() {
        // A system that has no randomness is one on which nothing can be minted: this panics then.
        for chunk in block.as_chunks_mut::<16>().0 {
            // Six bits of such an id are fixed; none is fixed in both of these at the same place.
            let (one, other) = (Uuid::new_v4().as_u128(), Uuid::new_v4().as_u128());
            *chunk = (one ^ other.rotate_left(64)).to_be_bytes();
        }
    }
    block
}

impl Entropy for SystemEntropy {
    #[expect(clippy::disallowed_methods, reason = "this is the door, and the time no entry's")]
    fn draw(&self) -> [u8; 16] {
        let drawn = DRAWN.with_borrow_mut(Block::draw);
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        (u128::from_be_bytes(drawn) ^ since.as_nanos()).to_be_bytes()
    }
}

/// The token of an attempt to append.
pub(crate) fn token(entropy: &dyn Entropy) -> Token {
    Token::from_random(entropy.draw())
}

/// The revision of a document that is about to be put.
pub(crate) fn revision(entropy: &dyn Entropy) -> Revision {
    Revision::new(token(entropy))
}

/// The salt of a new journal.
pub(crate) fn salt(entropy: &dyn Entropy) -> Salt {
    let [a, b, c, d, ..] = entropy.draw();
    Salt::from_random([a, b, c, d])
}

/// The id of a session that its caller gives none.
pub(crate) fn session_id(entropy: &dyn Entropy, now: UnixMillis) -> Result<SessionId, Error> {
    format!("ses_{}", time_ordered(entropy, now)).parse()
}

/// The id of a commit that its caller gives none.
pub(crate) fn commit_id(entropy: &dyn Entropy, now: UnixMillis) -> Result<CommitId, Error> {
    time_ordered(entropy, now).to_string().parse()
}

/// A number from 0 to below a bound, for waits that are not to fall together.
pub(crate) fn below(entropy: &dyn Entropy, bound: u64) -> u64 {
    let drawn = u128::from_be_bytes(entropy.draw()) % u128::from(bound.max(1));
    u64::try_from(drawn).unwrap_or(0)
}

/// A `UUIDv7`: ids of later times sort after those of earlier ones.
fn time_ordered(entropy: &dyn Entropy, now: UnixMillis) -> Uuid {
    let mut random = [0; 10];
    random.iter_mut().zip(entropy.draw()).for_each(|(to, from)| *to = from);
    Builder::from_unix_timestamp_millis(now.millis(), &random).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Fixed;

    impl Entropy for Fixed {
        fn draw(&self) -> [u8; 16] {
            [0xff; 16]
        }
    }

    #[test]
    fn minted_ids_are_ids_and_begin_with_their_time() {
        let now = UnixMillis(0x0199_0000_0000);
        let session = session_id(&Fixed, now).unwrap();
        assert_eq!(session.as_str(), "ses_01990000-0000-7fff-bfff-ffffffffffff");
        assert_eq!(
            commit_id(&Fixed, now).unwrap().as_str(),
            "01990000-0000-7fff-bfff-ffffffffffff"
        );
    }

    #[test]
    fn what_was_drawn_is_wiped() {
        let mut block = Block { bytes: [7; BLOCK], drawn: 0 };
        assert_eq!((block.draw(), block.draw()), ([7; 16], [7; 16]));
        assert_eq!((&block.bytes[..32], block.bytes[32]), ([0; 32].as_slice(), 7));
    }

    #[test]
    fn every_bit_is_drawn_and_no_draw_repeats() {
        let draws: Vec<u128> =
            (0..1_000).map(|_| u128::from_be_bytes(SystemEntropy.draw())).collect();
        assert_eq!(draws.iter().fold(0, |seen, draw| seen | draw), u128::MAX);
        assert_eq!(draws.iter().fold(u128::MAX, |seen, draw| seen & draw), 0);
        let distinct: std::collections::HashSet<_> = draws.iter().collect();
        assert_eq!(distinct.len(), draws.len());
    }
}
