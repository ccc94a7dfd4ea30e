//! Claude Code's session files.
//!
//! Records of type `user` and `assistant` are messages. Nearly every record names the one it
//! follows; what the user went back over stays in the file. Records marked as sidechain are the
//! conversations of sub-agents.

mod fact;

use std::collections::BTreeMap;

use sessile_core::entry::shape::Dialect;
use sessile_core::lens::View;

use crate::claude_code::fact::{Fact, Title};
use crate::lines::Line;
use crate::sessions::{About, Assembled, Sorted, Whole, assemble};
use crate::tree::{Lane, Node};

/// Whether the file is of this format, by its first records.
pub(crate) fn recognises(first: &[View<'_>]) -> bool {
    first.iter().any(|record| {
        let text = |name| record.member(name).and_then(View::text);
        match text("type").as_deref() {
            Some("user" | "assistant") => {
                record.member("message").is_some_and(|message| message.member("content").is_some())
            }
            Some("summary") => text("summary").is_some() && text("leafUuid").is_some(),
            Some("file-history-snapshot") => text("messageId").is_some(),
            Some(_) => text("uuid").is_some() && text("sessionId").is_some(),
            None => false,
        }
    })
}

/// Reads a file.
pub(crate) fn read(lines: &[Line]) -> Assembled {
    let facts: Vec<Fact<'_>> = lines.iter().map(|line| Fact::of(&line.data)).collect();
    // A sub-agent may have a file of its own, whose records name the session that started it.
    let of_agent = facts.iter().any(|fact| fact.message.is_some())
        && facts.iter().all(|fact| fact.message.is_none() || fact.is_sidechain);
    let source_id = source_id(&facts, of_agent);
    let source_parent = session_id(&facts).filter(|_| of_agent);
    let whole = Whole {
        dialect: Dialect::ClaudeCode,
        source_parent: source_parent.filter(|parent| source_id.as_ref() != Some(parent)),
        source_id,
    };
    let sorted: Vec<Sorted<'_>> = facts.iter().map(|it| sorted(it, of_agent)).collect();
    let summaries: BTreeMap<&str, &str> = facts
        .iter()
        .filter_map(|fact| match &fact.title {
            Some(Title::Summary { text, leaf }) => Some((&**leaf, &**text)),
            _ => None,
        })
        .collect();
    assemble(lines, &sorted, &whole, |own| {
        let own: Vec<&Fact<'_>> = own.iter().filter_map(|index| facts.get(*index)).collect();
        About {
            created_at: None,
            title: title(&own, &summaries),
            cwd: own.iter().find_map(|fact| fact.cwd.as_deref()).map(str::to_owned),
            model: own.iter().rev().find_map(|fact| fact.model()).map(str::to_owned),
        }
    })
}

/// The id of the first session that the file names: where one continues another, the file begins
/// with records of the other. A sub-agent's file is named after the agent, as on Claude Code's
/// disk, because its records have the id of the session that started it.
fn source_id(facts: &[Fact<'_>], of_agent: bool) -> Option<String> {
    let agent = || facts.iter().find_map(|fact| fact.agent.as_deref());
    if of_agent && let Some(agent) = agent() {
        return Some(format!("agent-{agent}"));
    }
    session_id(facts)
}

/// The id of the first session that the records name.
fn session_id(facts: &[Fact<'_>]) -> Option<String> {
    facts.iter().find_map(|fact| fact.session.as_deref()).map(str::to_owned)
}

fn sorted<'a>(fact: &Fact<'a>, of_agent: bool) -> Sorted<'a> {
    // After it compacted, Claude Code starts over without a parent and says beside it what went
    // before; that record may be in another file.
    let parent = fact.parent.as_ref().or(fact.logical_parent.as_ref());
    let lane = match &fact.agent {
        _ if of_agent || !fact.is_sidechain => Lane::Main,
        Some(agent) => Lane::Agent(agent.clone()),
        None => Lane::Nameless,
    };
    Sorted {
        is_message: fact.message.is_some(),
        at: fact.at,
        node: Node {
            id: fact.id.clone(),
            parent: parent.cloned(),
            may_dangle: fact.parent.is_none(),
            speaks: fact.message.as_ref().is_some_and(|it| it.speaks),
            lane,
        },
    }
}

/// What the user called it, else what the program did, else what a summary says that ends in one
/// of its records, else what its first prompt makes.
///
/// A summary that ends in no record of this file is about another one; old files begin with such.
fn title(own: &[&Fact<'_>], summaries: &BTreeMap<&str, &str>) -> Option<String> {
    let from_end = || own.iter().rev();
    let given = from_end().find_map(|fact| match &fact.title {
        Some(Title::Given(text)) => Some(&**text),
        _ => None,
    });
    let made = || {
        from_end().find_map(|fact| match &fact.title {
            Some(Title::Made(text)) => Some(&**text),
            _ => None,
        })
    };
    let summed_up = || from_end().find_map(|fact| summaries.get(fact.id.as_deref()?).copied());
    let prompt = || own.iter().find_map(|fact| fact.message.as_ref()?.prompt.as_deref());
    given.or_else(made).or_else(summed_up).or_else(prompt).map(str::to_owned)
}
