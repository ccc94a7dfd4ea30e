//! Spaces, of which none knows another.

use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_core::backend::{Collection, DocKey, Precondition, Span};
use sessile_core::{Backend, Space};

use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "space/one_id_is_another_session_in_each",
        &["SpacesAreApart", "records/16", "ID-4"],
        |place| Box::pin(one_id_is_another_session(place)),
    ),
    Case::new("space/deleting_in_one_leaves_the_others", &["SpacesAreApart", "OBJ-4"], |place| {
        Box::pin(deleting_in_one_leaves_the_others(place))
    }),
    Case::new("space/lists_its_own_only", &["SpacesAreApart", "ID-4"], |place| {
        Box::pin(lists_its_own_only(place))
    }),
    Case::new("space/documents_are_apart_too", &["SpacesAreApart", "ID-4"], |place| {
        Box::pin(documents_are_apart(place))
    }),
    Case::new(
        "space/parts_of_a_key_do_not_run_together",
        &["SpacesAreApart", "NamesAreExact", "ID-3"],
        |place| Box::pin(parts_do_not_run_together(place)),
    ),
    Case::new(
        "space/names_that_resemble_each_other",
        &["SpacesAreApart", "NamesAreExact", "PATH-4"],
        |place| Box::pin(names_that_resemble_each_other(place)),
    ),
    Case::new(
        "space/every_one_that_holds_anything_is_listed",
        &["SpacesAreListed", "ORD-6"],
        |place| Box::pin(every_one_is_listed(place)),
    ),
];

async fn one_id_is_another_session(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let first = sample::key_in("tenant-a", "s1")?;
    let second = sample::key_in("tenant-b", "s1")?;
    let mut writer = Writer::create(&backend, &first).await?;
    writer.say("of a").await?;
    look::no_session(&*backend, &second).await?;
    let before = look::seen(&*backend, &first).await?;
    let mut other = Writer::create(&place.handle().await?, &second).await?;
    other.say("of b").await?;
    other.say("of b too").await?;
    look::unchanged(&*backend, &first, &before).await?;
    let texts = look::texts(&*backend, &second).await?;
    same("the texts of the second", texts, vec!["of b".into(), "of b too".into()])
}

async fn deleting_in_one_leaves_the_others(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut kept = Vec::new();
    for space in ["a", "A", "a1", "a-x", "default"] {
        let key = sample::key_in(space, "s1")?;
        let mut writer = Writer::create(&backend, &key).await?;
        writer.say(space).await?;
        kept.push((look::seen(&*backend, &key).await?, writer));
    }
    let (_, mut deleted) = kept.remove(0);
    deleted.remove().await?;
    for (before, mut writer) in kept {
        look::unchanged(&*backend, &writer.key, &before).await?;
        writer.say("more").await?;
    }
    Ok(())
}

async fn lists_its_own_only(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let spaces = ["a", "b", "default"];
    for space in spaces {
        for id in ["one", "two"] {
            let key = sample::key_in(space, &format!("{id}-{space}"))?;
            Writer::create(&backend, &key).await?;
        }
    }
    for name in spaces {
        let space: Space = name.parse()?;
        let expected = BTreeSet::from(["one", "two"].map(|id| format!("{id}-{name}")));
        for listed in [
            look::journals(&*backend, &space, 100).await?,
            look::recent_ids(&*backend, &space, 100).await?,
        ] {
            let listed = listed.iter().map(ToString::to_string).collect();
            same("the sessions of a space", &listed, &expected)?;
        }
    }
    let nowhere = look::journals(&*backend, &"c".parse()?, 10).await?;
    same("the journals of a space that holds none", nowhere, Vec::new())
}

fn document(space: &str, collection: &str, name: &str) -> Result<DocKey, Failed> {
    Ok(DocKey {
        collection: Collection { space: space.parse()?, name: collection.parse()? },
        name: name.parse()?,
    })
}

