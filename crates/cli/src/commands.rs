//! The commands, one file each.

pub(crate) mod new;
pub(crate) mod append;
pub(crate) mod list;
pub(crate) mod show;
pub(crate) mod info;
pub(crate) mod verify;
pub(crate) mod import;
pub(crate) mod demo;
