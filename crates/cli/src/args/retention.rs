//! What is said to commands that remove sessions by the many.

use clap::{Args, ValueEnum};

/// Which sessions are kept, and for how long.
#[derive(Args, Debug)]
pub(crate) struct PruneArgs {
    /// Remove what nobody has added to for longer: a number and s, m, h, d or w, as in 30d
    #[arg(long, value_name = "AGE", required_unless_present = "keep_last")]
    pub(crate) older_than: Option<String>,
    /// Keep the last so many, however old
    #[arg(long, value_name = "N")]
    pub(crate) keep_last: Option<usize>,
    /// Only those of a project
    #[arg(long)]
    pub(crate) project: Option<String>,
    /// Only those of an owner
    #[arg(long, value_name = "LABEL")]
    pub(crate) owner: Option<String>,
    /// Only those with a tag
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only those that are active or closed; without it both
    #[arg(long, hide_possible_values = true)]
    pub(crate) state: Option<Living>,
    /// Also those that a request holds
    #[arg(long)]
    pub(crate) held: bool,
    /// Also those of which something can't be read, but for their headers
    #[arg(long)]
    pub(crate) damaged: bool,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Where a session is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Living {
    /// It takes everything
    Active,
    /// It takes no more messages
    Closed,
}

/// What is erased.
#[derive(Args, Debug)]
pub(crate) struct EraseArgs {
    /// All sessions of an owner
    #[arg(long, value_name = "LABEL", required_unless_present = "all", conflicts_with = "all")]
    pub(crate) owner: Option<String>,
    /// All sessions of the space
    #[arg(long)]
    pub(crate) all: bool,
    /// That it is meant: the owner's label again, or the name of the space
    #[arg(long, value_name = "WORD", required_unless_present = "dry_run")]
    pub(crate) confirm: Option<String>,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}
