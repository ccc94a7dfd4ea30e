//! `sessile demo`: the main job, on a store of its own.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;
use sessile::interchange::{self, Format};
use sessile::prelude::*;
use sessile::{From, SessionId};

use crate::args::DemoArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, remark};
use crate::reading;

/// A session file as Claude Code writes it.
const SESSION_FILE: &[u8] = include_bytes!("../../demo/weather.jsonl");

/// How many bytes the demonstration tears off the last commit.
const TORN_BYTES: u64 = 40;

/// One step, in `--json` output.
#[derive(Debug, Serialize)]
struct Step<'a> {
    #[serde(rename = "step")]
    name: &'a str,
    session: &'a SessionId,
    messages: u64,
    said: &'a str,
}

/// Where it happens, and what is told of it.
#[derive(Debug)]
struct Stage<'a> {
    output: &'a mut Output,
    folder: PathBuf,
}

/// Imports a session, resumes it, appends, tears the file's tail, reopens and recovers.
pub(crate) async fn run(args: DemoArgs, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(folder) = args.folder {
        fs::create_dir(&folder).map_err(|error| made(&folder, error))?;
        let place = folder.display().to_string();
        let exit = Box::pin(Stage { output, folder }.play()).await?;
        remark(&format!("the store stays at file:{place}"), output)?;
        return Ok(exit);
    }
    let temporary = tempfile::Builder::new().prefix("sessile-demo-").tempdir();
    let temporary = temporary.map_err(Failure::Input)?;
    let folder = temporary.path().join("store");
    Box::pin(Stage { output, folder }.play()).await
}

fn made(folder: &Path, error: io::Error) -> Failure {
    let told = match error.kind() {
        io::ErrorKind::AlreadyExists => {
            sessile::Error::new(sessile::ErrorKind::Exists, "something of this name is there")
        }
        _ => sessile::Error::new(sessile::ErrorKind::Unavailable, "the folder can't be made")
            .with_source(error),
    };
    told.with_hint("name a folder that does not exist, or none for a temporary one")
        .about(folder.display())
        .into()
}

impl Stage<'_> {
    async fn play(mut self) -> Result<Exit, Failure> {
        let store = self.open().await?;
        let source = interchange::parse(Format::ClaudeCode, SESSION_FILE.into())?;
        let imported = store.import(&source).await?;
        let Some(main) = imported.first() else {
            let clause = "the demonstration's file has no session";
            return Err(sessile::Error::new(sessile::ErrorKind::Refused, clause).into());
        };
        let id = main.session.clone();
        let session = store.open_session(&id).await?;
        let title = session.info().title().unwrap_or_default();
        let lines = source.lines;
        let said = format!("a Claude Code file of {lines} lines is now a session: {title:?}");
        self.tell("import", &session, &said)?;

        self.tell("resume", &session, "another process would go on from its last messages:")?;
        self.show_last(&session, 2).await?;

        let asked =
            json!({"type": "user", "message": {"role": "user", "content": "Thanks! Ship it."}});
        session.append([&asked]).await?;
        let done = json!({"type": "assistant", "message": {"role": "assistant",
            "content": "Tagged v0.4.1 and pushed."}});
        session.append([&done]).await?;
        self.tell("append", &session, "two messages, each one write and one flush, acknowledged")?;

        store.close().await?;
        self.tear(&id).map_err(Failure::Input)?;
        let store = self.open().await?;
        let session = store.open_session(&id).await?;
        let receipt = session.receipt().map(|receipt| receipt.to_string()).unwrap_or_default();
        let said =
            format!("a crash took the last {TORN_BYTES} bytes; the receipt of what was kept:");
        self.tell("tear", &session, &said)?;
        self.tell("reopen", &session, &receipt)?;

        session.append([&done]).await?;
        let kept = store.verify(&id).await?;
        let aside: u64 = kept.set_aside.iter().map(|aside| aside.bytes).sum();
        let place = kept.set_aside.first().and_then(|aside| aside.kept_at.as_deref());
        let place = place.unwrap_or("nowhere");
        let said = format!("said again and readable; {aside} bytes are kept at {place}");
        self.tell("recover", &session, &said)?;
        self.show_last(&session, 2).await?;

        let sound = if kept.sound { "sound" } else { "NOT SOUND" };
        let said = format!("{} entries in {} commits: {sound}", kept.entries, kept.commits);
        self.tell("verify", &session, &said)?;
        store.close().await?;
        let messages = session.info().messages;
        let expected = main.messages + 2;
        Ok(if kept.sound && aside > 0 && messages == expected { Exit::Done } else { Exit::Failed })
    }

    async fn open(&self) -> Result<Store, Failure> {
        let backend = sessile::fs::FsBackend::open(&self.folder, sessile::fs::Options::default());
        Ok(Store::on(std::sync::Arc::new(backend.await?)))
    }

    fn tell(&mut self, step: &str, session: &Session, said: &str) -> Result<(), Failure> {
        let messages = session.info().messages;
        if self.output.is_json() {
            return self.output.value(&Step { name: step, session: session.id(), messages, said });
        }
        self.output.line(&format!("{step:>8}  {said}"))
    }

    async fn show_last(&mut self, session: &Session, count: usize) -> Result<(), Failure> {
        if self.output.is_json() {
            return Ok(());
        }
        let dialect = session.info().header.dialect;
        let mut messages = session.transcript::<RawMessage>(From::last(count)).await?;
        while let Some(message) = messages.next().await {
            let message = message?;
            let place = message.ordinal.map(|ordinal| format!("#{ordinal}")).unwrap_or_default();
            let text = reading::message(&place, message.at, dialect, &message.data);
            for line in text.lines() {
                self.output.line(&format!("          | {line}"))?;
            }
        }
        Ok(())
    }

    /// Cuts the journal within its last commit, as a crash in the middle of a write does.
    fn tear(&self, id: &SessionId) -> io::Result<()> {
        let journal = self.folder.join(format!("spaces/default/sessions/{id}.jsonl"));
        let text = fs::read(&journal)?;
        let end = text.iter().rposition(|byte| *byte != b'\n').map_or(0, |at| at + 1);
        let end = u64::try_from(end).map_err(io::Error::other)?;
        let file = OpenOptions::new().write(true).open(&journal)?;
        file.set_len(end.saturating_sub(TORN_BYTES))
    }
}
