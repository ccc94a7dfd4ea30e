//! Which messages and compactions rewinds have hidden.

use serde::{Deserialize, Serialize};

use crate::position::Seq;

/// The stretches of a journal that rewinds have cut out of the transcript.
///
/// A rewind hides what stands after the entry that it names and before itself; a later one hides
/// more and never less.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hidden(Vec<Stretch>);

/// The entries after one up to another; messages and compactions among them are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stretch {
    after: Seq,
    to: Seq,
}

impl Hidden {
    /// Whether a message or compaction of this number is hidden.
    pub fn hides(&self, seq: Seq) -> bool {
        // They stand apart and in order.
        let before = self.0.partition_point(|stretch| stretch.to < seq);
        self.0.get(before).is_some_and(|stretch| stretch.after < seq)
    }

    /// Whether everything from one number to another, itself included, is hidden.
    pub fn hides_all(&self, from: Seq, to: Seq) -> bool {
        let before = self.0.partition_point(|stretch| stretch.to < to);
        self.0.get(before).is_some_and(|stretch| stretch.after < from)
    }

    /// Hides what stands after an entry up to the rewind.
    pub(super) fn rewind(&mut self, to: Seq, rewind: Seq) {
        if to >= rewind {
            return;
        }
        let mut stretch = Stretch { after: to, to: rewind };
        while let Some(last) = self.0.pop_if(|last| last.to >= stretch.after) {
            stretch.after = stretch.after.min(last.after);
        }
        self.0.push(stretch);
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
        let is_hidden = |hidden: &Hidden| (0..10).filter(|n| hidden.hides(seq(*n))).collect();
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
        assert_eq!(hidden.0.len(), 1);
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
            prop_assert!(hidden.0.windows(2).all(|pair| pair[0].to < pair[1].after));
        }
    }
}
