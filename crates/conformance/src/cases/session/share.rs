//! Several handles on a place, as processes are.

use std::sync::Arc;

use sessile_core::Payload;
use sessile_engine::{Append, Filter, From, NewSession, Session};

use super::scene;
use crate::case::Case;
use crate::failed::{Failed, conflicts_at, same};
use crate::fixture::Place;
use crate::together::together;

pub(super) const CASES: &[Case] = &[
    Case::new("session/share/turns_alternate_between_processes", &["RES-1"], |place| {
        Box::pin(turns_alternate(place))
    }),
    Case::new("session/share/an_old_view_erases_nothing", &["CONC-2"], |place| {
        Box::pin(an_old_view_erases_nothing(place))
    }),
    Case::new("session/share/what_was_masked_is_noticed", &["RES-2"], |place| {
        Box::pin(what_was_masked_is_noticed(place))
    })
    .needing(super::change::MASK),
    Case::new(
        "session/share/metadata_and_messages_do_not_lose_one_another",
        &["records/25"],
        |place| Box::pin(metadata_and_messages(place)),
    ),
    Case::new("session/share/sessions_of_their_own_lose_nothing", &["CONC-4"], |place| {
        Box::pin(sessions_of_their_own(place, 25))
    }),
    Case::new("session/share/sessions_of_their_own_lose_nothing_for_long", &["CONC-4"], |place| {
        Box::pin(sessions_of_their_own(place, 200))
    })
    .full(),
    Case::new("session/share/a_third_process_lists_what_two_created", &["LOST-4"], |place| {
        Box::pin(a_third_process_lists_what_two_created(place))
    }),
];

async fn turns_alternate(place: Arc<dyn Place>) -> Result<(), Failed> {
    let one = scene::session(&scene::store(&*place).await?, "s1", &[]).await?;
    let other = scene::store(&*place).await?.open_session("s1").await?;
    let mut expected = Vec::new();
    for (turn, handle) in [&one, &other, &one, &other, &one].into_iter().enumerate() {
        same("what it sees", scene::texts(handle).await?, expected.clone())?;
        handle.append([format!("turn {turn}")]).await?;
        expected.push(format!("turn {turn}"));
    }
    // Whoever insists on where the journal was is told where it is.
    let stale = other.position();
    let done = one.append(["last"]).await?;
    let answer = other.append_with(Append::at(stale), ["x"]).await;
    conflicts_at("an append at what it saw", answer, done.position)
}

async fn an_old_view_erases_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let texts: Vec<String> = (0..10).map(|number| number.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let stays = scene::session(&scene::store(&*place).await?, "s1", &texts).await?;
    {
        let store = scene::store(&*place).await?;
        let visits = store.open_session("s1").await?;
        for number in 10..15 {
            visits.append([number.to_string()]).await?;
        }
        store.close().await?;
    }
    // It knows ten messages, and changes what it can change without naming a position.
    stays.set_title("renamed").await?;
    stays.compact(From::last(2), ["a summary"]).await?;
    stays.append(["15"]).await?;
    let expected: Vec<String> = (0..16).map(|number| number.to_string()).collect();
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    same("the texts", scene::texts(&reopened).await?, expected)?;
    same("the title", reopened.info().title().as_deref(), Some("renamed"))
}

async fn what_was_masked_is_noticed(place: Arc<dyn Place>) -> Result<(), Failed> {
    let one = scene::session(&scene::store(&*place).await?, "s1", &["one", "secret"]).await?;
    let other = scene::store(&*place).await?.open_session("s1").await?;
    let seq = scene::messages(&one).await?.pop().map(|message| message.seq);
    let seq = seq.ok_or_else(|| Failed::new("there is no message"))?;
    other.redact([seq], None).await?;
    same("how many messages", one.refresh().await?.messages, 2)?;
    let seen = scene::bytes(&one).await?;
    same("the messages", seen, vec!["\"one\"".to_owned(), r#"{"redacted":true}"#.to_owned()])
}

async fn metadata_and_messages(place: Arc<dyn Place>) -> Result<(), Failed> {
    const ROUNDS: u64 = 20;
    let session = scene::session(&scene::store(&*place).await?, "s1", &[]).await?;
    let mut handles = Vec::new();
    for _ in 0..2 {
        handles.push(scene::store(&*place).await?.open_session("s1").await?);
    }
    let write = |(writer, handle): (usize, Session)| async move {
        for round in 0..ROUNDS {
            if writer == 0 {
                handle.append([round]).await?;
            } else {
                handle.set_meta([(format!("key {round}"), round)]).await?;
            }
        }
        Ok(())
    };
    together(handles.into_iter().enumerate().map(write).collect()).await?;
    let info = session.refresh().await?;
    same("how many messages", info.messages, ROUNDS)?;
    for round in 0..ROUNDS {
        let value = info.meta.value(&format!("key {round}")).map(Payload::as_str);
        same("a value", value, Some(round.to_string().as_str()))?;
    }
    Ok(())
}

async fn sessions_of_their_own(place: Arc<dyn Place>, appends: u64) -> Result<(), Failed> {
    let mut writers = Vec::new();
    for writer in 0..8 {
        let store = scene::store(&*place).await?;
        writers.push(async move {
            let session = store.create_as(format!("s{writer}"), NewSession::new()).await?;
            for number in 0..appends {
                session.append([number]).await?;
            }
            Ok(())
        });
    }
    together(writers).await?;
    let store = scene::store(&*place).await?;
    for writer in 0..8 {
        let session = store.open_session(format!("s{writer}")).await?;
        let read: Vec<u64> = session.transcript(From::start()).await?.all().await?;
        same("the messages of one writer", read, (0..appends).collect())?;
    }
    Ok(())
}

async fn a_third_process_lists_what_two_created(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (a, b) = (scene::store(&*place).await?, scene::store(&*place).await?);
    for number in 0..5 {
        scene::session(&a, &format!("a{number}"), &["one"]).await?;
        scene::session(&b, &format!("b{number}"), &["one"]).await?;
    }
    a.close().await?;
    b.close().await?;
    let mut ids = scene::ids(&scene::store(&*place).await?, &Filter::all()).await?;
    ids.sort_unstable();
    let expected = ["a", "b"].iter().flat_map(|of| (0..5).map(move |it| format!("{of}{it}")));
    same("the ids", ids, expected.collect())
}
