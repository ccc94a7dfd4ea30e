//! The append of an asynchronous caller: it blocks a thread, so it runs on another one.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::journal::Journal;
use super::rotation::Contender;

/// Where a blocking append runs.
pub(crate) enum Hop {
    /// On the pool that the runtime keeps for everybody.
    Runtime,
    /// On threads that do nothing else.
    Own(Pool),
}

impl Hop {
    pub(crate) fn own(threads: usize) -> io::Result<Self> {
        Pool::of(threads).map(Self::Own)
    }

    async fn append(&self, mut journal: Journal, index: usize) -> io::Result<Journal> {
        let work = move || journal.append(index).map(|()| journal);
        match self {
            Self::Runtime => tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?,
            Self::Own(pool) => {
                let (answer, answered) = oneshot::channel();
                // Nobody waits any more if the answer cannot be sent.
                pool.submit(Box::new(move || drop(answer.send(work()))));
                answered.await.map_err(io::Error::other)?
            }
        }
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// Threads that take jobs from one queue.
pub(crate) struct Pool {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    /// No further job comes after `None`.
    jobs: Mutex<VecDeque<Option<Job>>>,
    filled: Condvar,
}

impl Queue {
    fn push(&self, job: Option<Job>) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).push_back(job);
        self.filled.notify_one();
    }

    fn pop(&self) -> Option<Job> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = jobs.pop_front() {
                return job;
            }
            jobs = self.filled.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Pool {
    fn of(threads: usize) -> io::Result<Self> {
        let queue = Arc::<Queue>::default();
        let start = |_| {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new().spawn(move || {
                while let Some(job) = queue.pop() {
                    job();
                }
            })
        };
        let threads = (0..threads).map(start).collect::<io::Result<_>>()?;
        Ok(Self { queue, threads })
    }

    fn submit(&self, job: Job) {
        self.queue.push(Some(job));
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for _ in &self.threads {
            self.queue.push(None);
        }
        for thread in self.threads.drain(..) {
            // A panic in a job has been printed, and its caller has seen no answer.
            drop(thread.join());
        }
    }
}

/// Tasks that each append to a session of its own, a few messages in turn.
pub(crate) struct Sessions {
    runtime: Runtime,
    hop: Arc<Hop>,
    journals: Vec<Journal>,
    each: usize,
}

impl Sessions {
    pub(crate) fn new(journals: Vec<Journal>, each: usize, hop: Hop) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().build()?;
        Ok(Self { runtime, hop: Arc::new(hop), journals, each })
    }
}

impl Contender for Sessions {
    fn operate(&mut self, index: usize) -> io::Result<()> {
        let mut tasks = JoinSet::new();
        let messages = (index * self.each)..((index + 1) * self.each);
        for mut journal in self.journals.drain(..) {
            let (hop, messages) = (Arc::clone(&self.hop), messages.clone());
            let append = async move {
                for message in messages {
                    journal = hop.append(journal, message).await?;
                }
                Ok::<_, io::Error>(journal)
            };
            tasks.spawn_on(append, self.runtime.handle());
        }
        self.journals =
            self.runtime.block_on(tasks.join_all()).into_iter().collect::<io::Result<_>>()?;
        Ok(())
    }
}
