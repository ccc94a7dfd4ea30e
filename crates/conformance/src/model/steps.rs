//! Random steps, each taken in the product and in the ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sessile_core::ErrorKind;
use sessile_core::backend::Capability;
use sessile_engine::{NewSession, Options, Session, Store};
use sessile_memory::MemoryBackend;

use super::changes::{Author, Change};
use super::dice::Dice;
use super::expect;
use super::ledger::{Account, Ledger, Life};
use super::passages::{Abroad, Held, Passage};
use crate::failed::{Failed, fails};
use crate::fixture::Place;
use crate::hands::Hands;

/// The ids that are used: few, so that steps meet.
const IDS: &[&str] = &["a", "b", "c"];

/// How many copies of them are cut, each under an id of its own.
const FORKS: usize = 5;

/// Takes so many steps, the same for each seed, in a space of their own, and fails where the
/// product shows anything else than the ledger says.
pub(crate) async fn drive(place: &dyn Place, seed: u64, steps: usize) -> Result<(), Failed> {
    let mut run = Run::begin(place, seed).await?;
    for number in 0..steps {
        let taken = match Box::pin(run.step()).await {
            Ok(()) => run.compare().await,
            failed => failed,
        };
        taken.map_err(|failed| {
            let path = run.taken.join("; ");
            Failed::new(format!("seed {seed}, step {number}: {failed}; the steps were: {path}"))
        })?;
    }
    Ok(())
}

struct Run {
    author: Author,
    /// Two processes.
    stores: [Store; 2],
    handles: BTreeMap<(usize, String), Session>,
    ledger: Ledger,
    abroad: Abroad,
    changes: Vec<Change>,
    passages: Vec<Passage>,
    can_purge: bool,
    /// The session of the last step.
    touched: String,
    /// The steps so far, for people.
    taken: Vec<String>,
}

impl Run {
    async fn begin(place: &dyn Place, seed: u64) -> Result<Self, Failed> {
        let capabilities = place.handle().await?.capabilities();
        let can_mask = capabilities.has(Capability::Mask);
        let can_rewrite = capabilities.has(Capability::Rewrite);
        let changes = Change::ALL.iter().filter(|it| can_mask || !it.masks());
        let passages = Passage::ALL.iter().filter(|it| can_rewrite || **it != Passage::Vacuum);
        let mut dice = Dice::of(seed);
        // In some runs states come so often that nearly every read meets one.
        let entries = *dice.pick(&[2, 8, 2_000]).unwrap_or(&2_000);
        let author = Author::new(dice);
        let clock: Arc<Hands> = Arc::clone(author.clock());
        let options = Options::default().clock(clock).state_every(entries, 1 << 20);
        let space = format!("seed-{seed}");
        let open = |backend| Store::with(backend, options.clone()).space(space.as_str());
        // Copies and files go to another space of the place, or to another place.
        let abroad = match seed % 2 {
            0 => Store::with(place.handle().await?, options.clone()).space(format!("{space}-x"))?,
            _ => open(Arc::new(MemoryBackend::new()))?,
        };
        Ok(Self {
            author,
            stores: [open(place.handle().await?)?, open(place.handle().await?)?],
            handles: BTreeMap::new(),
            ledger: Ledger::default(),
            abroad: Abroad { store: abroad, ledger: Ledger::default() },
            changes: changes.copied().collect(),
            passages: passages.copied().collect(),
            can_purge: capabilities.has(Capability::Purge),
            touched: String::new(),
            taken: Vec::new(),
        })
    }

    /// Takes one step.
    async fn step(&mut self) -> Result<(), Failed> {
        self.author.wait()?;
        let process = self.author.dice.below(self.stores.len());
        let id = self.some_id();
        self.touched.clone_from(&id);
        let Some(mut account) = self.ledger.accounts.get(&id).cloned() else {
            self.taken.push(format!("{process} creates {id}"));
            return self.create(process, &id).await;
        };
        if let Some(session) = self.handle(process, &id, &account).await? {
            if self.author.dice.one_in(4) {
                Box::pin(self.pass(process, &id, &session, &mut account)).await?;
                account.remember();
                self.ledger.accounts.insert(id, account);
                return Ok(());
            }
            let change = *self.author.dice.pick(&self.changes).unwrap_or(&Change::Append);
            self.taken.push(format!("{process} at {id}: {change:?}"));
            self.author.make(change, &session, &mut account).await?;
        } else {
            self.ask_for_the_dead(process, &id, &mut account).await?;
        }
        account.remember();
        self.ledger.accounts.insert(id, account);
        Ok(())
    }

