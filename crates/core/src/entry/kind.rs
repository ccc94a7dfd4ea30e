//! The types of entries: those reserved by format 1, and whatever a newer writer uses.

use std::fmt;
use std::sync::Arc;

macro_rules! entry_types {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What an entry is.
        ///
        /// Every type of format 1 is reserved with its [shape](super::shape). A type that is not
        /// listed is carried as it is.
        ///
        /// # Examples
        /// ```
        /// use sessile_core::EntryType;
        ///
        /// assert_eq!(EntryType::from_name("outcome"), EntryType::Outcome);
        /// // What a newer program writes is carried under its own name.
        /// let newer = EntryType::from_name("applause");
        /// assert_eq!((newer.as_str(), newer.is_bookkeeping()), ("applause", false));
        /// assert!(!EntryType::RESERVED.contains(&newer));
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EntryType {
            $($(#[$doc])* $variant,)*
            /// A type that this version does not know.
            Other(Arc<str>),
        }

        impl EntryType {
            /// Every type that format 1 reserves.
            pub const RESERVED: &'static [Self] = &[$(Self::$variant),*];

            /// The name of the type on a line.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Other(name) => name,
                }
            }

            /// The type of a name; any name that is not reserved is carried as it is.
            pub fn from_name(name: &str) -> Self {
                match name {
                    $($name => Self::$variant,)*
                    _ => Self::Other(name.into()),
                }
            }
        }
    };
}

entry_types! {
    /// The header: the first entry of every journal.
    Session = "session",
    /// A message of the transcript, verbatim.
    Message = "message",
    /// Something that happened, verbatim, outside the transcript.
    Event = "event",
    /// A change of metadata, merged key by key; an empty one is a touch.
    Meta = "meta",
    /// The view is now a summary and the messages from an ordinal on.
    Compaction = "compaction",
    /// Later readers see the transcript up to a seq.
    Rewind = "rewind",
    /// The session takes no more messages.
    Close = "close",
    /// The tombstone.
    Delete = "delete",
    /// Takes the tombstone back.
    Undelete = "undelete",
    /// Where the entries before or after it came from.
    Import = "import",
    /// The first own entry of a fork.
    Forked = "forked",
    /// A torn tail was set aside here.
    Repaired = "repaired",
    /// Ends what an unknown outcome left open: what is not before it can never be.
    Barrier = "barrier",
    /// The data of other entries was removed.
    Redacted = "redacted",
    /// The entries before a seq were removed.
    Forgotten = "forgotten",
    /// Reserved: a claim bounded by time.
    Lease = "lease",
    /// A request takes the session.
    Claim = "claim",
    /// The resumable state of a turn.
    Checkpoint = "checkpoint",
    /// A side effect is about to happen.
    Intent = "intent",
    /// A side effect happened.
    Completion = "completion",
    /// A turn asks for leave.
    Approval = "approval",
    /// Leave is given or refused.
    Decision = "decision",
    /// A request ended, and the session is free.
    Outcome = "outcome",
    /// A message on the board.
    Post = "post",
    /// A board message is dealt with.
    Resolve = "resolve",
    /// A board message is taken back.
    Withdraw = "withdraw",
    /// A board message is replaced by another.
    Replace = "replace",
    /// A board message was seen.
    Ack = "ack",
    /// A task that was assigned is done.
    Complete = "complete",
    /// An instruction to the session.
    Instruct = "instruct",
    /// The execution context of the session changed.
    Context = "context",
    /// The folded state before it; derived.
    State = "state",
}

impl EntryType {
    /// Whether it is derived from or serves other entries, and is no act of a caller's.
    pub const fn is_bookkeeping(&self) -> bool {
        matches!(self, Self::State | Self::Barrier | Self::Repaired)
    }

    /// Whether the board of a session is folded from entries of the type.
    pub const fn is_of_board(&self) -> bool {
        matches!(
            self,
            Self::Post
                | Self::Resolve
                | Self::Withdraw
                | Self::Replace
                | Self::Ack
                | Self::Complete
        )
    }

    /// Which members of its data stay in force when an entry is redacted, because others rest on
    /// them; none where entries of the type can't be redacted.
    pub const fn kept_when_redacted(&self) -> Option<&'static [&'static str]> {
        Some(match self {
            Self::Message | Self::Event | Self::Instruct | Self::Context => &[],
            Self::Compaction => &["keep_from", "keep_seq"],
            Self::Outcome => &[
                "request",
                "input",
                "contract",
                "status",
                "adopts",
                "messages",
                "may_retry",
                "usage",
            ],
            Self::Post => &[
                "id",
                "key",
                "kind",
                "priority",
                "reply_to",
                "from",
                "requires_ack",
                "content",
                "evicts",
            ],
            Self::Resolve => &["id", "content"],
            Self::Withdraw => &["id"],
            Self::Replace => &["id", "by", "content", "evicts"],
            Self::Ack => &["id", "by"],
            Self::Complete => {
                &["id", "answer", "completion", "fence", "from", "priority", "content", "evicts"]
            }
            _ => return None,
        })
    }
}

impl fmt::Display for EntryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reserved_name_is_its_own_type() {
        for reserved in EntryType::RESERVED {
            assert_eq!(&EntryType::from_name(reserved.as_str()), reserved);
        }
        assert_eq!(EntryType::RESERVED.len(), 32);
        assert_eq!(EntryType::from_name("x.y").as_str(), "x.y");
    }

    #[test]
    fn what_people_wrote_can_be_redacted_and_what_orders_the_session_can_not() {
        let kept = |it: &&EntryType| it.kept_when_redacted().is_some();
        let names: Vec<&str> =
            EntryType::RESERVED.iter().filter(kept).map(EntryType::as_str).collect();
        assert_eq!(
            names,
            [
                "message",
                "event",
                "compaction",
                "outcome",
                "post",
                "resolve",
                "withdraw",
                "replace",
                "ack",
                "complete",
                "instruct",
                "context"
            ]
        );
        for free in ["summary", "result", "reason", "body"] {
            let all = EntryType::RESERVED.iter().filter_map(EntryType::kept_when_redacted);
            assert!(all.into_iter().all(|kept| !kept.contains(&free)), "{free}");
        }
        assert_eq!(EntryType::from_name("x.y").kept_when_redacted(), None);
    }
}
