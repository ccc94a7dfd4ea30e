//! The ways from one session to another: forks, copies, files; and what is to change nothing.

use std::collections::{BTreeMap, BTreeSet};

use sessile_core::{EntryType, ErrorKind, Seq};
use sessile_engine::{From, Imported, Session, Store};
use sessile_interchange::{Format, Source, parse};

use super::changes::Author;
use super::expect;
use super::ledger::{Account, Ledger, Life, Line, Taken};
use crate::failed::{Failed, ensure, fails, only, same};

/// The id that some files are imported under.
const CHOSEN: &str = "chosen";

/// A way from a session to another one, or back to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passage {
    Fork,
    Vacuum,
    Copy,
    Import,
}

impl Passage {
    /// All of them.
    pub(super) const ALL: &[Self] = &[Self::Fork, Self::Vacuum, Self::Copy, Self::Import];
}

/// Another store, and what is to be in it.
pub(super) struct Abroad {
    pub(super) store: Store,
    pub(super) ledger: Ledger,
}

/// A session as one process has it.
pub(super) struct Held<'a> {
    pub(super) store: &'a Store,
    pub(super) session: &'a Session,
    pub(super) id: &'a str,
}

impl Held<'_> {
    /// Cuts a copy of the session; answers its account under its id, if there is one.
    pub(super) async fn fork(
        &self,
        account: &Account,
        target: &str,
        there: Option<&Account>,
        author: &mut Author,
    ) -> Result<Option<(Session, Account)>, Failed> {
        let beyond = Seq::new(account.position().number());
        let at = match author.dice.below(6) {
            0 => None,
            1 => beyond,
            _ => author.dice.pick(&account.lines).map(|line| line.seq),
        };
        let answer = self.session.fork_as(target, at).await;
        let (mut cut, last) = match account.cut(self.id, at) {
            Ok(cut) => cut,
            Err(kind) => return fails("forking", answer, kind).map(|_| None),
        };
        match there {
            Some(there) if there.life >= Life::Deleted => {
                fails("forking", answer, ErrorKind::Deleted).map(|_| None)
            }
            Some(there) if there.origin == cut.origin => {
                let fork = answer?;
                same("the position of a fork", fork.position(), there.position())?;
                Ok(Some((fork, there.clone())))
            }
            Some(_) => fails("forking", answer, ErrorKind::Exists).map(|_| None),
            None => {
                let fork = answer?;
                let position = fork.position();
                ensure!(position.number() >= last.number() + 2, "a fork says that it is one");
                let meta = expect::meta(&fork.info());
                if account.may_lack(&cut, &meta) {
                    cut.meta = meta;
                }
                cut.ends_at(position, author.now());
                cut.remember();
                Ok(Some((fork, cut)))
            }
        }
    }

    /// Drops what nobody needs any more.
    pub(super) async fn vacuum(&self, account: &mut Account) -> Result<(), Failed> {
        if account.life >= Life::Deleted {
            let answer = self.store.vacuum(self.id).await;
            return fails("vacuuming", answer, ErrorKind::Deleted).map(drop);
        }
        let before = self.droppable().await?;
        let done = self.store.vacuum(self.id).await?;
        let after = self.droppable().await?;
        let gone = before.keys().filter(|seq| !after.contains_key(seq));
        let gone: BTreeSet<Seq> = gone.copied().collect();
        let other = after.iter().filter(|(seq, entry)| before.get(seq) != Some(entry));
        let other: BTreeSet<Seq> = other.map(|(seq, _)| *seq).collect();
        ensure!(other.iter().all(|seq| before.contains_key(seq)), "a vacuum adds nothing");
        same("how many were dropped", done.dropped, u64::try_from(gone.len())?)?;
        same("how many were emptied", done.emptied, u64::try_from(other.len())?)?;
        let is_meta = |seq: &&Seq| before.get(seq).is_some_and(|(of, _)| *of == EntryType::Meta);
        if gone.union(&other).any(|seq| is_meta(&seq)) {
            account.trimmed = Some(account.position());
        }
        account.dropped.extend(gone);
        account.dropped.extend(other);
        Ok(())
    }

    /// What a vacuum may touch, by number.
    async fn droppable(&self) -> Result<BTreeMap<Seq, (EntryType, String)>, Failed> {
        let entries = self.session.entries(From::start()).await?.all().await?;
        let may_go = |of: &EntryType| matches!(of, EntryType::State | EntryType::Meta);
        let found = entries.into_iter().filter(|entry| may_go(&entry.entry_type));
        let told = found.map(|it| (it.seq, (it.entry_type, it.data.as_str().to_owned())));
        Ok(told.collect())
    }

    /// Copies the session to another store.
    pub(super) async fn copy(&self, account: &Account, abroad: &mut Abroad) -> Result<(), Failed> {
        let answer = self.store.copy(self.id, &abroad.store).await;
        if account.life >= Life::Deleted {
            return fails("copying", answer, ErrorKind::Deleted).map(drop);
        }
        let there = abroad.ledger.accounts.get(self.id);
        if there.is_some_and(|there| account.altered_since(there)) {
            return fails("copying", answer, ErrorKind::Conflict).map(drop);
        }
        let copied = answer?;
        let commits = |account: &Account| account.moments.len();
        let held = there.map_or(0, commits);
        same("where it ended", copied.position, account.position())?;
        same("how many commits", copied.commits, u64::try_from(commits(account))?)?;
        same("how many were added", copied.added, u64::try_from(commits(account) - held)?)?;
        abroad.ledger.accounts.insert(self.id.to_owned(), account.clone());
        Ok(())
    }

    /// Writes the session as a file, and imports that into another store.
    pub(super) async fn import(
        &self,
        account: &Account,
        abroad: &mut Abroad,
        author: &mut Author,
    ) -> Result<(), Failed> {
        let answer = self.store.export(self.id, Format::Jsonl).await;
        if account.life >= Life::Deleted {
            return fails("exporting", answer, ErrorKind::Deleted).map(drop);
        }
        let file = answer?.all().await?;
        let lines = account.exported();
        let expected: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        same("the file", String::from_utf8(file.clone())?, expected)?;
        if lines.is_empty() {
            return Ok(());
        }
        let chosen = author.dice.one_in(3);
        let source = parse(Format::Jsonl, file.into())?;
        Box::pin(abroad.import(&source, lines, chosen, author.now())).await
    }
}

