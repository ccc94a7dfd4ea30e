//! The in-memory backend of sessile, and the reference for every other.
