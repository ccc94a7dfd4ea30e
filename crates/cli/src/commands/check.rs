//! `sessile check`.

use std::time::Duration;

use serde::Serialize;
use sessile::prelude::*;
use sessile::{Error, ErrorKind, Finding, object};
use tokio::time;

use crate::args::{CheckArgs, PlaceArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// The answer.
#[derive(Debug, Serialize)]
struct Row<'a> {
    /// As it was given: what would hold a secret is no place.
    place: &'a str,
    ok: bool,
    findings: &'a [Finding],
}

/// Probes a place and says what it does.
pub(crate) async fn run(
    place: &PlaceArgs,
    args: &CheckArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let limit = Duration::from_secs(place.timeout);
    let mut options = object::Options::default();
    // A place that does not answer is to be told as that, with the reason, before time is up.
    options.deadline = limit / 4;
    let probing = Store::open(args.url.as_str()).object_options(options).probe();
    let probe = time::timeout(limit, probing).await.map_err(|_| {
        Error::new(ErrorKind::Deadline, "the place was not looked at in time")
            .with_hint("allow more with --timeout")
    })?;
    let probe = probe.map_err(|error| error.about("URL"))?;
    if output.is_json() {
        output.value(&Row { place: &args.url, ok: probe.ok, findings: &probe.findings })?;
    } else {
        for Finding { name, ok, detail, .. } in &probe.findings {
            let word = if *ok { "ok" } else { "FAILS" };
            // It may repeat what a server answered.
            let detail = detail.replace(char::is_control, " ");
            output.line(&format!("{word:<5}  {name}: {detail}"))?;
        }
        let verdict = if probe.ok { "can keep a store" } else { "can't keep a store" };
        output.line(&format!("{} {verdict}", args.url))?;
    }
    Ok(if probe.ok { Exit::Done } else { Exit::Unavailable })
}
