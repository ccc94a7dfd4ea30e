//! The programs in the pages below `docs`, so that they compile and run.

/// The README's.
#[doc = include_str!("../../../README.md")]
#[derive(Debug)]
pub struct Readme;

/// Those of the page on harnesses.
#[doc = include_str!("../../../docs/guide/harness.md")]
#[derive(Debug)]
pub struct Harness;

/// Those of the page on moving from files of one's own.
#[doc = include_str!("../../../docs/guide/moving.md")]
#[derive(Debug)]
pub struct Moving;

/// Those of the page on S3.
#[cfg(feature = "aws")]
#[doc = include_str!("../../../docs/guide/s3.md")]
#[derive(Debug)]
pub struct S3;

/// Those of the page on retention.
#[doc = include_str!("../../../docs/retention.md")]
#[derive(Debug)]
pub struct Retention;

/// Those of the page on writing behind.
#[doc = include_str!("../../../docs/write-behind.md")]
#[derive(Debug)]
pub struct WriteBehind;
