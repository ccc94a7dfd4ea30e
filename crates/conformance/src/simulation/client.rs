//! A client: what it asks for, by chance, and how it goes on.

use std::sync::Arc;

use bytes::Bytes;
use sessile_core::admission::Recovery;
use sessile_core::backend::{Backend, DocKey, NewDocument, Precondition};
use sessile_core::digest::Token;
use sessile_core::entry::shape::Contract;
use sessile_core::{CommitId, Error, ErrorKind, RequestId, Revision};
use sessile_engine::{
    Admission, Admit, Append, Committed, Done, Entropy as _, From, NewSession, RawMessage, Session,
    Store, Turn,
};

use super::chance::Chance;
use super::history::{Answer, Asked, History};
use crate::failed::Failed;

/// The sessions that all use.
pub(super) const SESSIONS: [&str; 2] = ["a", "b"];

/// The requests that all send: few, so that they meet.
const REQUESTS: &[&str] = &["r0", "r1", "r2", "r3", "r4", "r5"];

/// The longest pause between two calls.
const PAUSE: u64 = 400;

pub(super) struct Client {
    pub(super) number: u64,
    pub(super) store: Store,
    pub(super) backend: Arc<dyn Backend>,
    pub(super) document: DocKey,
    pub(super) chance: Chance,
    pub(super) history: History,
    texts: u64,
    /// The append that was not told to be done, to be sent again.
    unsure: Option<(Append, Asked)>,
    turn: Option<(String, Turn)>,
}

fn committed(answer: Result<Committed, Error>) -> Answer {
    match answer {
        Ok(Committed { first, position, replayed, .. }) => {
            Answer::Committed { first, position, replayed }
        }
        Err(error) => Answer::refused(&error),
    }
}

fn ended(answer: &Result<Done, Error>) -> Answer {
    match answer {
        Ok(done) => {
            let result = done.result.as_ref().map(|result| result.as_str().to_owned());
            Answer::Ended { seq: done.seq, result }
        }
        Err(error) => Answer::refused(error),
    }
}

impl Client {
    pub(super) fn new(
        number: u64,
        (store, backend): (Store, Arc<dyn Backend>),
        document: DocKey,
        chance: Chance,
        history: History,
    ) -> Self {
        let (texts, unsure, turn) = (0, None, None);
        Self { number, store, backend, document, chance, history, texts, unsure, turn }
    }

    fn text(&mut self) -> String {
        self.texts += 1;
        format!("{}.{}", self.number, self.texts)
    }

    fn note(&self, begun: u64, asked: Asked, answer: Answer) {
        self.history.end(self.number, begun, asked, answer);
    }

    /// Asks for so many things.
    ///
    /// # Errors
    /// What has nothing to do with the place.
    pub(super) async fn live(mut self, steps: usize) -> Result<(), Failed> {
        for _ in 0..steps {
            self.chance.wait(PAUSE).await;
            let name = *self.chance.pick(&SESSIONS).unwrap_or(&"a");
            match self.chance.below(12) {
                0..=2 => self.append(name).await?,
                3 | 4 => self.read(name).await,
                5 | 6 => self.admit(name).await?,
                7 | 8 => self.work().await?,
                9 => self.interfere(name).await?,
                10 => self.put().await,
                _ => drop(self.get().await),
            }
        }
        Ok(())
    }

    /// A handle on a session that all create.
    async fn session(&self, name: &str) -> Option<Session> {
        self.store.open_or_create(name, NewSession::new()).await.ok()
    }

    async fn append(&mut self, name: &str) -> Result<(), Failed> {
        let (append, asked) = match self.unsure.take() {
            Some(sent) if self.chance.one_in(2) => sent,
            other => {
                self.unsure = other;
                let texts = (0..=self.chance.below(3)).map(|_| self.text()).collect();
                let id: CommitId = format!("c{}.{}", self.number, self.texts).parse()?;
                let at = match self.session(name).await {
                    Some(session) if self.chance.one_in(3) => Some(session.position()),
                    Some(_) => None,
                    None => return Ok(()),
                };
                let append = at.map_or_else(Append::at_end, Append::at).commit_id(id.clone());
                let (session, commit) = (name.to_owned(), id.to_string());
                (append, Asked::Append { session, commit, texts, at })
            }
        };
        let Asked::Append { session, texts, .. } = &asked else { return Ok(()) };
        let Some(handle) = self.session(session).await else { return Ok(()) };
        let begun = self.history.begin();
        let answer = committed(handle.append_with(append.clone(), texts).await);
        if matches!(answer, Answer::Refused { .. }) && self.unsure.is_none() {
            self.unsure = Some((append, asked.clone()));
        }
        self.note(begun, asked, answer);
        Ok(())
    }

