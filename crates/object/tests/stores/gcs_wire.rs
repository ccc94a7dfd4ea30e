//! What is sent to Google Cloud Storage: **not verified end to end**.
//!
//! No server that can be had on a test machine speaks its protocol and keeps its preconditions, so
//! these tests hold the words on the wire and nothing else. What the service makes of them is in
//! its documentation; that it does so was not tried.

use std::sync::{Arc, Mutex};

use object_store::gcp::{GcpCredential, GoogleCloudStorage, GoogleCloudStorageBuilder};
use object_store::path::Path;
use object_store::{
    ClientOptions, Error, ObjectStore as _, ObjectStoreExt as _, PutMode, StaticCredentialProvider,
    UpdateVersion,
};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use crate::support::http::{Answer, Connection, Request};
use crate::support::servers::{PATIENCE, once};

/// The header that makes a write conditional.
const CONDITION: &str = "x-goog-if-generation-match";

/// A listener that takes down requests and gives one answer to all of them.
struct Listener {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Listener {
    async fn answering(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let taken = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, taken) = (answer.clone(), Arc::clone(&taken));
                tokio::spawn(async move {
                    let mut client = Connection::over(stream);
                    while let Ok(Some(request)) = client.request().await {
                        let bytes = answer.bytes(&request.method);
                        taken.lock().unwrap().push(request);
                        client.stream.write_all(&bytes).await.unwrap();
                    }
                });
            }
        });
        Self { address, requests }
    }

    /// A client of it as it would be of the service, but for where its token comes from.
    fn client(&self) -> GoogleCloudStorage {
        let token = GcpCredential { bearer: "token".to_owned() };
        GoogleCloudStorageBuilder::new()
            .with_base_url(&self.address)
            .with_bucket_name("bucket")
            .with_credentials(Arc::new(StaticCredentialProvider::new(token)))
            .with_client_options(ClientOptions::new().with_allow_http(true).with_timeout(PATIENCE))
            .with_retry(once())
            .build()
            .unwrap()
    }

    /// Method, target and condition of each request, with its body.
    fn said(&self) -> Vec<(String, String, Option<String>, String)> {
        let requests = self.requests.lock().unwrap();
        let said = requests.iter().map(|it| {
            let condition = it.header(CONDITION).map(str::to_owned);
            let body = String::from_utf8(it.body.to_vec()).unwrap();
            (it.method.clone(), it.target.clone(), condition, body)
        });
        said.collect()
    }
}

fn put(condition: Option<&str>, body: &str) -> (String, String, Option<String>, String) {
    let (method, target) = ("PUT".to_owned(), "/bucket/a%2Fkey".to_owned());
    (method, target, condition.map(str::to_owned), body.to_owned())
}

#[tokio::test]
async fn a_create_is_sent_with_generation_zero_and_brings_the_generation_back() {
    let written = Answer::of(200).with("etag", "\"tag\"").with("x-goog-generation", "17");
    let listener = Listener::answering(written).await;
    let key = Path::from("a/key");
    let result = listener.client().put_opts(&key, "body".into(), PutMode::Create.into()).await;
    assert_eq!(result.unwrap().version.as_deref(), Some("17"));
    assert_eq!(listener.said(), [put(Some("0"), "body")]);
}

#[tokio::test]
async fn an_update_is_sent_with_the_generation_and_not_with_the_tag() {
    let written = Answer::of(200).with("etag", "\"other\"").with("x-goog-generation", "18");
    let listener = Listener::answering(written).await;
    let (e_tag, version) = (Some("\"tag\"".to_owned()), Some("17".to_owned()));
    let mode = PutMode::Update(UpdateVersion { e_tag, version });
    let result = listener.client().put_opts(&Path::from("a/key"), "body".into(), mode.into()).await;
    assert_eq!(result.unwrap().version.as_deref(), Some("18"));
    assert_eq!(listener.said(), [put(Some("17"), "body")]);
}

#[tokio::test]
async fn an_update_that_knows_the_tag_only_is_refused_before_anything_is_sent() {
    let listener = Listener::answering(Answer::of(200)).await;
    let mode = PutMode::Update(UpdateVersion { e_tag: Some("\"tag\"".to_owned()), version: None });
    let result = listener.client().put_opts(&Path::from("a/key"), "body".into(), mode.into()).await;
    assert!(matches!(result, Err(Error::Generic { .. })), "{result:?}");
    assert_eq!(listener.said(), []);
}

#[tokio::test]
async fn a_refused_condition_is_told_by_what_was_asked() {
    let listener = Listener::answering(Answer::of(412)).await;
    let (client, key) = (listener.client(), Path::from("a/key"));
    let created = client.put_opts(&key, "body".into(), PutMode::Create.into()).await;
    assert!(matches!(created, Err(Error::AlreadyExists { .. })), "{created:?}");
    let version = UpdateVersion { e_tag: None, version: Some("17".to_owned()) };
    let updated = client.put_opts(&key, "body".into(), PutMode::Update(version).into()).await;
    assert!(matches!(updated, Err(Error::Precondition { .. })), "{updated:?}");
    assert_eq!(listener.said(), [put(Some("0"), "body"), put(Some("17"), "body")]);
}

#[tokio::test]
async fn a_read_brings_the_generation_that_an_update_needs() {
    let found = Answer::of(200)
        .with("etag", "\"tag\"")
        .with("x-goog-generation", "17")
        .with("last-modified", "Tue, 01 Apr 2025 10:00:00 GMT")
        .with_body("body");
    let listener = Listener::answering(found).await;
    let found = listener.client().get(&Path::from("a/key")).await.unwrap();
    assert_eq!(found.meta.version.as_deref(), Some("17"));
    assert_eq!(found.bytes().await.unwrap(), "body");
}
