//! The `sessile` program: what a person at a terminal does with sessions.
//!
//! It holds no logic that a caller of the library would miss: it reads the command line, calls the
//! library, and writes the answer for people or in JSON Lines.

mod args;
mod exit;
mod reading;
mod failure;
mod stopping;
mod flags;
mod output;
mod misfits;
mod admission;
mod progress;
mod new_file;
mod place;
mod members;
mod identity;
mod messages;
mod walk;
mod answer;
mod verification;
mod commands;

use std::io::{self, Write as _};
use std::process::ExitCode;

use sessile::Store;

use crate::args::{Cli, Command, PlaceArgs, StoreCommand};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::stopping::or_stopped;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(told) => return misunderstood(&told).into(),
    };
    let json = cli.place.json;
    let mut output = Output::new(json);
    // As large as the largest command.
    let ended = Box::pin(run(cli, &mut output)).await;
    let ended = ended.and_then(|exit| output.flush().map(|()| exit));
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.tell(json);
            failure.exit().into()
        }
    }
}

/// Tells what is wrong with a command line, or what was asked about it.
fn misunderstood(told: &clap::Error) -> Exit {
    // Help and version are answers, not failures.
    let exit = if told.use_stderr() { Exit::Usage } else { Exit::Done };
    // There was no command line yet that could say how to answer.
    if exit == Exit::Usage && std::env::args_os().any(|arg| arg == "--json") {
        let text = told.to_string();
        let reason = text.split("\n\n").next().unwrap_or_default();
        let reason: Vec<&str> = reason.split_whitespace().collect();
        let reason = reason.join(" ").trim_start_matches("error: ").to_owned();
        Failure::not_understood(reason).tell(true);
    } else {
        let text = told.to_string();
        let visible = reading::visible_lines(&text);
        // What was typed is repeated, and may be a stranger's name of a file.
        let told = if visible == text { told.print() } else { tell(exit, &visible) };
        // A mistake is told by the status too; an answer that can't be written is a failure.
        if let (Exit::Done, Err(error)) = (exit, told.and_then(|()| io::stdout().flush())) {
            let failure = Failure::Output(error);
            failure.tell(false);
            return failure.exit();
        }
    }
    exit
}

/// Tells without colour.
fn tell(exit: Exit, text: &str) -> io::Result<()> {
    match exit {
        Exit::Done => write!(io::stdout(), "{text}"),
        _ => write!(io::stderr(), "{text}"),
    }
}

/// Runs a command. Ctrl-C ends it between two steps: what was begun is whole or not there, and files
/// that were not finished are gone.
async fn run(cli: Cli, output: &mut Output) -> Result<Exit, Failure> {
    let Cli { place, command } = cli;
    let command = match command {
        Command::OnStore(command) => command,
        Command::Copy(args) => return commands::copy::run(&place, args, output).await,
        Command::Check(args) => {
            return or_stopped(commands::check::run(&place, &args, output)).await;
        }
        Command::Demo(args) => return or_stopped(commands::demo::run(args, output)).await,
        Command::Completions(args) => return commands::completions::run(&args, output),
        Command::Manual(args) => return commands::manual::run(args, output),
    };
    let store = or_stopped(place::open(&place)).await?;
    let ended = or_stopped(Box::pin(run_on(&store, &place, command, output))).await;
    // A command that failed failed, whatever closing says.
    let closed = stopping::close(&store).await;
    let exit = ended?;
    closed?;
    Ok(exit)
}

async fn run_on(
    store: &Store,
    place: &PlaceArgs,
    command: StoreCommand,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match command {
        StoreCommand::New(args) => commands::new::run(store, args, output).await,
        StoreCommand::Append(args) => commands::append::run(store, args, output).await,
        StoreCommand::List(args) => commands::list::run(store, place, args, output).await,
        StoreCommand::Show(args) => commands::show::run(store, args, output).await,
        StoreCommand::Search(args) => commands::search::run(store, args, output).await,
        StoreCommand::Doctor(args) => commands::doctor::run(store, args, output).await,
        StoreCommand::Info(args) => commands::info::run(store, args, output).await,
        StoreCommand::Meta(args) => commands::meta::run(store, args, output).await,
        StoreCommand::Title(args) => commands::title::run(store, args, output).await,
        StoreCommand::Accept(args) => commands::accept::run(store, args, output).await,
        StoreCommand::Close(args) => commands::close::run(store, args, output).await,
        StoreCommand::Delete(args) => commands::delete::run(store, args, output).await,
        StoreCommand::Undelete(args) => commands::undelete::run(store, args, output).await,
        StoreCommand::Purge(args) => commands::purge::run(store, args, output).await,
        StoreCommand::Rewind(args) => commands::rewind::run(store, args, output).await,
        StoreCommand::Compact(args) => commands::compact::run(store, args, output).await,
        StoreCommand::Redact(args) => commands::redact::run(store, args, output).await,
        StoreCommand::Forget(args) => commands::forget::run(store, args, output).await,
        StoreCommand::Recover(args) => commands::recover::run(store, args, output).await,
        StoreCommand::Approve(args) => commands::decide::run(store, args, true, output).await,
        StoreCommand::Deny(args) => commands::decide::run(store, args, false, output).await,
        StoreCommand::Fork(args) => commands::fork::run(store, args, output).await,
        StoreCommand::Import(args) => commands::import::run(store, args, output).await,
        StoreCommand::Export(args) => commands::export::run(store, args, output).await,
        StoreCommand::Verify(args) => commands::verify::run(store, args, output).await,
        StoreCommand::Repair(args) => commands::repair::run(store, args, output).await,
        StoreCommand::Vacuum(args) => commands::vacuum::run(store, args, output).await,
        StoreCommand::Prune(args) => commands::prune::run(store, args, output).await,
        StoreCommand::Erase(args) => commands::erase::run(store, args, output).await,
        StoreCommand::Spaces => commands::spaces::run(store, output).await,
        StoreCommand::Status => commands::status::run(store, output).await,
    }
}
