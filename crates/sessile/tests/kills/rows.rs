//! What stands in the journal when a turn was killed, and what the next run gets.

use sessile::prelude::*;
use sessile::{Active, Admission, Admit, ErrorKind, Recovery, Seq, Session, Usage};

use crate::child::Child;
use crate::outside;
use crate::site::Site;
use crate::story::{self, INPUT, Point, REQUEST, SESSION, contract, request};

/// What is found after a kill: a row of the table in `docs/admission.md`.
#[derive(Debug)]
struct Row {
    /// What sending the same request again gets.
    again: Again,
    /// What another request gets.
    other: Again,
    /// What a recovery gets that says nothing of work that may have been under way.
    recovery: Recovering,
    /// Of how many actions nobody knows whether they happened.
    indeterminate: usize,
    /// How often the tool was run by then.
    runs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Again {
    Started,
    Busy,
    Replayed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovering {
    /// Nothing is there to recover.
    Nothing,
    Proceeds,
    Ambiguous,
}

const fn row(point: Point) -> Row {
    use Again::{Busy, Replayed, Started};
    use Recovering::{Ambiguous, Nothing, Proceeds};
    let (again, other, recovery, indeterminate, runs) = match point {
        Point::BeforeClaim => (Started, Started, Nothing, 0, 0),
        Point::AfterClaim => (Busy, Busy, Proceeds, 0, 0),
        Point::AfterIntent => (Busy, Busy, Ambiguous, 1, 0),
        Point::AfterTool => (Busy, Busy, Ambiguous, 1, 1),
        // Killed while it commits, the turn is where it was before, or where it is after.
        Point::AfterCompletion | Point::DuringCommit => (Busy, Busy, Ambiguous, 0, 1),
        Point::AfterCommit => (Replayed, Started, Nothing, 0, 1),
    };
    Row { again, other, recovery, indeterminate, runs }
}

/// Kills a child at a point, and follows the row.
pub(crate) async fn killed_at(site: &Site, point: Point) {
    let store = site.store().await;
    let session = store.create_as(SESSION, NewSession::new()).await.unwrap();
    session.append(["hello"]).await.unwrap();
    let test = "story::stops_as_a_child";
    let mut child = Child::start(site, test, ("SESSILE_KILLS_POINT", point.name()));
    child.reaches(point.name());
    child.kill();
    let session = site.store().await.open_session(SESSION).await.unwrap();
    let mut row = row(point);
    if point == Point::DuringCommit && session.info().active().is_none() {
        row = self::row(Point::AfterCommit);
    }
    check(&session, &row, site).await;
    finish(site, &row).await;
}

/// What is on disk, and what each next step gets that changes nothing.
async fn check(session: &Session, row: &Row, site: &Site) {
    let info = session.refresh().await.unwrap();
    let is_held = row.again == Again::Busy;
    assert_eq!(info.active().is_some(), is_held, "{row:?}");
    let open = info.active().map_or(0, |active| active.indeterminate().count());
    assert_eq!(open, row.indeterminate, "{row:?}");
    assert_eq!(outside::runs(site.outside(), REQUEST), row.runs, "{row:?}");
    // Nothing of an uncommitted turn is in the transcript.
    let messages = if row.again == Again::Replayed { 3 } else { 1 };
    assert_eq!(info.messages, messages, "{row:?}");
    if is_held {
        for id in [REQUEST, "req-2"] {
            let error = session.admit(&request(id), INPUT, &contract()).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Busy, "{row:?}");
            assert_eq!(&*error.occupant().unwrap().request, REQUEST);
        }
        let error = session.append(["rival"]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy, "{row:?}");
    }
    match (row.recovery, info.active) {
        (Recovering::Ambiguous, Some(active)) => {
            let error = recover(session, &active, Recovery::Reject).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Ambiguous, "{row:?}");
        }
        (Recovering::Nothing, None) => {
            let admit = Admit::new(&request(REQUEST), INPUT, &contract());
            let recovered = session.recover_with(Seq::FIRST, admit, Recovery::Reject).await;
            match (row.again, recovered) {
                (Again::Replayed, Ok(Admission::Replay(_))) => {}
                (Again::Started, Err(error)) => assert_eq!(error.kind(), ErrorKind::Missing),
                (_, other) => panic!("{row:?}: {other:?}"),
            }
        }
        (Recovering::Proceeds, Some(_)) => {}
        (_, active) => panic!("{row:?}: {active:?}"),
    }
}

async fn recover(
    session: &Session,
    active: &Active,
    recovery: Recovery,
) -> Result<Admission, sessile::Error> {
    session.recover(active, INPUT, &contract(), recovery, &Usage::new()).await
}

/// The next run, in this process: it ends the request, and another one after it.
async fn finish(site: &Site, row: &Row) {
    let session = site.store().await.open_session(SESSION).await.unwrap();
    let admission = match (row.again, session.refresh().await.unwrap().active) {
        (Again::Busy, Some(active)) => {
            let recovery = match row.recovery {
                Recovering::Proceeds => Recovery::Reject,
                Recovering::Ambiguous | Recovering::Nothing => Recovery::Restart,
            };
            recover(&session, &active, recovery).await.unwrap()
        }
        _ => session.admit(&request(REQUEST), INPUT, &contract()).await.unwrap(),
    };
    let is_replay = admission.replayed().is_some();
    assert_eq!(is_replay, row.again == Again::Replayed, "{row:?}");
    if let Admission::Started(mut turn) = admission {
        story::work(&mut turn, site.outside(), |_| {}).await;
        turn.commit(&story::result(REQUEST)).await.unwrap();
    }
    assert_eq!(outside::runs(site.outside(), REQUEST), 1, "the tool ran once: {row:?}");
    let done = session.admit(&request(REQUEST), INPUT, &contract()).await.unwrap();
    let done = done.replayed().cloned().unwrap();
    assert_eq!(done.decode::<String>().unwrap(), story::result(REQUEST));
    let said: Vec<serde_json::Value> =
        session.transcript(sessile::From::start()).await.unwrap().all().await.unwrap();
    let said: Vec<&str> =
        said.iter().map(|it| it.as_str().or_else(|| it["content"].as_str()).unwrap()).collect();
    assert_eq!(said, ["hello", INPUT, "receipt of req-1"], "{row:?}");
    let other = session.admit(&request("req-2"), INPUT, &contract()).await.unwrap();
    assert_ne!(row.other, Again::Replayed);
    other.started().unwrap().commit("second").await.unwrap();
    assert!(site.store().await.verify(SESSION).await.unwrap().sound);
}
