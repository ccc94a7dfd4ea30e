//! A server as a process that never outlives us.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use super::kind::Probe;
use crate::group;

/// How often a server is started on another port before we give up.
const PORTS: usize = 5;

/// How long a server may take until it answers; the slowest was seen to take two seconds.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long we wait between two questions.
const PAUSE: Duration = Duration::from_millis(50);

/// A server that answers; dropped, it is gone.
#[derive(Debug)]
pub(super) struct Process {
    guard: Child,
    port: u16,
}

impl Process {
    /// Where it answers, as a URL without a path.
    pub(super) fn address(&self) -> String {
        format!("http://{}:{}", Ipv4Addr::LOCALHOST, self.port)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        // It ends by the signal it sends to itself; that is no failure.
        _ = self.guard.wait();
    }
}

/// Starts a server and waits until it answers.
///
/// A port is asked from the system and given back, so another process may take it before the
/// server does. Such a server ends, and is started again on another port.
pub(super) fn start(
    command: &dyn Fn(u16) -> Command,
    probe: Probe,
    log: &Path,
) -> anyhow::Result<Process> {
    for _ in 0..PORTS {
        let port = free_port().context("no port of loopback is free")?;
        if let Some(process) = start_on(port, &command(port), probe, log)? {
            return Ok(process);
        }
    }
    bail!("it ended {PORTS} times before it answered; the last time it said: {}", said(log));
}

/// The server that answers on a port; none if it ended.
fn start_on(
    port: u16,
    command: &Command,
    probe: Probe,
    log: &Path,
) -> anyhow::Result<Option<Process>> {
    let guard = guarded(command, log).with_context(|| format!("cannot run {command:?}"))?;
    let mut process = Process { guard, port };
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let answers = answers(port, probe);
        // Asked after the answer: a server that has ended did not give it.
        if process.guard.try_wait().context("cannot ask for the server's end")?.is_some() {
            return Ok(None);
        }
        if answers {
            return Ok(Some(process));
        }
        pause();
    }
    bail!("it does not answer within {PATIENCE:?}; it said: {}", said(log));
}

#[expect(clippy::disallowed_methods, reason = "nobody tells when a server is ready")]
fn pause() {
    thread::sleep(PAUSE);
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

fn guarded(command: &Command, log: &Path) -> io::Result<Child> {
    let log = OpenOptions::new().create(true).write(true).truncate(true).open(log)?;
    group::guarded(command).stdout(log.try_clone()?).stderr(log).spawn()
}

/// Whether the server on a port is the one that we look for.
fn answers(port: u16, probe: Probe) -> bool {
    ask(port, probe.path).is_ok_and(|answer| answer.contains(probe.sign))
}

fn ask(port: u16, path: &str) -> io::Result<String> {
    let place = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut connection = TcpStream::connect_timeout(&place, PATIENCE)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The end of what a server wrote.
fn said(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines.iter().skip(lines.len().saturating_sub(10)).copied().collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::cargo;

    const LISTING: Probe = Probe { path: "/", sign: "Directory listing" };

    fn log(name: &str) -> PathBuf {
        let folder = cargo::output().unwrap().join("servers-in-tests");
        fs::create_dir_all(&folder).unwrap();
        folder.join(format!("{name}-{}.log", std::process::id()))
    }

    fn python(port: u16) -> Command {
        let mut python = Command::new("python3");
        python.args(["-m", "http.server", "--bind", "127.0.0.1", &port.to_string()]);
        python
    }

    #[test]
    fn a_server_answers_and_is_gone_when_it_is_dropped() {
        let log = log("answers");
        let process = start(&python, LISTING, &log).unwrap();
        let port = process.port;
        assert_eq!(process.address(), format!("http://127.0.0.1:{port}"));
        assert!(answers(port, LISTING));
        drop(process);
        while ask(port, "/").is_ok() {
            // The group was sent the signal at once; its last member may take a moment to end.
            thread::yield_now();
        }
        fs::remove_file(log).unwrap();
    }

    #[test]
    fn a_server_whose_port_was_taken_gets_another() {
        let log = log("taken");
        let (taken, first) =
            (TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(), AtomicBool::new(true));
        let busy = taken.local_addr().unwrap().port();
        let command = |port| python(if first.swap(false, Ordering::Relaxed) { busy } else { port });
        let process = start(&command, LISTING, &log).unwrap();
        assert_ne!(process.port, busy);
        assert!(!first.load(Ordering::Relaxed));
        fs::remove_file(log).unwrap();
    }

    #[test]
    fn a_server_that_ends_is_reported_with_its_last_words() {
        let log = log("ends");
        let command = |_| {
            let mut shell = Command::new("sh");
            shell.args(["-c", "echo no such thing >&2; exit 3"]);
            shell
        };
        let error = start(&command, LISTING, &log).unwrap_err().to_string();
        assert!(error.ends_with("the last time it said: no such thing"), "{error}");
        fs::remove_file(log).unwrap();
    }
}
