//! Where a run stands, and what may be done with it.

use sessile_core::{Error, ErrorKind};

use crate::json::Value;
use crate::snapshot::runtime::call::{Approval, Call, CallIdentity, Intent};
use crate::snapshot::runtime::ending::{Ending, Outcome};
use crate::snapshot::runtime::record::Runtime;

/// Where a run stands.
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
/// assert!(matches!(runtime.standing(), Standing::Working(Some(call)) if call.name == "mail"));
/// let request = runtime.ask("a mail to ida".into())?.request_id.clone();
/// assert!(matches!(runtime.standing(), Standing::AwaitsApproval(_)));
/// runtime.approve(&request)?;
/// let _intent = runtime.begin()?;
/// assert!(matches!(runtime.standing(), Standing::Indeterminate(_)));
/// runtime.complete("sent".into())?;
/// assert_eq!(runtime.standing(), Standing::Working(None));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing<'a> {
    /// It goes on by itself: with this call if there is one, which was not begun.
    Working(Option<&'a Call>),
    /// It waits for somebody to approve of a call.
    AwaitsApproval(&'a Approval),
    /// A call was begun and nobody knows whether it was made. It waits for somebody who knows.
    Indeterminate(&'a Intent),
    /// It has ended, and stays so.
    Ended(&'a Outcome),
}

impl Runtime {
    /// Where the run stands.
    pub fn standing(&self) -> Standing<'_> {
        if let Some(outcome) = &self.terminal {
            return Standing::Ended(outcome);
        }
        if let Some(intent) = &self.intent {
            return Standing::Indeterminate(intent);
        }
        match &self.approval {
            Some(approval) if !self.approved => Standing::AwaitsApproval(approval),
            _ => Standing::Working(self.active.as_ref().and_then(|active| active.pending())),
        }
    }

    /// Asks for the pending call to be approved, before it is begun. It is to be saved before
    /// anybody is asked; `action` says what would be done.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after the end; [`ErrorKind::InvalidAdmission`] where no call is
    /// pending, or one was asked for or begun.
    pub fn ask(&mut self, action: Value) -> Result<&Approval, Error> {
        self.goes_on()?;
        if self.approval.is_some() || self.intent.is_some() {
            return Err(not_so("the call was asked for or begun already"));
        }
        let (identity, call) = self.next()?;
        let request_id = identity.call_id.clone();
        Ok(self.approval.insert(Approval { request_id, identity, call, action }))
    }

    /// Approves of the call that was asked for.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after the end; [`ErrorKind::StaleApproval`] where none was asked for,
    /// the id is another, it is approved already, or the call was begun. Nothing changes then.
    pub fn approve(&mut self, request_id: &str) -> Result<(), Error> {
        self.goes_on()?;
        let stale = |clause: &'static str| {
            Err(Error::new(ErrorKind::StaleApproval, clause)
                .with_hint("look where the run stands, and decide on what it asks for"))
        };
        match &self.approval {
            None => stale("no approval is asked for"),
            Some(approval) if approval.request_id != request_id => {
                stale("it is not the approval that is asked for")
            }
            Some(_) if self.intent.is_some() => stale("the call was begun already"),
            Some(_) if self.approved => stale("it is approved already"),
            Some(_) => {
                self.approved = true;
                Ok(())
            }
        }
    }

    /// Begins the pending call: counts it and notes the intent. It is to be saved before the tool
    /// is called; where saving fails the tool is not called.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after the end; [`ErrorKind::InvalidAdmission`] where no call is
    /// pending, it was begun already, or it awaits approval. Nothing changes then.
    pub fn begin(&mut self) -> Result<&Intent, Error> {
        self.goes_on()?;
        if self.intent.is_some() {
            return Err(not_so("the call was begun already"));
        }
        if self.approval.is_some() && !self.approved {
            return Err(not_so("the call awaits approval"));
        }
        let (identity, call) = self.next()?;
        self.usage.tool_calls = self.usage.tool_calls.saturating_add(1);
        Ok(self.intent.insert(Intent { identity, call }))
    }

    /// Takes the result of the call that was begun: the tool has returned.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after the end; [`ErrorKind::InvalidAdmission`] where none was begun.
    pub fn complete(&mut self, result: Value) -> Result<(), Error> {
        self.goes_on()?;
        if self.intent.is_none() {
            return Err(not_so("no call was begun"));
        }
        let next_call = self.next_call.checked_add(1).filter(|number| *number < u64::MAX);
        let state = self.active.as_mut().and_then(|active| active.state.as_mut());
        let (Some(next_call), Some(state)) = (next_call, state) else {
            return Err(not_so("there is no turn for the result, or no number for a next call"));
        };
        state.results.push(result);
        (self.next_call, self.intent, self.approval) = (next_call, None, None);
        self.approved = false;
        Ok(())
    }

    /// Takes the result of the call that was begun from somebody who knows how it ended, as if the
    /// tool had returned it. What was counted when it was begun is not counted again.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after the end; [`ErrorKind::InvalidAdmission`] where none was begun;
    /// [`ErrorKind::Mismatch`] where the id or the tool is another. Nothing changes then.
    pub fn reconcile(&mut self, action_id: &str, tool: &str, result: Value) -> Result<(), Error> {
        self.goes_on()?;
        let Some(intent) = &self.intent else {
            return Err(not_so("no call is waiting to be reconciled"));
        };
        let other = |clause: &'static str| {
            let hint = "look where the run stands, and name the call that was begun";
            Err(Error::new(ErrorKind::Mismatch, clause).with_hint(hint))
        };
        if intent.action_id() != action_id {
            return other("the call that was begun has another id");
        }
        if intent.call.name != tool {
            return other("the call that was begun is of another tool");
        }
        self.complete(result)
    }

    /// Ends the run. What was committed stays, and no call is made.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after the end, which stays as it was.
    pub fn cancel(&mut self, detail: Option<Value>) -> Result<&Outcome, Error> {
        self.goes_on()?;
        (self.approval, self.intent, self.active, self.closing) = (None, None, None, None);
        self.loaded_skills.clear();
        self.approved = false;
        Ok(self.terminal.insert(Outcome { ending: Ending::Cancelled, detail }))
    }

    /// The pending call, under the next number.
    fn next(&self) -> Result<(CallIdentity, Call), Error> {
        let pending = self.active.as_ref().and_then(|it| Some((it, it.pending()?)));
        let (active, call) = pending.ok_or_else(|| not_so("no call is pending"))?;
        let number = self.next_call;
        let identity = CallIdentity::of(&active.agent, &self.run_id, self.turn_id, number);
        Ok((identity, call.clone()))
    }

    fn goes_on(&self) -> Result<(), Error> {
        match &self.terminal {
            None => Ok(()),
            Some(outcome) => {
                let clause = format!("the run has ended and stays {}", outcome.ending.name());
                Err(Error::new(ErrorKind::Closed, clause)
                    .with_hint("continue it to be told how it ended, or begin another run"))
            }
        }
    }
}

fn not_so(clause: &'static str) -> Error {
    Error::new(ErrorKind::InvalidAdmission, clause).with_hint("look where the run stands")
}
