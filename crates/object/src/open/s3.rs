//! Clients of S3 places.

use std::sync::Arc;

use object_store::ClientConfigKey;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey as Key};
use sessile_core::{Error, ErrorKind};

use super::clients::Clients;
use super::manner::Manner;
use super::settings::{Settings, Words, check_address};
use super::url::Url;
use crate::options::Options;

const WORDS: Words<Key> = Words {
    scheme: "s3:",
    variables: "AWS_",
    others: &[],
    known: &[
        "region",
        "endpoint",
        "path_style",
        "allow_http",
        "allow_invalid_certificates",
        "skip_signature",
        "connect_timeout",
        "proxy_url",
        "imdsv1_fallback",
        "unsigned_payload",
        "checksum_algorithm",
        "disable_bulk_delete",
        "request_payer",
        "server_side_encryption",
        "sse_kms_key_id",
        "sse_bucket_key_enabled",
    ],
    spellings: &[],
    is_secret: |key| {
        matches!(key, Key::AccessKeyId | Key::SecretAccessKey | Key::Token)
            || key.as_ref() == "aws_sse_customer_key_base64"
    },
    // The bucket stands in the place, and without conditions there is no store.
    is_ours: |key| matches!(key, Key::Bucket | Key::ConditionalPut | Key::CopyIfNotExists),
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
        AmazonS3Builder::new()
            .with_client_options(manner.options.clone())
            .with_retry(manner.retry.clone())
            .with_bucket_name(&url.bucket)
    };
    let with = AmazonS3Builder::with_config;
    let manner = Manner::of_reads(options);
    let reads = settings.build(&WORDS, || begin(&manner), with, AmazonS3Builder::build)?;
    // Whoever fetched credentials for the one has them for the other.
    let credentials = reads.credentials();
    let manner = Manner::of_writes();
    let begin = || begin(&manner).with_credentials(Arc::clone(credentials));
    let writes = settings.build(&WORDS, begin, with, AmazonS3Builder::build)?;
    Ok(Clients { writes: Arc::new(writes), reads: Arc::new(reads) })
}

/// What the environment and the place say, checked and complete.
fn settings(
    url: &Url,
    variables: &[(String, String)],
    options: &mut Options,
) -> Result<Settings<Key>, Error> {
    let mut settings = Settings::gather(&WORDS, url, variables, options)?;
    if let Some(address) = endpoint(&settings, url)? {
        // It stands above all other ways to name one.
        settings.say(Key::S3Endpoint, address);
    } else if settings.of(&Key::Region).or_else(|| settings.of(&Key::DefaultRegion)).is_none() {
        return Err(invalid("the region of the bucket is not known")
            .with_hint("add ?region=NAME to the place, or set AWS_REGION"));
    }
    settings.check_proxy(&Key::Client(ClientConfigKey::ProxyUrl), url)?;
    let (id, secret) = (settings.of(&Key::AccessKeyId), settings.of(&Key::SecretAccessKey));
    if id.is_some() != secret.is_some() {
        return Err(invalid("one half of the credentials is missing")
            .with_hint("set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or none of them"));
    }
    Ok(settings)
}

/// The server's address, with the bucket where it is asked by its own host.
fn endpoint(settings: &Settings<Key>, url: &Url) -> Result<Option<String>, Error> {
    let general = settings.of(&Key::Endpoint);
    let by_place = general.filter(|(name, _)| url.says(name));
    let named = by_place.or_else(|| settings.of(&Key::S3Endpoint)).or(general);
    let Some((name, address)) = named else {
        return Ok(None);
    };
    let http_allowed = settings.is_on(&Key::Client(ClientConfigKey::AllowHttp))?;
    check_address(name, address, http_allowed)?;
    let own_host = format!("{}.", url.bucket);
    let by_host = settings.is_on(&Key::VirtualHostedStyleRequest)?;
    Ok(Some(match address.split_once("://") {
        Some((scheme, host)) if by_host && !host.starts_with(&own_host) => {
            format!("{scheme}://{own_host}{host}")
        }
        _ => address.to_owned(),
    }))
}

fn invalid(clause: &'static str) -> Error {
    Error::new(ErrorKind::InvalidPlace, clause)
}

#[cfg(test)]
mod tests;
