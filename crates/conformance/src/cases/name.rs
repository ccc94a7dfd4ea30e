//! Ids and names that are easily taken for one another.

use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_core::backend::Precondition;
use sessile_core::id::Name;
use sessile_core::{SessionId, Space};

use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new("name/ids_that_begin_alike", &["NamesAreExact", "OBJ-4", "RET-5"], |place| {
        Box::pin(ids_are_apart(place, BEGIN_ALIKE))
    }),
    Case::new("name/ids_that_differ_in_case_or_a_sign", &["NamesAreExact", "PATH-4"], |place| {
        Box::pin(ids_are_apart(place, RESEMBLE))
    }),
    Case::new("name/ids_that_systems_keep_for_themselves", &["NamesAreExact", "PATH-2"], |place| {
        Box::pin(ids_are_apart(place, RESERVED))
    }),
    Case::new("name/ids_that_a_store_might_use_itself", &["NamesAreExact", "PATH-5"], |place| {
        Box::pin(ids_are_apart(place, OURS))
    }),
    Case::new("name/ids_as_long_as_they_may_be", &["NamesAreExact", "PATH-3"], |place| {
        Box::pin(ids_as_long_as_they_may_be(place))
    }),
    Case::new("name/documents_with_any_sign", &["NamesAreExact", "PATH-2", "OBJ-10"], |place| {
        Box::pin(documents_with_any_sign(place))
    }),
    Case::new("name/documents_like_projects", &["NamesAreExact", "ID-1"], |place| {
        Box::pin(documents_are_apart(place, PROJECTS))
    }),
    Case::new(
        "name/documents_with_signs_of_addresses",
        &["NamesAreExact", "OBJ-6", "PATH-6"],
        |place| Box::pin(documents_are_apart(place, ADDRESSES)),
    ),
    Case::new(
        "name/documents_like_paths",
        &["NamesAreExact", "PATH-1", "PATH-5", "OBJ-7"],
        |place| Box::pin(documents_are_apart(place, PATHS)),
    ),
    Case::new(
        "name/documents_that_normalise_alike",
        &["NamesAreExact", "OBJ-6", "PATH-4"],
        |place| Box::pin(documents_are_apart(place, NORMALISE_ALIKE)),
    ),
    Case::new("name/documents_as_long_as_they_may_be", &["NamesAreExact", "PATH-3"], |place| {
        Box::pin(documents_as_long_as_they_may_be(place))
    }),
    Case::new("name/collections_with_any_sign", &["NamesAreExact", "OBJ-7", "PATH-5"], |place| {
        Box::pin(collections_are_apart(place))
    }),
];

const BEGIN_ALIKE: &[&str] = &["s1", "s10", "s1-x", "s1.x", "s1_x", "s", "s1.", "s11"];

const RESEMBLE: &[&str] = &[
    "chat_support_agent",
    "Chat_Support_Agent",
    "chat-support-agent",
    "chat.support.agent",
    "CHAT_SUPPORT_AGENT",
    "cHAT_SUPPORT_AGENt",
    "chat_support_agent.",
    "chat_support_agent_",
    "0x1",
    "0X1",
    "1",
    "01",
    "1.0",
];

const RESERVED: &[&str] = &[
    "CON",
    "con",
    "nul",
    "NUL",
    "COM1",
    "aux.txt",
    "AUX",
    "con.jsonl",
    "prn.",
    "lpt9",
    "-x",
    "-",
    "--",
    "_",
    "a.",
    "a..",
    "a..b",
    "x.tar.gz",
];

const OURS: &[&str] = &[
    "s1",
    "s1.jsonl",
    "s1.lock",
    "s1.tmp",
    "s1.jsonl.tmp",
    "sessions",
    "documents",
    "spaces",
    "log",
    "base",
    "catalog",
    "journal",
    "tmp",
    "lock",
    "sessile",
    "index",
    "recent",
];

const PROJECTS: &[&str] = &[
    "p/data_a",
    "p/data-a",
    "p/data.a",
    "p/data a",
    "プロジェ",
    "データ群",
    "p/data%a",
    "P/data_a",
];

const ADDRESSES: &[&str] = &[
    "my file",
    "my+file",
    "my%20file",
    "my%2520file",
    "100%",
    "a&b",
    "a#b",
    "a?b",
    "a=b",
    "a;b",
    "L%3ABC",
    "L:BC",
    "a%2Fb",
    "a/b",
    "%",
    "%%25",
    "%25",
    "~",
    "~61",
    "a~b",
    "=41",
    "emoji 😀",
];

const PATHS: &[&str] = &[
    "a", "a/b", "a/b/c", "a/", "/a", "//a", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a\\b",
    "C:\\x", "x", "x/1", "x/2", "xy/1", "x.", "x ", " x", ".x", "~/x", "%2e%2e/x", "/",
];

const NORMALISE_ALIKE: &[&str] = &[
    "ü",
    "u\u{308}",
    "Ü",
    "U\u{308}",
    "ß",
    "ss",
    "SS",
    "ſ",
    "s",
    "K",
    "\u{212a}",
    "k",
    "i",
    "ı",
    "İ",
    "I",
    "\u{fb01}",
    "fi",
    "a\u{200d}b",
    "ab",
    "\u{feff}a",
    "a",
    "A",
    "\u{fffe}",
    "\u{e000}",
];