async fn documents_are_apart(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let own = document("a", "c", "n")?;
    let other = document("b", "c", "n")?;
    let value = sample::value("of a");
    let absent = Precondition::Absent;
    backend.put(&own, value.clone(), absent).await?;
    let refusal = look::refusal(&*backend, &other).await;
    ensure!(refusal.is_some(), "another space's document is served");
    let listed = look::documents(&*backend, &other.collection, 10).await?;
    same("the documents of the other space", listed, Vec::new())?;
    let foreign = sample::value("of b");
    backend.put(&other, foreign.clone(), absent).await?;
    look::is_value(&backend.get(&own).await?, &value)?;
    backend.delete(&other, foreign.revision).await?;
    look::is_value(&backend.get(&own).await?, &value)
}

async fn parts_do_not_run_together(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let keys = [
        ("a", "b-c"),
        ("a-b", "c"),
        ("a.b", "c"),
        ("a", "b.c"),
        ("a_b", "c"),
        ("a", "b_c"),
        ("a", "sessions"),
        ("sessions", "a"),
    ];
    for (space, id) in keys {
        let mut writer = Writer::create(&backend, &sample::key_in(space, id)?).await?;
        writer.say(&format!("{space} {id}")).await?;
    }
    for (space, id) in keys {
        let texts = look::texts(&*backend, &sample::key_in(space, id)?).await?;
        same("the texts", texts, vec![format!("{space} {id}")])?;
    }
    let documents = [
        ("a", "b/c", "d"),
        ("a", "b", "c/d"),
        ("a", "b:c", "d"),
        ("a", "b", "c:d"),
        ("a", "b", "d"),
        ("a-b", "c", "d"),
        ("a", "b-c", "d"),
        ("a", "b", "c-d"),
    ];
    for (space, collection, name) in documents {
        let key = document(space, collection, name)?;
        let value = sample::value(format!("{space} {collection} {name}"));
        backend.put(&key, value, Precondition::Absent).await?;
    }
    for (space, collection, name) in documents {
        let held = backend.get(&document(space, collection, name)?).await?;
        ensure!(
            held.bytes == format!("{space} {collection} {name}"),
            "({space}, {collection}, {name}) is another document"
        );
    }
    Ok(())
}

async fn names_that_resemble_each_other(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let long = "t".repeat(127);
    let (long_a, long_b) = (format!("{long}a"), format!("{long}b"));
    let mut names = vec!["Tenant", "tenant", "TENANT", "con", "tenant.", "-", "_tmp", "spaces"];
    names.extend([long_a.as_str(), long_b.as_str()]);
    for name in &names {
        let mut writer = Writer::create(&backend, &sample::key_in(name, "s1")?).await?;
        writer.say(name).await?;
    }
    for name in &names {
        let key = sample::key_in(name, "s1")?;
        let texts = look::texts(&*place.handle().await?, &key).await?;
        same("the texts", texts, vec![(*name).to_owned()])?;
        let commits = look::read(&*backend, &key, Span::ALL).await?;
        same("how many commits", commits.len(), 2)?;
    }
    names.sort_unstable();
    let listed = look::spaces(&*backend, 3).await?;
    let listed: Vec<&str> = listed.iter().map(Space::as_str).collect();
    same("the spaces", listed, names)
}

async fn every_one_is_listed(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend: Arc<dyn Backend> = place.handle().await?;
    for space in ["c", "a", "e"] {
        Writer::create(&backend, &sample::key_in(space, "s1")?).await?;
    }
    // A space may hold documents and no session.
    for space in ["d", "b", "a"] {
        let key = document(space, "c", "n")?;
        backend.put(&key, sample::value("v"), Precondition::Absent).await?;
    }
    for limit in [1, 2, 5, usize::MAX] {
        let listed = look::spaces(&*place.handle().await?, limit).await?;
        let listed: Vec<&str> = listed.iter().map(Space::as_str).collect();
        same(&format!("all pages of {limit}"), listed, vec!["a", "b", "c", "d", "e"])?;
    }
    let after: Space = "bb".parse()?;
    let page = backend.spaces(Some(&after), 2).await?;
    let page: Vec<&str> = page.iter().map(Space::as_str).collect();
    same("the page after a space that is not there", page, vec!["c", "d"])
}
