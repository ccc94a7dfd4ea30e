//! Work that goes on by itself once it has begun, whatever becomes of whoever waits for it.
//!
//! It begins where it is called, so that the way to the backend has no detour; and whenever there
//! is news for it, it goes on: on the thread that brings the news if that is [lent](handover), else
//! in a task of the runtime. So it depends on its caller for nothing: neither a future that is
//! dropped nor one that is kept and not polled holds anybody up.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::BoxFuture;
use sessile_core::backend::handover;
use tokio::runtime::Handle;
use tokio::task;

/// Begins work in the runtime that this is called in. It is carried through, unless it panics or the
/// runtime is shut down: then it is dropped, by which whoever waits for it has to see that.
pub(crate) fn begin(work: impl Future<Output = ()> + Send + 'static) {
    // It yields to nobody where it is: whoever lends a thread waits for it.
    let work: BoxFuture<'static, ()> = Box::pin(task::unconstrained(work));
    let errand = Errand { runtime: Handle::current(), going: Mutex::new(Going::Runs(false)) };
    Arc::new(errand).run(work);
}

/// Work under way, which is its own waker.
struct Errand {
    runtime: Handle,
    going: Mutex<Going>,
}

enum Going {
    /// It waits for news.
    Rests(BoxFuture<'static, ()>),
    /// It is at work somewhere; and whether there was news since it last looked.
    Runs(bool),
    Ended,
}

impl Errand {
    /// Goes on until it has to wait, or is done.
    fn run(self: Arc<Self>, mut work: BoxFuture<'static, ()>) {
        let waker = Waker::from(Arc::clone(&self));
        let _entered = self.runtime.enter();
        loop {
            let mut context = Context::from_waker(&waker);
            let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(&mut context)));
            let mut going = self.lock();
            match (polled, &*going) {
                (Ok(Poll::Pending), Going::Runs(true)) => *going = Going::Runs(false),
                (Ok(Poll::Pending), _) => {
                    *going = Going::Rests(work);
                    return;
                }
                (Ok(Poll::Ready(())) | Err(_), _) => {
                    *going = Going::Ended;
                    return;
                }
            }
        }
    }

    /// What is changed under the lock is changed at once, so a holder that panicked leaves it
    /// whole.
    fn lock(&self) -> MutexGuard<'_, Going> {
        self.going.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Errand {
    fn wake(self: Arc<Self>) {
        let work = {
            let mut going = self.lock();
            match std::mem::replace(&mut *going, Going::Runs(true)) {
                Going::Rests(work) => {
                    *going = Going::Runs(false);
                    work
                }
                Going::Runs(_) => return,
                Going::Ended => {
                    *going = Going::Ended;
                    return;
                }
            }
        };
        let mut work = Some(work);
        let here = || work.take().map(|work| Arc::clone(&self).run(work));
        if handover::borrow(here).is_none()
            && let Some(work) = work
        {
            let runtime = self.runtime.clone();
            // A runtime that is shut down drops the work, which tells whoever waits for it.
            drop(runtime.spawn(async move { self.run(work) }));
        }
    }
}

impl fmt::Debug for Errand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Errand").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::{self, ThreadId};
    use tokio::sync::oneshot;
    use tokio::sync::oneshot::Receiver;
    use tokio::task::yield_now;

    /// Work that waits for news, and tells on which thread it went on.
    fn waiting(news: Receiver<()>) -> Receiver<ThreadId> {
        let (answer, answered) = oneshot::channel();
        begin(async move {
            news.await.unwrap();
            answer.send(thread::current().id()).unwrap();
        });
        answered
    }

    #[tokio::test]
    async fn it_goes_on_where_the_news_comes_from_if_that_thread_is_lent() {
        let (news, heard) = oneshot::channel();
        let mut answered = waiting(heard);
        let lender = thread::spawn(move || {
            handover::lend(|| news.send(())).unwrap();
            (thread::current().id(), answered.try_recv())
        });
        let (lender, went_on) = lender.join().unwrap();
        assert_eq!(went_on, Ok(lender));
    }

    #[tokio::test]
    async fn it_goes_on_in_the_runtime_if_the_thread_is_not_lent() {
        let (news, heard) = oneshot::channel();
        let answered = waiting(heard);
        thread::spawn(move || news.send(()).unwrap()).join().unwrap();
        assert_eq!(answered.await, Ok(thread::current().id()));
    }

    #[tokio::test]
    async fn one_that_has_news_for_another_does_not_lend_on() {
        let ((first, heard), (second, heard_too)) = (oneshot::channel(), oneshot::channel());
        let other = waiting(heard_too);
        begin(async move {
            heard.await.unwrap();
            second.send(()).unwrap();
        });
        thread::spawn(move || handover::lend(|| first.send(())).unwrap()).join().unwrap();
        assert_eq!(other.await, Ok(thread::current().id()));
    }

    #[tokio::test]
    async fn news_that_comes_while_it_is_at_work_is_not_lost() {
        let (answer, answered) = oneshot::channel();
        begin(async move {
            for _ in 0..100 {
                yield_now().await;
            }
            answer.send(7).unwrap();
        });
        assert_eq!(answered.await, Ok(7));
    }

    #[tokio::test]
    async fn whoever_waits_for_work_that_panics_is_told_and_the_lender_goes_on() {
        let (news, heard) = oneshot::channel::<()>();
        let (answer, answered) = oneshot::channel::<()>();
        begin(async move {
            let _answer = answer;
            heard.await.unwrap();
            std::panic::resume_unwind(Box::new(1));
        });
        let lender = thread::spawn(move || handover::lend(|| news.send(())).is_ok());
        assert!(lender.join().unwrap());
        assert!(answered.await.is_err());
    }

    #[test]
    fn a_runtime_that_is_shut_down_drops_it() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (news, heard) = oneshot::channel();
        let entered = runtime.enter();
        let mut answered = waiting(heard);
        drop(entered);
        drop(runtime);
        news.send(()).unwrap();
        assert_eq!(answered.try_recv(), Err(oneshot::error::TryRecvError::Closed));
    }
}
