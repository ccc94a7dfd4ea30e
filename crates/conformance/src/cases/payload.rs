//! What a caller stores, byte for byte.

use std::sync::Arc;

use sessile_core::backend::Span;
use sessile_core::entry::Member;
use sessile_core::{Backend, Commit, CommitId, Limits, NewEntry, Payload, UnixMillis};

use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::mint;
use crate::sample;
use crate::writer::Writer;

pub(super) mod texts;

pub(super) const CASES: &[Case] = &[
    Case::new("payload/halves_of_characters", &["PayloadsAreVerbatim", "ENC-1"], |place| {
        Box::pin(come_back(place, texts::HALVES))
    }),
    Case::new(
        "payload/line_breaks_that_are_not_newlines",
        &["PayloadsAreVerbatim", "ENC-2"],
        |place| Box::pin(come_back(place, texts::LINE_BREAKS)),
    ),
    Case::new("payload/nul_in_text_and_in_keys", &["PayloadsAreVerbatim", "ENC-3"], |place| {
        Box::pin(come_back(place, texts::NULS))
    }),
    Case::new("payload/whole_numbers_of_any_size", &["PayloadsAreVerbatim", "ENC-4"], |place| {
        Box::pin(come_back(place, texts::WHOLE_NUMBERS))
    }),
    Case::new("payload/numbers_as_they_are_spelled", &["PayloadsAreVerbatim", "ENC-5"], |place| {
        Box::pin(come_back(place, texts::SPELLINGS))
    }),
    Case::new("payload/any_double", &["PayloadsAreVerbatim", "ENC-5"], |place| {
        Box::pin(any_double(place))
    }),
    Case::new(
        "payload/doubled_keys_their_order_and_spaces",
        &["PayloadsAreVerbatim", "ENC-7"],
        |place| Box::pin(come_back(place, texts::OBJECTS)),
    ),
    Case::new(
        "payload/text_that_looks_like_a_line_of_a_journal",
        &["PayloadsAreVerbatim"],
        |place| Box::pin(come_back(place, texts::LINES)),
    ),
    Case::new("payload/deep_nesting", &["PayloadsAreVerbatim"], |place| {
        Box::pin(deep_nesting(place))
    }),
    Case::new(
        "payload/unknown_types_keep_all_their_members",
        &["PayloadsAreVerbatim", "VER-1", "VER-2", "ORD-3"],
        |place| Box::pin(unknown_types(place)),
    ),
    Case::new("payload/an_entry_without_data", &["PayloadsAreVerbatim", "VER-1"], |place| {
        Box::pin(an_entry_without_data(place))
    }),
    Case::new("payload/ids_and_times_at_their_bounds", &["PayloadsAreVerbatim"], |place| {
        Box::pin(ids_and_times_at_their_bounds(place))
    }),
    Case::new("payload/a_megabyte", &["PayloadsAreVerbatim"], |place| {
        Box::pin(large(place, 1 << 20))
    }),
    Case::new("payload/as_large_as_the_limit_allows", &["PayloadsAreVerbatim", "MEM-3"], |place| {
        Box::pin(large(place, Limits::default().entry_bytes))
    })
    .full(),
];

/// Stores payloads, each in a commit of its own and all in one, and fails unless another handle
/// serves each as it was.
async fn come_back(place: Arc<dyn Place>, payloads: &[&str]) -> Result<(), Failed> {
    let messages = payloads
        .iter()
        .map(|json| sample::entry("message", json))
        .collect::<Result<Vec<_>, _>>()?;
    are_served(&*place, messages).await
}

async fn are_served(place: &dyn Place, entries: Vec<NewEntry>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    for entry in &entries {
        let commit = sample::commit(vec![entry.clone()])?;
        serves(&mut writer, &*place.handle().await?, &commit).await?;
    }
    let commit = sample::commit(entries)?;
    serves(&mut writer, &*place.handle().await?, &commit).await
}

/// Appends a commit and fails unless another handle serves it, read from either side.
async fn serves(writer: &mut Writer, reader: &dyn Backend, commit: &Commit) -> Result<(), Failed> {
    let appended = writer.append(commit).await?;
    let from = Span::From(appended.first);
    let back = Span::Back { before: appended.tip.position, max_bytes: u64::MAX };
    for span in [from, back] {
        let stored = look::read(reader, &writer.key, span).await?;
        look::stands(&stored, commit, &appended)?;
    }
    Ok(())
}

async fn any_double(place: Arc<dyn Place>) -> Result<(), Failed> {
    let doubles = sample::scattered(5)
        .map(f64::from_bits)
        .filter(|double| double.is_finite())
        .take(20_000)
        .map(|double| format!("{double:e}"))
        .collect::<Vec<_>>();
    let whole = format!("[{}]", doubles.join(","));
    come_back(place, &[&whole]).await
}

async fn deep_nesting(place: Arc<dyn Place>) -> Result<(), Failed> {
    let depth = Limits::default().nesting;
    let arrays = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    come_back(place, &[&arrays, &objects]).await
}

async fn unknown_types(place: Arc<dyn Place>) -> Result<(), Failed> {
    let mut entries = Vec::new();
    for name in texts::TYPE_NAMES {
        let mut entry = sample::entry(name, r#"{"a":[1.0,{"b":null}]}"#)?;
        entry.must = name.len() % 2 == 0;
        entry.claim = Some(look::seq(1)?);
        for (member, json) in texts::MEMBERS {
            entry.extra.push(Member { name: (*member).into(), value: Payload::parse(*json)? });
        }
        entries.push(entry);
    }
    let mut known = sample::message("one")?;
    known.extra = entries.first().map(|entry| entry.extra.clone()).unwrap_or_default();
    entries.push(known);
    are_served(&*place, entries).await
}

async fn an_entry_without_data(place: Arc<dyn Place>) -> Result<(), Failed> {
    let mut entry = sample::message("one")?;
    entry.data = Payload::absent();
    entry.must = true;
    entry.extra.push(Member {
        name: "blob".into(),
        value: Payload::parse(r#"{"sha256":"00","bytes":1}"#)?,
    });
    are_served(&*place, vec![entry]).await
}

async fn ids_and_times_at_their_bounds(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let long = "c".repeat(128);
    for (id, at) in [(".", 0), ("-._", 1 << 53), (&*long, u64::MAX), ("A", 1)] {
        let id: CommitId = id.parse()?;
        let entry = sample::message_at(UnixMillis(at), "one")?;
        let commit = Commit::new(id, mint::token(), vec![entry], &Limits::default())?;
        serves(&mut writer, &*place.handle().await?, &commit).await?;
    }
    Ok(())
}

async fn large(place: Arc<dyn Place>, bytes: usize) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["before"]).await?;
    // The quotes belong to the payload.
    let text: String = ('a'..='z').cycle().take(bytes.saturating_sub(2)).collect();
    let commit = sample::saying(&text)?;
    serves(&mut writer, &*place.handle().await?, &commit).await?;
    writer.say("after").await?;
    let texts = look::texts(&*place.handle().await?, &writer.key).await?;
    same("how many messages", texts.len(), 3)?;
    ensure!(texts.get(1) == Some(&text), "the large message is another");
    Ok(())
}
