//! `sessile verify`.

use serde::Serialize;
use sessile::{Error, Filter, Page, Position, Seq, SessionId, Store, Verification};

use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// How many sessions are listed at once.
const PAGE: usize = 100;

/// The answer for one session.
#[derive(Debug, Serialize)]
struct Verified<'a> {
    session: &'a SessionId,
    sound: bool,
    entries: u64,
    commits: u64,
    position: Position,
    set_aside: Vec<SetAside<'a>>,
    damage: Vec<Damage<'a>>,
}

/// Bytes that are not served.
#[derive(Debug, Serialize)]
struct SetAside<'a> {
    offset: u64,
    bytes: u64,
    reason: &'a str,
    kept_at: Option<&'a str>,
}

/// What is wrong with what was acknowledged.
#[derive(Debug, Serialize)]
struct Damage<'a> {
    seq: Seq,
    offset: Option<u64>,
    reason: &'a str,
}

/// Reads one session or all of them whole; the exit status says whether all are sound.
pub(crate) async fn run(
    store: &Store,
    args: VerifyArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if let Some(id) = args.id {
        let verification = store.verify(id).await?;
        tell(&verification, output)?;
        return Ok(if verification.sound { Exit::Done } else { Exit::Corrupt });
    }
    let mut exit = Exit::Done;
    let mut page = Page::of(PAGE);
    loop {
        let listing = store.list(Filter::all(), page).await?;
        for summary in &listing.sessions {
            let sound = verify(store, &summary.id, output).await?;
            if !sound {
                exit = Exit::Corrupt;
            }
        }
        match listing.next {
            Some(next) => page = Page::of(PAGE).after(next),
            None => return Ok(exit),
        }
    }
}

/// Verifies one of many: what can't be verified does not stop the others.
async fn verify(store: &Store, id: &SessionId, output: &mut Output) -> Result<bool, Failure> {
    match store.verify(id).await {
        Ok(verification) => {
            tell(&verification, output)?;
            Ok(verification.sound)
        }
        Err(error) if Exit::of(&error) == Exit::Corrupt => {
            unreadable(id, &error, output)?;
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

fn unreadable(id: &SessionId, error: &Error, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        let damage = vec![Damage { seq: Seq::FIRST, offset: None, reason: error.clause() }];
        return output.value(&Verified {
            session: id,
            sound: false,
            entries: 0,
            commits: 0,
            position: Position::START,
            set_aside: Vec::new(),
            damage,
        });
    }
    output.line(&format!("{id}: NOT SOUND: {}", error.clause()))
}

fn tell(verification: &Verification, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.value(&Verified {
            session: &verification.session,
            sound: verification.sound,
            entries: verification.entries,
            commits: verification.commits,
            position: verification.position,
            set_aside: verification
                .set_aside
                .iter()
                .map(|aside| SetAside {
                    offset: aside.offset,
                    bytes: aside.bytes,
                    reason: &aside.reason,
                    kept_at: aside.kept_at.as_deref(),
                })
                .collect(),
            damage: verification
                .damage
                .iter()
                .map(|damage| Damage {
                    seq: damage.seq,
                    offset: damage.offset,
                    reason: &damage.reason,
                })
                .collect(),
        });
    }
    let sound = if verification.sound { "sound" } else { "NOT SOUND" };
    let Verification { session, entries, commits, .. } = verification;
    output.line(&format!("{session}: {sound}, {entries} entries in {commits} commits"))?;
    for damage in &verification.damage {
        let offset = damage.offset.map(|at| format!(" at byte {at}")).unwrap_or_default();
        output
            .line(&format!("    damaged from entry {}{offset}: {}", damage.seq, damage.reason))?;
    }
    for aside in &verification.set_aside {
        let place = match &aside.kept_at {
            Some(place) => format!("kept at {place}"),
            None => "still at the end of the journal; the next append sets them aside".to_owned(),
        };
        let (bytes, offset, reason) = (aside.bytes, aside.offset, &aside.reason);
        output.line(&format!(
            "    {bytes} bytes from {offset} on are not served ({reason}); {place}"
        ))?;
    }
    Ok(())
}
