//! Boards of a store that writes behind.

use std::sync::Arc;

use sessile_engine::{NewSession, Store};
use sessile_workflow::board::{BoardError, Kind, MessageBoard, Observe, Post, Query, Resolve};

use super::stand::{board, fingerprint, ids, options, posted, texts};
use crate::case::Case;
use crate::failed::{Failed, ensure, only, same};
use crate::fixture::Place;
use crate::lossy::Lossy;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "workflow/board/a_keyed_post_is_uncertain_while_nothing_can_be_written",
        &["workflow/29", "workflow/30"],
        |place| Box::pin(uncertain(place)),
    ),
    Case::new(
        "workflow/board/what_waits_to_be_written_is_written_before_it_is_shown",
        &["workflow/31"],
        |place| Box::pin(written_before_it_is_shown(place)),
    ),
];

async fn uncertain(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let store = Store::with(backend, options().write_behind());
    let one = MessageBoard::of(&store.create_as("s1", NewSession::new()).await?);
    store.flush().await?;
    let keyed = || Post::new(Kind::Note, "keyed").keyed(fingerprint(1), "k");
    line.cut(true);
    let plain = posted(&one, Kind::Note, "plain").await?;
    for _ in 0..2 {
        match one.post(keyed()).await {
            Err(BoardError::Uncertain(_)) => {}
            other => {
                return Err(Failed::new(format!("it can't be known, and is told as {other:?}")));
            }
        }
    }
    match one.observe(Observe::start()).await {
        Err(BoardError::Uncertain(_) | BoardError::Store(_)) => {}
        other => return Err(Failed::new(format!("a token of what may never be: {other:?}"))),
    }
    same("what others see", ids(&*place).await?, Vec::new())?;
    line.mend();
    let told = one.post(keyed()).await?;
    same("whether it was there", told.replayed, true)?;
    let again = board(&*place).await?.post(keyed()).await?;
    same("what it is", (&again.id, again.replayed), (&told.id, true))?;
    store.flush().await?;
    same("what is there", ids(&*place).await?, vec![plain, told.id])?;
    store.close().await?;
    same("the texts", texts(&*place).await?, vec!["plain".to_owned(), "keyed".to_owned()])
}

async fn written_before_it_is_shown(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = Store::with(place.handle().await?, options().write_behind());
    let one = MessageBoard::of(&store.create_as("s1", NewSession::new()).await?);
    let start = one.observe(Observe::start()).await?.token;
    for round in 0..3 {
        let id = posted(&one, Kind::Note, &format!("text {round}")).await?;
        one.resolve(Resolve::new(&id).resolution(format!("so {round}"))).await?;
        let shown = only("messages", one.list(&Query::all().id(&id)).await?.messages)?;
        same("its text", shown.text.as_deref(), Some(format!("text {round}").as_str()))?;
        let resolution = Some(format!("so {round}"));
        same("how it was dealt with", shown.resolution.as_deref(), resolution.as_deref())?;
        let others = board(&*place).await?.list(&Query::all().id(&id)).await?;
        ensure!(others.messages == [shown], "others see something else");
    }
    let id = posted(&one, Kind::Note, "last").await?;
    let told = one.observe(Observe::since(&start)).await?;
    same("how many have changed", told.messages.len(), 4)?;
    let last = told.messages.last().map(|it| (it.message.id.clone(), it.text.as_deref()));
    same("the last", last, Some((id, Some("last"))))?;
    same("how many there are", ids(&*place).await?.len(), 4)?;
    store.close().await?;
    Ok(())
}
