//! How far the run has come.

use crate::json::{JsonText, Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names};

/// The `loop` of a snapshot; all of it may be missing.
///
/// # Examples
/// ```
/// use sessile_interchange::json::Object;
/// use sessile_interchange::snapshot::{Contents, Progress, Snapshot};
/// # use sessile_interchange::snapshot::Identity;
///
/// # let identity = Identity {
/// #     gameplan: "review".into(),
/// #     topic: "the parser".into(),
/// #     orchestrator: "round-robin".into(),
/// #     participants: vec!["a".into()],
/// # };
/// let progress = Progress { turn_count: Some(4), ..Progress::default() };
/// let contents = Contents { progress, ..Contents::begun(identity) };
/// let file = Snapshot::of(contents)?.encode();
/// // What there is not is left out, and is not there when it is read.
/// assert!(file.contains("\"turn_count\": 4") && !file.contains("phases"));
/// assert_eq!(Snapshot::decode(file.as_bytes())?.contents().progress.scheduler, None::<Object>);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// How many turns were taken, at most 2^63 - 1.
    pub turn_count: Option<u64>,
    /// Where in its phases the run is.
    pub phases: Option<Phases>,
    /// What a suspended run goes on with; see [`runtime`](crate::snapshot::runtime).
    pub runtime: Option<Object>,
    /// Where its scheduler is.
    pub scheduler: Option<Object>,
}

/// Where in its phases a run is; all of it may be missing. Numbers are at most 2^63 - 1.
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_interchange::json::Object;
/// use sessile_interchange::snapshot::runtime::check_scheduler;
/// use sessile_interchange::snapshot::{Phases, Progress};
///
/// let phases = Phases { index: Some(1), round_in_phase: Some(2), ..Phases::default() };
/// let scheduler = Some(Object::default().with("index", 1_u64).with("round_in_phase", 3_u64));
/// let progress = Progress { phases: Some(phases), scheduler, ..Progress::default() };
/// // The scheduler is in another round than the run.
/// let error = check_scheduler(&progress, &[]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Corrupt);
/// assert!(error.to_string().contains("loop.scheduler.round_in_phase"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// The phase.
    pub index: Option<u64>,
    /// The round within it.
    pub round_in_phase: Option<u64>,
    /// How many rounds there were in all.
    pub rounds_run: Option<u64>,
    /// Who has yet to speak in this round, in order.
    pub pending: Option<Vec<JsonText>>,
    /// Whether there is no further phase.
    pub exhausted: Option<bool>,
}

impl Progress {
    /// Reads it; `is_old` is of the first version, which knows of no suspended work.
    pub(super) fn read(value: &Value, place: &str, is_old: bool) -> Result<Self, Fault> {
        let optional = &["turn_count", "phases", "runtime", "scheduler"];
        let fields = Fields::of(value, place, Names { required: &[], optional })?;
        let object = |name: &str| {
            let Some(value) = fields.maybe(name) else { return Ok(None) };
            let at = fields.at(name);
            if is_old {
                return Err(Fault::new(format!("{at} is of version 2, the snapshot of version 1")));
            }
            let object = value.as_object().cloned();
            object.map(Some).ok_or_else(|| Fault::new(format!("{at} is not an object")))
        };
        let phases = fields.maybe("phases");
        Ok(Self {
            turn_count: fields.maybe_count("turn_count")?,
            phases: phases.map(|it| Phases::read(it, &fields.at("phases"))).transpose()?,
            runtime: object("runtime")?,
            scheduler: object("scheduler")?,
        })
    }

    pub(super) fn write(&self) -> Value {
        let mut object = Object::default();
        set(&mut object, "turn_count", self.turn_count);
        set(&mut object, "phases", self.phases.as_ref().map(Phases::write));
        set(&mut object, "runtime", self.runtime.clone());
        set(&mut object, "scheduler", self.scheduler.clone());
        object.into()
    }
}

impl Phases {
    fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let optional = &["index", "round_in_phase", "rounds_run", "pending", "exhausted"];
        let fields = Fields::of(value, place, Names { required: &[], optional })?;
        Ok(Self {
            index: fields.maybe_count("index")?,
            round_in_phase: fields.maybe_count("round_in_phase")?,
            rounds_run: fields.maybe_count("rounds_run")?,
            pending: fields.maybe("pending").map(|_| fields.texts("pending")).transpose()?,
            exhausted: fields.maybe("exhausted").map(|_| fields.truth("exhausted")).transpose()?,
        })
    }

    fn write(&self) -> Value {
        let mut object = Object::default();
        set(&mut object, "index", self.index);
        set(&mut object, "round_in_phase", self.round_in_phase);
        set(&mut object, "rounds_run", self.rounds_run);
        let pending = self.pending.as_ref();
        let pending = pending.map(|names| names.iter().cloned().map(Value::from).collect());
        set(&mut object, "pending", pending.map(Value::Array));
        set(&mut object, "exhausted", self.exhausted);
        object.into()
    }
}

/// Sets a member, if there is a value for it.
fn set(object: &mut Object, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.set(name, value);
    }
}
