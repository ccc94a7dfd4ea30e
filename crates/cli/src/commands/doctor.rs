//! `sessile doctor`.

use serde::Serialize;
use sessile::{Ailment, Diagnosis, Filter, Remedy, SessionId, Store};

use crate::args::DoctorArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, remark};
use crate::progress::Progress;
use crate::walk::Walk;
use crate::{flags, reading};

/// The answer for one session.
#[derive(Debug, Serialize)]
struct Row<'a> {
    session: &'a SessionId,
    sound: bool,
    ailments: Vec<Told<'a>>,
    /// Whether it was repaired afterwards.
    repaired: bool,
}

/// Something that is wrong.
#[derive(Debug, Serialize)]
struct Told<'a> {
    what: &'a str,
    means: &'a str,
    remedy: &'a str,
    would: &'a str,
}

/// Explains what is wrong, and repairs it if that is asked for.
pub(crate) async fn run(
    store: &Store,
    args: DoctorArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut tally = Tally::default();
    if let Some(id) = args.id {
        let id: SessionId = flags::id(&id, "ID")?;
        look_at(store, id, args.repair, &Progress::none(), output, &mut tally).await?;
    } else {
        let progress = Progress::begin("examining", None, output.is_json());
        let mut walk = Walk::new(store, Filter::all());
        while let Some(summary) = walk.next().await? {
            progress.step();
            look_at(store, summary.id, args.repair, &progress, output, &mut tally).await?;
        }
    }
    let Tally { sessions, ailing, unsound } = tally;
    let sessions = reading::counted(sessions, "session", "sessions");
    remark(
        &format!("{sessions} examined, {ailing} with something to say, {unsound} not sound"),
        output,
    )?;
    Ok(if unsound == 0 { Exit::Done } else { Exit::Corrupt })
}

#[derive(Debug, Default)]
struct Tally {
    sessions: u64,
    ailing: u64,
    unsound: u64,
}

async fn look_at(
    store: &Store,
    id: SessionId,
    repair: bool,
    progress: &Progress,
    output: &mut Output,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let Diagnosis { session, mut sound, ailments, .. } = store.examine(&id).await?;
    tally.sessions += 1;
    tally.ailing += u64::from(!ailments.is_empty());
    let repairs = repair && ailments.iter().any(|it| it.remedy == Remedy::Repair);
    if !output.is_json() && !ailments.is_empty() {
        // Told before it is done.
        progress.aside(output, |output| {
            output.line(&text(&session, sound, &ailments))?;
            output.flush()
        })?;
    }
    if repairs {
        store.open_session(&id).await?.repair().await?;
        sound = store.examine(&id).await?.sound;
    }
    tally.unsound += u64::from(!sound);
    if output.is_json() {
        let ailments = ailments.iter().map(|it| Told {
            what: &it.what,
            means: &it.means,
            remedy: it.remedy.name(),
            would: &it.would,
        });
        let ailments = ailments.collect();
        output.value(&Row { session: &session, sound, ailments, repaired: repairs })?;
    } else if repairs {
        let now = if sound { "it is sound" } else { "NOT SOUND" };
        progress.aside(output, |output| output.line(&format!("    repaired: {now}")))?;
    }
    output.flush()
}

fn text(session: &SessionId, sound: bool, ailments: &[Ailment]) -> String {
    let sound = if sound { "sound" } else { "NOT SOUND" };
    let mut lines = vec![format!("{session}: {sound}")];
    for Ailment { what, means, remedy, would, .. } in ailments {
        lines.push(format!("  - {}", reading::visible(what)));
        lines.push(format!("    so: {means}"));
        let word = match remedy {
            Remedy::Repair => "--repair",
            Remedy::Nothing => "nothing to do",
            _ => "your choice",
        };
        lines.push(format!("    {word}: {}", reading::visible(would)));
    }
    lines.join("\n")
}
