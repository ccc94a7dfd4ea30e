//! Codex's rollout files.
//!
//! What the model was told stands in records of type `response_item`, and those are the messages;
//! events repeat some of it for the screen. The first files had the items bare. Records name no
//! parents: each follows the one before it, until an event says that the user took turns back.

mod fact;

use std::borrow::Cow;

use sessile_core::Payload;
use sessile_core::entry::shape::Dialect;
use sessile_core::lens::View;

use crate::codex::fact::Fact;
use crate::lines::Line;
use crate::sessions::{About, Assembled, Sorted, Whole, assemble};
use crate::tree::{Lane, Node};

/// The types of records that wrap what they say.
const WRAPPED: &[&str] =
    &["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"];

/// Whether the file is of this format, by its first records.
pub(crate) fn recognises(first: &[View<'_>]) -> bool {
    first.iter().any(|record| {
        let [kind, payload, id, at, instructions, mark] =
            record.pick(["type", "payload", "id", "timestamp", "instructions", "record_type"]);
        if let Some(kind) = kind.and_then(View::text) {
            return WRAPPED.contains(&&*kind) && payload.is_some_and(View::is_object);
        }
        let is_text = |member: Option<View<'_>>| member.and_then(View::text).is_some();
        is_text(id) && is_text(at) && instructions.is_some()
            || mark.and_then(View::text).as_deref() == Some("state")
    })
}

/// Reads a file.
pub(crate) fn read(lines: &[Line]) -> Assembled {
    let facts: Vec<Fact<'_>> = lines.iter().map(|line| Fact::of(&line.data)).collect();
    // A file that goes on from another begins with its own header, then repeats the other one.
    let header = facts.iter().find_map(|fact| fact.header.as_ref());
    let whole = Whole {
        dialect: Dialect::Codex,
        source_id: header.and_then(|it| it.id.as_deref()).map(str::to_owned),
        source_parent: header.and_then(|it| it.parent.as_deref()).map(str::to_owned),
    };
    let sorted = chain(lines, &facts);
    assemble(lines, &sorted, &whole, |own| {
        let own: Vec<&Fact<'_>> = own.iter().filter_map(|index| facts.get(*index)).collect();
        let header = own.iter().find_map(|fact| fact.header.as_ref());
        let name = own.iter().rev().find_map(|fact| fact.name.as_deref()).map(str::to_owned);
        let typed = || own.iter().find_map(|fact| fact.typed.clone());
        let prompt = || own.iter().find_map(|fact| fact.prompt.clone());
        let cwd = header.and_then(|it| it.cwd.as_deref());
        About {
            created_at: header.and_then(|it| it.at),
            title: name.or_else(typed).or_else(prompt),
            cwd: cwd.or_else(|| own.iter().find_map(|fact| fact.cwd.as_deref())).map(str::to_owned),
            model: own.iter().rev().find_map(|fact| fact.model.as_deref()).map(str::to_owned),
        }
    })
}

/// Whether a record takes turns back. In the file of one session, which has no such turns, it would
/// take back others.
pub(crate) fn takes_back(data: &Payload) -> bool {
    Fact::of(data).taken_back.is_some()
}

/// Lets each record follow the one before it, and the one after turns were taken back follow what
/// stood before those turns.
fn chain<'a>(lines: &[Line], facts: &[Fact<'a>]) -> Vec<Sorted<'a>> {
    let mut sorted = Vec::with_capacity(facts.len());
    let mut last: Option<u64> = None;
    // What stood before each turn that was not taken back.
    let mut turns: Vec<Option<u64>> = Vec::new();
    for (line, fact) in lines.iter().zip(facts) {
        if let Some(count) = fact.taken_back {
            let left = usize::try_from(count).map_or(0, |count| turns.len().saturating_sub(count));
            if let Some(before) = turns.get(left) {
                last = *before;
            }
            turns.truncate(left);
        } else if fact.begins_turn {
            turns.push(last);
        }
        sorted.push(Sorted {
            is_message: fact.is_message,
            at: fact.at,
            node: Node {
                id: Some(name_of(line.number)),
                parent: last.map(name_of),
                may_dangle: false,
                // Taking back is the last word, until somebody says more.
                speaks: fact.speaks || fact.taken_back.is_some(),
                lane: Lane::Main,
            },
        });
        last = Some(line.number);
    }
    sorted
}

/// Records have no names of their own.
fn name_of(line: u64) -> Cow<'static, str> {
    format!("line-{line}").into()
}
