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

/// How long a thread without work stays, while there may be more.
const IDLE: Duration = Duration::from_secs(10);

type Work = Box<dyn FnOnce() + Send>;

/// The threads of one store; they end when nobody has work for them, and with the last clone.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Owner>);

/// What the clones share and the threads do not: with it goes whoever could have work for them.
#[derive(Default)]
struct Owner(Arc<Shared>);

impl Drop for Owner {
    fn drop(&mut self) {
        // What is waiting is still done. Nobody waits for the threads here: the last clone may go
        // on one of them, or where nothing may block.
        self.0.lock().is_over = true;
        self.0.added.notify_all();
    }
}

struct Shared {
    queue: Mutex<Queue>,
    /// Notified when there is work, and when there will be no more.
    added: Condvar,
    idle_for: Duration,
}

impl Default for Shared {
    fn default() -> Self {
        Self { queue: Mutex::default(), added: Condvar::default(), idle_for: IDLE }
    }
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    threads: usize,
    idle: usize,
    /// Whether there will be no more work than is waiting.
    is_over: bool,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("threads", &self.shared().lock().threads).finish()
    }
}

impl Shared {
    /// Work that panics does so outside of the lock, so what it guards is whole.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    fn shared(&self) -> &Arc<Shared> {
        &self.0.0
    }

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

    /// Drops a value on one of the threads, since that may block.
    pub(crate) fn drop_there(&self, value: impl Send + 'static) {
        // Without a thread it is dropped here.
        let _no_thread = self.add(Box::new(move || drop(value)));
    }

    fn add(&self, work: Work) -> Result<(), Error> {
        let mut queue = self.shared().lock();
        if queue.idle <= queue.waiting.len() && queue.threads < MOST_THREADS {
            let shared = Arc::clone(self.shared());
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
        self.shared().added.notify_one();
        Ok(())
    }
}

/// Does what is waiting, until nothing has come for a while or nothing can come any more.
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
        let is_idle = |queue: &mut Queue| queue.waiting.is_empty() && !queue.is_over;
        let waited = shared.added.wait_timeout_while(queue, shared.idle_for, is_idle);
        let (woken, timed_out) = waited.unwrap_or_else(PoisonError::into_inner);
        queue = woken;
        queue.idle -= 1;
        if queue.waiting.is_empty() && (timed_out.timed_out() || queue.is_over) {
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
            let queue = pool.shared().lock();
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
        while pool.shared().lock().threads < MOST_THREADS {
            tokio::task::yield_now().await;
        }
        drop(guard);
        for (number, task) in tasks.into_iter().enumerate() {
            assert_eq!(task.await.unwrap().unwrap(), number);
        }
        assert_eq!(pool.shared().lock().threads, MOST_THREADS);
    }

    #[tokio::test]
    async fn threads_end_with_the_last_clone_and_do_before_what_was_waiting() {
        let idle_for = Duration::from_hours(1);
        let shared = Arc::new(Shared { idle_for, ..Shared::default() });
        let left = Arc::downgrade(&shared);
        let pool = Pool(Arc::new(Owner(shared)));
        let clone = pool.clone();
        pool.run(|| Ok(())).await.unwrap();
        drop(pool);
        assert_eq!(clone.run(|| Ok(7)).await.unwrap(), 7, "a clone is a pool");
        // More than there are threads, of which nobody waits for any.
        let done = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        for _ in 0..100 {
            let done = Arc::clone(&done);
            let work = move || {
                done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            };
            clone.add(Box::new(work)).unwrap();
        }
        drop(clone);
        // An hour if the threads stayed until they had been idle for long enough.
        while left.strong_count() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(done.load(std::sync::atomic::Ordering::Relaxed), 100);
    }
}
