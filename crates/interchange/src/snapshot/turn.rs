//! What was said: as models read it, and as it is reported.

use crate::json::{JsonText, Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names};

/// One turn as models read it; compaction replaces turns.
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
