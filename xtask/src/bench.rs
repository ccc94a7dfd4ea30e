//! `cargo xtask bench`: sessile, the floors and the peers on the same messages in one run.
//!
//! The package `sessile-bench` measures and prints lines of JSON. Here the ratios are formed, each
//! inside one round; then the musts are judged, and the tables are shown or put into the page. No
//! time is judged by itself, since times are the machine's.

mod figures;
mod workload;
mod must;
mod table;
mod page;

mod workloads;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context as _, ensure};

use crate::cargo;
use crate::report::Report;

use self::figures::Figures;
use self::must::Verdict;
use self::workloads::ALL;

/// The page, below the root.
const PAGE: &str = "docs/performance.md";

/// What the words after `bench` ask for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wish<'w> {
    /// Judge: only the figures that the musts need, and a failure where one does not hold.
    check: bool,
    /// Put the tables into the page.
    write: bool,
    quick: bool,
    /// Where the files lie, which decides the filesystem.
    folder: Option<&'w str>,
    /// Workloads by name; all where there are none.
    workloads: Vec<&'w str>,
}

impl<'w> Wish<'w> {
    /// Reads the words; none if they ask for something else.
    pub(crate) fn read(words: &[&'w str]) -> Option<Self> {
        let mut wish =
            Self { check: false, write: false, quick: false, folder: None, workloads: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--check" => wish.check = true,
                "--write" => wish.write = true,
                "--quick" => wish.quick = true,
                "--dir" => wish.folder = Some(words.next()?),
                name if ALL.iter().any(|it| it.name == name) => {
                    wish.workloads.push(name);
                }
                _ => return None,
            }
        }
        // The page shows one whole run, so that its figures belong together.
        let whole = !wish.quick && !wish.check && wish.workloads.is_empty();
        (!wish.write || whole).then_some(wish)
    }
}

/// Measures, and says what came of it.
pub(crate) fn run(wish: &Wish<'_>) -> anyhow::Result<Report> {
    let figures = measured(wish)?;
    let verdicts = must::judged(ALL, &figures);
    let mut text = String::new();
    if !wish.check {
        text.push_str(&table::all(ALL, &figures));
    }
    text.push_str(&table::musts(&verdicts));
    if wish.write {
        write(&figures, &verdicts)?;
    }
    let held = verdicts.iter().filter(|verdict| verdict.holds).count();
    let line = format!("bench: {held} of {} musts hold\n", verdicts.len());
    text.push_str(&line);
    let passed = !wish.check || (held == verdicts.len() && held > 0);
    Ok(Report { passed, text })
}

/// Builds the bench, runs it and takes in what it prints, with a line for each workload.
fn measured(wish: &Wish<'_>) -> anyhow::Result<Figures> {
    let bench = ["--release", "--quiet", "--package", cargo::BENCH];
    let built =
        cargo::command(&["build"]).args(bench).status().context("cannot run cargo build")?;
    ensure!(built.success(), "the bench does not build");
    let folder = match wish.folder {
        // Temporary folders are often held in memory, where a sync costs nothing.
        None => cargo::output()?.join("bench"),
        Some(folder) => folder.into(),
    };
    let begun = Instant::now();
    let mut command = cargo::command(&["run"]);
    command.args(bench).arg("--").arg("--dir").arg(folder);
    command.args(wish.quick.then_some("--quick"));
    command.args(wish.check.then_some("--no-costs"));
    command.args(&wish.workloads).stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot run the bench")?;
    let mut figures = Figures::default();
    let output = child.stdout.take().context("the bench has no output")?;
    for line in BufReader::new(output).lines() {
        if let Some(workload) = figures.take(&line?)? {
            println!("{:7.1} s  {workload}", begun.elapsed().as_secs_f64());
        }
    }
    ensure!(child.wait().context("cannot wait for the bench")?.success(), "the bench failed");
    println!("{:7.1} s  done", begun.elapsed().as_secs_f64());
    Ok(figures)
}

/// Puts the tables into the page.
#[expect(clippy::disallowed_methods, reason = "a page of the work tree, not a store's file")]
fn write(figures: &Figures, verdicts: &[Verdict]) -> anyhow::Result<()> {
    let path = cargo::root().join(PAGE);
    let text = fs::read_to_string(&path).context(PAGE)?;
    let tables =
        [table::machine(figures), table::musts(verdicts), table::all(ALL, figures)].concat();
    fs::write(path, page::replaced(&text, &tables)?).context(PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_are_chosen_by_name() {
        let wish = Wish::read(&["w1", "--quick", "w5cold", "--dir", "/mnt"]).unwrap();
        assert_eq!(wish.workloads, ["w1", "w5cold"]);
        assert!(wish.quick && !wish.check && !wish.write);
        assert_eq!(wish.folder, Some("/mnt"));
        for words in [&["w99"][..], &["--fast"], &["--dir"]] {
            assert_eq!(Wish::read(words), None, "{words:?}");
        }
    }

    #[test]
    fn the_page_takes_a_whole_run_only() {
        assert!(Wish::read(&["--write"]).is_some());
        for words in [&["--write", "w1"], &["--write", "--quick"], &["--check", "--write"]] {
            assert_eq!(Wish::read(words), None, "{words:?}");
        }
    }
}
