//! What the last state of a journal does not have of the extensions, from the last one that has it.

use super::foldings::{Foldings, Made, Of};
use super::snapshot::Snapshot;
use super::state::SessionState;
use crate::commit::StoredCommit;
use crate::error::DamagePlace;
use crate::position::Seq;

/// Extensions whose folds are to be read from before what was folded: of a program without them
/// the last state has nothing of theirs.
///
/// First the commits are looked at from the end back, until each fold was found in a state or
/// the journal begins; then they are taken from [`begin`](Self::begin) on up to where the session's
/// own folds end.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use futures_util::TryStreamExt as _;
/// use sessile_core::backend::{Backend as _, Span};
/// # use sessile_core::Entry;
/// # use sessile_core::fold::{Extended, Extension};
/// use sessile_core::fold::{Extensions, Lag, SessionState};
/// # use sessile_engine::Options;
/// # #[derive(Clone, Debug, Default)]
/// # struct Events(u64);
/// # impl Extended for Events {
/// #     fn apply(&mut self, _: &Entry) { self.0 += 1; }
/// #     fn save(&self) -> String { self.0.to_string() }
/// #     fn copy(&self) -> Box<dyn Extended> { Box::new(self.clone()) }
/// # }
/// # #[derive(Debug)]
/// # struct EventsFold;
/// # impl Extension for EventsFold {
/// #     fn name(&self) -> &'static str { "events" }
/// #     fn version(&self) -> u32 { 1 }
/// #     fn types(&self) -> &'static [&'static str] { &["event"] }
/// #     fn start(&self) -> Box<dyn Extended> { Box::<Events>::default() }
/// #     fn restore(&self, it: &str) -> Option<Box<dyn Extended>> {
/// #         Some(Box::new(Events(it.parse().ok()?)))
/// #     }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// # let options = Options::default().state_every(1, 1);
/// # let session = Store::with(Arc::new(place.clone()), options).open_session("ses_42").await?;
/// // Written by a program that does not know of the fold that counts events.
/// session.append_events(["it thinks"]).await?;
/// session.append_events(["it acts"]).await?;
/// let commits: Vec<_> = place.read(&key, Span::ALL).await?.try_collect().await?;
/// let (last, before) = commits.split_last().expect("there are some");
///
/// let extensions = Extensions::default().with(Arc::new(EventsFold));
/// let header = session.info().header;
/// let state = SessionState::resume_with(header, last, &extensions).expect("it can be read");
/// let mut state = state.expect("it carries a state");
/// let mut lag: Lag = state.lag().expect("that has nothing of the events");
/// // Back to a state that has them, here to the beginning, and forward from there.
/// let _found = commits.iter().rev().any(|commit| lag.look(commit));
/// let from = lag.begin();
/// commits.iter().filter(|commit| from <= commit.first_seq()).for_each(|commit| lag.take(commit));
/// state.make_up(lag);
/// assert_eq!(state.extended::<Events>()?.0, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Lag(Vec<Lagging>);

#[derive(Debug)]
struct Lagging {
    of: Of,
    /// The number from which on entries are taken; none while no state was found.
    from: Option<Seq>,
    made: Made,
}

impl Lag {
    fn of(foldings: &Foldings) -> Option<Self> {
        let unread = foldings.iter().filter(|folding| matches!(folding.made, Made::Unread));
        let lagging = |of: &Of| Lagging { of: of.clone(), from: None, made: Made::Unread };
        let lagging: Vec<Lagging> = unread.map(|folding| lagging(&folding.of)).collect();
        (!lagging.is_empty()).then_some(Self(lagging))
    }

    /// Looks at a commit that stands before those looked at so far; answers whether every fold is
    /// found.
    pub fn look(&mut self, commit: &StoredCommit) -> bool {
        if let Ok(Some(folds)) = Snapshot::members_of(commit) {
            for lagging in self.0.iter_mut().filter(|it| it.from.is_none()) {
                if let Some(whole) = lagging.of.kept(&folds) {
                    lagging.from = Some(commit.first_seq());
                    lagging.made = Made::Whole(whole);
                }
            }
        }
        self.0.iter().all(|lagging| lagging.from.is_some())
    }

    /// The number of the first entry to be taken; what was not found begins with the journal.
    pub fn begin(&mut self) -> Seq {
        for lagging in self.0.iter_mut().filter(|it| it.from.is_none()) {
            lagging.from = Some(Seq::FIRST);
            lagging.made = Made::Whole(lagging.of.start());
        }
        self.0.iter().filter_map(|lagging| lagging.from).min().unwrap_or(Seq::FIRST)
    }

    /// Takes the next commit.
    pub fn take(&mut self, commit: &StoredCommit) {
        let is_reached = |it: &&mut Lagging| it.from.is_some_and(|from| from <= commit.first_seq());
        for lagging in self.0.iter_mut().filter(is_reached) {
            if let Made::Whole(whole) = &mut lagging.made {
                let entries = commit.entries.iter();
                entries
                    .filter(|entry| lagging.of.folds(&entry.entry_type))
                    .for_each(|entry| whole.take(entry));
            }
        }
    }

    /// Notes that entries are missing.
    pub fn note_damage(&mut self, place: DamagePlace) {
        let is_reached = |it: &&mut Lagging| it.from.is_some_and(|from| from <= place.seq);
        for lagging in self.0.iter_mut().filter(is_reached) {
            if let Made::Whole(_) = lagging.made {
                lagging.made = Made::Broken(place);
            }
        }
    }
}

impl SessionState {
    /// What is to be read from before what was folded; none where nothing is.
    pub fn lag(&self) -> Option<Lag> {
        Lag::of(&self.foldings)
    }

    /// Takes what was read from before what was folded, up to its end.
    pub fn make_up(&mut self, lag: Lag) {
        for Lagging { of, made, from: _ } in lag.0 {
            self.foldings.make_up(&of, made);
        }
    }
}
