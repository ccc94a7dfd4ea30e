//! Writers that append to one session whatever becomes of the server, each in its own manner.

use sessile_core::error::{Error, Outcome};
use sessile_engine::{Append, Session};

use super::history::History;
use super::server::Place;

/// How many there are.
pub(super) const WRITERS: usize = 4;

/// What a writer does where it was not told that a commit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// It sends the same again by the same handle until it is told.
    SendsAgain,
    /// The same by a handle that is opened for it, as of a process that was started again.
    OpensAgain,
    /// It finds out what became of it; what was not done it never does.
    Resolves,
}

impl Manner {
    /// That of a writer.
    pub(super) fn of(number: usize) -> Self {
        [Self::SendsAgain, Self::OpensAgain, Self::Resolves][number % 3]
    }
}

/// Appends one message after the other until the history ends.
pub(super) async fn go_on(place: Place, manner: Manner, writer: usize, history: History) {
    let mut session = opened(&place).await;
    let mut number = 0;
    while !history.has_ended() {
        let id = format!("w{writer}-{number}");
        number += 1;
        while let Err(error) = append(&session, &history, &id).await {
            match manner {
                Manner::SendsAgain => {}
                Manner::OpensAgain => session = opened(&place).await,
                Manner::Resolves => {
                    if error.outcome() == Outcome::Unknown {
                        resolve(&session, &history, &id).await;
                    } else {
                        history.never(&id);
                    }
                    break;
                }
            }
        }
    }
}

/// Opens the session as soon as there is a server.
pub(super) async fn opened(place: &Place) -> Session {
    loop {
        match place.store().open_session("shared").await {
            Ok(session) => return session,
            Err(error) => assert!(error.may_retry(), "{error}"),
        }
    }
}

/// Appends one message, and takes down what was told.
pub(super) async fn append(session: &Session, history: &History, id: &str) -> Result<(), Error> {
    history.asks(id);
    let append = Append::at_end().commit_id(id.parse()?);
    match session.append_with(append, [id]).await {
        Ok(done) => {
            history.told(id, done.first);
            Ok(())
        }
        Err(error) => {
            // Nothing else may go wrong: nobody else uses these ids, and nothing is damaged.
            let may = error.may_retry() || error.outcome() == Outcome::Unknown;
            assert!(may, "{id}: {error} {error:?}");
            if error.outcome() == Outcome::Unknown {
                history.unknown();
            }
            Err(error)
        }
    }
}

/// Finds out what became of a commit, as soon as there is a server.
async fn resolve(session: &Session, history: &History, id: &str) {
    loop {
        match session.resolve(&id.parse().unwrap()).await {
            Ok(Some(done)) => return history.told(id, done.first),
            Ok(None) => return history.never(id),
            Err(error) => {
                let may = error.may_retry() || error.outcome() == Outcome::Unknown;
                assert!(may, "{id}: {error}");
            }
        }
    }
}
