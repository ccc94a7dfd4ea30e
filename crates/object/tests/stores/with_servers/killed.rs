//! Servers that are killed at random moments and started again on what they kept, while writers go
//! on: that of S3, which kept what it told, and that of Azure, which did not.

mod server;
mod history;
mod writers;
mod forgetful;

use std::env;
use std::time::Duration;

use sessile_core::Backend as _;
use sessile_core::backend::Span;
use sessile_core::id::SessionKey;
use sessile_engine::NewSession;

use self::history::History;
use self::server::OwnServer;
use self::writers::{Manner, WRITERS};
use crate::support::servers::{Kind, chance};

/// How often the server is killed.
fn kills() -> u32 {
    let soaks = env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    if soaks { 10 } else { 5 }
}

/// A time from none to so many milliseconds, that nobody chose.
fn moment(most: u64) -> Duration {
    let drawn = u64::from_str_radix(&chance()[..8], 16).unwrap();
    Duration::from_millis(drawn % most)
}

/// What stands in the end, held against what the writers were told.
async fn look(server: &OwnServer, history: &History) -> Result<(), String> {
    let store = server.store();
    let session = store.open_session("shared").await.unwrap();
    let key = SessionKey { space: session.space().clone(), id: session.id().clone() };
    let commits = server.backend().read(&key, Span::ALL).await.unwrap();
    let stands = history::standing(commits).await?;
    history.check(&stands)?;
    let verified = store.verify("shared").await.unwrap();
    if verified.sound { Ok(()) } else { Err(format!("not sound: {verified:?}")) }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_told_by_a_server_that_is_killed_stands_once_and_in_order() {
    let mut server = OwnServer::start(Kind::S3).await;
    server.store().create_as("shared", NewSession::new()).await.unwrap();
    let history = History::default();
    let all = (0..WRITERS).map(|number| {
        let (place, history) = (server.place(), history.clone());
        tokio::spawn(writers::go_on(place, Manner::of(number), number, history))
    });
    let all: Vec<_> = all.collect();
    for _ in 0..kills() {
        tokio::time::sleep(moment(700)).await;
        server.kill();
        // Longer than the deadline of a write, sometimes: its outcome is unknown then.
        tokio::time::sleep(moment(2_500)).await;
        server.start_again();
    }
    history.ends();
    for writer in all {
        writer.await.unwrap();
    }
    look(&server, &history).await.unwrap();
    let (commits, unknown) = history.counts();
    println!("{} kills of the server: {commits} commits, {unknown} of unknown outcome", kills());
    assert!(commits > 0);
    server.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_forgets_what_it_has_told_is_noticed() {
    let mut server = OwnServer::start(Kind::S3).await;
    let session = server.store().create_as("shared", NewSession::new()).await.unwrap();
    let history = History::default();
    for number in 0..3 {
        writers::append(&session, &history, &format!("w0-{number}")).await.unwrap();
    }
    look(&server, &history).await.unwrap();
    server.kill();
    server.forget("w0-2");
    server.start_again();
    let wrong = look(&server, &history).await.unwrap_err();
    assert_eq!(wrong, "w0-2 was told and stands nowhere");
    server.end();
}
