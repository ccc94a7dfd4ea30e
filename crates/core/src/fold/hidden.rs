//! Which messages are not in sight: those that rewinds have hidden, and those of turns that were not
//! adopted.

use serde::{Deserialize, Serialize};

use crate::position::Seq;

/// What stands in a journal and is not part of the transcript.
///
/// A rewind hides what stands after the entry that it names and before itself; a later one hides
/// more and never less. A message that a turn has written *pends* until the turn's outcome adopts
/// it; one that no outcome adopts is *left* as evidence, for good.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::Hidden;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let asked = session.append(["a question"]).await?;
/// let poor = session.append(["a poor answer"]).await?;
/// session.rewind(asked.first).await?;
/// let turn = session.admit(&"req-1".parse()?, "again", &Contract::new()).await?.started()?;
/// let pushed = turn.push("a better answer").await?;
///
/// let hidden: Hidden = session.state().await?.sight().hidden().clone();
/// assert!(hidden.is_rewound(poor.first) && !hidden.hides(asked.first));
/// // It comes into sight when the turn is committed.
/// assert!(hidden.is_pending(pushed.first) && hidden.hides(pushed.first));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hidden {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rewound: Vec<Stretch>,
    /// From the first to the last message of each stretch of those that were left, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<(Seq, Seq)>,
    /// The messages that pend, in order: the first of each run of numbers, and how many those are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pending: Vec<(Seq, u64)>,
    /// The last message that came to be in sight: stretches that lie on both sides of it stay two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shown: Option<Seq>,
}

/// The entries after one up to another; messages and compactions among them are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stretch {
    after: Seq,
    to: Seq,
}

impl Hidden {
    /// Whether a message of this number is not in sight.
    pub fn hides(&self, seq: Seq) -> bool {
        self.is_rewound(seq) || self.is_pending(seq) || self.is_left(seq)
    }

    /// Whether a rewind hides what has this number.
    pub fn is_rewound(&self, seq: Seq) -> bool {
        // They stand apart and in order.
        let before = self.rewound.partition_point(|stretch| stretch.to < seq);
        self.rewound.get(before).is_some_and(|stretch| stretch.after < seq)
    }

    /// Whether a message of this number waits to be adopted.
    pub fn is_pending(&self, seq: Seq) -> bool {
        let runs = self.pending.partition_point(|(first, _)| *first <= seq);
        let run = runs.checked_sub(1).and_then(|last| self.pending.get(last));
        run.is_some_and(|(first, length)| seq.number() - first.number() < *length)
    }

    /// Whether a message of this number was written by a turn that did not adopt it.
    pub fn is_left(&self, seq: Seq) -> bool {
        let before = self.left.partition_point(|(_, to)| *to < seq);
        self.left.get(before).is_some_and(|(from, _)| *from <= seq)
    }

    /// Whether rewinds hide everything from one number to another, itself included.
    pub fn hides_all(&self, from: Seq, to: Seq) -> bool {
        let before = self.rewound.partition_point(|stretch| stretch.to < to);
        self.rewound.get(before).is_some_and(|stretch| stretch.after < from)
    }

    /// The first and the last message that an outcome may adopt; none where none pends.
    pub fn pending(&self) -> Option<(Seq, Seq)> {
        let mut messages = self.runs().filter(|seq| !self.is_rewound(*seq));
        let first = messages.next()?;
        Some((first, messages.last().unwrap_or(first)))
    }

    /// Whether no message pends, so that no later entry changes how many there are before it but
    /// by a rewind.
    pub const fn is_settled(&self) -> bool {
        self.pending.is_empty()
    }

    /// The messages that pend.
    fn runs(&self) -> impl Iterator<Item = Seq> {
        let run = |(first, length): &(Seq, u64)| first.number()..first.number() + length;
        self.pending.iter().flat_map(run).filter_map(Seq::new)
    }

