//! A ledger as its program wrote it, each thing that can be wrong, and bytes of every kind.

mod files;
mod rows;
mod entries;
mod any_ledger;
