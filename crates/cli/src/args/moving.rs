//! What is said to commands that take sessions from one place to another.

use std::path::PathBuf;

use clap::Args;

/// What is imported.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// The file, or a folder of them
    pub(crate) path: PathBuf,
    /// Its format: jsonl, claude-code, codex, pi, gemini, goose, opencode, legacy, ledger,
    /// snapshot, bindings; found from the file without it
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// The id of the new session; without it the source's own if it is free, else one made from it
    #[arg(long = "as", value_name = "ID")]
    pub(crate) id: Option<String>,
}

/// What is exported, and where to.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The session's id
    pub(crate) id: String,
    /// The format: jsonl, claude-code, codex, pi, gemini, goose, opencode, markdown, html, legacy,
    /// or snapshot for the one that was imported; without it that of the session's own messages
    #[arg(long = "to", value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// The file, or a folder, in which it gets a name of its own; standard output without it, and
    /// for `-`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Leave out what is damaged, and tell it; without it the export ends there
    #[arg(long)]
    pub(crate) skip_damaged: bool,
}

/// What is forked, and where.
#[derive(Args, Debug)]
pub(crate) struct ForkArgs {
    /// The session's id
    pub(crate) id: String,
    /// The last entry that is taken over, with all of its commit; the last one without it
    #[arg(long, value_name = "SEQ")]
    pub(crate) at: Option<u64>,
    /// The id of the fork; minted without it
    #[arg(long = "as", value_name = "ID")]
    pub(crate) new_id: Option<String>,
}

/// What is copied, from where to where.
#[derive(Args, Debug)]
pub(crate) struct CopyArgs {
    /// The store that is copied from
    #[arg(value_name = "FROM-URL")]
    pub(crate) from: String,
    /// The store that is copied to
    #[arg(value_name = "TO-URL")]
    pub(crate) to: String,
    /// The session's id; without it every session of the space
    pub(crate) id: Option<String>,
    /// Delete each session at its source once the target holds all of it
    #[arg(long = "move")]
    pub(crate) moves: bool,
}

/// Where the demonstration happens.
#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// A folder that does not exist yet; a temporary one without it, removed at the end
    pub(crate) folder: Option<PathBuf>,
}
