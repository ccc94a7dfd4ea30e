//! Snapshots, from which exactly one run continues.

use std::sync::Arc;

use sessile_core::backend::{Capability, DocKey};
use sessile_core::{ErrorKind, Name, Revision, Space};
use sessile_engine::{NewSession, Store};
use sessile_interchange::snapshot::{Contents, Identity, Snapshot};
use sessile_records::Snapshots;

use super::scene::{is_corrupt, put_in_place};
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;

pub(super) const CASES: &[Case] = &[
    Case::new("record/snapshot/comes_back_byte_for_byte", &["records/52"], |place| {
        Box::pin(comes_back(place))
    }),
    Case::new("record/snapshot/that_is_none_is_refused_by_its_place", &["records/52"], |place| {
        Box::pin(is_refused(place))
    }),
    Case::new(
        "record/snapshot/follows_only_the_revision_that_it_names",
        &["records/52"],
        |place| Box::pin(follows_a_revision(place)),
    ),
    Case::new(
        "record/snapshot/of_an_older_version_is_saved_as_the_current_one",
        &["records/53"],
        |place| Box::pin(of_an_older_version(place)),
    ),
    Case::new(
        "record/snapshot/of_another_identity_is_used_when_that_is_accepted",
        &["records/54", "SIDE-4"],
        |place| Box::pin(of_another_identity(place)),
    ),
    Case::new("record/snapshot/goes_with_its_session", &["RET-2"], |place| {
        Box::pin(goes_with_its_session(place))
    })
    .needing(&[Need::Has(Capability::Purge)]),
];

async fn snapshots(place: &dyn Place) -> Result<Snapshots, Failed> {
    Ok(Snapshots::on(place.handle().await?, Space::default()))
}

fn name() -> Result<Name, Failed> {
    Ok("run".parse()?)
}

fn document() -> Result<DocKey, Failed> {
    sample::document("snapshots", "run")
}

fn identity(topic: &str, participants: [&str; 2]) -> Identity {
    Identity {
        gameplan: "plan \u{1f30a}".into(),
        topic: topic.into(),
        orchestrator: "chair".into(),
        participants: participants.map(Into::into).into(),
    }
}

fn begun(topic: &str) -> Result<Snapshot, Failed> {
    Ok(Snapshot::of(Contents::begun(identity(topic, ["a", "b"])))?)
}

/// Fails unless every handle has this snapshot of this revision.
async fn holds(place: &dyn Place, snapshot: &Snapshot, revision: Revision) -> Result<(), Failed> {
    for _ in 0..2 {
        let kept = snapshots(place).await?.load::<Snapshot>(&name()?).await?;
        let kept = kept.ok_or_else(|| Failed::new("it is taken for a first run"))?;
        same("the snapshot", kept.snapshot.encode(), snapshot.encode())?;
        same("its revision", kept.revision, revision)?;
    }
    Ok(())
}

async fn comes_back(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (snapshots(&*place).await?, snapshots(&*place).await?);
    for snapshots in [&one, &other] {
        let kept = snapshots.load::<Snapshot>(&name()?).await?;
        ensure!(kept.is_none(), "something is there before the first run");
    }
    let first = one.save(&name()?, &begun("tides")?, None).await?;
    holds(&*place, &begun("tides")?, first).await?;
    for snapshots in [&one, &other] {
        let kept = snapshots.load::<Snapshot>(&name()?).await?;
        same("the revision", kept.map(|kept| kept.revision), Some(first))?;
    }
    let second = other.save(&name()?, &begun("winds")?, Some(first)).await?;
    for snapshots in [&one, &other] {
        let kept = snapshots.load::<Snapshot>(&name()?).await?;
        same("the next revision", kept.map(|kept| kept.revision), Some(second))?;
    }
    holds(&*place, &begun("winds")?, second).await?;
    let stored = place.handle().await?.get(&document()?).await?.bytes;
    same("what is stored", String::from_utf8(stored.to_vec())?, begun("winds")?.encode())
}

async fn is_refused(place: Arc<dyn Place>) -> Result<(), Failed> {
    let sound = begun("tides")?.encode();
    for (from, to) in [
        ("\"compactions\": 0", "\"compactions\": -1"),
        ("\"compactions\": 0", "\"compactions\": 0, \"more\": 1"),
        ("\"turns\": []", "\"turns\": [{}]"),
        (",\n  \"compactions\": 0", ""),
    ] {
        let text = sound.replace(from, to);
        let revision = put_in_place(&*place.handle().await?, &document()?, &text).await?;
        for _ in 0..2 {
            let snapshots = snapshots(&*place).await?;
            let answer = snapshots.load::<Snapshot>(&name()?).await;
            is_corrupt("loading", answer, revision)?;
            let answer = snapshots.save(&name()?, &begun("winds")?, None).await;
            ensure!(answer.is_err(), "it was taken for absent");
        }
        let stored = place.handle().await?.get(&document()?).await?.bytes;
        ensure!(stored == text.as_bytes(), "what can't be read was changed");
        let snapshots = snapshots(&*place).await?;
        let saved = snapshots.save(&name()?, &begun("tides")?, Some(revision)).await?;
        holds(&*place, &begun("tides")?, saved).await?;
    }
    Ok(())
}

