//! Removing the data of single entries.

use std::sync::Arc;

use sessile_core::backend::{Capability, Span};
use sessile_core::entry::Member;
use sessile_core::{Entry, ErrorKind, Payload, Seq, StoredCommit, Tip};

use crate::case::{Case, Need};
use crate::failed::{Failed, conflicts_at, ensure, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::mint;
use crate::sample;
use crate::writer::Writer;

const MASK: &[Need] = &[Need::Has(Capability::Mask)];

pub(super) const CASES: &[Case] = &[
    Case::new(
        "mask/removes_the_data_and_nothing_else",
        &["MasksRemoveData", "PayloadsAreVerbatim"],
        |place| Box::pin(removes_the_data_only(place)),
    )
    .needing(MASK),
    Case::new("mask/removes_members_that_nobody_knows_too", &["MasksRemoveData"], |place| {
        Box::pin(removes_unknown_members_too(place))
    })
    .needing(MASK),
    Case::new(
        "mask/is_refused_where_others_appended",
        &["AppendIsConditional", "CONC-2"],
        |place| Box::pin(is_refused_where_others_appended(place)),
    )
    .needing(MASK),
    Case::new("mask/is_refused_for_what_is_not_there", &["MasksRemoveData"], |place| {
        Box::pin(is_refused_for_what_is_not_there(place))
    })
    .needing(MASK),
    Case::new(
        "mask/and_appends_go_on_together",
        &["AppendsAreShared", "RacesHaveOneWinner", "CONC-1"],
        |place| Box::pin(and_appends_go_on_together(place)),
    )
    .needing(MASK),
];

/// What stands in place of data that was removed.
const MASKED: &str = r#"{"redacted":true}"#;

/// Its entries but the header, whose `file` token is new where the journal was put anew.
fn without_header(commit: &StoredCommit) -> impl Iterator<Item = &Entry> {
    commit.entries.iter().filter(|entry| entry.seq != Seq::FIRST)
}

async fn removes_the_data_only(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let messages = ["two", "secret", "four"].map(sample::message);
    let messages = messages.into_iter().collect::<Result<_, _>>()?;
    writer.append(&sample::commit(messages)?).await?;
    writer.say("secret").await?;
    let mut expected = look::read(&*backend, &writer.key, Span::ALL).await?;
    let seqs = vec![look::seq(3)?, look::seq(5)?];
    backend.mask(&writer.key, writer.tip, seqs.clone()).await?;
    for entry in expected.iter_mut().flat_map(|commit| &mut commit.entries) {
        if seqs.contains(&entry.seq) {
            entry.data = Payload::parse(MASKED)?;
        }
    }
    for handle in [&backend, &place.handle().await?] {
        let served = look::read(&**handle, &writer.key, Span::ALL).await?;
        same("how many commits", served.len(), expected.len())?;
        for (commit, expected) in served.iter().zip(&expected) {
            ensure!(
                without_header(commit).eq(without_header(expected)),
                "the entries at {} are others",
                expected.first_seq()
            );
            same("the token", commit.token, expected.token)?;
            same("the digest", commit.digest, expected.digest)?;
        }
        same("the tip", handle.head(&writer.key).await?.tip, writer.tip)?;
    }
    // Sent again it is no error, and changes no more.
    backend.mask(&writer.key, writer.tip, seqs).await?;
    writer.say("after").await?;
    writer.on(&place.handle().await?).say("and on").await?;
    Ok(())
}

async fn removes_unknown_members_too(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let member = |name: &'static str| -> Result<Member, Failed> {
        Ok(Member { name: name.into(), value: Payload::of("secret")? })
    };
    let mut messages = [sample::message("secret")?, sample::message("kept")?];
    for message in &mut messages {
        message.extra = vec![member("of another version")?, member("x")?];
    }
    let appended = writer.append(&sample::commit(messages.to_vec())?).await?;
    backend.mask(&writer.key, writer.tip, vec![appended.first]).await?;
    for handle in [&backend, &place.handle().await?] {
        let served = look::read(&**handle, &writer.key, Span::From(appended.first)).await?;
        let entries = served.iter().flat_map(|commit| &commit.entries);
        let members: Vec<usize> = entries.map(|entry| entry.extra.len()).collect();
        same("how many unknown members the entries have", members, vec![0, 2])?;
    }
    Ok(())
}

async fn is_refused_where_others_appended(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let mut other = writer.on(&place.handle().await?);
    other.say("two").await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let elsewhere = Tip { token: Some(mint::token()), ..other.tip };
    for tip in [writer.tip, elsewhere] {
        let seqs = vec![look::seq(1)?];
        let answer = backend.mask(&writer.key, tip, seqs).await;
        conflicts_at("a stale mask", answer, other.tip.position)?;
    }
    look::unchanged(&*backend, &writer.key, &before).await
}

async fn is_refused_for_what_is_not_there(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    for numbers in [&[0][..], &[0, 1], &[2], &[1, 7]] {
        let seqs = numbers.iter().map(|number| look::seq(*number));
        let seqs = seqs.collect::<Result<Vec<_>, _>>()?;
        let answer = backend.mask(&writer.key, writer.tip, seqs).await;
        fails("a mask of the header or of nothing", answer, ErrorKind::Refused)?;
        look::unchanged(&*backend, &writer.key, &before).await?;
    }
    Ok(())
}

async fn and_appends_go_on_together(place: Arc<dyn Place>) -> Result<(), Failed> {
    const MESSAGES: u64 = 20;
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let masker = place.handle().await?;
    let key = writer.key.clone();
    let masking = tokio::spawn(async move {
        let mut next = 1;
        while next <= MESSAGES {
            let tip = masker.head(&key).await?.tip;
            if tip.position.number() <= next {
                tokio::task::yield_now().await;
                continue;
            }
            match masker.mask(&key, tip, vec![look::seq(next)?]).await {
                Ok(()) => next += 1,
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                Err(error) => return Err(Failed::from(error)),
            }
        }
        Ok(())
    });
    for number in 0..MESSAGES {
        // Masking moves no tip: the writer never notices.
        writer.say(&format!("secret {number}")).await?;
    }
    masking.await??;
    let seen = look::seen(&*backend, &writer.key).await?;
    ensure!(!seen.holds("secret"), "a message is as it was before it was masked");
    let commits = look::read(&*place.handle().await?, &writer.key, Span::ALL).await?;
    same("how many commits", commits.len(), 21)
}
