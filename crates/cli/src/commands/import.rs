//! `sessile import`.

use serde::Serialize;
use sessile::interchange::{self, Format};
use sessile::{Error, ErrorKind, Imported, SessionId, Store};

use crate::args::ImportArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags;
use crate::messages;
use crate::output::{Output, notice, remark};

/// The answer for one session of the file.
#[derive(Debug, Serialize)]
struct Row<'a> {
    source: &'a str,
    format: &'a str,
    session: &'a SessionId,
    branch: Option<&'a str>,
    messages: u64,
    added: u64,
    skipped: Vec<Line<'a>>,
    notices: Vec<Line<'a>>,
}

/// A line of the file, and what there is to say of it.
#[derive(Debug, Serialize)]
struct Line<'a> {
    line: u64,
    reason: &'a str,
}

/// Imports one file.
pub(crate) async fn run(
    store: &Store,
    args: ImportArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let place = args.path.display().to_string();
    let given = args.from.map(|word| flags::word(&word, "--from", Format::ALL)).transpose()?;
    let new_id = args.id.map(|text| flags::id::<SessionId>(&text, "--as")).transpose()?;
    let bytes = std::fs::read(&args.path);
    let bytes = bytes.map_err(|error| messages::unreadable(&args.path, error))?;
    let format = given.or_else(|| interchange::detect(&bytes)).ok_or_else(|| {
        let clause = "its format is none that is known";
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        let hint = format!("name it with --from, one of: {}", names.join(", "));
        Error::new(ErrorKind::Refused, clause).with_hint(hint).about(&place)
    })?;
    let source = interchange::parse(format, bytes.into()).map_err(|error| error.about(&place))?;
    let imported = match &new_id {
        Some(id) => {
            let imported = store.import_as(id, &source).await;
            imported.map_err(|error| error.about(format_args!("session {id}")))?
        }
        None => store.import(&source).await.map_err(|error| error.about(&place))?,
    };
    for imported in &imported {
        tell(&place, imported, output)?;
    }
    // How many lines there were, and that each is accounted for.
    let (lines, skipped) = (source.lines, source.skipped.len());
    remark(&format!("{lines} lines, {skipped} of them skipped as unreadable"), output)?;
    Ok(Exit::Done)
}

fn tell(place: &str, imported: &Imported, output: &mut Output) -> Result<(), Failure> {
    let notices = &imported.notices;
    if output.is_json() {
        let skipped = imported.skipped.iter();
        return output.value(&Row {
            source: place,
            format: imported.format.name(),
            session: &imported.session,
            branch: imported.branch.as_deref(),
            messages: imported.messages,
            added: imported.added,
            skipped: skipped.map(|s| Line { line: s.line, reason: &s.reason }).collect(),
            notices: notices.iter().map(|n| Line { line: n.line, reason: &n.reason }).collect(),
        });
    }
    let Imported { session, messages, added, .. } = imported;
    let branch = imported.branch.as_deref();
    let branch = branch.map(|branch| format!(" (branch {branch})")).unwrap_or_default();
    output.line(&format!("{session}{branch}: {messages} messages, {added} entries added"))?;
    for skipped in &imported.skipped {
        notice(&format!("sessile: line {} was skipped: {}", skipped.line, skipped.reason));
    }
    for said in notices {
        notice(&format!("sessile: line {} was kept: {}", said.line, said.reason));
    }
    Ok(())
}