/// More rows than any of these cases lists: their order and their pages are checked elsewhere.
const PAGE: usize = 1_000;

/// Creates a session under each id, deletes the first, and fails unless each other one is itself.
async fn ids_are_apart(place: Arc<dyn Place>, ids: &[&str]) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writers = Vec::new();
    for id in ids {
        let key = sample::key(id)?;
        look::no_session(&*backend, &key).await?;
        let mut writer = Writer::create(&backend, &key).await?;
        writer.say(id).await?;
        writers.push(writer);
    }
    if let Some(first) = writers.first_mut() {
        first.remove().await?;
    }
    for writer in writers.iter_mut().skip(1) {
        writer.say("more").await?;
    }
    let reader = place.handle().await?;
    for (number, (id, writer)) in ids.iter().zip(&writers).enumerate() {
        let texts = look::texts(&*reader, &writer.key).await?;
        same("the first text", texts.first().map(String::as_str), Some(*id))?;
        let head = reader.head(&writer.key).await?;
        same("the tip", head.tip, writer.tip)?;
        same("whether it is deleted", head.deleted, number == 0)?;
    }
    let listed = look::journals(&*reader, &Space::default(), PAGE).await?;
    let listed: BTreeSet<&str> = listed.iter().map(SessionId::as_str).collect();
    same("the ids listed", listed, ids.iter().copied().collect())
}

async fn ids_as_long_as_they_may_be(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (lower, upper) = ("x".repeat(127), "X".repeat(127));
    let ids = [
        format!("{lower}a"),
        format!("{lower}b"),
        format!("{lower}A"),
        lower.clone(),
        format!("{upper}a"),
        format!("{upper}X"),
        upper,
        format!("{lower}."),
    ];
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    ids_are_apart(place, &ids).await
}

/// Puts a document under each name, deletes the first, and fails unless each other one is itself
/// and is listed exactly.
async fn documents_are_apart(place: Arc<dyn Place>, names: &[&str]) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut put = Vec::new();
    for name in names {
        let key = sample::document("c", name)?;
        let value = sample::value(*name);
        backend.put(&key, value.clone(), Precondition::Absent).await?;
        put.push((key, value));
    }
    let reader = place.handle().await?;
    for (key, value) in &put {
        look::is_value(&reader.get(key).await?, value)?;
    }
    let (first, value) = put.remove(0);
    backend.delete(&first, value.revision).await?;
    let listed = look::documents(&*reader, &first.collection, PAGE).await?;
    let exact: BTreeSet<&str> = listed.iter().map(Name::as_str).collect();
    same("the names listed", exact, names.iter().skip(1).copied().collect())?;
    // What is listed can be opened under the listed name.
    for name in listed {
        let key = sample::document("c", name.as_str())?;
        let held = reader.get(&key).await?;
        ensure!(held.bytes == name.as_str(), "{name:?} is another document");
    }
    Ok(())
}

async fn documents_with_any_sign(place: Arc<dyn Place>) -> Result<(), Failed> {
    let signs = (1..=127_u8).map(|byte| char::from(byte).to_string());
    let inside = (1..=127_u8).map(|byte| format!("a{}b", char::from(byte)));
    let device = ["CON", "nul", "COM1", "aux.txt"].map(str::to_owned);
    let names: Vec<String> = signs.chain(inside).chain(device).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    documents_are_apart(place, &names).await
}

async fn documents_as_long_as_they_may_be(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (plain, signs) = ("x".repeat(1_023), "/".repeat(1_023));
    let wide = "日".repeat(341);
    let names = [
        format!("{plain}a"),
        format!("{plain}b"),
        plain.clone(),
        format!("{signs}a"),
        format!("{signs}b"),
        format!("{wide}a"),
        format!("{wide}b"),
        wide.clone(),
        "x".repeat(255),
        "x".repeat(256),
        format!("{}a", "x".repeat(255)),
        "日".repeat(100),
    ];
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    documents_are_apart(place, &names).await
}

async fn collections_are_apart(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let long = "x".repeat(1_023);
    let (long_a, long_b) = (format!("{long}a"), format!("{long}b"));
    let lists = [PROJECTS, ADDRESSES, PATHS, NORMALISE_ALIKE, &[&long_a, &long_b]];
    let mut names = lists.concat();
    names.sort_unstable();
    names.dedup();
    for name in &names {
        let key = sample::document(name, "n")?;
        let value = sample::value(*name);
        backend.put(&key, value, Precondition::Absent).await?;
    }
    let reader = place.handle().await?;
    for name in &names {
        let key = sample::document(name, "n")?;
        let held = reader.get(&key).await?;
        ensure!(held.bytes == *name, "the document of {name:?} is another's");
        let listed = look::documents(&*reader, &key.collection, 10).await?;
        same("the documents of one collection", listed, vec![key.name])?;
    }
    Ok(())
}
