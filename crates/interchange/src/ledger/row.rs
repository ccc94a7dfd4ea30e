//! One session of a ledger.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sessile_core::digest::Digest;
use sessile_core::lens::View;
use sessile_core::{Payload, UnixMillis};

use crate::ledger::board::{self, Board};
use crate::ledger::guards::{Guards, Lifecycle, Mode};
use crate::ledger::member::{check, count, list, maybe, text, truth};
use crate::ledger::secret;
use crate::member::time;

/// A session of a ledger.
///
/// # Examples
/// ```
/// use sessile_interchange::ledger::{Row, decode};
///
/// # let row = |id: u64, more: &str| format!(
/// #     r#"{{"session_id":"wc_sess_{id:016}","created_at":1790000000,"updated_at":1790000060,
/// #     "owner_authority_fingerprint":"{}","mode":"normal","lifecycle":"active","events":[],
/// #     "events_observed":0{more}}}"#,
/// #     "0a".repeat(32),
/// # );
/// # let document = |rows: &[String]| {
/// #     format!(r#"{{"version":2,"sessions":[{}]}}"#, rows.join(","))
/// # };
/// let titled = row(1, r#","messages":[],"title":"Plums","git_baseline_tree":"4b825dc""#);
/// let ledger = decode(&document(&[titled]).into())?;
/// let row: &Row = &ledger.rows[0];
/// assert_eq!((row.title.as_deref(), row.created_at.millis()), (Some("Plums"), 1_790_000_000_000));
/// // What has no meaning here is carried under its name.
/// assert_eq!(row.others["git_baseline_tree"].as_str(), r#""4b825dc""#);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Row {
    /// Where it stands in the ledger, counted from 0.
    pub row: usize,
    /// The digest of the row as it stands in the ledger.
    pub digest: Digest,
    /// The session's id: `wc_sess_` and 16 characters of base64 or 32 hex digits.
    pub id: String,
    /// Its title, at most 240 characters.
    pub title: Option<String>,
    /// Whose it is: the fingerprint of an authority, 64 lower-case hex digits.
    pub owner: String,
    /// The project that it belongs to.
    pub project: Option<String>,
    /// What the project stood for when the session began.
    pub project_identity: Option<String>,
    /// When it began.
    pub created_at: UnixMillis,
    /// When something was last done with it.
    pub updated_at: UnixMillis,
    /// What it may do at all.
    pub mode: Mode,
    /// What it must not do; at least what its mode says.
    pub guards: Guards,
    /// Whether it goes on.
    pub lifecycle: Lifecycle,
    /// What its tools start from, as it stands.
    pub execution_context: Option<Payload>,
    /// The last instruction, at most 4,000 characters and without secrets.
    pub instruction: Option<String>,
    /// Its events that were retained, in order.
    pub events: Vec<Payload>,
    /// How many events there were in all; those that are not retained are lost.
    pub events_observed: u64,
    /// Its messages, in order.
    pub messages: Vec<Payload>,
    /// What can be said of changes to its messages.
    pub board: Board,
    /// The rest of the row by name, as it stands: replays of sent messages, what a repository was
    /// like, jobs that were noted.
    pub others: BTreeMap<String, Payload>,
}

const REQUIRED: [&str; 9] = [
    "session_id",
    "created_at",
    "updated_at",
    "owner_authority_fingerprint",
    "mode",
    "lifecycle",
    "events",
    "events_observed",
    "messages",
];

const OPTIONAL: [&str; 13] = [
    "title",
    "project",
    "project_identity",
    "guards",
    "execution_context",
    "current_instruction",
    "message_observation_revision",
    "message_observation_floor",
    "message_observation_revisions",
    "assignment_history_floors",
    "assignment_history_tracking_complete",
    "completion_assignment_fence_fingerprints",
    "completion_assignment_fence_tracking_complete",
];

/// Members that are kept as they stand.
const OTHERS: [&str; 6] = [
    "message_delivery_replays",
    "native_context_fingerprint",
    "context_revision",
    "git_baseline_tree",
    "repository_edit_observed",
    "materialized_validation_job_ids",
];

const MAX_TITLE: usize = 240;
const MAX_INSTRUCTION: usize = 4_000;

