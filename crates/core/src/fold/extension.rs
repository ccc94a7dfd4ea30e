//! Folds beside those of the session: what others make of the same journal.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::entry::Entry;

/// A fold that is registered with a store: what it makes of a journal is kept up, kept in `state`
/// entries, and taken up from there.
///
/// It must be pure: the same entries in the same order come to the same, wherever it went on from.
/// [`name`](Self::name), [`version`](Self::version) and [`types`](Self::types) say together what a
/// kept state is of: one by other than these is not taken up, and the fold goes back to one that is
/// or to the beginning of the journal.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::{Extended, Extension};
/// use sessile_core::{Entry, EntryType};
/// use sessile_engine::Options;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// /// How many events a session has had, as part of its state.
/// #[derive(Clone, Debug, Default)]
/// struct Events(u64);
///
/// impl Extended for Events {
///     fn apply(&mut self, entry: &Entry) {
///         self.0 += u64::from(entry.entry_type == EntryType::Event);
///     }
///
///     fn save(&self) -> String {
///         self.0.to_string()
///     }
///
///     fn copy(&self) -> Box<dyn Extended> {
///         Box::new(self.clone())
///     }
/// }
///
/// #[derive(Debug)]
/// struct EventsFold;
///
/// impl Extension for EventsFold {
///     fn name(&self) -> &'static str {
///         "events"
///     }
///
///     fn version(&self) -> u32 {
///         1
///     }
///
///     fn types(&self) -> &'static [&'static str] {
///         &["event"]
///     }
///
///     fn start(&self) -> Box<dyn Extended> {
///         Box::<Events>::default()
///     }
///
///     fn restore(&self, member: &str) -> Option<Box<dyn Extended>> {
///         Some(Box::new(Events(member.parse().ok()?)))
///     }
/// }
///
/// let options = Options::default().fold(Arc::new(EventsFold));
/// let store = Store::with(Arc::new(MemoryBackend::new()), options);
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append_events(["it thinks", "it acts"]).await?;
/// assert_eq!(session.state().await?.extended::<Events>()?.0, 2);
/// # Ok(())
/// # }
/// ```
pub trait Extension: Debug + Send + Sync + 'static {
    /// The name of its member in `state` entries: of this fold alone, for ever.
    ///
    /// What is named like one of the session's own folds (`session`, `commits`, `marks`,
    /// `admission`) is never kept, and folded from the beginning each time.
    fn name(&self) -> &'static str;

    /// The version of the fold: it rises whenever an entry comes to mean something else to it.
    fn version(&self) -> u32;

    /// The types of the entries that it folds; it sees these and no others.
    fn types(&self) -> &'static [&'static str];

    /// What it makes of no entries at all.
    fn start(&self) -> Box<dyn Extended>;

    /// What [`save`](Extended::save) told; none if that is not what it looks like.
    fn restore(&self, member: &str) -> Option<Box<dyn Extended>>;
}

/// What an [`Extension`] has made of a journal so far.
///
/// `Debug` tells ids and counts only: what a session holds is not for logs.
///
/// # Examples
/// ```
/// use sessile_core::fold::Extended;
/// use sessile_core::{Entry, EntryType, NewEntry, Payload, Seq, UnixMillis};
///
/// /// How many events a session has had.
/// #[derive(Clone, Debug, Default)]
/// struct Events(u64);
///
/// impl Extended for Events {
///     fn apply(&mut self, entry: &Entry) {
///         self.0 += u64::from(entry.entry_type == EntryType::Event);
///     }
///
///     fn save(&self) -> String {
///         self.0.to_string()
///     }
///
///     fn copy(&self) -> Box<dyn Extended> {
///         Box::new(self.clone())
///     }
/// }
///
/// let event = NewEntry::new(UnixMillis(0), EntryType::Event, Payload::of("it thinks")?);
/// let event = event.numbered(Seq::FIRST);
/// let mut events = Events::default();
/// events.apply(&event);
/// // A copy goes its own way from there.
/// let mut copy = events.copy();
/// copy.apply(&event);
/// assert_eq!((events.save(), copy.save()), ("1".into(), "2".into()));
/// # Ok::<(), sessile_core::Error>(())
/// ```
pub trait Extended: Any + Debug + Send + Sync {
    /// Takes the next entry of its types, in the order of the journal: also one that a rewind hides,
    /// and one whose data was redacted.
    fn apply(&mut self, entry: &Entry);

    /// Tells all of it as JSON. The same comes out for the same entries, byte for byte.
    ///
    /// It keeps nothing of what entries say that may be redacted or forgotten: that reaches the
    /// entries, and no `state` that was written behind them. Keep numbers of entries, digests and
    /// counts, and read the rest from the journal.
    fn save(&self) -> String;

    /// The same again.
    fn copy(&self) -> Box<dyn Extended>;

    /// About how many bytes of memory it takes; asked often.
    fn weight(&self) -> usize {
        self.save().len()
    }
}

/// The extensions of a store, each with a name of its own.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use sessile_core::fold::{Extended, Extension, Extensions};
///
/// # use sessile_core::Entry;
/// # #[derive(Clone, Debug)]
/// # struct Counted(u64);
/// # impl Extended for Counted {
/// #     fn apply(&mut self, _vote: &Entry) { self.0 += 1; }
/// #     fn save(&self) -> String { self.0.to_string() }
/// #     fn copy(&self) -> Box<dyn Extended> { Box::new(self.clone()) }
/// # }
/// #[derive(Debug)]
/// struct Votes { version: u32 }
///
/// impl Extension for Votes {
///     fn name(&self) -> &'static str {
///         "votes"
///     }
///
///     fn version(&self) -> u32 {
///         self.version
///     }
///     // and what it folds
/// #     fn types(&self) -> &'static [&'static str] { &["vote"] }
/// #     fn start(&self) -> Box<dyn Extended> { Box::new(Counted(0)) }
/// #     fn restore(&self, member: &str) -> Option<Box<dyn Extended>> {
/// #         Some(Box::new(Counted(member.parse().ok()?)))
/// #     }
/// }
///
/// let [old, new] = [1, 2].map(|version| Arc::new(Votes { version }));
/// let all = Extensions::default().with(old).with(new);
/// // There is one of a name, because that is its place in a state.
/// assert!(all.iter().map(|it| it.version()).eq([2]));
/// // What it begins with is what it takes back from a state.
/// let votes = all.iter().next().expect("there is one");
/// let begun = votes.start().save();
/// assert_eq!(votes.restore(&begun).map(|it| it.save()), Some(begun));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Extensions(Vec<Arc<dyn Extension>>);

impl Extensions {
    /// And one more, in place of one of the same name.
    #[must_use]
    pub fn with(mut self, extension: Arc<dyn Extension>) -> Self {
        self.0.retain(|known| known.name() != extension.name());
        self.0.push(extension);
        self
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Extension>> {
        self.0.iter()
    }
}
