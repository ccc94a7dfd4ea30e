//! Copies in another store: of the same place and of another one.

use std::sync::Arc;

use sessile_core::backend::Capability;
use sessile_core::{Entry, ErrorKind, Payload, Seq};
use sessile_engine::{Append, From, NewSession, Options, Session, Store};
use sessile_memory::MemoryBackend;

use super::scene;
use crate::case::{Case, Need};
use crate::failed::{Failed, conflicts_at, fails, same};
use crate::fixture::Place;
use crate::hands::Hands;
use crate::lossy::Lossy;

pub(super) const CASES: &[Case] = &[
    Case::new("session/copy/holds_every_entry_as_it_stands", &["ORD-2", "VER-2"], |place| {
        Box::pin(holds_every_entry(place))
    }),
    Case::new("session/copy/recognises_the_commits_of_its_source", &["records/24"], |place| {
        Box::pin(recognises_commits(place))
    }),
    Case::new("session/copy/is_resumed_where_it_was_cut_short", &["OBJ-1"], |place| {
        Box::pin(is_resumed(place))
    }),
    Case::new("session/copy/erases_nothing_that_the_target_has_more", &["CONC-2"], |place| {
        Box::pin(erases_nothing(place))
    }),
    Case::new("session/copy/a_move_leaves_nothing_to_come_back", &["RET-3", "RET-8"], |place| {
        Box::pin(a_move(place))
    }),
    Case::new("session/copy/what_was_masked_is_not_brought_along", &["CONC-1"], |place| {
        Box::pin(what_was_masked(place))
    })
    .needing(&[Need::Has(Capability::Mask)]),
];

/// A session whose commits have names, with entries of several types and times that jump.
async fn filled(store: &Store, hands: &Hands) -> Result<Session, Failed> {
    let session = store.create_as("s1", NewSession::new().title("t")).await?;
    for number in 0..5_u64 {
        hands.set(1_000 + 10 * number);
        let append = Append::at_end().commit_id(format!("c{number}").parse()?);
        let texts = [scene::payload(&format!("{{\"n\" :{number}.50}}"))?, Payload::of("and")?];
        session.append_with(append, texts).await?;
        session.append_events([number]).await?;
    }
    session.set_meta([("k", "v")]).await?;
    session.compact(From::last(4), ["a summary"]).await?;
    session.pop(1).await?;
    session.touch().await?;
    Ok(session)
}

/// A space of the same place beside a store, and a place in memory; time has gone on in both.
async fn targets(place: &dyn Place, hands: &Hands, options: Options) -> Result<[Store; 2], Failed> {
    let near = scene::store_with(place, options.clone()).await?.space("near")?;
    let far = Store::with(Arc::new(MemoryBackend::new()), options);
    hands.set(9_000);
    scene::session(&near, "another", &["one"]).await?;
    scene::session(&far, "another", &["one"]).await?;
    Ok([near, far])
}

/// Every entry but the header, of which each journal has members of its own.
async fn entries(session: &Session) -> Result<Vec<Entry>, Failed> {
    let mut entries = session.entries(From::start()).await?.all().await?;
    entries.retain(|entry| entry.seq != Seq::FIRST);
    Ok(entries)
}

async fn holds_every_entry(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, options) = Hands::with_options();
    let store = scene::store_with(&*place, options.clone()).await?;
    let session = filled(&store, &hands).await?;
    let expected = entries(&session).await?;
    let back = store.space("back")?;
    for target in targets(&*place, &hands, options).await? {
        let copied = store.copy("s1", &target).await?;
        same("where it ended", copied.position, session.position())?;
        same("how many were added", copied.added, copied.commits)?;
        same("how many are added again", store.copy("s1", &target).await?.added, 0)?;
        let copy = target.open_session("s1").await?;
        same("the entries", entries(&copy).await?, expected.clone())?;
        same("when it was updated", copy.info().updated_at, session.info().updated_at)?;
        same("whether it is sound", target.verify("s1").await?.sound, true)?;
        // From there it comes back as it went.
        target.copy("s1", &back).await?;
        let returned = back.open_session("s1").await?;
        same("the entries that came back", entries(&returned).await?, expected.clone())?;
    }
    Ok(())
}

