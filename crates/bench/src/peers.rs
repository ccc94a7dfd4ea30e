//! What people keep sessions in without sessile, each with the settings it documents as durable.

pub(crate) mod peer;

mod sqlite;
mod redb;
mod fjall;
mod jsonl;
mod whole;

pub(crate) mod kind;
