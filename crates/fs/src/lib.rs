//! The local filesystem backend of sessile: one file a journal.
