//! A journal in memory, folded as it grows.

use sessile_core::admission::{self, Bid, Decision, Held, Plan, Request};
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::shape::{Contract, ForkedFrom};
use sessile_core::fold::SessionState;
use sessile_core::{
    Commit, EntryType, Error, Limits, Name, NewEntry, Payload, Position, RequestId, Seq,
    StoredCommit, Tip, UnixMillis, Usage,
};

/// Commits, and what they fold to.
#[derive(Clone)]
pub(crate) struct Journal {
    pub(crate) state: SessionState,
    pub(crate) commits: Vec<StoredCommit>,
}

/// A payload of JSON text.
pub(crate) fn json(text: &str) -> Payload {
    Payload::parse(text.to_owned()).unwrap()
}

/// An entry outside a turn.
pub(crate) fn entry(entry_type: EntryType, data: &str) -> NewEntry {
    NewEntry::new(UnixMillis(7), entry_type, json(data))
}

pub(crate) fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap()
}

pub(crate) fn name(text: &str) -> Name {
    text.parse().unwrap()
}

pub(crate) fn id(text: &str) -> RequestId {
    text.parse().unwrap()
}

/// A usage of tokens.
pub(crate) fn tokens(amount: u64) -> Usage {
    Usage::new().with("tokens", amount)
}

/// The terms of every request here.
pub(crate) fn contract() -> Contract {
    Contract::new().part("agent", "shop").unwrap().part("tools", "none").unwrap()
}

impl Journal {
    /// A session with one message.
    pub(crate) fn new() -> Self {
        Self::of(None).and(vec![entry(EntryType::Message, "\"hi\"")])
    }

    /// A session with its header only.
    pub(crate) fn of(forked_from: Option<&ForkedFrom>) -> Self {
        let forked = forked_from.map_or_else(String::new, |cut| {
            format!(",\"forked_from\":{}", Payload::of(cut).unwrap().as_str())
        });
        let header = format!(
            r#"{{"format":1,"id":"ses","space":"default","created_at":1,"crc":"crc32c",
            "salt":"00000000","file":"00000000000000000000000000000000"{forked}}}"#
        );
        let first = stored(Tip::ABSENT, 0, vec![entry(EntryType::Session, &header)]);
        Self { state: SessionState::start(&first).unwrap(), commits: vec![first] }
    }

    /// The same with one more commit.
    pub(crate) fn and(mut self, entries: Vec<NewEntry>) -> Self {
        self.append(entries);
        self
    }

    /// Appends a commit; answers the number of its first entry.
    pub(crate) fn append(&mut self, entries: Vec<NewEntry>) -> Seq {
        let commit = stored(self.state.tip(), self.commits.len(), entries);
        let first = commit.first_seq();
        self.state.apply(&commit);
        self.commits.push(commit);
        first
    }

    /// Appends what a plan says; answers the number of its first entry.
    pub(crate) fn carry_out(&mut self, plan: &Plan) -> Seq {
        let first = self.state.position().seq().unwrap();
        let appended = self.append(plan.entries(first, UnixMillis(7)).unwrap());
        assert_eq!(appended, first);
        first
    }

    /// Decides on a request, having read whatever it takes to be sure.
    pub(crate) fn decide(&mut self, request: &Request<'_>) -> Result<Decision, Error> {
        loop {
            match admission::decide(&self.state, request)? {
                Decision::LookUp(unread) => {
                    let holds = |it: &&StoredCommit| {
                        it.tip().position > Position::new(unread.seq().number()).unwrap()
                    };
                    let commit = self.commits.iter().find(holds).unwrap();
                    assert!(self.state.learn(unread, commit), "{unread:?}");
                }
                decision => return Ok(decision),
            }
        }
    }

    /// Decides on a request and does what it takes; answers the number of the first entry.
    pub(crate) fn perform(&mut self, request: &Request<'_>) -> Seq {
        match self.decide(request).unwrap() {
            Decision::Claim(plan) | Decision::Append(plan) => self.carry_out(&plan),
            decision => panic!("nothing to append: {decision:?}"),
        }
    }

    /// Has the session claimed by a request with an input; answers the claim.
    pub(crate) fn claim(&mut self, request: &str, input: &str) -> Seq {
        let (request, contract, usage) = (id(request), contract(), tokens(5));
        let input = Digest::of(input.as_bytes());
        let bid =
            Bid { request: &request, input, contract: &contract, usage: &usage, holder: None };
        self.perform(&Request::Admit(bid))
    }

    /// Appends a message under a claim.
    pub(crate) fn push(&mut self, claim: Seq, text: &str) -> Seq {
        let message = entry(EntryType::Message, text);
        self.append(vec![NewEntry { claim: Some(claim), ..message }])
    }

    /// Puts the state of what was folded before the next commit, and goes on from it, as who opens
    /// the journal anew does.
    pub(crate) fn reopen(&mut self) {
        let data = self.state.to_snapshot().unwrap().unwrap();
        let state = NewEntry::new(UnixMillis(7), EntryType::State, data);
        self.append(vec![state, entry(EntryType::Event, "0")]);
        let last = self.commits.last().unwrap();
        let resumed = SessionState::resume(self.state.header().clone(), last).unwrap().unwrap();
        assert_eq!(resumed.admission(), self.state.admission());
        assert_eq!(resumed.sight(), self.state.sight());
        self.state = resumed;
    }
}

/// The claim on a request, named.
pub(crate) fn held(request: &RequestId, claim: Seq) -> Held<'_> {
    Held { request, claim }
}

fn stored(tip: Tip, number: usize, entries: Vec<NewEntry>) -> StoredCommit {
    let token = Token::from_digest(Digest::of(number.to_string().as_bytes()));
    let id = format!("commit-{number}").parse().unwrap();
    let commit = Commit::new(id, token, entries, &Limits::default()).unwrap();
    commit.stored_at(tip, Position::START).unwrap()
}
