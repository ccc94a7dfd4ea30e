//! Going back, summarising, redacting and forgetting.

use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_core::backend::Capability;
use sessile_core::{ErrorKind, Ordinal, Payload};
use sessile_engine::{Append, From, RawMessage, Session, Window};

use super::scene;
use crate::case::{Case, Need, Running};
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::together::together;

/// What redacting and forgetting need.
pub(super) const MASK: &[Need] = &[Need::Has(Capability::Mask)];

pub(super) const CASES: &[Case] = &[
    Case::new("session/change/a_view_has_batch_backlog_and_window", &["records/17"], |place| {
        Box::pin(a_view_has_batch_backlog_and_window(place))
    }),
    Case::new("session/change/a_summary_hides_nothing", &["records/18"], |place| {
        Box::pin(a_summary_hides_nothing(place))
    }),
    Case::new("session/change/a_summary_stands_for_more_than_the_last", &["records/19"], |place| {
        Box::pin(a_summary_stands_for_more(place))
    }),
    Case::new("session/change/each_message_is_popped_once", &["CONC-7"], |place| {
        Box::pin(each_message_is_popped_once(place))
    }),
    Case::new("session/change/going_back_loses_nothing", &["MEM-3"], |place| {
        Box::pin(going_back_loses_nothing(place))
    }),
    Case::new("session/change/what_was_redacted_is_gone_everywhere", &["CONC-1"], |place| {
        Box::pin(what_was_redacted_is_gone(place))
    })
    .needing(MASK),
    Case::new("session/change/what_was_forgotten_is_forgotten", &["CONC-1"], |place| {
        Box::pin(what_was_forgotten(place))
    })
    .needing(MASK),
];

/// A session of ten numbers.
async fn ten(place: &dyn Place) -> Result<Session, Failed> {
    let session = scene::session(&scene::store(place).await?, "s1", &[]).await?;
    for number in 1..=10_u64 {
        session.append([number]).await?;
    }
    Ok(session)
}

fn numbers(messages: &[RawMessage]) -> Result<Vec<u64>, Failed> {
    messages.iter().map(|message| Ok(message.decode()?)).collect()
}

fn ordinal(number: u64) -> Result<Ordinal, Failed> {
    Ordinal::new(number).ok_or_else(|| Failed::new("ordinals begin at 1"))
}

async fn a_view_has_batch_backlog_and_window(place: Arc<dyn Place>) -> Result<(), Failed> {
    let session = ten(&*place).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for handle in [&session, &reopened] {
        let view = handle.view(Window::last(2).batch(3)).await?;
        same("the batch", numbers(&view.buffer)?, vec![1, 2, 3])?;
        same("the backlog", view.backlog, 5)?;
        same("the window", numbers(&view.window)?, vec![9, 10])?;
        same("the summary", view.summary.len(), 0)?;
    }
    fails("a window of none", session.view(Window::last(0)).await, ErrorKind::Refused)?;
    Ok(())
}

async fn a_summary_hides_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let session = ten(&*place).await?;
    let before = scene::messages(&session).await?;
    session.compact(From::ordinal(ordinal(5)?), ["one to four"]).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for handle in [&session, &reopened] {
        ensure!(scene::messages(handle).await? == before, "the messages are what they were");
        let view = handle.view(Window::last(2).batch(3)).await?;
        let summary: Vec<&str> = view.summary.iter().map(Payload::as_str).collect();
        same("the summary", summary, vec!["\"one to four\""])?;
        same("what it stands for", view.through, Some(ordinal(4)?))?;
        same("the batch", numbers(&view.buffer)?, vec![5, 6, 7])?;
        same("the backlog", view.backlog, 1)?;
    }
    Ok(())
}

async fn a_summary_stands_for_more(place: Arc<dyn Place>) -> Result<(), Failed> {
    let session = ten(&*place).await?;
    session.compact(From::ordinal(ordinal(5)?), ["one to four"]).await?;
    let position = session.position();
    let refused = ErrorKind::Refused;
    for keep in [4, 5, 12, 1_000] {
        let answer = session.compact(From::ordinal(ordinal(keep)?), ["x"]).await;
        fails("a summary of no more, or of what is not there", answer, refused)?;
    }
    let none: [&str; 0] = [];
    fails("no summary", session.compact(From::last(1), none).await, refused)?;
    same("the position", session.refresh().await?.position, position)?;
    session.compact(From::ordinal(ordinal(11)?), ["all ten"]).await?;
    let view = session.view(Window::last(5)).await?;
    same("the window", view.window.len(), 0)
}

