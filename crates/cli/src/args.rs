//! What may be said on the command line.

mod admission;
mod changing;
mod moving;
mod reading;
mod retention;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub(crate) use admission::{DecideArgs, RecoverArgs};
pub(crate) use changing::{
    AcceptArgs, AppendArgs, CompactArgs, ForgetArgs, MetaArgs, NewArgs, RedactArgs, RewindArgs,
    TitleArgs,
};
pub(crate) use moving::{CopyArgs, DemoArgs, ExportArgs, ForkArgs, ImportArgs};
pub(crate) use reading::{
    DoctorArgs, InfoArgs, ListArgs, RepairArgs, SearchArgs, ShowArgs, SomeArgs, State,
};
pub(crate) use retention::{EraseArgs, Living, PruneArgs};

/// Durable sessions for AI agents: read, change, verify and move them.
#[derive(Debug, Parser)]
#[command(name = "sessile", version, max_term_width = 100, infer_subcommands = true)]
#[command(after_help = "\
Exit status: 0 done; 1 failed; 2 usage, a bad id or place; 3 missing, deleted, forgotten \
or expired; 4 conflict, exists, busy, closed, fenced or another mismatch; 5 corrupt, damaged or of an \
unknown version; 6 unavailable or no permission; 130 stopped by Ctrl-C.")]
pub(crate) struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads the command line.
    ///
    /// # Errors
    /// What is wrong with it, or what was asked about it.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        let mut cli = Self::from_arg_matches(&matches)?;
        let is_typed = |flag| matches.value_source(flag) == Some(ValueSource::CommandLine);
        cli.place.store_is_typed = is_typed("store");
        let (name, has_own) = match &cli.command {
            Command::OnStore(_) => return Ok(cli),
            Command::Copy(_) => ("copy", "its stores are FROM-URL and TO-URL"),
            Command::Check(_) => ("check", "the place is its URL"),
            Command::Demo(_) => ("demo", "it makes a store of its own"),
            Command::Completions(_) => ("completions", "it needs no store"),
            Command::Manual(_) => ("manual", "it needs no store"),
        };
        if is_typed("store") {
            let text = format!("{name} takes no --store: {has_own}");
            return Err(command.error(ErrorKind::ArgumentConflict, text));
        }
        Ok(cli)
    }
}

/// Where, and how to answer.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct PlaceArgs {
    /// The store, as in `file:PATH`; without it one in the user's data folder
    #[arg(long, global = true, value_name = "URL", env = "SESSILE_STORE", hide_env_values = true)]
    pub(crate) store: Option<String>,
    /// Whether the store stands on the command line.
    #[arg(skip)]
    pub(crate) store_is_typed: bool,
    /// The space within the store
    #[arg(long, global = true, value_name = "NAME", default_value = "default")]
    pub(crate) space: String,
    /// Answer in JSON Lines
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Give up after so many seconds
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 30)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What is done on the store.
    #[command(flatten)]
    OnStore(StoreCommand),
    /// Copy a session, or all of a space, to another store; again copies only what is missing
    #[command(after_help = "\
Example: sessile copy file:/var/lib/agents file:/mnt/backup ses_42

The copy has the same id and the same entries, and was compared with the source byte for byte when \
the command says that it is done. One that was cut short is completed by the same command. --space \
is that of both stores; --store has no place here.")]
    Copy(CopyArgs),
    /// Find out before traffic whether a place does what a store needs
    #[command(after_help = "\
Example: sessile check 's3://agents/prod?region=eu-west-1'

It writes below names of its own and removes them; nothing else is touched. The exit status is 6 when \
the place fails, does not answer or refuses access.")]
    Check(CheckArgs),
    /// Print what a shell needs to complete command lines
    #[command(after_help = "\
Example: sessile completions bash > ~/.local/share/bash-completion/completions/sessile")]
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each command into a folder
    #[command(after_help = "Example: sessile manual | man -l -")]
    Manual(ManualArgs),
    /// Show the main job on a store of its own: import, resume, append, tear, recover
    #[command(after_help = "Example: sessile demo")]
    Demo(DemoArgs),
}

/// What can be done on a store.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Create a session and print its id
    #[command(after_help = "Example: sessile new --title 'Fix the parser' --project shop")]
    New(NewArgs),
    /// Append messages, one JSON value a line of standard input, as one commit
    #[command(after_help = "\
Example: echo '{\"role\":\"user\",\"content\":\"hi\"}' | sessile append ses_42

