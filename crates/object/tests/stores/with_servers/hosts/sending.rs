//! One commit id that two processes send at once.

use sessile_core::ErrorKind;
use sessile_engine::{Append, NewSession};

use crate::with_servers::child::{self, Child};
use crate::with_servers::site::{Site, messages};

const ROUNDS: usize = 25;

/// What a child tells of a commit that was in conflict.
const CONFLICT: &str = "conflict";

/// Two processes send each commit id at once, first with the same content, then each its own.
async fn one_is_done(site: Site) {
    let session = site.store().create_as("shared", NewSession::new()).await.unwrap();
    let test = "with_servers::hosts::sending::sends_as_a_child";
    let mut children = ["a", "b"].map(|name| Child::ready(&site, test, name));
    let mut expected = Vec::new();
    for round in 0..ROUNDS {
        let mut told = Vec::new();
        for _ in ["the same", "its own"] {
            children.iter_mut().for_each(Child::begin);
            told.push(children.each_mut().map(Child::told));
        }
        let [same, own] = &told[..] else { panic!("{told:?}") };
        // Where it was done: told by both, to one as done and to the other as done before.
        let parts = same.each_ref().map(|it| it.split_once(' ').unwrap());
        assert_eq!(parts[0].1, parts[1].1, "{round} {same:?}");
        let mut replayed = parts.map(|(replayed, _)| replayed);
        replayed.sort_unstable();
        assert_eq!(replayed, ["false", "true"], "{round} {same:?}");
        expected.push(format!("\"same {round}\""));
        let [(winner, done)] = own
            .iter()
            .zip(["a", "b"])
            .filter(|(told, _)| *told != CONFLICT)
            .map(|(told, name)| (name, told))
            .collect::<Vec<_>>()[..]
        else {
            panic!("{round} {own:?}")
        };
        assert!(done.starts_with("false"), "{round} {own:?}");
        expected.push(format!("\"of {winner} {round}\""));
    }
    children.into_iter().for_each(Child::ended);
    let fresh = site.store().open_session("shared").await.unwrap();
    for handle in [&session, &fresh] {
        let found = messages(handle).await;
        let found: Vec<_> = found.iter().map(|message| message.data.as_str()).collect();
        assert_eq!(found, expected, "{:?}", site.server.kind);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_commit_id_that_two_processes_send_at_once_is_done_once_on_s3() {
    one_is_done(Site::s3().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_commit_id_that_two_processes_send_at_once_is_done_once_on_azure() {
    one_is_done(Site::azure().await).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the tests above"]
async fn sends_as_a_child() {
    let (name, store) = (child::name(), Site::of_the_parent().store());
    let session = store.open_session("shared").await.unwrap();
    child::is_ready();
    for round in 0..ROUNDS {
        for (id, content) in
            [("same", format!("same {round}")), ("own", format!("of {name} {round}"))]
        {
            assert!(child::may_begin());
            let append = Append::at_end().commit_id(format!("{id}-{round}").parse().unwrap());
            match session.append_with(append, [content]).await {
                Ok(done) => {
                    let place = format!("{} {}", done.first, done.position);
                    child::tell(&format!("{} {place}", done.replayed));
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Conflict, "{error:?}");
                    child::tell(CONFLICT);
                }
            }
        }
    }
}
