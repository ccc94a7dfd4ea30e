//! What a session belongs to: as it is given on the command line, and as it is told.

use std::collections::BTreeMap;

use serde::Serialize;
use sessile::{AcceptedIdentity, Expected, Info, Name, Payload, Session, SessionId, Store};

use crate::failure::Failure;
use crate::{members, reading};

/// What runs are, by `KEY=JSON` texts; none without any.
pub(crate) fn expected(texts: Vec<String>) -> Result<Option<Expected>, Failure> {
    if texts.is_empty() {
        return Ok(None);
    }
    let fields = members::read(texts, "--identity")?;
    let all = fields.iter().fold(Expected::new(), |all, (name, value)| all.field(name, value));
    Ok(Some(all))
}

/// Whether `KEY=JSON` texts name a field.
pub(crate) fn names(texts: &[String], field: &str) -> bool {
    texts.iter().filter_map(|text| text.split_once('=')).any(|(name, _)| name == field)
}

/// Opens a session, if it is what is expected.
pub(crate) async fn open(
    store: &Store,
    id: SessionId,
    texts: Vec<String>,
) -> Result<Session, Failure> {
    Ok(match expected(texts)? {
        Some(expected) => store.open_with(id, &expected).await?,
        None => store.open_session(id).await?,
    })
}

/// What a session belongs to, in `--json` output.
#[derive(Debug, Serialize)]
pub(crate) struct Told<'a> {
    /// None where it can't be told.
    identity: Option<BTreeMap<String, Payload>>,
    /// What was accepted last.
    accepted_identity: Option<AcceptedIdentity>,
    #[serde(skip)]
    project: Option<&'a Name>,
}

impl<'a> Told<'a> {
    /// What is known of a session.
    pub(crate) fn of(info: &'a Info) -> Self {
        Self {
            identity: info.identity().ok(),
            accepted_identity: info.meta.accepted_identity().ok().flatten(),
            project: info.header.project.as_ref(),
        }
    }

    /// The same for people; the project that the header names has a row of its own.
    pub(crate) fn rows(&self) -> Vec<(&'a str, String)> {
        let mut rows = Vec::new();
        let Some(identity) = &self.identity else {
            rows.push(("identity", "what was accepted can't be read".to_owned()));
            return rows;
        };
        let project = self.project.and_then(|name| Payload::of(name).ok());
        let is_told =
            |name: &str, value: &Payload| name == "project" && project.as_ref() == Some(value);
        let fields = identity.iter().filter(|(name, value)| !is_told(name, value));
        rows.extend(fields.map(|(name, value)| {
            ("identity", reading::visible(&format!("{name}={}", value.as_str())))
        }));
        rows.extend(self.accepted_identity.as_ref().map(|accepted| {
            let by = accepted.by.as_deref().map(|label| format!(" by {label}"));
            let told = format!("{}{}", reading::time(accepted.at), by.unwrap_or_default());
            ("accepted", reading::visible(&told))
        }));
        rows
    }
}
