//! What the program prints, word for word: one page for each scene below `tests/golden`.
//!
//! What differs from run to run is written as a mark: times, ids that were minted, the folder.
//! `SESSILE_GOLDEN=write` writes the pages anew; what has changed is for the reader of the diff.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::held;
use crate::scene::Scene;

mod line;
mod failing;
mod script;
mod typing;
mod stage;

use self::failing::{ERRORS, PLACES};
use self::line::Line;
use self::script::SESSIONS;
use self::stage::{Obstacles, in_all_ways, laid_out, obstructed};
use self::typing::{page, words};

/// Compares a page with the one that is kept, or keeps it.
fn check(name: &str, page: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.txt"));
    if std::env::var_os("SESSILE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, page).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    for (number, (kept, is)) in (1..).zip(kept.lines().zip(page.lines())) {
        assert_eq!(kept, is, "{name}.txt, line {number}");
    }
    assert_eq!(kept.lines().count(), page.lines().count(), "{name}.txt");
}

#[test]
fn what_is_printed_for_each_command_is_what_is_kept() {
    let scene = laid_out();
    held::hold(&scene, "held");
    check("sessions", &page(&scene, SESSIONS, &[]));
}

#[test]
fn what_is_told_of_each_mistake_is_what_is_kept() {
    let scene = in_all_ways();
    check("errors", &page(&scene, ERRORS, &[]));
}

#[test]
fn what_is_told_of_places_that_fail_is_what_is_kept() {
    let Obstacles { scene, silent, refusing, .. } = &obstructed();
    let marks = [(silent.as_str(), "<silent>"), (refusing, "<refusing>")];
    check("places", &page(scene, PLACES, &marks));
}

#[test]
fn help_fits_into_eighty_columns_and_is_what_is_kept() {
    let scene = Scene::new();
    let mut pages = String::new();
    for command in std::iter::once(String::new()).chain(scene.commands()) {
        let args: Vec<&str> =
            if command.is_empty() { vec!["--help"] } else { vec![&command, "--help"] };
        if command == "help" {
            continue;
        }
        let mut run = scene.command(&args);
        run.env("COLUMNS", "80");
        let run = Scene::finish(run, b"");
        assert_eq!(run.status, 0);
        // What stands in one line by its nature is the usage.
        for line in run.out.lines().filter(|line| !line.starts_with("Usage: ")) {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        writeln!(pages, "$ sessile {}\n{}", args.join(" "), run.out).unwrap();
    }
    check("help", &pages);
}

#[test]
fn every_command_and_every_status_has_its_page() {
    let all: Vec<&Line> = SESSIONS.iter().chain(ERRORS).chain(PLACES).collect();
    let named: BTreeSet<String> = all.iter().flat_map(|line| words(line.args)).collect();
    let commands = Scene::new().commands();
    let without: Vec<&String> =
        commands.iter().filter(|it| *it != "help" && !named.contains(*it)).collect();
    assert_eq!(without, Vec::<&String>::new());
    let kept = ["sessions", "errors", "places"].map(|name| {
        let path = format!("{}/tests/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        fs::read_to_string(path).unwrap()
    });
    let statuses: BTreeSet<&str> = kept
        .iter()
        .flat_map(|page| page.lines())
        .filter_map(|line| line.strip_prefix("= ")?.split(' ').next())
        .collect();
    assert_eq!(statuses, BTreeSet::from(["1", "2", "3", "4", "5", "6", "130"]));
}
