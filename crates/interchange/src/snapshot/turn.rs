//! What was said: as models read it, and as it is reported.

use crate::json::{JsonText, Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names};

/// One turn as models read it; compaction replaces turns.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::{Contents, Snapshot, Turn};
/// # use sessile_interchange::snapshot::Identity;
///
/// # let identity = Identity {
/// #     gameplan: "review".into(),
/// #     topic: "the parser".into(),
/// #     orchestrator: "round-robin".into(),
/// #     participants: vec!["a".into()],
/// # };
/// let turn = Turn {
///     role: "assistant".into(),
///     speaker: "a".into(),
///     content: "It loops.".into(),
///     round_idx: 1,
///     msg_type: "statement".into(),
/// };
/// let contents = Contents { turns: vec![turn.clone()], ..Contents::begun(identity) };
/// let read = Snapshot::decode(Snapshot::of(contents)?.encode().as_bytes())?.into_contents();
/// // What models read is apart from what is reported.
/// assert_eq!((read.turns, read.transcript.len()), (vec![turn], 0));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The role in which it is shown to a model.
    pub role: JsonText,
    /// Who spoke.
    pub speaker: JsonText,
    /// What was said.
    pub content: JsonText,
    /// The round in which it was said, at most 2^63 - 1.
    pub round_idx: u64,
    /// What kind of message it is.
    pub msg_type: JsonText,
}

impl Turn {
    pub(super) fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let required = &["role", "speaker", "content", "round_idx", "msg_type"];
        let fields = Fields::of(value, place, Names { required, optional: &[] })?;
        Ok(Self {
            role: fields.text("role")?,
            speaker: fields.text("speaker")?,
            content: fields.text("content")?,
            round_idx: fields.count("round_idx")?,
            msg_type: fields.text("msg_type")?,
        })
    }

    pub(super) fn write(&self) -> Value {
        Object::default()
            .with("role", self.role.clone())
            .with("speaker", self.speaker.clone())
            .with("content", self.content.clone())
            .with("round_idx", self.round_idx)
            .with("msg_type", self.msg_type.clone())
            .into()
    }
}

/// One line of the transcript, as it is reported; compaction leaves it alone.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::{Contents, Remark, Snapshot};
/// # use sessile_interchange::snapshot::Identity;
///
/// # let identity = Identity {
/// #     gameplan: "review".into(),
/// #     topic: "the parser".into(),
/// #     orchestrator: "round-robin".into(),
/// #     participants: vec!["a".into()],
/// # };
/// let remark = Remark {
///     sender: "a".into(),
///     content: "It loops.".into(),
///     msg_type: "statement".into(),
///     round_idx: 1,
/// };
/// let contents = Contents { transcript: vec![remark], ..Contents::begun(identity) };
/// let file = Snapshot::of(contents)?.encode();
/// // It is written without a role: nobody is to read it as a model does.
/// assert!(file.contains("\"sender\": \"a\"") && !file.contains("\"role\""));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Who spoke.
    pub sender: JsonText,
    /// What was said.
    pub content: JsonText,
    /// What kind of message it is.
    pub msg_type: JsonText,
    /// The round in which it was said, at most 2^63 - 1.
    pub round_idx: u64,
}

impl Remark {
    pub(super) fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let required = &["sender", "content", "msg_type", "round_idx"];
        let fields = Fields::of(value, place, Names { required, optional: &[] })?;
        Ok(Self {
            sender: fields.text("sender")?,
            content: fields.text("content")?,
            msg_type: fields.text("msg_type")?,
            round_idx: fields.count("round_idx")?,
        })
    }

    pub(super) fn write(&self) -> Value {
        Object::default()
            .with("sender", self.sender.clone())
            .with("content", self.content.clone())
            .with("msg_type", self.msg_type.clone())
            .with("round_idx", self.round_idx)
            .into()
    }
}
