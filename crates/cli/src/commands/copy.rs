//! `sessile copy`.

use std::time::Duration;

use serde::Serialize;
use sessile::{Copied, ErrorKind, Filter, Position, SessionId, SessionKey, Store, Summary};
use tokio::time;

use crate::args::{CopyArgs, PlaceArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::output::{Output, remark};
use crate::progress::Progress;
use crate::stopping::{self, or_stopped};
use crate::walk::{Course, Walk};
use crate::{place, reading};

/// How often it is looked how far a copy has come.
const LOOK: Duration = Duration::from_secs(1);

/// The answer for one session.
#[derive(Debug, Serialize)]
struct Row<'a> {
    session: &'a SessionId,
    position: Position,
    commits: u64,
    added: u64,
    moved: bool,
}

/// Copies one session, or all of a space, from one store to another.
pub(crate) async fn run(
    place: &PlaceArgs,
    args: CopyArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let id = args.id.map(|text| flags::id::<SessionId>(&text, "ID")).transpose()?;
    let source = or_stopped(place::open_url(&args.from, "FROM-URL", place)).await?;
    let target = or_stopped(place::open_url(&args.to, "TO-URL", place)).await?;
    let between = Between { source, target, moves: args.moves };
    let ended = or_stopped(Box::pin(between.run(id, output))).await;
    // A command that failed failed, whatever closing says.
    let closed = [stopping::close(&between.source).await, stopping::close(&between.target).await];
    let exit = ended?;
    closed.into_iter().collect::<Result<(), _>>()?;
    Ok(exit)
}

/// Two stores, and what is done between them.
#[derive(Debug)]
struct Between {
    source: Store,
    target: Store,
    moves: bool,
}

impl Between {
    async fn run(&self, id: Option<SessionId>, output: &mut Output) -> Result<Exit, Failure> {
        if let Some(id) = id {
            let copied = self.copy_in_sight(&id, output.is_json()).await?;
            self.tell(&copied, output)?;
            return Ok(Exit::Done);
        }
        let mut course = Course::new(output.is_json());
        let progress = Progress::begin("copying", None, output.is_json());
        let mut is_empty = true;
        if self.moves {
            let mut left = Walk::new(&self.target, Filter::all());
            while let Some(row) = left.next().await? {
                if self.is_half_moved(&row).await? {
                    is_empty = false;
                    let moved = self.copy(&row.id).await;
                    progress.aside(output, |output| match moved {
                        Ok(moved) => self.tell(&moved, output),
                        // Deleted by somebody, or moved to elsewhere.
                        Err(error) if error.kind() == ErrorKind::Deleted => Ok(()),
                        Err(error) => course.note(error),
                    })?;
                }
            }
        }
        let mut walk = Walk::new(&self.source, Filter::all());
        while let Some(summary) = walk.next().await? {
            is_empty = false;
            let copied = self.copy(&summary.id).await;
            progress.step();
            progress.aside(output, |output| match copied {
                Ok(copied) => self.tell(&copied, output),
                Err(error) => course.note(error),
            })?;
        }
        drop(progress);
        if is_empty {
            let space = self.source.status().space;
            remark(&format!("FROM-URL has no sessions in space {space}"), output)?;
        }
        Ok(course.exit())
    }

    /// Whether a session of the target may have been left held by a move that was cut short once its
    /// source was deleted, where no listing shows it any more.
    async fn is_half_moved(&self, row: &Summary) -> Result<bool, Failure> {
        let Some(occupant) = &row.occupant else {
            return Ok(false);
        };
        let key = SessionKey { space: self.source.space_name().clone(), id: row.id.clone() };
        match self.source.backend().head(&key).await {
            // Whoever was let in at the target holds it by a later claim.
            Ok(head) => Ok(head.deleted && occupant.claim.number() < head.tip.position.number()),
            Err(error) if Exit::of(&error) == Exit::Unavailable => Err(error.into()),
            // The walk tells what is wrong with it, if it is there.
            Err(_) => Ok(false),
        }
    }

    /// Copies one session, and shows on a terminal how far it has come.
    async fn copy_in_sight(&self, id: &SessionId, json: bool) -> Result<Copied, Failure> {
        let end = async |store: &Store| {
            let key = SessionKey { space: store.space_name().clone(), id: id.clone() };
            // What is not there yet, or does not answer, has no end that could be told.
            let head = store.backend().head(&key).await;
            head.map_or(0, |head| head.tip.position.number())
        };
        let mut copying = Box::pin(self.copy(id));
        let progress = Progress::begin("copying", Some(end(&self.source).await), json);
        loop {
            tokio::select! {
                copied = &mut copying => return Ok(copied?),
                () = time::sleep(LOOK), if progress.is_shown() => {
                    progress.at(end(&self.target).await);
                }
            }
        }
    }

    async fn copy(&self, id: &SessionId) -> Result<Copied, sessile::Error> {
        let copied = if self.moves {
            self.source.move_to(id, &self.target).await
        } else {
            self.source.copy(id, &self.target).await
        };
        copied.map_err(|error| error.about(format_args!("session {id}")))
    }

    fn tell(&self, copied: &Copied, output: &mut Output) -> Result<(), Failure> {
        let Copied { session, position, commits, added, .. } = copied;
        let (position, commits, added, moved) = (*position, *commits, *added, self.moves);
        if output.is_json() {
            output.value(&Row { session, position, commits, added, moved })?;
        } else {
            let done = if moved { "moved" } else { "copied" };
            let of = reading::counted(commits, "commit", "commits");
            output.line(&format!("{session}: {done}, {added} of {of} added"))?;
        }
        // One session after another is told as it is done.
        output.flush()
    }
}
