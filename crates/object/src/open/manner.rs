//! How a place's clients wait, and what they send again.

use std::time::Duration;

use object_store::{BackoffConfig, ClientOptions, RetryConfig};

use crate::options::Options;

/// What a client does when no answer comes.
#[derive(Clone, Debug)]
pub(super) struct Manner {
    pub(super) retry: RetryConfig,
    pub(super) options: ClientOptions,
}

/// What is sent again is not signed again, so it must arrive before its signature is too old.
const LONGEST_RETRY: Duration = Duration::from_mins(4);

/// What the largest object takes at a MiB a second, and some more.
const LARGEST: Duration = Duration::from_mins(2);

impl Manner {
    /// Of the client that reads: it asks again.
    pub(super) fn of_reads(options: &Options) -> Self {
        let retry_timeout = options.deadline.min(LONGEST_RETRY);
        let backoff = BackoffConfig::default();
        // The last pause is not to be longer than all that went before.
        let max_backoff = backoff.max_backoff.min(retry_timeout / 4);
        let backoff = BackoffConfig { max_backoff, ..backoff };
        let retry = RetryConfig { retry_timeout, backoff, ..RetryConfig::default() };
        let times = ClientOptions::new()
            .with_read_timeout(options.request_timeout)
            .with_timeout(options.request_timeout + LARGEST);
        Self { retry, options: times }
    }

    /// Of the client that writes: it sends once, and how long that may take is not its to say.
    pub(super) fn of_writes() -> Self {
        let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        Self { retry, options: ClientOptions::new().with_timeout_disabled() }
    }
}
