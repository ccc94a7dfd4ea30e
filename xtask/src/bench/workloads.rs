//! The workloads of `crates/bench`: what is compared in each, and what must hold.

use super::workload::{Bound, Must, Unit, Workload};

/// How much more an operation may take where there is a thousand times as much: what one and the
/// same operation differs by from run to run on a machine that is shared.
const FLAT: Bound = Bound::AtMost(1.25);

/// All of them, in the order in which they run.
pub(super) const ALL: &[Workload] = &[
    Workload {
        name: "w1",
        title: "W1: durable append of one message",
        about: "One message after the other, each on the disk when its call is answered. sessile is \
                called as it is: its API is async. The peers are called directly, and once more by \
                `spawn_blocking`, as an async program has to. The floors check and frame nothing.",
        unit: Unit::Micros,
        floor: Some("append + fdatasync"),
        musts: &[
            Must {
                text: "sessile, to append + fdatasync",
                of: "sessile",
                to: Some("append + fdatasync"),
                bound: Bound::AtMost(0.85),
                aim: Some(0.70),
            },
            Must {
                text: "sessile, to SQLite FULL by the same hop",
                of: "sessile",
                to: Some("SQLite, async hop"),
                bound: Bound::AtMost(1.0),
                aim: None,
            },
            Must {
                text: "sessile, to fjall by the same hop",
                of: "sessile",
                to: Some("fjall, async hop"),
                bound: Bound::AtMost(1.0),
                aim: None,
            },
        ],
    },
    Workload {
        name: "w2",
        title: "W2: 100,000 messages",
        about: "The time of all of them. The floor has its bytes ready and syncs nothing; everybody \
                else serialises. sessile appends one by one to a store that writes behind, and the \
                time ends when `flush` has answered, so that all of them are on the disk; or it \
                takes 1,000 messages a commit and syncs each. No peer here syncs anything: what \
                they have told survives the end of their process and no power cut. Costs are by \
                message.",
        unit: Unit::Micros,
        floor: Some("write() for each"),
        musts: &[Must {
            text: "sessile, one by one and flushed, to a write() for each",
            of: "sessile, one by one behind, then flushed",
            to: Some("write() for each"),
            bound: Bound::AtMost(2.4),
            aim: Some(1.5),
        }],
    },
    Workload {
        name: "w3",
        title: "W3: 16 writers, 64 sessions",
        about: "50 messages for each session; each writer has 4 sessions and waits for each answer. \
                The figure is the time by message, so that its inverse is the throughput. What \
                SQLite lacks, a thread that commits together whatever waits, is added for it.",
        unit: Unit::Micros,
        floor: Some("naive JSONL, 16 threads"),
        musts: &[
            Must {
                text: "naive JSONL with 16 threads, to sessile with 16 tasks",
                of: "naive JSONL, 16 threads",
                to: Some("sessile, 16 tasks"),
                bound: Bound::AtLeast(1.1),
                aim: Some(1.5),
            },
            Must {
                text: "SQLite with grouped commits, to sessile with 16 tasks",
                of: "SQLite, commits grouped by a thread",
                to: Some("sessile, 16 tasks"),
                bound: Bound::AtLeast(1.3),
                aim: Some(1.5),
            },
        ],
    },
    Workload {
        name: "w3hot",
        title: "W3: 16 writers, one session",
        about: "The same with one session for all. In the first row the threads write in turn and \
                sync at once, so that the kernel may merge their flushes.",
        unit: Unit::Micros,
        floor: Some("one file, 16 threads, each syncs"),
        musts: &[Must {
            text: "16 threads that each sync one file, to sessile with 16 tasks",
            of: "one file, 16 threads, each syncs",
            to: Some("sessile, 16 tasks, one session"),
            bound: Bound::AtLeast(1.7),
            aim: Some(2.5),
        }],
    },
    Workload {
        name: "w4",
        title: "W4: resuming a session of 10,000 messages",
        about: "What is on the disk is in memory's cache. sessile opens the session each time, from \
                a store that is open, and checks every line; commits hold 4 messages unless the row \
                says otherwise. The databases are read the fastest way they have: one check of \
                UTF-8 with wide registers, then `from_str`. Typed means values of a tagged enum. \
                The tail read takes the same lines from the same file and checks nothing.",
        unit: Unit::Micros,
        floor: Some("naive JSONL"),
        musts: &[
            Must {
                text: "sessile, typed, to naive JSONL",
                of: "sessile, typed",
                to: Some("naive JSONL"),
                bound: Bound::AtMost(0.76),
                aim: Some(0.43),
            },
            Must {
                text: "sessile, lazy, to naive JSONL",
                of: "sessile, lazy",
                to: Some("naive JSONL"),
                bound: Bound::AtMost(0.45),
                aim: Some(0.30),
            },
            Must {
                text: "sessile, opening and last 50, to a tail read of the same file",
                of: "last 50: sessile, session opened for it",
                to: Some("last 50: tail read of the file"),
                bound: Bound::AtMost(1.3),
                aim: Some(1.0),
            },
        ],
    },
    Workload {
        name: "w5",
        title: "W5: a page of the 50 newest sessions",
        about: "With title and time of the last change, from a store that is open and whose sessions \
                nobody has open.",
        unit: Unit::Micros,
        floor: Some("redb, page of 50 of 10,000"),
        musts: &[
            Must {
                text: "sessile, page of 50 of 10,000, to redb's",
                of: "sessile, page of 50 of 10,000",
                to: Some("redb, page of 50 of 10,000"),
                bound: Bound::AtMost(2.0),
                aim: Some(1.0),
            },
            Must {
                text: "sessile, page of 50 of 100,000, to redb's",
                of: "sessile, page of 50 of 100,000",
                to: Some("redb, page of 50 of 100,000"),
                bound: Bound::AtMost(2.0),
                aim: Some(1.0),
            },
            Must {
                text: "sessile, page of 50 of 100,000, to one of 10,000",
                of: "sessile, page of 50 of 100,000",
                to: Some("sessile, page of 50 of 10,000"),
                bound: FLAT,
                aim: None,
            },
            Must {
                text: "sessile, page of 50 of 100,000, to one of 100",
                of: "sessile, page of 50 of 100,000",
                to: Some("sessile, page of 50 of 100"),
                bound: FLAT,
                aim: None,
            },
        ],
    },
    Workload {
        name: "w5cold",
        title: "W5: opening a store and listing all of 10,000 sessions",
        about: "Before each the machine forgets what it has read. sessile gives pages of 1,000, the \
                peers all rows at once.",
        unit: Unit::Micros,
        floor: Some("SQLite"),
        musts: &[Must {
            text: "sessile, to SQLite",
            of: "sessile",
            to: Some("SQLite"),
            bound: Bound::AtMost(1.0 / 3.0),
            aim: Some(0.125),
        }],
    },
    Workload {
        name: "w6",
        title: "W6: renaming a session of 10,000 messages",
        about: "Durable. sessile's call is async, the peers' are direct.",
        unit: Unit::Micros,
        floor: Some("append a line + fdatasync"),
        musts: &[Must {
            text: "sessile, to append a line + fdatasync",
            of: "sessile",
            to: Some("append a line + fdatasync"),
            bound: Bound::AtMost(0.85),
            aim: Some(0.70),
        }],
    },
    Workload {
        name: "w7",
        title: "W7: swapping a document of 4 KiB",
        about: "Durable, if the document has the revision that is expected. sessile's call is async, \
                the peers' are direct; the file that is renamed compares nothing.",
        unit: Unit::Micros,
        floor: Some("two slots in place + fdatasync"),
        musts: &[Must {
            text: "sessile, to two slots in place",
            of: "sessile",
            to: Some("two slots in place + fdatasync"),
            bound: Bound::AtMost(2.0),
            aim: Some(1.15),
        }],
    },
    Workload {
        name: "w8",
        title: "W8: compacting 10,000 messages to a summary and the last 100",
        about: "sessile appends a summary that stands for the rest; removing the rest is a second \
                call. The peers remove at once, and keep nothing of what was there. The costs of the summary are with those of the message that comes before each.",
        unit: Unit::Micros,
        floor: Some("append a marker + fdatasync"),
        musts: &[
            Must {
                text: "sessile, compact, to a marker + fdatasync",
                of: "sessile, compact (logical)",
                to: Some("append a marker + fdatasync"),
                bound: Bound::AtMost(1.1),
                aim: Some(1.0),
            },
            Must {
                text: "sessile, forget the rest, to a marker + fdatasync",
                of: "sessile, forget the rest (physical)",
                to: Some("append a marker + fdatasync"),
                bound: Bound::AtMost(6.0),
                aim: Some(3.4),
            },
        ],
    },
    Workload {
        name: "scaling",
        title: "100 messages and 100,000",
        about: "The same call of sessile on a short session and on a long one; commits hold 4 \
                messages. Sessions are counted in W5.",
        unit: Unit::Micros,
        floor: None,
        musts: &[
            Must {
                text: "append at 100,000 messages, to append at 100",
                of: "append at 100,000 messages",
                to: Some("append at 100 messages"),
                bound: FLAT,
                aim: None,
            },
            Must {
                text: "rename at 100,000 messages, to rename at 100",
                of: "rename at 100,000 messages",
                to: Some("rename at 100 messages"),
                bound: FLAT,
                aim: None,
            },
            Must {
                text: "opening and last 50 of 100,000 messages, to those of 100",
                of: "open and last 50 of 100,000 messages",
                to: Some("open and last 50 of 100 messages"),
                bound: FLAT,
                aim: None,
            },
        ],
    },
    Workload {
        name: "w9",
        title: "W9: memory that reading a session of 200 MiB takes",
        about: "Each reader is a process of its own; its peak, above that of one that does nothing.",
        unit: Unit::Mebibytes,
        floor: Some("the file's size"),
        musts: &[
            Must {
                text: "sessile, as a stream, in MiB",
                of: "sessile, as a stream",
                to: None,
                bound: Bound::AtMost(4.0),
                aim: None,
            },
            Must {
                text: "sessile, last 50, in MiB",
                of: "sessile, last 50",
                to: None,
                bound: Bound::AtMost(4.0),
                aim: None,
            },
            Must {
                text: "sessile, lazy, to the size of the messages",
                of: "sessile, lazy",
                to: Some("the file's size"),
                bound: Bound::AtMost(1.15),
                aim: None,
            },
        ],
    },
    Workload {
        name: "object",
        title: "Object storage: 2,000 turns",
        about: "A turn is one append of two messages, and 20 seconds pass between turns; then \
                another host resumes the session. The bucket is in memory and each request takes 30 \
                or 60 ms of a clock that only runs while everybody waits, so these are counts and \
                no measurements. A round trip is a request that had to wait for the one before. \
                Dollars are those of S3 Standard in us-east-1: 0.005 for 1,000 PUTs or LISTs, \
                0.0004 for 1,000 GETs.",
        unit: Unit::Count,
        floor: None,
        musts: &[
            Must {
                text: "PUTs of the log by append",
                of: "append: PUTs of the log, mean, 60 ms",
                to: None,
                bound: Bound::AtMost(1.0),
                aim: None,
            },
            Must {
                text: "round trips that an append waits for",
                of: "append: round trips, mean, 60 ms",
                to: None,
                bound: Bound::AtMost(1.01),
                aim: None,
            },
            Must {
                text: "round trips to resume: open and last 50",
                of: "resume (open and last 50): round trips, 60 ms",
                to: None,
                bound: Bound::AtMost(4.0),
                aim: None,
            },
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The source of the bench, where contenders get their names.
    const SOURCES: &[&str] = &[
        include_str!("../../../crates/bench/src/workloads/append.rs"),
        include_str!("../../../crates/bench/src/workloads/bulk.rs"),
        include_str!("../../../crates/bench/src/workloads/writers.rs"),
        include_str!("../../../crates/bench/src/workloads/resume.rs"),
        include_str!("../../../crates/bench/src/workloads/listing.rs"),
        include_str!("../../../crates/bench/src/workloads/rename.rs"),
        include_str!("../../../crates/bench/src/workloads/document.rs"),
        include_str!("../../../crates/bench/src/workloads/compaction.rs"),
        include_str!("../../../crates/bench/src/workloads/scaling.rs"),
        include_str!("../../../crates/bench/src/workloads/memory.rs"),
        include_str!("../../../crates/bench/src/workloads/object.rs"),
        include_str!("../../../crates/bench/src/peers/kind.rs"),
    ];

    fn is_named(name: &str) -> bool {
        // The bucket's delay is put behind the name.
        let name = name.trim_end_matches(", 60 ms");
        SOURCES.iter().any(|source| source.contains(&format!("\"{name}\"")))
    }

    #[test]
    fn each_contender_of_a_must_is_one_of_the_bench() {
        let musts = ALL.iter().flat_map(|workload| workload.musts);
        let names = musts.flat_map(|must| [Some(must.of), must.to]).flatten();
        for name in names.chain(ALL.iter().filter_map(|workload| workload.floor)) {
            assert!(is_named(name), "{name}");
        }
    }

    #[test]
    fn each_workload_is_one_of_the_bench() {
        for workload in ALL {
            assert!(is_named(workload.name), "{}", workload.name);
            assert!(!workload.musts.is_empty(), "{}", workload.name);
        }
    }
}
