//! Whatever is asked in whatever order, and whatever a program writes that does not see that it was
//! fenced: one request is active at a time, each ends once, and who was fenced stays so.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sessile_core::admission::{Bid, BuiltOn, Decision, End, Hand, Recovery, Request};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::OutcomeStatus;
use sessile_core::fold::RequestLookup;
use sessile_core::{EntryType, NewEntry, Seq};

use super::journal::{Journal, contract, entry, held, id, tokens};
use super::requests::word;

const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Debug)]
enum Step {
    Admit(usize),
    Recover(usize, prop::sample::Index, bool),
    Release(usize, prop::sample::Index),
    Push(prop::sample::Index),
    Commit(usize, prop::sample::Index),
    Fail(usize, prop::sample::Index),
    Abandon(usize, prop::sample::Index),
    /// A program that was fenced writes all the same.
    Stray(usize, prop::sample::Index),
    Message,
    Delete,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let (name, claim) = (|| 0..NAMES.len(), any::<prop::sample::Index>);
    prop_oneof![
        4 => name().prop_map(Step::Admit),
        2 => (name(), claim(), any::<bool>()).prop_map(|(n, c, r)| Step::Recover(n, c, r)),
        1 => (name(), claim()).prop_map(|(n, c)| Step::Release(n, c)),
        4 => claim().prop_map(Step::Push),
        2 => (name(), claim()).prop_map(|(n, c)| Step::Commit(n, c)),
        1 => (name(), claim()).prop_map(|(n, c)| Step::Fail(n, c)),
        1 => (name(), claim()).prop_map(|(n, c)| Step::Abandon(n, c)),
        2 => (name(), claim()).prop_map(|(n, c)| Step::Stray(n, c)),
        1 => Just(Step::Message),
        1 => Just(Step::Delete),
        1 => Just(Step::Reopen),
    ]
}

/// Who is active and who has ended, by the rules in few words.
#[derive(Default)]
struct Model {
    active: Option<(usize, Seq, bool)>,
    /// Under which claim each has ended, and how.
    ended: BTreeMap<usize, (Seq, OutcomeStatus)>,
    /// All claims there ever were.
    claims: Vec<(usize, Seq)>,
    pending: u64,
    messages: u64,
}

impl Model {
    fn admit(&self, name: usize) -> &'static str {
        match self.active {
            _ if self.ended.contains_key(&name) => "replay",
            None => "claim",
            Some((active, _, true)) if active == name => "claim",
            Some(_) => "busy",
        }
    }

    /// What is told to somebody else than the holder who names a claim.
    fn named(&self, name: usize, claim: Seq, otherwise: &'static str) -> Option<&'static str> {
        match self.active {
            _ if self.ended.contains_key(&name) => Some("replay"),
            None if self.claims.is_empty() => Some("missing"),
            None => Some("invalid-admission"),
            Some((active, ..)) if active != name => Some("mismatch"),
            Some((_, last, _)) => (last != claim).then_some(otherwise),
        }
    }

    fn holds(&self, name: usize, claim: Seq) -> bool {
        self.active == Some((name, claim, false))
    }

    fn is_held(&self, claim: Seq) -> bool {
        self.active.is_some_and(|(_, last, released)| last == claim && !released)
    }

    /// What is told to a holder, or who was one, at the end.
    fn end(&self, name: usize, claim: Seq) -> &'static str {
        match self.ended.get(&name) {
            _ if self.holds(name, claim) => "append",
            Some((by, status)) if *by == claim && *status != OutcomeStatus::Cancelled => "replay",
            _ => "fenced",
        }
    }
}

struct Play {
    journal: Journal,
    model: Model,
}

impl Play {
    /// Asks, compares the answer, and does what it takes; answers the first entry's number.
    fn ask(&mut self, request: &Request<'_>, expected: &str) -> Option<Seq> {
        let answer = self.journal.decide(request);
        assert_eq!(word(&answer), expected, "{request:?}");
        match answer {
            Ok(Decision::Claim(plan) | Decision::Append(plan)) => {
                Some(self.journal.carry_out(&plan))
            }
            _ => None,
        }
    }

    fn claimed(&mut self, name: usize, claim: Option<Seq>, released: bool) {
        if let Some(claim) = claim {
            self.model.active = Some((name, claim, released));
            self.model.claims.push((name, claim));
        }
    }

    fn ended(&mut self, name: usize, by: Seq, status: OutcomeStatus) {
        assert_eq!(self.model.ended.insert(name, (by, status)), None, "{name} ended twice");
        self.model.active = None;
        self.model.pending = 0;
    }

    fn claim(&self, index: prop::sample::Index) -> Seq {
        let claims = &self.model.claims;
        if claims.is_empty() { Seq::new(1).unwrap() } else { index.get(claims).1 }
    }

    fn bid(&mut self, name: usize, from: Option<(Seq, bool)>) {
        let (request, contract, usage) = (id(NAMES[name]), contract(), tokens(5));
        let (request, contract, usage) = (&request, &contract, &usage);
        let bid = Bid { request, input: Digest::of(b"in"), contract, usage, holder: None };
        let resumes = from.is_some_and(|(_, resumes)| resumes);
        let claimed = match from {
            None => self.ask(&Request::Admit(bid), self.model.admit(name)),
            Some((claim, _)) => {
                let recovery = if resumes { Recovery::Resume } else { Recovery::Restart };
                let expected = self.model.named(name, claim, "busy").unwrap_or("claim");
                self.ask(&Request::Recover { claim, bid, recovery }, expected)
            }
        };
        if claimed.is_some() && !resumes {
            self.model.pending = 0;
        }
        self.claimed(name, claimed, false);
    }

