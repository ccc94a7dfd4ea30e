//! Files: what is exported, and what an import of it says.

use std::sync::Arc;

use sessile_core::ErrorKind;
use sessile_engine::{Imported, NewSession, Store};
use sessile_interchange::{Format, Source, parse};
use sessile_memory::MemoryBackend;

use super::scene;
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, only, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new("session/file/an_import_says_what_it_did", &["IO-1"], |place| {
        Box::pin(an_import_says_what_it_did(place))
    }),
    Case::new("session/file/a_known_one_writes_nothing", &["IO-1"], |place| {
        Box::pin(a_known_one_writes_nothing(place))
    })
    .needing(&[Need::Footprint]),
];

/// Messages that are unlike in their spelling.
const LINES: &[&str] = &[
    r#"{"role":"user","content":"Hello"}"#,
    r#"{ "role" : "assistant", "content":1.50 }"#,
    r#"{"role":"user","content":"And \ud800 on"}"#,
];

/// A session of these lines.
async fn filled(store: &Store) -> Result<(), Failed> {
    let session = store.create_as("s1", NewSession::new()).await?;
    for line in LINES {
        session.append([scene::payload(line)?]).await?;
    }
    Ok(())
}

/// A session as a file.
async fn exported(store: &Store, id: &str) -> Result<Vec<u8>, Failed> {
    Ok(store.export(id, Format::Jsonl).await?.all().await?)
}

fn source(file: &[u8]) -> Result<Source, Failed> {
    Ok(parse(Format::Jsonl, file.to_vec().into())?)
}

fn one(rows: Vec<Imported>) -> Result<Imported, Failed> {
    only("the sessions of a file", rows)
}

/// The messages of a session of a store.
async fn lines(store: &Store, id: &str) -> Result<Vec<String>, Failed> {
    scene::bytes(&store.open_session(id).await?).await
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

async fn an_import_says_what_it_did(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    filled(&store).await?;
    let file = exported(&store, "s1").await?;
    same("the file", String::from_utf8(file.clone())?, LINES.join("\n") + "\n")?;
    let near = scene::store(&*place).await?.space("near")?;
    let far = Store::on(Arc::new(MemoryBackend::new()));
    for target in [&store, &near, &far] {
        // Where it came from it is another session, for nothing says that it is the same.
        let created = one(target.import(&source(&file)?).await?)?;
        same("how many were added", (created.added, created.messages), (3, 3))?;
        let id = created.session.as_str();
        ensure!(id != "s1", "it has taken an id that is not its own");
        let again = one(target.import(&source(&file)?).await?)?;
        same("the same file", (again.session.as_str(), again.added), (id, 0))?;
        same("its messages", lines(target, id).await?, owned(LINES))?;
        same("its file", exported(target, id).await?, file.clone())?;

        let text = String::from_utf8(file.clone())?;
        let changed = source(text.replace("1.50", "1.51").as_bytes())?;
        let shorter = source(text.lines().next().unwrap_or_default().as_bytes())?;
        for other in [&shorter, &changed] {
            let answer = target.import_as(id, other).await;
            fails("a changed file under its id", answer, ErrorKind::Conflict)?;
        }
        let apart = one(target.import_as("apart", &changed).await?)?;
        same("a file of its own", (apart.session.as_str(), apart.added), ("apart", 3))?;
        fails("a file of another", target.import_as("apart", &source(&file)?).await, {
            ErrorKind::Conflict
        })?;
        same("what was there", lines(target, id).await?, owned(LINES))?;
        let grown = text.clone() + LINES.first().unwrap_or(&"");
        let grown = one(target.import(&source(grown.as_bytes())?).await?)?;
        same("a file that has grown", (grown.session.as_str(), grown.added), (id, 1))?;
        same("its messages", lines(target, id).await?.len(), LINES.len() + 1)?;
    }
    same("the session that was exported", lines(&store, "s1").await?, owned(LINES))?;
    let taken = store.import_as("s1", &source(&file)?).await;
    fails("under an id that is taken", taken, ErrorKind::Exists).map(drop)
}

async fn a_known_one_writes_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    filled(&store).await?;
    let file = exported(&store, "s1").await?;
    let id = one(store.import(&source(&file)?).await?)?.session;
    store.close().await?;
    let before = scene::footprint(&*place).await?;
    let store = scene::store(&*place).await?;
    same("how many were added", one(store.import(&source(&file)?).await?)?.added, 0)?;
    let changed = source(&file.repeat(2).to_ascii_lowercase())?;
    let answer = store.import_as(id, &changed).await;
    ensure!(answer.is_err(), "another file is taken for it");
    store.close().await?;
    scene::untouched(&*place, &before).await
}
