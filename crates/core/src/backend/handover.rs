//! Answers that are given on a backend's own thread, where whoever waits for one may go on at once.
//!
//! From a thread that blocks to the task that waits for it the way is a wake-up of another thread,
//! and where the task has little left to do that is most of what it costs. A backend that has
//! threads of its own, and is done with its work on one of them, lends it.

use std::cell::Cell;

thread_local! {
    /// Whether whoever is woken may go on in this thread.
    static IS_LENT: Cell<bool> = const { Cell::new(false) };
}

/// Sets it back, also when what ran in between panicked.
struct Restore(bool);

impl Drop for Restore {
    fn drop(&mut self) {
        IS_LENT.set(self.0);
    }
}

/// Lends this thread to whoever is woken by what is done here; it may go on before this returns.
///
/// The thread must be the backend's own and hold no lock: who goes on calls the backend again. It
/// will not block, but may compute for as long as a fold takes.
pub fn lend<T>(answer: impl FnOnce() -> T) -> T {
    let _restore = Restore(IS_LENT.replace(true));
    answer()
}

/// Takes a thread that was lent, for one: whoever is woken in the course of it goes on elsewhere.
/// None where the thread is not lent.
pub fn borrow<T>(go_on: impl FnOnce() -> T) -> Option<T> {
    let lent = Restore(IS_LENT.replace(false));
    lent.0.then(go_on)
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
    fn a_panic_leaves_a_thread_as_it_was() {
        let panicked = std::panic::catch_unwind(|| lend(|| std::panic::resume_unwind(Box::new(1))));
        assert!(panicked.is_err());
        assert_eq!(borrow(|| 1), None);
    }
}