With --commit-id the command may be run again after a lost answer: what was appended is not appended \
twice. Without --expect it appends at the end, whoever else writes.")]
    Append(AppendArgs),
    /// List sessions, newest first
    #[command(after_help = "\
Example: sessile list --project shop --state active

A line is the id, when the session was last added to, how many messages it has, and its title; \
[held] marks one that a request holds.")]
    List(ListArgs),
    /// Print a transcript
    #[command(after_help = "\
Example: sessile show ses_42 --last 5

Messages of a turn that is not committed yet are provisional: they are shown last, and marked; with \
--follow they are shown once they are part of the transcript, and Ctrl-C ends it. What a \
rewind has hidden and what a turn has left that failed or was given up is shown with --events only.")]
    Show(ShowArgs),
    /// Find sessions by a word in their titles, or in what was said
    #[command(after_help = "\
Example: sessile search parser --text

It looks at titles alone, the newest sessions first, and ends once 50 were found or 10,000 sessions were \
looked at: --limit and --look-at say otherwise. With --text it also reads transcripts, of which it reads \
at most 256 MiB, or as many as --most-mib says: that is what it costs. Where it has ended before the last \
session it tells the cursor to go on with. Upper and lower case are alike.")]
    Search(SearchArgs),
    /// Print what is known of a session without its transcript
    #[command(after_help = "\
Example: sessile info ses_42

It tells which request holds the session and by which claim, what leave it waits for, and the side \
effects of which nobody knows whether they happened.

With --identity the exit status is 4 where the session belongs to something else, as in \
--identity 'model=\"large\"' --identity 'roster=[\"ann\",\"bob\"]'; what differs is told.

Calls without a result, results without a call and parents that are nowhere are told of the last \
MiB of messages and events; --whole looks at all of them.")]
    Info(InfoArgs),
    /// Set metadata key by key; `null` removes a key
    #[command(after_help = "\
Example: sessile meta ses_42 priority=2 'tags=[\"urgent\"]' owner=null

Keys that are not named stay. `title`, `model`, `cwd` and `tags` are read by this program.")]
    Meta(MetaArgs),
    /// Set the title
    #[command(after_help = "Example: sessile title ses_42 'Fix the parser'")]
    Title(TitleArgs),
    /// Let a session go on under another identity, by exactly the difference that was shown
    #[command(after_help = "\
Example: sessile accept ses_42 --identity 'model=\"small\"' --difference 9f2c... --by ann

`sessile info ses_42 --identity 'model=\"small\"'` shows the difference, and by which digest it is \
accepted. A session that has changed since refuses. Both identities are kept with the session, and who \
accepted the new one. `list`, `search` and `prune` go by the project that it was created in.")]
    Accept(AcceptArgs),
    /// Close a session: it takes no more messages
    #[command(after_help = "Example: sessile close ses_42")]
    Close(SessionArgs),
    /// Delete a session; until it is purged that can be taken back
    #[command(after_help = "Example: sessile delete ses_42")]
    Delete(SessionArgs),
    /// Take a deletion back
    #[command(after_help = "Example: sessile undelete ses_42")]
    Undelete(SessionArgs),
    /// Remove what a deleted session held, for good; its id is never used again
    #[command(after_help = "Example: sessile delete ses_42 && sessile purge ses_42")]
    Purge(SessionArgs),
    /// Go back to an entry: what follows it is hidden from the transcript, and nothing is lost
    #[command(after_help = "\
Example: sessile rewind ses_42 --to 17

Entry 17 stays in sight. `sessile show ses_42 --events` shows what is hidden.")]
    Rewind(RewindArgs),
    /// Let a summary stand for the messages before an entry; the transcript stays whole
    #[command(after_help = "\
Example: sessile compact ses_42 --summary summary.jsonl --keep-from 120

The file holds the summary's messages, one JSON value a line, in the dialect of the session.")]
    Compact(CompactArgs),
    /// Remove what single messages and events hold, for good
    #[command(after_help = "\
Example: sessile redact ses_42 17 18 --reason 'a password'

They keep their numbers. Forks, copies and exports that were made before are not reached.")]
    Redact(RedactArgs),
    /// Remove what all messages and events before an entry hold, for good
    #[command(after_help = "\
Example: sessile forget ses_42 --before 120

