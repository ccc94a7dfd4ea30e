//! How a run ends.

use std::fmt;

use crate::json::{Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names};

/// In which way a run ended.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::runtime::{Ending, Runtime};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// assert_eq!(runtime.cancel(None)?.ending, Ending::Cancelled);
/// let words = [Ending::Completed, Ending::Failed, Ending::Cancelled].map(Ending::name);
/// assert_eq!(words, ["completed", "failed", "cancelled"]);
/// # Ok::<(), sessile_core::Error>(())
/// ```
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
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_interchange::snapshot::runtime::{Outcome, Runtime, Standing};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// let outcome: Outcome = runtime.cancel(Some("not wanted any more".into()))?.clone();
/// assert_eq!(runtime.standing(), Standing::Ended(&outcome));
/// // It stays as it was.
/// assert_eq!(runtime.cancel(None).unwrap_err().kind(), ErrorKind::Closed);
/// assert_eq!(runtime.terminal, Some(outcome));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Outcome {
    /// In which way.
    pub ending: Ending,
    /// What it came to, or why.
    pub detail: Option<Value>,
}

/// A run that is being brought to its end, scope by scope.
///
/// # Examples
/// ```
/// use sessile_interchange::json;
/// use sessile_interchange::snapshot::runtime::{Closing, Ending, Outcome, Runtime, Terms};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// let outcome = Outcome { ending: Ending::Completed, detail: None };
/// let closing = Closing { outcome, scopes: vec!["log".into()], next_scope: 1 };
/// runtime.closing = Some(closing.clone());
/// let contract = json::parse("{}")?;
/// let terms = Terms { contract: &contract, agents: &["clerk"], skills: &[] };
/// runtime.restore(&terms)?;
/// // More scopes can't be closed than there are.
/// runtime.closing = Some(Closing { next_scope: 2, ..closing });
/// let error = runtime.restore(&terms).unwrap_err();
/// assert!(error.to_string().contains("closing.next_scope is beyond its scopes"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
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
