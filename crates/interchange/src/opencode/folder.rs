//! The small files of a session: `session/PROJECT/ID.json`, `message/ID/*.json`,
//! `part/MESSAGE/*.json`, and `project/PROJECT.json`.

use std::borrow::Cow;
use std::fmt;

use sessile_core::lens::View;
use sessile_core::{Error, ErrorKind, Payload};

use crate::member::{name, time};

/// A message of a session and its parts, as their files hold them.
///
/// # Examples
/// ```
/// use sessile_interchange::opencode::{Message, assemble};
///
/// let message = |id, at| Message {
///     info: format!(r#"{{"id":"{id}","role":"user","time":{{"created":{at}}}}}"#),
///     parts: vec![],
/// };
/// // In the order of the names of their files, which need not be that of the conversation.
/// let messages = vec![message("msg_a", 9), message("msg_b", 7)];
/// let document = assemble(r#"{"id":"ses_1"}"#, None, messages)?;
/// assert!(document.find("msg_b") < document.find("msg_a"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Message {
    /// The message: one JSON value.
    pub info: String,
    /// Its parts: one JSON value each, in the order of the names of their files.
    pub parts: Vec<String>,
}

/// One of the small files of a session.
///
/// # Examples
/// ```
/// use sessile_interchange::opencode::{SmallFile, take_apart};
///
/// let document = r#"{"info":{"id":"ses_1","projectID":"p"},"messages":[
///     {"info":{"id":"msg_1"},"parts":[{"id":"prt_1","text":"Hello"}]}]}"#;
/// let files: Vec<SmallFile> = take_apart(document)?;
/// let expected = ["session/p/ses_1.json", "message/ses_1/msg_1.json", "part/msg_1/prt_1.json"];
/// assert!(files.iter().map(|file| file.path.as_str()).eq(expected));
/// assert_eq!(files[2].content, "{\"id\":\"prt_1\",\"text\":\"Hello\"}\n");
/// // A name that leads elsewhere is refused.
/// assert!(take_apart(&document.replace("msg_1", "../msg_1")).is_err());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct SmallFile {
    /// Where it lies below the folder of all, its names parted by `/`. They come from the session:
    /// none is empty, begins with a dot, or holds a separator.
    pub path: String,
    /// What it holds: one JSON value.
    pub content: String,
}

/// Makes one object of what the small files of a session hold: of its own file, of its project's
/// if there is one, and of its messages, which are put in order by time and id.
///
/// # Errors
/// *refused* where one of them is not JSON.
///
/// # Examples
/// ```
/// use sessile_interchange::opencode::{Message, assemble};
/// use sessile_interchange::{Format, detect};
///
/// let said = Message {
///     info: r#"{"id":"msg_1","role":"user"}"#.into(),
///     parts: vec![r#"{"id":"prt_1","type":"text","text":"Hello"}"#.into()],
/// };
/// let document = assemble(r#"{"id":"ses_1","projectID":"p"}"#, None, vec![said])?;
/// assert_eq!(detect(document.as_bytes()), Some(Format::Opencode));
/// # Ok::<(), sessile_core::Error>(())
/// ```
pub fn assemble(
    session: &str,
    project: Option<&str>,
    mut messages: Vec<Message>,
) -> Result<String, Error> {
    messages.sort_by_cached_key(|message| {
        let info = View::parse(&message.info);
        let created = info.and_then(|info| info.member("time")?.member("created").and_then(time));
        let id = info.and_then(|info| name(info.member("id")).map(Cow::into_owned));
        (created, id)
    });
    let mut document = format!("{{\"info\":{}", checked(session)?);
    if let Some(project) = project {
        document.push_str(",\"project\":");
        document.push_str(checked(project)?);
    }
    document.push_str(",\"messages\":[");
    for (index, message) in messages.iter().enumerate() {
        document.push_str(if index == 0 { "\n{\"info\":" } else { ",\n{\"info\":" });
        document.push_str(checked(&message.info)?);
        document.push_str(",\"parts\":[");
        for (index, part) in message.parts.iter().enumerate() {
            document.push_str(if index == 0 { "" } else { "," });
            document.push_str(checked(part)?);
        }
        document.push_str("]}");
    }
    document.push_str("\n]}\n");
    Ok(document)
}

fn checked(json: &str) -> Result<&str, Error> {
    Payload::parse(json.to_owned())?;
    Ok(json.trim())
}

/// The small files of a session that is one object.
///
/// # Errors
/// *corrupt* where it is no such object; *refused* where an id in it can't be the name of a file.
pub fn take_apart(document: &str) -> Result<Vec<SmallFile>, Error> {
    let whole = View::parse(document.trim())
        .ok_or_else(|| Error::new(ErrorKind::Corrupt, "it is not one JSON value"))?;
    let [info, project, messages] = whole.pick(["info", "project", "messages"]);
    let info = info.ok_or_else(|| Error::new(ErrorKind::Corrupt, "it has no info"))?;
    let session = id(info, "id")?;
    let of_project = id(info, "projectID").unwrap_or_else(|_| "global".to_owned());
    let file = |path: String, content: View<'_>| SmallFile {
        path,
        content: format!("{}\n", content.as_json()),
    };
    let mut files = vec![file(format!("session/{of_project}/{session}.json"), info)];
    if let Some(project) = project {
        files.push(file(format!("project/{}.json", id(project, "id")?), project));
    }
    for message in messages.into_iter().flat_map(View::items) {
        let [info, parts] = message.pick(["info", "parts"]);
        let Some(info) = info else { continue };
        let message = id(info, "id")?;
        files.push(file(format!("message/{session}/{message}.json"), info));
        for part in parts.into_iter().flat_map(View::items) {
            files.push(file(format!("part/{message}/{}.json", id(part, "id")?), part));
        }
    }
    Ok(files)
}

/// An id that is to be the name of a file.
fn id(value: View<'_>, member: &str) -> Result<String, Error> {
    let id = name(value.member(member)).unwrap_or_default();
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if id.is_empty() || id.len() > 200 || id.starts_with('.') || !id.chars().all(is_plain) {
        let clause = "an id in it can't be the name of a file";
        return Err(
            Error::new(ErrorKind::Refused, clause).with_hint("export it as one file: -o FILE")
        );
    }
    Ok(id.into_owned())
}

impl fmt::Debug for Message {
    /// Tells sizes only: payloads never reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for SmallFile {
    /// Tells the path and the size: payloads never reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmallFile")
            .field("path", &self.path)
            .field("bytes", &self.content.len())
            .finish()
    }
}
