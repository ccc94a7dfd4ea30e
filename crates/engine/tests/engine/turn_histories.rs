//! Histories of turns: however a journal is read, the same messages are in sight under the same
//! ordinals, and those that a turn has written are as long as no outcome adopts them not.

use std::sync::Arc;

use proptest::prelude::*;
use sessile_core::backend::{Backend as _, Expected};
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::shape::{Claim, Compaction, Contract, Outcome, OutcomeStatus, Rewind};
use sessile_core::{
    Commit, EntryType, Error, Limits, NewEntry, Ordinal, Payload, RequestId, Seq, SessionKey,
    Space, UnixMillis, Usage,
};
use sessile_engine::{Append, From, NewSession, Options, RawMessage, Session, Store, Window};
use sessile_memory::MemoryBackend;

/// One step of a history.
#[derive(Clone, Debug)]
enum Step {
    /// Messages of nobody's turn, where there is none; many where marks are to be set.
    Append(usize),
    Claim,
    Recover(bool),
    /// Messages under the claim.
    Push(usize),
    /// A message under a claim that does not stand.
    Stray,
    /// The end of a turn, which adopts all that pends, or a part, or nothing, with one message more.
    End(Adopts),
    Event,
    Pop(usize),
    Rewind(prop::sample::Index),
    Compact(prop::sample::Index),
    Reopen,
}

#[derive(Clone, Debug)]
enum Adopts {
    All,
    Some(prop::sample::Index, prop::sample::Index),
    Nothing,
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<prop::sample::Index>;
    let adopts = prop_oneof![
        3 => Just(Adopts::All),
        1 => (index(), index()).prop_map(|(from, to)| Adopts::Some(from, to)),
        1 => Just(Adopts::Nothing),
    ];
    prop_oneof![
        4 => (1..4_usize).prop_map(Step::Append),
        1 => Just(Step::Append(130)),
        4 => Just(Step::Claim),
        1 => any::<bool>().prop_map(Step::Recover),
        6 => (1..4_usize).prop_map(Step::Push),
        1 => Just(Step::Stray),
        3 => adopts.prop_map(Step::End),
        4 => Just(Step::Event),
        1 => (1..4_usize).prop_map(Step::Pop),
        1 => index().prop_map(Step::Rewind),
        1 => index().prop_map(Step::Compact),
        2 => Just(Step::Reopen),
    ]
}

/// What the messages of a session are, told by their numbers.
#[derive(Debug, Default)]
struct Account {
    /// Those in sight.
    seen: Vec<u64>,
    /// Those of the turn that may come to be.
    pending: Vec<u64>,
    /// The claim that stands.
    claim: Option<Seq>,
    /// Summaries in sight: where each stands, and from where on it keeps messages.
    summaries: Vec<(u64, u64)>,
}

impl Account {
    fn rewind(&mut self, to: u64) {
        self.seen.retain(|number| *number <= to);
        self.pending.retain(|number| *number <= to);
        self.summaries.retain(|(at, _)| *at <= to);
    }

    /// How many messages in sight stand up to a number.
    fn through(&self, to: u64) -> u64 {
        u64::try_from(self.seen.iter().filter(|number| **number <= to).count()).unwrap_or(0)
    }
}

/// A session, and what a program with turns writes to it.
struct Play {
    backend: MemoryBackend,
    store: Store,
    session: Session,
    account: Account,
    /// The numbers of the first entries of commits.
    places: Vec<u64>,
    commits: u64,
}

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap_or(Seq::FIRST)
}

fn entry<T: serde::Serialize>(entry_type: EntryType, data: &T) -> Result<NewEntry, Error> {
    Ok(NewEntry::new(UnixMillis(1), entry_type, Payload::of(data)?))
}

fn claim(recovers: Option<Seq>, resumes: bool) -> Result<NewEntry, Error> {
    let claim = Claim {
        request: request()?,
        input: Digest::of(b"in"),
        contract: Contract::new(),
        usage: Usage::new(),
        holder: None,
        recovers,
        resumes,
        released: false,
    };
    entry(EntryType::Claim, &claim)
}

fn request() -> Result<RequestId, Error> {
    "r".parse()
}

fn outcome(adopts: Option<(Seq, Seq)>) -> Result<NewEntry, Error> {
    let outcome = Outcome {
        redacted: false,
        request: request()?,
        input: None,
        contract: None,
        status: OutcomeStatus::Completed,
        adopts,
        messages: 0,
        result: None,
        may_retry: false,
        reason: None,
        usage: Usage::new(),
    };
    entry(EntryType::Outcome, &outcome)
}

