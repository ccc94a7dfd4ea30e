//! Random steps, compared with a plain model after each.

use std::sync::Arc;

use crate::case::Case;
use crate::failed::Failed;
use crate::fixture::Place;
use crate::model;

pub(super) const CASES: &[Case] = &[
    Case::new("session/random/steps_show_what_they_did", &["LOST-3", "RES-1"], |place| {
        Box::pin(steps_show_what_they_did(place, 6, 40))
    }),
    Case::new("session/random/many_steps_show_what_they_did", &["LOST-3", "RES-1"], |place| {
        Box::pin(steps_show_what_they_did(place, 60, 150))
    })
    .full(),
];

/// A failure names its seed, which takes the same steps again.
async fn steps_show_what_they_did(
    place: Arc<dyn Place>,
    seeds: u64,
    steps: usize,
) -> Result<(), Failed> {
    for seed in 0..seeds {
        model::drive(&*place, seed, steps).await?;
    }
    Ok(())
}