    /// Hides what stands after an entry up to the rewind.
    pub(super) fn rewind(&mut self, to: Seq, rewind: Seq) {
        if to >= rewind {
            return;
        }
        let mut stretch = Stretch { after: to, to: rewind };
        while let Some(last) = self.rewound.pop_if(|last| last.to >= stretch.after) {
            stretch.after = stretch.after.min(last.after);
        }
        self.rewound.push(stretch);
    }

    /// Notes that a message is in sight.
    pub(super) fn show(&mut self, seq: Seq) {
        self.shown = self.shown.max(Some(seq));
    }

    /// Hides a message, the last there is, until an outcome adopts it.
    pub(super) fn hold(&mut self, seq: Seq) {
        match self.pending.last_mut() {
            Some((first, length)) if first.number() + *length == seq.number() => *length += 1,
            _ => self.pending.push((seq, 1)),
        }
    }

    /// Hides a message, the last there is, for good.
    pub(super) fn leave(&mut self, seq: Seq) {
        self.leave_stretch((seq, seq));
    }

    /// Leaves a stretch behind all those that were left before. It is joined to the last of them
    /// where no message in sight stands between, nor one that may come to be.
    fn leave_stretch(&mut self, (from, to): (Seq, Seq)) {
        let (is_settled, shown) = (self.is_settled(), self.shown);
        let is_next = |last: &&mut (Seq, Seq)| is_settled && Some(last.1) >= shown;
        match self.left.last_mut().filter(is_next) {
            Some(last) => last.1 = to,
            None => self.left.push((from, to)),
        }
    }

