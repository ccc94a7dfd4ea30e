//! The runtime object.

use std::fmt;

use sessile_core::Error;

use crate::json::{JsonText, Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names};
use crate::snapshot::runtime::active::ActiveTurn;
use crate::snapshot::runtime::call::{Approval, Intent};
use crate::snapshot::runtime::ending::{Closing, Outcome};
use crate::snapshot::runtime::usage::UsageLedger;

/// What a suspended run goes on with.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::runtime::{Runtime, Standing};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// // Saved before the tool is called: whoever restores it knows that it may have been.
/// let _intent = runtime.begin()?;
/// let saved = runtime.encode();
/// let restored = Runtime::decode(&saved)?;
/// assert!(matches!(restored.standing(), Standing::Indeterminate(_)));
/// assert_eq!((restored.usage.tool_calls, restored == runtime), (1, true));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Runtime {
    /// The run.
    pub run_id: String,
    /// The number of the turn that is under way, or of the last one.
    pub turn_id: u64,
    /// The number of the next call; that of the call that is pending, asked for or begun.
    pub next_call: u64,
    /// The number of the next event.
    pub next_event: u64,
    /// Whether it has begun.
    pub started: bool,
    /// The terms under which it was begun.
    pub contract: Value,
    /// The turn that is under way.
    pub active: Option<ActiveTurn>,
    /// The approval that was asked for.
    pub approval: Option<Approval>,
    /// Whether it was given.
    pub approved: bool,
    /// The call that was begun and whose result is not known.
    pub intent: Option<Intent>,
    /// The skills that were loaded in this turn.
    pub loaded_skills: Vec<JsonText>,
    /// What the run keeps for itself.
    pub context_cache: Value,
    /// What was used.
    pub usage: UsageLedger,
    /// How it ended.
    pub terminal: Option<Outcome>,
    /// How it is being ended.
    pub closing: Option<Closing>,
}

const PLACE: &str = "loop.runtime";

const NAMES: Names<'_> = Names {
    required: &[
        "run_id",
        "turn_id",
        "next_call",
        "next_event",
        "started",
        "contract",
        "approved",
        "loaded_skills",
        "context_cache",
        "usage",
    ],
    optional: &["active", "approval", "intent", "terminal", "closing"],
};

impl Runtime {
    /// Reads the `runtime` of a snapshot's loop; `active`, `approval`, `intent`, `terminal` and
    /// `closing` may be missing or `null`, and nothing has a default.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`](sessile_core::ErrorKind::Corrupt) that names the part that is wrong.
    pub fn decode(object: &Object) -> Result<Self, Error> {
        Self::read(&Value::Object(object.clone())).map_err(Fault::when_read)
    }

    /// Writes the object; what there is not is left out.
    pub fn encode(&self) -> Object {
        let mut object = Object::default()
            .with("run_id", self.run_id.as_str())
            .with("turn_id", self.turn_id)
            .with("next_call", self.next_call)
            .with("next_event", self.next_event)
            .with("started", self.started)
            .with("contract", self.contract.clone());
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                object.set(name, value);
            }
        };
        set("active", self.active.as_ref().map(ActiveTurn::write));
        set("approval", self.approval.as_ref().map(Approval::write));
        set("approved", Some(self.approved.into()));
        set("intent", self.intent.as_ref().map(Intent::write));
        let skills = self.loaded_skills.iter().cloned().map(Value::from);
        set("loaded_skills", Some(Value::Array(skills.collect())));
        set("context_cache", Some(self.context_cache.clone()));
        set("usage", Some(self.usage.write()));
        set("terminal", self.terminal.as_ref().map(Outcome::write));
        set("closing", self.closing.as_ref().map(Closing::write));
        object
    }

    fn read(value: &Value) -> Result<Self, Fault> {
        let fields = Fields::of(value, PLACE, NAMES)?;
        let active = fields.present("active");
        let approval = fields.present("approval");
        let intent = fields.present("intent");
        let terminal = fields.present("terminal");
        let closing = fields.present("closing");
        Ok(Self {
            // That it is not empty is a matter of restoring.
            run_id: whole(&fields.text("run_id")?, &fields.at("run_id"))?,
            turn_id: fields.counter("turn_id")?,
            next_call: fields.counter("next_call")?,
            next_event: fields.counter("next_event")?,
            started: fields.truth("started")?,
            contract: fields.value("contract")?.clone(),
            active: active.map(|it| ActiveTurn::read(it, &fields.at("active"))).transpose()?,
            approval: approval.map(|it| Approval::read(it, &fields.at("approval"))).transpose()?,
            approved: fields.truth("approved")?,
            intent: intent.map(|it| Intent::read(it, &fields.at("intent"))).transpose()?,
            loaded_skills: fields.texts("loaded_skills")?,
            context_cache: fields.value("context_cache")?.clone(),
            usage: UsageLedger::read(fields.value("usage")?, &fields.at("usage"))?,
            terminal: terminal.map(|it| Outcome::read(it, &fields.at("terminal"))).transpose()?,
            closing: closing.map(|it| Closing::read(it, &fields.at("closing"))).transpose()?,
        })
    }
}

fn whole(text: &JsonText, place: &str) -> Result<String, Fault> {
    let text = text.as_str().map(str::to_owned);
    text.ok_or_else(|| Fault::new(format!("{place} is not a string of whole characters")))
}

impl fmt::Debug for Runtime {
    /// Tells ids and counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("run_id", &self.run_id)
            .field("turn_id", &self.turn_id)
            .field("next_call", &self.next_call)
            .field("active", &self.active)
            .field("approval", &self.approval)
            .field("intent", &self.intent)
            .field("terminal", &self.terminal)
            .finish_non_exhaustive()
    }
}
