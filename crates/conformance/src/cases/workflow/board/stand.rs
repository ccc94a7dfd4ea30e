//! Boards on handles of their own, and what is asked of them again and again.

use std::fmt;
use std::sync::Arc;

use sessile_engine::{NewSession, Options, Store};
use sessile_workflow::board::{
    BoardError, BoardFold, Kind, Listed, MessageBoard, MessageId, Post, Query, Refused,
};

use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::lossy::Lossy;

/// The fingerprint of a sender, or the name of a completion.
pub(super) fn fingerprint(of: u8) -> String {
    format!("{of:02x}").repeat(32)
}

/// The options of stores that have boards.
pub(super) fn options() -> Options {
    Options::default().fold(Arc::new(BoardFold))
}

/// A store that has boards, on a handle of its own, as another process would open it.
pub(super) async fn store(place: &dyn Place) -> Result<Store, Failed> {
    Ok(Store::with(place.handle().await?, options()))
}

/// The board of a new session.
pub(super) async fn begun(place: &dyn Place) -> Result<MessageBoard, Failed> {
    Ok(MessageBoard::of(&store(place).await?.create_as("s1", NewSession::new()).await?))
}

/// The board of the session on a handle of its own.
pub(super) async fn board(place: &dyn Place) -> Result<MessageBoard, Failed> {
    Ok(MessageBoard::of(&store(place).await?.open_session("s1").await?))
}

/// The board of the session behind a line that can be cut.
pub(super) async fn behind(place: &dyn Place) -> Result<(Arc<Lossy>, MessageBoard), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let session = Store::with(backend, options()).open_session("s1").await?;
    Ok((line, MessageBoard::of(&session)))
}

/// Posts a message of a kind; its id.
pub(super) async fn posted(
    board: &MessageBoard,
    kind: Kind,
    text: &str,
) -> Result<MessageId, Failed> {
    Ok(board.post(Post::new(kind, text)).await?.id)
}

/// Posts a reply; its id.
pub(super) async fn replied(
    board: &MessageBoard,
    to: &MessageId,
    text: &str,
) -> Result<MessageId, Failed> {
    Ok(board.post(Post::reply(to, Kind::Note, text)).await?.id)
}

/// All that is on the board, newest first, which two more handles tell alike.
pub(super) async fn listed(place: &dyn Place) -> Result<Listed, Failed> {
    let query = Query::all().limit(100);
    let listed = board(place).await?.list(&query).await?;
    let other = board(place).await?.list(&query).await?;
    ensure!(listed == other, "two handles tell the board differently");
    Ok(listed)
}

/// The texts on the board, oldest first.
pub(super) async fn texts(place: &dyn Place) -> Result<Vec<String>, Failed> {
    let listed = listed(place).await?.messages.into_iter().rev();
    let text = |text: &str| text.to_owned();
    Ok(listed.map(|it| it.text.as_deref().map_or_else(String::new, text)).collect())
}

/// The ids on the board, oldest first.
pub(super) async fn ids(place: &dyn Place) -> Result<Vec<MessageId>, Failed> {
    Ok(listed(place).await?.messages.into_iter().rev().map(|it| it.message.id).collect())
}

/// Fails unless an answer is refused for a reason.
pub(super) fn refused<T: fmt::Debug>(
    what: &str,
    answer: Result<T, BoardError>,
    why: &Refused,
) -> Result<(), Failed> {
    match answer {
        Err(BoardError::Refused(told)) => same(what, &told, why),
        other => Err(Failed::new(format!("{what}: expected {why:?}, got {other:?}"))),
    }
}

/// Fails unless an answer is refused for what was given.
pub(super) fn is_invalid<T: fmt::Debug>(
    what: &str,
    answer: Result<T, BoardError>,
) -> Result<(), Failed> {
    match answer {
        Err(BoardError::Refused(Refused::InvalidInput(_))) => Ok(()),
        other => Err(Failed::new(format!("{what}: expected invalid input, got {other:?}"))),
    }
}