    fn end(&mut self, name: usize, claim: Seq, status: OutcomeStatus) {
        let (request, end) = (id(NAMES[name]), End::new(status));
        let (held, end) = (held(&request, claim), &end);
        let built_on = BuiltOn { messages: self.model.messages, checkpoint: None };
        let done = match status {
            OutcomeStatus::Completed => {
                let expected = self.model.end(name, claim);
                self.ask(&Request::Commit { held, built_on, end }, expected)
            }
            OutcomeStatus::Abandoned => {
                let expected = self.model.named(name, claim, "conflict").unwrap_or("append");
                let hand = Hand::Other { holder: None };
                self.ask(&Request::End { held, hand, end }, expected)
            }
            _ => {
                let expected = self.model.end(name, claim);
                self.ask(&Request::End { held, hand: Hand::Holder, end }, expected)
            }
        };
        if let Some(first) = done {
            let mut by = claim;
            if status == OutcomeStatus::Completed {
                self.model.messages += self.model.pending;
            }
            if status == OutcomeStatus::Abandoned {
                by = first;
                self.model.claims.push((name, by));
            }
            self.ended(name, by, status);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Admit(name) => self.bid(*name, None),
            Step::Recover(name, claim, resumes) => {
                self.bid(*name, Some((self.claim(*claim), *resumes)));
            }
            Step::Release(name, claim) => {
                let (request, claim) = (id(NAMES[*name]), self.claim(*claim));
                let before = self.journal.state.admission().active();
                let said = before.is_some_and(|it| it.released && it.recovers == Some(claim));
                let expected = match self.model.active {
                    Some((active, last, true)) if active == *name && (last == claim || said) => {
                        "stands"
                    }
                    _ => self.model.named(*name, claim, "conflict").unwrap_or("append"),
                };
                let released = self
                    .ask(&Request::Release { held: held(&request, claim), holder: None }, expected);
                self.claimed(*name, released, true);
            }
            Step::Push(claim) => {
                let claim = self.claim(*claim);
                let is_held = self.model.is_held(claim);
                let expected = if is_held { "granted" } else { "fenced" };
                let types = &[EntryType::Message];
                self.ask(&Request::Write { claim: Some(claim), types }, expected);
                if is_held {
                    self.journal.push(claim, "1");
                    self.model.pending += 1;
                }
            }
            Step::Commit(name, claim) => {
                self.end(*name, self.claim(*claim), OutcomeStatus::Completed);
            }
            Step::Fail(name, claim) => self.end(*name, self.claim(*claim), OutcomeStatus::Failed),
            Step::Abandon(name, claim) => {
                self.end(*name, self.claim(*claim), OutcomeStatus::Abandoned);
            }
            Step::Stray(name, claim) => {
                let claim = self.claim(*claim);
                if !self.model.is_held(claim) {
                    let name = NAMES[*name];
                    let outcome = format!(
                        r#"{{"request":"{name}","status":"failed","messages":0,"adopts":[0,99]}}"#
                    );
                    let outcome = entry(EntryType::Outcome, &outcome);
                    self.journal.push(claim, "0");
                    self.journal.append(vec![NewEntry { claim: Some(claim), ..outcome }]);
                }
            }
            Step::Message => {
                let is_free = self.model.active.is_none();
                let expected = if is_free { "granted" } else { "busy" };
                let types = &[EntryType::Message];
                self.ask(&Request::Write { claim: None, types }, expected);
                if is_free {
                    self.journal.append(vec![entry(EntryType::Message, "2")]);
                    self.model.messages += 1;
                }
            }
            Step::Delete => {
                self.journal.append(vec![entry(EntryType::Delete, "{}")]);
                self.journal.append(vec![entry(EntryType::Undelete, "{}")]);
                // It is nobody's end but the session's, and the model's word for that.
                if let Some((name, claim, _)) = self.model.active {
                    self.ended(name, claim, OutcomeStatus::Cancelled);
                }
            }
            Step::Reopen => self.journal.reopen(),
        }
    }

    fn check(&mut self) {
        let active = self.journal.state.admission().active();
        let active = active.map(|it| (it.request.as_str(), it.claim, it.released));
        let expected = self.model.active.map(|(name, claim, it)| (NAMES[name], claim, it));
        assert_eq!(active, expected);
        assert_eq!(self.journal.state.messages(), self.model.messages);
        for (number, name) in NAMES.iter().enumerate() {
            let request = id(name);
            if let RequestLookup::Found(ended) = self.journal.state.commits().look_request(&request)
            {
                assert_eq!(self.model.ended.get(&number).map(|it| it.0), Some(ended.claim));
            }
        }
    }
}

proptest! {
    #[test]
    fn one_request_is_active_at_a_time_each_ends_once_and_who_was_fenced_stays_so(
        steps in prop::collection::vec(step(), 0..60)
    ) {
        let mut play = Play { journal: Journal::of(None), model: Model::default() };
        for step in &steps {
            play.step(step);
            play.check();
        }
        for index in 0..play.model.claims.len() {
            let (_, claim) = play.model.claims[index];
            let write = Request::Write { claim: Some(claim), types: &[EntryType::Message] };
            let expected = if play.model.is_held(claim) { "granted" } else { "fenced" };
            play.ask(&write, expected);
        }
        for name in 0..NAMES.len() {
            if play.model.ended.contains_key(&name) {
                play.bid(name, None);
            }
        }
    }
}
