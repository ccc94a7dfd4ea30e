//! Histories with damage in them: whatever a handle knows of it, it shows what the others show.

use futures_util::StreamExt as _;
use proptest::prelude::*;
use sessile_core::backend::{Backend as _, Span};
use sessile_core::{EntryType, Error, ErrorKind, Seq, SessionKey, Space, StoredCommit};
use sessile_engine::{From, NewSession, Options, RawMessage, Session, Window};

use super::faults::Faulty;

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap_or(Seq::FIRST)
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// Every commit, readable or not.
async fn commits(faulty: &Faulty) -> Result<Vec<StoredCommit>, Error> {
    let key = SessionKey { space: Space::default(), id: "a".parse()? };
    let commits: Vec<_> = faulty.memory().read(&key, Span::ALL).await?.collect().await;
    commits.into_iter().collect()
}

/// One step of a history.
#[derive(Clone, Debug)]
enum Step {
    Append,
    Event,
    Pop(usize),
    Rewind(prop::sample::Index),
    Compact(prop::sample::Index),
    Damage(prop::sample::Index, usize),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        8 => Just(Step::Append),
        1 => Just(Step::Event),
        1 => (1..4_usize).prop_map(Step::Pop),
        1 => index().prop_map(Step::Rewind),
        1 => index().prop_map(Step::Compact),
        1 => (index(), 1..4_usize).prop_map(|(at, length)| Step::Damage(at, length)),
        2 => Just(Step::Reopen),
    ]
}

/// What the messages of a session are, told by their numbers.
#[derive(Debug, Default)]
struct Account {
    /// Those in sight.
    seen: Vec<u64>,
    /// Summaries in sight: where each stands, and from where on it keeps messages.
    summaries: Vec<(u64, u64)>,
    /// The commits that can't be read.
    damaged: Option<(u64, u64)>,
    /// The stretches that rewinds have hidden: the entries after one up to another.
    hidden: Vec<(u64, u64)>,
}

impl Account {
    fn is_damaged(&self, number: u64) -> bool {
        self.damaged.is_some_and(|(from, to)| (from..to).contains(&number))
    }

    fn readable(&self) -> Vec<u64> {
        self.seen.iter().copied().filter(|number| !self.is_damaged(*number)).collect()
    }

    /// The first number behind damage that is not hidden.
    fn behind(&self) -> u64 {
        let hides =
            |number| self.hidden.iter().any(|(after, to)| (after + 1..=*to).contains(&number));
        self.damaged.filter(|(from, to)| !(*from..*to).all(hides)).map_or(0, |(_, to)| to)
    }

    /// Whether so many messages are known to be the last: what is damaged, nobody can tell.
    fn reaches(&self, last: &[u64], count: usize) -> bool {
        let first = last.first().filter(|_| last.len() == count);
        self.behind() == 0 || first.is_some_and(|first| *first >= self.behind())
    }

    /// The last so many, if they are known to be.
    fn last(&self, count: usize) -> Option<&[u64]> {
        let last = last_of(&self.seen, count);
        self.reaches(last, count).then_some(last)
    }

    fn rewind(&mut self, to: u64, seq: Seq) {
        self.hidden.push((to, seq.number()));
        self.seen.retain(|number| *number <= to);
        self.summaries.retain(|(at, _)| *at <= to);
    }
}

fn last_of(numbers: &[u64], count: usize) -> &[u64] {
    numbers.get(numbers.len().saturating_sub(count)..).unwrap_or_default()
}

fn seqs(messages: &[RawMessage]) -> Vec<u64> {
    messages.iter().map(|message| message.seq.number()).collect()
}