/// Reads a row. What was mended is told in words that never quote it.
///
/// # Errors
/// Why the row can't be trusted.
pub(super) fn read(number: usize, data: &Payload) -> Result<(Row, Vec<String>), String> {
    let row = View::of(data);
    check(row, &REQUIRED, &[OPTIONAL.as_slice(), &OTHERS].concat())?;
    let mut mended = Vec::new();
    let id = text(row, "session_id")?.filter(|id| is_session(id));
    let id = id.ok_or("session_id is no id of a session")?;
    let owner = text(row, "owner_authority_fingerprint")?.filter(|it| is_fingerprint(it));
    let owner = owner.ok_or("owner_authority_fingerprint is not 64 lower-case hex digits")?;
    let mode = match text(row, "mode")?.as_deref() {
        Some("normal") => Mode::Normal,
        Some("read_only") => Mode::ReadOnly,
        _ => return Err("mode is neither normal nor read_only".to_owned()),
    };
    let lifecycle = match text(row, "lifecycle")?.as_deref() {
        Some("active") => Lifecycle::Active,
        Some("closed") => Lifecycle::Closed,
        _ => return Err("lifecycle is neither active nor closed".to_owned()),
    };
    let at =
        |name: &str| maybe(row, name).and_then(time).ok_or_else(|| format!("{name} is no time"));
    let (created_at, updated_at) = (at("created_at")?, at("updated_at")?);
    if updated_at < created_at {
        return Err("updated_at is before created_at".to_owned());
    }
    let events = list(row, "events")?;
    let events_observed = count(row, "events_observed")?.unwrap_or(0);
    if usize::try_from(events_observed).is_ok_and(|observed| observed < events.len()) {
        return Err("events_observed is less than the events that are there".to_owned());
    }
    let events = read_events(&events, &id, &mut mended)?;
    let (messages, ids) = read_messages(&list(row, "messages")?, &id, &mut mended)?;
    let read = board::read(row, &ids)?;
    mended.extend(read.mended.into_iter().map(str::to_owned));
    let others = OTHERS.into_iter().filter_map(|name| {
        let value = maybe(row, name)?;
        Some((name.to_owned(), Payload::parse(value.as_json().to_owned()).ok()?))
    });
    let row = Row {
        row: number,
        digest: Digest::of(data.as_str().as_bytes()),
        id,
        title: title(row, &mut mended)?,
        owner,
        project: text(row, "project")?,
        project_identity: text(row, "project_identity")?,
        created_at,
        updated_at,
        mode,
        guards: guards(row, mode)?,
        lifecycle,
        execution_context: context(row, &mut mended)?,
        instruction: instruction(row, &mut mended)?,
        events,
        events_observed,
        messages,
        board: read.board,
        others: others.collect(),
    };
    Ok((row, mended))
}

/// What a mode denies is denied, whatever was asked for.
fn guards(row: View<'_>, mode: Mode) -> Result<Guards, String> {
    let names = ["deny_write_tools", "deny_shell_tools"];
    let [write, shell] = match maybe(row, "guards") {
        Some(guards) => {
            check(guards, &[], &names).map_err(|reason| format!("guards: {reason}"))?;
            names.map(|name| truth(guards, name, false))
        }
        None => [Ok(false), Ok(false)],
    };
    let all = mode == Mode::ReadOnly;
    Ok(Guards { deny_write_tools: write? || all, deny_shell_tools: shell? || all })
}

fn title(row: View<'_>, mended: &mut Vec<String>) -> Result<Option<String>, String> {
    let title = text(row, "title")?;
    Ok(title.map(|title| {
        let cut: String = title.chars().take(MAX_TITLE).collect();
        if cut != title {
            mended.push(format!("its title was cut after {MAX_TITLE} characters"));
        }
        cut
    }))
}

fn instruction(row: View<'_>, mended: &mut Vec<String>) -> Result<Option<String>, String> {
    let value = maybe(row, "current_instruction");
    let given = match value {
        Some(value) if value.is_object() => text(value, "text")?,
        _ => text(row, "current_instruction")?,
    };
    Ok(given.map(|given| {
        if secret::is_in(&given) {
            mended.push("its instruction was redacted: it may hold a secret".to_owned());
            return secret::REDACTED.to_owned();
        }
        let cut = secret::bounded(&given, MAX_INSTRUCTION);
        if cut != given {
            mended.push(format!("its instruction was cut after {MAX_INSTRUCTION} characters"));
        }
        cut
    }))
}

