//! Two agents, one conversation, and a crash between a tool's effect and the commit.
//!
//! Two processes race to answer two requests in one session of a store in files. One takes the
//! session, pays through a tool, and is killed with SIGKILL before it can say what came of that. The
//! other hears *busy*, is told that the owner is dead, takes the request over, sees that nobody knows
//! whether the money moved, looks into the books, says what it found there, and answers; then it
//! answers its own request. No model is asked: what one would say is written down.
//!
//! ```sh
//! cargo run -p sessile --example two_agents
//! ```
//!
//! It fails where something that it shows does not hold. Its last line names both requests and how
//! they ended.

#![expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]
#![expect(clippy::indexing_slicing, reason = "a JSON value that has no such member has null there")]

use std::env;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};
use sessile::prelude::*;
use sessile::{ErrorKind, Finish, From, RequestId, Seq};
use tokio::task::block_in_place;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// The conversation.
const SESSION: &str = "ses_payments";
/// The requests and their inputs, as a queue would hand them to whoever asks, again if need be.
const REQUESTS: [(&str, &str); 2] = [("req-ann", "pay 30 to ann"), ("req-bob", "pay 20 to bob")];
/// Where an agent is killed.
const POINT: &str = "the effect is done, and not committed";

#[tokio::main]
async fn main() -> Outcome {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.as_slice() {
        [] => host().await,
        [own, folder] => agent(own, Path::new(folder)).await,
        _ => Err("this example takes no arguments".into()),
    }
}

// -- The outside world -----------------------------------------------------------------------------

/// The books of a bank: a file with one payment a line, outside of any session.
struct Books(PathBuf);

impl Books {
    fn of(folder: &Path) -> Self {
        Self(folder.join("books.jsonl"))
    }

    /// Pays, unless a token was seen that is greater: then whoever asks was fenced.
    fn pay(&self, token: Seq, key: &str, text: &str) -> io::Result<String> {
        let receipt = format!("receipt for {key}: {text}");
        self.enter(token, &json!({"token": token, "pays": key, "receipt": receipt}))?;
        Ok(receipt)
    }

    /// Looks whether something was paid. From then on no older token pays anything, so that the
    /// answer stays true.
    fn look(&self, token: Seq, key: &str) -> io::Result<Option<String>> {
        let lines = self.enter(token, &json!({"token": token, "looks": key}))?;
        let mut receipts = lines.iter().filter(|line| line["pays"] == key);
        Ok(receipts.next().and_then(|line| line["receipt"].as_str()).map(str::to_owned))
    }

    /// Adds a line and answers those before it, both under the lock of the file.
    fn enter(&self, token: Seq, line: &Value) -> io::Result<Vec<Value>> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&self.0)?;
        file.lock()?;
        let before = Self::lines(&mut file)?;
        let greatest = before.iter().filter_map(|line| line["token"].as_u64()).max();
        if greatest.is_some_and(|greatest| greatest > token.number()) {
            return Err(io::Error::other("a greater token was seen"));
        }
        file.write_all(format!("{line}\n").as_bytes())?;
        file.sync_all()?;
        Ok(before)
    }

    fn lines(file: &mut File) -> io::Result<Vec<Value>> {
        file.rewind()?;
        let lines = BufReader::new(file).lines();
        lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect()
    }

    fn all(&self) -> io::Result<Vec<Value>> {
        Self::lines(&mut File::open(&self.0)?)
    }
}

// -- An agent --------------------------------------------------------------------------------------

/// What both agents are: a request that was begun by another agent than it says is refused.
fn terms() -> Result<Contract, sessile::Error> {
    Contract::new().part("agent", "two-agents-1")?.part("tools", &["pay"])
}

fn input_of(request: &str) -> Outcome<&'static str> {
    let known = REQUESTS.iter().find(|(id, _)| *id == request);
    known.map(|(_, input)| *input).ok_or_else(|| "nobody sent such a request".into())
}

