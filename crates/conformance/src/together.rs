//! Tasks that run at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sessile_core::Backend;
use tokio::sync::{Barrier, Semaphore};

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
///
/// Nobody who looks waits for the writing to begin. It would begin where nobody is in the midst of
/// a look, and might be over before anybody is.
pub(crate) async fn beside<L, F, W>(looks: Vec<L>, writing: W) -> Result<(), Failed>
where
    L: Fn() -> F + Send + 'static,
    F: Future<Output = Result<(), Failed>> + Send,
    W: Future<Output = Result<(), Failed>>,
{
    let done = Arc::new(AtomicBool::new(false));
    let begun = Arc::new(Semaphore::new(0));
    let count = u32::try_from(looks.len())?;
    let start = |look: L| {
        let (done, begun) = (Arc::clone(&done), Arc::clone(&begun));
        tokio::spawn(async move {
            let first = look().await;
            // One that failed still lets the writing begin.
            begun.add_permits(1);
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
    begun.acquire_many(count).await?.forget();
    let written = writing.await;
    done.store(true, Ordering::Release);
    let mut seen = Ok(());
    for look in started {
        seen = seen.and(look.await?);
    }
    written.and(seen)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;
    use crate::failed::ensure;

    /// Waits, for a while only, until somebody has looked so often.
    async fn looked(count: &AtomicU32, often: u32) -> Result<(), Failed> {
        for _ in 0..1_000 {
            if count.load(Ordering::Relaxed) >= often {
                return Ok(());
            }
            tokio::task::yield_now().await;
        }
        Err(Failed::new("whoever looks waits for the others"))
    }

    #[test]
    fn whoever_looks_goes_on_until_the_writing_begins() -> Result<(), Failed> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let count = Arc::new(AtomicU32::new(0));
        let looks = [false, true].map(|is_slow| {
            let count = Arc::clone(&count);
            move || {
                let count = Arc::clone(&count);
                async move {
                    if is_slow {
                        return looked(&count, 3).await;
                    }
                    count.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                }
            }
        });
        let writing = async {
            ensure!(count.load(Ordering::Relaxed) >= 3, "it begins before all have looked");
            Ok(())
        };
        runtime.block_on(beside(looks.into(), writing))
    }
}
