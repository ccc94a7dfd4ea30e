//! What is told of a journal without reading it.

use std::sync::Arc;

use sessile_core::backend::{Capability, Expected, Head, Span};
use sessile_core::{Backend, Payload, Seq, StoredCommit, Tip, UnixMillis};

use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new("head/is_where_the_last_commit_ends", &["HeadsAreTrue", "SetAsideIsTold"], |place| {
        Box::pin(is_where_the_last_commit_ends(place))
    }),
    Case::new(
        "head/serves_the_header_as_it_was_given",
        &["HeadsAreTrue", "PayloadsAreVerbatim"],
        |place| Box::pin(serves_the_header(place)),
    ),
    Case::new("head/changes_its_token_with_every_change_only", &["HeadsAreTrue"], |place| {
        Box::pin(changes_its_token(place))
    }),
    Case::new("head/changes_its_token_when_data_is_masked", &["HeadsAreTrue", "RES-2"], |place| {
        Box::pin(changes_its_token_when_data_is_masked(place))
    })
    .needing(&[Need::Has(Capability::Mask)]),
    Case::new("head/tells_the_time_of_the_last_commit", &["HeadsAreTrue"], |place| {
        Box::pin(tells_the_time_of_the_last_commit(place))
    }),
    Case::new("head/bookkeeping_makes_nothing_newer", &["HeadsAreTrue"], |place| {
        Box::pin(bookkeeping_makes_nothing_newer(place))
    }),
    Case::new("head/grows_with_what_is_appended", &["HeadsAreTrue"], |place| {
        Box::pin(grows_with_what_is_appended(place))
    }),
    Case::new(
        "head/says_whether_the_tombstone_is_the_last_word",
        &["HeadsAreTrue", "TombstonesHold"],
        |place| Box::pin(says_whether_it_is_deleted(place)),
    ),
];

async fn is_where_the_last_commit_ends(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let reader = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    for count in 1..=4 {
        let messages = vec![sample::message("x")?; count];
        writer.append(&sample::commit(messages)?).await?;
        for handle in [&backend, &reader] {
            let head = handle.head(&writer.key).await?;
            same("the tip", head.tip, writer.tip)?;
            ensure!(!head.deleted, "a living journal is told as deleted");
            same("the torn tail", head.tail, None)?;
            let aside = handle.set_aside(&writer.key).await?;
            same("what was set aside", aside, Vec::new())?;
            let back = Span::Back { before: writer.tip.position, max_bytes: 0 };
            let commits = look::read(&**handle, &writer.key, back).await?;
            let last = commits.last().map(StoredCommit::tip);
            same("the end of the last commit", last, Some(writer.tip))?;
        }
    }
    let answers = backend.append(&writer.key, Expected::End, vec![sample::saying("x")?]).await?;
    let tip = answers.last().map(|answer| answer.tip);
    same("the tip", Some(reader.head(&writer.key).await?.tip), tip)
}

async fn serves_the_header(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    let mut given = sample::header(&key)?;
    // A newer writer's header has members that this version does not know.
    let text = given.data.as_str().replacen('{', r#"{"x.y": [1.0 ],"#, 1);
    given.data = Payload::parse(text)?;
    let mut writer = Writer::at(&backend, &key, Tip::ABSENT);
    writer.append(&sample::commit(vec![given.clone()])?).await?;
    for number in 0..3 {
        let head = place.handle().await?.head(&key).await?;
        let expected = given.clone().numbered(Seq::FIRST);
        ensure!(head.header == expected, "the header is not what was given");
        writer.say(&number.to_string()).await?;
    }
    Ok(())
}

async fn changes_its_token(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let reader = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let mut seen = Vec::new();
    for step in 0..6 {
        match step {
            0..=2 => drop(writer.say("x").await?),
            3 => drop(writer.remove().await?),
            4 => drop(writer.append(&sample::undeletion()?).await?),
            _ => drop(writer.say("y").await?),
        }
        let change = backend.head(&writer.key).await?.change;
        ensure!(!seen.contains(&change), "step {step} did not change the token");
        look::texts(&*reader, &writer.key).await?;
        look::recent(&*reader, &writer.key.space, 10).await?;
        for handle in [&backend, &reader] {
            let again = handle.head(&writer.key).await?.change;
            same("the token of what did not change", &again, &change)?;
        }
        seen.push(change);
    }
    Ok(())
}

async fn changes_its_token_when_data_is_masked(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one", "two"]).await?;
    // As long as what takes its place, so that nothing but the bytes differs.
    let head = backend.head(&writer.key).await?;
    let seqs = vec![look::seq(1)?];
    backend.mask(&writer.key, writer.tip, seqs).await?;
    let masked = backend.head(&writer.key).await?;
    ensure!(masked.change != head.change, "the token is the same");
    same("the tip", masked.tip, head.tip)
}

async fn times(place: &dyn Place, writer: &Writer, expected: u64) -> Result<(), Failed> {
    for backend in [&writer.backend, &place.handle().await?] {
        let head: Head = backend.head(&writer.key).await?;
        same("the time of the last commit", head.updated_at, UnixMillis(expected))?;
    }
    Ok(())
}

async fn tells_the_time_of_the_last_commit(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    let mut writer = Writer::at(&backend, &key, Tip::ABSENT);
    let header = sample::header_at(UnixMillis(1_000), &key)?;
    writer.append(&sample::commit(vec![header])?).await?;
    times(&*place, &writer, 1_000).await?;
    for at in [1_000, 1_001, 5_000, 5_000, 9_000_000_000_000] {
        let entries = vec![
            sample::message_at(UnixMillis(at), "x")?,
            sample::message_at(UnixMillis(at), "y")?,
        ];
        writer.append(&sample::commit(entries)?).await?;
        times(&*place, &writer, at).await?;
    }
    Ok(())
}

async fn bookkeeping_makes_nothing_newer(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    let mut writer = Writer::at(&backend, &key, Tip::ABSENT);
    let header = sample::header_at(UnixMillis(1_000), &key)?;
    writer.append(&sample::commit(vec![header])?).await?;
    let message = sample::message_at(UnixMillis(2_000), "x")?;
    writer.append(&sample::commit(vec![message])?).await?;
    // It is made at a later time, and is no act of a caller's.
    let barrier = sample::entry("barrier", "{}")?;
    writer.append(&sample::commit(vec![barrier])?).await?;
    times(&*place, &writer, 2_000).await?;
    let state = sample::entry("state", "{}")?;
    let message = sample::message_at(UnixMillis(3_000), "y")?;
    writer.append(&sample::commit(vec![state, message])?).await?;
    times(&*place, &writer, 3_000).await
}

async fn grows_with_what_is_appended(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend: Arc<dyn Backend> = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let mut bytes = backend.head(&writer.key).await?.bytes;
    ensure!(bytes > 0, "a journal with a header takes no bytes");
    for _ in 0..5 {
        writer.say("some more").await?;
        let now = place.handle().await?.head(&writer.key).await?.bytes;
        ensure!(now > bytes, "a message was added, {bytes} bytes became {now}");
        bytes = now;
    }
    Ok(())
}

async fn says_whether_it_is_deleted(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    for _ in 0..2 {
        writer.remove().await?;
        let head = place.handle().await?.head(&writer.key).await?;
        ensure!(head.deleted, "a deleted journal is told as living");
        same("the tip", head.tip, writer.tip)?;
        writer.append(&sample::undeletion()?).await?;
        let head = place.handle().await?.head(&writer.key).await?;
        ensure!(!head.deleted, "an undeleted journal is told as deleted");
    }
    Ok(())
}
