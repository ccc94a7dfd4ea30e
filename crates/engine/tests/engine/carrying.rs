//! Mutations that have begun depend on their caller for nothing.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use sessile_core::Error;
use sessile_engine::{Append, From, NewSession, Session};
use tokio::task::yield_now;

use super::faults::{Fault, Faulty};

type Changing = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// A change of a session that is told apart by what is in its transcript or its title.
fn changing(session: &Session, which: usize) -> Changing {
    let session = session.clone();
    match which {
        0 => Box::pin(async move { session.append([1]).await.map(drop) }),
        1 => Box::pin(async move {
            let append = Append::at(session.position()).commit_id("one".parse()?);
            session.append_with(append, [1]).await.map(drop)
        }),
        2 => Box::pin(async move { session.set_title("1").await.map(drop) }),
        _ => Box::pin(async move { session.close().await.map(drop) }),
    }
}

/// Polls it once.
async fn poll(changing: &mut Changing) -> Poll<Result<(), Error>> {
    poll_fn(|context| Poll::Ready(changing.as_mut().poll(context))).await
}

async fn is_changed(faulty: &Arc<Faulty>) -> Result<bool, Error> {
    let session = faulty.store().open_session("a").await?;
    let messages: Vec<u8> = session.transcript(From::start()).await?.all().await?;
    let info = session.info();
    let is_closed = info.lifecycle != sessile_core::fold::Lifecycle::Active;
    Ok(messages.contains(&1) || info.title().is_some() || is_closed)
}

#[tokio::test]
async fn a_future_that_is_polled_until_it_has_begun_and_kept_holds_nobody_up() -> Result<(), Error>
{
    for which in 0..4 {
        let faulty = Faulty::new();
        let store = faulty.store();
        let session = store.create_as("a", NewSession::new()).await?;
        faulty.script([Fault::Held]);
        let mut kept = changing(&session, which);
        // The first time it only announces itself.
        assert!(poll(&mut kept).await.is_pending());
        assert!(poll(&mut kept).await.is_pending());
        faulty.is_holding().await;
        faulty.let_go();
        // Nobody polls it from here on; those who come later get their turn, and so does closing.
        session.append_events([2]).await?;
        session.set_meta([("later", 3)]).await?;
        store.close().await?;
        assert!(is_changed(&faulty).await?, "change {which}");
        kept.await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_future_that_is_polled_once_and_kept_has_not_begun_and_holds_nobody_up()
-> Result<(), Error> {
    for which in 0..4 {
        let faulty = Faulty::new();
        let store = faulty.store();
        let session = store.create_as("a", NewSession::new()).await?;
        let mut kept = changing(&session, which);
        assert!(poll(&mut kept).await.is_pending());
        let before = faulty.calls();
        session.append_events([2]).await?;
        session.set_meta([("later", 3)]).await?;
        // An addition may be taken along by whoever comes next; nothing else is done without it.
        assert!(which < 3 || !is_changed(&faulty).await?, "change {which}");
        assert_eq!(faulty.calls() - before, 2, "change {which}");
        kept.await?;
        assert!(is_changed(&faulty).await?, "change {which}");
    }
    Ok(())
}

#[tokio::test]
async fn a_future_that_is_dropped_at_any_await_was_carried_through_if_it_had_begun()
-> Result<(), Error> {
    for which in 0..4 {
        for polls in 0..6 {
            let faulty = Faulty::new();
            let session = faulty.store().create_as("a", NewSession::new()).await?;
            faulty.script([Fault::Held]);
            let mut changing = changing(&session, which);
            for number in 0..polls {
                if number == 2 {
                    faulty.is_holding().await;
                    faulty.let_go();
                }
                if poll(&mut changing).await.is_ready() {
                    break;
                }
                yield_now().await;
            }
            drop(changing);
            // One that nobody has let go is let go now; one that had not begun never does.
            faulty.let_go();
            session.append_events([2]).await?;
            // The first time it is polled it only announces itself.
            assert_eq!(is_changed(&faulty).await?, polls > 1, "change {which}, polls {polls}");
        }
    }
    Ok(())
}
