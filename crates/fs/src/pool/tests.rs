use super::*;

/// Work that nobody waits for.
struct Unasked<W>(Option<W>);

impl<W: FnOnce() + Send> Step for Unasked<W> {
    fn carry_out(&mut self) {
        self.0.take().unwrap()();
    }

    fn answer(self: Box<Self>) {}
}

fn unasked(work: impl FnOnce() + Send + 'static) -> Work {
    Box::new(Unasked(Some(work)))
}

/// Answers by adding work that this thread keeps, and work of another thread.
struct Answers(Pool, Arc<Mutex<Vec<&'static str>>>, oneshot::Sender<()>);
impl Step for Answers {
    fn carry_out(&mut self) {}

    fn answer(self: Box<Self>) {
        let Self(pool, done, told) = *self;
        let (start, started) = std::sync::mpsc::channel::<()>();
        let next = Arc::clone(&done);
        let kept = unasked(move || {
            // For ever, if the other waited for this.
            started.recv().unwrap();
            next.lock().unwrap().push("kept");
            told.send(()).unwrap();
        });
        pool.add(kept).unwrap();
        let other = move || {
            done.lock().unwrap().push("other");
            start.send(()).unwrap();
        };
        let adding = std::thread::spawn(move || pool.add(unasked(other)).unwrap());
        adding.join().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_request_after_the_other_is_served_by_one_thread() {
    let pool = Pool::default();
    for number in 0..5_000 {
        assert_eq!(pool.run(move || Ok(number)).await.unwrap(), number);
    }
    assert_eq!(pool.shared().lock().threads, 1);
}

#[tokio::test]
async fn what_waits_for_a_thread_that_answers_does_not_wait_for_what_that_does_next() {
    let pool = Pool::default();
    let (clone, done) = (pool.clone(), Arc::new(Mutex::new(Vec::new())));
    let (told, heard) = oneshot::channel();
    pool.add(Box::new(Answers(clone, Arc::clone(&done), told))).unwrap();
    heard.await.unwrap();
    assert_eq!(*done.lock().unwrap(), ["other", "kept"]);
}

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
        queue.idle.len() < queue.threads
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
        clone.add(unasked(work)).unwrap();
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
        clone.add(unasked(move || told.send(here()).unwrap()))?;
        // There is one such place; the next is anybody's.
        clone.add(unasked(|| {}))?;
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
