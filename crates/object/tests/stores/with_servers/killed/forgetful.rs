//! A server of Azure, whose death takes with it what it told in the last seconds.
//!
//! Nobody can bring that back. What stands then is the beginning of what was told, each commit
//! whole; and where somebody goes on who had been told more, it is told that commits are missing,
//! and no second history is made of it.

use sessile_core::Backend as _;
use sessile_core::backend::Span;
use sessile_core::error::{Error, ErrorKind, Outcome};
use sessile_core::id::{SessionKey, Space};
use sessile_engine::{Append, NewSession, Session};

use super::history;
use super::server::OwnServer;
use super::writers::opened;
use super::{kills, moment};
use crate::support::servers::Kind;

/// For how long is appended before a kill, at most, in milliseconds: the server writes down what
/// it has every five seconds.
const MOST: u64 = 7_000;

/// How often it is killed right after it told something, until it forgets that.
const MOST_TRIES: usize = 20;

/// A server with a session that it has written down.
async fn begun() -> OwnServer {
    let server = OwnServer::start(Kind::Azure).await;
    server.store().create_as("shared", NewSession::new()).await.unwrap();
    server.await_written("shared");
    server
}

async fn append(session: &Session, id: &str) -> Result<(), Error> {
    let append = Append::at_end().commit_id(id.parse()?);
    session.append_with(append, [id]).await.map(drop)
}

/// The commits that callers made, in their order, as somebody reads them who knows nothing.
async fn stands(server: &OwnServer) -> Result<Vec<String>, Error> {
    let key = SessionKey { space: Space::default(), id: "shared".parse()? };
    let commits = server.backend().read(&key, Span::ALL).await?;
    let stands = history::standing(commits).await;
    let stands = stands.map_err(|wrong| Error::new(ErrorKind::Corrupt, wrong))?;
    // The first has the header.
    Ok(stands.into_iter().skip(1).map(|(id, _)| id).collect())
}

/// Appends until the server is dead; answers what was told, and what was asked for last.
async fn append_until_killed(session: Session, round: u32) -> (Vec<String>, String) {
    let mut told = Vec::new();
    loop {
        let id = format!("r{round}-{}", told.len());
        match append(&session, &id).await {
            Ok(()) => told.push(id),
            Err(error) => {
                assert!(error.may_retry() || error.outcome() == Outcome::Unknown, "{error:?}");
                return (told, id);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_when_a_server_has_forgotten_is_the_beginning_of_what_was_told() {
    let mut server = begun().await;
    let (mut before, mut lost, mut kept) = (Vec::new(), 0, 0);
    for round in 0..kills() {
        let session = opened(&server.place()).await;
        let appending = tokio::spawn(append_until_killed(session, round));
        tokio::time::sleep(moment(MOST)).await;
        server.kill();
        let (told, untold) = appending.await.unwrap();
        server.start_again();
        let stands = stands(&server).await.unwrap();
        let all: Vec<String> = [&before[..], &told, &[untold]].concat();
        assert!(all.starts_with(&stands), "{stands:?} is no beginning of {all:?}");
        let of_told = stands.len().min(before.len() + told.len());
        lost += before.len() + told.len() - of_told;
        kept += of_told.saturating_sub(before.len());
        before = stands;
    }
    let verified = server.store().verify("shared").await.unwrap();
    assert!(verified.sound, "{verified:?}");
    println!("{} kills of a server that forgets: {kept} commits kept, {lost} lost", kills());
    server.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_told_more_than_a_server_has_makes_no_second_history() {
    for newcomer_is_first in [false, true] {
        let mut server = begun().await;
        let knows = server.store().open_session("shared").await.unwrap();
        let mut told: Vec<String> = Vec::new();
        for number in 0..MOST_TRIES {
            for id in [format!("a{number}"), format!("b{number}")] {
                append(&knows, &id).await.unwrap();
                told.push(id);
            }
            server.kill();
            server.start_again();
            if stands(&server).await.unwrap() != told {
                break;
            }
        }
        let left = stands(&server).await.unwrap();
        assert!(left.len() < told.len() && told.starts_with(&left), "{left:?} of {told:?}");
        if newcomer_is_first {
            append(&server.store().open_session("shared").await.unwrap(), "new").await.unwrap();
        }
        let whole = stands(&server).await.unwrap();
        match append(&knows, "old").await {
            // It stands behind what it knows of, and that is missing: everybody is told so.
            Ok(()) => {
                let missing = stands(&server).await.unwrap_err();
                assert_eq!(missing.kind(), ErrorKind::Corrupt, "{missing:?}");
                let refused = match server.store().open_session("shared").await {
                    Ok(opened) => append(&opened, "next").await.unwrap_err(),
                    Err(refused) => refused,
                };
                assert_eq!(refused.kind(), ErrorKind::Corrupt, "{refused:?}");
                assert!(!server.store().verify("shared").await.unwrap().sound);
            }
            // It found out in time, and has done nothing.
            Err(error) => {
                assert_eq!(error.outcome(), Outcome::NotApplied, "{error:?}");
                assert_eq!(stands(&server).await.unwrap(), whole);
            }
        }
        server.end();
    }
}
