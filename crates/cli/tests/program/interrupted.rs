//! Copies that are killed or stopped in the middle, and what copying again makes of them.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::BuildHasher as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scene::{Run, Scene};

/// How many messages the session has, each a commit of its own.
const MESSAGES: usize = 24;

/// How long a message is: eight of them are sent together.
const BYTES: usize = 512 << 10;

/// When a copy ends before it is done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moment {
    /// Once so many bytes of it are in a file.
    Holds(u64),
    /// After a while.
    After(Duration),
}

/// Moments all over a copy of the session on files, and as many that chance chooses.
fn moments(a_while: Duration) -> Vec<Moment> {
    let whole = u64::try_from(MESSAGES * BYTES).unwrap();
    let parts = (0..4).map(|part| Moment::Holds(1 + whole * part / 4));
    parts.chain(by_chance(a_while, 4)).collect()
}

/// So many moments within a while.
pub(crate) fn by_chance(a_while: Duration, count: usize) -> impl Iterator<Item = Moment> {
    let nanos = u64::try_from(a_while.as_nanos()).unwrap().max(1);
    let drawn = (0..count).map(move |number| RandomState::new().hash_one(number) % nanos);
    drawn.map(|nanos| Moment::After(Duration::from_nanos(nanos)))
}

/// A session `s` that takes a while to copy.
pub(crate) fn long() -> Scene {
    let scene = Scene::new();
    scene.done(&["new", "--id", "s"], "");
    for number in 0..MESSAGES {
        let text = format!("{number} ").repeat(BYTES / 3);
        scene.done(&["append", "s"], &format!("{{\"role\":\"user\",\"content\":\"{text}\"}}"));
    }
    scene
}

