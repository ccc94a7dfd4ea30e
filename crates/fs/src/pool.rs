//! Threads of the store's own, for work that blocks.
//!
//! As many as there is work in flight, up to a bound: syncs that run side by side are merged by
//! the system, and a wait for a lock must not hold a thread of the program's runtime
//! (docs/adr/0002-journal-file-layout.md, 7).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sessile_core::error::{Error, ErrorKind};
use tokio::sync::oneshot;

use crate::failure;

/// The most threads that one store has.
const MOST_THREADS: usize = 32;

/// How long a thread without work stays.
const IDLE: Duration = Duration::from_secs(10);

type Work = Box<dyn FnOnce() + Send>;

/// The threads of one store; they end when nobody has work for them.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    added: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    threads: usize,
    idle: usize,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("threads", &self.0.lock().threads).finish()
    }
}

impl Shared {
    /// Work that panics does so outside of the lock, so what it guards is whole.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// Does work on one of the threads; it is carried through even when nobody waits for it.
    ///
    /// # Errors
    /// Those of the work; *unavailable* with an unknown outcome when it panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, answered) = oneshot::channel();
        self.add(Box::new(move || {
            if let Ok(done) = catch_unwind(AssertUnwindSafe(work)) {
                // Nobody waits any more: what was done stays done.
                let _unheard = answer.send(done);
            }
        }))?;
        answered.await.unwrap_or_else(|_| {
            let clause = "the work on the files was broken off by a fault of this program";
            Err(Error::new(ErrorKind::Unavailable, clause).outcome_unknown())
        })
    }

    fn add(&self, work: Work) -> Result<(), Error> {
        let mut queue = self.0.lock();
        if queue.idle <= queue.waiting.len() && queue.threads < MOST_THREADS {
            let shared = Arc::clone(&self.0);
            let started = std::thread::Builder::new()
                .name("sessile-fs".to_owned())
                .spawn(move || serve(&shared));
            match started {
                Ok(_detached) => queue.threads += 1,
                Err(error) if queue.threads == 0 => {
                    return Err(failure::unavailable("no thread to work on the files on", error));
                }
                // Those that there are will come to it.
                Err(_) => {}
            }
        }
        queue.waiting.push_back(work);
        drop(queue);
        self.0.added.notify_one();
        Ok(())
    }
}

/// Does what is waiting, until nothing has come for a while.
fn serve(shared: &Shared) {
    let mut queue = shared.lock();
    loop {
        if let Some(work) = queue.waiting.pop_front() {
            drop(queue);
            work();
            queue = shared.lock();
            continue;
        }
        queue.idle += 1;
        let waited = shared.added.wait_timeout_while(queue, IDLE, |queue| queue.waiting.is_empty());
        let (woken, timed_out) = waited.unwrap_or_else(PoisonError::into_inner);
        queue = woken;
        queue.idle -= 1;
        if timed_out.timed_out() && queue.waiting.is_empty() {
            queue.threads -= 1;
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_panics_is_told_and_takes_no_thread_with_it() {
        let pool = Pool::default();
        let error = pool.run::<()>(|| panic!("a fault")).await.unwrap_err();
        assert_eq!(error.outcome(), sessile_core::error::Outcome::Unknown);
        for number in 0..100 {
            assert_eq!(pool.run(move || Ok(number)).await.unwrap(), number);
        }
        // A thread that was lost would be counted and never be idle again.
        let busy = || {
            let queue = pool.0.lock();
            queue.idle < queue.threads
        };
        while busy() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    #[expect(clippy::await_holding_lock, reason = "what holds the work up is held on purpose")]
    async fn more_work_than_threads_is_all_done_and_not_by_more_threads_than_allowed() {
        let pool = Pool::default();
        let held = Arc::new(Mutex::new(()));
        let guard = held.lock().unwrap();
        let tasks: Vec<_> = (0..100)
            .map(|number| {
                let (pool, held) = (pool.clone(), Arc::clone(&held));
                tokio::spawn(async move {
                    pool.run(move || {
                        drop(held.lock());
                        Ok(number)
                    })
                    .await
                })
            })
            .collect();
        while pool.0.lock().threads < MOST_THREADS {
            tokio::task::yield_now().await;
        }
        drop(guard);
        for (number, task) in tasks.into_iter().enumerate() {
            assert_eq!(task.await.unwrap().unwrap(), number);
        }
        assert_eq!(pool.0.lock().threads, MOST_THREADS);
    }
}
