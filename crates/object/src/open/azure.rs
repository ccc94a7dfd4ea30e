//! Clients of Azure Blob Storage places.

use std::sync::Arc;

use object_store::ClientConfigKey;
use object_store::azure::{AzureConfigKey as Key, MicrosoftAzureBuilder};
use sessile_core::{Error, ErrorKind};

use super::clients::Clients;
use super::manner::Manner;
use super::settings::{Settings, Words, check_address};
use super::url::Url;
use crate::options::Options;

const WORDS: Words<Key> = Words {
    scheme: "az:",
    variables: "AZURE_",
    others: &[("IDENTITY_ENDPOINT", "msi_endpoint")],
    known: &[
        "account",
        "endpoint",
        "allow_http",
        "allow_invalid_certificates",
        "skip_signature",
        "connect_timeout",
        "proxy_url",
        "use_emulator",
        "use_azure_cli",
        "use_fabric_endpoint",
        "credential_type",
        "client_id",
        "tenant_id",
    ],
    spellings: &[("account", "account_name")],
    is_secret: |key| {
        matches!(
            key,
            Key::AccessKey
                | Key::ClientSecret
                | Key::SasKey
                | Key::Token
                | Key::FabricSessionToken
                | Key::EncryptionKey
        )
    },
    // It stands in the place.
    is_ours: |key| matches!(key, Key::ContainerName),
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
        MicrosoftAzureBuilder::new()
            .with_client_options(manner.options.clone())
            .with_retry(manner.retry.clone())
            .with_container_name(&url.bucket)
    };
    let with = MicrosoftAzureBuilder::with_config;
    let build = MicrosoftAzureBuilder::build;
    let manner = Manner::of_reads(options);
    let reads = settings.build(&WORDS, || begin(&manner), with, build)?;
    // Whoever fetched credentials for the one has them for the other.
    let credentials = reads.credentials();
    let manner = Manner::of_writes();
    let begin = || begin(&manner).with_credentials(Arc::clone(credentials));
    let writes = settings.build(&WORDS, begin, with, build)?;
    Ok(Clients { writes: Arc::new(writes), reads: Arc::new(reads) })
}

/// What the environment and the place say, checked and complete.
fn settings(
    url: &Url,
    variables: &[(String, String)],
    options: &mut Options,
) -> Result<Settings<Key>, Error> {
    let mut settings = Settings::gather(&WORDS, url, variables, options)?;
    if let Some(account) = &url.account {
        settings.say(Key::AccountName, account);
    }
    let has_account = settings.of(&Key::AccountName).is_some();
    if !has_account && !settings.is_on(&Key::UseEmulator)? {
        return Err(Error::new(
            ErrorKind::InvalidPlace,
            "the storage account of the container is not known",
        )
        .with_hint("add ?account=NAME to the place, or set AZURE_STORAGE_ACCOUNT_NAME"));
    }
    let http_allowed = settings.is_on(&Key::Client(ClientConfigKey::AllowHttp))?;
    if let Some((name, address)) = settings.of(&Key::Endpoint) {
        check_address(name, address, http_allowed)?;
    }
    settings.check_proxy(&Key::Client(ClientConfigKey::ProxyUrl), url)?;
    Ok(settings)
}

#[cfg(test)]
mod tests;
