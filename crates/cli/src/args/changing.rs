//! What is said to commands that change a session.

use std::path::PathBuf;

use clap::Args;

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
    /// A field of what it belongs to, which runs are compared with; may be given several times
    #[arg(long, value_name = "KEY=JSON")]
    pub(crate) identity: Vec<String>,
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
    /// Append only if this field of its identity is so; may be given several times
    #[arg(long, value_name = "KEY=JSON")]
    pub(crate) identity: Vec<String>,
}

/// Which difference is accepted.
#[derive(Args, Debug)]
pub(crate) struct AcceptArgs {
    /// The session's id
    pub(crate) id: String,
    /// A field of the identity that runs have; may be given several times
    #[arg(long, value_name = "KEY=JSON", required = true)]
    pub(crate) identity: Vec<String>,
    /// The difference that was shown
    #[arg(long, value_name = "DIGEST")]
    pub(crate) difference: String,
    /// A label of who accepts it, to be kept with the session
    #[arg(long, value_name = "LABEL")]
    pub(crate) by: Option<String>,
}

/// Which metadata is set.
#[derive(Args, Debug)]
pub(crate) struct MetaArgs {
    /// The session's id
    pub(crate) id: String,
    /// Keys and their new values
    #[arg(value_name = "KEY=JSON", required = true)]
    pub(crate) members: Vec<String>,
}

/// Which title is set.
#[derive(Args, Debug)]
pub(crate) struct TitleArgs {
    /// The session's id
    pub(crate) id: String,
    /// The title
    pub(crate) text: String,
}

/// How far a session goes back.
#[derive(Args, Debug)]
pub(crate) struct RewindArgs {
    /// The session's id
    pub(crate) id: String,
    /// The last entry that stays in sight
    #[arg(long, value_name = "SEQ")]
    pub(crate) to: u64,
}

/// What stands for which messages.
#[derive(Args, Debug)]
pub(crate) struct CompactArgs {
    /// The session's id
    pub(crate) id: String,
    /// A file with the messages of the summary, one JSON value a line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: PathBuf,
    /// The first message that the summary does not stand for
    #[arg(long, value_name = "SEQ")]
    pub(crate) keep_from: u64,
}

/// What is redacted.
#[derive(Args, Debug)]
pub(crate) struct RedactArgs {
    /// The session's id
    pub(crate) id: String,
    /// The entries, by their numbers
    #[arg(value_name = "SEQ", required = true)]
    pub(crate) seqs: Vec<u64>,
    /// Why, to be kept with the session
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

/// What is forgotten.
#[derive(Args, Debug)]
pub(crate) struct ForgetArgs {
    /// The session's id
    pub(crate) id: String,
    /// The first entry that is kept
    #[arg(long, value_name = "SEQ")]
    pub(crate) before: u64,
}
