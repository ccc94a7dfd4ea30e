use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::commit::{Commit, Tip};
use crate::digest::{Salt, Token};
use crate::entry::{EntryType, NewEntry};
use crate::limits::Limits;
use crate::line::encode_commit;
use crate::payload::Payload;
use crate::position::Position;
use crate::time::UnixMillis;

const SALT: Salt = Salt::from_random([0, 1, 2, 3]);

/// A journal of commits with so many entries each, every one written after the one before it was
/// synced; answers its bytes and where each commit ends.
fn journal(sizes: &[usize]) -> (Vec<u8>, Vec<(usize, Tip)>) {
    let mut bytes = Vec::new();
    let mut tip = Tip::ABSENT;
    let mut ends = Vec::new();
    for (number, entries) in sizes.iter().enumerate() {
        let token = Token::from_random([u8::try_from(number).unwrap() + 1; 16]);
        let message = |i: usize| {
            let data = Payload::of(&format!("é {{\"seq\":{i} \u{1F600}")).unwrap();
            NewEntry::new(UnixMillis(1), EntryType::Message, data)
        };
        let entries = (0..*entries).map(message).collect();
        let id = format!("c{number}").parse().unwrap();
        let commit = Commit::new(id, token, entries, &Limits::default()).unwrap();
        let stored = commit.stored_at(tip, tip.position).unwrap();
        encode_commit(&mut bytes, &stored, SALT);
        tip = stored.tip();
        ends.push((bytes.len(), tip));
    }
    (bytes, ends)
}

fn scan(bytes: &[u8], piece: usize) -> (Vec<Found>, Extent) {
    let mut scanner = Scanner::from_start(SALT);
    let mut found = Vec::new();
    for piece in bytes.chunks(piece.max(1)) {
        scanner.feed(Bytes::copy_from_slice(piece), &mut found);
    }
    scanner.finish(&mut found);
    let extent = Extent::of(&scanner, &found, Tip::ABSENT, 0);
    (found, extent)
}

fn commits(found: &[Found]) -> Vec<u64> {
    let number = |found: &Found| match found {
        Found::Commit(placed) => Some(placed.commit.first_seq().number()),
        Found::Failure(_) => None,
    };
    found.iter().filter_map(number).collect()
}

#[test]
fn a_sound_journal_is_read_whole_in_pieces_of_any_size() {
    let (bytes, ends) = journal(&[1, 3, 1]);
    for piece in [1, 7, 64, bytes.len()] {
        let (found, extent) = scan(&bytes, piece);
        assert_eq!(commits(&found), [0, 1, 4]);
        assert_eq!(extent.tip, ends[2].1);
        assert_eq!(extent.end, u64::try_from(bytes.len()).unwrap());
        assert!(extent.terminated && extent.tail.is_none() && extent.damage.is_empty());
    }
}

#[test]
fn a_cut_at_any_byte_loses_no_whole_commit_and_keeps_no_half_one() {
    let (bytes, ends) = journal(&[1, 2, 3]);
    for cut in ends[0].0..=bytes.len() {
        let (found, extent) = scan(&bytes[..cut], 50);
        // The last byte of a commit is its LF, without which it is whole all the same.
        let whole = ends.iter().rev().find(|(end, _)| cut + 1 >= *end).unwrap();
        assert_eq!(extent.tip, whole.1, "cut at {cut}");
        assert_eq!(extent.tail.is_some(), cut > whole.0, "cut at {cut}");
        assert_eq!(extent.terminated, cut >= whole.0, "cut at {cut}");
        assert!(extent.damage.is_empty());
        assert!(commits(&found).iter().all(|first| *first < whole.1.position.number()));
    }
}

#[test]
fn a_bad_line_that_a_later_commit_covers_is_damage_and_reading_goes_on_after_it() {
    let (mut bytes, ends) = journal(&[1, 1, 2, 1, 1]);
    bytes[ends[1].0 + 30] ^= 1;
    let (found, extent) = scan(&bytes, 64);
    assert_eq!(commits(&found), [0, 1, 4, 5]);
    assert_eq!(extent.tip, ends[4].1);
    assert_eq!(extent.tail, None);
    let [damage] = extent.damage[..] else { panic!("one failure: {:?}", extent.damage) };
    assert_eq!((damage.seq.number(), damage.position.number()), (2, 2));
    assert_eq!(damage.offset, u64::try_from(ends[1].0).unwrap());
}

