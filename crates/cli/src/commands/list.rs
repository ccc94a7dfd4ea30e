//! `sessile list`.

use serde::Serialize;
use sessile::{Name, Occupant, Page, Position, SessionId, Store, Summary, UnixMillis};

use crate::args::{ListArgs, PlaceArgs, State};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, notice, remark};
use crate::{flags, place, reading};

/// A row of the answer.
#[derive(Debug, Serialize)]
struct Row<'a> {
    id: &'a SessionId,
    title: Option<&'a str>,
    project: Option<&'a Name>,
    tags: &'a [String],
    lifecycle: Option<&'a str>,
    damaged: bool,
    /// Whether it is a fork that was cut short.
    incomplete: bool,
    problem: Option<&'a str>,
    created_at: Option<UnixMillis>,
    updated_at: UnixMillis,
    messages: u64,
    position: Option<Position>,
    /// Who holds it.
    occupant: Option<&'a Occupant>,
}

/// Lists sessions, newest first.
pub(crate) async fn run(
    store: &Store,
    given: &PlaceArgs,
    args: ListArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let filter = flags::filter(args.project, args.owner, args.tag)?;
    let filter = match args.state {
        None => filter,
        Some(State::Active) => filter.active(),
        Some(State::Closed) => filter.closed(),
        Some(State::Damaged) => filter.damaged(),
        Some(State::Deleted) => filter.deleted(),
    };
    let mut page = Page::of(flags::rows(args.limit, "--limit")?);
    if let Some(cursor) = args.after {
        page = page.after(flags::cursor(&cursor, "--after")?);
    }
    let listing = store.list(filter, page).await?;
    for summary in &listing.sessions {
        if output.is_json() {
            output.value(&row(summary))?;
        } else {
            output.line(&line(summary))?;
        }
    }
    // The rows are told before what there is to say of them.
    output.flush()?;
    if let Some(next) = listing.next {
        notice(&format!("sessile: more with --after {next}"));
    } else if listing.sessions.is_empty() {
        let (space, store) = (store.status().space, place::told(given)?);
        remark(&format!("there are no such sessions in space {space} of {store}"), output)?;
    }
    Ok(Exit::Done)
}

fn row(summary: &Summary) -> Row<'_> {
    Row {
        id: &summary.id,
        title: summary.title.as_deref(),
        project: summary.project.as_ref(),
        tags: &summary.tags,
        lifecycle: summary.lifecycle.map(sessile::Lifecycle::name),
        damaged: summary.damaged,
        incomplete: summary.incomplete,
        problem: summary.problem.as_deref(),
        created_at: summary.created_at,
        updated_at: summary.updated_at,
        messages: summary.messages,
        position: summary.position,
        occupant: summary.occupant.as_ref(),
    }
}

fn line(summary: &Summary) -> String {
    let time = reading::time(summary.updated_at);
    let title = match (&summary.problem, &summary.title) {
        (Some(problem), _) => format!("DAMAGED: {problem}"),
        (None, Some(title)) if !title.trim().is_empty() => reading::title(title),
        (None, _) => "(no title)".to_owned(),
    };
    let state = match summary.lifecycle {
        Some(sessile::Lifecycle::Active) | None => String::new(),
        Some(other) => format!(" [{}]", other.name()),
    };
    let damaged = if summary.damaged && summary.problem.is_none() { " [damaged]" } else { "" };
    let messages = summary.messages;
    let incomplete = if summary.incomplete { " [incomplete]" } else { "" };
    let held = if summary.occupant.is_some() { " [held]" } else { "" };
    format!("{}  {time}  {messages:>6}  {title}{state}{held}{damaged}{incomplete}", summary.id)
}