fn seqs(messages: &[RawMessage]) -> Vec<u64> {
    messages.iter().map(|message| message.seq.number()).collect()
}

impl Play {
    async fn new() -> Result<Self, Error> {
        let backend = MemoryBackend::new();
        let options = Options::default().state_every(3, u64::MAX);
        let store = Store::with(Arc::new(backend.clone()), options);
        let session = store.create_as("a", NewSession::new()).await?;
        let account = Account::default();
        Ok(Self { backend, store, session, account, places: vec![0], commits: 0 })
    }

    /// Appends entries under a claim past the engine; answers the first one's number.
    async fn write(&mut self, entries: Vec<NewEntry>, claim: Option<Seq>) -> Result<u64, Error> {
        let key = SessionKey { space: Space::default(), id: "a".parse()? };
        let entries = entries.into_iter().map(|entry| NewEntry { claim, ..entry }).collect();
        self.commits += 1;
        let token = Token::from_digest(Digest::of(&self.commits.to_le_bytes()));
        let id = format!("turn-{}", self.commits).parse()?;
        let commit = Commit::new(id, token, entries, &Limits::default())?;
        let tip = self.backend.head(&key).await?.tip;
        self.backend.append(&key, Expected::At(tip), vec![commit]).await?;
        let first = tip.position.number();
        self.places.push(first);
        Ok(first)
    }

    async fn step(&mut self, step: Step) -> Result<(), Error> {
        match (step, self.account.claim) {
            (Step::Append(count), None) => {
                let done = self.session.append(vec!["m"; count]).await?;
                let first = done.first.number();
                self.account.seen.extend(first..done.position.number());
                self.places.push(first);
            }
            (Step::Claim, None) => {
                let at = self.write(vec![claim(None, false)?], None).await?;
                self.account.claim = Seq::new(at);
            }
            (Step::Recover(resumes), Some(before)) => {
                let at = self.write(vec![claim(Some(before), resumes)?], None).await?;
                self.account.claim = Seq::new(at);
                if !resumes {
                    self.account.pending.clear();
                }
            }
            (Step::Push(count), Some(claim)) => {
                let messages = vec![entry(EntryType::Message, &"t")?; count];
                let at = self.write(messages, Some(claim)).await?;
                self.account.pending.extend(at..at + u64::try_from(count).unwrap_or(0));
            }
            (Step::Stray, _) => {
                let stray = vec![entry(EntryType::Message, &"s")?];
                self.write(stray, Seq::new(0)).await?;
            }
            (Step::End(adopts), Some(claim)) => self.end(&adopts, claim).await?,
            (Step::Event, _) => {
                self.places.push(self.session.append_events(["e"]).await?.first.number());
            }
            (Step::Pop(count), None) => self.pop(count).await?,
            (Step::Rewind(index), claim) => {
                let to = *index.get(&self.places);
                if claim.is_none() {
                    self.session.rewind(seq(to)).await?;
                } else {
                    let messages = self.account.through(to);
                    let rewind = Rewind { to: seq(to), messages, damage: None };
                    self.write(vec![entry(EntryType::Rewind, &rewind)?], claim).await?;
                }
                self.account.rewind(to);
            }
            (Step::Compact(index), claim) => self.compact(&index, claim).await?,
            (Step::Reopen, _) => self.session = self.store.open_session("a").await?,
            (Step::Append(_) | Step::Claim | Step::Pop(_), Some(_))
            | (Step::Recover(_) | Step::Push(_) | Step::End(_), None) => {}
        }
        Ok(())
    }

    async fn end(&mut self, adopts: &Adopts, claim: Seq) -> Result<(), Error> {
        let key = SessionKey { space: Space::default(), id: "a".parse()? };
        let last = self.backend.head(&key).await?.tip.position.number();
        let mut pending = std::mem::take(&mut self.account.pending);
        pending.push(last);
        let adopted = match adopts {
            Adopts::All => pending.first().map(|first| (*first, last)),
            Adopts::Some(from, to) => Some((*from.get(&pending), *to.get(&pending))),
            Adopts::Nothing => None,
        };
        let stretch = adopted.map(|(from, to)| (seq(from), seq(to)));
        let entries = vec![entry(EntryType::Message, &"t")?, outcome(stretch)?];
        self.write(entries, Some(claim)).await?;
        let is_adopted =
            |number: &u64| adopted.is_some_and(|(from, to)| (from..=to).contains(number));
        self.account.seen.extend(pending.into_iter().filter(is_adopted));
        self.account.claim = None;
        Ok(())
    }

