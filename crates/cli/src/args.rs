//! What may be said on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Durable sessions for AI agents: list, read, verify and import them.
#[derive(Debug, Parser)]
#[command(name = "sessile", version, max_term_width = 100, infer_subcommands = true)]
#[command(after_help = "\
Exit status: 0 done; 1 failed; 2 usage, a bad id or place; 3 missing or deleted; 4 conflict, exists,
busy, closed; 5 corrupt, damaged or of an unknown version; 6 unavailable or no permission.")]
pub(crate) struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where, and how to answer.
#[derive(Args, Debug)]
pub(crate) struct PlaceArgs {
    /// The store, as in `file:PATH`; without it one in the user's data folder
    #[arg(long, global = true, value_name = "URL", env = "SESSILE_STORE")]
    pub(crate) store: Option<String>,
    /// The space within the store
    #[arg(long, global = true, value_name = "NAME", default_value = "default")]
    pub(crate) space: String,
    /// Answer in JSON Lines
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Give up after so many seconds
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) timeout: u64,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a session and print its id
    New(NewArgs),
    /// Append messages, one JSON value a line of standard input, as one commit
    #[command(after_help = "\
Example: echo '{\"role\":\"user\",\"content\":\"hi\"}' | sessile append ses_42

With --commit-id the command may be run again after a lost answer: what was appended is not appended
twice. Without --expect it appends at the end, whoever else writes.")]
    Append(AppendArgs),
    /// List sessions, newest first
    List(ListArgs),
    /// Print a transcript
    Show(ShowArgs),
    /// Print what is known of a session without its transcript
    Info(SessionArgs),
    /// Read a session, or all of them, whole and say what is damaged or set aside
    Verify(VerifyArgs),
    /// Import a session file of another program
    Import(ImportArgs),
    /// Show the main job on a store of its own: import, resume, append, tear, recover
    Demo(DemoArgs),
}

/// A session.
#[derive(Args, Debug)]
pub(crate) struct SessionArgs {
    /// The session's id
    pub(crate) id: String,
}

/// What a new session is.
#[derive(Args, Debug)]
pub(crate) struct NewArgs {
    /// Its id; minted without it
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Its title
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The project it belongs to
    #[arg(long)]
    pub(crate) project: Option<String>,
    /// A label of who owns it; its fingerprint is kept
    #[arg(long, value_name = "LABEL")]
    pub(crate) owner: Option<String>,
    /// A tag; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// A further member of its metadata; may be given several times
    #[arg(long = "meta", value_name = "KEY=JSON")]
    pub(crate) meta: Vec<String>,
}

/// What is appended, and where.
#[derive(Args, Debug)]
pub(crate) struct AppendArgs {
    /// The session's id
    pub(crate) id: String,
    /// The id by which a repeat is recognised; minted without it
    #[arg(long, value_name = "ID")]
    pub(crate) commit_id: Option<String>,
    /// Append only if the session ends at this position
    #[arg(long, value_name = "POSITION")]
    pub(crate) expect: Option<u64>,
}

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
    /// Only those in a state; without it all but deleted ones
    #[arg(long)]
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
    /// Only the last so many messages
    #[arg(long, value_name = "N", conflicts_with = "from")]
    pub(crate) last: Option<usize>,
    /// Only from this entry on
    #[arg(long, value_name = "SEQ")]
    pub(crate) from: Option<u64>,
    /// Every entry, not only messages
    #[arg(long)]
    pub(crate) events: bool,
}

/// What is verified.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// The session's id; without it every session of the space
    pub(crate) id: Option<String>,
}

/// What is imported.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// The file
    pub(crate) path: PathBuf,
    /// Its format: jsonl, claude-code, pi; found from the file without it
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// The id of the new session; without it the source's own if it is free, else one made from it
    #[arg(long = "as", value_name = "ID")]
    pub(crate) id: Option<String>,
}

/// Where the demonstration happens.
#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// A folder that does not exist yet; a temporary one without it, removed at the end
    pub(crate) folder: Option<PathBuf>,
}
