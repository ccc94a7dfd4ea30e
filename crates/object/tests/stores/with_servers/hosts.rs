//! Several hosts on one place: processes and clients that share nothing but the bucket.

mod processes;
mod creating;
mod sending;
