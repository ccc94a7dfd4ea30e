//! How a verification is told.

use serde::Serialize;
use sessile::{Error, Lost, Position, Seq, SessionId, Verification};

use crate::reading;

/// A verification in `--json` output.
#[derive(Debug, Serialize)]
pub(crate) struct Row<'a> {
    session: &'a SessionId,
    sound: bool,
    /// Whether it is a fork that was cut short.
    incomplete: bool,
    /// Where the source of a copy ended that was cut short.
    copied_to: Option<Position>,
    entries: u64,
    commits: u64,
    position: Position,
    set_aside: Vec<SetAside<'a>>,
    damage: Vec<Damage<'a>>,
    /// What could not be read when it was forked.
    lost: &'a [Lost],
    /// What is recorded to be removed and still there; a repair completes it.
    unfinished: Vec<Unfinished>,
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

/// An entry that still holds what it is recorded to have lost.
#[derive(Debug, Serialize)]
struct Unfinished {
    seq: Seq,
    what: &'static str,
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
        let unfinished = verification
            .unfinished
            .iter()
            .map(|unfinished| Unfinished { seq: unfinished.seq, what: unfinished.what.name() });
        Self {
            session: &verification.session,
            sound: verification.sound,
            incomplete: verification.incomplete,
            copied_to: verification.copied_to,
            entries: verification.entries,
            commits: verification.commits,
            position: verification.position,
            set_aside: aside.collect(),
            damage: damage.collect(),
            lost: &verification.lost,
            unfinished: unfinished.collect(),
            passed_over: &verification.passed_over,
        }
    }

    /// A session of which nothing can be read.
    pub(crate) fn unreadable(session: &'a SessionId, error: &'a Error) -> Self {
        Self {
            session,
            sound: false,
            incomplete: false,
            copied_to: None,
            entries: 0,
            commits: 0,
            position: Position::START,
            set_aside: Vec::new(),
            damage: vec![Damage { seq: Seq::FIRST, offset: None, reason: error.clause() }],
            lost: &[],
            unfinished: Vec::new(),
            passed_over: &[],
        }
    }

    /// The same for people.
    pub(crate) fn text(&self) -> String {
        let Self { session, sound, entries, commits, .. } = self;
        let sound = if *sound { "sound" } else { "NOT SOUND" };
        let entries = reading::counted(*entries, "entry", "entries");
        let commits = reading::counted(*commits, "commit", "commits");
        let mut lines = vec![format!("{session}: {sound}, {entries} in {commits}")];
        for Damage { seq, offset, reason } in &self.damage {
            let offset = offset.map(|at| format!(" at byte {at}")).unwrap_or_default();
            lines.push(format!("    damaged from entry {seq}{offset}: {reason}"));
        }
        if self.incomplete {
            let way_out = "forking again under its id completes it, deleting it drops it";
            lines.push(format!("    it is a fork that was cut short; {way_out}"));
        }
        if let Some(end) = self.copied_to {
            lines.push(format!(
                "    it is a copy that was cut short: its source ended at position {end}; copying it \
                 again completes it"
            ));
        }
        for Lost { from, to } in self.lost {
            lines.push(format!("    entries {from} to {to} could not be read when it was forked"));
        }
        for SetAside { offset, bytes, reason, kept_at } in &self.set_aside {
            let place = match kept_at {
                Some(place) => format!("kept at {place}"),
                None if self.copied_to.is_some() => {
                    "still at the end of the journal; copying again sets them aside".to_owned()
                }
                None => {
                    "still at the end of the journal; the next append sets them aside".to_owned()
                }
            };
            lines.push(format!(
                "    {bytes} bytes from {offset} on are not served ({reason}); {place}"
            ));
        }
        for Unfinished { seq, what } in &self.unfinished {
            lines.push(format!(
                "    entry {seq} is recorded as {what} and still there; a repair removes it"
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
