//! Buckets on the servers that `cargo xtask test` starts.

use std::env;

use sessile::object::object_store::ClientOptions;
use sessile::object::object_store::aws::{AwsAuthorizer, AwsCredential};
use sessile::object::object_store::azure::{AzureAccessKey, AzureAuthorizer, AzureCredential};
use sessile::object::object_store::client::{
    HttpConnector as _, HttpRequest, HttpRequestBody, ReqwestConnector,
};
use sessile::prelude::*;

/// Any key opens the S3 server; this is what it is told.
const S3_KEY: &str = "test";
const S3_REGION: &str = "us-east-1";

/// The account that every Azurite has, with its published key.
const AZURE_ACCOUNT: &str = "devstoreaccount1";
const AZURE_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// A bucket of its own: where it is, and the variables that open it.
#[derive(Debug)]
pub(crate) struct Bucket {
    /// The place without its options, as `s3://bucket`.
    pub(crate) place: String,
    /// The options that lead to the server, with their question mark.
    pub(crate) options: String,
    pub(crate) variables: Vec<(&'static str, String)>,
}

impl Bucket {
    /// One on the S3 server.
    pub(crate) async fn s3() -> Self {
        let (address, name) = (address("SESSILE_TEST_S3"), name().await);
        let mut request = put(&format!("{address}/{name}"));
        let (key_id, secret_key) = (S3_KEY.to_owned(), S3_KEY.to_owned());
        let credential = AwsCredential { key_id, secret_key, token: None };
        AwsAuthorizer::new(&credential, "s3", S3_REGION).try_authorize(&mut request, None).unwrap();
        send(request).await;
        Self {
            place: format!("s3://{name}"),
            options: format!("?endpoint={address}&allow_http=true"),
            variables: vec![
                ("AWS_ACCESS_KEY_ID", S3_KEY.to_owned()),
                ("AWS_SECRET_ACCESS_KEY", S3_KEY.to_owned()),
            ],
        }
    }

    /// One on the Azure server.
    pub(crate) async fn azure() -> Self {
        let address = format!("{}/{AZURE_ACCOUNT}", address("SESSILE_TEST_AZURE"));
        let name = name().await;
        let mut request = put(&format!("{address}/{name}?restype=container"));
        let credential = AzureCredential::AccessKey(AzureAccessKey::try_new(AZURE_KEY).unwrap());
        AzureAuthorizer::new(&credential, AZURE_ACCOUNT).try_authorize(&mut request).unwrap();
        send(request).await;
        Self {
            place: format!("az://{name}"),
            options: format!("?account_name={AZURE_ACCOUNT}&endpoint={address}&allow_http=true"),
            variables: vec![("AZURE_STORAGE_ACCOUNT_KEY", AZURE_KEY.to_owned())],
        }
    }

    /// A place below a prefix.
    pub(crate) fn below(&self, prefix: &str) -> String {
        format!("{}/{prefix}{}", self.place, self.options)
    }
}

fn address(variable: &str) -> String {
    env::var(variable).unwrap_or_else(|_| {
        panic!(
            "{variable} names no server: `cargo xtask test` installs and starts it, \
             `cargo xtask test --local` leaves it out"
        )
    })
}

/// A name that no other test finds.
async fn name() -> String {
    let store = Store::open("memory:").await.unwrap();
    format!("sessile-{}", store.mint_commit_id().unwrap())
}

fn put(uri: &str) -> HttpRequest {
    let mut request = HttpRequest::new(HttpRequestBody::empty());
    *request.method_mut() = "PUT".parse().unwrap();
    *request.uri_mut() = uri.parse().unwrap();
    request
}

async fn send(request: HttpRequest) {
    let options = ClientOptions::new().with_allow_http(true);
    let client = ReqwestConnector::default().connect(&options).unwrap();
    let status = client.execute(request).await.unwrap().status();
    assert!(status.is_success(), "no bucket: {status}");
}
