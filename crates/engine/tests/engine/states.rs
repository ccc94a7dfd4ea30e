//! Derived states: opening by the tail, whatever the session's length, and never to another end.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use proptest::prelude::*;
use sessile_core::backend::{Backend as _, Span};
use sessile_core::entry::shape::State;
use sessile_core::{
    CommitId, EntryType, Error, ErrorKind, Ordinal, Payload, Seq, SessionKey, Space, StoredCommit,
};
use sessile_engine::{Append, Filter, From, NewSession, Options, Page, RawMessage, Session, Store};

use super::faults::Faulty;

fn often() -> Options {
    Options::default().state_every(4, 1 << 20)
}

fn key() -> Result<SessionKey, Error> {
    Ok(SessionKey { space: Space::default(), id: "a".parse()? })
}

fn id(number: u64) -> Result<CommitId, Error> {
    format!("c{number}").parse()
}

async fn append(session: &Session, number: u64) -> Result<bool, Error> {
    let append = Append::at_end().commit_id(id(number)?);
    Ok(session.append_with(append, [number]).await?.replayed)
}

/// A session of so many messages, one a commit.
async fn session(options: Options, messages: u64) -> Result<(Arc<Faulty>, Store), Error> {
    let faulty = Faulty::new();
    let store = faulty.store_with(options);
    let session = store.create_as("a", NewSession::new().title("t")).await?;
    for number in 0..messages {
        assert!(!append(&session, number).await?);
    }
    Ok((faulty, store))
}

/// The numbers of all states.
async fn states(faulty: &Faulty) -> Result<Vec<u64>, Error> {
    let commits: Vec<_> = faulty.memory().read(&key()?, Span::ALL).await?.collect().await;
    let commits = commits.into_iter().collect::<Result<Vec<StoredCommit>, Error>>()?;
    Ok(commits.iter().filter_map(|commit| commit.state).map(Seq::number).collect())
}

async fn mask(faulty: &Faulty, seqs: Vec<Seq>) -> Result<(), Error> {
    let memory = faulty.memory();
    let tip = memory.head(&key()?).await?.tip;
    memory.mask(&key()?, tip, seqs).await
}

/// What can be seen of a session.
async fn seen(session: &Session) -> Result<String, Error> {
    let info = session.info();
    let messages = session.transcript::<RawMessage>(From::start()).await?.all().await?;
    let rows: Vec<_> = messages
        .iter()
        .map(|it| (it.ordinal.map(Ordinal::number), it.seq, it.data.as_str().to_owned()))
        .collect();
    Ok(format!(
        "{info:?} {:?} {:?} {:?} {} {} {rows:?}",
        info.title(),
        info.updated_at,
        info.tags(),
        info.payload_bytes,
        info.events,
    ))
}

#[tokio::test]
async fn opening_reads_as_much_of_a_long_session_as_of_a_short_one() -> Result<(), Error> {
    let mut read = Vec::new();
    for messages in [10, 1_000, 10_000] {
        let (faulty, store) = session(Options::default(), messages).await?;
        let before = faulty.bytes_read();
        let session = store.open_session("a").await?;
        assert_eq!(session.info().messages, messages);
        let opened = faulty.bytes_read();
        assert_eq!(store.list(Filter::all(), Page::of(1)).await?.sessions[0].messages, messages);
        let listed = faulty.bytes_read();
        assert!(append(&session, messages).await.is_ok());
        read.push((messages, opened - before, listed - opened, faulty.bytes_read() - listed));
        assert!(store.verify("a").await?.sound);
    }
    // As much as stands behind the last state, and that state: never the whole.
    for (messages, opened, listed, appended) in read {
        assert!(opened < 64 << 10, "{messages}: {opened}");
        assert_eq!(listed, 0, "what it is was noted when it was opened");
        // For an id that is new all older ones are read: 20 bytes each, and what is beside them.
        assert!(appended < 64 << 10 || appended < 26 * usize::try_from(messages).unwrap());
    }
    Ok(())
}

#[tokio::test]
async fn ids_are_recognised_for_ever_and_numbers_never_given_twice() -> Result<(), Error> {
    let (faulty, store) = session(often(), 300).await?;
    assert!(states(&faulty).await?.len() > 50);
    let session = store.open_session("a").await?;
    for number in [0, 1, 2, 3, 4, 5, 100, 255, 256, 298, 299] {
        assert!(append(&session, number).await?, "{number}");
        let other = Append::at_end().commit_id(id(number)?);
        let conflict = session.append_with(other, ["other"]).await.unwrap_err();
        assert_eq!(conflict.kind(), ErrorKind::Conflict);
        assert!(store.open_session("a").await?.resolve(&id(number)?).await?.is_some());
    }
    assert!(!append(&session, 300).await?);
    assert_eq!(session.resolve(&id(9_999)?).await?, None);
    assert_eq!(session.info().messages, 301);
    let position = session.position();
    let done = session.append(["x"]).await?;
    assert!(done.first.number() >= position.number());
    Ok(())
}

