//! Random steps, compared with a plain model after each.

use std::sync::Arc;

use crate::case::Case;
use crate::failed::Failed;
use crate::fixture::Place;
use crate::model;

pub(super) const CASES: &[Case] = &[
    Case::new("session/random/steps_show_what_they_did", &["LOST-3", "RES-1"], |place| {
        Box::pin(steps_show_what_they_did(place, 8, 40))
    }),
    Case::new("session/random/many_steps_show_what_they_did", &["LOST-3", "RES-1"], |place| {
        let seeds = place.rounds(60);
        Box::pin(steps_show_what_they_did(place, seeds, 150))
    })
    .full(),
    Case::new("session/random/requests_show_what_they_did", REQUESTS, |place| {
        Box::pin(requests_show_what_they_did(place, 8, 60))
    }),
    Case::new("session/random/many_requests_show_what_they_did", REQUESTS, |place| {
        let seeds = place.rounds(100);
        Box::pin(requests_show_what_they_did(place, seeds, 300))
    })
    .full(),
];

/// What random steps of requests check.
const REQUESTS: &[&str] = &["ADM-1", "ADM-4", "ADM-8", "CONC-3"];

/// Where this is set, it is the first seed; else that is 0.
const SEED: &str = "SESSILE_SEED";

/// A failure names its seed, which takes the same steps again.
async fn steps_show_what_they_did(
    place: Arc<dyn Place>,
    seeds: usize,
    steps: usize,
) -> Result<(), Failed> {
    for seed in (first_seed()?..=u64::MAX).take(seeds) {
        model::drive(&*place, seed, steps).await?;
    }
    Ok(())
}

async fn requests_show_what_they_did(
    place: Arc<dyn Place>,
    seeds: usize,
    steps: usize,
) -> Result<(), Failed> {
    for seed in (first_seed()?..=u64::MAX).take(seeds) {
        model::drive_requests(&*place, seed, steps).await?;
    }
    Ok(())
}

fn first_seed() -> Result<u64, Failed> {
    match std::env::var(SEED) {
        Ok(number) => Ok(number.parse()?),
        Err(_) => Ok(0),
    }
}
