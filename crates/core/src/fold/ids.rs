//! The ids of many commits and requests in little space: sorted runs of hashes and numbers.

use crate::digest::Digest;
use crate::id::{CommitId, RequestId};
use crate::position::Seq;

/// How many bytes of text an id takes: 15 bytes in base64.
const CHARACTERS: usize = 20;

/// How many bits of those the number takes.
const SEQ_BITS: u32 = 56;

/// The alphabet of base64.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The first 8 bytes of an id's SHA-256 as a number, high byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IdHash(u64);

impl IdHash {
    /// The hash of a commit's id.
    pub(super) fn of(id: &CommitId) -> Self {
        Self::of_text(id.as_str())
    }

    /// The hash of a request's id, which no commit's id has: none has a colon.
    pub(super) fn of_request(id: &RequestId) -> Self {
        Self::of_text(&format!("request:{id}"))
    }

    fn of_text(text: &str) -> Self {
        let digest = Digest::of(text.as_bytes());
        Self(digest.as_bytes().first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes)))
    }
}

/// Ids of commits and requests: a hash and the number of an entry of each, 16 bytes together.
///
/// Two ids may share a hash, so that only the entry's commit says whether it is the one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct IdRun(Vec<(IdHash, Seq)>);

impl IdRun {
    /// Sorts ids into a run.
    pub(super) fn of(ids: impl IntoIterator<Item = (IdHash, Seq)>) -> Self {
        let mut ids: Vec<_> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Self(ids)
    }

    /// How many ids it has.
    pub(super) fn len(&self) -> u64 {
        u64::try_from(self.0.len()).unwrap_or(u64::MAX)
    }

    /// All ids, by hash.
    pub(super) fn iter(&self) -> impl Iterator<Item = (IdHash, Seq)> {
        self.0.iter().copied()
    }

    /// The numbers of the entries whose ids have a hash, in order.
    pub(super) fn seqs(&self, hash: IdHash) -> impl DoubleEndedIterator<Item = Seq> {
        let first = self.0.partition_point(|(other, _)| *other < hash);
        let rest = self.0.get(first..).unwrap_or_default();
        let same = rest.partition_point(|(other, _)| *other == hash);
        rest.iter().take(same).map(|(_, seq)| *seq)
    }

    /// The run as text: for each id 8 bytes of hash and 7 of number, high byte first, in base64.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.0.len().saturating_mul(CHARACTERS));
        for (hash, seq) in &self.0 {
            let bits = u128::from(hash.0) << SEQ_BITS | u128::from(seq.number());
            text.extend(shifts().map(|shift| letter(bits >> shift)));
        }
        text
    }

    /// Reads what [`to_text`](Self::to_text) wrote; none for any other text.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let (ids, rest) = text.as_bytes().as_chunks::<CHARACTERS>();
        if !rest.is_empty() {
            return None;
        }
        let mut run = Vec::with_capacity(ids.len());
        for id in ids {
            let bits = id
                .iter()
                .try_fold(0_u128, |bits, letter| Some(bits << 6 | u128::from(value(*letter)?)))?;
            let hash = IdHash(u64::try_from(bits >> SEQ_BITS).ok()?);
            let number = u64::try_from(bits & ((1 << SEQ_BITS) - 1)).ok()?;
            run.push((hash, Seq::new(number)?));
        }
        run.is_sorted_by(|a, b| a < b).then_some(Self(run))
    }
}

/// How far each letter of an id stands from the low end of its bits.
fn shifts() -> impl Iterator<Item = usize> {
    (0..CHARACTERS).rev().map(|place| place * 6)
}

/// The letter of the lowest six bits.
fn letter(bits: u128) -> char {
    let index = usize::try_from(bits & 63).unwrap_or(0);
    ALPHABET.get(index).copied().map_or('A', char::from)
}

/// The six bits of a letter.
const fn value(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_id_is_hashed_and_written_as_the_formats_page_says() {
        let id: CommitId = "abc".parse().unwrap();
        let run = IdRun::of([(IdHash::of(&id), Seq::new(258).unwrap())]);
        // ba7816bf8f01cfea 00000000000102
        assert_eq!(run.to_text(), "ungWv48Bz+oAAAAAAAEC");
        let of_request = IdHash::of_request(&"abc".parse().unwrap());
        assert_eq!(of_request, IdHash::of_text("request:abc"));
        assert_ne!(of_request, IdHash::of(&id));
    }

    #[test]
    fn any_other_text_is_no_run() {
        let whole = "ungWv48Bz+oAAAAAAAEC";
        let doubled = whole.repeat(2);
        let beyond = "ungWv48Bz+r/////////";
        for text in ["ungWv48Bz+oAAAAAAAE", "!ngWv48Bz+oAAAAAAAEC", doubled.as_str(), beyond] {
            assert_eq!(IdRun::from_text(text), None, "{text}");
        }
        assert_eq!(IdRun::from_text(""), Some(IdRun::default()));
    }

    proptest! {
        #[test]
        fn a_run_comes_back_and_finds_its_own(
            ids in prop::collection::vec((0..9_u64, 0..1_u64 << 52), 0..50)
        ) {
            let pair = |(hash, seq): &(u64, u64)| (IdHash(*hash), Seq::new(*seq).unwrap());
            let run = IdRun::of(ids.iter().map(pair));
            prop_assert_eq!(IdRun::from_text(&run.to_text()), Some(run.clone()));
            for (hash, seq) in ids.iter().map(pair) {
                prop_assert!(run.seqs(hash).any(|found| found == seq));
            }
            prop_assert_eq!(run.seqs(IdHash(9)).count(), 0);
        }
    }
}