#[tokio::test]
async fn a_position_before_a_state_holds_and_the_first_entry_is_the_callers() -> Result<(), Error> {
    let (_, store) = session(often(), 0).await?;
    let session = store.open_session("a").await?;
    for number in 0..20_u64 {
        let done = session.append_with(Append::at(session.position()), [number]).await?;
        let read = session.transcript::<u64>(From::seq(done.first)).await?.all().await?;
        assert_eq!(read, [number]);
        let entries = session.entries(From::seq(done.first)).await?.all().await?;
        assert_eq!(entries[0].entry_type, EntryType::Message);
    }
    Ok(())
}

#[tokio::test]
async fn states_that_can_not_be_read_are_passed_over_and_told() -> Result<(), Error> {
    let (faulty, store) = session(often(), 100).await?;
    let whole = seen(&store.open_session("a").await?).await?;
    let all = states(&faulty).await?;
    for kept in [all.len() - 1, all.len() / 2, 1, 0] {
        let masked = all[kept..].iter().filter_map(|seq| Seq::new(*seq)).collect();
        mask(&faulty, masked).await?;
        let session = store.open_session("a").await?;
        assert_eq!(seen(&session).await?, whole);
        let told = session.receipt().unwrap().passed_over;
        assert_eq!(told.last().map(|seq| seq.number()), all.last().copied());
        for number in [0, 50, 99] {
            assert!(append(&session, number).await?, "{kept} {number}");
        }
        let verified = store.verify("a").await?;
        assert_eq!(verified.passed_over.len(), all.len() - kept);
        assert!(verified.sound);
    }
    // The next state has all ids again.
    let session = store.open_session("a").await?;
    for number in 100..110 {
        append(&session, number).await?;
    }
    assert!(append(&store.open_session("a").await?, 3).await?);
    Ok(())
}

#[tokio::test]
async fn a_lost_run_of_ids_is_found_in_the_commits() -> Result<(), Error> {
    let (faulty, store) = session(often(), 100).await?;
    let all = states(&faulty).await?;
    mask(&faulty, all[..all.len() - 1].iter().filter_map(|seq| Seq::new(*seq)).collect()).await?;
    let session = store.open_session("a").await?;
    assert_eq!(session.receipt(), None);
    for number in [0, 50, 99] {
        assert!(append(&session, number).await?);
    }
    assert!(!append(&session, 100).await?);
    Ok(())
}

#[tokio::test]
async fn where_damage_hides_a_run_an_id_is_not_taken_for_new() -> Result<(), Error> {
    let (faulty, store) = session(often(), 100).await?;
    let last = states(&faulty).await?.last().copied().and_then(Seq::new).unwrap();
    let mut read = faulty.memory().read(&key()?, Span::From(last)).await?;
    let state: State = read.next().await.unwrap()?.entries[0].data.decode()?;
    let ids: serde_json::Value = state.folds["commits"].state.decode()?;
    let run = ids["runs"][0][0].as_u64().unwrap();
    faulty.damage(run, run + 1);
    let session = store.open_session("a").await?;
    assert_eq!(session.info().messages, 100);
    assert!(append(&session, 99).await?);
    let error = append(&session, 5_000).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    Ok(())
}

#[tokio::test]
async fn ordinals_are_found_back_through_the_states() -> Result<(), Error> {
    let (_, store) = session(often(), 2_000).await?;
    for ordinal in [1, 2, 3, 4, 5, 700, 1_023, 1_024, 1_999, 2_000] {
        let session = store.open_session("a").await?;
        let from = From::ordinal(Ordinal::new(ordinal).unwrap());
        let mut read = session.transcript::<RawMessage>(from).await?;
        let first = read.next().await.transpose()?.unwrap();
        assert_eq!(first.ordinal, Ordinal::new(ordinal));
        assert_eq!(first.decode::<u64>()?, ordinal - 1);
        let mut read = session.transcript::<RawMessage>(From::seq(first.seq)).await?;
        assert_eq!(read.next().await.transpose()?.unwrap().ordinal, first.ordinal);
    }
    Ok(())
}

