//! Taking over a ledger: each of its rows once.

use std::path::Path;

use serde::Serialize;
use sessile::interchange::ledger::{self, Ledger, Loss};
use sessile::{Error, ErrorKind, LedgerRow, RowDone, Store};

use super::ending::Ending;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, notice, remark};

/// The answer for one row.
#[derive(Debug, Serialize)]
struct Row<'a> {
    source: &'a str,
    format: &'static str,
    /// None where not even an id can be trusted.
    session: Option<&'a str>,
    messages: u64,
    added: u64,
    /// Whether the id is that of a deleted session.
    deleted: bool,
    skipped: Vec<Line<'a>>,
    notices: Vec<Line<'a>>,
}

/// What there is to say of a row, which is counted from 1 as lines are.
#[derive(Debug, Serialize)]
struct Line<'a> {
    line: usize,
    reason: &'a str,
}

/// Imports the rows of a ledger. Those that can't be taken over are told, and spoil no others.
pub(super) async fn import(
    store: &Store,
    place: &str,
    bytes: Vec<u8>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let ledger = ledger::decode(&bytes.into()).map_err(|error| error.about(place))?;
    let mut ending = Ending::default();
    let done = store.import_ledger(&ledger).await.map_err(|error| error.about(place))?;
    let mut told: Vec<(usize, Row<'_>)> = Vec::new();
    for dropped in &ledger.dropped {
        ending.unreadable();
        told.push((dropped.row, row(place, None, vec![line(dropped)], Vec::new())));
    }
    for taken in &done {
        told.push((taken.row, answer(place, &ledger, taken)));
        match &taken.done {
            RowDone::Refused(error) if is_conflict(error) => {
                ending.conflict(again(error).about(format_args!("{place}: {}", taken.id)));
            }
            _ => ending.readable(),
        }
    }
    told.sort_by_key(|(row, _)| *row);
    for (number, row) in &told {
        tell(*number, row, output)?;
    }
    let (rows, dropped) = (ledger.count, ledger.dropped.len());
    remark(&format!("{rows} rows, {dropped} of them dropped as unreadable"), output)?;
    ending.exit(Path::new(place).display())
}

/// Whether something else stands where a row belongs.
fn is_conflict(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Conflict | ErrorKind::Exists | ErrorKind::Closed)
}

/// An error as it is told at the end, when its row has been told.
fn again(error: &Error) -> Error {
    let again = Error::new(error.kind(), error.clause().to_owned());
    again.with_hint("a row is taken over once: what its session became since stays")
}

fn answer<'a>(place: &'a str, ledger: &'a Ledger, taken: &'a LedgerRow) -> Row<'a> {
    let mended = ledger.mended.iter().filter(|loss| loss.row == taken.row).map(line).collect();
    let row = row(place, Some(&taken.id), Vec::new(), mended);
    let reason = |reason| vec![Line { line: taken.row + 1, reason }];
    match &taken.done {
        RowDone::Imported(done) => {
            let left_out = done.skipped.iter();
            let left_out = left_out.map(|it| Line { line: taken.row + 1, reason: &it.reason });
            Row {
                session: Some(done.session.as_str()),
                messages: done.messages,
                added: done.added,
                skipped: left_out.collect(),
                ..row
            }
        }
        RowDone::Deleted => Row { deleted: true, ..row },
        RowDone::Buried(is_new) => Row { deleted: true, added: u64::from(*is_new), ..row },
        RowDone::Refused(error) => Row { skipped: reason(error.clause()), ..row },
        _ => row,
    }
}

const fn row<'a>(
    source: &'a str,
    session: Option<&'a str>,
    skipped: Vec<Line<'a>>,
    notices: Vec<Line<'a>>,
) -> Row<'a> {
    let (messages, added, deleted) = (0, 0, false);
    Row { source, format: "ledger", session, messages, added, deleted, skipped, notices }
}

fn line(loss: &Loss) -> Line<'_> {
    Line { line: loss.row + 1, reason: &loss.reason }
}

fn tell(number: usize, row: &Row<'_>, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.value(row);
    }
    match (row.session, row.deleted) {
        (Some(session), true) => output.line(&format!("{session}: deleted, and stays so"))?,
        (Some(session), false) if row.skipped.is_empty() || row.added > 0 => {
            output.line(&format!("{session}: {} entries added", row.added))?;
        }
        _ => {}
    }
    for said in &row.skipped {
        notice(&format!("sessile: sessions[{number}] was skipped: {}", said.reason));
    }
    for said in &row.notices {
        notice(&format!("sessile: sessions[{number}]: {}", said.reason));
    }
    Ok(())
}
