//! The tables, and who contends in each.

mod create;
mod device;
mod find_end;
mod hop;
mod journal;
mod messages;
mod report;
mod rotation;
mod visit;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use create::{Create, Pad, Publish};
use device::Device;
use find_end::{FindEnd, Pages, Scan};
use hop::{Hop, Sessions};
use journal::{Growth, Journal, Look, Steps};
use messages::Messages;
use rotation::{Entrant, Plan, rotate};
use visit::{Manners, Visit};

/// What all contenders share.
pub(crate) struct Ground {
    pub(crate) directory: PathBuf,
    pub(crate) messages: Arc<Messages>,
    pub(crate) device: Device,
}

pub(crate) fn run(full: bool) -> io::Result<()> {
    let parent = std::env::var_os("SESSILE_BENCH_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    let directory = tempfile::tempdir_in(parent)?;
    let ground = Ground {
        directory: directory.path().to_owned(),
        messages: Arc::new(Messages::seeded(2_000)?),
        device: Device::under(directory.path())?,
    };
    report::heading(&ground);
    let table = |title: &str, turns: usize, operations: usize, entrants: &[Entrant]| {
        let plan = if full {
            Plan { repetitions: 8, turns, operations }
        } else {
            Plan { repetitions: 1, turns: 1, operations: operations.min(5) }
        };
        rotate(plan, &ground, entrants).map(|rows| report::table(title, plan, &rows))
    };
    table("Durable append to an open journal", 10, 200, &appends())?;
    table("The same, awaited by a task", 10, 200, &awaited())?;
    table("160 appends: 16 tasks, each 10 in turn to a journal of its own", 4, 5, &concurrent())?;
    table("Create a journal", 4, 50, &creations())?;
    table("Open a journal, append once, close it", 4, 50, &visits())?;
    table("Open a journal and find the end of its text", 4, 50, &openings())
}

fn appends() -> [Entrant; 10] {
    use Growth::{Allocated, Exact, Padded, Reserved, Sparse, Whole};
    use Look::{Masked, Nothing, WithTimes};
    use Steps::{Ladder, Of};
    let entrant = |name, growth, look| {
        Entrant::new(name, move |ground, home| {
            Journal::create(ground, &home.join("journal"), growth, look)
        })
    };
    [
        entrant("growing with each append", Exact, Nothing),
        entrant("LF padding, ladder", Padded(Ladder), Nothing),
        entrant("LF padding, steps of 64 KiB", Padded(Of(64 << 10)), Nothing),
        entrant("LF padding, steps of 1 MiB", Padded(Of(1 << 20)), Nothing),
        entrant("sparse, ladder", Sparse(Ladder), Nothing),
        entrant("`fallocate`, ladder", Allocated(Ladder), Nothing),
        entrant("`fallocate` that keeps the size, ladder", Reserved(Ladder), Nothing),
        entrant("zeroed as a whole beforehand", Whole, Nothing),
        entrant("LF padding, ladder; `File::metadata` first", Padded(Ladder), WithTimes),
        entrant("LF padding, ladder; masked `statx` first", Padded(Ladder), Masked),
    ]
}

fn padded(ground: &Ground, path: &Path) -> io::Result<Journal> {
    Journal::create(ground, path, Growth::Padded(Steps::Ladder), Look::Nothing)
}

fn awaited() -> [Entrant; 3] {
    let entrant = |name, hop: fn() -> io::Result<Hop>| {
        Entrant::new(name, move |ground, home| {
            Sessions::new(vec![padded(ground, &home.join("journal"))?], 1, hop()?)
        })
    };
    [
        Entrant::new("no hop: the caller blocks", |ground, home| {
            padded(ground, &home.join("journal"))
        }),
        entrant("`spawn_blocking`", || Ok(Hop::Runtime)),
        entrant("a thread of our own", || Hop::own(1)),
    ]
}

fn concurrent() -> [Entrant; 4] {
    let entrant = |name, hop: fn() -> io::Result<Hop>| {
        Entrant::new(name, move |ground, home| {
            let journals = (0..16).map(|number| padded(ground, &home.join(number.to_string())));
            Sessions::new(journals.collect::<io::Result<_>>()?, 10, hop()?)
        })
    };
    [
        entrant("`spawn_blocking`", || Ok(Hop::Runtime)),
        entrant("1 thread of our own", || Hop::own(1)),
        entrant("4 threads of our own", || Hop::own(4)),
        entrant("16 threads of our own", || Hop::own(16)),
    ]
}

fn creations() -> [Entrant; 6] {
    use Pad::{AtCreation, AtFirstAppend, Never};
    use Publish::{Link, Rename};
    let entrant = |name, publish, pad, append| {
        Entrant::new(name, move |ground, home| Create::new(ground, home, publish, pad, append))
    };
    [
        entrant("link", Link, Never, false),
        entrant("rename", Rename, Never, false),
        entrant("link, padded", Link, AtCreation, false),
        entrant("rename, padded", Rename, AtCreation, false),
        entrant("link, then an append that pads", Link, AtFirstAppend, true),
        entrant("link, padded, then an append", Link, AtCreation, true),
    ]
}

fn visits() -> [Entrant; 3] {
    let entrant =
        |name, manners| Entrant::new(name, move |ground, home| Visit::new(ground, home, manners));
    [
        entrant("growing with each append", Manners::Exact),
        entrant("padded when full, never trimmed", Manners::Leave),
        entrant("padded each time, trimmed each time", Manners::Trim),
    ]
}

fn openings() -> [Entrant; 7] {
    use Pages::{Asked, Cold, Warm};
    use Scan::{Bytes, Rows};
    let entrant = |name, padding, scan, pages| {
        Entrant::new(name, move |ground, home| FindEnd::new(ground, home, padding, scan, pages))
    };
    [
        entrant("no padding", 0, Rows, Warm),
        entrant("64 KiB of padding", 64 << 10, Rows, Warm),
        entrant("256 KiB of padding", 256 << 10, Rows, Warm),
        entrant("256 KiB of padding, searched byte by byte", 256 << 10, Bytes, Warm),
        entrant("no padding, not in memory", 0, Rows, Cold),
        entrant("256 KiB of padding, not in memory", 256 << 10, Rows, Cold),
        entrant("256 KiB of padding, not in memory, asked for", 256 << 10, Rows, Asked),
    ]
}