async fn recognises_commits(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, options) = Hands::with_options();
    let store = scene::store_with(&*place, options.clone()).await?;
    let session = filled(&store, &hands).await?;
    for target in targets(&*place, &hands, options).await? {
        store.copy("s1", &target).await?;
        let copy = target.open_session("s1").await?;
        for number in [0_u64, 4] {
            let append = Append::at_end().commit_id(format!("c{number}").parse()?);
            let texts = [scene::payload(&format!("{{\"n\" :{number}.50}}"))?, Payload::of("and")?];
            let first = session.append_with(append.clone(), texts.clone()).await?;
            let again = copy.append_with(append.clone(), texts).await?;
            same("what a repeat is told", (again.first, again.position, again.replayed), {
                (first.first, first.position, true)
            })?;
            let other = copy.append_with(append, ["other"]).await;
            fails("other content", other, ErrorKind::Conflict)?;
        }
    }
    Ok(())
}

async fn is_resumed(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = scene::session(&store, "s1", &["one", "two", "three"]).await?;
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let target = Store::on(backend);
    // What was sent is there, though nobody was told.
    line.lose_answers(1);
    same("how many were added", store.copy("s1", &target).await?.added, 4)?;
    line.cut(true);
    fails("out of reach", store.copy("s1", &target).await, ErrorKind::Unavailable)?;
    line.cut(false);
    session.append(["four"]).await?;
    session.append(["five"]).await?;
    same("how many were missing", store.copy("s1", &target).await?.added, 2)?;
    let copy = scene::store(&*place).await?.open_session("s1").await?;
    same("the entries", entries(&copy).await?, entries(&session).await?)
}

async fn erases_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["one", "two"]).await?;
    let target = scene::store(&*place).await?.space("near")?;
    store.copy("s1", &target).await?;
    let copy = target.open_session("s1").await?;
    copy.append(["theirs"]).await?;
    let expected = entries(&copy).await?;
    for text in [None, Some("ours")] {
        if let Some(text) = text {
            session.append([text]).await?;
        }
        fails("copying again", store.copy("s1", &target).await, ErrorKind::Conflict)?;
        fails("moving", store.move_to("s1", &target).await, ErrorKind::Conflict)?;
        same("the entries", entries(&copy).await?, expected.clone())?;
    }
    fails("onto itself", store.copy("s1", &store).await, ErrorKind::Refused)?;
    fails("what is not there", store.copy("s2", &target).await, ErrorKind::Missing)?;
    let texts = scene::texts(&session).await?;
    same("the source", texts, ["one", "two", "ours"].map(str::to_owned).to_vec())
}

async fn a_move(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, options) = Hands::with_options();
    let store = scene::store_with(&*place, options.clone()).await?;
    let session = filled(&store, &hands).await?;
    let stale = scene::store(&*place).await?.open_session("s1").await?;
    let expected = entries(&session).await?;
    let [near, far] = targets(&*place, &hands, options).await?;
    store.move_to("s1", &near).await?;
    let moved = near.open_session("s1").await?;
    same("the entries", entries(&moved).await?, expected.clone())?;
    for handle in [&session, &stale] {
        fails("a late message", handle.append(["x"]).await, ErrorKind::Deleted)?;
    }
    for store in [&store, &scene::store(&*place).await?] {
        fails("opening", store.open_session("s1").await, ErrorKind::Deleted)?;
        let new = NewSession::new();
        fails("creating", store.create_as("s1", new).await, ErrorKind::Deleted)?;
        // Nor by moving it back.
        fails("moving back", near.move_to("s1", store).await, ErrorKind::Deleted)?;
    }
    // It goes on where it is now.
    let position = moved.position();
    moved.append_with(Append::at(position), ["on"]).await?;
    near.move_to("s1", &far).await?;
    let arrived = far.open_session("s1").await?;
    same("how many entries", entries(&arrived).await?.len(), expected.len() + 1)?;
    let answer = arrived.append_with(Append::at(position), ["x"]).await;
    conflicts_at("where it was", answer, arrived.position())
}

async fn what_was_masked(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["one", "secret", "three"]).await?;
    let other = scene::store(&*place).await?;
    let secret = scene::messages(&session).await?.get(1).map(|message| message.seq);
    let secret = secret.ok_or_else(|| Failed::new("there is a second message"))?;
    other.open_session("s1").await?.redact([secret], None).await?;
    let far = Store::on(Arc::new(MemoryBackend::new()));
    store.copy("s1", &far).await?;
    let copy = far.open_session("s1").await?;
    let seen = scene::bytes(&copy).await?;
    let expected = [r#""one""#, r#"{"redacted":true}"#, r#""three""#];
    same("the messages", seen, expected.map(str::to_owned).to_vec())
}
