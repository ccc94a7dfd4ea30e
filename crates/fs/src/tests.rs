//! What needs failures of the filesystem that no real one gives when asked.

mod stage;
mod disk;
mod in_place;
mod naming;
mod images_pages;
mod images;
mod powercut;
mod documents;
mod powercut_operations;
mod life;
mod powercut_removals;
mod private;
mod links;
mod private_files;
mod killed;
mod purging;
mod takeover;
mod proof;