    /// Shows the messages that pend from one number to another, but for those that rewinds hide,
    /// and leaves the others; answers how many are in sight by that.
    pub(super) fn adopt(&mut self, adopted: Option<(Seq, Seq)>) -> u64 {
        let pending: Vec<Seq> = self.runs().collect();
        let Some(first) = pending.first().copied() else {
            return 0;
        };
        self.pending.clear();
        // Those that were left while others pended stand among them.
        let since = self.left.partition_point(|(_, to)| *to < first);
        let mut later = self.left.split_off(since).into_iter().peekable();
        let mut shown = 0;
        for seq in pending {
            while let Some(stretch) = later.next_if(|(from, _)| *from < seq) {
                self.leave_stretch(stretch);
            }
            let is_adopted = adopted.is_some_and(|(from, to)| (from..=to).contains(&seq));
            if is_adopted && !self.is_rewound(seq) {
                shown += 1;
                self.show(seq);
            } else {
                self.leave(seq);
            }
        }
        for stretch in later {
            self.leave_stretch(stretch);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seq(number: u64) -> Seq {
        Seq::new(number).unwrap()
    }

    #[test]
    fn what_stood_between_is_hidden_and_what_came_later_is_not() {
        let mut hidden = Hidden::default();
        hidden.rewind(seq(3), seq(6));
        let is_hidden = |hidden: &Hidden| (0..10).filter(|n| hidden.is_rewound(seq(*n))).collect();
        let seen: Vec<u64> = is_hidden(&hidden);
        assert_eq!(seen, [4, 5, 6]);
        hidden.rewind(seq(7), seq(9));
        assert_eq!(is_hidden(&hidden), [4, 5, 6, 8, 9]);
        hidden.rewind(seq(99), seq(10));
        assert_eq!(is_hidden(&hidden), [4, 5, 6, 8, 9]);
    }

    #[test]
    fn popping_one_after_the_other_takes_one_stretch() {
        let mut hidden = Hidden::default();
        for popped in (1..=100).rev() {
            hidden.rewind(seq(popped - 1), seq(201 - popped));
        }
        assert_eq!(hidden.rewound.len(), 1);
    }

    proptest! {
        #[test]
        fn it_is_what_each_rewind_hides_taken_together(
            rewinds in prop::collection::vec((0_u64..60, 1_u64..4), 0..12)
        ) {
            let (mut hidden, mut at, mut made) = (Hidden::default(), 0, Vec::new());
            for (to, step) in rewinds {
                at += step;
                hidden.rewind(seq(to), seq(at));
                made.push((to, at));
            }
            for number in 0..64 {
                let expected = made.iter().any(|(to, at)| (to + 1..=*at).contains(&number));
                prop_assert_eq!(hidden.hides(seq(number)), expected, "{}", number);
            }
            for (from, to) in (0..64).flat_map(|from| (from..64).map(move |to| (from, to))) {
                let expected = (from..=to).all(|number| hidden.hides(seq(number)));
                prop_assert_eq!(hidden.hides_all(seq(from), seq(to)), expected, "{} {}", from, to);
            }
            prop_assert!(hidden.is_settled());
            prop_assert!(hidden.rewound.windows(2).all(|pair| pair[0].to < pair[1].after));
        }

        #[test]
        fn what_is_left_and_what_pends_is_told_message_by_message(
            steps in prop::collection::vec((0_u8..8, 0_u64..12, 0_u64..12), 0..60)
        ) {
            #[derive(Clone, Copy, PartialEq, Debug)]
            enum Is { Shown, Pending, Left }
            let mut hidden = Hidden::default();
            let mut messages: Vec<(u64, Is)> = Vec::new();
            let mut at = 0;
            let (mut counted, mut rewound) = (0, Vec::new());
            for (step, a, b) in steps {
                at += 1 + a % 2;
                match step {
                    0 | 1 => { hidden.show(seq(at)); messages.push((at, Is::Shown)); counted += 1; }
                    2..=4 => { hidden.hold(seq(at)); messages.push((at, Is::Pending)); }
                    5 => { hidden.leave(seq(at)); messages.push((at, Is::Left)); }
                    6 => {
                        let to = at.saturating_sub(b);
                        hidden.rewind(seq(to), seq(at));
                        rewound.push((to, at));
                    }
                    _ => {
                        let from = at.saturating_sub(a + b);
                        let adopts = (b % 3 > 0).then_some((from, from + a));
                        let is_rewound = |seq: u64| rewound.iter().any(|(to, at)| (to + 1..=*at).contains(&seq));
                        let mut expected = 0;
                        for (seq, is) in messages.iter_mut().filter(|it| it.1 == Is::Pending) {
                            let adopted = adopts.is_some_and(|(from, to)| (from..=to).contains(seq));
                            *is = if adopted && !is_rewound(*seq) { Is::Shown } else { Is::Left };
                            expected += u64::from(*is == Is::Shown);
                        }
                        let shown = hidden.adopt(adopts.map(|(from, to)| (seq(from), seq(to))));
                        prop_assert_eq!(shown, expected);
                        counted += shown;
                    }
                }
                let is = |is: Is| messages.iter().filter(move |it| it.1 == is).count();
                prop_assert_eq!(hidden.is_settled(), is(Is::Pending) == 0);
                prop_assert_eq!(counted, u64::try_from(is(Is::Shown)).unwrap());
            }
            for (number, is) in &messages {
                let told = (hidden.is_pending(seq(*number)), hidden.is_left(seq(*number)));
                prop_assert_eq!(told, (*is == Is::Pending, *is == Is::Left), "{}", number);
            }
            let read: Hidden = serde_json::from_str(&serde_json::to_string(&hidden).unwrap()).unwrap();
            prop_assert_eq!(&read, &hidden);
            let left: Vec<u64> = hidden.left.iter().flat_map(|(from, to)| [from.number(), to.number()]).collect();
            prop_assert!(left.is_sorted());
        }
    }

    #[test]
    fn turns_that_fail_one_after_the_other_leave_one_stretch() {
        let mut hidden = Hidden::default();
        for turn in 0..100 {
            hidden.hold(seq(turn * 4 + 1));
            hidden.hold(seq(turn * 4 + 3));
            assert_eq!(hidden.adopt(None), 0);
        }
        assert_eq!(hidden.left, [(seq(1), seq(399))]);
        hidden.show(seq(400));
        hidden.leave(seq(401));
        assert_eq!(hidden.left.len(), 2);
        assert!(!hidden.hides(seq(400)) && hidden.hides(seq(401)));
    }
}
