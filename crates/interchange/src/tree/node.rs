//! A record as the tree sees it.

use std::borrow::Cow;

/// What the tree must know of a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node<'a> {
    /// The name by which others follow it.
    pub(crate) id: Option<Cow<'a, str>>,
    /// The name of the record that it follows.
    pub(crate) parent: Option<Cow<'a, str>>,
    /// Whether it is no fault if that record is not in the file.
    pub(crate) may_dangle: bool,
    /// Whether it says something of its own. What hangs off a conversation without a word of its
    /// own is no branch, but belongs to it.
    pub(crate) speaks: bool,
    /// Whose conversation it is part of.
    pub(crate) lane: Lane<'a>,
}

/// Conversations that do not mix, whatever their links say.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lane<'a> {
    /// The one with the user.
    #[default]
    Main,
    /// That of a sub-agent with a name.
    Agent(Cow<'a, str>),
    /// Those of sub-agents without a name: each root begins one.
    Nameless,
}

impl Node<'_> {
    /// Whether it takes no part in the tree: nothing can follow it, and it follows nothing. It
    /// belongs to the main session, at its place in the file.
    pub(crate) fn floats(&self) -> bool {
        self.id.is_none() && self.parent.is_none() && self.lane == Lane::Main
    }
}
