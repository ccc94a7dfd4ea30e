//! What a session's length costs: the same call on 100 messages and on 100,000.

use std::sync::Arc;

use anyhow::Result;
use sessile::prelude::*;

use crate::effort::Effort;
use crate::ground::Ground;
use crate::own;
use crate::turns::{Entrant, Turn, Workload, timed_async};

#[derive(Clone, Copy)]
enum Call {
    Append,
    Rename,
    Last,
}

pub(crate) fn workload(effort: Effort) -> Workload {
    let (few, many) = (100, effort.of(100_000, 5_000));
    let entrants = vec![
        entrant("append at 100 messages", Call::Append, few, 100),
        entrant("append at 100,000 messages", Call::Append, many, 100),
        entrant("rename at 100 messages", Call::Rename, few, 50),
        entrant("rename at 100,000 messages", Call::Rename, many, 50),
        entrant("open and last 50 of 100 messages", Call::Last, few, 50),
        entrant("open and last 50 of 100,000 messages", Call::Last, many, 50),
    ];
    Workload { name: "scaling", rounds: effort.of(7, 2), entrants }
}

fn entrant(name: &'static str, call: Call, messages: usize, operations: usize) -> Entrant {
    Entrant::new(name, operations, move |ground: &Arc<Ground>, home| -> Result<Turn> {
        let ground = Arc::clone(ground);
        own::prepare(&ground, home, messages, own::TURN)?;
        let (store, session) = ground.runtime.block_on(async {
            let store = own::open(home).await?;
            let session = store.open_session(own::ID).await?;
            anyhow::Ok((store, session))
        })?;
        let mut next = 0..;
        Ok(Box::new(move |operations| {
            let calls = timed_async(operations, async |_| {
                let index = next.next().unwrap_or(0);
                one(call, &store, &session, &ground, index).await
            });
            ground.runtime.block_on(calls)
        }))
    })
}

async fn one(
    call: Call,
    store: &Store,
    session: &Session,
    ground: &Ground,
    index: usize,
) -> Result<usize> {
    match call {
        Call::Append => session.append([ground.messages.typed(index)?]).await.map(drop)?,
        Call::Rename => session.set_title(format!("title {index}")).await.map(drop)?,
        Call::Last => return Ok(own::last(store, 50).await?.len()),
    }
    Ok(0)
}
