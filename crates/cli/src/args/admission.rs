//! What is said to commands about requests that hold a session.

use clap::{ArgGroup, Args};

/// Which request is let go of, and what becomes of it.
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("end").required(true).args(["retry", "abandon"]))]
pub(crate) struct RecoverArgs {
    /// The session's id
    pub(crate) id: String,
    /// The request's id
    pub(crate) request: String,
    /// The claim that holds the session
    #[arg(long, value_name = "SEQ")]
    pub(crate) claim: u64,
    /// Let the same request in again, under a new claim, when it is sent again
    #[arg(long)]
    pub(crate) retry: bool,
    /// Give the request up: it ends without a result, and the session is free
    #[arg(long)]
    pub(crate) abandon: bool,
    /// A label of who does it, to be kept with the session
    #[arg(long, value_name = "LABEL")]
    pub(crate) by: Option<String>,
}

/// Which approval is decided.
#[derive(Args, Debug)]
pub(crate) struct DecideArgs {
    /// The session's id
    pub(crate) id: String,
    /// The approval's id
    pub(crate) approval: String,
    /// A label of who decides, to be kept with the session
    #[arg(long, value_name = "LABEL")]
    pub(crate) by: Option<String>,
}
