//! What many processes saw of one conversation, held against its journal.
//!
//! The journal names an order of all turns. That it is the order in which things happened is
//! checked against what the processes noted when they asked and when they were answered, each in
//! one line of a file that all append to: its order never contradicts time. An order that holds
//! there, and in which each turn begins after the one before it ended, makes the history
//! linearizable.

use std::collections::BTreeMap;

/// Something that a process noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It asks for the session for the sake of a request.
    Asks { request: String },
    /// It was told that another request holds it.
    Busy { request: String, holder: String },
    /// It was told that the request has ended.
    Ended { request: String },
}

impl Event {
    /// The line that says so.
    pub(crate) fn line(&self, session: &str) -> String {
        match self {
            Self::Asks { request } => format!("{session} asks {request}\n"),
            Self::Busy { request, holder } => format!("{session} busy {request} {holder}\n"),
            Self::Ended { request } => format!("{session} ended {request}\n"),
        }
    }

    /// What the lines of a session say; the last one of a killed process may be cut.
    pub(crate) fn of(lines: &str, session: &str) -> Vec<Self> {
        let whole = lines.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let own = whole.filter_map(|line| line.strip_prefix(session)?.strip_prefix(' '));
        let event = |line: &str| {
            let mut words = line.split(' ').map(str::to_owned);
            let (what, request) = (words.next()?, words.next()?);
            match what.as_str() {
                "asks" => Some(Self::Asks { request }),
                "busy" => Some(Self::Busy { request, holder: words.next()? }),
                "ended" => Some(Self::Ended { request }),
                _ => None,
            }
        };
        own.filter_map(event).collect()
    }
}

/// A turn as the journal has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turned {
    pub(crate) request: String,
    /// Its first claim.
    pub(crate) claimed: u64,
    /// Its outcome.
    pub(crate) ended: u64,
}

/// Whether the order of the journal is one in which it can have happened.
pub(crate) fn check(events: &[Event], turns: &[Turned]) -> Result<(), String> {
    for pair in turns.windows(2) {
        if pair[0].ended >= pair[1].claimed {
            return Err(format!("{:?} and {:?} overlap", pair[0], pair[1]));
        }
    }
    let mut by_request = BTreeMap::new();
    for turn in turns {
        if by_request.insert(turn.request.as_str(), turn).is_some() {
            return Err(format!("{} ended twice", turn.request));
        }
    }
    let turn = |request: &str| {
        by_request.get(request).copied().ok_or_else(|| format!("{request} never ended"))
    };
    // The last turn of which somebody knows that it ended, and what was known when each asked.
    let (mut known, mut asked) = (0, BTreeMap::new());
    for event in events {
        match event {
            Event::Asks { request } => {
                let first = asked.entry(request.as_str()).or_insert((known, known));
                first.1 = known;
            }
            Event::Busy { request, holder } => {
                let asked_at = asked.get(request.as_str()).ok_or("nobody asked")?.1;
                let holder_asked = asked.contains_key(holder.as_str());
                if turn(holder)?.ended <= asked_at || !holder_asked {
                    return Err(format!("{holder} did not hold the session when {request} asked"));
                }
            }
            Event::Ended { request } => known = known.max(turn(request)?.ended),
        }
    }
    for (request, (at_first, _)) in asked {
        if turn(request)?.claimed <= at_first {
            return Err(format!("{request} has its turn before it asked"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(request: &str, claimed: u64, ended: u64) -> Turned {
        Turned { request: request.to_owned(), claimed, ended }
    }

    fn history(lines: &str) -> Vec<Event> {
        let lines: Vec<String> = lines.split(", ").map(|line| format!("s {line}\n")).collect();
        Event::of(&lines.concat(), "s")
    }

    #[test]
    fn a_history_that_can_have_happened_holds() {
        let turns = [turn("a", 1, 5), turn("b", 6, 9)];
        let lines = "asks a, asks b, busy b a, ended a, asks b, ended b, asks a, ended a";
        assert_eq!(check(&history(lines), &turns), Ok(()));
        assert_eq!(history(lines).len(), 8);
    }

    #[test]
    fn each_defect_is_found() {
        let turns = [turn("a", 1, 5), turn("b", 6, 9)];
        for (lines, turns) in [
            // Two hold the session at once.
            ("asks a, asks b", vec![turn("a", 1, 7), turn("b", 6, 9)]),
            ("asks a", vec![turn("a", 1, 5), turn("a", 6, 9)]),
            // One is told to have ended that is not in the journal.
            ("asks c, ended c", turns.to_vec()),
            // What was answered first stands last.
            ("asks b, ended b, asks a, ended a", turns.to_vec()),
            // Somebody is busy who had ended before.
            ("asks a, ended a, asks b, busy b a", turns.to_vec()),
            // Or who had not asked by then.
            ("asks a, busy a b, asks b", turns.to_vec()),
        ] {
            assert!(check(&history(lines), &turns).is_err(), "{lines}");
        }
    }
}
