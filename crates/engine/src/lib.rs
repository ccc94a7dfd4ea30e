//! Stores and sessions over any backend of sessile.