async fn follows_a_revision(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (snapshots(&*place).await?, snapshots(&*place).await?);
    let first = one.save(&name()?, &begun("1")?, None).await?;
    let second = other.save(&name()?, &begun("2")?, Some(first)).await?;
    for snapshots in [&one, &other] {
        for expected in [None, Some(first)] {
            let answer = snapshots.save(&name()?, &begun("3")?, expected).await;
            fails("a save that comes late", answer, ErrorKind::Conflict)?;
        }
        let answer = snapshots.delete(&name()?, first).await;
        fails("a deletion that comes late", answer, ErrorKind::Conflict)?;
    }
    holds(&*place, &begun("2")?, second).await?;
    one.delete(&name()?, second).await?;
    let kept = other.load::<Snapshot>(&name()?).await?;
    ensure!(kept.is_none(), "it is there after it was deleted");
    Ok(())
}

async fn of_an_older_version(place: Arc<dyn Place>) -> Result<(), Failed> {
    let current = begun("tides")?.encode();
    let old = current.replace("\"version\": 2", "\"version\": 1");
    put_in_place(&*place.handle().await?, &document()?, &old).await?;
    let loaded = snapshots(&*place).await?.load::<Snapshot>(&name()?).await?;
    let kept = loaded.ok_or_else(|| Failed::new("it is taken for a first run"))?;
    let progress = &kept.snapshot.contents().progress;
    ensure!(progress.runtime.is_none() && progress.scheduler.is_none(), "work was made up");
    let saved = snapshots(&*place).await?;
    let saved = saved.save(&name()?, &kept.snapshot, Some(kept.revision)).await?;
    holds(&*place, &begun("tides")?, saved).await?;
    let unknown = current.replace("\"version\": 2", "\"version\": 999");
    put_in_place(&*place.handle().await?, &document()?, &unknown).await?;
    let answer = snapshots(&*place).await?.load::<Snapshot>(&name()?).await;
    let error = fails("an unknown version", answer, ErrorKind::UnknownVersion)?;
    let names = ["999", "1 and 2"].map(|version| error.clause().contains(version));
    ensure!(names == [true, true], "it does not name both versions: {error}");
    Ok(())
}

async fn of_another_identity(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (snapshots(&*place).await?, snapshots(&*place).await?);
    let saved = one.save(&name()?, &begun("tides")?, None).await?;
    let winds = identity("winds", ["a", "b"]);
    for snapshots in [&one, &other] {
        let turned = identity("tides", ["b", "a"]);
        let resumed = snapshots.resume::<Snapshot>(&name()?, &turned).await?;
        ensure!(resumed.is_some(), "it is taken for a first run");
        let answer = snapshots.resume::<Snapshot>(&name()?, &winds).await;
        let error = fails("another topic", answer, ErrorKind::Mismatch)?;
        let told = ["topic", "tides", "winds"].map(|part| error.clause().contains(part));
        ensure!(told == [true; 3], "it does not name the field and both values: {error}");
    }
    holds(&*place, &begun("tides")?, saved).await?;
    let kept = other.accept::<Snapshot>(&name()?, &winds, saved).await?;
    holds(&*place, &begun("winds")?, kept.revision).await?;
    let late = one.accept::<Snapshot>(&name()?, &identity("x", ["a", "b"]), saved).await;
    fails("accepting what was not looked at", late, ErrorKind::Conflict)?;
    for snapshots in [&one, &other] {
        same("what was accepted", snapshots.accepted(&name()?).await?.len(), 1)?;
        let resumed = snapshots.resume::<Snapshot>(&name()?, &winds).await?;
        ensure!(resumed.is_some(), "it is taken for a first run");
    }
    Ok(())
}

async fn goes_with_its_session(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = Store::on(place.handle().await?);
    store.create_as("s1", NewSession::new()).await?;
    let snapshots = snapshots(&*place).await?.of_session("s1".parse()?);
    snapshots.save(&name()?, &begun("tides")?, None).await?;
    store.delete("s1").await?;
    let answer = snapshots.load::<Snapshot>(&name()?).await;
    fails("of a deleted session", answer, ErrorKind::Deleted)?;
    store.purge("s1").await?;
    let left = look::refusal(&*place.handle().await?, &document()?).await;
    same("what is left of it", left, Some(ErrorKind::Missing))
}
