//! Tasks that run at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sessile_core::Backend;
use tokio::sync::Barrier;

use crate::failed::Failed;
use crate::fixture::Place;

/// Opens a number of handles on a place.
pub(crate) async fn handles(
    place: &dyn Place,
    count: usize,
) -> Result<Vec<Arc<dyn Backend>>, Failed> {
    let mut handles = Vec::with_capacity(count);
    for _ in 0..count {
        handles.push(place.handle().await?);
    }
    Ok(handles)
}

/// Runs tasks at once, none before all are there; answers in their order.
pub(crate) async fn together<T, F>(tasks: Vec<F>) -> Result<Vec<T>, Failed>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Failed>> + Send + 'static,
{
    let barrier = Arc::new(Barrier::new(tasks.len()));
    let start = |task: F| {
        let barrier = Arc::clone(&barrier);
        tokio::spawn(async move {
            barrier.wait().await;
            task.await
        })
    };
    let started: Vec<_> = tasks.into_iter().map(start).collect();
    let mut answers = Vec::with_capacity(started.len());
    for task in started {
        answers.push(task.await??);
    }
    Ok(answers)
}

/// Looks, each in a task of its own, while something is written: once before it begins, then
/// again and again, and once after its end.
pub(crate) async fn beside<L, F, W>(looks: Vec<L>, writing: W) -> Result<(), Failed>
where
    L: Fn() -> F + Send + 'static,
    F: Future<Output = Result<(), Failed>> + Send,
    W: Future<Output = Result<(), Failed>>,
{
    let done = Arc::new(AtomicBool::new(false));
    let barrier = Arc::new(Barrier::new(looks.len() + 1));
    let start = |look: L| {
        let (done, barrier) = (Arc::clone(&done), Arc::clone(&barrier));
        tokio::spawn(async move {
            let first = look().await;
            // One that failed still lets the others begin.
            barrier.wait().await;
            first?;
            loop {
                let is_last = done.load(Ordering::Acquire);
                look().await?;
                if is_last {
                    return Ok::<_, Failed>(());
                }
                tokio::task::yield_now().await;
            }
        })
    };
    let started: Vec<_> = looks.into_iter().map(start).collect();
    barrier.wait().await;
    let written = writing.await;
    done.store(true, Ordering::Release);
    let mut seen = Ok(());
    for look in started {
        seen = seen.and(look.await?);
    }
    written.and(seen)
}