#[test]
fn a_lost_commit_without_a_bad_line_is_noticed_by_the_chain() {
    let (mut bytes, ends) = journal(&[1, 1, 1, 1]);
    bytes[ends[0].0..ends[1].0].fill(b'\n');
    let (found, extent) = scan(&bytes, 64);
    assert_eq!(commits(&found), [0, 2, 3]);
    assert_eq!(extent.damage.len(), 1);
    assert_eq!(extent.damage[0].reason, Reason::CommitMissing);
    assert_eq!(extent.damage[0].seq.number(), 1);
}

#[test]
fn what_no_later_commit_covers_is_the_tail_with_all_after_it() {
    // Two commits written in one go: the second does not know that the first is durable.
    let (first, _) = journal(&[1]);
    let mut bytes = first.clone();
    let mut tip =
        Tip { position: Position::new(1).unwrap(), token: Some(Token::from_random([1; 16])) };
    for number in 2..=3 {
        let token = Token::from_random([number; 16]);
        let entry = NewEntry::new(UnixMillis(1), EntryType::Event, Payload::of(&number).unwrap());
        let id = format!("c{number}").parse().unwrap();
        let commit = Commit::new(id, token, vec![entry], &Limits::default()).unwrap();
        let synced = Position::new(1).unwrap();
        let stored = commit.stored_at(tip, synced).unwrap();
        encode_commit(&mut bytes, &stored, SALT);
        tip = stored.tip();
    }
    bytes[first.len() + 3] = 0;
    let (_, extent) = scan(&bytes, 64);
    assert_eq!(extent.tip.position.number(), 1);
    assert_eq!(extent.end, u64::try_from(first.len()).unwrap());
    assert_eq!(extent.tail.unwrap().from, u64::try_from(first.len()).unwrap());
    assert!(extent.damage.is_empty());
}

#[test]
fn damage_that_reaches_the_end_stays_in_place_and_its_numbers_are_not_given_again() {
    let (mut bytes, ends) = journal(&[1, 2, 3]);
    // The end of the second commit and the beginning of the third; its last line stays whole.
    let from = ends[1].0 - 20;
    bytes[from..ends[1].0 + 20].fill(0);
    let (found, extent) = scan(&bytes, 64);
    assert_eq!(commits(&found), [0]);
    assert_eq!(extent.tail, None);
    assert_eq!(extent.damage.len(), 1);
    assert_eq!(extent.damage[0].seq.number(), 2);
    assert_eq!(extent.tip.position.number(), 6);
    assert_eq!(extent.tip.token, ends[0].1.token);
    assert_eq!(extent.end, u64::try_from(bytes.len()).unwrap());
}

#[test]
fn a_flipped_line_end_hides_only_the_line_before_it() {
    let (mut bytes, ends) = journal(&[1, 1, 1, 1]);
    bytes[ends[1].0 - 1] = b'x';
    let (found, extent) = scan(&bytes, 64);
    assert_eq!(commits(&found), [0, 2, 3]);
    assert_eq!(extent.damage.len(), 1);
}

#[test]
fn lines_of_a_given_up_attempt_do_not_hide_the_next_commit() {
    let (bytes, ends) = journal(&[1, 3]);
    let half = bytes[ends[0].0..].iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let mut twice = bytes[..ends[0].0 + half].to_vec();
    twice.extend_from_slice(&bytes[ends[0].0..]);
    let (found, extent) = scan(&twice, 64);
    assert_eq!(commits(&found), [0, 1]);
    assert_eq!(extent.tail.unwrap().reason, Reason::NotClosed);
}

#[test]
fn crlf_and_blank_lines_are_read_over() {
    let (bytes, ends) = journal(&[1, 2]);
    let text = String::from_utf8(bytes).unwrap().replace('\n', "\r\n\n\n");
    let (found, extent) = scan(text.as_bytes(), 64);
    assert_eq!(commits(&found), [0, 1]);
    assert_eq!(extent.tip, ends[1].1);
    assert_eq!(extent.tail, None);
}

