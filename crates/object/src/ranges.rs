//! Merged ranges: several log objects in one, so that reading a long journal takes few requests.
//!
//! The writer whose object completes a group merges it, in the background, and merges a group of
//! such ranges in turn. A range is never what a commit depends on: its name holds
//! the hash of its bytes and of what was removed from the log by then, and whoever finds that it
//! does not hold reads the log.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::future::try_join;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use sessile_core::Error;
use sessile_core::commit::Tip;
use sessile_core::digest::{Digest, Salt};
use sessile_core::journal::Found;

use crate::client::Only;
use crate::known::Known;
use crate::look::Session;
use crate::mark;
use crate::piece::Piece;
use crate::survey::Range;

/// The most bytes of a range.
const LARGEST: u64 = 8 << 20;

/// How many objects are asked for at once at least.
const ABREAST: u64 = 2;

/// How many are where they are small.
const MOST_ABREAST: u64 = 40;

/// How many ranges are merged into a larger one. There is none beyond that: each commit is written
/// three times at most.
const FAN_IN: u64 = 12;

/// A piece of the log as it was fetched.
#[derive(Clone, Debug)]
pub(crate) struct Fetched {
    /// The number of its last object.
    pub(crate) number: u64,
    /// Its bytes; none where it is not there.
    pub(crate) bytes: Option<Bytes>,
}

/// Where a piece of the log is read.
#[derive(Clone, Debug)]
enum Source {
    Log(u64),
    Range(Range),
}

/// Streams the log objects of some numbers, by way of ranges where there are some.
pub(crate) fn fetch(
    session: &Session,
    known: &Known,
    start: u64,
    last: u64,
) -> BoxStream<'static, Result<Vec<Fetched>, Error>> {
    let (session, known) = (session.clone(), known.clone());
    let masked: Arc<str> = known.masked.as_str().into();
    let planned = async move {
        let merged = Merged::worth_asking(&session, &known, start, last).await?;
        let sources = merged.cover(start, last);
        let abreast = abreast(&sources, known.bytes / (known.last - known.first + 1));
        let fetched = stream::iter(sources)
            .map(move |source| fetch_one(session.clone(), source, Arc::clone(&masked)))
            .buffered(abreast);
        Ok::<_, Error>(fetched)
    };
    stream::once(planned).try_flatten().boxed()
}

/// How many of some pieces are asked for at once: as many as can be held, and no more.
fn abreast(sources: &[Source], log_bytes: u64) -> usize {
    let bytes = sources.iter().map(|source| match source {
        Source::Log(_) => log_bytes,
        Source::Range(range) => range.bytes,
    });
    let count = u64::try_from(sources.len()).unwrap_or(u64::MAX);
    let abreast = LARGEST.saturating_mul(count) / bytes.sum::<u64>().max(1);
    usize::try_from(abreast.clamp(ABREAST, MOST_ABREAST)).unwrap_or(1)
}

/// The merged ranges of a session.
#[derive(Debug, Default)]
struct Merged {
    ranges: Vec<Range>,
    /// What says for which time data of the log was removed.
    masked: String,
}

impl Merged {
    /// What there is, where so many objects are to be read that it is worth asking.
    async fn worth_asking(
        session: &Session,
        known: &Known,
        start: u64,
        last: u64,
    ) -> Result<Self, Error> {
        let every = session.client().options().merge_every;
        if every == 0 || last - start < every {
            return Ok(Self::default());
        }
        let ranges = if known.taken - known.ranged < every {
            // Hardly any can have been made since.
            known.ranges.to_vec()
        } else {
            Self::listed(session).await?
        };
        Ok(Self { ranges, masked: known.masked.clone() })
    }

    async fn listed(session: &Session) -> Result<Vec<Range>, Error> {
        let (client, keys) = (session.client(), &session.keys);
        let listed = client.list_all(&keys.ranges(), None).await?;
        Ok(listed.iter().filter_map(|object| Range::of(keys, object)).collect())
    }

    /// None of them, for whoever needs none.
    async fn none(session: &Session) -> Result<Self, Error> {
        let masked = mark::read(session.client(), &session.keys).await?;
        Ok(Self { ranges: Vec::new(), masked })
    }

    async fn of(session: &Session) -> Result<Self, Error> {
        let mark = mark::read(session.client(), &session.keys);
        let (ranges, masked) = try_join(Self::listed(session), mark).await?;
        Ok(Self { ranges, masked })
    }

    /// Those that hold nothing but objects of some numbers.
    fn within(&self, from: u64, to: u64) -> Self {
        let within = |range: &&Range| from <= range.from && range.to <= to;
        let ranges = self.ranges.iter().filter(within).cloned().collect();
        Self { ranges, masked: self.masked.clone() }
    }

    /// Ranges and objects that together hold those of some numbers, and perhaps some before them.
    fn cover(&self, start: u64, last: u64) -> Vec<Source> {
        let (mut sources, mut next) = (Vec::new(), start);
        while next <= last {
            // The first one may begin before what is asked for.
            let fits = |range: &&Range| {
                let begins = if next == start { range.from <= next } else { range.from == next };
                begins && next <= range.to && range.to <= last
            };
            if let Some(range) = self.ranges.iter().filter(fits).max_by_key(|range| range.to) {
                next = range.to + 1;
                sources.push(Source::Range(range.clone()));
            } else {
                sources.push(Source::Log(next));
                next += 1;
            }
        }
        sources
    }
}

