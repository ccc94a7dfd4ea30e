//! The `sessile` program: what a person at a terminal does with sessions.
//!
//! It holds no logic that a caller of the library would miss: it reads the command line, calls the
//! library, and writes the answer for people or in JSON Lines.

mod args;
mod exit;
mod failure;
mod output;
mod reading;
mod place;
mod commands;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => {
            // Help and version are answers, not failures.
            let exit = if told.use_stderr() { Exit::Usage } else { Exit::Done };
            let _untold = told.print();
            return exit.into();
        }
    };
    let json = cli.place.json;
    let mut output = Output::new(json);
    let ended = run(cli, &mut output).await;
    let ended = ended.and_then(|exit| output.flush().map(|()| exit));
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.tell(json);
            failure.exit().into()
        }
    }
}

async fn run(cli: Cli, output: &mut Output) -> Result<Exit, Failure> {
    if let Command::Demo(args) = cli.command {
        return commands::demo::run(args, output).await;
    }
    let store = place::open(&cli.place).await?;
    let ended = match cli.command {
        Command::New(args) => commands::new::run(&store, args, output).await,
        Command::Append(args) => commands::append::run(&store, args, output).await,
        Command::List(args) => commands::list::run(&store, args, output).await,
        Command::Show(args) => commands::show::run(&store, args, output).await,
        Command::Info(args) => commands::info::run(&store, args, output).await,
        Command::Verify(args) => commands::verify::run(&store, args, output).await,
        Command::Import(args) => commands::import::run(&store, args, output).await,
        Command::Demo(args) => commands::demo::run(args, output).await,
    };
    // A command that failed failed, whatever closing says.
    let closed = store.close().await;
    let exit = ended?;
    closed?;
    Ok(exit)
}
