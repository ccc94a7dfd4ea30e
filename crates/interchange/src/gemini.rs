//! Gemini CLI's session files.
//!
//! The older ones are one object with a list of messages, which is written anew whenever it grows.
//! The newer ones are added to line by line: a header, then messages, of which one that is written
//! again under its id stands for the earlier one; `$set` changes what the header says or gives the
//! list of messages anew, and `$rewindTo` takes back a message and all after it.

mod fact;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use sessile_core::Payload;
use sessile_core::entry::shape::Dialect;
use sessile_core::lens::View;

use crate::document::Document;
use crate::gemini::fact::{Fact, Patch};
use crate::lines::Line;
use crate::sessions::{About, Assembled, Sorted, Whole, assemble};
use crate::tree::{Lane, Node};

/// Whether a document is of this format. One without messages on a single line may be the header of
/// a file that will have more lines.
pub(crate) fn recognises_document(whole: View<'_>) -> bool {
    let [id, messages] = whole.pick(["sessionId", "messages"]);
    let has_messages = messages.is_some_and(|list| list.items().next().is_some());
    id.and_then(View::text).is_some() && (has_messages || whole.as_json().contains('\n'))
}

/// How the beginning of a document looks that can't be read to its end.
pub(crate) fn is_torn_document(bytes: &[u8]) -> bool {
    let first = bytes.get(..bytes.len().min(4_096)).unwrap_or_default();
    let text = String::from_utf8_lossy(first);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    // The header of a file of lines is whole on its line.
    let line = text.lines().next().unwrap_or_default();
    text.starts_with('{')
        && View::parse(line).is_none()
        && ["\"messages\"", "\"sessionId\""].iter().any(|name| text.contains(name))
        && ["\"projectHash\"", "\"startTime\"", "\"lastUpdated\""]
            .iter()
            .any(|it| text.contains(it))
}

/// Whether a file of lines is of this format, by its first records.
pub(crate) fn recognises(first: &[View<'_>]) -> bool {
    first.iter().any(|record| {
        let [id, hash, start, set, rewind] =
            record.pick(["sessionId", "projectHash", "startTime", "$set", "$rewindTo"]);
        let is_header = id.and_then(View::text).is_some()
            && (hash.and_then(View::text).is_some() || start.and_then(View::text).is_some())
            && record.member("uuid").is_none();
        is_header || set.is_some_and(View::is_object) || rewind.and_then(View::text).is_some()
    })
}

/// Reads a document.
pub(crate) fn read_document(document: &Document) -> Assembled {
    let patch = Patch::of(View::of(&document.envelope));
    read_records(&document.items, Some(&patch)).with_envelope(document.envelope.clone(), None)
}

/// Reads a file of lines.
pub(crate) fn read(lines: &[Line]) -> Assembled {
    read_records(&unfolded(lines), None)
}

/// Whether a line takes messages back. In the file of one session, which has no such messages, it
/// would take back all.
pub(crate) fn takes_back(line: &Payload) -> bool {
    Fact::of(line).rewind_to.is_some()
}

/// The messages that a line gives anew, as they stand in it.
pub(crate) fn told_by(line: &Payload) -> VecDeque<String> {
    fact::given_anew(View::of(line)).map(|item| item.as_json().to_owned()).collect()
}

/// The lines, and behind each that gives the list of messages anew those of them that no line has
/// said before.
fn unfolded(lines: &[Line]) -> Vec<Line> {
    let mut said: BTreeMap<String, Payload> = BTreeMap::new();
    let mut all = Vec::with_capacity(lines.len());
    for line in lines {
        let record = View::of(&line.data);
        all.push(Line { number: line.number, data: line.data.clone() });
        if let Some(id) = fact::message_id(record) {
            said.insert(id.into_owned(), line.data.clone());
        }
        for item in fact::given_anew(record) {
            let Some(id) = fact::message_id(item) else { continue };
            let is_new = said.get(&*id).is_none_or(|data| data.as_str() != item.as_json());
            if is_new && let Ok(data) = Payload::parse(item.as_json().to_owned()) {
                said.insert(id.into_owned(), data.clone());
                all.push(Line { number: line.number, data });
            }
        }
    }
    all
}

fn read_records(lines: &[Line], envelope: Option<&Patch<'_>>) -> Assembled {
    let facts: Vec<Fact<'_>> = lines.iter().map(|line| Fact::of(&line.data)).collect();
    let patches = || facts.iter().filter_map(|fact| fact.patch.as_ref()).chain(envelope);
    let text = |text: &Cow<'_, str>| text.clone().into_owned();
    let whole = Whole {
        dialect: Dialect::Gemini,
        source_id: patches().find_map(|patch| patch.id.as_ref()).map(text),
        source_parent: None,
    };
    let sorted = chain(&facts);
    let began = patches().find_map(|patch| patch.start);
    let summary = patches().rev().find_map(|patch| patch.summary.as_ref());
    let folder = patches().find_map(|patch| patch.folder.as_ref());
    assemble(lines, &sorted, &whole, |own| {
        let own: Vec<&Fact<'_>> = own.iter().filter_map(|index| facts.get(*index)).collect();
        About {
            created_at: began,
            title: summary.map(text).or_else(|| own.iter().find_map(|fact| fact.prompt.clone())),
            cwd: folder.map(text),
            model: own.iter().rev().find_map(|fact| fact.model.as_ref()).map(text),
        }
    })
}

/// Lets each record follow the one before it, and what comes after a rewind follow what stood before
/// the message that it takes back.
fn chain<'a>(facts: &[Fact<'a>]) -> Vec<Sorted<'a>> {
    // Of a message that is written again the last version counts.
    let mut last_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, fact) in facts.iter().enumerate() {
        if let Some(id) = fact.id.as_deref() {
            last_of.insert(id, index);
        }
    }
    let mut before: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    let mut sorted = Vec::with_capacity(facts.len());
    let mut last: Option<usize> = None;
    for (index, fact) in facts.iter().enumerate() {
        if let Some(id) = fact.id.as_deref() {
            before.entry(id).or_insert(last);
        }
        let is_rewind = fact.rewind_to.is_some();
        if let Some(place) = fact.rewind_to.as_deref().and_then(|id| before.get(id)) {
            last = *place;
        }
        let counts = fact.id.as_deref().and_then(|id| last_of.get(id)) == Some(&index);
        let is_message = fact.is_spoken && counts;
        sorted.push(Sorted {
            is_message,
            at: fact.at,
            node: Node {
                id: Some(name_of(index)),
                parent: last.map(name_of),
                may_dangle: false,
                // Taking back is the last word, until somebody says more.
                speaks: is_message || is_rewind,
                lane: Lane::Main,
            },
        });
        last = Some(index);
    }
    sorted
}

/// Records are named by their place: a message may stand in several.
fn name_of(index: usize) -> Cow<'static, str> {
    format!("line-{index}").into()
}
