//! What a board keeps: from whatever state it goes on, and what has left it or was removed.

use std::sync::Arc;

use sessile_core::backend::Capability;
use sessile_engine::{NewSession, Store};
use sessile_workflow::board::{
    Bounds, Complete, Kind, MessageBoard, Observe, Post, Refused, Replace, Resolve,
};

use super::stand::{
    begun, board, fingerprint, ids, listed, options, posted, refused, replied, texts,
};
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "workflow/board/what_leaves_a_full_board_is_history_that_is_lost",
        &["workflow/27"],
        |place| Box::pin(leaves_a_full_board(place)),
    ),
    Case::new("workflow/board/goes_on_from_a_state_as_from_the_beginning", &["LOST-3"], |place| {
        Box::pin(from_a_state(place))
    }),
    Case::new(
        "workflow/board/words_that_are_redacted_are_gone_and_nothing_else",
        &["SEC-3"],
        |place| Box::pin(redacted(place)),
    )
    .needing(&[Need::Has(Capability::Mask)]),
];

async fn leaves_a_full_board(place: Arc<dyn Place>) -> Result<(), Failed> {
    let mut bounds = Bounds::default();
    bounds.messages = Some(3);
    let one = begun(&*place).await?.bounds(bounds);
    let other = board(&*place).await?.bounds(bounds);
    let keyed = || Post::new(Kind::Note, "keyed").keyed(fingerprint(1), "k");
    let first = one.post(keyed()).await?.id;
    let token = one.observe(Observe::start()).await?.token;
    let task = posted(&other, Kind::Todo, "do").await?;
    let reply = replied(&one, &task, "on it").await?;
    same("again", other.post(keyed()).await?.replayed, true)?;
    ensure!(!one.observe(Observe::since(&token)).await?.history_lost, "nothing has left yet");
    let newest = posted(&other, Kind::Note, "newest").await?;
    same("what is left", ids(&*place).await?, vec![task.clone(), reply.clone(), newest.clone()])?;
    // Who had seen the last change of what has left misses nothing.
    let seen = one.observe(Observe::since(&token)).await?;
    same("what is missed", (seen.history_lost, seen.messages.len()), (false, 3))?;
    let to_first = other.post(Post::reply(&first, Kind::Note, "late")).await;
    refused("a reply to what has left", to_first, &Refused::UnknownMessage(first))?;
    // A completion spares the task and what answers it; other limits see the same board.
    let fence = one.assignment(&task).await?.fence;
    let done = Complete::new(&task, fence.as_str(), fingerprint(2), "s2", "done");
    let done = one.complete(done).await?.id;
    same("what is left", ids(&*place).await?, vec![task.clone(), reply, done.clone()])?;
    ensure!(other.observe(Observe::since(&token)).await?.history_lost, "it is not told");
    let again = other.post(keyed()).await?;
    same("a key whose message has left", again.replayed, false)?;
    let spared = other.replace(Replace::new(&again.id, "better")).await?.id;
    same("what is left", ids(&*place).await?, vec![done, again.id, spared])
}

async fn from_a_state(place: Arc<dyn Place>) -> Result<(), Failed> {
    let handle = place.handle().await?;
    let store = Store::with(handle, options().state_every(4, 1 << 20));
    let session = store.create_as("s1", NewSession::new()).await?;
    let mut bounds = Bounds::default();
    bounds.messages = Some(6);
    let one = MessageBoard::of(&session).bounds(bounds);
    for number in 0..10_u8 {
        let post =
            Post::new(Kind::Todo, number.to_string()).keyed(fingerprint(1), number.to_string());
        let id = one.post(post).await?.id;
        session.append([format!("message {number}")]).await?;
        match number % 4 {
            0 => drop(one.resolve(Resolve::new(&id).resolution("so")).await?),
            1 => drop(one.replace(Replace::new(&id, format!("{number}!"))).await?),
            2 => {
                let fence = one.assignment(&id).await?.fence;
                let done = Complete::new(&id, fence.as_str(), fingerprint(number), "s2", "done");
                drop(one.complete(done).await?);
            }
            _ => {}
        }
        // Nothing of it stands in a state that was made for a program without boards.
        let plain = Store::on(place.handle().await?).open_session("s1").await?;
        plain.append([format!("plain {number}")]).await?;
        ensure!(
            board(&*place).await?.board().await? == one.board().await?,
            "after {number} it is another board"
        );
    }
    let expected = ["7", "8", "9", "9!"];
    let told = texts(&*place).await?;
    ensure!(told.ends_with(&expected.map(str::to_owned)), "the texts are {told:?}");
    let verification = super::stand::store(&*place).await?.verify("s1").await?;
    ensure!(verification.sound, "it is not sound: {verification:?}");
    Ok(())
}

async fn redacted(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (begun(&*place).await?, board(&*place).await?);
    let keyed = || Post::new(Kind::Todo, "secret").tags(["secret"]).keyed(fingerprint(1), "k");
    let told = one.post(keyed()).await?;
    replied(&one, &told.id, "fine").await?;
    one.resolve(Resolve::new(&told.id).resolution("secret too")).await?;
    let before = one.board().await?;
    let store = super::stand::store(&*place).await?;
    let session = store.open_session("s1").await?;
    let entries = session.entries(sessile_engine::From::start()).await?.all().await?;
    let secret = entries.iter().filter(|entry| entry.data.as_str().contains("secret"));
    session.redact(secret.map(|entry| entry.seq), None).await?;
    for reader in [&one, &other, &board(&*place).await?] {
        ensure!(reader.board().await? == before, "it is another board");
        let again = reader.post(keyed()).await?;
        same("again", (&again.id, again.replayed), (&told.id, true))?;
    }
    let found = listed(&*place).await?.messages;
    let Some(task) = found.iter().find(|it| it.message.id == told.id) else {
        return Err(Failed::new("the message itself is gone"));
    };
    ensure!(task.text.is_none() && task.tags.is_empty(), "its words are still there");
    ensure!(task.resolution.is_none(), "what was said of it is still there");
    same("the rest", texts(&*place).await?, vec![String::new(), "fine".to_owned()])
}
