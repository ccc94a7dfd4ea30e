//! Opening a place by its URL.

mod url;
mod clients;
#[cfg(any(feature = "aws", feature = "gcp", feature = "azure"))]
mod settings;
#[cfg(any(feature = "aws", feature = "gcp", feature = "azure"))]
mod manner;
#[cfg(feature = "aws")]
mod s3;
#[cfg(feature = "gcp")]
mod gcs;
#[cfg(feature = "azure")]
mod azure;

use sessile_core::Error;

use self::clients::Clients;
use self::url::{Cloud, Url};
use crate::backend::ObjectBackend;
use crate::options::Options;

impl ObjectBackend {
    /// Opens a place: `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix`.
    ///
    /// It makes no request. Options may stand behind a question mark, as in
    /// `s3://agents/prod?region=eu-west-1`; they and the environment are read as
    /// `docs/backends.md` lists them, and what the place says stands above the environment, which
    /// stands above `options`. The path is percent-decoded once. Credentials come from the
    /// environment or the machine's role, never from the place.
    ///
    /// # Errors
    /// *invalid place*: not such a place, credentials in it, an option that there is not or whose
    /// value can't be, no region or account, a cloud whose feature (`aws`, `gcp`, `azure`) is not
    /// compiled in. Neither it nor what it was caused by tells a value.
    pub fn open(place: &str, options: Options) -> Result<Self, Error> {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect::<Vec<_>>();
        open(&Url::read(place)?, &variables, options)
    }
}

/// Opens a place in an environment.
#[cfg_attr(
    not(any(feature = "aws", feature = "gcp", feature = "azure")),
    expect(unused_mut, unused_variables, reason = "no cloud is compiled in")
)]
fn open(
    url: &Url,
    variables: &[(String, String)],
    mut options: Options,
) -> Result<ObjectBackend, Error> {
    let clients = match url.cloud {
        #[cfg(feature = "aws")]
        Cloud::S3 => s3::clients(url, variables, &mut options),
        #[cfg(feature = "gcp")]
        Cloud::Gcs => gcs::clients(url, variables, &mut options),
        #[cfg(feature = "azure")]
        Cloud::Azure => azure::clients(url, variables, &mut options),
        #[cfg(not(feature = "aws"))]
        Cloud::S3 => Err(needs("s3:", "aws")),
        #[cfg(not(feature = "gcp"))]
        Cloud::Gcs => Err(needs("gs:", "gcp")),
        #[cfg(not(feature = "azure"))]
        Cloud::Azure => Err(needs("az:", "azure")),
    };
    let Clients { reads, writes } = clients?;
    Ok(ObjectBackend::on(reads, writes, &url.prefix, options))
}

/// The answer for a place whose cloud is not compiled in.
#[cfg(not(all(feature = "aws", feature = "gcp", feature = "azure")))]
fn needs(scheme: &str, feature: &str) -> Error {
    let clause = format!("{scheme} places need the feature `{feature}`, which is not compiled in");
    Error::new(sessile_core::ErrorKind::InvalidPlace, clause)
        .with_hint(format!("turn the feature `{feature}` on"))
}
