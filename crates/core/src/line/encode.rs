//! From a commit to its lines.

use std::io::Write as _;

use super::checksum::{self, LineSum};
use crate::commit::Commit;
use crate::digest::{Salt, Token};
use crate::entry::{Entry, EntryType};
use crate::error::{Error, ErrorKind};
use crate::position::{Position, Seq};

/// What a commit's lines say beside the commit: where they stand in the journal.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    /// Where the journal ends before it.
    pub position: Position,
    /// The token of the commit before; none for the first.
    pub prev: Option<Token>,
    /// The position known to be durable when the write is issued.
    pub synced: Position,
    /// The initial value of the journal's checksums.
    pub salt: Salt,
}

/// Appends a commit's lines, each ended by LF; answers where the journal then ends.
///
/// # Errors
/// Those of [`Commit::numbered_from`]; nothing is appended then.
pub fn encode_commit(
    out: &mut Vec<u8>,
    commit: &Commit,
    framing: &Framing,
) -> Result<Position, Error> {
    let entries = commit.numbered_from(framing.position)?;
    let start = out.len();
    let written = write_lines(out, commit, &entries, framing).map_err(|error| {
        Error::new(ErrorKind::Refused, "the entry has no JSON form").with_source(error)
    });
    if written.is_err() {
        out.truncate(start);
    }
    written?;
    Ok(entries.last().map_or(framing.position, |entry| entry.seq.after()))
}

fn write_lines(
    out: &mut Vec<u8>,
    commit: &Commit,
    entries: &[Entry],
    framing: &Framing,
) -> std::io::Result<()> {
    let mut sum = LineSum::default();
    let state = entries.iter().find(|entry| entry.entry_type == EntryType::State);
    let Some((last, before)) = entries.split_last() else {
        return Ok(());
    };
    for entry in before {
        let start = out.len();
        write_entry(out, entry)?;
        out.extend_from_slice(b",\"more\":true");
        sum = sum.and(seal(out, start, entry, framing.salt)?);
    }
    let start = out.len();
    write_entry(out, last)?;
    write!(
        out,
        ",\"commit\":\"{}\",\"token\":\"{}\",\"n\":{}",
        commit.id(),
        commit.token(),
        entries.len()
    )?;
    if let Some(prev) = framing.prev {
        write!(out, ",\"prev\":\"{prev}\"")?;
    }
    write!(out, ",\"synced\":{},\"digest\":\"{}\"", framing.synced, commit.digest())?;
    if let Some(state) = state {
        write!(out, ",\"state\":{}", state.seq)?;
    }
    if !before.is_empty() {
        write!(out, ",\"sum\":\"{:08x}\"", sum.number())?;
    }
    seal(out, start, last, framing.salt)?;
    Ok(())
}

/// Writes the members that every line has, without the closing brace.
fn write_entry(out: &mut Vec<u8>, entry: &Entry) -> std::io::Result<()> {
    write!(out, "{{\"seq\":{},\"at\":{},\"type\":", entry.seq, entry.at.millis())?;
    serde_json::to_writer(&mut *out, entry.entry_type.as_str())?;
    if entry.must {
        out.extend_from_slice(b",\"must\":true");
    }
    if let Some(claim) = entry.claim {
        write!(out, ",\"claim\":{claim}")?;
    }
    if !entry.data.is_absent() {
        out.extend_from_slice(b",\"data\":");
        out.extend_from_slice(entry.data.as_str().as_bytes());
    }
    for member in &entry.extra {
        out.push(b',');
        serde_json::to_writer(&mut *out, &*member.name)?;
        out.push(b':');
        out.extend_from_slice(member.value.as_str().as_bytes());
    }
    Ok(())
}

/// Ends a line with its checksum and LF; answers the checksum.
fn seal(out: &mut Vec<u8>, start: usize, entry: &Entry, salt: Salt) -> std::io::Result<u32> {
    let salt = (entry.seq != Seq::FIRST).then_some(salt);
    let crc = checksum::of_line(salt, out.get(start..).unwrap_or_default());
    writeln!(out, ",\"crc\":\"{crc:08x}\"}}")?;
    Ok(crc)
}
