//! `sessile search`.

use serde::Serialize;
use sessile::{Hit, HitPlace, Query, Seq, SessionId, Store, UnixMillis};

use crate::args::SearchArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, notice, remark};
use crate::progress::Progress;
use crate::{flags, reading};

/// A row of the answer.
#[derive(Debug, Serialize)]
struct Row<'a> {
    id: &'a SessionId,
    title: Option<&'a str>,
    updated_at: UnixMillis,
    messages: u64,
    /// Where in the transcript; none where the title has the word.
    seq: Option<Seq>,
    ordinal: Option<sessile::Ordinal>,
    excerpt: Option<&'a str>,
}

/// Finds sessions by a word.
pub(crate) async fn run(
    store: &Store,
    args: SearchArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if args.word.trim().is_empty() {
        return Err(Failure::usage("WORD", "it is empty", "name at least one letter"));
    }
    let filter = flags::filter(args.project, args.owner, args.tag)?;
    let mut query = Query::new(args.word)
        .filter(filter)
        .enough(flags::count(args.limit, "--limit")?)
        .most_sessions(flags::count(args.look_at, "--look-at")?)
        .most_bytes(args.most_mib.saturating_mul(1 << 20));
    if args.text {
        query = query.in_text();
    }
    if let Some(cursor) = args.after {
        query = query.after(flags::cursor(&cursor, "--after")?);
    }
    let progress = Progress::begin("searching", None, output.is_json());
    let found = store.search(query).await?;
    drop(progress);
    for hit in &found.hits {
        if output.is_json() {
            output.value(&row(hit))?;
        } else {
            output.line(&text(hit))?;
        }
    }
    output.flush()?;
    for (id, error) in &found.unread {
        notice(&format!("sessile: session {id} was not read to its end: {}", error.clause()));
    }
    if let Some(next) = &found.next {
        notice(&format!("sessile: more with --after {next}"));
    } else if found.hits.is_empty() {
        let looked = u64::try_from(found.sessions).unwrap_or(u64::MAX);
        let looked = reading::counted(looked, "session", "sessions");
        remark(&format!("nothing was found in {looked}"), output)?;
    }
    Ok(Exit::Done)
}

fn row(hit: &Hit) -> Row<'_> {
    let Hit { session, place, .. } = hit;
    Row {
        id: &session.id,
        title: session.title.as_deref(),
        updated_at: session.updated_at,
        messages: session.messages,
        seq: place.as_ref().map(|place| place.seq),
        ordinal: place.as_ref().and_then(|place| place.ordinal),
        excerpt: place.as_ref().map(|place| place.excerpt.as_str()),
    }
}

fn text(hit: &Hit) -> String {
    let Hit { session, place, .. } = hit;
    let title = session.title.as_deref().filter(|title| !title.trim().is_empty());
    let title = reading::title(title.unwrap_or("(no title)"));
    let line = format!("{}  {}  {title}", session.id, reading::time(session.updated_at));
    match place {
        None => line,
        Some(HitPlace { seq, excerpt, .. }) => {
            format!("{line}\n    seq {seq}: {}", reading::visible(excerpt))
        }
    }
}
