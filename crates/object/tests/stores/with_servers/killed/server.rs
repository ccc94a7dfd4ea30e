//! A server of a test's own, which keeps on disk what it holds.
//!
//! That of S3 writes an object to a file of another name, renames it, and only then answers; so
//! what it told survives its own death, as it need not survive that of the machine. That of Azure
//! writes down every five seconds which blobs there are, and forgets with its death those that it
//! has told of since.

use std::env;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use sessile_engine::Store;
use sessile_object::{ObjectBackend, Options};
use tempfile::TempDir;

use crate::support::servers::{Kind, Server, Stores};

/// Below what everything of the test lies.
const PREFIX: &str = "killed";

/// How long it may take until it answers.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long a request may take: no answer comes from a server that was killed.
const REQUEST: Duration = Duration::from_secs(1);

/// A process group that ends, with the server in it, when our end of the pipe is closed; the
/// system closes it however we end.
const GUARD: &str = r#"{ "$@" </dev/null; kill -KILL 0; } &
read -r never
kill -KILL 0"#;

/// A server, and the folder that it keeps everything in.
pub(super) struct OwnServer {
    folder: TempDir,
    port: u16,
    guard: Option<Child>,
    server: Server,
}

/// How a writer finds it.
#[derive(Clone, Debug)]
pub(super) struct Place(Server);

impl OwnServer {
    /// Starts one of a kind on a free port of loopback, with a bucket.
    pub(super) async fn start(kind: Kind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let guard = Some(started(kind, folder.path(), port));
        await_answer(kind, port);
        let address = format!("http://{}:{port}", Ipv4Addr::LOCALHOST);
        let server = Server::at(kind, address).await.unwrap();
        Self { folder, port, guard, server }
    }

    /// Kills it: nothing of it runs any more when this returns.
    pub(super) fn kill(&mut self) {
        let mut guard = self.guard.take().unwrap();
        drop(guard.stdin.take());
        // It ends by the signal that it sends to its whole group, SIGKILL.
        assert!(!guard.wait().unwrap().success());
        while answers(self.server.kind, self.port) {
            thread::yield_now();
        }
    }

    /// Starts it again, at the same address.
    pub(super) fn start_again(&mut self) {
        let guard = started(self.server.kind, self.folder.path(), self.port);
        self.guard = Some(guard);
        await_answer(self.server.kind, self.port);
    }

    /// Waits until the server of Azure has written down a name.
    pub(super) fn await_written(&self, name: &str) {
        let begun = Instant::now();
        let path = self.folder.path().join("data/__azurite_db_blob__.json");
        while !fs::read_to_string(&path).is_ok_and(|written| written.contains(name)) {
            assert!(begun.elapsed() < PATIENCE, "{name} is not written down");
            thread::yield_now();
        }
    }

    /// Removes the object that a text stands in, while the server is dead.
    pub(super) fn forget(&self, text: &str) {
        let mut removed = 0;
        let mut files = files_below(&self.folder.path().join("data"));
        // What the server knows of an object beside its bytes.
        files.retain(|path| path.extension().is_none_or(|ending| ending != "json"));
        for path in files {
            let bytes = fs::read(&path).unwrap();
            if bytes.windows(text.len()).any(|it| it == text.as_bytes()) {
                fs::remove_file(&path).unwrap();
                _ = fs::remove_file(path.with_added_extension("meta.json"));
                removed += 1;
            }
        }
        assert_eq!(removed, 1, "{text}");
    }

    pub(super) fn place(&self) -> Place {
        Place(self.server.clone())
    }

    /// A handle that waits for as long as it takes.
    pub(super) fn backend(&self) -> ObjectBackend {
        let Stores { reads, writes } = self.server.stores(&self.server.address, PATIENCE);
        ObjectBackend::on(reads, writes, &PREFIX.into(), Options::default())
    }

    /// A store on such a handle.
    pub(super) fn store(&self) -> Store {
        let mut options = sessile_engine::Options::default();
        options.deadline = PATIENCE;
        Store::with(Arc::new(self.backend()), options)
    }

    /// Ends it, and says so if it has ended before.
    pub(super) fn end(mut self) {
        let still = self.guard.as_mut().unwrap().try_wait().unwrap().is_none();
        assert!(still, "the server has ended by itself");
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            drop(guard.stdin.take());
            _ = guard.wait();
        }
    }
}

impl Place {
    /// A store of its own, which soon gives up.
    pub(super) fn store(&self) -> Store {
        let Stores { reads, writes } = self.0.stores(&self.0.address, REQUEST);
        let mut of_place = Options::default();
        of_place.request_timeout = REQUEST;
        of_place.deadline = REQUEST;
        let backend = ObjectBackend::on(reads, writes, &PREFIX.into(), of_place);
        let mut options = sessile_engine::Options::default();
        options.deadline = REQUEST;
        Store::with(Arc::new(backend), options)
    }
}

/// The server's program, which keeps everything below a folder.
fn program(kind: Kind, folder: &Path, port: u16) -> Command {
    let (variable, program) = match kind {
        Kind::S3 => ("SESSILE_TEST_S3_PROGRAMS", "python3"),
        Kind::Azure => ("SESSILE_TEST_AZURE_PROGRAMS", "node"),
    };
    let programs = env::var(variable).unwrap_or_else(|_| {
        panic!("{variable} names no folder: `cargo xtask test` installs the server")
    });
    let (data, port) = (folder.join("data"), port.to_string());
    let mut guard = Command::new("sh");
    guard.args(["-c", GUARD, "guard", program]);
    match kind {
        Kind::S3 => {
            guard.args(["-m", "ministack"]).env("PYTHONPATH", programs).env("TMPDIR", folder);
            guard.env("BIND_HOST", "127.0.0.1").env("GATEWAY_PORT", port);
            guard.env("SERVICES", "s3").env("IOT_MTLS_ENABLED", "0");
            guard.env("S3_PERSIST", "1").env("S3_DATA_DIR", data);
        }
        Kind::Azure => {
            fs::create_dir_all(&data).unwrap();
            guard.arg("node_modules/azurite/dist/src/blob/main.js").current_dir(programs);
            guard.args(["--blobHost", "127.0.0.1", "--blobPort", &port]);
            guard.args(["--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location"]);
            guard.arg(data);
        }
    }
    guard
}

fn started(kind: Kind, folder: &Path, port: u16) -> Child {
    // Nobody reads it: a server that does not answer is what is told.
    let log = tempfile::tempfile_in(folder).unwrap();
    let mut guard = program(kind, folder, port);
    let log_too = log.try_clone().unwrap();
    guard.stdin(Stdio::piped()).stdout(log).stderr(log_too).process_group(0).spawn().unwrap()
}

fn await_answer(kind: Kind, port: u16) {
    let begun = Instant::now();
    while !answers(kind, port) {
        assert!(begun.elapsed() < PATIENCE, "the server does not answer");
        thread::yield_now();
    }
}

fn answers(kind: Kind, port: u16) -> bool {
    let (path, sign) = match kind {
        Kind::S3 => ("/_ministack/health", "\"version\""),
        Kind::Azure => ("/devstoreaccount1?comp=list", "Azurite-Blob"),
    };
    let ask = || -> std::io::Result<String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut connection = TcpStream::connect_timeout(&address, REQUEST)?;
        connection.set_read_timeout(Some(REQUEST))?;
        connection.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes())?;
        let mut answer = String::new();
        connection.read_to_string(&mut answer)?;
        Ok(answer)
    };
    ask().is_ok_and(|answer| answer.contains(sign))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}
