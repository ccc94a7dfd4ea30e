//! W6: another title for a session of 10,000 messages, durable.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use crate::effort::Effort;
use crate::floors::{Growing, Zeroed};
use crate::ground::Ground;
use crate::own;
use crate::peers::kind::Kind;
use crate::peers::peer;
use crate::turns::{Entrant, Turn, Workload, timed, timed_async};

const MESSAGES: usize = 10_000;

/// Operations whose calls and bytes are counted.
const COUNTED: usize = 100;

pub(crate) fn workload(effort: Effort) -> Workload {
    let operations = effort.of(50, 20);
    let mut entrants = vec![
        Entrant::new("append a line + fdatasync", operations, |_, home| {
            let mut file = Growing::create(&home.join("file"))?;
            Ok(Box::new(move |operations| timed(operations, |index| file.append(&line(index)))))
        })
        .counted(COUNTED),
        Entrant::new("pre-zeroed, a line + fdatasync", operations, |_, home| {
            let mut file = Zeroed::create(&home.join("file"), 256 << 10)?;
            Ok(Box::new(move |operations| timed(operations, |index| file.append(&line(index)))))
        })
        .counted(COUNTED),
        Entrant::new("sessile", operations, |ground, home| {
            let ground = Arc::clone(ground);
            own::prepare(&ground, home, MESSAGES, own::TURN)?;
            let session = ground.runtime.block_on(own::open_session(home))?;
            Ok(Box::new(move |operations| {
                let renames = timed_async(operations, async |index| {
                    Ok(session.set_title(format!("title {index}")).await?)
                });
                ground.runtime.block_on(renames)
            }))
        })
        .counted(COUNTED),
    ];
    entrants.extend(Kind::DATABASES.map(|kind| entrant(kind, operations).counted(COUNTED)));
    entrants.push(entrant(Kind::Jsonl, effort.of(5, 2)));
    entrants.push(entrant(Kind::Whole, effort.of(5, 2)));
    Workload { name: "w6", rounds: effort.of(10, 3), entrants }
}

fn line(index: usize) -> String {
    format!("{{\"seq\":{index},\"type\":\"meta\",\"data\":{{\"title\":\"title {index}\"}}}}\n")
}

fn entrant(kind: Kind, operations: usize) -> Entrant {
    Entrant::new(
        kind.name(),
        operations,
        move |ground: &Arc<Ground>, home: &Path| -> Result<Turn> {
            let mut peer = kind.open(home)?;
            peer::bulk(peer.as_mut(), 0, &ground.messages, MESSAGES)?;
            Ok(Box::new(move |operations| {
                timed(operations, |index| peer.rename(0, &format!("title {index}")))
            }))
        },
    )
}
