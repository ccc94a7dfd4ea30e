//! Measures what a durable append costs under each way to lay out a journal file.
//!
//! ```sh
//! cargo bench -p sessile-fs --bench layout
//! ```
//!
//! `SESSILE_BENCH_DIR` names the directory to measure in; it decides the filesystem, and so the
//! answer. The default lies in the target directory, because a temporary directory is often held
//! in memory, where a sync costs nothing and every layout looks alike.
//!
//! Contenders take turns in short blocks, and a ratio is formed inside one repetition before the
//! median over repetitions is taken: a ratio holds on a shared machine where a time does not.
//! What the numbers decided is in `docs/adr/0002-journal-file-layout.md`.

#[cfg(target_os = "linux")]
#[path = "layout/sections.rs"]
mod sections;

/// Without `--bench`, as under `cargo test --benches`, a few operations show that it still runs.
#[cfg(target_os = "linux")]
fn main() -> std::io::Result<()> {
    sections::run(std::env::args().any(|argument| argument == "--bench"))
}

/// Masked `statx` and the device counters are Linux's.
#[cfg(not(target_os = "linux"))]
fn main() {}
