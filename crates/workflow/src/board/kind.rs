//! What messages are: their kinds, and what becomes of them.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$inner])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word for it in entries and output.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// What a word stands for.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.name() == name)
            }
        }
    };
}

words! {
    /// What kind of message it is.
    Kind {
        /// Something worth knowing.
        Note = "note",
        /// Something that might be done.
        Proposal = "proposal",
        /// Something to be answered.
        Question = "question",
        /// What answers.
        Answer = "answer",
        /// What was decided.
        Decision = "decision",
        /// What may go wrong.
        Risk = "risk",
        /// How far something has come.
        Progress = "progress",
        /// How something is to be done.
        Guidance = "guidance",
        /// A task that can be assigned and completed.
        Todo = "todo",
    }
}

words! {
    /// How urgent a message is.
    Priority {
        /// It can wait.
        Low = "low",
        /// As usual.
        Normal = "normal",
        /// Before others.
        High = "high",
    }
}

words! {
    /// Whether a message is dealt with.
    Status {
        /// It is not.
        Open = "open",
        /// It is.
        Resolved = "resolved",
    }
}

words! {
    /// What closed a message that nobody dealt with.
    Closure {
        /// It was taken back.
        Withdrawn = "withdrawn",
        /// Another message stands in its place.
        Superseded = "superseded",
    }
}

impl Kind {
    /// Whether messages of the kind can be taken back or replaced.
    pub const fn is_revisable(self) -> bool {
        matches!(self, Self::Note | Self::Guidance | Self::Question | Self::Todo)
    }

    /// Whether an open message of the kind waits for somebody.
    pub const fn awaits_somebody(self) -> bool {
        matches!(self, Self::Guidance | Self::Question | Self::Todo | Self::Risk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_its_own() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(*kind));
        }
        assert_eq!(Kind::ALL.len(), 9);
        assert_eq!(Priority::from_name("urgent"), None);
        assert!(Priority::High > Priority::Normal && Priority::Normal > Priority::Low);
    }
}
