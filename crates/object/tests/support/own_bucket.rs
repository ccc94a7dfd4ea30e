//! A bucket of the reader's own, for a run of the suite there.

use std::env;
use std::sync::Arc;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{ObjectStore, RetryConfig};

use super::servers::{Stores, chance, once};

/// Where it is named.
const VARIABLE: &str = "SESSILE_TEST_BUCKET";

/// The reader's own bucket, with a prefix below theirs that only this process uses.
#[derive(Clone, Debug)]
pub(crate) struct OwnBucket {
    url: String,
    pub(crate) prefix: Path,
}

impl OwnBucket {
    /// The bucket that the environment names; none if it names none.
    ///
    /// Credentials and everything else come from the variables that `object_store` reads.
    pub(crate) fn named() -> Option<Self> {
        let named = env::var(VARIABLE).ok()?;
        let (scheme, rest) = named.split_once("://").unwrap_or_default();
        assert!(
            matches!(scheme, "s3" | "gs" | "az"),
            "{VARIABLE} is `{named}`: expected s3://, gs:// or az://"
        );
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = Path::from(prefix).join(format!("sessile-{}", chance()));
        Some(Self { url: format!("{scheme}://{bucket}"), prefix })
    }

    /// New clients of it.
    pub(crate) fn stores(&self) -> Stores {
        Stores { reads: self.client(RetryConfig::default()), writes: self.client(once()) }
    }

    fn client(&self, retry: RetryConfig) -> Arc<dyn ObjectStore> {
        let url = self.url.as_str();
        match url.split_once("://") {
            Some(("s3", _)) => Arc::new(
                AmazonS3Builder::from_env().with_url(url).with_retry(retry).build().unwrap(),
            ),
            Some(("gs", _)) => Arc::new(
                GoogleCloudStorageBuilder::from_env()
                    .with_url(url)
                    .with_retry(retry)
                    .build()
                    .unwrap(),
            ),
            _ => Arc::new(
                MicrosoftAzureBuilder::from_env().with_url(url).with_retry(retry).build().unwrap(),
            ),
        }
    }
}
