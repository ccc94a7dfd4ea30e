//! `sessile completions`.

use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Prints what a shell completes command lines by.
pub(crate) fn run(args: &CompletionsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sessile", &mut script);
    output.bytes(&script)?;
    Ok(Exit::Done)
}
