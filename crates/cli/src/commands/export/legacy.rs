//! A session as the log of the session files.

use sessile::interchange::session_files::{self, Header, Written};
use sessile::{Dialect, Error, ErrorKind, From, RawMessage, Session, UnixMillis};

/// Writes a session as `sessions/<id>.jsonl`: its header, then each message that the log can hold.
///
/// # Errors
/// *unsupported* for messages of another dialect; those of reading.
pub(super) async fn write(session: &Session) -> Result<Written, Error> {
    let info = session.info();
    if !matches!(info.header.dialect, Dialect::Openai | Dialect::Plain) {
        let clause = "its messages are of a dialect that legacy can't hold";
        return Err(Error::new(ErrorKind::Unsupported, clause)
            .with_hint("export it as jsonl or markdown")
            .about(format_args!("session {}", session.id())));
    }
    let host = |name: &str| info.header.host.get(name);
    let began: Option<UnixMillis> = host("source_created_at").and_then(|at| at.decode().ok());
    let mut header = Header::new(session.id().as_str(), began.unwrap_or(info.header.created_at))
        .ok_or_else(|| Error::new(ErrorKind::InvalidId, "the session has no id"))?;
    header.updated_at = info.updated_at;
    header.title = info.title();
    header.model = info.meta.model();
    header.cwd = info.meta.cwd();
    header.parent_id = host("source_parent").and_then(|id| id.decode().ok());
    if let Some(others) = host(session_files::OTHERS) {
        header = header.with_others(others);
    }
    let mut messages = Vec::new();
    let mut transcript = session.transcript::<RawMessage>(From::start()).await?;
    while let Some(message) = transcript.next().await {
        messages.push(message?.data);
    }
    Ok(session_files::write(&header, &messages))
}
