//! A proxy on loopback between a real client and a real server, which makes faults.
//!
//! Each request is read whole and goes to the server over a connection of its own, so that what
//! happens to one never touches another.

mod list;
mod rule;

use std::collections::HashMap;
use std::io;
use std::mem;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::support::http::{Answer, Connection, Request};

pub(crate) use self::rule::{Fault, Loss, Rule};

/// A proxy before a server; dropped, it takes no further connection.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: String,
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

/// A request that came, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    /// The server's own answer; none if it has given none.
    pub(crate) status: Option<u16>,
}

#[derive(Debug)]
struct State {
    /// As `HOST:PORT`.
    server: String,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    rules: Vec<Rule>,
    delay: Duration,
    seen: Vec<Seen>,
    /// Requests that wait to be delivered, by their place among those seen.
    held: Vec<(usize, Request)>,
    /// What is left of lists that were paged, by our token.
    rests: HashMap<String, Answer>,
}

impl Proxy {
    /// Starts a proxy before the server at an address like `http://127.0.0.1:PORT`.
    pub(crate) async fn before(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = server.strip_prefix("http://").unwrap().to_owned();
        let state = Arc::new(State { server, inner: Mutex::default() });
        let shared = Arc::clone(&state);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = Arc::clone(&shared);
                // A client that goes away in the middle is a thing that clients do.
                tokio::spawn(async move { state.serve(stream).await.ok() });
            }
        });
        Self { address, state, accepting }
    }

    /// Where clients reach it, as `http://127.0.0.1:PORT`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Adds a rule. Of the rules that a request meets the first counts it and decides.
    pub(crate) fn rule(&self, rule: Rule) {
        self.state.inner.lock().unwrap().rules.push(rule);
    }

    /// Forgets all rules.
    pub(crate) fn mend(&self) {
        self.state.inner.lock().unwrap().rules.clear();
    }

    /// Lets every request wait before anything is done with it.
    pub(crate) fn slow(&self, delay: Duration) {
        self.state.inner.lock().unwrap().delay = delay;
    }

    /// Every request so far, in the order in which they came.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.inner.lock().unwrap().seen.clone()
    }

    /// How many requests of a method came whose target has a part.
    pub(crate) fn count(&self, method: &str, part: &str) -> usize {
        let seen = self.seen();
        seen.iter().filter(|it| it.method == method && it.target.contains(part)).count()
    }

    /// How many requests are held.
    pub(crate) fn held(&self) -> usize {
        self.state.inner.lock().unwrap().held.len()
    }

    /// Delivers the requests that are held, in their order, and tells what the server answered.
    pub(crate) async fn release(&self) -> Vec<u16> {
        let held = mem::take(&mut self.state.inner.lock().unwrap().held);
        let mut statuses = Vec::new();
        for (place, request) in held {
            statuses.push(self.state.forward(place, &request).await.unwrap().status);
        }
        statuses
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl State {
    /// Serves a connection until one side ends it.
    async fn serve(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut client = Connection::over(stream);
        while let Some(request) = client.request().await? {
            let (place, delay, fault) = self.admit(&request);
            tokio::time::sleep(delay).await;
            let goes_on = match fault {
                Some(Fault::Unseen(loss)) => {
                    self.lose(&mut client, loss, &request.method, &Answer::of(500)).await?
                }
                Some(Fault::Unanswered(loss)) => {
                    let answer = self.forward(place, &request).await?;
                    self.lose(&mut client, loss, &request.method, &answer).await?
                }
                Some(Fault::Held) => {
                    self.inner.lock().unwrap().held.push((place, request));
                    client.gone().await;
                    false
                }
                Some(Fault::Delayed(by)) => {
                    tokio::time::sleep(by).await;
                    let answer = self.forward(place, &request).await?;
                    send(&mut client, &request.method, &answer).await?
                }
                Some(Fault::Shortened(keep)) => {
                    let answer = self.forward(place, &request).await?;
                    let answer = match list::shortened(&text(&answer), keep) {
                        Some(list) => answer.with_body(list),
                        None => answer,
                    };
                    send(&mut client, &request.method, &answer).await?
                }
                Some(Fault::Paged(keep)) => {
                    let answer = self.forward(place, &request).await?;
                    let answer = self.paged(answer, keep);
                    send(&mut client, &request.method, &answer).await?
                }
                None => {
                    let answer = self.forward(place, &request).await?;
                    send(&mut client, &request.method, &answer).await?
                }
            };
            if !goes_on {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Takes down a request and tells its place, how long it waits and the fault that it meets.
    fn admit(&self, request: &Request) -> (usize, Duration, Option<Fault>) {
        let mut inner = self.inner.lock().unwrap();
        let place = inner.seen.len();
        let (method, target) = (request.method.clone(), request.target.clone());
        inner.seen.push(Seen { method, target, status: None });
        let fault = inner.rules.iter_mut().find_map(|rule| rule.meets(request));
        (place, inner.delay, fault)
    }

    /// What the server answers, or what is left of a list if that is asked for.
    async fn forward(&self, place: usize, request: &Request) -> io::Result<Answer> {
        let rest = {
            let inner = self.inner.lock().unwrap();
            let mut rests = inner.rests.iter();
            rests.find(|(token, _)| request.target.contains(*token)).map(|(_, rest)| rest.clone())
        };
        let answer = match rest {
            Some(rest) => rest,
            None => request.send(&self.server).await?,
        };
        self.inner.lock().unwrap().seen[place].status = Some(answer.status);
        Ok(answer)
    }

    /// Tells the client only what the loss leaves; whether the connection goes on.
    async fn lose(
        &self,
        client: &mut Connection,
        loss: Loss,
        method: &str,
        answer: &Answer,
    ) -> io::Result<bool> {
        match loss {
            Loss::Close => {}
            Loss::Reset => client.stream.set_zero_linger()?,
            Loss::Hang => client.gone().await,
            Loss::Half => {
                let bytes = answer.bytes(method);
                let all_but_half_of_the_body = bytes.len() - answer.body.len().div_ceil(2);
                client.stream.write_all(&bytes[..all_but_half_of_the_body]).await?;
            }
            Loss::Status(status) => return send(client, method, &Answer::of(status)).await,
        }
        Ok(false)
    }

    /// The first entries of a list; the rest is kept for whoever asks with the token.
    fn paged(&self, answer: Answer, keep: usize) -> Answer {
        let mut inner = self.inner.lock().unwrap();
        let token = format!("proxy-page-{}-", inner.rests.len());
        let Some((first, rest)) = list::halved(&text(&answer), keep, &token) else {
            return answer;
        };
        inner.rests.insert(token, answer.clone().with_body(rest));
        answer.with_body(first)
    }
}

async fn send(client: &mut Connection, method: &str, answer: &Answer) -> io::Result<bool> {
    client.stream.write_all(&answer.bytes(method)).await?;
    Ok(true)
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}