async fn each_message_is_popped_once(place: Arc<dyn Place>) -> Result<(), Failed> {
    const MESSAGES: u64 = 40;
    let session = scene::session(&scene::store(&*place).await?, "s1", &[]).await?;
    session.append(0..MESSAGES).await?;
    let mut poppers = Vec::new();
    for _ in 0..4 {
        let handle = scene::store(&*place).await?.open_session("s1").await?;
        poppers.push(async move {
            let mut popped = Vec::new();
            loop {
                match handle.pop(1).await {
                    Ok(Some(last)) => popped.extend(numbers(&last.messages)?),
                    Ok(None) => return Ok(popped),
                    // Somebody else was faster, and the handle knows by now.
                    lost => drop(fails("a lost race", lost, ErrorKind::Conflict)?),
                }
            }
        });
    }
    let popped = together(poppers).await?.concat();
    same("how many were handed out", popped.len(), usize::try_from(MESSAGES)?)?;
    let distinct: BTreeSet<u64> = popped.into_iter().collect();
    same("those handed out", distinct, (0..MESSAGES).collect())?;
    same("what is left", scene::messages(&session).await?.len(), 0)?;
    same("how many messages are counted", session.refresh().await?.messages, 0)
}

async fn going_back_loses_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let session = scene::session(&scene::store(&*place).await?, "s1", &[]).await?;
    let kept = session.append(["kept"]).await?;
    let large = "x".repeat(1 << 20);
    let poison = Append::at_end().commit_id("poison".parse()?);
    let hidden = session.append_with(poison.clone(), [&large]).await?;
    session.rewind(kept.first).await?;
    let next = session.append(["next"]).await?;
    ensure!(next.first > hidden.first, "numbers go on rising");
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for handle in [&session, &reopened] {
        let texts = scene::texts(handle).await?;
        same("the texts", texts, ["kept", "next"].map(str::to_owned).to_vec())?;
        same("the ordinals", scene::ordinals(handle).await?, vec![Some(1), Some(2)])?;
        let entries = handle.entries(From::seq(hidden.first)).await?.all().await?;
        let first = entries.first().map(|entry| entry.data.len());
        same("the size of what is hidden", first, Some(large.len() + 2))?;
        // What is hidden was done all the same.
        let again = handle.append_with(poison.clone(), [&large]).await?;
        same("where a repeat was done", again.first, hidden.first)?;
    }
    let far = reopened.position().seq().ok_or_else(|| Failed::new("it has a position"))?;
    fails("going beyond the end", reopened.rewind(far).await, ErrorKind::Refused)?;
    Ok(())
}

async fn what_was_redacted_is_gone(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["one", "secret"]).await?;
    let secret = scene::messages(&session).await?.pop().map(|message| message.seq);
    let secret = secret.ok_or_else(|| Failed::new("there is no message"))?;
    let writer = scene::store(&*place).await?.open_session("s1").await?;
    let redacting = session.clone();
    let appending: Running = Box::pin(async move {
        for number in 0..20 {
            writer.append([number.to_string()]).await?;
        }
        Ok(())
    });
    let redaction: Running = Box::pin(async move {
        redacting.redact([secret], Some("on request")).await?;
        redacting.redact([secret], Some("on request")).await?;
        Ok(())
    });
    together(vec![appending, redaction]).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for handle in [&session, &reopened] {
        let seen = scene::bytes(handle).await?;
        same("how many messages", seen.len(), 22)?;
        let second = seen.get(1).map(String::as_str);
        same("what was redacted", second, Some(r#"{"redacted":true}"#))?;
        let ordinals = (1..=22).map(Some).collect();
        same("the ordinals", scene::ordinals(handle).await?, ordinals)?;
        let entries = handle.entries(From::start()).await?.all().await?;
        let left = entries.iter().filter(|entry| entry.data.as_str().contains("secret")).count();
        same("how many entries hold it", left, 0)?;
    }
    ensure!(store.verify("s1").await?.sound, "what was redacted on purpose is no damage");
    Ok(())
}

async fn what_was_forgotten(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["secret", "secret", "three"]).await?;
    let third = scene::messages(&session).await?.pop().map(|message| message.seq);
    let third = third.ok_or_else(|| Failed::new("there is no message"))?;
    session.forget(third).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for handle in [&session, &reopened] {
        let from_the_start = handle.transcript::<String>(From::start()).await;
        let read = match from_the_start {
            Ok(reading) => reading.all().await.map(drop),
            Err(error) => Err(error),
        };
        fails("reading what was forgotten", read, ErrorKind::Forgotten)?;
        let rest: Vec<String> = handle.transcript(From::seq(third)).await?.all().await?;
        same("what is left", rest, vec!["three".to_owned()])?;
        let entries = handle.entries(From::start()).await?.all().await?;
        let left = entries.iter().filter(|entry| entry.data.as_str().contains("secret")).count();
        same("how many entries hold it", left, 0)?;
    }
    session.append(["four"]).await?;
    ensure!(store.verify("s1").await?.sound, "what was forgotten on purpose is no damage");
    Ok(())
}
