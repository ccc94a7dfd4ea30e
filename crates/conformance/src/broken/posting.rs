//! Faults of what boards are folded from: entries that come to stand in the journal as other ones
//! than were meant.

use sessile_core::{EntryType, NewEntry};

use crate::broken::journaling::{Mistake, nothing_for, without};

macro_rules! mistakes {
    ($($(#[$doc:meta])* $name:ident = $make:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Default)]
            pub(super) struct $name;

            impl Mistake for $name {
                fn make(entry: &mut NewEntry) {
                    let make: fn(&mut NewEntry) = $make;
                    make(entry);
                }
            }
        )*
    };
}

mistakes! {
    /// Forgets delivery keys.
    Keys = |it| without(it, &EntryType::Post, "key");
    /// Forgets what a post answers.
    ReplyLinks = |it| without(it, &EntryType::Post, "reply_to");
    /// Forgets what messages say.
    Bodies = |it| without(it, &EntryType::Post, "body");
    /// Forgets who leaves the board for a post.
    Evictions = |it| without(it, &EntryType::Post, "evicts");
    /// Forgets how messages were dealt with.
    Resolutions = |it| without(it, &EntryType::Resolve, "content");
    /// Forgets that messages were taken back.
    Withdrawals = |it| nothing_for(it, &EntryType::Withdraw);
    /// Forgets that messages were replaced.
    Replacements = |it| nothing_for(it, &EntryType::Replace);
    /// Forgets that messages were acknowledged.
    Acknowledgements = |it| nothing_for(it, &EntryType::Ack);
    /// Forgets that tasks were completed.
    Completions = |it| nothing_for(it, &EntryType::Complete);
    /// Forgets what a task was completed against.
    Fences = |it| without(it, &EntryType::Complete, "fence");
}
