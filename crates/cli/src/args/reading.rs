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
    /// Go on with what is added, until it is stopped
    #[arg(long)]
    pub(crate) follow: bool,
}

/// What is looked for.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// The word, or several in a row
    pub(crate) word: String,
    /// Look in transcripts too: in what is said, called and answered
    #[arg(long)]
    pub(crate) text: bool,
    /// Only in those of a project
    #[arg(long)]
    pub(crate) project: Option<String>,
    /// Only in those of an owner
    #[arg(long, value_name = "LABEL")]
    pub(crate) owner: Option<String>,
    /// Only in those with a tag
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Look no further once so many were found; what is found beside the last is shown too
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: usize,
    /// How many sessions to look at, at the most
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) look_at: usize,
    /// How many MiB of transcripts to read, at the most
    #[arg(long, value_name = "MIB", default_value_t = 256, requires = "text")]
    pub(crate) most_mib: u64,
    /// Go on after a search: the cursor that it ended with
    #[arg(long, value_name = "CURSOR")]
    pub(crate) after: Option<String>,
}

/// What is examined.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// The session's id; without it every session of the space
    pub(crate) id: Option<String>,
    /// Make the repairs by which nothing is lost, once what was found is told
    #[arg(long)]
    pub(crate) repair: bool,
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