/// A process that answers its own request, and before that the one whose owner was killed.
async fn agent(own: &str, folder: &Path) -> Outcome {
    let books = Books::of(folder);
    let store = Store::open(place(folder)).await?;
    let session = store.open_session(SESSION).await?;
    let request: RequestId = own.parse()?;
    let input = input_of(own)?;
    tell("ready")?;
    block_in_place(|| hear("go"))?;

    let busy = match session.admit(&request, input, &terms()?).await {
        Ok(admission) => {
            tell("holds")?;
            answer(admission.started()?, input, &books, true).await?;
            return Err("whoever is first is killed before it is done".into());
        }
        Err(error) if error.kind() == ErrorKind::Busy => error,
        Err(error) => return Err(error.into()),
    };
    let occupant = busy.occupant().ok_or("a busy answer names who holds the session")?;
    tell(&format!("busy {} {}", occupant.request, occupant.claim))?;
    // Whether its owner has stopped nothing in the store can tell. Here the host does.
    block_in_place(|| hear("its owner is dead"))?;

    let active = session.refresh().await?.active.ok_or("it does not free itself")?;
    let unknown: Vec<String> =
        active.indeterminate().map(|(action, it)| format!("{} ({action})", it.name)).collect();
    tell(&format!("recovers {}; nobody knows of {}", active.request, unknown.join(", ")))?;
    let theirs = input_of(active.request.as_str())?;
    let usage = session.recovery_usage(&active.request).await?;
    // Nothing was under way when its last checkpoint was stored: go on from there.
    let admission = session.recover(&active, theirs, &terms()?, Recovery::Reject, &usage).await?;
    answer(admission.started()?, theirs, &books, false).await?;

    let admission = session.admit(&request, input, &terms()?).await?;
    answer(admission.started()?, input, &books, false).await?;
    store.close().await?;
    tell("done")
}

/// The work of a turn, from its beginning or from where its last owner has left it.
async fn answer(mut turn: Turn, input: &str, books: &Books, is_first: bool) -> Outcome {
    let request = turn.request().clone();
    // The name that the books know the payment by.
    let key = format!("{request}/pay");
    if turn.last_checkpoint().await?.is_none() {
        let call = json!({"id": "pay", "function": {"name": "pay", "arguments": input}});
        turn.push(&json!({"role": "user", "content": input})).await?;
        turn.push(&json!({"role": "assistant", "tool_calls": [call]})).await?;
        turn.checkpoint("two-agents.called", 1, &json!({"calls": ["pay"]})).await?;
    }
    let receipt: String = loop {
        match turn.intend(Action::new("pay", "pay", input)).await? {
            Intent::Fresh(intent) => {
                let receipt = block_in_place(|| books.pay(intent.token(), &key, input))?;
                if is_first {
                    tell(POINT)?;
                    block_in_place(|| hear("nothing: here it is killed"))?;
                }
                intent.complete(&receipt).await?;
                break receipt;
            }
            Intent::Done(stored) => break stored.decode()?,
            Intent::Indeterminate(unknown) => {
                // The claim of this turn fences what the old owner may still have sent.
                match block_in_place(|| books.look(turn.claim(), &key))? {
                    Some(receipt) => {
                        tell(&format!("found {receipt}"))?;
                        turn.reconcile(&unknown, &receipt).await?;
                        break receipt;
                    }
                    // It may be intended again.
                    None => turn.reconcile_unexecuted(&unknown).await?,
                }
            }
        }
    };
    let said = input.replacen("pay", "paid", 1);
    turn.push(&json!({"role": "tool", "tool_call_id": "pay", "content": receipt})).await?;
    let last = json!({"role": "assistant", "content": said});
    turn.commit_with(Finish::new(&said)?.message(&last)?).await?;
    tell(&format!("{request} is answered"))
}

/// Says a line to the host.
fn tell(line: &str) -> Outcome {
    println!("{line}");
    Ok(io::stdout().flush()?)
}

/// Waits for a line of the host; ends with an error when the host is gone.
fn hear(expected: &str) -> Outcome {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    if line.trim_end() == expected { Ok(()) } else { Err("the host says something else".into()) }
}

// -- The host --------------------------------------------------------------------------------------

/// An agent's process, which ends with its handle.
struct Process {
    request: &'static str,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(request: &'static str, folder: &Path) -> Outcome<Self> {
        let mut command = Command::new(env::current_exe()?);
        command.arg(request).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let input = child.stdin.take().ok_or("it has an input")?;
        let output = BufReader::new(child.stdout.take().ok_or("it has an output")?);
        Ok(Self { request, child, input, output })
    }

    fn say(&mut self, line: &str) -> Outcome {
        Ok(writeln!(self.input, "{line}")?)
    }

    /// The next line of the agent, which is shown too.
    fn next(&mut self) -> Outcome<String> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err(format!("the agent of {} has ended", self.request).into());
        }
        let line = line.trim_end().to_owned();
        println!("agent of {}: {line}", self.request);
        Ok(line)
    }

    fn wait_for(&mut self, expected: &str) -> Outcome {
        while self.next()? != expected {}
        Ok(())
    }

    /// Ends it with SIGKILL.
    fn kill(&mut self) -> io::Result<ExitStatus> {
        self.child.kill()?;
        self.child.wait()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.kill();
    }
}