The results of requests that ended there go too: who sends such a request again is answered expired, \
and it is not done again.")]
    Forget(ForgetArgs),
    /// Let go of a request whose owner has stopped: let it in again, or give it up
    #[command(after_help = "\
Example: sessile recover ses_42 req-7 --claim 17 --retry

`sessile info` tells which request holds a session, and by which claim. See first that its owner has \
stopped: whatever it still writes here is refused, but nobody can call back what it has sent \
elsewhere. With --retry it goes on when the same request is sent again; with --abandon it ends \
without a result, and what its turn has written stays outside the transcript.")]
    Recover(RecoverArgs),
    /// Give leave that a turn waits for
    #[command(after_help = "\
Example: sessile approve ses_42 pay-3 --by ann

`sessile info` tells what is waited for. Leave is for one call, and for once. Deciding alike again \
changes nothing.")]
    Approve(DecideArgs),
    /// Refuse leave that a turn waits for
    #[command(after_help = "Example: sessile deny ses_42 pay-3 --by ann")]
    Deny(DecideArgs),
    /// Copy a session up to an entry under a new id, and print that
    #[command(after_help = "\
Example: sessile fork ses_42 --at 17 --as ses_43

With --at and --as the command may be run again: a fork that is there is not made twice.")]
    Fork(ForkArgs),
    /// Import session files of other programs: one, or all in a folder
    #[command(after_help = "\
Example: sessile import ~/.claude/projects
Example: sessile import rollout.jsonl --from codex --as ses_42

Importing a file again adds nothing; one that has grown adds what is new. Of a folder every transcript \
of a format that is known is taken over, and what is no transcript is told.")]
    Import(ImportArgs),
    /// Write a session as a file
    #[command(after_help = "\
Example: sessile export ses_42 --to html -o .
Example: sessile export ses_42 --to markdown -o .

The file appears whole or not at all, and only its owner may read it. Only jsonl, markdown and html take \
messages of any dialect: nothing is converted. opencode's own form in a folder is small files.")]
    Export(ExportArgs),
    /// Read a session, or all of them, whole and say what is damaged or set aside
    #[command(after_help = "Example: sessile verify ses_42")]
    Verify(SomeArgs),
    /// Set a torn tail aside, where it is kept, and say what can be read
    #[command(after_help = "\
Example: sessile repair ses_42 --dry-run

What was acknowledged and is damaged stays as it is, and the exit status is 5.")]
    Repair(RepairArgs),
    /// Explain what is wrong in a store, and what each repair would do, before anything is done
    #[command(after_help = "\
Example: sessile doctor
Example: sessile doctor ses_42 --repair

It reads each session whole and changes nothing. With --repair it first says what it found, then makes \
the repairs by which nothing that was acknowledged is lost; what a person has to decide it leaves. The \
exit status is 5 where a session is not sound at the end.")]
    Doctor(DoctorArgs),
    /// Drop what the journal of a session, or of all of them, holds and nobody needs any more
    #[command(after_help = "Example: sessile vacuum ses_42")]
    Vacuum(SomeArgs),
    /// Delete sessions that nobody has added to for a long time; that can be taken back
    #[command(after_help = "\
Example: sessile prune --older-than 30d --keep-last 100 --dry-run

A session goes where it is older *and* none of the last. What counts is when somebody last added to \
it, as its journal says. One that a request holds, or of which something can't be read, is kept.")]
    Prune(PruneArgs),
    /// Delete and purge all sessions of an owner or of the space, for good
    #[command(after_help = "\
Example: sessile erase --owner ann --confirm ann

Checkpoints, effects, snapshots and bindings that go with them are removed too. What can't be read is \
told and stays. Object storage purges what has been deleted for 24 hours: run it again then.")]
    Erase(EraseArgs),
    /// List the spaces of the store
    #[command(after_help = "Example: sessile spaces")]
    Spaces,
    /// Print the figures of the store: what it can do, and how many sessions of a space it holds
    #[command(after_help = "Example: sessile status --space tenant-7")]
    Status,
}

/// The place that is looked at.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// The place, as in `s3://bucket/prefix` or `file:PATH`
    #[arg(value_name = "URL")]
    pub(crate) url: String,
}

/// For which shell.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Where the manual goes.
#[derive(Args, Debug)]
pub(crate) struct ManualArgs {
    /// A folder, for a page of each command; standard output without it, for the one of all
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

/// A session.
#[derive(Args, Debug)]
pub(crate) struct SessionArgs {
    /// The session's id
    pub(crate) id: String,
}
