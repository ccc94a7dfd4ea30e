//! The ways in which a session is changed, each taken in the product and in the ledger.

use std::sync::Arc;

use sessile_core::{CommitId, Error, ErrorKind, Ordinal, Payload, Position, Seq};
use sessile_engine::{Append, Clock as _, Committed, From, Session};

use super::dice::Dice;
use super::ledger::{Abstract, Account, Life, REDACTED, Receipt};
use crate::failed::{Failed, conflicts_at, ensure, fails, same};
use crate::hands::Hands;

/// The commit ids and metadata keys that are used.
const KEYS: &[&str] = &["k1", "k2", "k3", "k4"];

/// A way to change a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Append,
    AppendAt,
    AppendStale,
    AppendUnderId,
    Events,
    Meta,
    Rewind,
    Pop,
    Compact,
    Redact,
    Forget,
    Touch,
    Close,
    Delete,
}

impl Change {
    /// The changes, those that are made more often several times.
    pub(super) const ALL: &[Self] = &[
        Self::Append,
        Self::Append,
        Self::Append,
        Self::AppendAt,
        Self::AppendAt,
        Self::AppendStale,
        Self::AppendUnderId,
        Self::AppendUnderId,
        Self::AppendUnderId,
        Self::Events,
        Self::Meta,
        Self::Meta,
        Self::Rewind,
        Self::Pop,
        Self::Compact,
        Self::Compact,
        Self::Redact,
        Self::Forget,
        Self::Forget,
        Self::Touch,
        Self::Close,
        Self::Delete,
    ];

    /// Whether it can't be made where nothing can be masked.
    pub(super) const fn masks(self) -> bool {
        matches!(self, Self::Redact | Self::Forget)
    }
}

/// Whoever makes the changes: what is written, and when.
pub(super) struct Author {
    pub(super) dice: Dice,
    hands: Arc<Hands>,
    texts: u64,
}

impl Author {
    /// One who has written nothing.
    pub(super) fn new(dice: Dice) -> Self {
        Self { dice, hands: Arc::new(Hands::at(1_000)), texts: 0 }
    }

    /// The clock.
    pub(super) const fn clock(&self) -> &Arc<Hands> {
        &self.hands
    }

    /// What the clock says.
    pub(super) fn now(&self) -> u64 {
        self.hands.now().millis()
    }

    /// Lets time pass, or not: some things happen in one moment.
    pub(super) fn wait(&mut self) -> Result<(), Failed> {
        let passed = u64::try_from(self.dice.below(3))?;
        self.hands.set(self.now() + passed);
        Ok(())
    }

    fn text(&mut self) -> String {
        self.texts += 1;
        let padding = "x".repeat(self.dice.below(40));
        format!("\"{}.{padding}\"", self.texts)
    }

