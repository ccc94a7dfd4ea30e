//! Threads of the store's own, for work that blocks.
//!
//! As many as there is work in flight, up to a bound: syncs that run side by side are merged by
//! the system, and a wait for a lock must not hold a thread of the program's runtime
//! (docs/adr/0002-journal-file-layout.md, 7).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::Thread;
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

/// What a thread does, in two steps: in the second it counts as one that is about to be free, so
/// that whoever is answered, and asks for more, has it wait for this thread and makes no other.
trait Step: Send {
    /// Does the work.
    fn carry_out(&mut self);

    /// Tells whoever waits for it.
    fn answer(self: Box<Self>);
}

type Work = Box<dyn Step>;

/// Work that somebody waits for.
struct Asked<W, T> {
    work: Option<W>,
    done: Option<Result<T, Error>>,
    answer: oneshot::Sender<Result<T, Error>>,
}

impl<W, T> Step for Asked<W, T>
where
    W: FnOnce() -> Result<T, Error> + Send,
    T: Send,
{
    fn carry_out(&mut self) {
        self.done = self.work.take().map(|work| work());
    }

    fn answer(self: Box<Self>) {
        let Self { done, answer, .. } = *self;
        if let Some(done) = done {
            // Nobody waits any more: what was done stays done.
            let _unheard = handover::lend(|| answer.send(done));
        }
    }
}

/// A value that is dropped.
struct Dropped<T>(Option<T>);

impl<T: Send> Step for Dropped<T> {
    fn carry_out(&mut self) {
        drop(self.0.take());
    }

    fn answer(self: Box<Self>) {}
}

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
        let mut queue = self.0.lock();
        queue.is_over = true;
        queue.idle.iter().for_each(|seat| seat.thread.unpark());
    }
}

struct Shared {
    queue: Mutex<Queue>,
    /// Whether there is a processor to look out on beside the one of whoever asks.
    has_lookout: bool,
    idle_for: Duration,
}

impl Default for Shared {
    fn default() -> Self {
        let has_lookout = std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
        Self { queue: Mutex::default(), has_lookout, idle_for: IDLE }
    }
}

#[derive(Default)]
struct Queue {
    /// What no thread is free for: it waits for those that answer, or as many as may be are busy.
    waiting: VecDeque<Work>,
    threads: usize,
    /// How many are done with their work and just tell of it; each takes one of those that wait.
    answering: usize,
    /// The threads without work, those that look out too; the last that was busy at the end. It
    /// is given work first: what it needs is in its processor's caches, and it may not sleep yet.
    idle: Vec<Arc<Seat>>,
    /// Whether there will be no more work than is waiting.
    is_over: bool,
}

/// Where a thread is given work.
struct Seat {
    thread: Thread,
    given: Mutex<Option<Work>>,
    /// Whether something was given, to be asked without the lock.
    is_given: AtomicBool,
}

impl Seat {
    fn of_this_thread() -> Arc<Self> {
        let (given, is_given) = (Mutex::default(), AtomicBool::new(false));
        Arc::new(Self { thread: std::thread::current(), given, is_given })
    }

    /// Gives the thread work; it has none, and nobody else gives it any.
    fn give(&self, work: Work) {
        *self.given.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
        self.is_given.store(true, Ordering::Release);
        self.thread.unpark();
    }

    fn take(&self) -> Option<Work> {
        if !self.is_given.swap(false, Ordering::Acquire) {
            return None;
        }
        self.given.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
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
        self.add(Box::new(Asked { work: Some(work), done: None, answer }))?;
        answered.await.unwrap_or_else(|_| {
            let clause = "the work on the files was broken off by a fault of this program";
            Err(Error::new(ErrorKind::Unavailable, clause).outcome_unknown())
        })
    }

    /// Drops a value on one of the threads, since that may block.
    pub(crate) fn drop_there(&self, value: impl Send + 'static) {
        // Without a thread it is dropped here.
        let _no_thread = self.add(Box::new(Dropped(Some(value))));
    }

    fn add(&self, work: Work) -> Result<(), Error> {
        match keep_for_this_thread(self.shared(), work) {
            Some(work) => hand_out(self.shared(), work),
            None => Ok(()),
        }
    }
}