/// A context of a session that has no project means nothing.
fn context(row: View<'_>, mended: &mut Vec<String>) -> Result<Option<Payload>, String> {
    let Some(context) = maybe(row, "execution_context") else { return Ok(None) };
    let names = ["default_cwd", "default_shell", "resource"];
    check(context, &[], &names).map_err(|reason| format!("execution_context: {reason}"))?;
    if context.members().next().is_some() && maybe(row, "project").is_none() {
        mended.push("its execution context was dropped: it has no project".to_owned());
        return Ok(None);
    }
    Payload::parse(context.as_json().to_owned()).map(Some).map_err(|error| error.to_string())
}

/// The events that belong to the session; instructions among them without secrets.
fn read_events(
    events: &[View<'_>],
    id: &str,
    mended: &mut Vec<String>,
) -> Result<Vec<Payload>, String> {
    let mut kept = Vec::with_capacity(events.len());
    for (index, event) in events.iter().enumerate() {
        if !belongs(*event, id, &["event_id", "id"], "evt_") {
            mended.push(format!("events[{index}] was dropped: it is not of this session"));
            continue;
        }
        let is_instruction =
            event.member("kind").and_then(View::text).as_deref() == Some("task_instruction");
        let clean = is_instruction.then(|| secret::without(event.as_json())).flatten();
        if clean.is_some() {
            mended.push(format!("events[{index}] was redacted: it may hold a secret"));
        }
        let json = clean.unwrap_or_else(|| event.as_json().to_owned());
        kept.push(Payload::parse(json).map_err(|error| error.to_string())?);
    }
    Ok(kept)
}

/// The messages that belong to the session, and their ids. Of an id that stands twice nobody can
/// tell which is the right one: none is kept.
fn read_messages(
    messages: &[View<'_>],
    id: &str,
    mended: &mut Vec<String>,
) -> Result<(Vec<Payload>, BTreeSet<String>), String> {
    const IDS: [&str; 2] = ["message_id", "id"];
    let own_id = |message: View<'_>| name_of(message, &IDS).map(Cow::into_owned);
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for own in messages.iter().filter_map(|message| own_id(*message)) {
        *times.entry(own).or_default() += 1;
    }
    let (mut kept, mut ids) = (Vec::with_capacity(messages.len()), BTreeSet::new());
    for (index, message) in messages.iter().enumerate() {
        let own = own_id(*message).filter(|_| belongs(*message, id, &IDS, "wc_msg_"));
        let Some(own) = own else {
            mended.push(format!("messages[{index}] was dropped: it is not of this session"));
            continue;
        };
        if times.get(&own).is_some_and(|times| *times > 1) {
            mended.push(format!("messages[{index}] was dropped: its id stands twice"));
            continue;
        }
        let json = message.as_json().to_owned();
        kept.push(Payload::parse(json).map_err(|error| error.to_string())?);
        ids.insert(own);
    }
    Ok((kept, ids))
}

fn name_of<'a>(value: View<'a>, names: &[&str]) -> Option<Cow<'a, str>> {
    names.iter().find_map(|name| value.member(name)?.text())
}

/// Whether an event or a message has an id of its kind, and names no other session.
fn belongs(value: View<'_>, session: &str, names: &[&str], prefix: &str) -> bool {
    let has_id = name_of(value, names).is_some_and(|id| id.starts_with(prefix));
    let of = value.member("session_id").map(View::text);
    has_id && of.is_none_or(|of| of.as_deref() == Some(session))
}

pub(super) fn is_session(id: &str) -> bool {
    let Some(suffix) = id.strip_prefix("wc_sess_") else { return false };
    let is_compact = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (suffix.len() == 16 && suffix.bytes().all(is_compact))
        || (suffix.len() == 32 && suffix.bytes().all(is_hex))
}

pub(super) fn is_fingerprint(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(is_hex)
}

fn is_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

impl fmt::Debug for Row {
    /// Tells ids and counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row")
            .field("id", &self.id)
            .field("lifecycle", &self.lifecycle)
            .field("events", &self.events.len())
            .field("messages", &self.messages.len())
            .finish_non_exhaustive()
    }
}
