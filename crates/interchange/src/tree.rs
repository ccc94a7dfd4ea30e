//! Which records follow which, and which conversations that makes.
//!
//! Programs that let their users go back keep all branches in one file: each record names the one
//! it follows. The main session is the chain that ends in the last message; where something else
//! was said from some record on, that is a fork. What sub-agents said stands apart.

mod node;
mod links;
mod branches;

pub(crate) use branches::{Conversation, Conversations, Origin};
pub(crate) use links::{Fault, FaultKind};
pub(crate) use node::{Lane, Node};

/// Sorts the records of a file into conversations; also tells which links were broken.
///
/// Time and memory are in proportion to the number of records, whatever their links say.
pub(crate) fn grow(nodes: &[&Node<'_>]) -> (Conversations, Vec<Fault>) {
    let links = links::of(nodes);
    (branches::of(nodes, &links.parents), links.faults)
}

#[cfg(test)]
mod tests;
