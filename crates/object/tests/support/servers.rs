//! Clients of the servers that `cargo xtask test` starts.

use std::env;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AwsAuthorizer, AwsCredential};
use object_store::azure::{
    AzureAccessKey, AzureAuthorizer, AzureCredential, MicrosoftAzureBuilder,
};
use object_store::client::{
    ClientOptions, HttpConnector as _, HttpRequest, HttpRequestBody, ReqwestConnector,
};
use object_store::{ObjectStore, RetryConfig};
use tokio::sync::OnceCell;

/// Any key opens the S3 server; this is what it is told.
const S3_KEY: &str = "test";
const S3_REGION: &str = "us-east-1";

/// The account that every Azurite has, with its published key.
const AZURE_ACCOUNT: &str = "devstoreaccount1";
const AZURE_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// A server that is silent for so long serves no further test of this process.
const SILENCE: Duration = Duration::from_mins(1);

/// How long a request may take where no test says otherwise.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Why there is no server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// The run was told to do without.
    LeftOut,
    /// It should be there.
    Missing(String),
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut => f.write_str("left out by --local"),
            Self::Missing(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Absence {}

/// The kind of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    S3,
    Azure,
}

impl Kind {
    /// The variable that tells the server's address.
    fn variable(self) -> &'static str {
        match self {
            Self::S3 => "SESSILE_TEST_S3",
            Self::Azure => "SESSILE_TEST_AZURE",
        }
    }
}

/// A server with a bucket of this process's own.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) kind: Kind,
    /// As `http://127.0.0.1:PORT`.
    pub(crate) address: String,
    pub(crate) bucket: String,
}

/// Clients of one bucket: conditional writes are sent once and never again behind our back.
#[derive(Clone, Debug)]
pub(crate) struct Stores {
    pub(crate) reads: Arc<dyn ObjectStore>,
    pub(crate) writes: Arc<dyn ObjectStore>,
}

impl Server {
    /// The S3 server.
    pub(crate) async fn s3() -> Result<Self, Absence> {
        static BUCKET: OnceCell<Result<Server, Absence>> = OnceCell::const_new();
        BUCKET.get_or_init(|| Self::of(Kind::S3)).await.clone()?.awake().await
    }

    /// The Azure server.
    pub(crate) async fn azure() -> Result<Self, Absence> {
        static CONTAINER: OnceCell<Result<Server, Absence>> = OnceCell::const_new();
        CONTAINER.get_or_init(|| Self::of(Kind::Azure)).await.clone()?.awake().await
    }

    async fn of(kind: Kind) -> Result<Self, Absence> {
        if env::var_os("SESSILE_TEST_LOCAL").is_some_and(|value| value == "1") {
            return Err(Absence::LeftOut);
        }
        let variable = kind.variable();
        let Ok(address) = env::var(variable) else {
            let reason = format!(
                "{variable} names no server: `cargo xtask test` installs and starts it, \
                 `cargo xtask test --local` leaves it out"
            );
            return Err(Absence::Missing(reason));
        };
        Self::at(kind, address).await
    }

    /// One at an address, with a bucket that is made there.
    pub(crate) async fn at(kind: Kind, address: String) -> Result<Self, Absence> {
        let server = Self { kind, address, bucket: format!("sessile-{}", chance()) };
        server.make_bucket().await.map_err(|error| {
            Absence::Missing(format!("no bucket at {}: {error}", server.address))
        })?;
        Ok(server)
    }

    /// The server if it still answers, whatever it says.
    ///
    /// Else every test would find out for itself, each by retries as long as its deadline.
    pub(crate) async fn awake(self) -> Result<Self, Absence> {
        static S3: OnceLock<Absence> = OnceLock::new();
        static AZURE: OnceLock<Absence> = OnceLock::new();
        let silent = if self.kind == Kind::S3 { &S3 } else { &AZURE };
        if let Some(absence) = silent.get() {
            return Err(absence.clone());
        }
        if let Err(error) = self.ask().await {
            let reason = format!("{} has ended or hangs: {error}", self.address);
            return Err(silent.get_or_init(|| Absence::Missing(reason)).clone());
        }
        Ok(self)
    }

    async fn ask(&self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let options = ClientOptions::new().with_allow_http(true).with_timeout(SILENCE);
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.uri_mut() = self.address.parse()?;
        ReqwestConnector::default().connect(&options)?.execute(request).await?;
        Ok(())
    }

    /// Clients that reach the server at an address: its own, or that of a proxy before it.
    pub(crate) fn stores(&self, address: &str, timeout: Duration) -> Stores {
        Stores {
            reads: self.client(address, RetryConfig::default(), timeout),
            writes: self.client(address, once(), timeout),
        }
    }

    /// A client with its own say on what is sent again.
    pub(crate) fn client(
        &self,
        address: &str,
        retry: RetryConfig,
        timeout: Duration,
    ) -> Arc<dyn ObjectStore> {
        let options = ClientOptions::new().with_allow_http(true).with_timeout(timeout);
        match self.kind {
            Kind::S3 => {
                let s3 = AmazonS3Builder::new()
                    .with_endpoint(address)
                    .with_bucket_name(&self.bucket)
                    .with_region(S3_REGION)
                    .with_access_key_id(S3_KEY)
                    .with_secret_access_key(S3_KEY)
                    .with_virtual_hosted_style_request(false);
                Arc::new(s3.with_client_options(options).with_retry(retry).build().unwrap())
            }
            Kind::Azure => {
                // Not as an emulator, which the client would spare some of its own ways.
                let azure = MicrosoftAzureBuilder::new()
                    .with_endpoint(format!("{address}/{AZURE_ACCOUNT}"))
                    .with_account(AZURE_ACCOUNT)
                    .with_access_key(AZURE_KEY)
                    .with_container_name(&self.bucket);
                Arc::new(azure.with_client_options(options).with_retry(retry).build().unwrap())
            }
        }
    }

    /// Makes the bucket, which `ObjectStore` has no word for.
    async fn make_bucket(&self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let Self { kind, address, bucket } = self;
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.method_mut() = "PUT".parse()?;
        match kind {
            Kind::S3 => {
                let (key_id, secret_key) = (S3_KEY.to_owned(), S3_KEY.to_owned());
                let credential = AwsCredential { key_id, secret_key, token: None };
                *request.uri_mut() = format!("{address}/{bucket}").parse()?;
                let authorizer = AwsAuthorizer::new(&credential, "s3", S3_REGION);
                authorizer.try_authorize(&mut request, None)?;
            }
            Kind::Azure => {
                let credential = AzureCredential::AccessKey(AzureAccessKey::try_new(AZURE_KEY)?);
                let uri = format!("{address}/{AZURE_ACCOUNT}/{bucket}?restype=container");
                *request.uri_mut() = uri.parse()?;
                AzureAuthorizer::new(&credential, AZURE_ACCOUNT).try_authorize(&mut request)?;
            }
        }
        let options = ClientOptions::new().with_allow_http(true);
        let client = ReqwestConnector::default().connect(&options)?;
        let status = client.execute(request).await?.status();
        if status.is_success() { Ok(()) } else { Err(status.to_string().into()) }
    }
}

/// Sends a request once, whatever comes of it.
pub(crate) fn once() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

/// A word that no other process finds.
#[expect(clippy::disallowed_methods, reason = "buckets outlive the process that made them")]
pub(crate) fn chance() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}
