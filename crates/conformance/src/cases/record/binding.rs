//! Bindings of conversations to the sessions that go on with them.

use std::sync::Arc;

use sessile_core::backend::{Capability, DocKey};
use sessile_core::{ErrorKind, Space};
use sessile_engine::{NewSession, Store};
use sessile_interchange::binding::NewBinding;
use sessile_records::Bindings;

use super::scene::{is_corrupt, put_in_place};
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, only, same};
use crate::fixture::Place;
use crate::lossy::Lossy;
use crate::sample;
use crate::together::together;

const WRITERS: usize = 8;

pub(super) const CASES: &[Case] = &[
    Case::new("record/binding/again_keeps_when_it_was_first_bound", &["records/55"], |place| {
        Box::pin(again_keeps_the_first_time(place))
    }),
    Case::new("record/binding/that_was_forgotten_is_gone", &["records/56"], |place| {
        Box::pin(that_was_forgotten_is_gone(place))
    }),
    Case::new("record/binding/that_could_not_be_deleted_is_gone_here", &["records/56"], |place| {
        Box::pin(that_could_not_be_deleted(place))
    }),
    Case::new("record/binding/moves_from_what_is_expected_only", &["ID-5"], |place| {
        Box::pin(moves_from_what_is_expected(place))
    }),
    Case::new("record/binding/one_of_many_binds", &["ID-5"], |place| {
        Box::pin(one_of_many_binds(place))
    }),
    Case::new("record/binding/keys_of_several_parts_are_apart", &["ID-3"], |place| {
        Box::pin(keys_are_apart(place))
    }),
    Case::new("record/binding/what_is_not_known_is_carried_along", &["VER-1"], |place| {
        Box::pin(is_carried_along(place))
    }),
    Case::new("record/binding/to_a_purged_session_says_deleted", &["RET-2"], |place| {
        Box::pin(to_a_purged_session(place))
    })
    .needing(&[Need::Has(Capability::Purge)]),
];

async fn bindings(place: &dyn Place) -> Result<Bindings, Failed> {
    Ok(Bindings::on(place.handle().await?, Space::default()))
}

fn to(session_id: &str) -> NewBinding<'_> {
    NewBinding { session_id, harness: "claude", driver: "claude-code" }
}

fn document() -> Result<DocKey, Failed> {
    sample::document("bindings", "ctx")
}

/// The id that another process finds.
async fn found(place: &dyn Place, context: &str) -> Result<Option<String>, Failed> {
    let binding = bindings(place).await?.get(context).await?;
    Ok(binding.map(|binding| binding.session_id))
}

async fn again_keeps_the_first_time(place: Arc<dyn Place>) -> Result<(), Failed> {
    let told = r#","created_ms":5,"updated_ms":18446744073709551615}"#;
    let head = r#"{"type":"murmur.harness-session","session_id":"a","harness":"h","driver":"d""#;
    put_in_place(&*place.handle().await?, &document()?, &format!("{head}{told}")).await?;
    let mut before = "a";
    for id in ["b", "c", "c"] {
        let replaced = bindings(&*place).await?.put("ctx", &to(id)).await?;
        same("the id before it", replaced, Some(before.to_owned()))?;
        let binding = bindings(&*place).await?.get("ctx").await?;
        let binding = binding.ok_or_else(|| Failed::new("it is gone"))?;
        let times = (binding.created_at.millis(), binding.updated_at.millis());
        same("its times", times, (5, u64::MAX))?;
        same("the id", &*binding.session_id, id)?;
        before = id;
    }
    let replaced = bindings(&*place).await?.put("ctx", &to("")).await?;
    same("what an empty id replaces", replaced, None)?;
    same("what is bound", found(&*place, "ctx").await?, Some("c".to_owned()))
}

async fn that_was_forgotten_is_gone(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (bindings(&*place).await?, bindings(&*place).await?);
    one.put("ctx", &to("a")).await?;
    one.put("CTX", &to("b")).await?;
    same("what was bound", other.forget("ctx", "case").await?, Some("a".to_owned()))?;
    for bindings in [&other, &bindings(&*place).await?] {
        ensure!(bindings.get("ctx").await?.is_none(), "it is bound after it was forgotten");
        same("what is forgotten", bindings.forget("ctx", "case").await?, None)?;
    }
    same("another context", found(&*place, "CTX").await?, Some("b".to_owned()))?;
    let junk = "{\"type\":";
    let revision = put_in_place(&*place.handle().await?, &document()?, junk).await?;
    for _ in 0..2 {
        let bindings = bindings(&*place).await?;
        is_corrupt("reading", bindings.get("ctx").await, revision)?;
        is_corrupt("binding", bindings.put("ctx", &to("c")).await, revision)?;
    }
    Ok(())
}