    async fn pop(&mut self, count: usize) -> Result<(), Error> {
        self.session.refresh().await?;
        self.commits += 1;
        let append = Append::at_end().commit_id(format!("pop-{}", self.commits).parse()?);
        let popped = self.session.pop_with(append.clone(), count).await?;
        let kept = self.account.seen.len().saturating_sub(count);
        let expected = self.account.seen.get(kept..).unwrap_or_default().to_vec();
        let Some(popped) = popped else {
            assert_eq!(expected, [0_u64; 0]);
            return Ok(());
        };
        assert_eq!(seqs(&popped.messages), expected);
        let again = self.session.pop_with(append, count).await?;
        assert_eq!(again.map(|again| again.messages), Some(popped.messages));
        self.account.rewind(expected.first().map_or(0, |first| first - 1));
        Ok(())
    }

    /// Lets a summary stand for the messages before one, or for all where a turn does so.
    async fn compact(
        &mut self,
        index: &prop::sample::Index,
        claim: Option<Seq>,
    ) -> Result<(), Error> {
        let before = self.account.summaries.last().map_or(0, |(_, kept)| *kept);
        if claim.is_some() {
            let key = SessionKey { space: Space::default(), id: "a".parse()? };
            let end = self.backend.head(&key).await?.tip.position.number();
            let kept = self.account.pending.first().copied().unwrap_or(end);
            let compaction = Compaction {
                summary: vec![Payload::of(&"s")?],
                keep_from: Ordinal::new(self.account.through(end) + 1),
                keep_seq: Seq::new(kept),
            };
            let at = self.write(vec![entry(EntryType::Compaction, &compaction)?], claim).await?;
            self.account.summaries.push((at, kept));
        } else if self.account.seen.iter().any(|number| *number > before) {
            let kept = *index.get(&self.account.seen);
            if self.account.seen.iter().any(|it| (before..kept).contains(it)) {
                let done = self.session.compact(From::seq(seq(kept)), ["s"]).await?;
                self.account.summaries.push((done.first.number(), kept));
            }
        }
        Ok(())
    }

    /// Compares what handles show, read from everywhere, with the account.
    async fn compare(&self, handles: &[&Session]) -> Result<(), Error> {
        let seen = &self.account.seen;
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let expected: Vec<_> =
            (1..).zip(seen).map(|(ordinal, it)| (*it, Ordinal::new(ordinal))).collect();
        let told = |messages: &[RawMessage]| {
            messages.iter().map(|it| (it.seq.number(), it.ordinal)).collect::<Vec<_>>()
        };
        for handle in handles {
            let all = handle.transcript::<RawMessage>(From::start()).await?.all().await?;
            assert_eq!(told(&all), expected);
            assert_eq!(handle.refresh().await?.messages, number(seen.len()));
            let places = [0, seen.len() / 2, seen.len().saturating_sub(1)];
            for at in places.into_iter().filter(|at| *at < seen.len()) {
                let rest = expected.get(at..).unwrap_or_default();
                let (first, last) = (seq(seen.get(at).copied().unwrap_or(0)), seen.len() - at);
                let ordinal = Ordinal::new(number(at + 1))
                    .ok_or_else(|| Error::new(sessile_core::ErrorKind::Refused, "no ordinal"))?;
                for from in [From::seq(first), From::ordinal(ordinal), From::last(last)] {
                    let read = handle.transcript::<RawMessage>(from).await?.all().await?;
                    assert_eq!(told(&read), rest, "{from:?}");
                }
            }
            let kept = self.account.summaries.last().map_or(0, |(_, kept)| *kept);
            let shown: Vec<_> = expected.iter().filter(|it| it.0 >= kept).copied().collect();
            let view = handle.view(Window::last(2).batch(1)).await?;
            let window = shown.get(shown.len().saturating_sub(2)..).unwrap_or_default();
            assert_eq!(told(&view.window), window);
            let rest = shown.len() - window.len();
            assert_eq!(told(&view.buffer), shown.get(..rest.min(1)).unwrap_or_default());
            assert_eq!(view.backlog, number(rest.saturating_sub(1)));
        }
        Ok(())
    }
}

async fn play(steps: Vec<Step>) -> Result<(), Error> {
    let mut play = Play::new().await?;
    let first = play.session.clone();
    for step in steps {
        play.step(step).await?;
        let fresh = play.store.open_session("a").await?;
        play.compare(&[&first, &play.session, &fresh]).await?;
    }
    assert!(play.store.verify("a").await?.sound);
    assert_eq!(play.store.verify("a").await?.passed_over, []);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn however_turns_are_read_the_same_messages_have_the_same_ordinals(
        steps in prop::collection::vec(step(), 0..50)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(play(steps)).unwrap();
    }
}
