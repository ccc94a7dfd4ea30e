//! Where messages stand: the states of a journal as stepping stones back through it.

use serde::{Deserialize, Serialize};

use crate::position::Seq;

/// The beginning of a commit, and how many messages stand before it.
///
/// # Examples
/// ```
/// use sessile_core::Seq;
/// use sessile_core::fold::Mark;
///
/// // Whoever looks for the 40th message begins at the last mark that has fewer before it.
/// let mark = |seq, before| Mark { seq: Seq::new(seq).expect("it is small"), before };
/// let marks = [mark(130, 96), mark(66, 45), mark(33, 20), Mark::START];
/// let begin = marks.into_iter().find(|mark| mark.before < 40);
/// assert_eq!(begin.map(|mark| mark.seq.number()), Some(33));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The number of the commit's first entry.
    pub seq: Seq,
    /// How many messages stand before it.
    pub before: u64,
}

impl Mark {
    /// The beginning of every journal.
    pub const START: Self = Self { seq: Seq::FIRST, before: 0 };
}

/// Marks at states of a journal, denser towards the end.
///
/// Each state has such a list of the states before it, so that from the last one any place is
/// reached in as many steps as the number of states has bits.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::Marks;
/// # use sessile_engine::Options;
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
/// for number in 0..23 {
///     session.append([number]).await?; // each with a state
/// }
/// let marks: Marks = session.state().await?.marks().clone();
/// // Dense towards the end, and few: from mark to mark the way back doubles.
/// assert!(marks.iter().map(|mark| mark.before).eq([22, 21, 19, 15, 15]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// How many states there were.
    states: u64,
    /// At each place the last state whose number that power of two divides.
    by_power: Vec<Mark>,
}

impl Marks {
    /// Adds the next state.
    pub(super) fn push(&mut self, mark: Mark) {
        self.states += 1;
        let powers = usize::try_from(self.states.trailing_zeros()).unwrap_or(0) + 1;
        self.by_power.resize(self.by_power.len().max(powers), mark);
        self.by_power.iter_mut().take(powers).for_each(|it| *it = mark);
    }

    /// The marks from the end back.
    pub fn iter(&self) -> impl Iterator<Item = Mark> {
        self.by_power.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_place_is_few_steps_away() {
        const STATES: u64 = 3_000;
        let mark = |number: u64| Mark { seq: Seq::new(number).unwrap(), before: number };
        let mut marks = vec![Marks::default()];
        for number in 1..=STATES {
            let mut next = marks.last().unwrap().clone();
            next.push(mark(number));
            marks.push(next);
        }
        for wanted in [1, 2, 3, 1_000, 1_023, 1_024, 1_025, 2_999, 3_000] {
            let (mut list, mut steps) = (marks.last().unwrap(), 0);
            let found = loop {
                let is_before = |it: &Mark| it.before < wanted;
                let beyond = list.iter().take_while(|it| !is_before(it)).last();
                let Some(beyond) = beyond else { break list.iter().next().unwrap_or(Mark::START) };
                list = &marks[usize::try_from(beyond.before).unwrap() - 1];
                steps += 1;
            };
            assert_eq!(found.before, wanted - 1);
            assert!(steps <= 12, "{wanted}: {steps} steps");
        }
    }
}
