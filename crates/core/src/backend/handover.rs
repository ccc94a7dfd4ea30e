//! Answers that are given on a backend's own thread, where whoever waits for one may go on at once.
//!
//! From a thread that blocks to the task that waits for it the way is a wake-up of another thread,
//! and where the task has little left to do that is most of what it costs. A backend that has
//! threads of its own, and is done with its work on one of them, lends it. The other way round,
//! whoever calls a backend while nothing else waits for the calling thread offers that, and what
//! blocks a backend for a moment only is done there.

use std::cell::Cell;
use std::thread::LocalKey;

thread_local! {
    /// Whether whoever is woken may go on in this thread.
    static IS_LENT: Cell<bool> = const { Cell::new(false) };
    /// Whether a backend that is called may block this thread for a moment.
    static IS_SPARE: Cell<bool> = const { Cell::new(false) };
}

/// Sets one of them back, also when what ran in between panicked.
struct Restore(&'static LocalKey<Cell<bool>>, bool);

impl Restore {
    fn setting(flag: &'static LocalKey<Cell<bool>>, to: bool) -> Self {
        Self(flag, flag.replace(to))
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}

/// Lends this thread to whoever is woken by what is done here; it may go on before this returns.
///
/// The thread must be the backend's own and hold no lock: who goes on calls the backend again. It
/// will not block, but may compute for as long as a fold takes.
pub fn lend<T>(answer: impl FnOnce() -> T) -> T {
    let _restore = Restore::setting(&IS_LENT, true);
    answer()
}

/// Takes a thread that was lent, for one: whoever is woken in the course of it goes on elsewhere.
/// None where the thread is not lent.
pub fn borrow<T>(go_on: impl FnOnce() -> T) -> Option<T> {
    let lent = Restore::setting(&IS_LENT, false);
    lent.1.then(go_on)
}

/// Offers this thread to the backends that are called by what is done here.
///
/// Nobody else may be waiting for the thread, as far as the caller knows, and others that come
/// meanwhile must have other threads to go on.
pub fn spare<T>(calls: impl FnOnce() -> T) -> T {
    let _restore = Restore::setting(&IS_SPARE, true);
    calls()
}

/// Whether this thread is offered to a backend: it may block it for less than a millisecond, as far
/// as it can know, and must not wait for anybody on it.
pub fn is_spare() -> bool {
    IS_SPARE.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_lent_within_and_to_one_at_a_time() {
        assert_eq!(borrow(|| 1), None);
        lend(|| {
            assert_eq!(borrow(|| borrow(|| 1)), Some(None));
            assert_eq!(borrow(|| lend(|| borrow(|| 1))), Some(Some(1)));
            assert_eq!(borrow(|| 1), Some(1), "it is lent again afterwards");
        });
        assert_eq!(borrow(|| 1), None);
    }

    #[test]
    fn a_thread_is_spare_within_and_not_beyond() {
        assert!(!is_spare());
        assert!(spare(is_spare));
        assert!(spare(|| spare(is_spare) && is_spare()), "it is still so afterwards");
        assert!(!is_spare());
    }

    #[test]
    fn a_panic_leaves_a_thread_as_it_was() {
        let panic = || std::panic::resume_unwind(Box::new(1));
        assert!(std::panic::catch_unwind(|| lend(panic)).is_err());
        assert_eq!(borrow(|| 1), None);
        assert!(std::panic::catch_unwind(|| spare(panic)).is_err());
        assert!(!is_spare());
    }
}
