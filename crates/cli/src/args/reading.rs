//! What is said to commands that look.

use clap::{Args, ValueEnum};

/// Which sessions are listed.
#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// Only those of a project
    #[arg(long)]
    pub(crate) project: Option<String>,
    /// Only those of an owner
    #[arg(long, value_name = "LABEL")]
    pub(crate) owner: Option<String>,
    /// Only those with a tag
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only those that are active, closed, damaged or deleted; without it all but deleted ones
    #[arg(long, hide_possible_values = true)]
    pub(crate) state: Option<State>,
    /// How many at the most
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: usize,
    /// Go on after a page: the cursor that it ended with
    #[arg(long, value_name = "CURSOR")]
    pub(crate) after: Option<String>,
}

/// Where a session is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum State {
    /// It takes everything
    Active,
    /// It takes no more messages
    Closed,
    /// Part of it can't be read
    Damaged,
    /// Only its tombstone is left
    Deleted,
}

/// Which part of a transcript is shown.
#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The session's id
    pub(crate) id: String,
    /// Only the last so many messages of the transcript, and what is provisional behind them
    #[arg(long, value_name = "N", conflicts_with = "from")]
    pub(crate) last: Option<usize>,
    /// Only from this entry on
    #[arg(long, value_name = "SEQ")]
    pub(crate) from: Option<u64>,
    /// Every entry, not only messages
    #[arg(long)]
    pub(crate) events: bool,
}

/// What is told of a session.
#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    /// The session's id
    pub(crate) id: String,
    /// Look for calls, results and parents that do not fit in all of the session, however long
    #[arg(long)]
    pub(crate) whole: bool,
    /// End with 4 unless this field of its identity is so; may be given several times
    #[arg(long, value_name = "KEY=JSON")]
    pub(crate) identity: Vec<String>,
}

/// One session or all.
#[derive(Args, Debug)]
pub(crate) struct SomeArgs {
    /// The session's id; without it every session of the space
    pub(crate) id: Option<String>,
}

/// What is repaired.
#[derive(Args, Debug)]
pub(crate) struct RepairArgs {
    /// The session's id
    pub(crate) id: String,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}