/// Sends a signal to a program at a moment, unless it has ended by then; answers its status, none where
/// it was killed.
pub(crate) fn end(mut child: Child, signal: &str, moment: Moment, file: &Path) -> Option<i32> {
    match moment {
        Moment::Holds(bytes) => loop {
            let held = fs::metadata(file).map_or(0, |it| it.len());
            if held >= bytes || child.try_wait().unwrap().is_some() {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        },
        Moment::After(while_) => thread::sleep(while_),
    }
    if child.try_wait().unwrap().is_none() {
        // It may end on its own before it hears of it.
        let _ended = Command::new("kill").args([signal, &child.id().to_string()]).output().unwrap();
    }
    child.wait().unwrap().code()
}

/// The entries of a session without the header, which names the file that it stands in, and without
/// notes of torn tails, which are a file's own.
pub(crate) fn entries(run: &Run) -> String {
    let is_note = |line: &&str| {
        let entry: Value = serde_json::from_str(line).unwrap();
        entry["type"] == "repaired"
    };
    let entries = run.out.lines().skip(1).filter(|line| !is_note(line));
    entries.map(|line| line.to_owned() + "\n").collect()
}

struct Places {
    scene: Scene,
    /// All of the session.
    whole: String,
    /// How long a copy of it takes.
    a_while: Duration,
}

impl Places {
    fn new() -> Self {
        let scene = long();
        let whole = entries(&scene.done(&["--json", "show", "s", "--events"], ""));
        assert_eq!(whole.matches("\"type\":\"message\"").count(), MESSAGES);
        let mut places = Self { scene, whole, a_while: Duration::ZERO };
        let began = Instant::now();
        let timed = places.place("timed");
        let copied = places.scene.done(&["copy", &places.place("store"), &timed, "s"], "");
        places.a_while = began.elapsed();
        assert!(copied.err.is_empty(), "a pipe hears nothing of its progress: {}", copied.err);
        places
    }

    fn place(&self, name: &str) -> String {
        format!("file:{}", self.scene.folder().join(name).display())
    }

    /// Begins to copy from one place to another, and ends it at a moment.
    fn begin(
        &self,
        (from, to): (&str, &str),
        signal: &str,
        moves: bool,
        moment: Moment,
    ) -> Option<i32> {
        let (from, file) = (self.place(from), self.scene.folder().join(to));
        let file = file.join("spaces/default/sessions/s.jsonl");
        let to = self.place(to);
        let mut args = vec!["copy", &from, &to, "s"];
        args.extend(moves.then_some("--move"));
        let mut command = self.scene.command(&args);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        end(command.spawn().unwrap(), signal, moment, &file)
    }

    fn show(&self, name: &str) -> Run {
        self.scene.run(&["--json", "--store", &self.place(name), "show", "s", "--events"])
    }

    /// Makes sure that a place holds a part of the session, or nothing.
    fn holds_a_part(&self, name: &str) {
        let run = self.show(name);
        assert!(matches!(run.status, 0 | 3), "{}", run.err);
        assert!(self.whole.starts_with(&entries(&run)), "{name} holds something else");
    }

    /// Makes sure that a place holds all of the session, each entry once, and is sound.
    fn holds_all(&self, name: &str) {
        let run = self.show(name);
        assert!(entries(&run) == self.whole, "{name}: {}", run.err);
        self.scene.done(&["--store", &self.place(name), "verify", "s"], "");
    }
}

#[test]
fn a_copy_that_was_killed_anywhere_is_completed_by_the_same_command() {
    let places = Places::new();
    for (number, moment) in moments(places.a_while).into_iter().enumerate() {
        let to = format!("killed-{number}");
        places.begin(("store", &to), "-KILL", false, moment);
        places.holds_a_part(&to);
        let (from, place) = (places.place("store"), places.place(&to));
        let again = places.scene.done(&["--json", "copy", &from, &place, "s"], "").json();
        assert_eq!(again[0]["commits"], MESSAGES + 1, "{moment:?}");
        places.holds_all(&to);
        let again = places.scene.done(&["--json", "copy", &from, &place, "s"], "").json();
        assert_eq!(again[0]["added"], 0, "{moment:?}");
        fs::remove_dir_all(places.scene.folder().join(&to)).unwrap();
    }
    places.holds_all("store");
}

#[test]
fn a_move_that_was_killed_anywhere_has_deleted_nothing_that_is_not_there() {
    let places = Places::new();
    for (number, moment) in moments(places.a_while).into_iter().enumerate() {
        let (from, to) = (format!("from-{number}"), format!("to-{number}"));
        let folder = |name: &str| places.scene.folder().join(name);
        let copied = Command::new("cp").arg("-r").args([folder("store"), folder(&from)]).status();
        assert!(copied.unwrap().success());
        places.begin((&from, &to), "-KILL", true, moment);
        if places.show(&from).status == 3 {
            places.holds_all(&to);
        } else {
            places.holds_all(&from);
            places.holds_a_part(&to);
        }
        let (source, target) = (places.place(&from), places.place(&to));
        places.scene.done(&["copy", &source, &target, "--move"], "");
        places.holds_all(&to);
        assert_eq!(places.show(&from).status, 3, "{moment:?}");
        for name in [from, to] {
            fs::remove_dir_all(folder(&name)).unwrap();
        }
    }
}

#[test]
fn a_copy_that_is_stopped_leaves_what_is_sound_and_goes_on() {
    let places = Places::new();
    for (number, moment) in moments(places.a_while).into_iter().enumerate() {
        let to = format!("stopped-{number}");
        let status = places.begin(("store", &to), "-INT", false, moment);
        // None where it had not even begun to listen.
        assert!(matches!(status, Some(0 | 130) | None), "{moment:?}: {status:?}");
        places.holds_a_part(&to);
        let verified = places.scene.run(&["--store", &places.place(&to), "verify", "s"]);
        assert!(matches!(verified.status, 0 | 3), "{moment:?}: torn: {}", verified.out);
        places.scene.done(&["copy", &places.place("store"), &places.place(&to), "s"], "");
        places.holds_all(&to);
        fs::remove_dir_all(places.scene.folder().join(&to)).unwrap();
    }
}