proptest! {
    /// Whatever happens to the bytes, what is served is a run of the commits that were written.
    #[test]
    fn damage_never_makes_a_commit_that_was_not_written(
        sizes in proptest::collection::vec(1_usize..4, 1..8),
        flips in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..4),
        zeros in any::<(usize, u8)>(),
        piece in 1_usize..200,
    ) {
        let (bytes, _) = journal(&sizes);
        let (sound, _) = scan(&bytes, 64);
        let mut damaged = bytes;
        let length = damaged.len();
        for (at, to) in flips {
            damaged[at % length] = to;
        }
        let from = zeros.0 % length;
        let to = (from + usize::from(zeros.1)).min(length);
        damaged[from..to].fill(0);
        let (found, _) = scan(&damaged, piece);
        let written: Vec<_> = sound.iter().filter_map(|found| match found {
            Found::Commit(placed) => Some(placed.commit.clone()),
            Found::Failure(_) => None,
        }).collect();
        for found in &found {
            if let Found::Commit(placed) = found {
                prop_assert!(written.contains(&placed.commit));
            }
        }
    }
}

/// A journal whose second commit begins with a state; answers its bytes and where lines end.
fn journal_with_state(synced: u64) -> (Vec<u8>, Vec<usize>) {
    let entry = |name: &str, data: &str| {
        let data = Payload::parse(data.to_owned()).unwrap();
        NewEntry::new(UnixMillis(1), EntryType::from_name(name), data)
    };
    let commits = [
        vec![entry("message", "1")],
        vec![entry("state", "{}"), entry("message", "2"), entry("message", "3")],
        vec![entry("message", "4")],
    ];
    let (mut bytes, mut tip) = (Vec::new(), Tip::ABSENT);
    for (number, entries) in (1..).zip(commits) {
        let id = format!("c{number}").parse().unwrap();
        let token = Token::from_random([number; 16]);
        let commit = Commit::new(id, token, entries, &Limits::default()).unwrap();
        let stored = commit.stored_at(tip, Position::new(synced).unwrap()).unwrap();
        encode_commit(&mut bytes, &stored, SALT);
        tip = stored.tip();
    }
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let ends = ends.map(|(at, _)| at + 1).collect();
    (bytes, ends)
}

#[test]
fn a_bad_line_in_the_place_of_a_state_is_passed_over() {
    for synced in [0, 4] {
        let (bytes, ends) = journal_with_state(synced);
        for at in ends[0]..ends[1] {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x41;
            let (found, extent) = scan(&bytes, 50);
            assert_eq!(extent.tip.position.number(), 5, "byte {at}");
            assert!(extent.damage.is_empty() && extent.tail.is_none(), "byte {at}");
            let Found::Commit(placed) = &found[1] else { panic!("byte {at}") };
            assert_eq!(placed.commit.state.unwrap().number(), 1);
            assert_eq!(placed.commit.first_seq().number(), 2);
            assert_eq!(placed.offset, u64::try_from(ends[0]).unwrap());
        }
    }
}

#[test]
fn any_other_bad_line_of_its_commit_is_not() {
    let (bytes, ends) = journal_with_state(4);
    for at in ends[1]..ends[3] - 1 {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x41;
        let (_, extent) = scan(&bytes, 50);
        assert!(!extent.damage.is_empty(), "byte {at}");
    }
    // Also beside the state.
    let mut both = bytes;
    both[ends[0] + 9] ^= 1;
    both[ends[1] + 9] ^= 1;
    assert!(!scan(&both, 50).1.damage.is_empty());
    // Nor is one in the place of a state that the closing line does not name, or of another chain.
    let (plain, _) = journal(&[1, 2, 1]);
    let first = plain.iter().position(|byte| *byte == b'\n').unwrap();
    let mut bad = plain;
    bad[first + 9] ^= 1;
    assert!(!scan(&bad, 50).1.damage.is_empty());
}
