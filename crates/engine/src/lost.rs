//! Telling of what a fork could not take over, where a read comes across it.
//!
//! It is told in the place where the session that was forked tells of its damage, so that whoever
//! reads need not care whose damage it is.

use std::collections::VecDeque;

use futures_util::{StreamExt as _, stream};
use sessile_core::backend::{Commits, Span};
use sessile_core::entry::shape::Lost;
use sessile_core::{Error, Position, Seq, StoredCommit};

/// Commits of a span of a journal that ends at a position, with an error in place of those that
/// were lost.
pub(crate) fn told(commits: Commits, span: Span, end: Position, lost: &[Lost]) -> Commits {
    let until = match span {
        Span::From(_) => end,
        Span::Back { before, .. } => before,
    };
    let covered = |lost: &&Lost| match span {
        Span::From(seq) => lost.to >= seq,
        Span::Back { .. } => true,
    };
    let in_reach = |lost: &&Lost| lost.from.number() < until.number();
    let pending: VecDeque<Lost> = lost.iter().filter(covered).filter(in_reach).copied().collect();
    if pending.is_empty() {
        return commits;
    }
    // What stands before the first commit of a stretch that is read back is of the next one.
    let reaches_back = matches!(span, Span::Back { .. });
    let telling = Telling { commits: commits.fuse().boxed(), pending, held: None, reaches_back };
    Box::pin(stream::unfold(telling, |mut telling| async move {
        let item = telling.next().await?;
        Some((item, telling))
    }))
}

/// Commits, and what of them was lost and is to be told.
struct Telling {
    commits: Commits,
    pending: VecDeque<Lost>,
    /// A commit that stands behind what is told first.
    held: Option<StoredCommit>,
    reaches_back: bool,
}

impl Telling {
    async fn next(&mut self) -> Option<Result<StoredCommit, Error>> {
        if self.held.is_none() {
            match self.commits.next().await {
                Some(Ok(commit)) => self.held = Some(commit),
                Some(Err(error)) => return Some(Err(error)),
                None => {}
            }
        }
        let first = self.held.as_ref().map(StoredCommit::first_seq);
        if std::mem::take(&mut self.reaches_back) {
            self.pending.retain(|lost| first.is_some_and(|first| lost.to > first));
        }
        let is_before = |lost: &mut Lost| first.is_none_or(|first: Seq| lost.from < first);
        match self.pending.pop_front_if(is_before) {
            Some(lost) => Some(Err(Error::lost(lost.from, lost.to))),
            None => self.held.take().map(Ok),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sessile_core::digest::{Digest, Token};
    use sessile_core::{EntryType, NewEntry, Payload, UnixMillis};

    fn seq(number: u64) -> Seq {
        Seq::new(number).unwrap()
    }

    /// A commit of one entry.
    fn commit(number: u64) -> StoredCommit {
        let entry = NewEntry::new(UnixMillis(1), EntryType::Event, Payload::parse("1").unwrap());
        StoredCommit {
            id: "c".parse().unwrap(),
            token: Token::from_random([0; 16]),
            prev: None,
            synced: Position::START,
            digest: Digest::of(b""),
            state: None,
            vacuumed: 0,
            entries: vec![entry.numbered(seq(number))],
        }
    }

    /// What is read of commits 2, 6 and 7, without 3 to 5 and 8 to 9, in a journal that ends at 10.
    async fn read(span: Span, numbers: &[u64]) -> Vec<Result<u64, u64>> {
        let commits: Vec<_> = numbers.iter().map(|number| Ok(commit(*number))).collect();
        let lost = [(3, 5), (8, 9)].map(|(from, to)| Lost { from: seq(from), to: seq(to) });
        let end = Position::new(10).unwrap();
        let told = told(Box::pin(stream::iter(commits)), span, end, &lost);
        let told: Vec<_> = told.collect().await;
        let number = |item: Result<StoredCommit, Error>| match item {
            Ok(commit) => Ok(commit.first_seq().number()),
            Err(error) => Err(error.damage().unwrap().seq.number()),
        };
        told.into_iter().map(number).collect()
    }

    #[tokio::test]
    async fn it_is_told_by_the_reads_that_cover_it_and_no_others() {
        let whole = [Ok(2), Err(3), Ok(6), Ok(7), Err(8)];
        assert_eq!(read(Span::ALL, &[2, 6, 7]).await, whole);
        assert_eq!(read(Span::From(seq(4)), &[6, 7]).await, whole[1..]);
        assert_eq!(read(Span::From(seq(6)), &[6, 7]).await, whole[2..]);
        assert_eq!(read(Span::From(seq(10)), &[]).await, []);
        let back = |before, numbers: &'static [u64]| {
            let before = Position::new(before).unwrap();
            read(Span::Back { before, max_bytes: 0 }, numbers)
        };
        assert_eq!(back(10, &[2, 6, 7]).await, whole);
        assert_eq!(back(10, &[6, 7]).await, whole[2..]);
        // What stands directly before a stretch is told by the next one.
        assert_eq!(back(6, &[2]).await, whole[..2]);
        assert_eq!(back(3, &[2]).await, whole[..1]);
    }
}