#[tokio::test]
async fn a_state_of_other_folds_is_passed_over_and_a_wrong_one_is_told() -> Result<(), Error> {
    let (faulty, store) = session(often(), 30).await?;
    let whole = seen(&store.open_session("a").await?).await?;
    let altered = |alter: fn(&mut State)| {
        let faulty = Arc::clone(&faulty);
        async move {
            let memory = faulty.memory();
            let commits: Vec<_> = memory.read(&key()?, Span::ALL).await?.collect().await;
            let mut commits = commits.into_iter().collect::<Result<Vec<_>, Error>>()?;
            for entry in commits.iter_mut().flat_map(|commit| &mut commit.entries) {
                if entry.entry_type == EntryType::State {
                    let mut state: State = entry.data.decode()?;
                    alter(&mut state);
                    entry.data = Payload::of(&state)?;
                }
            }
            let tip = memory.head(&key()?).await?.tip;
            let commits = Box::pin(stream::iter(commits.into_iter().map(Ok)));
            memory.rewrite(&key()?, tip, commits).await
        }
    };
    altered(|state| state.folds.get_mut("session").unwrap().types.push("z".to_owned())).await?;
    let session = store.open_session("a").await?;
    assert_eq!(seen(&session).await?, whole);
    assert!(append(&session, 7).await? && store.verify("a").await?.sound);
    altered(|state| state.folds.get_mut("session").unwrap().v += 1).await?;
    assert_eq!(seen(&store.open_session("a").await?).await?, whole);
    altered(|state| {
        let session = state.folds.get_mut("session").unwrap();
        session.v -= 1;
        session.types.retain(|it| it != "z");
        let text = session.state.as_str().replace("\"events\":0", "\"events\":7");
        session.state = Payload::parse(text).unwrap();
    })
    .await?;
    let found = store.verify("a").await?;
    assert!(!found.sound && !found.damage.is_empty());
    Ok(())
}

/// One step of a history.
#[derive(Clone, Debug)]
enum Step {
    Message(u64),
    Event,
    Title(u64),
    Touch,
    Rewind(prop::sample::Index),
    Reopen,
    Mask(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..40_u64).prop_map(Step::Message),
        2 => Just(Step::Event),
        1 => (0..5_u64).prop_map(Step::Title),
        1 => Just(Step::Touch),
        1 => any::<prop::sample::Index>().prop_map(Step::Rewind),
        2 => Just(Step::Reopen),
        1 => any::<prop::sample::Index>().prop_map(Step::Mask),
    ]
}

async fn play(steps: Vec<Step>) -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store_with(Options::default().state_every(3, 1 << 20));
    let mut session = store.create_as("a", NewSession::new()).await?;
    let mut known = std::collections::BTreeSet::new();
    for step in steps {
        match step {
            Step::Message(number) => {
                assert_eq!(append(&session, number).await?, !known.insert(number), "{number}");
            }
            Step::Event => drop(session.append_events(["e"]).await?),
            Step::Title(number) => drop(session.set_title(number.to_string()).await?),
            Step::Touch => drop(session.touch().await?),
            Step::Rewind(index) => {
                let end = usize::try_from(session.position().number()).unwrap_or(0);
                let to = u64::try_from(index.index(end)).ok().and_then(Seq::new);
                drop(session.rewind(to.unwrap_or(Seq::FIRST)).await?);
            }
            Step::Reopen => session = store.open_session("a").await?,
            Step::Mask(index) => {
                let all = states(&faulty).await?;
                if !all.is_empty() {
                    mask(&faulty, Seq::new(*index.get(&all)).into_iter().collect()).await?;
                }
            }
        }
    }
    // A store that uses no state at all: whatever they say, it reads everything.
    let all = states(&faulty).await?;
    let tail = seen(&store.open_session("a").await?).await?;
    assert_eq!(seen(&session).await?, tail);
    assert!(store.verify("a").await?.sound);
    let opened = store.open_session("a").await?;
    let messages = opened.transcript::<RawMessage>(From::start()).await?.all().await?;
    for message in messages {
        let mut from = vec![From::seq(message.seq)];
        from.extend(message.ordinal.map(From::ordinal));
        assert_eq!(from.len(), 2);
        for from in from {
            let first = opened.transcript::<RawMessage>(from).await?.next().await.transpose()?;
            assert_eq!(first.map(|it| (it.seq, it.ordinal)), Some((message.seq, message.ordinal)));
        }
    }
    mask(&faulty, all.iter().filter_map(|seq| Seq::new(*seq)).collect()).await?;
    let whole = store.open_session("a").await?;
    assert_eq!(seen(&whole).await?, tail);
    for number in 0..40 {
        let resolved = whole.resolve(&id(number)?).await?;
        assert_eq!(resolved.is_some(), known.contains(&number), "{number}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn opening_by_the_tail_shows_what_the_whole_shows(steps in prop::collection::vec(step(), 0..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(play(steps)).unwrap();
    }
}