    fn message(&mut self) -> String {
        format!(r#"{{"role":"user","content":{}}}"#, self.text())
    }

    fn messages(&mut self) -> Vec<String> {
        (0..=self.dice.below(3)).map(|_| self.message()).collect()
    }

    /// Makes a change.
    pub(super) async fn make(
        &mut self,
        change: Change,
        session: &Session,
        account: &mut Account,
    ) -> Result<(), Failed> {
        match change {
            Change::Append => self.append(session, account, Append::at_end()).await,
            Change::AppendAt => {
                let at = Append::at(account.position());
                self.append(session, account, at).await
            }
            Change::AppendStale => self.append_stale(session, account).await,
            Change::AppendUnderId => self.append_under_an_id(session, account).await,
            Change::Events => self.append_events(session, account).await,
            Change::Meta => self.set_meta(session, account).await,
            Change::Rewind => self.rewind(session, account).await,
            Change::Pop => self.pop(session, account).await,
            Change::Compact => self.compact(session, account).await,
            Change::Redact => self.redact(session, account).await,
            Change::Forget => self.forget(session, account).await,
            Change::Touch => self.touch(session, account).await,
            Change::Close => self.close(session, account).await,
            Change::Delete => self.delete(session, account).await,
        }
    }

    async fn append(
        &mut self,
        session: &Session,
        account: &mut Account,
        append: Append,
    ) -> Result<(), Failed> {
        let texts = self.messages();
        let answer = session.append_with(append, payloads(&texts)?).await;
        let refusal = account.refusal_of_messages();
        if let Some(done) = self.answered(account, answer, refusal, texts.len())? {
            account.append(done.first, &texts);
        }
        Ok(())
    }

    async fn append_stale(
        &mut self,
        session: &Session,
        account: &mut Account,
    ) -> Result<(), Failed> {
        let older = account.positions.split_last().map(|(_, older)| older).unwrap_or_default();
        let Some(stale) = self.dice.pick(older).copied() else { return Ok(()) };
        let texts = self.messages();
        let answer = session.append_with(Append::at(stale), payloads(&texts)?).await;
        match account.refusal_of_messages() {
            Some(kind) => fails("an append elsewhere", answer, kind).map(drop),
            None => conflicts_at("an append elsewhere", answer, account.position()),
        }
    }

    async fn append_under_an_id(
        &mut self,
        session: &Session,
        account: &mut Account,
    ) -> Result<(), Failed> {
        let id: CommitId = self.dice.pick(KEYS).unwrap_or(&"k1").parse()?;
        let append = Append::at_end().commit_id(id.clone());
        let known = account.receipts.get(&id).cloned();
        let repeats = known.is_some() && !self.dice.one_in(4);
        let texts = match &known {
            Some(known) if repeats => known.texts.clone(),
            _ => self.messages(),
        };
        let answer = session.append_with(append, payloads(&texts)?).await;
        let Some(known) = known.filter(|_| account.life < Life::Deleted) else {
            let refusal = account.refusal_of_messages();
            if let Some(done) = self.answered(account, answer, refusal, texts.len())? {
                account.append(done.first, &texts);
                let receipt = Receipt { texts, first: done.first, position: done.position };
                account.receipts.insert(id, receipt);
            }
            return Ok(());
        };
        if !repeats {
            return fails("other content", answer, ErrorKind::Conflict).map(drop);
        }
        let done = answer?;
        ensure!(done.replayed, "a repeat says that it is one");
        same("where a repeat was done", (done.first, done.position), (known.first, known.position))
    }

    async fn append_events(
        &mut self,
        session: &Session,
        account: &mut Account,
    ) -> Result<(), Failed> {
        let texts = self.messages();
        let answer = session.append_events(payloads(&texts)?).await;
        let refusal = account.refusal_of_notes();
        if let Some(done) = self.answered(account, answer, refusal, texts.len())? {
            account.note(done.first, &texts);
        }
        Ok(())
    }

    async fn set_meta(&mut self, session: &Session, account: &mut Account) -> Result<(), Failed> {
        let key = (*self.dice.pick(KEYS).unwrap_or(&"k1")).to_owned();
        let value = (!self.dice.one_in(3)).then(|| self.text());
        let data = Payload::parse(value.clone().unwrap_or_else(|| "null".to_owned()))?;
        let answer = session.set_meta([(key.as_str(), data)]).await;
        let refusal = account.refusal_of_notes();
        if self.answered(account, answer, refusal, 1)?.is_some() {
            match value {
                Some(value) => account.meta.insert(key, value),
                None => account.meta.remove(&key),
            };
        }
        Ok(())
    }

    async fn rewind(&mut self, session: &Session, account: &mut Account) -> Result<(), Failed> {
        let seqs: Vec<Seq> = account.lines.iter().map(|line| line.seq).collect();
        let to = self.dice.pick(&seqs).copied().unwrap_or(Seq::FIRST);
        let answer = session.rewind(to).await;
        let refusal = account.refusal_of_messages();
        if self.answered(account, answer, refusal, 1)?.is_some() {
            account.rewind(to);
        }
        Ok(())
    }

    async fn pop(&mut self, session: &Session, account: &mut Account) -> Result<(), Failed> {
        let count = 1 + self.dice.below(3);
        if account.life < Life::Deleted {
            // It expects what its handle knows.
            session.refresh().await?;
        }
        let answer = session.pop(count).await;
        match account.refusal_of_messages() {
            Some(kind) => fails("popping", answer, kind).map(drop),
            None if account.in_sight().is_empty() => {
                ensure!(answer?.is_none(), "there is nothing to pop");
                Ok(())
            }
            None if account.popped(count).first().is_some_and(|it| account.forgot(it.seq)) => {
                fails("popping", answer, ErrorKind::Forgotten).map(drop)
            }
            None => {
                let popped = answer?.ok_or_else(|| Failed::new("there is something to pop"))?;
                let texts = popped.messages.iter().map(|it| it.data.as_str().to_owned());
                same("what was popped", texts.collect(), account.pop(count))?;
                self.moved(account, &popped.committed, 1)
            }
        }
    }

    async fn compact(&mut self, session: &Session, account: &mut Account) -> Result<(), Failed> {
        let messages = account.in_sight().len();
        let keep_from = u64::try_from(1 + self.dice.below(messages + 2))?;
        let data = self.text();
        let keep = Ordinal::new(keep_from);
        let keep = From::ordinal(keep.ok_or_else(|| Failed::new("ordinals begin at 1"))?);
        let answer = session.compact(keep, [Payload::parse(data.clone())?]).await;
        let before = account.summary().map_or(1, |it| it.keep_from);
        let is_named = keep_from <= u64::try_from(messages)? + 1;
        let is_refused = !is_named || keep_from <= before;
        let refusal = account.refusal_of_messages();
        let refusal = refusal.or_else(|| is_refused.then_some(ErrorKind::Refused));
        if let Some(done) = self.answered(account, answer, refusal, 1)? {
            let seq = done.first;
            account.abstracts.push(Abstract { seq, data, keep_from, hidden: false });
        }
        Ok(())
    }

    async fn redact(&mut self, session: &Session, account: &mut Account) -> Result<(), Failed> {
        let count = account.lines.len();
        let chosen = self.dice.below(count);
        let Some(seq) = account.lines.get(chosen).map(|line| line.seq) else { return Ok(()) };
        let answer = session.redact([seq], None).await;
        if let Some(kind) = account.refusal_of_notes() {
            return fails("redacting", answer, kind).map(drop);
        }
        answer?;
        if let Some(line) = account.lines.get_mut(chosen) {
            REDACTED.clone_into(&mut line.data);
        }
        // Redacting twice is redacting once, so it may add nothing.
        account.ends_at(session.refresh().await?.position, self.now());
        Ok(())
    }

    async fn forget(&mut self, session: &Session, account: &mut Account) -> Result<(), Failed> {
        let end = account.position().number();
        // Mostly one of the first half, so that something is left to be read.
        let older = account.lines.get(..account.lines.len().div_ceil(2)).unwrap_or_default();
        let chosen = self.dice.pick(older).map_or(1, |line| line.seq.number());
        let before = match self.dice.below(8) {
            0 => end + 1,
            1 => 1,
            2 => end,
            _ => chosen,
        };
        let is_refused = before <= 1 || before > end;
        let before = Seq::new(before).ok_or_else(|| Failed::new("there is such a number"))?;
        let answer = session.forget(before).await;
        let refusal = account.refusal_of_notes();
        let refusal = refusal.or_else(|| is_refused.then_some(ErrorKind::Refused));
        if let Some(kind) = refusal {
            return fails("forgetting", answer, kind).map(drop);
        }
        let is_news = account.forgotten.is_none_or(|forgotten| forgotten < before);
        let done = answer?;
        same("whether that is to be forgotten yet", done.is_some(), is_news)?;
        if let Some(done) = done {
            self.moved(account, &done, 1)?;
            account.forget(before);
        }
        Ok(())
    }

    async fn touch(&mut self, session: &Session, account: &mut Account) -> Result<(), Failed> {
        let answer = session.touch().await;
        let refusal = account.refusal_of_notes();
        self.answered(account, answer, refusal, 1).map(drop)
    }

    async fn close(&mut self, session: &Session, account: &mut Account) -> Result<(), Failed> {
        let answer = session.close().await;
        if account.life >= Life::Deleted {
            return fails("closing", answer, ErrorKind::Deleted).map(drop);
        }
        answer?;
        account.life = Life::Closed;
        account.ends_at(session.refresh().await?.position, self.now());
        Ok(())
    }

    async fn delete(&mut self, session: &Session, account: &mut Account) -> Result<(), Failed> {
        session.delete().await?;
        if account.life < Life::Deleted {
            account.former = account.life;
            account.life = Life::Deleted;
            account.ends_at(session.position(), self.now());
        }
        Ok(())
    }

    /// Fails unless a change of so many entries was answered as it had to be; what it did, if it
    /// was not refused.
    fn answered(
        &self,
        account: &mut Account,
        answer: Result<Committed, Error>,
        refusal: Option<ErrorKind>,
        entries: usize,
    ) -> Result<Option<Committed>, Failed> {
        if let Some(kind) = refusal {
            fails("a change", answer, kind)?;
            return Ok(None);
        }
        let done = answer?;
        ensure!(!done.replayed, "what is new is no repeat");
        self.moved(account, &done, entries)?;
        Ok(Some(done))
    }

    /// Fails unless a change of so many entries moved the end by them, and notes it.
    fn moved(&self, account: &mut Account, done: &Committed, entries: usize) -> Result<(), Failed> {
        let before = account.position().number();
        // What serves the journal itself may stand before the caller's entries.
        ensure!(done.first.number() >= before, "{} was given before", done.first);
        let end = done.first.number() + u64::try_from(entries)?;
        same("the position", Some(done.position), Position::new(end))?;
        account.ends_at(done.position, self.now());
        Ok(())
    }
}

/// Payloads of JSON text.
fn payloads(texts: &[String]) -> Result<Vec<Payload>, Failed> {
    texts.iter().map(|text| Ok(Payload::parse(text.clone())?)).collect()
}