    /// Takes a way from a session to another one, or back to itself.
    async fn pass(
        &mut self,
        process: usize,
        id: &str,
        session: &Session,
        account: &mut Account,
    ) -> Result<(), Failed> {
        let passage = *self.author.dice.pick(&self.passages).unwrap_or(&Passage::Copy);
        self.taken.push(format!("{process} at {id}: {passage:?}"));
        let store = self.store(process)?;
        let held = Held { store: &store, session, id };
        match passage {
            Passage::Fork => {
                let target = self.target();
                self.touched.clone_from(&target);
                let there = self.ledger.accounts.get(&target);
                let fork = held.fork(account, &target, there, &mut self.author).await?;
                if let Some((fork, cut)) = fork {
                    self.ledger.accounts.insert(target.clone(), cut);
                    self.handles.insert((process, target), fork);
                }
                Ok(())
            }
            Passage::Vacuum => held.vacuum(account).await,
            Passage::Copy => {
                held.copy(account, &mut self.abroad).await?;
                self.abroad.compare(&mut self.author).await
            }
            Passage::Import => {
                held.import(account, &mut self.abroad, &mut self.author).await?;
                self.abroad.compare(&mut self.author).await
            }
        }
    }

    /// The id of a session, or of one that is to be created.
    fn some_id(&mut self) -> String {
        let mut ids: BTreeSet<String> = self.ledger.accounts.keys().cloned().collect();
        ids.extend(IDS.iter().map(|id| (*id).to_owned()));
        let ids: Vec<String> = ids.into_iter().collect();
        self.author.dice.pick(&ids).cloned().unwrap_or_default()
    }

    /// The id of a copy: a new one, or that of something that may be there.
    fn target(&mut self) -> String {
        let is_fork = |id: &&String| !IDS.contains(&id.as_str());
        let forks = self.ledger.accounts.keys().filter(is_fork).count();
        if forks < FORKS && !self.author.dice.one_in(3) {
            return format!("fork-{forks}");
        }
        self.some_id()
    }

    async fn create(&mut self, process: usize, id: &str) -> Result<(), Failed> {
        let store = self.store(process)?;
        fails("opening", store.open_session(id).await, ErrorKind::Missing)?;
        fails("deleting", store.delete(id).await, ErrorKind::Missing)?;
        let session = store.create_as(id, NewSession::new()).await?;
        let account = Account::new(session.position(), self.author.now());
        self.ledger.accounts.insert(id.to_owned(), account);
        self.handles.insert((process, id.to_owned()), session);
        Ok(())
    }

    fn store(&self, process: usize) -> Result<Store, Failed> {
        let store = self.stores.get(process).cloned();
        store.ok_or_else(|| Failed::new("there are two processes"))
    }

    /// A handle of a process on a session, now and then a new one; none can be had of what is
    /// deleted.
    async fn handle(
        &mut self,
        process: usize,
        id: &str,
        account: &Account,
    ) -> Result<Option<Session>, Failed> {
        let key = (process, id.to_owned());
        if let Some(held) = self.handles.get(&key)
            && !self.author.dice.one_in(6)
        {
            return Ok(Some(held.clone()));
        }
        let store = self.store(process)?;
        let new = NewSession::new();
        if account.life >= Life::Deleted {
            self.handles.remove(&key);
            fails("opening", store.open_session(id).await, ErrorKind::Deleted)?;
            fails("creating", store.create_as(id, new).await, ErrorKind::Deleted)?;
            return Ok(None);
        }
        fails("creating", store.create_as(id, new).await, ErrorKind::Exists)?;
        let session = store.open_session(id).await?;
        self.taken.push(format!("{process} opens {id}"));
        self.handles.insert(key, session.clone());
        Ok(Some(session))
    }

    async fn ask_for_the_dead(
        &mut self,
        process: usize,
        id: &str,
        account: &mut Account,
    ) -> Result<(), Failed> {
        let store = self.store(process)?;
        store.delete(id).await?;
        if self.can_purge && self.author.dice.one_in(3) {
            self.taken.push(format!("{process} purges {id}"));
            // Places that can't fence what is gone wait with a purge until no look is older than
            // the deletion; the suite does not wait, so whoever was there looks.
            for (_, session) in self.handles.iter().filter(|((_, of), _)| of == id) {
                drop(session.refresh().await);
            }
            store.purge(id).await?;
            account.life = Life::Purged;
        } else if account.life == Life::Purged {
            fails("undeleting", store.undelete(id).await, ErrorKind::Deleted)?;
        } else if self.author.dice.one_in(2) {
            self.taken.push(format!("{process} undeletes {id}"));
            let session = store.undelete(id).await?;
            account.life = account.former;
            account.ends_at(session.position(), self.author.now());
            self.handles.insert((process, id.to_owned()), session);
        }
        Ok(())
    }

    /// Compares what is shown with the ledger.
    async fn compare(&mut self) -> Result<(), Failed> {
        let process = self.author.dice.below(self.stores.len());
        let store = self.store(process)?;
        expect::lists(&store, &self.ledger, &mut self.author.dice).await?;
        for (id, account) in &self.ledger.accounts {
            // What was not touched is looked at now and then.
            if self.touched != *id && !self.author.dice.one_in(4) {
                continue;
            }
            if account.life >= Life::Deleted {
                fails("opening", store.open_session(id.as_str()).await, ErrorKind::Deleted)?;
                continue;
            }
            let session = match self.handles.get(&(process, id.clone())) {
                Some(held) => held.clone(),
                None => store.open_session(id.as_str()).await?,
            };
            expect::shows(&session, account, &mut self.author.dice)
                .await
                .map_err(|failed| Failed::new(format!("session {id}: {failed}")))?;
        }
        Ok(())
    }
}
