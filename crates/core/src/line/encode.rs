//! From a commit to its lines.

use std::io::{Result, Write as _};

use super::checksum::{self, LineSum};
use crate::commit::StoredCommit;
use crate::digest::Salt;
use crate::entry::Entry;
use crate::position::Seq;

/// Appends a commit's lines, each ended by LF, for a journal whose checksums have a salt.
pub fn encode_commit(out: &mut Vec<u8>, commit: &StoredCommit, salt: Salt) {
    // Writing to memory can't fail, nor can the JSON form of text.
    let _infallible = write_lines(out, commit, salt);
}

/// About how many bytes a line takes beside its payload.
const FRAME: usize = 256;

fn write_lines(out: &mut Vec<u8>, commit: &StoredCommit, salt: Salt) -> Result<()> {
    // Made room for at once: a buffer that grows is copied again and again.
    out.reserve(commit.entries.iter().map(|entry| entry.data.len() + FRAME).sum());
    let mut sum = LineSum::default();
    let Some((last, before)) = commit.entries.split_last() else { return Ok(()) };
    for entry in before {
        let start = out.len();
        write_entry(out, entry)?;
        out.extend_from_slice(b",\"more\":true");
        sum = sum.and(seal(out, start, entry, salt)?);
    }
    let start = out.len();
    write_entry(out, last)?;
    let (id, token, lines) = (&commit.id, commit.token, commit.entries.len());
    write!(out, ",\"commit\":\"{id}\",\"token\":\"{token}\",\"n\":{lines}")?;
    if let Some(prev) = commit.prev {
        write!(out, ",\"prev\":\"{prev}\"")?;
    }
    write!(out, ",\"synced\":{},\"digest\":\"{}\"", commit.synced, commit.digest)?;
    if let Some(state) = commit.state {
        write!(out, ",\"state\":{state}")?;
    }
    if commit.vacuumed > 0 {
        write!(out, ",\"vacuumed\":{}", commit.vacuumed)?;
    }
    if !before.is_empty() {
        write!(out, ",\"sum\":\"{:08x}\"", sum.number())?;
    }
    seal(out, start, last, salt).map(drop)
}

/// Writes the members that every line has, without the closing brace.
fn write_entry(out: &mut Vec<u8>, entry: &Entry) -> Result<()> {
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
        out.extend_from_slice(entry.data.as_bytes());
    }
    for member in &entry.extra {
        out.push(b',');
        serde_json::to_writer(&mut *out, &*member.name)?;
        out.push(b':');
        out.extend_from_slice(member.value.as_bytes());
    }
    Ok(())
}

/// Ends a line with its checksum and LF; answers the checksum.
fn seal(out: &mut Vec<u8>, start: usize, entry: &Entry, salt: Salt) -> Result<u32> {
    let salt = (entry.seq != Seq::FIRST).then_some(salt);
    let crc = checksum::of_line(salt, out.get(start..).unwrap_or_default());
    writeln!(out, ",\"crc\":\"{crc:08x}\"}}")?;
    Ok(crc)
}
