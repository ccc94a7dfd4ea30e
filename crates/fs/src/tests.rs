//! What needs failures of the filesystem that no real one gives when asked.

mod stage;
mod disk;
mod naming;
