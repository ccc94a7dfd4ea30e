//! What holds of a runtime from which a run may go on.

use sessile_core::{Error, ErrorKind};

use crate::json::{Difference, Object, Value, difference};
use crate::snapshot::fault::{Fault, WAYS_OUT};
use crate::snapshot::runtime::active::ActiveTurn;
use crate::snapshot::runtime::call::{Call, CallIdentity};
use crate::snapshot::runtime::record::Runtime;

/// What the run that goes on is made of.
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_interchange::json;
/// use sessile_interchange::snapshot::runtime::{Runtime, Terms};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// let contract = json::parse("{}")?;
/// let terms = Terms { contract: &contract, agents: &["clerk"], skills: &[] };
/// runtime.restore(&terms)?;
/// // Under other terms it is another run.
/// let other = json::parse(r#"{"tools":["mail"]}"#)?;
/// let error = runtime.restore(&Terms { contract: &other, ..terms }).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Mismatch);
/// // And a turn of an agent that is not there can't go on.
/// let error = runtime.restore(&Terms { agents: &[], ..terms }).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Corrupt);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// Its terms; they are compared to their innermost value.
    pub contract: &'a Value,
    /// The agents that it knows.
    pub agents: &'a [&'a str],
    /// The skills that it can load.
    pub skills: &'a [&'a str],
}

impl Runtime {
    /// Refuses what no run of these terms can go on from. Nothing is changed and nothing is done.
    ///
    /// The first thing that is wrong is named, in this order: the contract, the run's id, the
    /// counters, the approval's id, an approval that was given and not asked for, the closing, the
    /// active turn, whose calls the approval and the intent are, the totals of the usage.
    ///
    /// # Errors
    /// - [`ErrorKind::Mismatch`] when the contract differs, which names where and both values.
    /// - [`ErrorKind::Corrupt`] that names the part that does not fit, and the two ways out.
    pub fn restore(&self, terms: &Terms<'_>) -> Result<(), Error> {
        if let Some(difference) = differing(&self.contract, terms.contract) {
            let error = Error::new(ErrorKind::Mismatch, difference.to_string());
            return Err(error.with_hint(WAYS_OUT));
        }
        self.is_consistent()
            .and_then(|()| self.turn_fits(terms))
            .and_then(|()| self.calls_fit())
            .and_then(|()| self.totals_fit())
            .map_err(Fault::when_read)
    }

    fn is_consistent(&self) -> Result<(), Fault> {
        if self.run_id.is_empty() {
            return Err(wrong("run_id is empty"));
        }
        let counters = [self.turn_id, self.next_call, self.next_event];
        if counters.contains(&u64::MAX) {
            return Err(wrong("turn_id, next_call or next_event has no successor"));
        }
        if self.approval.as_ref().is_some_and(|it| it.request_id != it.identity.call_id) {
            return Err(wrong("approval.request_id is not the id of its call"));
        }
        if self.approved && self.approval.is_none() {
            return Err(wrong("approved is true, and there is no approval"));
        }
        if let Some(closing) = &self.closing {
            let scopes = u64::try_from(closing.scopes.len()).unwrap_or(u64::MAX);
            if closing.next_scope > scopes {
                return Err(wrong("closing.next_scope is beyond its scopes"));
            }
            if self.terminal.as_ref().is_some_and(|it| *it != closing.outcome) {
                return Err(wrong("closing.outcome is not that of terminal"));
            }
        }
        Ok(())
    }

    fn turn_fits(&self, terms: &Terms<'_>) -> Result<(), Fault> {
        if let Some(active) = &self.active {
            if !terms.agents.contains(&&*active.agent) {
                return Err(wrong("active.agent is none of this run's agents"));
            }
            let state = active.state.as_ref();
            if state.is_some_and(|it| it.results.len() > it.calls.len()) {
                return Err(wrong("active.state has more results than calls"));
            }
        }
        let is_known = |skill: &str| terms.skills.contains(&skill);
        let unknown = self.loaded_skills.iter().position(|it| !it.as_str().is_some_and(is_known));
        match unknown {
            Some(index) => Err(wrong(&format!("loaded_skills[{index}] can't be loaded"))),
            None => Ok(()),
        }
    }

    fn calls_fit(&self) -> Result<(), Fault> {
        let Some(active) = &self.active else {
            let left = [
                ("approval", self.approval.is_some()),
                ("intent", self.intent.is_some()),
                ("loaded_skills", !self.loaded_skills.is_empty()),
            ];
            return match left.into_iter().find(|(_, is_there)| *is_there) {
                Some((name, _)) => Err(wrong(&format!("{name} is there without an active turn"))),
                None => Ok(()),
            };
        };
        let approval = self.approval.as_ref().map(|it| ("approval", &it.identity, &it.call));
        let intent = self.intent.as_ref().map(|it| ("intent", &it.identity, &it.call));
        for (name, identity, call) in approval.into_iter().chain(intent) {
            self.is_the_next(name, active, identity, call)?;
        }
        Ok(())
    }

    /// Whether a call is the pending one of the active turn, under the next number.
    fn is_the_next(
        &self,
        name: &str,
        active: &ActiveTurn,
        identity: &CallIdentity,
        call: &Call,
    ) -> Result<(), Fault> {
        let next = CallIdentity::of(&active.agent, &self.run_id, self.turn_id, self.next_call);
        let differs = [
            ("actor", identity.actor != next.actor),
            ("run_id", identity.run_id != next.run_id),
            ("turn_id", identity.turn_id != next.turn_id),
            ("call_id", identity.call_id != next.call_id),
        ];
        if let Some((part, _)) = differs.into_iter().find(|(_, differs)| *differs) {
            let clause = format!("{name}.identity.{part} is not that of the next call");
            return Err(wrong(&clause));
        }
        if active.pending() != Some(call) {
            return Err(wrong(&format!("{name}.call is not the pending call of the active turn")));
        }
        Ok(())
    }

    fn totals_fit(&self) -> Result<(), Fault> {
        if self.usage.sum().as_ref() == Some(&self.usage.totals) {
            return Ok(());
        }
        Err(wrong("usage.totals is not the sum of its records"))
    }
}

fn wrong(clause: &str) -> Fault {
    Fault::new(format!("loop.runtime.{clause}"))
}

/// Where contracts differ, with `contract` before the place.
fn differing(saved: &Value, current: &Value) -> Option<Difference> {
    let wrapped = |contract: &Value| Object::default().with("contract", contract.clone());
    difference(&wrapped(saved).into(), &wrapped(current).into())
}
