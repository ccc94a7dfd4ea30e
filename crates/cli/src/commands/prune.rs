//! `sessile prune`.

use serde::Serialize;
use sessile::{Judged, KeptBack, Retention, SessionId, Store, UnixMillis, Verdict};

use crate::args::{Living, PruneArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::output::{Output, remark};
use crate::reading;

/// What became of a session.
#[derive(Debug, Serialize)]
struct Row<'a> {
    session: &'a SessionId,
    removed: bool,
    /// Why it was kept; none where it was not.
    kept: Option<&'a str>,
    /// What stood in the way.
    problem: Option<String>,
    updated_at: Option<UnixMillis>,
    dry_run: bool,
}

/// Deletes the sessions that are not to be kept.
pub(crate) async fn run(
    store: &Store,
    args: PruneArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let dry_run = args.dry_run;
    let pruned = store.prune(&retention(args)?, dry_run).await?;
    for judged in &pruned.sessions {
        if output.is_json() {
            output.value(&row(judged, dry_run))?;
        } else {
            output.line(&line(judged, dry_run))?;
        }
    }
    let removed = pruned.removed().count();
    let kept = pruned.sessions.len().saturating_sub(removed);
    let would = if dry_run { "would be " } else { "" };
    let all = removed.saturating_add(kept);
    remark(&format!("{removed} of {all} sessions {would}removed, {kept} kept"), output)?;
    Ok(pruned.failure().map_or(Exit::Done, Exit::of))
}

fn retention(args: PruneArgs) -> Result<Retention, Failure> {
    let filter = flags::filter(args.project, args.owner, args.tag)?;
    let filter = match args.state {
        None => filter,
        Some(Living::Active) => filter.active(),
        Some(Living::Closed) => filter.closed(),
    };
    let mut retention = Retention::new().among(filter);
    if let Some(age) = args.older_than {
        retention = retention.older_than(flags::age(&age, "--older-than")?);
    }
    if let Some(count) = args.keep_last {
        if count == 0 {
            let hint = "leave it out, and say how old is too old";
            return Err(Failure::usage("--keep-last", "the last 0 are none", hint));
        }
        retention = retention.keep_last(count);
    }
    if args.held {
        retention = retention.even_held();
    }
    Ok(if args.damaged { retention.even_damaged() } else { retention })
}

/// The error that stands in the way of a session, if one does.
fn problem(kept: &KeptBack) -> Option<String> {
    match kept {
        KeptBack::Unreadable(error) | KeptBack::Failed(error) => Some(error.to_string()),
        _ => None,
    }
}

fn row(judged: &Judged, dry_run: bool) -> Row<'_> {
    let (kept, problem) = match &judged.verdict {
        Verdict::Removed => (None, None),
        Verdict::Kept(kept) => (Some(kept.name()), problem(kept)),
    };
    let (session, updated_at) = (&judged.id, judged.updated_at);
    Row { session, removed: kept.is_none(), kept, problem, updated_at, dry_run }
}

fn line(judged: &Judged, dry_run: bool) -> String {
    let time = judged.updated_at.map_or_else(|| " ".repeat(16), reading::time);
    let told = match &judged.verdict {
        Verdict::Removed if dry_run => "would be removed".to_owned(),
        Verdict::Removed => "removed".to_owned(),
        Verdict::Kept(kept) => format!("kept: {}", why(kept)),
    };
    format!("{}  {time}  {told}", judged.id)
}

fn why(kept: &KeptBack) -> String {
    if let Some(problem) = problem(kept) {
        return reading::visible(&problem);
    }
    match kept {
        KeptBack::Recent => "it is not so old".to_owned(),
        KeptBack::AmongTheLast => "it is one of the last".to_owned(),
        KeptBack::Held(Some(occupant)) => format!("request {} holds it", occupant.request),
        KeptBack::Held(None) => "a request holds it".to_owned(),
        KeptBack::Damaged => "something of it can't be read".to_owned(),
        KeptBack::Incomplete => "it is a fork that was cut short".to_owned(),
        KeptBack::Changed => "somebody added to it meanwhile".to_owned(),
        KeptBack::NotTried => "not tried, since the place does not answer".to_owned(),
        other => other.name().to_owned(),
    }
}
