//! What messages say: their words, read from the journal.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use sessile_core::entry::shape::Body;
use sessile_core::{Error, Seq, Text};
use sessile_engine::{From, Session};

use super::message::Message;

/// How many entries are read past before the reading begins anew at the next that is wanted.
const PASSED: u64 = 32;

/// A message with its words.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_core::EntryType;
/// use sessile_workflow::board::{Kind, MessageBoard, Post, Query, Shown};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// board.post(Post::new(Kind::Note, "the password is 4711").tags(["login"])).await?;
/// // The words are removed from the journal; the message stays.
/// let mut entries = session.entries(sessile_engine::From::start()).await?;
/// let mut posts = Vec::new();
/// while let Some(entry) = entries.next().await.transpose()? {
///     posts.extend((entry.entry_type == EntryType::Post).then_some(entry.seq));
/// }
/// session.redact(posts, None).await?;
/// let shown: Shown = board.list(&Query::all()).await?.messages.remove(0);
/// assert_eq!((shown.text, shown.tags.len()), (None, 0));
/// assert_eq!(shown.message.kind, Kind::Note);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown {
    /// What is known of it without them.
    pub message: Message,
    /// Its text; none once it was redacted.
    pub text: Option<Text>,
    /// Its tags; none once they were redacted.
    pub tags: Vec<Text>,
    /// How it was dealt with, if that was said and was not redacted since.
    pub resolution: Option<Text>,
}

/// The one member of entries of the board that holds words.
#[derive(Deserialize)]
struct Worded {
    #[serde(default)]
    body: Option<Body>,
}

/// Reads the words of messages; none where some wait to be written.
///
/// # Errors
/// *corrupt* where one of them can't be read; those of reading.
pub(crate) async fn shown(
    session: &Session,
    messages: Vec<Message>,
) -> Result<Option<Vec<Shown>>, Error> {
    let resolution = |message: &Message| message.resolution.as_ref().map(|it| it.at);
    let places = |it: &Message| [Some(it.text_at), Some(it.tags_at), resolution(it)];
    let wanted: BTreeSet<Seq> = messages.iter().flat_map(places).flatten().collect();
    let Some(bodies) = bodies(session, wanted).await? else {
        return Ok(None);
    };
    let show = |message: Message| Shown {
        text: bodies.get(&message.text_at).map(|body| body.text.clone()),
        tags: bodies.get(&message.tags_at).map(|body| body.tags.clone()).unwrap_or_default(),
        resolution: resolution(&message).and_then(|at| bodies.get(&at)).map(|it| it.text.clone()),
        message,
    };
    Ok(Some(messages.into_iter().map(show).collect()))
}

/// The bodies of entries, of those that have one still; none where some are not written yet.
async fn bodies(
    session: &Session,
    mut wanted: BTreeSet<Seq>,
) -> Result<Option<BTreeMap<Seq, Body>>, Error> {
    let mut bodies = BTreeMap::new();
    while let Some(first) = wanted.first().copied() {
        let mut entries = session.entries(From::seq(first)).await?;
        let mut last = first;
        while let Some(next) = wanted.first().copied() {
            // What stands far behind is read from there.
            if next.number() > last.number().saturating_add(PASSED) {
                break;
            }
            let Some(entry) = entries.next().await.transpose()? else {
                return Ok(None);
            };
            last = entry.seq;
            if wanted.remove(&entry.seq) {
                let body = entry.data.decode::<Worded>().ok().and_then(|worded| worded.body);
                bodies.extend(body.map(|body| (entry.seq, body)));
            }
            while wanted.first().is_some_and(|seq| *seq < last) {
                wanted.pop_first();
            }
        }
    }
    Ok(Some(bodies))
}
