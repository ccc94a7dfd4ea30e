//! Whether a history is one that the place may have given.

use std::collections::BTreeMap;

use sessile_core::{EntryType, ErrorKind, Outcome, Position, Seq, StoredCommit};

use super::history::{Answer, Asked, Call};
use super::journal::Journal;
use crate::failed::{Failed, ensure};

/// Checks all calls on sessions against what stands in them at the end.
pub(super) fn check(calls: &[Call], journals: &BTreeMap<String, Journal>) -> Result<(), Failed> {
    for call in calls {
        if let Answer::Refused { kind, .. } = call.answer {
            let is_damage = matches!(kind, ErrorKind::Corrupt | ErrorKind::UnknownVersion);
            ensure!(!is_damage, "{call:?} of what nobody damaged");
        }
        check_one(calls, journals, call).map_err(|why| Failed::new(format!("{why}: {call:?}")))?;
    }
    Ok(())
}

fn journal<'a>(
    journals: &'a BTreeMap<String, Journal>,
    session: &str,
) -> Result<&'a Journal, Failed> {
    journals.get(session).ok_or_else(|| Failed::new("there is no such session"))
}

fn check_one(
    calls: &[Call],
    journals: &BTreeMap<String, Journal>,
    call: &Call,
) -> Result<(), Failed> {
    match &call.asked {
        Asked::Append { session, commit, texts, at } => {
            let journal = journal(journals, session)?;
            let stands = journal.commits.iter().find(|it| it.id.as_str() == commit);
            appended(calls, journal, call, (stands, commit, texts, *at))
        }
        Asked::Read { session } => read(calls, journal(journals, session)?, call, session),
        Asked::Admit { session, request }
        | Asked::Recover { session, request, .. }
        | Asked::Abandon { session, request, .. } => {
            admitted(journal(journals, session)?, call, request)
        }
        Asked::Push { session, claim, text } => {
            let journal = journal(journals, session)?;
            let stands = journal.under.contains(&(*claim, format!("\"{text}\"")));
            match call.answer {
                Answer::Committed { .. } => {
                    ensure!(stands, "a message that was told is not there");
                }
                Answer::Refused { outcome: Outcome::NotApplied, .. } => {
                    ensure!(!stands, "a message that was refused is there");
                }
                _ => {}
            }
            Ok(())
        }
        Asked::Finish { session, request, claim, .. } => {
            let journal = journal(journals, session)?;
            admitted(journal, call, request)?;
            if let Answer::Ended { result: told, .. } = &call.answer {
                // Whoever ends a turn once more is told how it ended the first time.
                let own = calls.iter().any(|it| {
                    matches!(&it.asked, Asked::Finish { claim: same, result, .. }
                        if same == claim && *told == Some(format!("\"{result}\"")))
                });
                ensure!(own, "a turn ended with a result that it never had");
            }
            Ok(())
        }
        Asked::Put { .. } | Asked::Get => Ok(()),
    }
}

type Sent<'a> = (Option<&'a StoredCommit>, &'a str, &'a [String], Option<Position>);

