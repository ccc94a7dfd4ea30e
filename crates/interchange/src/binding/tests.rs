//! Golden files, what files become, the rules of turns, and bytes of every kind.

mod files;
mod changes;
mod turns;
