//! Calls of tools, and what is known of them.

use std::fmt;

use crate::json::{Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names};

/// A call that a model asked for.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::runtime::{Call, Runtime, Standing};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// let Standing::Working(Some(call)) = runtime.standing() else { panic!("one is pending") };
/// let Call { name, arguments } = call;
/// let to = arguments.as_object().and_then(|it| it.get("to"));
/// assert_eq!((name.as_str(), to), ("mail", Some(&"ida".into())));
/// // Arguments never reach a log.
/// assert!(!format!("{call:?}").contains("ida"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Call {
    /// The name of the tool.
    pub name: String,
    /// What it is called with.
    pub arguments: Value,
}

/// Whose call it is.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::runtime::{CallIdentity, Runtime};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// let CallIdentity { actor, call_id, .. } = runtime.begin()?.identity.clone();
/// // Of run, turn and number: no two calls have the same, also after a restart.
/// assert_eq!((actor.as_str(), call_id.as_str()), ("clerk", "r1:3:5"));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallIdentity {
    /// The agent in whose turn it is made.
    pub actor: String,
    /// The run.
    pub run_id: String,
    /// The turn of the run.
    pub turn_id: u64,
    /// The call: `<run>:<turn>:<number>`.
    pub call_id: String,
}

/// A request that somebody approves of a call.
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_interchange::snapshot::runtime::{Approval, Runtime};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// let approval: Approval = runtime.ask("a mail to ida".into())?.clone();
/// // It is not begun before somebody has approved of it.
/// assert_eq!(runtime.begin().unwrap_err().kind(), ErrorKind::InvalidAdmission);
/// runtime.approve(&approval.request_id)?;
/// assert_eq!(runtime.begin()?.call, approval.call);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Approval {
    /// The id of the request, which is that of the call.
    pub request_id: String,
    /// Whose call it is.
    pub identity: CallIdentity,
    /// The call.
    pub call: Call,
    /// What would be done, for whoever decides.
    pub action: Value,
}

/// A call that is about to be made, or was: saved before, taken away with its result.
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_interchange::snapshot::runtime::{Intent, Runtime, Standing};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// let intent: Intent = runtime.begin()?.clone();
/// // Restored from here nobody knows whether it was made: who does says what came of it.
/// assert_eq!(runtime.standing(), Standing::Indeterminate(&intent));
/// let error = runtime.reconcile(intent.action_id(), "fax", "sent".into()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Mismatch);
/// runtime.reconcile(intent.action_id(), "mail", "sent".into())?;
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Intent {
    /// Whose call it is.
    pub identity: CallIdentity,
    /// The call.
    pub call: Call,
}

impl Call {
    pub(super) fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let names = Names { required: &["name", "arguments"], optional: &[] };
        let fields = Fields::of(value, place, names)?;
        Ok(Self { name: fields.name("name")?, arguments: fields.value("arguments")?.clone() })
    }

    pub(super) fn write(&self) -> Value {
        Object::default()
            .with("name", self.name.as_str())
            .with("arguments", self.arguments.clone())
            .into()
    }
}

impl CallIdentity {
    /// The identity of a numbered call of a turn.
    pub(super) fn of(actor: &str, run_id: &str, turn_id: u64, number: u64) -> Self {
        Self {
            actor: actor.to_owned(),
            run_id: run_id.to_owned(),
            turn_id,
            call_id: format!("{run_id}:{turn_id}:{number}"),
        }
    }

    fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let required = &["actor", "run_id", "turn_id", "call_id"];
        let fields = Fields::of(value, place, Names { required, optional: &[] })?;
        Ok(Self {
            actor: fields.name("actor")?,
            run_id: fields.name("run_id")?,
            turn_id: fields.counter("turn_id")?,
            call_id: fields.name("call_id")?,
        })
    }

    fn write(&self) -> Value {
        Object::default()
            .with("actor", self.actor.as_str())
            .with("run_id", self.run_id.as_str())
            .with("turn_id", self.turn_id)
            .with("call_id", self.call_id.as_str())
            .into()
    }
}

impl Approval {
    pub(super) fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let required = &["request_id", "identity", "call", "action"];
        let fields = Fields::of(value, place, Names { required, optional: &[] })?;
        Ok(Self {
            request_id: fields.name("request_id")?,
            identity: CallIdentity::read(fields.value("identity")?, &fields.at("identity"))?,
            call: Call::read(fields.value("call")?, &fields.at("call"))?,
            action: fields.value("action")?.clone(),
        })
    }

    pub(super) fn write(&self) -> Value {
        Object::default()
            .with("request_id", self.request_id.as_str())
            .with("identity", self.identity.write())
            .with("call", self.call.write())
            .with("action", self.action.clone())
            .into()
    }
}

impl Intent {
    /// The id under which it is reconciled: that of the call.
    pub fn action_id(&self) -> &str {
        &self.identity.call_id
    }

    pub(super) fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let names = Names { required: &["identity", "call"], optional: &[] };
        let fields = Fields::of(value, place, names)?;
        Ok(Self {
            identity: CallIdentity::read(fields.value("identity")?, &fields.at("identity"))?,
            call: Call::read(fields.value("call")?, &fields.at("call"))?,
        })
    }

    pub(super) fn write(&self) -> Value {
        Object::default()
            .with("identity", self.identity.write())
            .with("call", self.call.write())
            .into()
    }
}

impl fmt::Debug for Call {
    /// Leaves out the arguments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for Approval {
    /// Leaves out what would be done.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approval").field("request_id", &self.request_id).finish_non_exhaustive()
    }
}

impl fmt::Debug for Intent {
    /// Leaves out the arguments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intent")
            .field("identity", &self.identity)
            .field("call", &self.call)
            .finish()
    }
}