/// Gives work to a thread that has none or is about to have none, or to a new one.
fn hand_out(shared: &Arc<Shared>, work: Work) -> Result<(), Error> {
    let mut queue = shared.lock();
    if queue.waiting.len() < queue.answering {
        queue.waiting.push_back(work);
        return Ok(());
    }
    if let Some(seat) = queue.idle.pop() {
        drop(queue);
        seat.give(work);
        return Ok(());
    }
    queue.waiting.push_back(work);
    if queue.threads < MOST_THREADS {
        let serving = Arc::clone(shared);
        let started = std::thread::Builder::new()
            .name("sessile-fs".to_owned())
            .spawn(move || serve(&serving));
        match started {
            Ok(_detached) => queue.threads += 1,
            Err(error) if queue.threads == 0 => {
                queue.waiting.pop_back();
                return Err(failure::unavailable("no thread to work on the files on", error));
            }
            // Those that there are will come to it.
            Err(_) => {}
        }
    }
    Ok(())
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

/// Does what is waiting or given, until nothing has come for a while or nothing can come any more.
fn serve(shared: &Arc<Shared>) {
    OWN.set(Some(Own { pool: Arc::downgrade(shared), next: None }));
    let seat = Seat::of_this_thread();
    let mut is_steady = false;
    let mut queue = shared.lock();
    loop {
        let work = if let Some(work) = queue.waiting.pop_front() {
            drop(queue);
            work
        } else if queue.is_over {
            queue.threads -= 1;
            return;
        } else {
            queue.idle.push(Arc::clone(&seat));
            // Where others are at work the processor is theirs.
            let looks_out = shared.has_lookout && is_steady && queue.idle.len() == queue.threads;
            drop(queue);
            let since = Instant::now();
            let Some(work) = wait(shared, &seat, (since, looks_out)) else {
                return;
            };
            is_steady = since.elapsed() < LOOKOUT * 2;
            work
        };
        queue = carry_out(shared, work);
    }
}

/// Does work, and what was kept for this thread in the course of its answers.
fn carry_out(shared: &Arc<Shared>, mut work: Work) -> MutexGuard<'_, Queue> {
    loop {
        // What panics in it, or hears of it and panics, takes no thread with it.
        let _not_done = catch_unwind(AssertUnwindSafe(|| work.carry_out()));
        shared.lock().answering += 1;
        let _not_heard = catch_unwind(AssertUnwindSafe(|| work.answer()));
        let next = OWN.with_borrow_mut(|own| own.as_mut()?.next.take());
        let mut queue = shared.lock();
        queue.answering -= 1;
        let Some(next) = next else {
            return queue;
        };
        // What was left to this thread must not wait for that.
        let left = (queue.waiting.len() > queue.answering).then(|| queue.waiting.pop_front());
        drop(queue);
        if let Some(left) = left.flatten() {
            // It waits again where there is neither a thread nor one to be had.
            let _waiting = hand_out(shared, left);
        }
        work = next;
    }
}

/// Waits to be given work, for a moment without sleeping if this thread looks out; none where it
/// is to end, and is no longer counted.
fn wait(shared: &Shared, seat: &Arc<Seat>, (since, looks_out): (Instant, bool)) -> Option<Work> {
    while looks_out && since.elapsed() < LOOKOUT {
        if let Some(work) = seat.take() {
            return Some(work);
        }
        std::hint::spin_loop();
    }
    loop {
        if let Some(work) = seat.take() {
            return Some(work);
        }
        // Whoever gives work, or ends the pool, does so before it wakes this thread.
        std::thread::park_timeout(shared.idle_for.saturating_sub(since.elapsed()));
        if let Some(work) = seat.take() {
            return Some(work);
        }
        let mut queue = shared.lock();
        if queue.is_over || since.elapsed() >= shared.idle_for {
            let place = queue.idle.iter().position(|idle| Arc::ptr_eq(idle, seat));
            if let Some(place) = place {
                queue.idle.remove(place);
                queue.threads -= 1;
                return None;
            }
            // It was taken from there to be given work, which is about to come.
        }
    }
}

#[cfg(test)]
mod tests;
