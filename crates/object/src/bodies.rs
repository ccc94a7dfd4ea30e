//! Log objects and merged ranges that were read, for when they are read again: they never change
//! but by a removal, of which whoever looks at the end of the log is told.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use object_store::path::Path;

/// How many bytes are kept.
const KEPT: usize = 16 << 20;

/// How many bytes of one object are worth keeping: larger ones are worth a request each.
const LARGEST: usize = 2 << 20;

/// The log objects that were read last.
#[derive(Default)]
pub(crate) struct Bodies(Mutex<Held>);

#[derive(Default)]
struct Held {
    by_path: HashMap<Path, Body>,
    /// Oldest first.
    order: VecDeque<Path>,
    bytes: usize,
}

struct Body {
    bytes: Bytes,
    /// What said that data was removed when it was read.
    masked: String,
}

impl Bodies {
    /// The bytes of an object, if no data was removed since they were read.
    pub(crate) fn of(&self, path: &Path, masked: &str) -> Option<Bytes> {
        let held = self.lock();
        held.by_path.get(path).filter(|body| body.masked == masked).map(|body| body.bytes.clone())
    }

    /// Keeps the bytes of an object, and lets go of others.
    pub(crate) fn keep(&self, path: Path, masked: &str, bytes: Bytes) {
        if bytes.len() > LARGEST {
            return;
        }
        let mut held = self.lock();
        held.bytes += bytes.len();
        let body = Body { bytes, masked: masked.to_owned() };
        match held.by_path.insert(path.clone(), body) {
            Some(before) => held.bytes -= before.bytes.len(),
            None => held.order.push_back(path),
        }
        while held.bytes > KEPT
            && let Some(oldest) = held.order.pop_front()
        {
            let body = held.by_path.remove(&oldest);
            held.bytes -= body.map_or(0, |body| body.bytes.len());
        }
    }

    /// What is kept stays true whoever panicked with it.
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Bodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = self.lock();
        write!(f, "Bodies({} objects, {} bytes)", held.by_path.len(), held.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_before_a_removal_is_not_given_again() {
        let bodies = Bodies::default();
        bodies.keep("a".into(), "", Bytes::from_static(b"secret"));
        assert_eq!(bodies.of(&"a".into(), "").as_deref(), Some(&b"secret"[..]));
        assert_eq!(bodies.of(&"a".into(), "1"), None);
        bodies.keep("a".into(), "1", Bytes::from_static(b"masked"));
        assert_eq!(bodies.of(&"a".into(), "1").as_deref(), Some(&b"masked"[..]));
        assert_eq!(bodies.of(&"a".into(), ""), None);
    }

    #[test]
    fn no_more_is_kept_than_is_allowed() {
        let bodies = Bodies::default();
        bodies.keep("large".into(), "", vec![0; LARGEST + 1].into());
        assert_eq!(bodies.of(&"large".into(), ""), None);
        for number in 0..KEPT / LARGEST + 2 {
            bodies.keep(number.to_string().into(), "", vec![0; LARGEST].into());
        }
        assert_eq!((bodies.of(&"0".into(), ""), bodies.of(&"1".into(), "")), (None, None));
        assert!(bodies.of(&"2".into(), "").is_some());
        assert!(bodies.lock().bytes <= KEPT);
    }
}
