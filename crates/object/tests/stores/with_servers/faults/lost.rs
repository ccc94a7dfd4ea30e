//! Writes whose answer is lost, and writes that never arrive, while the place answers later: done
//! once, and answered as done.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use sessile_core::{ErrorKind, SessionId};
use sessile_engine::{Append, From, NewSession, Store};

use super::deeds::{DEEDS, Deed};
use super::stage::{Stage, key_of, on_each};
use super::words;
use crate::support::proxy::{Fault, Loss, Rule};
use crate::support::servers::Kind;

/// How many deeds are done at once: most of the time of a fault is a wait.
const TOGETHER: usize = 24;

pub(super) const LOSSES: [Loss; 7] = [
    Loss::Reset,
    Loss::Hang,
    Loss::Status(500),
    Loss::Status(503),
    Loss::Status(429),
    Loss::Close,
    Loss::Status(409),
];

/// A deed, one of its writes, and what happens to that how often.
type Course = (Deed, usize, Fault, usize);

fn courses(kind: Kind, fault: impl Fn(Loss) -> Fault) -> Vec<Course> {
    // What the client makes of a loss on Azure is the same but for conflicts.
    let losses = if kind == Kind::S3 { &LOSSES[..] } else { &LOSSES[5..] };
    let mut courses = Vec::new();
    for deed in DEEDS {
        for place in 0..deed.writes() {
            courses.extend(losses.iter().map(|loss| (deed, place, fault(*loss), 1)));
        }
    }
    courses
}

/// Does each deed once, on one handle, and sees that it is answered as done and was done once.
async fn are_done_once(stage: &Stage, courses: Vec<Course>) {
    let through = &stage.through();
    let done = stream::iter(courses).map(|course| async move {
        let (deed, place, fault, times) = course;
        let planned = deed.plan(stage).await;
        let rule = Rule::on("PUT", &planned.part, fault).after(place).times(times);
        stage.proxy.rule(rule);
        let answer = planned.carry_out(through).await;
        let kind = stage.kind;
        answer.unwrap_or_else(|error| panic!("{kind:?} {course:?}: {error:?}"));
        assert!(planned.is_done(stage).await, "{kind:?} {course:?}");
        let writes = stage.proxy.count("PUT", &planned.part);
        let again = if matches!(fault, Fault::Unseen(_)) { times } else { 0 };
        assert!(writes >= deed.writes() + again, "{kind:?} {course:?}: {writes}");
    });
    done.buffer_unordered(TOGETHER).collect::<()>().await;
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_answered_as_done_and_is_done_once() {
    on_each(async |stage| are_done_once(&stage, courses(stage.kind, Fault::Unanswered)).await)
        .await;
}

#[tokio::test]
async fn a_write_that_never_arrives_is_sent_again_and_is_done_once() {
    on_each(async |stage| are_done_once(&stage, courses(stage.kind, Fault::Unseen)).await).await;
}

/// Lets the next write of a session meet a fault.
fn next_write(stage: &Stage, id: &SessionId, fault: Fault) {
    stage.proxy.mend();
    stage.proxy.rule(Rule::on("PUT", id.as_str(), fault));
}

#[tokio::test]
async fn each_call_on_a_session_is_done_once_although_each_answer_is_lost() {
    on_each(async |stage| {
        let stage = &stage;
        let losses = if stage.kind == Kind::S3 { &LOSSES[3..] } else { &LOSSES[5..] };
        let faults = losses.iter().flat_map(|it| [Fault::Unanswered(*it), Fault::Unseen(*it)]);
        let done = stream::iter(faults).map(|fault| async move {
            let stage = stage.another().await;
            let course = format!("{:?} {fault:?}", stage.kind);
            let (id, store) = (words::key(&stage.space).id, Store::on(Arc::new(stage.through())));
            let store = store.space(stage.space.as_str()).unwrap();
            next_write(&stage, &id, fault);
            let session = store.create_as(id.clone(), NewSession::new()).await.unwrap();
            next_write(&stage, &id, fault);
            let one = session.append(["one"]).await.unwrap();
            next_write(&stage, &id, fault);
            let turn = || Append::at(one.position).commit_id("turn-2".parse().unwrap());
            let two = session.append_with(turn(), ["two"]).await.unwrap();
            assert!(!one.replayed && !two.replayed, "{course}");
            let again = session.append_with(turn(), ["two"]).await.unwrap();
            assert_eq!((again.position, again.replayed), (two.position, true), "{course}");
            next_write(&stage, &id, fault);
            session.redact([one.first], None).await.unwrap();
            assert_eq!(stage.tokens(&key_of(&session)).await.len(), 4, "{course}");
            let fresh = Store::on(Arc::new(stage.past())).space(stage.space.as_str()).unwrap();
            let seen = fresh.open_session(id.clone()).await.unwrap();
            let entries = seen.entries(From::start()).await.unwrap().all().await.unwrap();
            let data: Vec<_> = entries.iter().map(|entry| entry.data.as_str()).collect();
            assert_eq!(data[1..3], [r#"{"redacted":true}"#, r#""two""#], "{course}");
            next_write(&stage, &id, fault);
            session.delete().await.unwrap();
            let error = fresh.open_session(id).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Deleted, "{course}");
            assert_eq!(stage.tokens(&key_of(&session)).await.len(), 5, "{course}");
        });
        done.buffer_unordered(TOGETHER).collect::<()>().await;
    })
    .await;
}

#[tokio::test]
async fn a_place_that_asks_for_fewer_requests_for_a_while_is_served_once() {
    on_each(async |stage| {
        let mut throttled = Vec::new();
        for deed in DEEDS {
            for status in [429, 503] {
                throttled.push((deed, 0, Fault::Unseen(Loss::Status(status)), 3));
            }
        }
        are_done_once(&stage, throttled).await;
    })
    .await;
}

#[tokio::test]
async fn reads_and_lists_that_are_throttled_are_asked_for_again() {
    on_each(async |stage| {
        for status in [429, 503] {
            let through = stage.through();
            for deed in [Deed::Append, Deed::Swap, Deed::Mask] {
                let planned = deed.plan(&stage).await;
                let fault = Fault::Unseen(Loss::Status(status));
                stage.proxy.rule(Rule::on("GET", &planned.part, fault).times(3));
                planned.carry_out(&through).await.unwrap();
                assert!(planned.is_done(&stage).await, "{:?} {deed:?} {status}", stage.kind);
            }
        }
    })
    .await;
}
