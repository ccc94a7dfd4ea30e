//! `sessile spaces`.

use serde::Serialize;
use sessile::{Space, Store};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, remark};

/// How many spaces are listed at once.
const PAGE: usize = 1000;

/// A row of the answer.
#[derive(Debug, Serialize)]
struct Row<'a> {
    space: &'a Space,
}

/// Lists the spaces that hold anything.
pub(crate) async fn run(store: &Store, output: &mut Output) -> Result<Exit, Failure> {
    let mut last: Option<Space> = None;
    loop {
        let spaces = store.spaces(last.as_ref(), PAGE).await?;
        for space in &spaces {
            if output.is_json() {
                output.value(&Row { space })?;
            } else {
                output.line(space.as_str())?;
            }
        }
        match spaces.into_iter().last() {
            Some(space) => last = Some(space),
            None => break,
        }
    }
    if last.is_none() {
        remark("there are no spaces that hold anything", output)?;
    }
    Ok(Exit::Done)
}
