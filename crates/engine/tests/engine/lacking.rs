//! Forks of damaged sessions: what can't be read is left out, told, and refused like damage.

use std::iter::repeat_n;
use std::sync::Arc;

use sessile_core::entry::shape::{Forked, Lost};
use sessile_core::{EntryType, Error, ErrorKind, Ordinal, Seq};
use sessile_engine::{
    Append, Filter, From, NewSession, Options, Page, Reach, Session, Store, Window,
};
use sessile_memory::MemoryBackend;

use super::faults::{Fault, Faulty};

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap_or(Seq::FIRST)
}

fn lost(ranges: &[(u64, u64)]) -> Vec<Lost> {
    ranges.iter().map(|(from, to)| Lost { from: seq(*from), to: seq(*to) }).collect()
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// A session "a" of messages 1 to 12 with those numbers, the first three in one commit, and an
/// event after each fourth at 13 and on.
async fn source(options: Options) -> Result<(Arc<Faulty>, Store, Session), Error> {
    let faulty = Faulty::new();
    let store = faulty.store_with(options);
    let session = store.create_as("a", NewSession::new()).await?;
    session.append_with(Append::at_end().commit_id("first".parse()?), [1, 2, 3]).await?;
    for number in 4..=12 {
        session.append([number]).await?;
    }
    session.append_events(["e"]).await?;
    session.append_with(Append::at_end().commit_id("last".parse()?), [14]).await?;
    Ok((faulty, store, session))
}

/// States would take numbers of their own.
fn without_states() -> Options {
    Options::default().state_every(u64::MAX, u64::MAX)
}

/// What a read shows: messages or entries by number, and the damage that ends it.
type Shown = (Vec<u64>, Option<u64>);

async fn shown(session: &Session, from: From) -> Result<Shown, Error> {
    let mut numbers = Vec::new();
    let place = |error: Error| {
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        error.damage().map(|place| place.seq.number())
    };
    let mut messages = match session.transcript::<u64>(from).await {
        Err(error) => return Ok((numbers, place(error))),
        Ok(messages) => messages,
    };
    while let Some(message) = messages.next().await {
        match message {
            Ok(message) => numbers.push(message),
            Err(error) => return Ok((numbers, place(error))),
        }
    }
    Ok((numbers, None))
}

fn beginnings() -> Vec<From> {
    let numbers = (0..16).map(|number| From::seq(seq(number)));
    let ordinals = (1..14).filter_map(Ordinal::new).map(From::ordinal);
    numbers.chain(ordinals).chain((1..14).map(From::last)).collect()
}

#[tokio::test]
async fn every_read_of_it_ends_where_one_of_the_source_does() -> Result<(), Error> {
    for damaged in [vec![(5, 7)], vec![(5, 7), (9, 10)], vec![(2, 4)], vec![(14, 15)]] {
        let (faulty, store, _) = source(without_states()).await?;
        let ranges: Vec<(u64, u64)> = damaged.iter().map(|(from, to)| (*from, *to)).collect();
        faulty.damage_in("a", &ranges);
        let session = store.open_session("a").await?;
        session.fork_as("b", None).await?;
        let fork = store.open_session("b").await?;
        for from in beginnings() {
            let ours = shown(&fork, from).await?;
            assert_eq!(ours, shown(&session, from).await?, "{damaged:?} {from:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_it_lacks_is_told_and_all_else_works() -> Result<(), Error> {
    let (faulty, store, _) = source(without_states()).await?;
    faulty.damage_in("a", &[(5, 7), (9, 10)]);
    let session = store.open_session("a").await?;
    let fork = session.fork_as("b", Some(seq(12))).await?;
    let told = lost(&[(5, 6), (9, 9)]);
    let own = fork.entries(From::seq(seq(13))).await?.next().await.unwrap()?;
    assert_eq!((own.seq, own.entry_type), (seq(13), EntryType::Forked));
    assert_eq!(own.data.as_str(), r#"{"lost":[{"from":5,"to":6},{"from":9,"to":9}]}"#);
    for fork in [&fork, &store.open_session("b").await?] {
        let info = fork.info();
        assert!(info.damaged);
        assert_eq!((info.messages, &info.lost), (9, &told));
        let receipt = fork.receipt().unwrap();
        assert_eq!((receipt.damage.as_slice(), &receipt.lost), ([].as_slice(), &told));
        let text = receipt.to_string();
        assert!(text.contains("entries 5 to 6 could not be read when it was forked"), "{text}");
    }
    let verified = store.verify("b").await?;
    assert!(verified.sound, "it is what was written");
    assert_eq!((&verified.lost, verified.damage.len()), (&told, 0));
    let listing = store.list(Filter::all().damaged(), Page::of(9)).await?;
    assert_eq!(listing.sessions.len(), 2);
    let error = fork.transcript::<u64>(From::seq(seq(6))).await?.all().await.unwrap_err();
    let clause = "session b: entries 5 to 6 could not be read when it was forked";
    assert_eq!(error.to_string(), clause);

    // Ids that were there are recognised, and one that may have been is not taken for new.
    let known = Append::at_end().commit_id("first".parse()?);
    assert!(fork.append_with(known, [1, 2, 3]).await?.replayed);
    let unknown = Append::at_end().commit_id("unknown".parse()?);
    assert_eq!(kind(fork.append_with(unknown, [1]).await), Some(ErrorKind::Corrupt));
    fork.append([13]).await?;
    assert_eq!(shown(&fork, From::last(4)).await?, (vec![10, 11, 12, 13], None));
    assert_eq!(fork.view(Window::last(4)).await?.backlog, 6);
    let misfits = fork.misfits(Reach::Whole).await?;
    assert_eq!((misfits.from, misfits.whole), (seq(10), false));
    fork.set_title("t").await?;
    let elsewhere = Store::on(Arc::new(MemoryBackend::new()));
    store.copy("b", &elsewhere).await?;
    assert_eq!(elsewhere.open_session("b").await?.info().lost, told);
    fork.close().await?;
    Ok(())
}

#[tokio::test]
async fn it_may_be_cut_within_damage_and_at_its_end() -> Result<(), Error> {
    let (faulty, store, _) = source(without_states()).await?;
    faulty.damage_in("a", &[(5, 8), (12, 15)]);
    let session = store.open_session("a").await?;
    for (at, ranges, last) in [
        (4, vec![], 4),
        (5, vec![(5, 5)], 5),
        (6, vec![(5, 6)], 6),
        (8, vec![(5, 7)], 8),
        (13, vec![(5, 7), (12, 13)], 13),
        (14, vec![(5, 7), (12, 14)], 14),
    ] {
        let fork = session.fork(Some(seq(at))).await?;
        let info = fork.info();
        assert_eq!(info.lost, lost(&ranges), "{at}");
        assert_eq!(info.header.forked_from.map(|cut| cut.seq), Some(seq(last)));
        let own = fork.append(["own"]).await?;
        assert_eq!(own.first, seq(last + 2));
        assert_eq!(shown_texts(&fork, From::last(1)).await?, ["own"]);
        assert!(store.verify(fork.id()).await?.sound);
    }
    Ok(())
}

async fn shown_texts(session: &Session, from: From) -> Result<Vec<String>, Error> {
    session.transcript(from).await?.all().await
}

#[tokio::test]
async fn a_fork_of_it_lacks_the_same_and_a_rewind_hides_it() -> Result<(), Error> {
    let (faulty, store, _) = source(without_states()).await?;
    faulty.damage_in("a", &[(5, 7), (9, 10)]);
    let fork = store.open_session("a").await?.fork_as("b", Some(seq(12))).await?;
    fork.append([100]).await?;
    faulty.damage_in("b", &[(3, 5)]);
    let fork = store.open_session("b").await?;
    for (at, ranges) in [
        (6, vec![(1, 6)]),
        (8, vec![(1, 6)]),
        (10, vec![(1, 6), (9, 9)]),
        (13, vec![(1, 6), (9, 9)]),
        (14, vec![(1, 6), (9, 9)]),
    ] {
        let second = fork.fork(Some(seq(at))).await?;
        // Its own source's damage and what that lacked lie side by side; each is told once.
        let told: Vec<Lost> = second.info().lost;
        let covers = |number: u64| {
            told.iter().any(|lost| (lost.from.number()..=lost.to.number()).contains(&number))
        };
        for number in 1..=at {
            let expected = ranges.iter().any(|(from, to)| {
                let from = if *from == 1 { 3 } else { *from };
                (from..=*to).contains(&number)
            });
            assert_eq!(covers(number), expected, "{at}: {number} {told:?}");
        }
    }
    faulty.damage_in("b", &[]);
    let fork = store.open_session("b").await?;
    fork.rewind(seq(4)).await?;
    fork.append([50]).await?;
    for fork in [&fork, &store.open_session("b").await?] {
        assert_eq!(shown(fork, From::start()).await?, (vec![1, 2, 3, 4, 50], None));
        let fifth = From::ordinal(Ordinal::new(5).unwrap());
        assert_eq!(shown(fork, fifth).await?, (vec![50], None));
        let entries = fork.entries(From::start()).await?.all().await;
        assert_eq!(kind(entries), Some(ErrorKind::Corrupt), "whoever wants everything is told");
    }
    Ok(())
}

#[tokio::test]
async fn what_was_copied_before_it_was_damaged_is_not_lost() -> Result<(), Error> {
    for copied in 0..=9 {
        let (faulty, store, session) = source(without_states()).await?;
        faulty.script(repeat_n(Fault::None, copied).chain([Fault::Forbidden]));
        let cut_short = session.fork_as("b", Some(seq(12))).await;
        assert_eq!(kind(cut_short), Some(ErrorKind::Permission));
        faulty.script_ends();
        faulty.damage_in("a", &[(5, 9)]);
        let fork = store.open_session("a").await?.fork_as("b", Some(seq(12))).await?;
        // The header, three messages, and then one a commit.
        let reached = u64::try_from(copied).unwrap_or(0) + 2;
        let missing = if reached < 9 { lost(&[(reached.max(5), 8)]) } else { Vec::new() };
        assert_eq!(fork.info().lost, missing, "{copied}");
        let numbers = shown(&fork, From::start()).await?.0;
        let last = missing.first().map_or(12, |lost| lost.from.number() - 1);
        assert_eq!(numbers, (1..=last).collect::<Vec<_>>());
        assert!(store.verify("b").await?.sound);
    }
    Ok(())
}

#[tokio::test]
async fn what_is_opened_by_its_tail_knows_what_it_lacks() -> Result<(), Error> {
    let (faulty, store, _) = source(Options::default().state_every(4, u64::MAX)).await?;
    let position = store.open_session("a").await?.position();
    faulty.damage_in("a", &[(4, 6)]);
    let fork = store.open_session("a").await?.fork_as("b", None).await?;
    for number in 0..40_u64 {
        fork.append([number]).await?;
    }
    let opened = store.open_session("b").await?;
    assert!(opened.info().damaged);
    assert_eq!(opened.info().lost, fork.info().lost);
    assert_eq!(opened.info().messages, fork.info().messages);
    let own = opened.entries(From::seq(seq(position.number()))).await?.next().await.unwrap()?;
    assert_eq!(own.data.decode::<Forked>()?.lost, fork.info().lost);
    for from in [From::start(), From::last(5), From::last(99), From::seq(seq(30))] {
        assert_eq!(shown(&opened, from).await?, shown(&fork, from).await?, "{from:?}");
    }
    assert!(store.verify("b").await?.sound);
    Ok(())
}
