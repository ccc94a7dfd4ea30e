//! The commands, one file each.

pub(crate) mod new;
pub(crate) mod append;
pub(crate) mod list;
pub(crate) mod show;
pub(crate) mod info;
pub(crate) mod meta;
pub(crate) mod title;
pub(crate) mod close;
pub(crate) mod delete;
pub(crate) mod undelete;
pub(crate) mod purge;
pub(crate) mod rewind;
pub(crate) mod compact;
pub(crate) mod redact;
pub(crate) mod forget;
pub(crate) mod fork;
pub(crate) mod import;
pub(crate) mod export;
pub(crate) mod verify;
pub(crate) mod repair;
pub(crate) mod vacuum;
pub(crate) mod spaces;
pub(crate) mod status;
pub(crate) mod copy;
pub(crate) mod check;
pub(crate) mod demo;
