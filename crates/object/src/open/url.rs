//! From the text of a place to its parts.
//!
//! No error repeats what it refuses, which may be a secret that stands in the wrong place.

use object_store::path::Path;
use sessile_core::{Error, ErrorKind, percent};

use crate::keys;

/// Whose place it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cloud {
    /// S3, and what speaks like it.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
}

/// The parts of a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) cloud: Cloud,
    /// The bucket; on Azure the container.
    pub(super) bucket: String,
    /// The storage account, where an Azure place names it.
    pub(super) account: Option<String>,
    pub(super) prefix: Path,
    /// What stands behind the question mark, decoded, in its order.
    pub(super) parameters: Vec<(String, String)>,
}

/// Where credentials belong.
pub(super) const CREDENTIALS: &str = "credentials come from the environment, as AWS_SECRET_ACCESS_KEY \
     or AZURE_STORAGE_ACCOUNT_KEY, or from the machine's role";

/// What an Azure place that names its account ends the host with.
const ACCOUNT_HOSTS: [&str; 2] = [".dfs.core.windows.net", ".blob.core.windows.net"];

impl Cloud {
    /// The cloud of a scheme.
    fn of(scheme: &str) -> Option<Self> {
        match scheme {
            "s3" | "s3a" => Some(Self::S3),
            "gs" => Some(Self::Gcs),
            "az" | "abfs" | "abfss" => Some(Self::Azure),
            _ => None,
        }
    }

    /// What the cloud calls a bucket.
    const fn bucket(self) -> &'static str {
        match self {
            Self::S3 | Self::Gcs => "bucket",
            Self::Azure => "container",
        }
    }

    /// What a place of it looks like.
    const fn form(self) -> &'static str {
        match self {
            Self::S3 => "write s3://bucket/prefix",
            Self::Gcs => "write gs://bucket/prefix",
            Self::Azure => "write az://container/prefix",
        }
    }
}

impl Url {
    /// Reads a place.
    ///
    /// # Errors
    /// *invalid place* naming the part and the way out.
    pub(super) fn read(text: &str) -> Result<Self, Error> {
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        let cloud = Cloud::of(scheme).ok_or_else(|| {
            invalid("it is no place in object storage")
                .with_hint("known are s3://, s3a://, gs://, az://, abfs://, abfss://")
        })?;
        if rest.contains('#') {
            return Err(invalid("a place has no fragment").with_hint("write %23 for #"));
        }
        let (located, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = located.split_once('/').unwrap_or((located, ""));
        let (bucket, account) = names(cloud, authority)?;
        let (prefix, parameters) = (prefix(path)?, parameters(query)?);
        Ok(Self { cloud, bucket, account, prefix, parameters })
    }

    /// Whether the place itself has an option of this spelling.
    #[cfg(any(feature = "aws", feature = "gcp", feature = "azure"))]
    pub(super) fn says(&self, name: &str) -> bool {
        self.parameters.iter().any(|(said, _)| said == name)
    }
}

/// The bucket and the account that stand before the path.
fn names(cloud: Cloud, authority: &str) -> Result<(String, Option<String>), Error> {
    let what = cloud.bucket();
    let (bucket, account) = match authority.rsplit_once('@') {
        None => (authority, None),
        Some((container, host)) => {
            let is_azure = cloud == Cloud::Azure && !container.contains([':', '@']);
            let account = ACCOUNT_HOSTS.iter().find_map(|end| host.strip_suffix(end));
            let account = account.filter(|_| is_azure).ok_or_else(|| {
                invalid("a place holds no credentials, and no name before an @")
                    .with_hint(CREDENTIALS)
            })?;
            (container, Some(account))
        }
    };
    if bucket.is_empty() {
        return Err(invalid(format!("the place names no {what}")).with_hint(cloud.form()));
    }
    if bucket.contains(':') {
        return Err(invalid(format!("what stands first in a place is its {what}, not a server"))
            .with_hint("name a server of your own with ?endpoint=https://host:port"));
    }
    let is_plain = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.$".contains(&byte))
    };
    if !is_plain(bucket) || bucket.starts_with('.') || account.is_some_and(|it| !is_plain(it)) {
        return Err(invalid(format!("the {what} has a sign that no name of one has"))
            .with_hint("letters, digits, - _ and . are those that it may have"));
    }
    Ok((bucket.to_owned(), account.map(str::to_owned)))
}

/// The prefix, decoded once.
fn prefix(path: &str) -> Result<Path, Error> {
    let bytes = percent::decoded(path).ok_or_else(undecodable)?;
    let text = String::from_utf8(bytes).map_err(|_| invalid("the prefix is not UTF-8"))?;
    let text = text.strip_suffix('/').unwrap_or(&text);
    if text.is_empty() {
        return Ok(Path::default());
    }
    let refused = |has: &str, way_out: &'static str| {
        Err(invalid(format!("the prefix has {has}")).with_hint(way_out))
    };
    if text.chars().any(char::is_control) {
        return refused("a control character", "choose a prefix that can be printed");
    }
    if text.contains('\\') {
        return refused(
            "a backslash, which some places take for a slash",
            "write / between folders",
        );
    }
    for segment in text.split('/') {
        match segment {
            "" => return refused("an empty segment", "write one / between folders"),
            "." | ".." => return refused("a segment of dots", "write the folder itself"),
            _ => {}
        }
    }
    keys::prefix(text).map_err(|error| error.with_hint("choose a shorter prefix"))
}

/// The parameters of a query, decoded once.
fn parameters(query: &str) -> Result<Vec<(String, String)>, Error> {
    let decoded = |text: &str| {
        let bytes = percent::decoded(text).ok_or_else(undecodable)?;
        String::from_utf8(bytes).map_err(|_| invalid("an option of the place is not UTF-8"))
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').ok_or_else(|| {
                invalid("an option of the place has no value").with_hint("write ?name=value")
            })?;
            Ok((decoded(name)?, decoded(value)?))
        })
        .collect()
}

fn undecodable() -> Error {
    invalid("a % is not followed by two hex digits").with_hint("write %25 for %")
}

fn invalid(clause: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidPlace, clause)
}

#[cfg(test)]
mod tests;
