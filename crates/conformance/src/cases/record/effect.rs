//! Effects that are done once, whoever asks.

use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use sessile_core::ErrorKind;
use sessile_records::{Class, Request, Retry, State};
use tokio::sync::Notify;

use super::scene::{NotExecuted, Outside, begin, effects, keyed, payload};
use crate::case::Case;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::together::together;

const WRITERS: usize = 6;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "record/effect/of_a_key_is_answered_from_what_was_stored",
        &["records/48"],
        |place| Box::pin(is_answered_from_what_was_stored(place)),
    ),
    Case::new("record/effect/of_a_key_is_done_by_one_of_many", &["records/48"], |place| {
        Box::pin(is_done_by_one_of_many(place))
    }),
    Case::new("record/effect/other_work_under_a_key_is_a_conflict", &["records/49"], |place| {
        Box::pin(other_work_is_a_conflict(place))
    }),
    Case::new("record/effect/that_was_begun_is_ambiguous_until_proved", &["records/50"], |place| {
        Box::pin(is_ambiguous_until_proved(place))
    }),
    Case::new("record/effect/that_is_cancelled_stays_started", &["records/51"], |place| {
        Box::pin(stays_started(place))
    }),
];

async fn is_answered_from_what_was_stored(place: Arc<dyn Place>) -> Result<(), Failed> {
    let outside = Outside::default();
    let class = Class::NonIdempotent;
    let done = outside.execute(&effects(&*place).await?, &keyed("first", class)?).await?;
    ensure!(!done.replayed, "the first time it is done");
    for id in ["first", "second", "third"] {
        let again = outside.execute(&effects(&*place).await?, &keyed(id, class)?).await?;
        ensure!(again.replayed, "{id}: a repeat says that it is one");
        same("the effect", (&again.effect, again.output()), (&done.effect, done.output()))?;
    }
    same("how often it was done", outside.count(), 1)
}

async fn is_done_by_one_of_many(place: Arc<dyn Place>) -> Result<(), Failed> {
    let mut handles = Vec::new();
    for _ in 0..WRITERS {
        handles.push(effects(&*place).await?);
    }
    for round in 0..6 {
        let outside = Outside::shared();
        let mut tasks = Vec::new();
        for (number, effects) in handles.iter().enumerate() {
            // Every second one knows it by its key only.
            let id = if number % 2 == 0 { 0 } else { number };
            let mut request = keyed(&format!("{round}-{id}"), Class::NonIdempotent)?;
            request = request.key(format!("order-{round}").parse()?);
            let (effects, outside) = (effects.clone(), Arc::clone(&outside));
            tasks.push(async move { Ok(outside.execute(&effects, &request).await) });
        }
        let mut owners = Vec::new();
        for answer in together(tasks).await? {
            match answer {
                Ok(executed) => owners.push(executed.effect),
                // Whoever came while it ran can't know what became of it.
                answer => _ = fails("one that came while it ran", answer, ErrorKind::Ambiguous)?,
            }
        }
        owners.dedup();
        same("how many effects were answered", owners.len(), 1)?;
        same("how often it was done", outside.count(), 1)?;
    }
    Ok(())
}

async fn other_work_is_a_conflict(place: Arc<dyn Place>) -> Result<(), Failed> {
    let outside = Outside::default();
    let class = Class::IdempotentWrite;
    let request = keyed("first", class)?;
    outside.execute(&effects(&*place).await?, &request).await?;
    let with = |kind: &str, json: &str, class| -> Result<Request, Failed> {
        let (id, input) = ("second".parse()?, payload(json)?);
        let request = Request::new(id, kind.parse()?, "bank".parse()?, &input);
        Ok(request.class(class).key("order-7".parse()?))
    };
    let same_input = r#"{"amount":5}"#;
    let others = [
        with("acme.pay", r#"{"amount":6}"#, class)?,
        with("acme.refund", same_input, class)?,
        with("acme.pay", same_input, Class::Pure)?,
    ];
    for other in others {
        let mut by_id = other.clone();
        by_id.id = request.id.clone();
        for other in [other, by_id] {
            let answer = outside.execute(&effects(&*place).await?, &other).await;
            fails("other work", answer, ErrorKind::Conflict)?;
        }
    }
    same("how often it was done", outside.count(), 1)?;
    let again = with("acme.pay", same_input, class)?;
    let again = outside.execute(&effects(&*place).await?, &again).await?;
    same("whether the same work is answered", again.replayed, true)
}

async fn is_ambiguous_until_proved(place: Arc<dyn Place>) -> Result<(), Failed> {
    let outside = Outside::default();
    let request = keyed("first", Class::NonIdempotent)?;
    begin(&effects(&*place).await?, &request).await?;
    for id in ["first", "second"] {
        let (effects, request) = (effects(&*place).await?, keyed(id, Class::NonIdempotent)?);
        let again = outside.execute_with(&effects, &request, Retry::RetrySafe, None).await;
        fails("one that must not be repeated", again, ErrorKind::Ambiguous)?;
    }
    same("how often it was done", outside.count(), 0)?;
    let begun = effects(&*place).await?.load(&request.id).await?;
    for replayed in [false, true] {
        let effects = effects(&*place).await?;
        let policy = Retry::RejectAmbiguous;
        let done = outside.execute_with(&effects, &request, policy, Some(&NotExecuted)).await?;
        same("whether it was replayed", done.replayed, replayed)?;
        let token: u64 = done.output().map_err(|_| Failed::new("it failed"))?.decode()?;
        ensure!(token > begun.number, "a later attempt has no greater token");
    }
    same("how often it was done", outside.count(), 1)
}

async fn stays_started(place: Arc<dyn Place>) -> Result<(), Failed> {
    let cancelled = effects(&*place).await?;
    let request = keyed("first", Class::NonIdempotent)?;
    let running = Notify::new();
    let handler = async |_| {
        running.notify_one();
        std::future::pending().await
    };
    {
        let policy = Retry::RejectAmbiguous;
        let executing = pin!(cancelled.execute(&request, policy, None, handler));
        let notified = pin!(running.notified());
        let is_running = matches!(select(executing, notified).await, Either::Right(_));
        ensure!(is_running, "it ended before it was cancelled");
    }
    // The next process begins after this one's end.
    drop(cancelled);
    for effects in [effects(&*place).await?, effects(&*place).await?] {
        let record = effects.load(&request.id).await?;
        same("its state", record.state, State::Started)?;
        let found = effects.find(&"bank".parse()?, &"order-7".parse()?).await?;
        same("what its key finds", found.request, request.clone())?;
    }
    let outside = Outside::default();
    let again = outside.execute(&effects(&*place).await?, &request).await;
    fails("doing it again", again, ErrorKind::Ambiguous)?;
    same("how often it was done", outside.count(), 0)
}
