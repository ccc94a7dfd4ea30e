//! Clients of Google Cloud Storage places.

use std::sync::Arc;

use object_store::ClientConfigKey;
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey as Key};
use sessile_core::Error;

use super::clients::Clients;
use super::manner::Manner;
use super::settings::{Settings, Words, check_address};
use super::url::Url;
use crate::options::Options;

const WORDS: Words<Key> = Words {
    scheme: "gs:",
    variables: "GOOGLE_",
    others: &[("SERVICE_ACCOUNT", "service_account")],
    known: &[
        "endpoint",
        "allow_http",
        "allow_invalid_certificates",
        "skip_signature",
        "connect_timeout",
        "proxy_url",
    ],
    spellings: &[("endpoint", "base_url")],
    is_secret: |key| matches!(key, Key::ServiceAccountKey | Key::BearerToken),
    // It stands in the place.
    is_ours: |key| matches!(key, Key::Bucket),
};

/// Makes the clients of a place.
///
/// # Errors
/// *invalid place* naming what does not fit.
pub(super) fn clients(
    url: &Url,
    variables: &[(String, String)],
    options: &mut Options,
) -> Result<Clients, Error> {
    let settings = settings(url, variables, options)?;
    let begin = |manner: &Manner| {
        GoogleCloudStorageBuilder::new()
            .with_client_options(manner.options.clone())
            .with_retry(manner.retry.clone())
            .with_bucket_name(&url.bucket)
    };
    let with = GoogleCloudStorageBuilder::with_config;
    let build = GoogleCloudStorageBuilder::build;
    let manner = Manner::of_reads(options);
    let reads = settings.build(&WORDS, || begin(&manner), with, build)?;
    // Whoever fetched credentials for the one has them for the other.
    let credentials = reads.credentials();
    let manner = Manner::of_writes();
    let begin = || begin(&manner).with_credentials(Arc::clone(credentials));
    let writes = settings.build(&WORDS, begin, with, build)?;
    Ok(Clients { writes: Arc::new(writes), reads: Arc::new(reads) })
}

/// What the environment and the place say, checked.
fn settings(
    url: &Url,
    variables: &[(String, String)],
    options: &mut Options,
) -> Result<Settings<Key>, Error> {
    let settings = Settings::gather(&WORDS, url, variables, options)?;
    let http_allowed = settings.is_on(&Key::Client(ClientConfigKey::AllowHttp))?;
    if let Some((name, address)) = settings.of(&Key::BaseUrl) {
        check_address(name, address, http_allowed)?;
    }
    settings.check_proxy(&Key::Client(ClientConfigKey::ProxyUrl), url)?;
    Ok(settings)
}

#[cfg(test)]
mod tests;
