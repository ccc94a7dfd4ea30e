//! The commits of a journal as a stream.

use std::collections::VecDeque;
use std::future::{poll_fn, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::{StreamExt as _, stream};
use sessile_core::backend::{Commits, Span};
use sessile_core::commit::StoredCommit;
use sessile_core::error::Error;
use sessile_core::position::Seq;

use crate::failure;
use crate::look::Look;
use crate::looks::Looks;
use crate::pool::Pool;
use crate::reader::{self, Reader};

/// A commit, or the damage that stands in its place.
type Item = Result<StoredCommit, Error>;

/// A block that is being read: the reader, and what it found there.
type Reading = Pin<Box<dyn Future<Output = Result<(Box<Reader>, VecDeque<Item>), Error>> + Send>>;

/// What is left of a reader's commits.
enum Rest {
    /// Those behind the ones at hand are read when they are asked for.
    Asked(Box<Reader>),
    /// They are being read.
    Ahead(Reading),
    /// There are none.
    Nothing,
}

fn read_some(pool: &Pool, mut reader: Box<Reader>) -> Reading {
    let pool = pool.clone();
    Box::pin(async move {
        let failed = |error| failure::unavailable("the journal can't be read", error);
        let read = move || reader.next_some().map_err(failed).map(|some| (reader, some));
        pool.run(read).await
    })
}

/// The commits of a span of a journal that was looked at: from what the look has read, if that holds
/// them all.
///
/// # Errors
/// *unavailable* where the journal can't be read.
pub(crate) async fn commits(
    pool: &Pool,
    looks: &Looks,
    look: Arc<Look>,
    span: Span,
) -> Result<Commits, Error> {
    let (salt, end) = (look.header.salt, look.end.extent.end);
    let failed = |error| failure::unavailable("the journal can't be read", error);
    match span {
        Span::From(seq) => {
            let of_last = Reader::of_last(&look.file, salt, &look.last, seq);
            let reader = if let Some(reader) = of_last {
                reader
            } else {
                if seq == Seq::FIRST {
                    // Whoever reads everything comes to the end by the way: what was read of it
                    // need not be held in memory beside that.
                    looks.let_go(&look);
                }
                let file = Arc::clone(&look.file);
                drop(look);
                pool.run(move || Reader::new(file, salt, end, seq).map_err(failed)).await?
            };
            Ok(stream_of(pool.clone(), reader))
        }
        Span::Back { before, max_bytes } => {
            let at_hand = look.known().back(before, max_bytes);
            let commits: VecDeque<Item> = if let Some(commits) = at_hand {
                commits
            } else {
                let back = move || reader::back(look.known(), before, max_bytes).map_err(failed);
                pool.run(back).await?
            };
            let stream: Commits = Pin::from(Box::new(stream::iter(commits)));
            Ok(stream)
        }
    }
}

/// Gives a reader's commits one by one; each block is read when it is needed. From the second one
/// on the next is read while its commits are taken: whoever takes so many takes more.
fn stream_of(pool: Pool, mut reader: Reader) -> Commits {
    let at_hand = reader.take_ready();
    let begun = (pool, at_hand, Rest::Asked(Box::new(reader)), false);
    let commits = stream::unfold(begun, |(pool, mut at_hand, mut rest, mut goes_on)| async move {
        loop {
            if let Some(item) = at_hand.pop_front() {
                return Some((item, (pool, at_hand, rest, goes_on)));
            }
            let reading = match rest {
                Rest::Asked(reader) => read_some(&pool, reader),
                Rest::Ahead(reading) => reading,
                Rest::Nothing => return None,
            };
            (rest, at_hand) = match reading.await {
                Ok((_, some)) if some.is_empty() => return None,
                Ok((reader, some)) if goes_on => {
                    let mut ahead = read_some(&pool, reader);
                    // Asked once, it is under way.
                    let asked = poll_fn(|cx| Poll::Ready(ahead.as_mut().poll(cx))).await;
                    let ahead: Reading = match asked {
                        Poll::Ready(read) => Box::pin(ready(read)),
                        Poll::Pending => ahead,
                    };
                    (Rest::Ahead(ahead), some)
                }
                Ok((reader, some)) => (Rest::Asked(reader), some),
                Err(error) => (Rest::Nothing, VecDeque::from([Err(error)])),
            };
            goes_on = true;
        }
    });
    // Whoever asks once more than there is gets the end again.
    Box::pin(commits.fuse())
}
