//! The proxy does what its words say, on each real server.
//!
//! The same tables say what the client makes of each fault: why the outcome of a conditional write
//! can't be read off its error.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{
    BackoffConfig, Error, ObjectStore, ObjectStoreExt as _, PutMode, PutResult, RetryConfig,
    UpdateVersion,
};

use crate::support::proxy::{Fault, Loss, Proxy, Rule, Seen};
use crate::support::servers::{Kind, PATIENCE, Server, Stores, chance};

/// After how long a hasty client gives up on a request.
const SOON: Duration = Duration::from_secs(2);

/// A server with a proxy before it, clients that go through, and one that goes straight.
struct Scene {
    kind: Kind,
    proxy: Proxy,
    client: Arc<dyn ObjectStore>,
    /// For requests that are never answered: it gives up, and sends as often as it takes until
    /// one is answered soon.
    hasty: Arc<dyn ObjectStore>,
    straight: Stores,
}

/// What came of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Ok,
    Exists,
    Precondition,
    Generic,
    Denied,
}

use Outcome::{Denied, Exists, Generic, Precondition};

#[derive(Clone, Copy, Debug)]
enum Write {
    Create,
    Update,
    Overwrite,
}

/// Runs the same on every server at once.
async fn on_each(check: impl AsyncFn(Scene)) {
    let servers = [Server::s3().await, Server::azure().await];
    let [s3, azure] = servers.map(|server| server.unwrap_or_else(|absence| panic!("{absence}")));
    tokio::join!(check(Scene::on(&s3).await), check(Scene::on(&azure).await));
}

impl Scene {
    /// The client sends again up to three times, at once.
    async fn on(server: &Server) -> Self {
        let proxy = Proxy::before(&server.address).await;
        let backoff =
            BackoffConfig { init_backoff: Duration::from_millis(1), ..Default::default() };
        let retry = RetryConfig { max_retries: 3, backoff, ..RetryConfig::default() };
        let often = RetryConfig { max_retries: 100, ..retry.clone() };
        let client = server.client(proxy.address(), retry, PATIENCE);
        let hasty = server.client(proxy.address(), often, SOON);
        let straight = server.stores(&server.address, PATIENCE);
        Self { kind: server.kind, proxy, client, hasty, straight }
    }

    /// Puts `after` to a fresh key while its PUTs meet a fault once; an update finds `before`.
    ///
    /// Tells how many PUTs came, what came of the write, and what the key holds in the end.
    async fn write(&self, write: Write, fault: Fault) -> (usize, Outcome, Option<Bytes>) {
        loop {
            match self.write_once(write, fault).await {
                // The client gave up before its request came, so that nothing happened to it.
                (0, Generic, _) => {}
                written => return written,
            }
        }
    }

    async fn write_once(&self, write: Write, fault: Fault) -> (usize, Outcome, Option<Bytes>) {
        let key = Path::from(format!("writes/{}", chance()));
        let mode = match write {
            Write::Create => PutMode::Create,
            Write::Overwrite => PutMode::Overwrite,
            Write::Update => {
                let PutResult { e_tag, version, .. } =
                    self.straight.writes.put(&key, "before".into()).await.unwrap();
                PutMode::Update(UpdateVersion { e_tag, version })
            }
        };
        self.proxy.rule(Rule::on("PUT", key.as_ref(), fault));
        let hangs = matches!(
            fault,
            Fault::Held | Fault::Unseen(Loss::Hang) | Fault::Unanswered(Loss::Hang)
        );
        let client = if hangs { &self.hasty } else { &self.client };
        let outcome = client.put_opts(&key, "after".into(), mode.into()).await;
        self.proxy.mend();
        if matches!(fault, Fault::Unanswered(_)) {
            // What the server does may be done after the client gave up.
            self.answered(key.as_ref()).await;
        }
        (self.proxy.count("PUT", key.as_ref()), of(outcome), self.body(&key).await)
    }

