//! From the names that records give to links that hold.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use crate::tree::node::{Lane, Node};

/// Whom each record follows, without circles; and what was wrong with what they said.
#[derive(Debug)]
pub(super) struct Links {
    /// None for the first record of a conversation, and for what floats.
    pub(super) parents: Vec<Option<usize>>,
    /// In the order of the records.
    pub(super) faults: Vec<Fault>,
}

/// A record whose link does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    /// The record.
    pub(crate) index: usize,
    /// What is wrong.
    pub(crate) kind: FaultKind,
}

/// What can be wrong with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FaultKind {
    /// An earlier record has the same id.
    RepeatedId,
    /// The parent is not in the file.
    UnknownParent,
    /// It names itself.
    OwnParent,
    /// Following the links comes back to it.
    Circle,
    /// The parent is in the conversation of a sub-agent.
    ForeignParent,
}

/// Resolves every link.
///
/// A record without a parent continues the one before it: programs write such records after they
/// compacted, and some never write a parent. So does one whose link is broken.
pub(super) fn of(nodes: &[&Node<'_>]) -> Links {
    let mut links = by_name(nodes);
    part_lanes(nodes, &mut links);
    cut_circles(&mut links);
    continue_roots(nodes, &mut links);
    links.faults.sort_unstable();
    links
}

impl Links {
    fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().flatten()
    }

    fn set_parent(&mut self, index: usize, parent: Option<usize>) {
        if let Some(slot) = self.parents.get_mut(index) {
            *slot = parent;
        }
    }

    fn fault(&mut self, index: usize, kind: FaultKind) {
        self.faults.push(Fault { index, kind });
    }
}

/// Finds each parent by its id: the last record before the child that has it, else one after,
/// since some programs write a hook's output before what it hangs on.
fn by_name(nodes: &[&Node<'_>]) -> Links {
    let mut links = Links { parents: vec![None; nodes.len()], faults: Vec::new() };
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    let mut not_before = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent.as_deref() {
            match ids.get(parent) {
                Some(found) => links.set_parent(index, Some(*found)),
                None => not_before.push((index, parent, node.may_dangle)),
            }
        }
        if let Some(id) = node.id.as_deref()
            && ids.insert(id, index).is_some()
        {
            links.fault(index, FaultKind::RepeatedId);
        }
    }
    for (index, parent, may_dangle) in not_before {
        match ids.get(parent) {
            Some(found) if *found == index => links.fault(index, FaultKind::OwnParent),
            Some(found) => links.set_parent(index, Some(*found)),
            None if may_dangle => {}
            None => links.fault(index, FaultKind::UnknownParent),
        }
    }
    links
}

/// Drops links between conversations. That a sub-agent's first record names the record that
/// started it is no fault.
fn part_lanes(nodes: &[&Node<'_>], links: &mut Links) {
    for (index, node) in nodes.iter().enumerate() {
        let parent = links.parent(index).and_then(|parent| nodes.get(parent));
        if parent.is_some_and(|parent| parent.lane != node.lane) {
            links.set_parent(index, None);
            if node.lane == Lane::Main {
                links.fault(index, FaultKind::ForeignParent);
            }
        }
    }
}

/// Cuts each circle at its first record, whose link leads ahead and must be the wrong one.
fn cut_circles(links: &mut Links) {
    // Each record is visited by one walk only; a walk that meets its own steps found a circle.
    let mut visited_by: Vec<Option<usize>> = vec![None; links.parents.len()];
    for walk in 0..links.parents.len() {
        let mut next = Some(walk);
        let met = loop {
            let Some(at) = next else { break None };
            match visited_by.get_mut(at) {
                Some(Some(visitor)) => break (*visitor == walk).then_some(at),
                Some(unvisited) => *unvisited = Some(walk),
                None => break None,
            }
            next = links.parent(at);
        };
        if let Some(met) = met {
            let others = iter::successors(links.parent(met), |at| links.parent(*at));
            let first = others.take_while(|at| *at != met).fold(met, usize::min);
            links.set_parent(first, None);
            links.fault(first, FaultKind::Circle);
        }
    }
}

/// Lets each root but the first of its lane follow the record before it.
///
/// If records that follow a root stand before it, it follows the record before the first of
/// those: so every such link leads to a tree that begins earlier, and no circle can arise.
fn continue_roots(nodes: &[&Node<'_>], links: &mut Links) {
    let broken: BTreeSet<usize> = links
        .faults
        .iter()
        .filter(|fault| fault.kind != FaultKind::RepeatedId)
        .map(|fault| fault.index)
        .collect();
    let mut root_of: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut begun: BTreeSet<usize> = BTreeSet::new();
    let mut last_in: BTreeMap<&Lane<'_>, usize> = BTreeMap::new();
    let mut continued = Vec::new();
    for (index, node) in nodes.iter().enumerate().filter(|(_, node)| !node.floats()) {
        let root = root(index, links, &mut root_of);
        let stands_alone = node.lane == Lane::Nameless
            && nodes.get(root).is_some_and(|root| root.id.is_some())
            && !broken.contains(&root);
        // The first record seen of a tree is the first one that the tree has.
        if begun.insert(root)
            && !stands_alone
            && let Some(before) = last_in.get(&node.lane)
        {
            continued.push((root, *before));
        }
        last_in.insert(&node.lane, index);
    }
    for (root, before) in continued {
        links.set_parent(root, Some(before));
    }
}

/// The root above a record; what was found out on the way is kept.
fn root(index: usize, links: &Links, root_of: &mut [Option<usize>]) -> usize {
    let known = |at: usize, root_of: &[Option<usize>]| root_of.get(at).copied().flatten();
    let (mut at, mut path) = (index, Vec::new());
    let root = loop {
        if let Some(root) = known(at, root_of) {
            break root;
        }
        path.push(at);
        match links.parent(at) {
            Some(parent) => at = parent,
            None => break at,
        }
    };
    for step in path {
        if let Some(slot) = root_of.get_mut(step) {
            *slot = Some(root);
        }
    }
    root
}