fn appended(
    calls: &[Call],
    journal: &Journal,
    call: &Call,
    (stands, commit, texts, at): Sent<'_>,
) -> Result<(), Failed> {
    let own = |entry: &&sessile_core::Entry| entry.entry_type == EntryType::Message;
    match &call.answer {
        Answer::Committed { first, position, replayed } => {
            let stored = stands.ok_or_else(|| Failed::new("a commit that was told is lost"))?;
            ensure!(stored.tip().position == *position, "it ends elsewhere than was told");
            let held: Vec<_> = stored.entries.iter().filter(own).collect();
            ensure!(held.first().map(|it| it.seq) == Some(*first), "it begins elsewhere");
            let sent: Vec<_> = texts.iter().map(|text| format!("\"{text}\"")).collect();
            let held: Vec<_> = held.iter().map(|it| it.data.as_str().to_owned()).collect();
            ensure!(held == sent, "it holds {held:?}");
            if let (Some(at), false) = (at, replayed) {
                between(journal, at, *first)?;
            }
            after_what_was_told(calls, call, (*position, *replayed))
        }
        Answer::Refused { outcome: Outcome::NotApplied, .. } => {
            let others = calls.iter().filter(
                |it| matches!(&it.asked, Asked::Append { commit: own, .. } if own == commit),
            );
            let refused = |it: &Call| {
                matches!(it.answer, Answer::Refused { outcome: Outcome::NotApplied, .. })
            };
            let is_never = others.into_iter().all(refused);
            ensure!(!is_never || stands.is_none(), "a commit that was refused is there");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Checks that nothing of a caller's stands between where an append was to go and where it went.
fn between(journal: &Journal, at: Position, first: Seq) -> Result<(), Failed> {
    let mut entries = journal.commits.iter().flat_map(|commit| &commit.entries);
    let foreign = entries.find(|entry| {
        let serves =
            matches!(entry.entry_type, EntryType::State | EntryType::Barrier | EntryType::Repaired);
        entry.seq.number() >= at.number() && entry.seq < first && !serves
    });
    ensure!(foreign.is_none(), "it went behind {foreign:?}");
    Ok(())
}

/// Checks that a commit stands after all that had been told before it was asked for.
fn after_what_was_told(
    calls: &[Call],
    call: &Call,
    (position, replayed): (Position, bool),
) -> Result<(), Failed> {
    let Asked::Append { session, commit, .. } = &call.asked else { return Ok(()) };
    // A repeat tells of what was done at a time that its first call knows.
    let is_repeated = calls.iter().any(|it| {
        it.begun < call.begun
            && matches!(&it.asked, Asked::Append { commit: own, .. } if own == commit)
    });
    if replayed || is_repeated {
        return Ok(());
    }
    let before = told_before(calls, session, call.begun);
    ensure!(before < position.number(), "it stands before {before}, which was told before");
    Ok(())
}

/// The farthest position of a session that was told to anybody before a moment.
fn told_before(calls: &[Call], session: &str, moment: u64) -> u64 {
    let told = calls.iter().filter(|it| it.ended < moment).filter_map(|it| {
        let own = match &it.asked {
            Asked::Append { session, .. }
            | Asked::Push { session, .. }
            | Asked::Admit { session, .. }
            | Asked::Recover { session, .. }
            | Asked::Finish { session, .. }
            | Asked::Abandon { session, .. } => session,
            Asked::Read { .. } | Asked::Put { .. } | Asked::Get => return None,
        };
        let position = match &it.answer {
            Answer::Committed { position, .. } => position.number(),
            Answer::Started { claim } => claim.after().number(),
            Answer::Ended { seq, .. } => seq.after().number(),
            _ => return None,
        };
        (own == session).then_some(position)
    });
    told.max().unwrap_or_default()
}

/// Checks that what was read is the beginning of the messages, and has at least those that had
/// been told, or read, before it was asked for.
fn read(calls: &[Call], journal: &Journal, call: &Call, session: &str) -> Result<(), Failed> {
    let Answer::Messages(messages) = &call.answer else { return Ok(()) };
    let mut all = journal.messages.iter().map(|(_, text)| text);
    let is_beginning = messages.iter().all(|message| all.next() == Some(message));
    ensure!(is_beginning, "what was read never stood there");
    let told = told_before(calls, session, call.begun);
    let least = journal.messages.iter().filter(|(seq, _)| seq.number() < told).count();
    let lengths =
        calls.iter().filter(|it| it.ended < call.begun).filter_map(|it| match it {
            Call {
                asked: Asked::Read { session: own }, answer: Answer::Messages(read), ..
            } if own == session => Some(read.len()),
            _ => None,
        });
    let least = lengths.max().unwrap_or_default().max(least);
    ensure!(messages.len() >= least, "{} were read, {least} were told", messages.len());
    Ok(())
}

/// Checks what was told of a request.
fn admitted(journal: &Journal, call: &Call, request: &str) -> Result<(), Failed> {
    match &call.answer {
        Answer::Started { claim } => {
            let stands = journal.claims.get(claim).is_some_and(|own| own == request);
            ensure!(stands, "a claim that was told is lost");
        }
        Answer::Ended { seq, result } => {
            let end = journal.ends.get(request);
            let same = end.is_some_and(|end| end.seq == *seq && end.result == *result);
            ensure!(same, "an outcome that was told is {end:?}");
        }
        _ => {}
    }
    Ok(())
}
