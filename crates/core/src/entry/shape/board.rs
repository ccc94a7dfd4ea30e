//! Shapes of the entries of workflow sessions: the board, instructions, context.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::payload::Payload;
use crate::text::Text;

/// What an entry of the board says in words; gone once the entry is redacted.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::Body;
///
/// let body = Body { text: "plums are out".into(), tags: vec!["stock".into()] };
/// assert_eq!(Payload::of(&body)?.as_str(), r#"{"text":"plums are out","tags":["stock"]}"#);
/// // Words never reach a log.
/// assert_eq!(format!("{:?}", body.text), "Text(13 bytes)");
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// The text.
    pub text: Text,
    /// What it is filed under, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Text>,
}

/// `post`: a message on the board.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Post;
/// use sessile_core::{EntryType, NewEntry, Payload, Seq, UnixMillis};
///
/// # let sum = "00".repeat(32);
/// let data = format!(r#"{{"id":"m7","kind":"todo","content":"{sum}","body":{{"text":"pay"}}}}"#);
/// let post: Post = Payload::parse(data.clone())?.decode()?;
/// assert_eq!((post.kind.as_str(), post.requires_ack), ("todo", false));
/// // Redacted it is still the message that others have answered; only its words are gone.
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Post, Payload::parse(data)?);
/// let mut entry = entry.numbered(Seq::FIRST);
/// entry.redact()?;
/// let Post { id, body, .. } = entry.data.decode()?;
/// assert_eq!((id.as_str(), body), ("m7", None));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Post {
    /// The message's id.
    pub id: String,
    /// The key under which a repeat is recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Digest>,
    /// What kind of message it is.
    pub kind: String,
    /// How urgent it is; as usual if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Which session posted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Text>,
    /// Whether somebody is to acknowledge it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub requires_ack: bool,
    /// The digest of what its body says.
    pub content: Digest,
    /// The messages that leave the board for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evicts: Vec<String>,
    /// What it says; none once it is redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

/// `resolve`: a board message is dealt with.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::Resolve;
///
/// let bare: Resolve = Payload::parse(r#"{"id":"m7"}"#)?.decode()?;
/// assert_eq!(bare, Resolve { id: "m7".into(), content: None, body: None });
/// // How it was dealt with may be said in words.
/// let told: Resolve = Payload::parse(r#"{"id":"m7","body":{"text":"paid"}}"#)?.decode()?;
/// assert_eq!(told.body.map(|body| body.text.as_str().to_owned()).as_deref(), Some("paid"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolve {
    /// The message's id.
    pub id: String,
    /// The digest of how, where that is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Digest>,
    /// How, in words; none once it is redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

/// `withdraw`: a board message is taken back.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Withdraw;
/// use sessile_core::{EntryType, NewEntry, Payload, Seq, UnixMillis};
///
/// let data = Payload::of(&Withdraw { id: "m7".into() })?;
/// let mut entry = NewEntry::new(UnixMillis(0), EntryType::Withdraw, data).numbered(Seq::FIRST);
/// // It has no words to remove: redacted, it takes back the same message.
/// entry.redact()?;
/// assert_eq!(entry.data.decode::<Withdraw>()?.id, "m7");
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdraw {
    /// The message's id.
    pub id: String,
}

/// `replace`: a board message is replaced by another, which takes over all but its text.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::digest::Digest;
/// use sessile_core::entry::shape::{Body, Replace};
///
/// let text = "plums are in again";
/// let replace = Replace {
///     id: "m7".into(),
///     by: "m9".into(),
///     content: Digest::of(text.as_bytes()),
///     evicts: vec![],
///     body: Some(Body { text: text.into(), tags: vec![] }),
/// };
/// let data = Payload::of(&replace)?;
/// assert!(data.as_str().starts_with(r#"{"id":"m7","by":"m9","content":""#));
/// assert_eq!(data.decode::<Replace>()?, replace);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replace {
    /// The message that goes.
    pub id: String,
    /// The message that comes.
    pub by: String,
    /// The digest of what its body says.
    pub content: Digest,
    /// The messages that leave the board for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evicts: Vec<String>,
    /// What it says; none once it is redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

/// `ack`: a board message was seen.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::Ack;
///
/// let ack: Ack = Payload::parse(r#"{"id":"m7","by":"ses_43"}"#)?.decode()?;
/// assert_eq!((ack.id.as_str(), ack.by.as_deref()), ("m7", Some("ses_43")));
/// // A message without an id is none that was seen.
/// assert!(Payload::parse(r#"{"by":"ses_43"}"#)?.decode::<Ack>().is_err());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    /// The message's id.
    pub id: String,
    /// Who saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Text>,
}

/// `complete`: a task that was assigned is done; its answer is a message on the board.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::digest::Digest;
/// use sessile_core::entry::shape::Complete;
///
/// # let (completion, content) = (Digest::of(b"task-7"), Digest::of(b"done"));
/// let data = format!(
///     r#"{{"id":"m7","answer":"m9","completion":"{completion}","content":"{content}"}}"#
/// );
/// let complete: Complete = Payload::parse(data)?.decode()?;
/// // The answer is a message of its own; sent again, the task is recognised by the key.
/// assert_eq!((complete.id.as_str(), complete.answer.as_str()), ("m7", "m9"));
/// assert_eq!(complete.completion, completion);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complete {
    /// The task's id.
    pub id: String,
    /// The answer's id.
    pub answer: String,
    /// The key under which a repeat is recognised.
    pub completion: Digest,
    /// The digest of the fence under which it was worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<Digest>,
    /// Which session did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Text>,
    /// How urgent the answer is; as usual if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// The digest of what the answer says.
    pub content: Digest,
    /// The messages that leave the board for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evicts: Vec<String>,
    /// What the answer says; none once it is redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// `instruct`: an instruction to the session.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Instruct;
/// use sessile_core::{EntryType, NewEntry, Payload, Seq, UnixMillis};
///
/// let instruct = Instruct { text: "find the bug".into(), by: Some("ann".into()) };
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Instruct, Payload::of(&instruct)?);
/// let mut entry = entry.numbered(Seq::FIRST);
/// assert_eq!(entry.data.decode::<Instruct>()?.by.as_deref(), Some("ann"));
/// // Nothing rests on an instruction: redacted, all of it goes.
/// entry.redact()?;
/// assert!(entry.data.decode::<Instruct>().is_err());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruct {
    /// What is asked.
    pub text: Text,
    /// Who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Text>,
}

/// `context`: the execution context of the session changed.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_core::entry::shape::Context;
///
/// // Whole, and kept as it was given: the last one is the context that there is.
/// let context = Context { context: Payload::parse(r#"{"cwd": "/srv", "limit": 1.0}"#)? };
/// let data = Payload::of(&context)?;
/// assert_eq!(data.as_str(), r#"{"context":{"cwd": "/srv", "limit": 1.0}}"#);
/// assert_eq!(data.decode::<Context>()?, context);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// The new context, whole.
    pub context: Payload,
}