fn place(folder: &Path) -> String {
    format!("file:{}", folder.join("store").display())
}

async fn host() -> Outcome {
    let folder = tempfile::tempdir()?;
    let store = Store::open(place(folder.path())).await?;
    let session = store.create_as(SESSION, NewSession::new().dialect(Dialect::Openai)).await?;
    let recovered = block_in_place(|| play(folder.path()))?;
    check(&session, folder.path(), recovered).await?;
    assert!(store.verify(SESSION).await?.sound, "the session is sound");
    store.close().await?;
    let [first, second] = REQUESTS.map(|(request, input)| {
        let after = if request == recovered { " by another agent, after a crash" } else { "" };
        format!("{request} completed{after}: {}, once", input.replacen("pay", "paid", 1))
    });
    println!("{first}; {second}");
    Ok(())
}

/// Lets the agents race, kills the first, and answers which request it was about.
fn play(folder: &Path) -> Outcome<&'static str> {
    let [ann, bob] = REQUESTS.map(|(request, _)| Process::start(request, folder));
    let (mut ann, mut bob) = (ann?, bob?);
    for agent in [&mut ann, &mut bob] {
        agent.wait_for("ready")?;
    }
    for agent in [&mut ann, &mut bob] {
        agent.say("go")?;
    }
    let (mut holder, mut other, busy) = match (ann.next()?.as_str(), bob.next()?.as_str()) {
        ("holds", busy) => (ann, bob, busy.to_owned()),
        (busy, "holds") => (bob, ann, busy.to_owned()),
        _ => return Err("one of them holds the session".into()),
    };
    assert!(busy.starts_with(&format!("busy {} ", holder.request)), "{busy}");
    holder.wait_for(POINT)?;
    assert_eq!(holder.kill()?.signal(), Some(9), "it had no time to clean up");
    println!("agent of {}: killed", holder.request);
    other.say("its owner is dead")?;
    let recovers = format!("recovers {}; nobody knows of pay (pay)", holder.request);
    assert_eq!(other.next()?, recovers);
    other.wait_for("done")?;
    assert!(other.child.wait()?.success());
    Ok(holder.request)
}

/// Checks what the agents have left: books, transcript, and what a repeat is answered with.
async fn check(session: &Session, folder: &Path, recovered: &str) -> Outcome {
    let books = block_in_place(|| Books::of(folder).all())?;
    // In the order in which they were answered.
    let mut answered = REQUESTS.to_vec();
    answered.sort_by_key(|(request, _)| *request != recovered);
    let paid: Vec<&Value> = books.iter().map(|line| &line["pays"]).collect();
    let [first, second] = REQUESTS.map(|(request, _)| json!(format!("{request}/pay")));
    let (first, second) = if answered == REQUESTS { (first, second) } else { (second, first) };
    // Paid, looked up under a later claim, and paid again only for the other request.
    assert_eq!(paid, [&first, &Value::Null, &second]);
    // What the killed owner may have sent and what comes late is refused by its token.
    let late = books.first().and_then(|line| line["token"].as_u64()).and_then(Seq::new);
    let late = late.ok_or("a payment has a token")?;
    assert!(block_in_place(|| Books::of(folder).pay(late, "late/pay", "late")).is_err());

    let transcript: Vec<RawMessage> = session.transcript(From::start()).await?.all().await?;
    let mut told = Vec::new();
    for message in &transcript {
        let data: Value = message.decode()?;
        told.push(format!("{} {}", data["role"], data["content"]));
    }
    let expected: Vec<String> = answered
        .iter()
        .flat_map(|(request, input)| {
            let said = input.replacen("pay", "paid", 1);
            let user = format!("\"user\" {input:?}");
            let tool = format!("\"tool\" \"receipt for {request}/pay: {input}\"");
            [user, "\"assistant\" null".to_owned(), tool, format!("\"assistant\" {said:?}")]
        })
        .collect();
    assert_eq!(told, expected);

    let before = session.refresh().await?;
    assert!(before.active().is_none(), "nobody holds it");
    for (request, input) in REQUESTS {
        let Admission::Replay(done) = session.admit(&request.parse()?, input, &terms()?).await?
        else {
            return Err("it would be done again".into());
        };
        assert!(done.is_completed());
        assert_eq!(done.decode::<String>()?, input.replacen("pay", "paid", 1));
    }
    assert_eq!(session.refresh().await?.position, before.position, "a replay writes nothing");
    Ok(())
}
