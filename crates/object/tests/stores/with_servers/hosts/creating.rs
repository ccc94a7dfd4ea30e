//! Creates of one session by many hosts at once.

use std::env;

use sessile_core::ErrorKind;
use sessile_engine::{NewSession, Store};

use crate::with_servers::site::{Site, together};

const HOSTS: usize = 20;

/// How often they race; the assertions are the same for both.
fn rounds() -> usize {
    if env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1") { 200 } else { 20 }
}

async fn one_wins_and_the_others_are_told(site: Site) {
    // What a place is found fit for is found out once.
    site.store().create_as("first", NewSession::new()).await.unwrap();
    let stores: Vec<Store> = (0..HOSTS).map(|_| site.store()).collect();
    let kind = site.server.kind;
    for round in 0..rounds() {
        let id = format!("round-{round}");
        let creating = stores.iter().enumerate().map(|(host, store)| {
            let (id, store) = (id.clone(), store.clone());
            let new = NewSession::new().title(format!("of host {host}"));
            async move { store.create_as(id, new).await }
        });
        let mut won = Vec::new();
        for answer in together(creating.collect()).await {
            match answer {
                Ok(session) => won.push(session),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Exists, "{kind:?} {error:?}"),
            }
        }
        assert_eq!(won.len(), 1, "{kind:?} {id}");
        let (told, found) = (won[0].info(), site.store().open_session(&*id).await.unwrap().info());
        // The header has what its creator drew by chance.
        assert_eq!(found.header, told.header, "{kind:?} {id}");
        assert_eq!((found.title(), found.position), (told.title(), told.position));
        // It is the winner's to go on with.
        won[0].append(["first"]).await.unwrap();
    }
    site.clear().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_that_create_a_session_at_once_one_does_on_s3() {
    one_wins_and_the_others_are_told(Site::s3().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_that_create_a_session_at_once_one_does_on_azure() {
    one_wins_and_the_others_are_told(Site::azure().await).await;
}