/// Compares what handles show with the account, and the ordinals that each knows with the others'.
async fn compare(handles: &[&Session], account: &Account) -> Result<(), Error> {
    let mut known = std::collections::BTreeMap::new();
    let kept = account.summaries.last().map_or(0, |(_, kept)| *kept);
    for handle in handles {
        let from = account.damaged.map_or(0, |(_, to)| to);
        let behind = handle.transcript::<RawMessage>(From::seq(seq(from))).await?.all().await?;
        let expected: Vec<u64> = account.seen.iter().copied().filter(|it| *it >= from).collect();
        assert_eq!(seqs(&behind), expected);
        for message in behind {
            if let Some(ordinal) = message.ordinal {
                let others = known.insert(message.seq, ordinal);
                assert!(others.is_none_or(|other| other == ordinal), "{message:?} {others:?}");
                let from = From::ordinal(ordinal);
                let first = match handle.transcript::<RawMessage>(from).await {
                    Ok(mut messages) => messages.next().await.transpose(),
                    Err(error) => Err(error),
                };
                match first {
                    Ok(first) => assert_eq!(first.map(|it| it.seq), Some(message.seq)),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Corrupt),
                }
            }
        }
        let shown: Vec<u64> = account.seen.iter().copied().filter(|it| *it >= kept).collect();
        for count in [1, 3] {
            let view = handle.view(Window::last(count)).await;
            let last = last_of(&shown, count);
            if account.reaches(last, count) || kept >= account.behind() {
                assert_eq!(seqs(&view?.window), last);
            } else if account.readable().len() >= count {
                assert_eq!(kind(view), Some(ErrorKind::Corrupt));
            }
        }
    }
    Ok(())
}

async fn play(steps: Vec<Step>) -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store_with(Options::default().state_every(3, u64::MAX));
    let first = store.create_as("a", NewSession::new()).await?;
    let mut session = first.clone();
    let mut account = Account::default();
    let mut places = vec![0];
    for step in steps {
        match step {
            Step::Append => {
                let done = session.append(["m"]).await?;
                account.seen.push(done.first.number());
                places.push(done.first.number());
            }
            Step::Event => places.push(session.append_events(["e"]).await?.first.number()),
            Step::Pop(count) => {
                session.refresh().await?;
                let expected = account.last(count).map(<[u64]>::to_vec);
                match session.pop(count).await {
                    Ok(popped) => {
                        let numbers = popped.as_ref().map(|popped| seqs(&popped.messages));
                        assert_eq!(Some(numbers.clone().unwrap_or_default()), expected);
                        let first = numbers.as_deref().and_then(<[u64]>::first);
                        if let (Some(popped), Some(first)) = (popped, first) {
                            account.rewind(first - 1, popped.committed.first);
                        }
                    }
                    Err(error) => {
                        assert_eq!((error.kind(), expected), (ErrorKind::Corrupt, None));
                    }
                }
            }
            Step::Rewind(index) => {
                let to = *index.get(&places);
                let done = session.rewind(seq(to)).await?;
                account.rewind(to, done.first);
            }
            Step::Compact(index) => {
                let readable = account.readable();
                if readable.is_empty() {
                    continue;
                }
                let kept = *index.get(&readable);
                let before = account.summaries.last().map_or(0, |(_, kept)| *kept);
                // What can't be read may be a message.
                let stands_for = account.seen.iter().any(|it| (before..kept).contains(it))
                    || before < account.behind() && account.behind() <= kept;
                match session.compact(From::seq(seq(kept)), ["s"]).await {
                    Ok(done) => {
                        assert!(stands_for);
                        account.summaries.push((done.first.number(), kept));
                    }
                    Err(error) => {
                        assert_eq!((error.kind(), stands_for), (ErrorKind::Refused, false));
                    }
                }
            }
            Step::Damage(index, length) => {
                let all = commits(&faulty).await?;
                let at = index.index(all.len());
                // What a rewind that can't be read has hidden, nobody can tell.
                let kept = [EntryType::Session, EntryType::Rewind, EntryType::Compaction];
                let range = all.get(at..at + length).filter(|range| {
                    account.damaged.is_none()
                        && !range.iter().any(|commit| kept.iter().any(|kept| commit.has(kept)))
                });
                let first = range.and_then(|range| range.first());
                if let (Some(first), Some(next)) = (first, all.get(at + length)) {
                    let (from, to) = (first.first_seq().number(), next.first_seq().number());
                    account.damaged = Some((from, to));
                    faulty.damage(from, to);
                }
            }
            Step::Reopen => session = store.open_session("a").await?,
        }
        let fresh = store.open_session("a").await?;
        compare(&[&first, &session, &fresh], &account).await?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whoever_knows_an_ordinal_behind_damage_knows_the_same(steps in prop::collection::vec(step(), 0..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(play(steps)).unwrap();
    }
}
