//! Golden files, the rules of suspended runs, and values of every kind.

mod files;
mod identities;
mod restoring;
mod suspended;
mod any_snapshot;
