//! One case on one fresh place: with a runtime of its own, a deadline, and panics caught.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::backend::{Capabilities, Capability};
use tokio::runtime::Builder;

use crate::case::{Case, Need, Size};
use crate::failed::Failed;
use crate::fixture::Fixture;

/// Where this is `1`, cases of minutes run too.
const SOAK: &str = "SESSILE_SOAK";

/// How long what a case left running may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// What a backend and its fixture offer, as far as cases need it.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    capabilities: Capabilities,
    footprint: bool,
    damage: bool,
    soak: bool,
}

impl Offer {
    /// Asks a place that no case uses.
    pub(crate) fn of(fixture: Arc<dyn Fixture>) -> Result<Self, Failed> {
        let soak = std::env::var_os(SOAK).is_some_and(|value| value == "1");
        within(Size::Ci.deadline(), async move {
            let place = fixture.fresh().await?;
            Ok(Self {
                capabilities: place.handle().await?.capabilities(),
                footprint: place.footprint().await?.is_some(),
                damage: place.damage().is_some(),
                soak,
            })
        })
    }

    /// The names of the capabilities that the backend declares.
    pub(crate) fn capabilities(&self) -> impl Iterator<Item = &'static str> {
        Capability::ALL.iter().filter(|it| self.capabilities.has(**it)).map(|it| it.name())
    }

    /// Why a case does not run here; none if it does.
    pub(crate) fn refusal(&self, case: &Case) -> Option<String> {
        let unmet = case.needs.iter().find(|need| !self.meets(**need));
        if let Some(need) = unmet {
            return Some(format!("it needs {need}"));
        }
        (case.size == Size::Full && !self.soak).then(|| format!("it runs where {SOAK}=1 is set"))
    }

    fn meets(&self, need: Need) -> bool {
        match need {
            Need::Has(capability) => self.capabilities.has(capability),
            Need::Lacks(capability) => !self.capabilities.has(capability),
            Need::Footprint => self.footprint,
            Need::Damage => self.damage,
        }
    }
}

/// Runs a case.
pub(crate) fn run(case: &Case, fixture: Arc<dyn Fixture>) -> Result<(), Failed> {
    let body = case.run;
    within(case.size.deadline(), async move { body(fixture.fresh().await?).await })
}

/// Runs a task on a runtime of its own until its deadline.
///
/// It runs on a worker, so that one that blocks its thread is given up too.
fn within<T: Send + 'static>(
    deadline: Duration,
    task: impl Future<Output = Result<T, Failed>> + Send + 'static,
) -> Result<T, Failed> {
    // More threads than processors: what can only go wrong between threads should get to.
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_all().build()?;
    let task = runtime.spawn(task);
    let ended = runtime.block_on(async { tokio::time::timeout(deadline, task).await });
    runtime.shutdown_timeout(GRACE.min(deadline));
    match ended {
        Ok(Ok(answer)) => answer,
        Ok(Err(panicked)) => Err(panicked.into()),
        Err(_) => Err(Failed::new(format!("it hangs: no end after {deadline:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    #[test]
    fn what_hangs_is_given_up_whether_it_waits_or_blocks() {
        let waits = within(SOON, std::future::pending::<Result<(), Failed>>());
        assert_eq!(waits.unwrap_err().to_string(), "it hangs: no end after 20ms");
        let (_kept, never) = std::sync::mpsc::channel::<()>();
        let blocks = within(SOON, async move { Ok(never.recv().is_ok()) });
        assert_eq!(blocks.unwrap_err().to_string(), "it hangs: no end after 20ms");
    }

    #[test]
    fn a_panic_is_a_failure_that_tells_why() {
        let panics = within(Size::Ci.deadline(), async { panic!("the backend's own words") });
        let failed: Result<(), Failed> = panics;
        assert!(failed.unwrap_err().to_string().contains("the backend's own words"));
    }
}