    async fn read(&self, name: &str) {
        let Some(session) = self.session(name).await else { return };
        let begun = self.history.begin();
        let messages = async {
            session.refresh().await?;
            session.transcript(From::start()).await?.all().await
        };
        let answer = match messages.await {
            Ok(messages) => {
                let messages: Vec<RawMessage> = messages;
                let text = |it: RawMessage| it.data.as_str().to_owned();
                Answer::Messages(messages.into_iter().map(text).collect())
            }
            Err(error) => Answer::refused(&error),
        };
        self.note(begun, Asked::Read { session: name.to_owned() }, answer);
    }

    fn started(&mut self, begun: u64, asked: Asked, name: &str, answer: Result<Admission, Error>) {
        let answer = match answer {
            Ok(Admission::Started(turn)) => {
                let claim = turn.claim();
                self.turn = Some((name.to_owned(), turn));
                Answer::Started { claim }
            }
            Ok(Admission::Replay(done)) => ended(&Ok(done)),
            Err(error) => Answer::refused(&error),
        };
        self.note(begun, asked, answer);
    }

    fn request(id: &str) -> Result<Admit, Failed> {
        let id: RequestId = id.parse()?;
        Ok(Admit::new(&id, id.as_str(), &Contract::new().part("agent", "a")?))
    }

    async fn admit(&mut self, name: &str) -> Result<(), Failed> {
        let request = (*self.chance.pick(REQUESTS).unwrap_or(&"r0")).to_owned();
        let Some(session) = self.session(name).await else { return Ok(()) };
        let begun = self.history.begin();
        let answer = session.admit_with(Self::request(&request)?).await;
        let asked = Asked::Admit { session: name.to_owned(), request };
        self.started(begun, asked, name, answer);
        Ok(())
    }

    /// Goes on with the turn that it began last, whether that is fenced by now or not.
    async fn work(&mut self) -> Result<(), Failed> {
        let text = self.text();
        let Some((name, turn)) = &self.turn else { return Ok(()) };
        let (session, claim) = (name.clone(), turn.claim());
        let begun = self.history.begin();
        if !self.chance.one_in(3) {
            let answer = committed(turn.push(&text).await);
            self.note(begun, Asked::Push { session, claim, text }, answer);
            return Ok(());
        }
        let request = turn.request().to_string();
        let answer = turn.commit(&text).await;
        let asked = Asked::Finish { session, request, claim, result: text };
        let answer = match &answer {
            // What a deletion or another holder ended is told as it was.
            Ok(done) if !done.is_completed() => {
                Answer::Refused { kind: ErrorKind::Fenced, outcome: sessile_core::Outcome::Unknown }
            }
            answer => ended(answer),
        };
        self.note(begun, asked, answer);
        Ok(())
    }

    /// Takes a session from whoever holds it, as one that takes the holder for dead.
    async fn interfere(&mut self, name: &str) -> Result<(), Failed> {
        let Some(handle) = self.session(name).await else { return Ok(()) };
        let Ok(info) = handle.refresh().await else { return Ok(()) };
        let Some(active) = info.active else { return Ok(()) };
        let (session, request) = (name.to_owned(), active.request.to_string());
        let from = active.claim;
        let begun = self.history.begin();
        if self.chance.one_in(2) {
            let admit = Self::request(&request)?;
            let answer = handle.recover_with(from, admit, Recovery::Restart).await;
            self.started(begun, Asked::Recover { session, request, from }, name, answer);
        } else {
            let answer = ended(&handle.abandon(&active, "taken for dead", None).await);
            self.note(begun, Asked::Abandon { session, request, claim: from }, answer);
        }
        Ok(())
    }

    async fn get(&self) -> Option<Option<Revision>> {
        let begun = self.history.begin();
        let (answer, held) = match self.backend.get(&self.document).await {
            Ok(document) => (Answer::Holds(Some(document.revision)), Some(Some(document.revision))),
            Err(error) if error.kind() == ErrorKind::Missing => (Answer::Holds(None), Some(None)),
            Err(error) => (Answer::refused(&error), None),
        };
        self.note(begun, Asked::Get, answer);
        held
    }

    async fn put(&mut self) {
        let Some(over) = self.get().await else { return };
        let revision = Revision::new(Token::from_random(self.chance.draw()));
        let bytes = Bytes::from(self.text());
        let precondition = over.map_or(Precondition::Absent, Precondition::Revision);
        // A put whose answer is lost is sent again, as it was.
        for _ in 0..3 {
            let begun = self.history.begin();
            let new = NewDocument { bytes: bytes.clone(), revision, session: None };
            let answer = match self.backend.put(&self.document, new, precondition).await {
                Ok(()) => Answer::Holds(Some(revision)),
                Err(error) => Answer::refused(&error),
            };
            let is_told =
                !matches!(answer, Answer::Refused { outcome: sessile_core::Outcome::Unknown, .. });
            self.note(begun, Asked::Put { revision, over }, answer);
            if is_told {
                return;
            }
        }
    }
}
