//! The turn that is under way.

use std::fmt;

use crate::json::{JsonText, Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names};
use crate::snapshot::runtime::call::Call;

/// A turn of an agent that has begun and not ended.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::runtime::{ActiveTurn, Runtime};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// let turn: &ActiveTurn = runtime.active.as_ref().expect("one is under way");
/// assert_eq!((turn.agent.as_str(), turn.instruction.is_none()), ("clerk", true));
/// // The next call is the first one without a result.
/// assert_eq!(turn.pending().map(|call| call.name.as_str()), Some("mail"));
/// let _intent = runtime.begin()?;
/// runtime.complete("sent".into())?;
/// assert!(runtime.active.is_some_and(|turn| turn.pending().is_none()));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct ActiveTurn {
    /// Whose turn it is.
    pub agent: String,
    /// What it is for.
    pub purpose: String,
    /// What the agent was told for this turn.
    pub instruction: Option<JsonText>,
    /// The prompt that the turn began with.
    pub base_prompt: JsonText,
    /// The calls of it, once a model asked for some.
    pub state: Option<TurnState>,
    /// Whether its context has yet to be made to fit.
    pub needs_fit: bool,
    /// Whether it is a second try after the context was too long.
    pub overflow_retry: bool,
}

/// The calls that a model asked for in a turn, and the results so far.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::runtime::{Runtime, TurnState};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// let _intent = runtime.begin()?;
/// runtime.complete("sent".into())?;
/// let state = runtime.active.and_then(|turn| turn.state).expect("a model asked for calls");
/// // Calls stay with their results, in the same order.
/// let TurnState { calls, results } = &state;
/// assert_eq!((calls[0].name.as_str(), &results[0]), ("mail", &"sent".into()));
/// assert_eq!(format!("{state:?}"), "TurnState(1 of 1 calls done)");
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct TurnState {
    /// The calls in their order.
    pub calls: Vec<Call>,
    /// The results of the first of them, in their order.
    pub results: Vec<Value>,
}

impl ActiveTurn {
    /// The next call: the first one without a result.
    pub fn pending(&self) -> Option<&Call> {
        let state = self.state.as_ref()?;
        state.calls.get(state.results.len())
    }

    pub(super) fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let names = Names {
            required: &["agent", "purpose", "base_prompt", "needs_fit", "overflow_retry"],
            optional: &["instruction", "state"],
        };
        let fields = Fields::of(value, place, names)?;
        let instruction = fields.present("instruction").map(|_| fields.text("instruction"));
        let state = fields.present("state");
        Ok(Self {
            agent: fields.name("agent")?,
            purpose: fields.name("purpose")?,
            instruction: instruction.transpose()?,
            base_prompt: fields.text("base_prompt")?,
            state: state.map(|it| TurnState::read(it, &fields.at("state"))).transpose()?,
            needs_fit: fields.truth("needs_fit")?,
            overflow_retry: fields.truth("overflow_retry")?,
        })
    }

    pub(super) fn write(&self) -> Value {
        let mut object = Object::default()
            .with("agent", self.agent.as_str())
            .with("purpose", self.purpose.as_str());
        if let Some(instruction) = &self.instruction {
            object.set("instruction", instruction.clone());
        }
        object.set("base_prompt", self.base_prompt.clone());
        if let Some(state) = &self.state {
            let calls = Value::Array(state.calls.iter().map(Call::write).collect());
            let results = Value::Array(state.results.clone());
            object.set("state", Object::default().with("calls", calls).with("results", results));
        }
        object.with("needs_fit", self.needs_fit).with("overflow_retry", self.overflow_retry).into()
    }
}

impl TurnState {
    fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let names = Names { required: &["calls", "results"], optional: &[] };
        let fields = Fields::of(value, place, names)?;
        Ok(Self {
            calls: fields.each("calls", Call::read)?,
            results: fields.list("results")?.to_vec(),
        })
    }
}

impl fmt::Debug for ActiveTurn {
    /// Leaves out prompts, arguments and results.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActiveTurn")
            .field("agent", &self.agent)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for TurnState {
    /// Tells counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TurnState({} of {} calls done)", self.results.len(), self.calls.len())
    }
}
