//! From links to conversations.

use crate::tree::node::{Lane, Node};

/// The conversations of a file, the main one first; one that another was cut from before it.
#[derive(Debug)]
pub(crate) struct Conversations {
    /// To which conversation each record belongs.
    pub(crate) owners: Vec<usize>,
    /// The conversations.
    pub(crate) list: Vec<Conversation>,
}

/// One conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conversation {
    /// Its first own record in the tree; none for the main one.
    pub(crate) first: Option<usize>,
    /// Where it comes from.
    pub(crate) origin: Origin,
}

/// Where a conversation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It is the one with the user.
    Main,
    /// It was cut from another right after a record of that one's own.
    Fork {
        /// The other conversation.
        of: usize,
        /// The record.
        after: usize,
    },
    /// It is that of a sub-agent.
    Agent,
}

/// Gives each record to a conversation.
///
/// From each record on, the conversation goes on with the child below which the last word was
/// spoken. Another child begins a fork if a word was spoken below it; if not, it stays.
pub(super) fn of(nodes: &[&Node<'_>], parents: &[Option<usize>]) -> Conversations {
    let order = parents_first(parents);
    let last_words = last_words(nodes, parents, &order);
    let heirs = heirs(parents, &last_words);
    let mut found = Conversations {
        owners: vec![0; nodes.len()],
        list: vec![Conversation { first: None, origin: Origin::Main }],
    };
    // The last record, by its place in the file, that a fork right after this one must hold.
    let mut reach: Vec<usize> = (0..nodes.len()).collect();
    for index in order {
        let Some(parent) = at(parents, index) else {
            if nodes.get(index).is_some_and(|node| node.lane != Lane::Main) {
                found.begin(index, Origin::Agent);
            }
            continue;
        };
        let of = found.owners.get(parent).copied().unwrap_or_default();
        let after = reach.get(parent).copied().unwrap_or(parent);
        let stays = at(&heirs, parent) == Some(index) || at(&last_words, index).is_none();
        if stays {
            set(&mut found.owners, index, of);
            set(&mut reach, index, after.max(index));
        } else {
            found.begin(index, Origin::Fork { of, after });
        }
    }
    found
}

impl Conversations {
    fn begin(&mut self, first: usize, origin: Origin) {
        set(&mut self.owners, first, self.list.len());
        self.list.push(Conversation { first: Some(first), origin });
    }
}

/// All records in the order of the file, but each after the one it follows.
fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(parents.len());
    let mut placed = vec![false; parents.len()];
    for start in 0..parents.len() {
        let (mut next, mut path) = (Some(start), Vec::new());
        while let Some(index) = next
            && placed.get(index) == Some(&false)
        {
            set(&mut placed, index, true);
            path.push(index);
            next = at(parents, index);
        }
        order.extend(path.into_iter().rev());
    }
    order
}

/// The last record that speaks, of each record and what follows it.
fn last_words(
    nodes: &[&Node<'_>],
    parents: &[Option<usize>],
    order: &[usize],
) -> Vec<Option<usize>> {
    let own = |(index, node): (usize, &&Node<'_>)| node.speaks.then_some(index);
    let mut last: Vec<Option<usize>> = nodes.iter().enumerate().map(own).collect();
    for index in order.iter().rev() {
        if let Some(parent) = at(parents, *index) {
            let latest = at(&last, parent).max(at(&last, *index));
            set(&mut last, parent, latest);
        }
    }
    last
}

/// Of each record the child below which the last word was spoken.
fn heirs(parents: &[Option<usize>], last_words: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut best: Vec<Option<(usize, usize)>> = vec![None; parents.len()];
    for (index, (parent, last)) in parents.iter().zip(last_words).enumerate() {
        if let (Some(parent), Some(last)) = (*parent, *last) {
            let better = at(&best, parent).max(Some((last, index)));
            set(&mut best, parent, better);
        }
    }
    let child = |best: Option<(usize, usize)>| best.map(|(_, child)| child);
    best.into_iter().map(child).collect()
}

fn at<T: Copy>(list: &[Option<T>], index: usize) -> Option<T> {
    list.get(index).copied().flatten()
}

fn set<T>(list: &mut [T], index: usize, value: T) {
    if let Some(slot) = list.get_mut(index) {
        *slot = value;
    }
}
