//! What errors and debugging forms show.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use sessile_core::backend::Precondition;
use sessile_core::{Error, ErrorKind, Limits, Payload, Position, Seq, Space};
use sessile_engine::{
    Append, Cursor, Filter, From, NewSession, Options, Page, RawMessage, Store, Window,
};
use sessile_interchange::snapshot::Snapshot;
use sessile_records::Snapshots;

use super::scene;
use crate::case::Case;
use crate::failed::{Failed, ensure};
use crate::fixture::Place;
use crate::lossy::Lossy;
use crate::sample;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/secret/no_error_shows_what_was_stored_or_sent",
        &["SEC-3", "records/72"],
        |place| Box::pin(no_error_shows_it(place)),
    ),
    Case::new("session/secret/no_debugging_form_does", &["records/72", "SEC-3"], |place| {
        Box::pin(no_debugging_form_does(place))
    }),
];

/// Stands in everything that is stored, and must stand in nothing that is told.
const MARKER: &str = "hunter2-and-more";

/// Everything that was told.
#[derive(Default)]
struct Told {
    texts: Vec<String>,
    kinds: BTreeSet<&'static str>,
}

impl Told {
    fn value(&mut self, value: &impl Debug) {
        self.texts.push(format!("{value:?} {value:#?}"));
    }

    fn refusal<T>(&mut self, answer: Result<T, Error>) {
        // Whether it should have been refused is for other cases to say.
        if let Err(error) = answer {
            self.kinds.insert(error.kind().name());
            self.texts.push(format!("{error} {:?} {:?}", error.hint(), error.subject()));
            self.value(&error);
            self.texts.push(Failed::from(error).to_string());
        }
    }

    fn keeps_the_marker(&self) -> Result<(), Failed> {
        let slips = self.texts.iter().filter(|text| text.contains(MARKER)).count();
        ensure!(slips == 0, "{slips} of {} texts show what was stored", self.texts.len());
        Ok(())
    }
}

async fn no_error_shows_it(place: Arc<dyn Place>) -> Result<(), Failed> {
    let mut limits = Limits::default();
    (limits.entry_bytes, limits.nesting) = (600, 8);
    let store = scene::store_with(&*place, Options::default().limits(limits)).await?;
    let new = || NewSession::new().title(MARKER).host("k", MARKER).meta(MARKER, MARKER);
    let session = store.create_as("s1", new()).await?;
    let known = Append::at_end().commit_id("c".parse()?);
    session.append_with(known.clone(), [MARKER]).await?;
    let mut told = Told::default();
    told.refusal(session.append_with(known, [format!("{MARKER}!")]).await);
    told.refusal(session.append_with(Append::at(Position::START), [MARKER]).await);
    told.refusal(session.append([MARKER.repeat(100)]).await);
    let deep = format!("{}\"{MARKER}\"{}", "[".repeat(9), "]".repeat(9));
    told.refusal(session.append([scene::payload(&deep)?]).await);
    told.refusal(Payload::parse(MARKER.to_owned()));
    told.refusal(session.transcript::<u64>(From::start()).await?.all().await);
    told.refusal(store.create_as("s1", new()).await);
    told.refusal(store.open_or_create("s1", new().project(MARKER)).await);
    told.refusal(store.open_or_create("s1", NewSession::new().host("k", "other")).await);
    told.refusal(store.create_as(format!("../{MARKER}"), new()).await);
    told.refusal(store.open_session(format!("{MARKER}/")).await);
    told.refusal(store.list(Filter::all().project(format!("{MARKER}\0")), Page::of(1)).await);
    told.refusal(format!("{MARKER}.x").parse::<Cursor>());
    told.refusal(session.rewind(Seq::new(999).unwrap_or(Seq::FIRST)).await);
    told.refusal(store.open_session("nobody").await);
    let line = Lossy::to(place.handle().await?);
    let across: Arc<Lossy> = Arc::clone(&line);
    let behind = Store::on(across).open_session("s1").await?;
    line.cut(true);
    told.refusal(behind.append([MARKER]).await);
    told.refusal(behind.transcript::<RawMessage>(From::start()).await);
    let backend = place.handle().await?;
    let document = sample::document("snapshots", "damaged")?;
    let junk = format!("{{\"{MARKER}\":\"{MARKER}\"");
    backend.put(&document, sample::value(junk), Precondition::Absent).await?;
    let snapshots = Snapshots::on(backend, Space::default());
    told.refusal(snapshots.load::<Snapshot>(&"damaged".parse()?).await);
    session.close().await?;
    told.refusal(session.append([MARKER]).await);
    session.delete().await?;
    told.refusal(session.append([MARKER]).await);
    told.refusal(store.create_as("s1", new()).await);
    told.keeps_the_marker()?;
    let wanted = [
        ErrorKind::Closed,
        ErrorKind::Conflict,
        ErrorKind::Corrupt,
        ErrorKind::Deleted,
        ErrorKind::Exists,
        ErrorKind::InvalidId,
        ErrorKind::Mismatch,
        ErrorKind::Missing,
        ErrorKind::Refused,
        ErrorKind::Unavailable,
    ];
    for kind in wanted {
        ensure!(told.kinds.contains(kind.name()), "no call was refused as {}", kind.name());
    }
    Ok(())
}

async fn no_debugging_form_does(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let new = NewSession::new().title(MARKER).host("k", MARKER).identity(MARKER).tags([MARKER]);
    let mut told = Told::default();
    told.value(&new);
    let session = store.create_as("s1", new).await?;
    session.append([MARKER, MARKER]).await?;
    session.append_events([MARKER]).await?;
    session.set_meta([(MARKER, MARKER)]).await?;
    session.compact(From::last(1), [MARKER]).await?;
    told.value(&store);
    told.value(&session);
    told.value(&session.info());
    told.value(&session.receipt());
    let reading = session.transcript::<RawMessage>(From::start()).await?;
    told.value(&reading);
    told.value(&reading.all().await?);
    let reading = session.entries(From::start()).await?;
    told.value(&reading);
    told.value(&reading.all().await?);
    told.value(&session.view(Window::last(1)).await?);
    told.value(&session.pop(1).await?);
    told.value(&store.list(Filter::all(), Page::of(1)).await?);
    told.value(&store.verify("s1").await?);
    told.value(&place.handle().await?);
    told.keeps_the_marker()
}
