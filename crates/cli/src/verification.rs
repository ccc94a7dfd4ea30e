//! How a verification is told.

use serde::Serialize;
use sessile::{Error, Position, Seq, SessionId, Verification};

/// A verification in `--json` output.
#[derive(Debug, Serialize)]
pub(crate) struct Row<'a> {
    session: &'a SessionId,
    sound: bool,
    entries: u64,
    commits: u64,
    position: Position,
    set_aside: Vec<SetAside<'a>>,
    damage: Vec<Damage<'a>>,
    /// Derived states that can't be read; nothing is lost by it.
    passed_over: &'a [Seq],
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

impl<'a> Row<'a> {
    /// What was found.
    pub(crate) fn of(verification: &'a Verification) -> Self {
        let aside = verification.set_aside.iter().map(|aside| SetAside {
            offset: aside.offset,
            bytes: aside.bytes,
            reason: &aside.reason,
            kept_at: aside.kept_at.as_deref(),
        });
        let damage = verification.damage.iter().map(|damage| Damage {
            seq: damage.seq,
            offset: damage.offset,
            reason: &damage.reason,
        });
        Self {
            session: &verification.session,
            sound: verification.sound,
            entries: verification.entries,
            commits: verification.commits,
            position: verification.position,
            set_aside: aside.collect(),
            damage: damage.collect(),
            passed_over: &verification.passed_over,
        }
    }

    /// A session of which nothing can be read.
    pub(crate) fn unreadable(session: &'a SessionId, error: &'a Error) -> Self {
        Self {
            session,
            sound: false,
            entries: 0,
            commits: 0,
            position: Position::START,
            set_aside: Vec::new(),
            damage: vec![Damage { seq: Seq::FIRST, offset: None, reason: error.clause() }],
            passed_over: &[],
        }
    }

    /// The same for people.
    pub(crate) fn text(&self) -> String {
        let Self { session, sound, entries, commits, .. } = self;
        let sound = if *sound { "sound" } else { "NOT SOUND" };
        let mut lines = vec![format!("{session}: {sound}, {entries} entries in {commits} commits")];
        for Damage { seq, offset, reason } in &self.damage {
            let offset = offset.map(|at| format!(" at byte {at}")).unwrap_or_default();
            lines.push(format!("    damaged from entry {seq}{offset}: {reason}"));
        }
        for SetAside { offset, bytes, reason, kept_at } in &self.set_aside {
            let place = match kept_at {
                Some(place) => format!("kept at {place}"),
                None => {
                    "still at the end of the journal; the next append sets them aside".to_owned()
                }
            };
            lines.push(format!(
                "    {bytes} bytes from {offset} on are not served ({reason}); {place}"
            ));
        }
        for seq in self.passed_over {
            lines.push(format!(
                "    state {seq} can't be read and was passed over; nothing is lost"
            ));
        }
        lines.join("\n")
    }
}
