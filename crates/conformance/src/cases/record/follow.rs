//! What may follow a checkpoint, and what it was built on.

use std::sync::Arc;

use sessile_core::backend::Capability;
use sessile_core::{ErrorKind, Position};
use sessile_engine::{NewSession, Store};

use super::scene::{checkpoints, document, first, holds, moved_to, name, payload, put_past};
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::look;

pub(super) const CASES: &[Case] = &[
    Case::new("record/follow/another_kind_run_or_schema_is_refused", &["records/9"], |place| {
        Box::pin(of_another_kind(place))
    }),
    Case::new("record/follow/nothing_comes_after_the_greatest_number", &["records/10"], |place| {
        Box::pin(the_greatest_number(place))
    }),
    Case::new("record/follow/what_is_not_known_is_carried_along", &["VER-1"], |place| {
        Box::pin(is_carried_along(place))
    }),
    Case::new("record/follow/what_it_was_built_on_is_there", &["SIDE-5"], |place| {
        Box::pin(was_built_on(place))
    }),
    Case::new("record/follow/goes_with_its_session", &["RET-2"], |place| {
        Box::pin(goes_with_its_session(place))
    })
    .needing(&[Need::Has(Capability::Purge)]),
];

async fn of_another_kind(place: Arc<dyn Place>) -> Result<(), Failed> {
    let held = moved_to(&*place, 2).await?;
    let (one, other) = (checkpoints(&*place).await?, checkpoints(&*place).await?);
    let next = held.next(payload("3")?)?;
    let mut others = [next.clone(), next.clone(), next];
    let [run, kind, schema] = &mut others;
    run.run = "run-2".parse()?;
    kind.kind = "agent.plan".parse()?;
    schema.schema = 2;
    for new in others {
        for checkpoints in [&one, &other] {
            let answer = checkpoints.compare_and_swap(new.clone(), Some(2)).await;
            fails("a successor that is none", answer, ErrorKind::Refused)?;
        }
    }
    holds(&*place, &[&one, &other], &held).await
}

async fn the_greatest_number(place: Arc<dyn Place>) -> Result<(), Failed> {
    let checkpoints = checkpoints(&*place).await?;
    moved_to(&*place, 1).await?;
    same("its number", checkpoints.load(&name()?).await?.number, 1)?;
    let last = concat!(
        r#"{"format":1,"name":"job","number":18446744073709551615,"run":"run-1","#,
        r#""kind":"agent.step","schema":1,"updated_at":1,"payload":1}"#
    );
    put_past(&*place.handle().await?, last).await?;
    let held = checkpoints.load(&name()?).await?;
    same("the number", held.number, u64::MAX)?;
    fails("its successor", held.next(payload("2")?), ErrorKind::Conflict)?;
    for number in [0, u64::MAX] {
        let mut new = first("2")?;
        new.number = number;
        let answer = checkpoints.compare_and_swap(new, Some(u64::MAX)).await;
        fails("a number after the greatest", answer, ErrorKind::Conflict)?;
    }
    holds(&*place, &[&checkpoints], &held).await
}

async fn is_carried_along(place: Arc<dyn Place>) -> Result<(), Failed> {
    let held = moved_to(&*place, 0).await?;
    let backend = place.handle().await?;
    let stored = backend.get(&document()?).await?;
    let text = String::from_utf8(stored.bytes.to_vec())?;
    let later = "\"later\":{\"x\": 1.50}";
    put_past(&*backend, &text.replace("\"payload\"", &format!("{later},\"payload\""))).await?;
    let mut held = held;
    for number in 0..3 {
        let checkpoints = checkpoints(&*place).await?;
        let new = held.next(payload("1")?)?;
        held = checkpoints.compare_and_swap(new, Some(number)).await?;
    }
    let stored = place.handle().await?.get(&document()?).await?;
    let text = String::from_utf8(stored.bytes.to_vec())?;
    ensure!(text.contains(later), "what a later version added is lost");
    holds(&*place, &[], &held).await
}

async fn was_built_on(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = Store::on(place.handle().await?);
    let session = store.create_as("s1", NewSession::new()).await?;
    let checkpoints = checkpoints(&*place).await?;
    let of_session = || -> Result<_, Failed> { Ok(first("1")?.of_session("s1".parse()?)) };
    let end = session.append(["E1", "E2", "E3"]).await?.position;
    let beyond = Position::new(end.number() + 1);
    let beyond = beyond.ok_or_else(|| Failed::new("there is no greater position"))?;
    let early = checkpoints.compare_and_swap(of_session()?.built_on(beyond), None).await;
    let error = fails("a checkpoint before its entries", early, ErrorKind::Conflict)?;
    same("where the journal ends", error.actual_position(), Some(end))?;
    fails("loading it", checkpoints.load(&name()?).await, ErrorKind::Missing)?;

    let put = checkpoints.compare_and_swap(of_session()?.built_on(end), None).await?;
    holds(&*place, &[&checkpoints], &put).await?;
    let backend = place.handle().await?;
    let text = String::from_utf8(backend.get(&document()?).await?.bytes.to_vec())?;
    let text = text.replace(&format!("\"built_on\":{end}"), &format!("\"built_on\":{beyond}"));
    let revision = put_past(&*backend, &text).await?;
    let error = fails("one beyond the end", checkpoints.load(&name()?).await, ErrorKind::Corrupt)?;
    same("the revision", error.actual_revision(), Some(revision))?;
    let names = [end, beyond].map(|position| error.clause().contains(&position.to_string()));
    ensure!(names == [true, true], "it does not name both positions: {error}");
    Ok(())
}

async fn goes_with_its_session(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = Store::on(place.handle().await?);
    let session = store.create_as("s1", NewSession::new()).await?;
    let checkpoints = checkpoints(&*place).await?;
    let new = first("1")?.of_session("s1".parse()?).built_on(session.position());
    checkpoints.compare_and_swap(new, None).await?;
    store.delete("s1").await?;
    fails("of a deleted session", checkpoints.load(&name()?).await, ErrorKind::Deleted)?;
    store.purge("s1").await?;
    let left = look::refusal(&*place.handle().await?, &document()?).await;
    same("what is left of it", left, Some(ErrorKind::Missing))
}
