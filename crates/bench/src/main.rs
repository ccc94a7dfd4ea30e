//! Runs sessile, the floors and the peers on the same messages, in turns; prints what it measured
//! as lines of JSON.
//!
//! `cargo xtask bench` builds it, starts it, forms the ratios and judges them. It stands alone so
//! that whoever works on the library need not build three databases.

mod effort;
mod random;
mod messages;
mod ground;
mod record;
mod turns;
mod costs;
mod floors;
mod peers;
mod hop;
mod own;
mod delayed;

mod workloads;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};

use crate::effort::Effort;
use crate::ground::Ground;
use crate::record::Record;

/// What the words on the command line ask for.
struct Wish {
    effort: Effort,
    costs: bool,
    directory: PathBuf,
    /// Workloads by name; all where there are none.
    workloads: Vec<String>,
}

impl Wish {
    fn read(words: &[&str]) -> Result<Self> {
        let mut wish = Self {
            effort: Effort::Full,
            costs: true,
            directory: env::temp_dir(),
            workloads: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--quick" => wish.effort = Effort::Quick,
                "--no-costs" => wish.costs = false,
                "--dir" => wish.directory = words.next().context("which folder?")?.into(),
                name if !name.starts_with('-') => wish.workloads.push(name.to_owned()),
                other => bail!("nothing is known of {other}"),
            }
        }
        Ok(wish)
    }

    fn wants(&self, name: &str) -> bool {
        self.workloads.is_empty() || self.workloads.iter().any(|wanted| wanted == name)
    }
}

fn main() -> Result<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [costs::CHILD, workload, contender, operations, directory] => {
            let ground = Arc::new(Ground::at(Path::new(directory))?);
            let workloads = workloads::rotating(Effort::Full);
            let found = workloads.iter().find(|it| it.name == *workload);
            let found = found.with_context(|| (*workload).to_owned())?;
            costs::be_child(&ground, found, contender, operations.parse()?)
        }
        [workloads::READER, manner, folder] => workloads::be_reader(manner, Path::new(folder)),
        words => run(&Wish::read(words)?),
    }
}

fn run(wish: &Wish) -> Result<()> {
    let ground = Arc::new(Ground::at(&wish.directory)?);
    Record::Machine { facts: ground.facts()? }.print()?;
    let rotating = workloads::rotating(wish.effort);
    let counting = workloads::COUNTING;
    let names: Vec<&str> =
        rotating.iter().map(|it| it.name).chain(counting.iter().map(|it| it.0)).collect();
    if let Some(unknown) = wish.workloads.iter().find(|name| !names.contains(&name.as_str())) {
        bail!("there is no workload {unknown}; there are {}", names.join(", "));
    }
    for workload in rotating.iter().filter(|it| wish.wants(it.name)) {
        turns::rotate(&ground, workload).context(workload.name)?;
        if wish.costs {
            costs::count(&ground, workload).context(workload.name)?;
        }
    }
    for (name, run) in counting.iter().filter(|(name, _)| wish.wants(name)) {
        run(&ground, wish.effort).context(*name)?;
    }
    Ok(())
}