async fn fetch_one(
    session: Session,
    source: Source,
    masked: Arc<str>,
) -> Result<Vec<Fetched>, Error> {
    let range = match source {
        Source::Log(number) => return Ok(vec![fetch_log(&session, number, &masked).await?]),
        Source::Range(range) => range,
    };
    let path = session.keys.range(range.from, range.to, &range.hash);
    let bodies = &session.place.bodies;
    if let Some(bytes) = bodies.of(&path, &masked) {
        return Ok(vec![Fetched { number: range.to, bytes: Some(bytes) }]);
    }
    if let Some(object) = session.client().get(&path).await?
        && hash_of(&masked, &object.bytes) == range.hash
    {
        bodies.keep(path, &masked, object.bytes.clone());
        return Ok(vec![Fetched { number: range.to, bytes: Some(object.bytes) }]);
    }
    let logs = (range.from..=range.to).map(|number| fetch_log(&session, number, &masked));
    let abreast = abreast(&[Source::Range(range.clone())], 0);
    stream::iter(logs).buffered(abreast).try_collect().await
}

async fn fetch_log(session: &Session, number: u64, masked: &str) -> Result<Fetched, Error> {
    let (path, bodies) = (session.keys.log(number), &session.place.bodies);
    if let Some(bytes) = bodies.of(&path, masked) {
        return Ok(Fetched { number, bytes: Some(bytes) });
    }
    let object = session.client().get(&path).await?;
    let bytes = object.map(|object| object.bytes);
    if let Some(bytes) = bytes.clone() {
        bodies.keep(path, masked, bytes);
    }
    Ok(Fetched { number, bytes })
}

/// What a range's name says of its bytes, and of the log's data that was removed by then.
fn hash_of(masked: &str, bytes: &[u8]) -> String {
    let mut hash = Digest::of_parts([masked.as_bytes(), bytes]).to_string();
    hash.truncate(16);
    hash
}

/// Deletes every range; answers which there were.
///
/// # Errors
/// Those of the place.
pub(crate) async fn delete_all(session: &Session) -> Result<Vec<Range>, Error> {
    let Merged { ranges, .. } = Merged::of(session).await?;
    let paths = ranges.iter().map(|it| session.keys.range(it.from, it.to, &it.hash)).collect();
    session.client().delete(paths).await?;
    Ok(ranges)
}

/// Merges what an object of a number completes; whatever is in the way costs readers time only.
///
/// # Errors
/// Those of the place.
pub(crate) async fn merge(session: &Session, number: u64, salt: Salt) -> Result<(), Error> {
    let every = session.client().options().merge_every;
    for length in [every, every.saturating_mul(FAN_IN)] {
        let is_complete = length > 0 && (number + 1).is_multiple_of(length);
        if !is_complete || !merge_one(session, number + 1 - length, number, salt).await? {
            break;
        }
    }
    Ok(())
}

/// Merges a stretch of the log; answers whether that was done.
///
/// # Errors
/// Those of the place.
pub(crate) async fn merge_one(
    session: &Session,
    from: u64,
    to: u64,
    salt: Salt,
) -> Result<bool, Error> {
    let client = session.client();
    let is_of_log = to - from < client.options().merge_every;
    // What is removed from the log meanwhile must not live on here.
    let before = if is_of_log { Merged::none(session).await } else { Merged::of(session).await }?;
    let mut merged = BytesMut::new();
    for source in before.within(from, to).cover(from, to) {
        for piece in fetch_one(session.clone(), source, before.masked.as_str().into()).await? {
            let Some(bytes) = piece.bytes else { return Ok(false) };
            let length = u64::try_from(merged.len() + bytes.len()).unwrap_or(u64::MAX);
            if length > LARGEST {
                return Ok(false);
            }
            merged.extend_from_slice(&bytes);
        }
    }
    let merged = merged.freeze();
    if !is_whole(&merged, from, salt) {
        return Ok(false);
    }
    let path = session.keys.range(from, to, &hash_of(&before.masked, &merged));
    // If it is there, or can't be put there, readers go on with the log.
    let sent = client.send(&path, merged.clone(), &Only::IfAbsent).await;
    let after = if sent.is_ok() { Merged::none(session).await } else { Merged::of(session).await }?;
    if after.masked != before.masked {
        client.delete(vec![path]).await?;
        return Ok(false);
    }
    // Others may have made the same, and an answer may be lost.
    let is_it = |it: &Range| session.keys.range(it.from, it.to, &it.hash) == path;
    if sent.is_err() && !after.ranges.iter().any(is_it) {
        return Ok(false);
    }
    session.place.bodies.keep(path, &before.masked, merged);
    let superseded = before.within(from, to).ranges;
    let superseded = superseded.iter().filter(|range| (range.from, range.to) != (from, to));
    let paths = superseded.map(|it| session.keys.range(it.from, it.to, &it.hash)).collect();
    client.delete(paths).await?;
    Ok(true)
}

/// Whether bytes are whole commits that continue each other.
fn is_whole(bytes: &Bytes, from: u64, salt: Salt) -> bool {
    let before = (from == 0).then_some(Tip::ABSENT);
    let piece = Piece::read(bytes.clone(), salt, before);
    !piece.found.is_empty() && piece.found.iter().all(|it| matches!(it, Found::Commit(_)))
}