async fn that_could_not_be_deleted(place: Arc<dyn Place>) -> Result<(), Failed> {
    bindings(&*place).await?.put("ctx", &to("a")).await?;
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let behind = Bindings::on(backend, Space::default());
    line.cut(true);
    fails("forgetting", behind.forget("ctx", "case").await, ErrorKind::Unavailable)?;
    line.cut(false);
    ensure!(behind.get("ctx").await?.is_none(), "what was forgotten here came back");
    same("elsewhere", found(&*place, "ctx").await?, Some("a".to_owned()))?;
    behind.forget("ctx", "case").await?;
    same("in the next process", found(&*place, "ctx").await?, None)
}

async fn moves_from_what_is_expected(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = Store::on(place.handle().await?);
    for id in ["run", "third"] {
        store.create_as(id, NewSession::new()).await?;
    }
    // Each binding is found by a process that comes after the one that made it.
    drop(store);
    let (planned, run, third) = ("planned".parse()?, "run".parse()?, "third".parse()?);
    let answer = bindings(&*place).await?.bind_session("m", None, &planned).await;
    fails("binding what was never stored", answer, ErrorKind::Missing)?;
    bindings(&*place).await?.bind_session("m", None, &run).await?;
    for _ in 0..2 {
        let bindings = bindings(&*place).await?;
        same("what it is bound to", bindings.resolve("m").await?, Some(run.clone()))?;
        bindings.bind_session("m", None, &run).await?;
        let answer = bindings.bind_session("m", None, &third).await;
        let error = fails("a third one", answer, ErrorKind::Conflict)?;
        ensure!(error.clause().contains("session run"), "it does not name what is bound: {error}");
    }
    bindings(&*place).await?.bind_session("m", Some(&run), &third).await?;
    same("what it is bound to", bindings(&*place).await?.resolve("m").await?, Some(third))
}

async fn one_of_many_binds(place: Arc<dyn Place>) -> Result<(), Failed> {
    let mut handles = Vec::new();
    for _ in 0..WRITERS {
        handles.push(bindings(&*place).await?);
    }
    for round in 0..20 {
        let context = format!("ctx {round}");
        let mut tasks = Vec::new();
        for (number, bindings) in handles.iter().enumerate() {
            let (bindings, context) = (bindings.clone(), context.clone());
            tasks.push(async move {
                let id = format!("session {number}");
                Ok(bindings.bind(&context, None, &to(&id)).await.map(|()| id))
            });
        }
        let answers = together(tasks).await?;
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        let won = only("those who bind where none is bound", won)??;
        for answer in lost {
            fails("a loser", answer, ErrorKind::Conflict)?;
        }
        same("what is bound", found(&*place, &context).await?, Some(won))?;
    }
    Ok(())
}

async fn keys_are_apart(place: Arc<dyn Place>) -> Result<(), Failed> {
    let parts = ["", "a", "b", "a/b", "a:b", "b/c", "b:c", "c", "a/", "a b", ".a", "A"];
    let contexts = || parts.into_iter().filter(|part| !part.is_empty());
    let of = |bindings: Bindings, record: &'static str| match record {
        "" => Ok(bindings),
        record => bindings.record(record),
    };
    for record in parts {
        let bindings = of(bindings(&*place).await?, record)?;
        for context in contexts() {
            bindings.put(context, &to(&format!("{record}|{context}"))).await?;
        }
    }
    for record in parts {
        let bindings = of(bindings(&*place).await?, record)?;
        for context in contexts() {
            let found = bindings.get(context).await?.map(|binding| binding.session_id);
            same("what is bound", found, Some(format!("{record}|{context}")))?;
        }
    }
    Ok(())
}

async fn is_carried_along(place: Arc<dyn Place>) -> Result<(), Failed> {
    let text = concat!(
        r#"{"type":"murmur.harness-session","session_id":"a","harness":"h","driver":"d","#,
        r#""created_ms":1,"updated_ms":2,"later":{"x": 1.50,"list":[2,1]}}"#
    );
    put_in_place(&*place.handle().await?, &document()?, text).await?;
    for id in ["b", "c"] {
        bindings(&*place).await?.put("ctx", &to(id)).await?;
    }
    let stored = place.handle().await?.get(&document()?).await?.bytes;
    let stored = String::from_utf8(stored.to_vec())?;
    let later = r#","later":{"x": 1.50,"list":[2,1]}}"#;
    ensure!(stored.ends_with(later), "what a later version added is lost");
    same("what is bound", found(&*place, "ctx").await?, Some("c".to_owned()))
}

async fn to_a_purged_session(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = Store::on(place.handle().await?);
    store.create_as("s1", NewSession::new()).await?;
    drop(store);
    bindings(&*place).await?.bind_session("ctx", None, &"s1".parse()?).await?;
    let store = Store::on(place.handle().await?);
    store.delete("s1").await?;
    let answer = bindings(&*place).await?.resolve("ctx").await;
    fails("to a deleted session", answer, ErrorKind::Deleted)?;
    store.purge("s1").await?;
    let answer = bindings(&*place).await?.resolve("ctx").await;
    fails("to a purged session", answer, ErrorKind::Deleted)?;
    same("what was bound", found(&*place, "ctx").await?, Some("s1".to_owned()))
}