impl Abroad {
    /// Fails unless the store shows what is to be in it.
    pub(super) async fn compare(&self, author: &mut Author) -> Result<(), Failed> {
        expect::lists(&self.store, &self.ledger, &mut author.dice).await?;
        for (id, account) in &self.ledger.accounts {
            let session = self.store.open_session(id.as_str()).await?;
            let shown = expect::shows(&session, account, &mut author.dice).await;
            shown.map_err(|failed| Failed::new(format!("session {id} abroad: {failed}")))?;
        }
        Ok(())
    }

    async fn import(
        &mut self,
        source: &Source,
        lines: Vec<String>,
        chosen: bool,
        now: u64,
    ) -> Result<(), Failed> {
        let answer = if chosen {
            self.store.import_as(CHOSEN, source).await
        } else {
            self.store.import(source).await
        };
        let known = match self.known(&lines, chosen) {
            Ok(known) => known,
            Err(kind) => return fails("importing", answer, kind).map(drop),
        };
        let imported: Imported = only("the sessions of a file", answer?)?;
        let id = imported.session.to_string();
        ensure!(!chosen || id == CHOSEN, "the chosen id is taken");
        let session = self.store.open_session(id.as_str()).await?;
        let mut account = if let Some(known) = known {
            same("the session that it grows", &id, &known)?;
            self.ledger.accounts.get(&known).cloned().ok_or_else(|| Failed::new("it is"))?
        } else {
            ensure!(!self.ledger.accounts.contains_key(&id), "another file's session is taken");
            let mut account = Account::new(session.position(), now);
            let title = lines.iter().find_map(|line| title(line));
            account.meta.extend(title.map(|title| ("title".to_owned(), title)));
            account.moments.clear();
            account.file = Some(Taken { chosen, first: lines.clone(), lines: Vec::new() });
            account
        };
        let Some(taken) = &mut account.file else { return Err(Failed::new("it is of a file")) };
        let added = lines.get(taken.lines.len()..).unwrap_or_default();
        same("how many were added", imported.added, u64::try_from(added.len())?)?;
        let entries = session.entries(From::start()).await?.all().await?;
        let wanted = |of: &EntryType| matches!(of, EntryType::Message | EntryType::Event);
        let stored: Vec<_> = entries.iter().filter(|entry| wanted(&entry.entry_type)).collect();
        let stored = stored.get(taken.lines.len()..).unwrap_or_default();
        let data: Vec<&str> = stored.iter().map(|entry| entry.data.as_str()).collect();
        same("what was added", data, added.iter().map(String::as_str).collect())?;
        for entry in stored {
            let data = entry.data.as_str().to_owned();
            let is_message = title(&data).is_some();
            let line = Line { seq: entry.seq, data, hidden: false };
            if is_message { account.lines.push(line) } else { account.notes.push(line) }
        }
        taken.lines = lines;
        account.ends_at(session.position(), now);
        account.remember();
        self.ledger.accounts.insert(id, account);
        Ok(())
    }

    /// The session that is known to be of a file, if one is; how the import is refused, if it is.
    fn known(&self, lines: &[String], chosen: bool) -> Result<Option<String>, ErrorKind> {
        let begins_alike = |taken: &&Taken| taken.first.first() == lines.first();
        if chosen {
            let Some(there) = self.ledger.accounts.get(CHOSEN) else { return Ok(None) };
            let taken = there.file.as_ref().filter(begins_alike).ok_or(ErrorKind::Exists)?;
            let grows = lines.starts_with(&taken.lines);
            return if grows { Ok(Some(CHOSEN.to_owned())) } else { Err(ErrorKind::Conflict) };
        }
        let of_files = self.ledger.accounts.iter();
        let of_files = of_files.filter_map(|(id, it)| Some((id, it.file.as_ref()?)));
        let of_files: Vec<_> = of_files.filter(|(_, taken)| !taken.chosen).collect();
        let whole = of_files.iter().filter(|(_, taken)| lines.starts_with(&taken.lines));
        let longest = whole.max_by_key(|(_, taken)| taken.lines.len());
        if let Some((id, _)) = longest {
            return Ok(Some((*id).clone()));
        }
        let parted = of_files.iter().any(|(_, taken)| lines.starts_with(&taken.first));
        if parted { Err(ErrorKind::Conflict) } else { Ok(None) }
    }
}

/// The title that a line makes, if it is a message.
fn title(line: &str) -> Option<String> {
    let content = line.strip_prefix(r#"{"role":"user","content":"#)?;
    content.strip_suffix('}').map(str::to_owned)
}
