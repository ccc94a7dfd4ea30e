//! W9: the memory that reading a session of 200 MiB takes, above that of a process that does
//! nothing; the figures are MiB. Each reader is a process of its own.

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use sessile::{From, RawMessage};
use tokio::runtime::Builder;

use crate::costs;
use crate::effort::Effort;
use crate::ground::Ground;
use crate::messages::Message;
use crate::own;
use crate::peers::kind::{self, Kind};
use crate::peers::peer;
use crate::record::Record;

pub(crate) const NAME: &str = "w9";

/// The word that makes this program a reader.
pub(crate) const READER: &str = "reader";

/// What reads, by the name of its row.
const MANNERS: &[(&str, &str)] = &[
    ("sessile, as a stream", "stream"),
    ("sessile, last 50", "last"),
    ("sessile, lazy", "lazy"),
    ("sessile, typed", "typed"),
    ("naive JSONL", "naive JSONL"),
    ("SQLite", "SQLite"),
    ("redb", "redb"),
    ("fjall", "fjall"),
    ("whole JSON", "whole JSON"),
];

pub(crate) fn run(ground: &Arc<Ground>, effort: Effort) -> Result<()> {
    let messages = effort.of(200 << 20, 20 << 20) / ground.messages.mean();
    let folder = ground.folder()?;
    for kind in Kind::ALL {
        let home = folder.path().join(kind.name());
        std::fs::create_dir(&home)?;
        let mut peer = kind.open(&home)?;
        if kind == Kind::Whole {
            // Written once: in parts it would be written two hundred times.
            let all: Vec<&Message> = ground.messages.some(0, messages).collect();
            peer.append(0, &all, peer::Sync::Buffered)?;
        } else {
            peer::bulk(peer.as_mut(), 0, &ground.messages, messages)?;
        }
    }
    ground.runtime.block_on(async {
        let store = own::open(&folder.path().join("sessile")).await?;
        own::build(&store, &ground.messages, messages, own::TURN).await?;
        anyhow::Ok(store.close().await?)
    })?;
    let file = kind::plain_size(&folder.path().join(Kind::Jsonl.name()), 0)?;
    let file = f64::from(u32::try_from(file >> 10)?) / 1024.0;
    for round in 0..effort.of(3, 1) {
        let value = |contender, value| Record::Value { workload: NAME, contender, round, value };
        value("the file's size", file).print()?;
        let idle = read_by_child("idle", folder.path())?;
        for (contender, manner) in MANNERS {
            let peak = read_by_child(manner, folder.path())?;
            value(contender, (peak - idle).max(0.0)).print()?;
        }
    }
    Ok(())
}

fn read_by_child(manner: &str, folder: &Path) -> Result<f64> {
    let output = Command::new(env::current_exe()?).arg(READER).arg(manner).arg(folder).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the reader failed, {manner}: {wrong}");
    said.trim().parse().with_context(|| format!("the reader said {said}"))
}

/// Reads in that manner, and says how much memory it took.
#[expect(clippy::print_stdout, reason = "the child tells its parent")]
pub(crate) fn be_reader(manner: &str, folder: &Path) -> Result<()> {
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == manner);
    if let Some(kind) = kind {
        let messages = kind.open(&folder.join(kind.name()))?.load(0)?;
        ensure!(messages.len() > 10_000, "messages are missing");
    } else if manner != "idle" {
        runtime.block_on(own_read(manner, folder))?;
    }
    println!("{}", costs::peak_mib()?);
    Ok(())
}

async fn own_read(manner: &str, folder: &Path) -> Result<()> {
    let store = own::open(&folder.join("sessile")).await?;
    let read = match manner {
        "stream" => {
            let session = store.open_session(own::ID).await?;
            let mut messages = session.transcript::<RawMessage>(From::start()).await?;
            let mut read = 0;
            while let Some(message) = messages.next().await {
                message?;
                read += 1;
            }
            read
        }
        "last" => own::last(&store, 50).await?.len(),
        "lazy" => own::load::<RawMessage>(&store).await?.len(),
        "typed" => own::load::<Message>(&store).await?.len(),
        _ => bail!("nobody reads like that: {manner}"),
    };
    ensure!(read == 50 || read > 10_000, "messages are missing");
    Ok(())
}
