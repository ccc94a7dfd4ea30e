//! Reading, which writes nothing.

use std::sync::Arc;

use sessile_core::backend::{Precondition, Span};
use sessile_core::{Backend, Position, Space};

use crate::case::{Case, Need};
use crate::failed::{Failed, ensure};
use crate::fixture::{Footprint, Place};
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new("quiet/reading_writes_nothing", &["ReadsWriteNothing", "RET-5"], |place| {
        Box::pin(reading_writes_nothing(place))
    })
    .needing(&[Need::Footprint]),
    Case::new(
        "quiet/looking_for_what_is_not_there_creates_nothing",
        &["ReadsWriteNothing", "MissingIsMissing", "records/1"],
        |place| Box::pin(looking_for_nothing_creates_nothing(place)),
    )
    .needing(&[Need::Footprint]),
    Case::new("quiet/an_open_handle_reads_as_quietly", &["ReadsWriteNothing"], |place| {
        Box::pin(an_open_handle_reads_as_quietly(place))
    })
    .needing(&[Need::Footprint]),
];

async fn footprint(place: &dyn Place) -> Result<Footprint, Failed> {
    let footprint = place.footprint().await?;
    footprint.ok_or_else(|| Failed::new("the fixture tells its footprint only now and then"))
}

async fn is_untouched(place: &dyn Place, before: &Footprint) -> Result<(), Failed> {
    let changes = before.changes(&footprint(place).await?);
    ensure!(changes.is_empty(), "reading wrote: {changes}");
    Ok(())
}

/// Fills a place with one of everything.
async fn fill(backend: &Arc<dyn Backend>) -> Result<(), Failed> {
    Writer::saying(backend, "s1", &["one", "two"]).await?;
    let mut deleted = Writer::saying(backend, "s2", &["gone"]).await?;
    deleted.remove().await?;
    Writer::create(backend, &sample::key_in("other", "s1")?).await?;
    let document = sample::document("c", "n")?;
    let absent = Precondition::Absent;
    backend.put(&document, sample::value("value"), absent).await?;
    Ok(())
}

/// Calls every method that reads, on what is there and on what is not, whatever it answers.
async fn read_everything(backend: &dyn Backend) -> Result<(), Failed> {
    for id in ["s1", "s2", "s3"] {
        for space in ["default", "other", "nowhere"] {
            let key = sample::key_in(space, id)?;
            let back =
                Span::Back { before: Position::new(2).unwrap_or(Position::START), max_bytes: 1 };
            for span in [Span::ALL, Span::From(look::seq(1)?), back] {
                let _any = look::read(backend, &key, span).await;
            }
            let _any = backend.head(&key).await;
            let _any = backend.set_aside(&key).await;
        }
    }
    for space in ["default", "other", "nowhere"] {
        let space: Space = space.parse()?;
        look::journals(backend, &space, 1).await?;
        look::recent(backend, &space, 1).await?;
    }
    look::spaces(backend, 1).await?;
    for name in ["c", "d"] {
        look::documents(backend, &sample::collection(name)?, 1).await?;
        for document in ["n", "m"] {
            let _any = backend.get(&sample::document(name, document)?).await;
        }
    }
    Ok(())
}

async fn reading_writes_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    fill(&backend).await?;
    // What a writer may do late it has done when it is closed.
    backend.close().await?;
    drop(backend);
    let before = footprint(&*place).await?;
    let reader = place.handle().await?;
    read_everything(&*reader).await?;
    is_untouched(&*place, &before).await?;
    reader.close().await?;
    drop(reader);
    is_untouched(&*place, &before).await
}

async fn looking_for_nothing_creates_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    // Opening a place for the first time may mark it as one.
    let backend = place.handle().await?;
    let before = footprint(&*place).await?;
    read_everything(&*backend).await?;
    backend.close().await?;
    drop(backend);
    is_untouched(&*place, &before).await
}

async fn an_open_handle_reads_as_quietly(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    fill(&backend).await?;
    backend.close().await?;
    let before = footprint(&*place).await?;
    // It opens anew what it needs; that too is only for reading.
    read_everything(&*backend).await?;
    is_untouched(&*place, &before).await
}