    /// Waits until the server has answered all PUTs that came for a key.
    async fn answered(&self, key: &str) {
        let is_open =
            |it: &Seen| it.method == "PUT" && it.target.contains(key) && it.status.is_none();
        while self.proxy.seen().iter().any(is_open) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn body(&self, key: &Path) -> Option<Bytes> {
        match self.straight.reads.get(key).await {
            Ok(found) => Some(found.bytes().await.unwrap()),
            Err(Error::NotFound { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// Puts objects with one-letter names under a fresh prefix, and tells it.
    async fn letters(&self, names: &str) -> Path {
        let prefix = Path::from(format!("lists/{}", chance()));
        for name in names.chars() {
            let key = prefix.clone().join(name.to_string());
            self.straight.writes.put(&key, "x".into()).await.unwrap();
        }
        prefix
    }

    /// The names under a prefix, as the client lists them.
    async fn list(&self, prefix: &Path) -> object_store::Result<String> {
        let found: Vec<_> = self.client.list(Some(prefix)).try_collect().await?;
        let mut names: Vec<_> = found.iter().filter_map(|it| it.location.filename()).collect();
        names.sort_unstable();
        Ok(names.concat())
    }
}

fn of<T>(outcome: object_store::Result<T>) -> Outcome {
    match outcome {
        Ok(_) => Outcome::Ok,
        Err(Error::AlreadyExists { .. }) => Exists,
        Err(Error::Precondition { .. }) => Precondition,
        Err(Error::PermissionDenied { .. }) => Denied,
        Err(Error::Generic { .. }) => Generic,
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_was_applied_whatever_the_client_says() {
    let table = [
        (Loss::Close, [(2, Exists), (2, Precondition), (2, Outcome::Ok)]),
        (Loss::Reset, [(1, Generic), (1, Generic), (2, Outcome::Ok)]),
        (Loss::Status(500), [(2, Exists), (2, Precondition), (2, Outcome::Ok)]),
        (Loss::Status(503), [(2, Exists), (2, Precondition), (2, Outcome::Ok)]),
        (Loss::Status(429), [(2, Exists), (2, Precondition), (2, Outcome::Ok)]),
        (Loss::Status(409), [(1, Exists), (2, Precondition), (1, Exists)]),
        (Loss::Status(403), [(1, Denied), (1, Denied), (1, Denied)]),
        (Loss::Hang, [(1, Generic), (1, Generic), (2, Outcome::Ok)]),
    ];
    on_each(async |scene| {
        for (loss, rows) in table {
            for (write, row) in
                [Write::Create, Write::Update, Write::Overwrite].into_iter().zip(rows)
            {
                // Of a conflict only the client of S3 believes that it passes.
                let is_azure_conflict = scene.kind == Kind::Azure && loss == Loss::Status(409);
                let (puts, outcome) = if is_azure_conflict { (1, Exists) } else { row };
                let mut written = scene.write(write, Fault::Unanswered(loss)).await;
                if loss == Loss::Hang && puts > 1 {
                    // It gives up on what is slow as well, and sends again.
                    written.0 = written.0.min(puts);
                }
                assert_eq!(
                    written,
                    (puts, outcome, Some("after".into())),
                    "{:?} {write:?} {loss:?}",
                    scene.kind
                );
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_write_that_the_server_never_sees_is_not_applied_until_it_is_sent_again() {
    let sent_again = [Loss::Close, Loss::Status(500), Loss::Status(503), Loss::Status(429)];
    on_each(async |scene| {
        for loss in sent_again {
            for write in [Write::Create, Write::Update, Write::Overwrite] {
                assert_eq!(
                    scene.write(write, Fault::Unseen(loss)).await,
                    (2, Outcome::Ok, Some("after".into())),
                    "{:?} {write:?} {loss:?}",
                    scene.kind
                );
            }
        }
        for (loss, outcome) in
            [(Loss::Reset, Generic), (Loss::Hang, Generic), (Loss::Status(403), Denied)]
        {
            assert_eq!(scene.write(Write::Create, Fault::Unseen(loss)).await, (1, outcome, None));
        }
        // A conflict is told as what exists, although nothing does.
        let conflict = Fault::Unseen(Loss::Status(409));
        assert_eq!(scene.write(Write::Create, conflict).await, (1, Exists, None));
    })
    .await;
}

#[tokio::test]
async fn a_write_may_land_long_after_the_client_gave_up() {
    on_each(async |scene| {
        let held = scene.write(Write::Create, Fault::Held).await;
        assert_eq!(held, (1, Generic, None));
        assert_eq!(scene.proxy.held(), 1);
        let [Seen { target, status: None, .. }] = &scene.proxy.seen()[..] else {
            panic!("{:?}", scene.proxy.seen());
        };
        assert_eq!(scene.proxy.release().await.len(), 1);
        assert_eq!(scene.proxy.held(), 0);
        let (_, name) = target.rsplit_once('/').unwrap();
        let key = Path::from(format!("writes/{name}"));
        assert_eq!(scene.body(&key).await, Some("after".into()), "{:?}", scene.kind);
        assert!(scene.proxy.seen()[0].status.is_some_and(|status| matches!(status, 200 | 201)));
    })
    .await;
}

#[tokio::test]
async fn a_read_whose_answer_is_lost_is_read_again() {
    on_each(async |scene| {
        let key = Path::from(format!("reads/{}", chance()));
        let body = Bytes::from("word ".repeat(10_000));
        scene.straight.writes.put(&key, body.clone().into()).await.unwrap();
        for loss in [Loss::Close, Loss::Reset, Loss::Half, Loss::Status(503)] {
            let before = scene.proxy.count("GET", key.as_ref());
            scene.proxy.rule(Rule::on("GET", key.as_ref(), Fault::Unanswered(loss)));
            let read = scene.client.get(&key).await.unwrap().bytes().await;
            assert_eq!(read.unwrap(), body, "{:?} {loss:?}", scene.kind);
            assert_eq!(scene.proxy.count("GET", key.as_ref()) - before, 2, "{loss:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_list_is_cut_as_if_it_were_whole() {
    on_each(async |scene| {
        let prefix = scene.letters("abcde").await;
        scene.proxy.rule(Rule::on("GET", "lists", Fault::Shortened(2)));
        assert_eq!(scene.list(&prefix).await.unwrap(), "ab", "{:?}", scene.kind);
        assert_eq!(scene.list(&prefix).await.unwrap(), "abcde");
        assert_eq!(scene.proxy.count("GET", "lists"), 2);
    })
    .await;
}

#[tokio::test]
async fn a_list_in_pages_is_whole_if_each_page_is_answered() {
    on_each(async |scene| {
        let prefix = scene.letters("abcde").await;
        scene.proxy.rule(Rule::on("GET", "lists", Fault::Paged(2)).always());
        assert_eq!(scene.list(&prefix).await.unwrap(), "abcde", "{:?}", scene.kind);
        assert_eq!(scene.proxy.count("GET", "lists"), 3);
        scene.proxy.mend();
        scene.proxy.rule(Rule::on("GET", "proxy-page", Fault::Unseen(Loss::Status(403))));
        scene.proxy.rule(Rule::on("GET", "lists", Fault::Paged(2)));
        let list = scene.list(&prefix).await;
        assert!(list.is_err(), "{:?} {list:?}", scene.kind);
    })
    .await;
}

#[tokio::test]
async fn a_list_with_a_delimiter_is_cut_and_paged_too() {
    on_each(async |scene| {
        let prefix = scene.letters("ac").await;
        let nested = prefix.clone().join("b").join("1");
        scene.straight.writes.put(&nested, "x".into()).await.unwrap();
        for (fault, whole) in [(Fault::Shortened(2), false), (Fault::Paged(1), true)] {
            scene.proxy.rule(Rule::on("GET", "lists", fault));
            let found = scene.client.list_with_delimiter(Some(&prefix)).await.unwrap();
            let entries = found.objects.len() + found.common_prefixes.len();
            assert_eq!(entries, if whole { 3 } else { 2 }, "{:?} {fault:?}", scene.kind);
            scene.proxy.mend();
        }
    })
    .await;
}

#[tokio::test]
async fn a_rule_counts_only_the_requests_that_it_is_about() {
    on_each(async |scene| {
        let [one, other] = ["one", "other"].map(|it| Path::from(format!("{it}-{}", chance())));
        let fault = Fault::Unanswered(Loss::Status(403));
        scene.proxy.rule(Rule::on("PUT", one.as_ref(), fault).after(1).times(2));
        let mut outcomes = Vec::new();
        for _ in 0..4 {
            outcomes.push(of(scene.client.put(&one, "x".into()).await));
            assert_eq!(of(scene.client.put(&other, "x".into()).await), Outcome::Ok);
            assert_eq!(of(scene.client.get(&one).await), Outcome::Ok);
        }
        assert_eq!(outcomes, [Outcome::Ok, Denied, Denied, Outcome::Ok]);
        let count = |method| scene.proxy.count(method, one.as_ref());
        assert_eq!((count("PUT"), count("GET"), count("DELETE")), (4, 4, 0));
    })
    .await;
}

#[tokio::test]
async fn a_slow_server_is_slower_than_a_client_that_does_not_wait() {
    on_each(async |scene| {
        let key = Path::from(format!("slow/{}", chance()));
        scene.proxy.slow(Duration::from_hours(1));
        let outcome = scene.hasty.put_opts(&key, "x".into(), PutMode::Create.into()).await;
        assert_eq!(of(outcome), Generic);
        scene.proxy.slow(Duration::ZERO);
        assert_eq!(of(scene.client.put(&key, "x".into()).await), Outcome::Ok);
    })
    .await;
}
