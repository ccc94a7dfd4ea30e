//! How a run ends.

use std::fmt;

use crate::json::{Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names};

/// In which way a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// It did what it was for.
    Completed,
    /// It could not.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

/// How a run ended.
#[derive(Clone, PartialEq)]
pub struct Outcome {
    /// In which way.
    pub ending: Ending,
    /// What it came to, or why.
    pub detail: Option<Value>,
}

/// A run that is being brought to its end, scope by scope.
#[derive(Clone, PartialEq)]
pub struct Closing {
    /// How it will have ended.
    pub outcome: Outcome,
    /// What is to be closed, in order.
    pub scopes: Vec<String>,
    /// How many of them are closed.
    pub next_scope: u64,
}

impl Ending {
    const ALL: [Self; 3] = [Self::Completed, Self::Failed, Self::Cancelled];

    /// Its word in a snapshot.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Outcome {
    pub(super) fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let names = Names { required: &["status"], optional: &["detail"] };
        let fields = Fields::of(value, place, names)?;
        let status = fields.name("status")?;
        let ending = Ending::ALL.into_iter().find(|ending| ending.name() == status);
        let ending = ending.ok_or_else(|| {
            let at = fields.at("status");
            Fault::new(format!("{at} is none of completed, failed and cancelled"))
        })?;
        Ok(Self { ending, detail: fields.present("detail").cloned() })
    }

    pub(super) fn write(&self) -> Value {
        let mut object = Object::default().with("status", self.ending.name());
        if let Some(detail) = &self.detail {
            object.set("detail", detail.clone());
        }
        object.into()
    }
}

impl Closing {
    pub(super) fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let names = Names { required: &["outcome", "scopes", "next_scope"], optional: &[] };
        let fields = Fields::of(value, place, names)?;
        let scope = |item: &Value, place: &str| {
            let name = item.as_text().and_then(|text| text.as_str()).map(str::to_owned);
            name.ok_or_else(|| Fault::new(format!("{place} is not a string of whole characters")))
        };
        Ok(Self {
            outcome: Outcome::read(fields.value("outcome")?, &fields.at("outcome"))?,
            scopes: fields.each("scopes", scope)?,
            next_scope: fields.counter("next_scope")?,
        })
    }

    pub(super) fn write(&self) -> Value {
        let scopes = self.scopes.iter().map(|scope| Value::from(scope.as_str()));
        Object::default()
            .with("outcome", self.outcome.write())
            .with("scopes", Value::Array(scopes.collect()))
            .with("next_scope", self.next_scope)
            .into()
    }
}

impl fmt::Debug for Outcome {
    /// Leaves out the detail.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Outcome({})", self.ending.name())
    }
}

impl fmt::Debug for Closing {
    /// Tells counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Closing({} of {} scopes done)", self.next_scope, self.scopes.len())
    }
}
