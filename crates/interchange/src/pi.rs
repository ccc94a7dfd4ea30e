//! pi's session files.
//!
//! The first line is a header. The first version is a list; since the second, each record has an
//! id and names the one it follows, and the user may go back to any record and go on from there.

mod fact;

use sessile_core::entry::shape::Dialect;
use sessile_core::lens::View;

use crate::lines::Line;
use crate::pi::fact::Fact;
use crate::sessions::{About, Assembled, Sorted, Whole, assemble};

/// Whether the file is of this format, by its first records.
pub(crate) fn recognises(first: &[View<'_>]) -> bool {
    first.iter().any(|record| {
        let [kind, id, at, message] = record.pick(["type", "id", "timestamp", "message"]);
        let is_dated = at.and_then(View::text).is_some();
        match kind.and_then(View::text).as_deref() {
            Some("session") => is_dated && id.and_then(View::text).is_some(),
            Some("message") => is_dated && message.and_then(|it| it.member("role")).is_some(),
            _ => false,
        }
    })
}

/// Reads a file.
pub(crate) fn read(lines: &[Line]) -> Assembled {
    let facts: Vec<Fact<'_>> = lines.iter().map(|line| Fact::of(&line.data)).collect();
    let header = facts.iter().find_map(|fact| fact.header.as_ref());
    let whole = Whole {
        dialect: Dialect::Pi,
        source_id: header.and_then(|it| it.id.as_deref()).map(str::to_owned),
        ..Whole::default()
    };
    let sorted: Vec<Sorted<'_>> = facts.iter().map(Fact::sorted).collect();
    assemble(lines, &sorted, &whole, |own| {
        let own: Vec<&Fact<'_>> = own.iter().filter_map(|index| facts.get(*index)).collect();
        let header = own.iter().find_map(|fact| fact.header.as_ref());
        let name = own.iter().rev().find_map(|fact| fact.name.as_deref());
        let title = name.or_else(|| header?.title.as_deref()).map(str::to_owned);
        About {
            created_at: header.and_then(|it| it.at),
            title: title.or_else(|| own.iter().find_map(|fact| fact.prompt.clone())),
            cwd: header.and_then(|it| it.cwd.as_deref()).map(str::to_owned),
            model: own.iter().rev().find_map(|fact| fact.model.as_deref()).map(str::to_owned),
        }
    })
}
