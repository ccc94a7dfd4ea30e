//! The workloads: who takes part in each, and what an operation is.

mod append;
mod bulk;
mod writers;
mod resume;
mod listing;
mod rename;
mod document;
mod compaction;
mod memory;
mod scaling;
mod object;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use crate::effort::Effort;
use crate::ground::Ground;
use crate::turns::Workload;

/// The workloads in which contenders take turns.
pub(crate) fn rotating(effort: Effort) -> Vec<Workload> {
    vec![
        append::workload(effort),
        bulk::workload(effort),
        writers::workload(effort),
        writers::hot(effort),
        resume::workload(effort),
        listing::workload(effort),
        listing::cold(effort),
        rename::workload(effort),
        document::workload(effort),
        compaction::workload(effort),
        scaling::workload(effort),
    ]
}

/// The word that makes this program a reader of [`be_reader`].
pub(crate) const READER: &str = memory::READER;

type Counting = fn(&Arc<Ground>, Effort) -> Result<()>;

/// The workloads that count something else than time.
pub(crate) const COUNTING: &[(&str, Counting)] =
    &[(memory::NAME, memory::run), (object::NAME, object::run)];

/// Reads a session as a child whose memory is looked at.
pub(crate) fn be_reader(manner: &str, folder: &Path) -> Result<()> {
    memory::be_reader(manner, folder)
}
