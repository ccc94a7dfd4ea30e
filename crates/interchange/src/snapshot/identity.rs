//! What a snapshot belongs to.

use sessile_core::{Error, ErrorKind};

use crate::json::{Difference, JsonText, Object, Step, Value};
use crate::snapshot::fault::{Fault, WAYS_OUT};
use crate::snapshot::fields::{Fields, Names};

/// The terms of a run; a snapshot is of use to a run of the same terms only.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::Identity;
///
/// let saved = Identity {
///     gameplan: "review".into(),
///     topic: "the parser".into(),
///     orchestrator: "round-robin".into(),
///     participants: vec!["b".into(), "a".into()],
/// };
/// // Who takes part is a set: in any order, and each once.
/// let participants = vec!["a".into(), "b".into(), "a".into()];
/// let current = Identity { participants, ..saved.clone() };
/// assert!(saved.difference(&current).is_none());
/// let other = Identity { orchestrator: "priority".into(), ..saved.clone() };
/// let difference = saved.difference(&other).expect("another one decides");
/// assert_eq!(difference.place(), "identity.orchestrator");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The plan by which the run goes.
    pub gameplan: JsonText,
    /// What it is about.
    pub topic: JsonText,
    /// Who decides who is next.
    pub orchestrator: JsonText,
    /// Who takes part, in any order.
    pub participants: Vec<JsonText>,
}

impl Identity {
    /// Finds the first field in which a run differs from this, the saved one: of `gameplan`,
    /// `topic`, `participants` and `orchestrator`, in this order. Participants are a set.
    pub fn difference(&self, current: &Self) -> Option<Difference> {
        let text = |name: &str, saved: &JsonText, current: &JsonText| {
            (saved != current).then(|| differs(name, saved.clone().into(), current.clone().into()))
        };
        let (saved, now) = (self.roster(), current.roster());
        text("gameplan", &self.gameplan, &current.gameplan)
            .or_else(|| text("topic", &self.topic, &current.topic))
            .or_else(|| (saved != now).then(|| differs("participants", listed(saved), listed(now))))
            .or_else(|| text("orchestrator", &self.orchestrator, &current.orchestrator))
    }

    /// Refuses a run that differs from this, the saved one.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] that names the first field that differs and both values.
    pub fn check(&self, current: &Self) -> Result<(), Error> {
        match self.difference(current) {
            Some(difference) => Err(mismatch(&difference)),
            None => Ok(()),
        }
    }

    /// The participants, each once and sorted.
    fn roster(&self) -> Vec<JsonText> {
        let mut roster = self.participants.clone();
        roster.sort();
        roster.dedup();
        roster
    }

    pub(super) fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let fields = Fields::of(
            value,
            place,
            Names {
                required: &["gameplan", "topic", "orchestrator", "participants"],
                optional: &[],
            },
        )?;
        Ok(Self {
            gameplan: fields.text("gameplan")?,
            topic: fields.text("topic")?,
            orchestrator: fields.text("orchestrator")?,
            participants: fields.texts("participants")?,
        })
    }

    /// The object of it, with its participants sorted.
    pub(super) fn write(&self) -> Value {
        let mut participants = self.participants.clone();
        participants.sort();
        Object::default()
            .with("gameplan", self.gameplan.clone())
            .with("topic", self.topic.clone())
            .with("orchestrator", self.orchestrator.clone())
            .with("participants", listed(participants))
            .into()
    }
}

fn listed(texts: Vec<JsonText>) -> Value {
    Value::Array(texts.into_iter().map(Value::from).collect())
}

fn differs(name: &str, saved: Value, current: Value) -> Difference {
    let path = ["identity", name].map(|name| Step::Member(name.into())).into();
    Difference { path, saved: Some(saved), current: Some(current) }
}

/// The refusal of a run of another identity.
pub(super) fn mismatch(difference: &Difference) -> Error {
    Error::new(ErrorKind::Mismatch, difference.to_string()).with_hint(WAYS_OUT)
}
