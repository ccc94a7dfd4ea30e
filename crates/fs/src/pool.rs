//! Threads of the store's own, for work that blocks.
//!
//! As many as there is work in flight, up to a bound: syncs that run side by side are merged by
//! the system, and a wait for a lock must not hold a thread of the program's runtime
//! (docs/adr/0002-journal-file-layout.md, 7).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use sessile_core::backend::handover;
use sessile_core::error::{Error, ErrorKind};
use tokio::sync::oneshot;

use crate::failure;

/// The most threads that one store has.
const MOST_THREADS: usize = 32;

/// How long a thread without work stays, while there may be more.
const IDLE: Duration = Duration::from_secs(10);

/// How long a thread looks out for more work before it sleeps, where the last came as soon as that:
/// to be woken takes it about as long, and whoever asks for one thing after the other waits for it.
const LOOKOUT: Duration = Duration::from_micros(50);

type Work = Box<dyn FnOnce() + Send>;

thread_local! {
    /// Where a thread of a pool finds what it does next, without anybody having to wake it.
    static OWN: RefCell<Option<Own>> = const { RefCell::new(None) };
}

/// What a thread of a pool knows of itself.
struct Own {
    pool: Weak<Shared>,
    /// What was added in the course of its work.
    next: Option<Work>,
}

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
    /// Whether there is work for the thread that looks out.
    sighted: AtomicBool,
    /// Whether there is a processor to look out on beside the one of whoever asks.
    has_lookout: bool,
    idle_for: Duration,
}

impl Default for Shared {
    fn default() -> Self {
        let (queue, added) = (Mutex::default(), Condvar::default());
        let has_lookout = std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
        Self { queue, added, sighted: AtomicBool::new(false), has_lookout, idle_for: IDLE }
    }
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    threads: usize,
    /// How many are without work, whether they sleep or look out.
    idle: usize,
    /// Whether one of them looks out, and was not told of work yet.
    is_looked_out: bool,
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
                let _unheard = handover::lend(|| answer.send(done));
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
        let Some(work) = keep_for_this_thread(self.shared(), work) else {
            return Ok(());
        };
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
        if std::mem::take(&mut queue.is_looked_out) {
            self.shared().sighted.store(true, Ordering::Release);
            return Ok(());
        }
        drop(queue);
        self.shared().added.notify_one();
        Ok(())
    }
}

/// Has this thread do work once it is done with what it does, if it is one of the pool's and has
/// nothing to do next; else the work is given back.
///
/// What is added in a pool's own thread follows from an answer that it gave, and it has nothing
/// left to do then.
fn keep_for_this_thread(pool: &Arc<Shared>, work: Work) -> Option<Work> {
    OWN.with_borrow_mut(|own| match own {
        Some(own) if own.next.is_none() && Weak::as_ptr(&own.pool) == Arc::as_ptr(pool) => {
            own.next = Some(work);
            None
        }
        _ => Some(work),
    })
}

/// Does what is waiting, until nothing has come for a while or nothing can come any more.
fn serve(shared: &Arc<Shared>) {
    OWN.set(Some(Own { pool: Arc::downgrade(shared), next: None }));
    let mut queue = shared.lock();
    let mut is_steady = false;
    loop {
        if let Some(work) = queue.waiting.pop_front() {
            drop(queue);
            work();
            while let Some(next) = OWN.with_borrow_mut(|own| own.as_mut()?.next.take()) {
                next();
            }
            queue = shared.lock();
            continue;
        }
        queue.idle += 1;
        let since = Instant::now();
        // Where others are at work the processor is theirs.
        if shared.has_lookout && is_steady && queue.idle == queue.threads && !queue.is_over {
            queue = look_out(shared, queue, since);
        }
        let is_idle = |queue: &mut Queue| queue.waiting.is_empty() && !queue.is_over;
        let waited = shared.added.wait_timeout_while(queue, shared.idle_for, is_idle);
        let (woken, timed_out) = waited.unwrap_or_else(PoisonError::into_inner);
        queue = woken;
        queue.idle -= 1;
        if queue.waiting.is_empty() && (timed_out.timed_out() || queue.is_over) {
            queue.threads -= 1;
            return;
        }
        is_steady = since.elapsed() < LOOKOUT * 2;
    }
}

/// Looks out for work for a moment, without sleeping.
fn look_out<'a>(
    shared: &'a Shared,
    mut queue: MutexGuard<'a, Queue>,
    since: Instant,
) -> MutexGuard<'a, Queue> {
    queue.is_looked_out = true;
    drop(queue);
    while !shared.sighted.swap(false, Ordering::Acquire) && since.elapsed() < LOOKOUT {
        std::hint::spin_loop();
    }
    let mut queue = shared.lock();
    queue.is_looked_out = false;
    // It may have been sighted after the last look.
    shared.sighted.store(false, Ordering::Relaxed);
    queue
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
                done.fetch_add(1, Ordering::Relaxed);
            };
            clone.add(Box::new(work)).unwrap();
        }
        drop(clone);
        // An hour if the threads stayed until they had been idle for long enough.
        while left.strong_count() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(done.load(Ordering::Relaxed), 100);
    }

    #[tokio::test]
    async fn what_is_added_in_the_course_of_work_is_done_next_by_the_same_thread() {
        let pool = Pool::default();
        let (clone, (told, heard)) = (pool.clone(), oneshot::channel());
        let here = || std::thread::current().id();
        let work = move || {
            clone.add(Box::new(move || told.send(here()).unwrap()))?;
            // There is one such place; the next is anybody's.
            clone.add(Box::new(|| {}))?;
            Ok(here())
        };
        let done_by = pool.run(work).await.unwrap();
        assert_eq!(heard.await.unwrap(), done_by);
    }

    #[tokio::test]
    async fn work_is_seen_whether_a_thread_looks_out_for_it_or_sleeps() {
        let idle_for = Duration::from_hours(1);
        let pool = Pool(Arc::new(Owner(Arc::new(Shared { idle_for, ..Shared::default() }))));
        for number in 0..2_000 {
            // An hour if some was overlooked.
            assert_eq!(pool.run(move || Ok(number)).await.unwrap(), number);
            let since = Instant::now();
            while since.elapsed() < Duration::from_micros(number % 100) {
                std::hint::spin_loop();
            }
        }
    }
}
