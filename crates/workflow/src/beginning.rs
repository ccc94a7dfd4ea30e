//! Creating a session, or continuing one.

use std::sync::Arc;

use serde_json::json;
use sessile_core::entry::shape::{Context, Instruct};
use sessile_core::fold::SessionState;
use sessile_core::{EntryType, Error, ErrorKind, Payload, SessionId, UnixMillis};
use sessile_engine::{Move, NewSession, Operation, Session};

use crate::begin::{Begin, Begun, Wanted};
use crate::context;
use crate::fold;
use crate::guards;
use crate::handle::Workflow;
use crate::id;
use crate::options::Options;
use crate::problem::Problem;
use crate::seen::{self, BASELINE, Seen};
use crate::summary::Summary;

impl Workflow {
    /// Begins a session, or continues the one that is [named](Begin::resume).
    ///
    /// What can be refused is refused before anything is written, in this order: the id's shape,
    /// mode and guards, the context; then, of a new session, a context without a project; of a
    /// continued one the authority (*missing* to all but the owner), deletion (*expired*), closing
    /// (*closed*), the project and its identity (*mismatch*), guards that are fenced (*permission*).
    /// What it takes is one commit. A continuation is decided on the newest state, and anew when
    /// somebody else was faster.
    ///
    /// It has no key under which a repeat is recognised: after a lost answer a new session may be
    /// there without anybody knowing its id, and an instruction may be repeated.
    ///
    /// # Errors
    /// Those above, each with its [`Problem`]; *refused* without an authority; *exists* where every
    /// drawn id is taken; *unavailable*, *deadline*. Unless the outcome is unknown, the session is
    /// what it was.
    pub async fn begin(&self, begin: Begin) -> Result<Begun, Error> {
        let wanted = Box::new(begin.prepared(self.options())?);
        wanted.check_context()?;
        match wanted.resume.clone() {
            None => self.create(wanted).await,
            Some(id) => self.resume(id, wanted).await,
        }
    }

    async fn create(&self, wanted: Box<Wanted>) -> Result<Begun, Error> {
        let owner = self.owner()?;
        let title = wanted.title.as_ref().or(wanted.instruction.as_ref());
        let new = || {
            let mut new = NewSession::new().owner_fingerprint(owner);
            if let Some(project) = &wanted.project {
                new = new.project(project);
            }
            if let Some(identity) = &wanted.project_identity {
                new = new.project_identity(identity.as_str());
            }
            if let Some(title) = title {
                new = new.title(title.as_str());
            }
            if let Some(baseline) = &wanted.baseline {
                new = new.host(BASELINE, baseline);
            }
            new = new.meta(guards::KEY, &wanted.begun);
            if let Some(context) = wanted.context.as_ref().filter(|it| !context::is_empty(it)) {
                new = new.entry(EntryType::Context, &Context { context: context.clone() });
            }
            if let Some(text) = &wanted.instruction {
                let (text, by) = (text.clone(), wanted.by.clone());
                new = new.entry(EntryType::Instruct, &Instruct { text, by });
            }
            new
        };
        let session = self.drawn(new).await?;
        if let Some(instructions) = wanted.ephemeral.clone() {
            self.attached().attach(session.id(), instructions);
        }
        let summary = self.summary_of(&session, None).await?;
        let context_changed = summary.context.is_some();
        let (reused, before, capability_changed) = (false, None, false);
        Ok(Begun { summary, reused, before, capability_changed, context_changed })
    }

    /// Creates a session under an id that nobody has or had.
    async fn drawn(&self, new: impl Fn() -> NewSession) -> Result<Session, Error> {
        let (store, options) = (self.store(), self.options());
        let entropy = &store.options().entropy;
        for _ in 0..options.id_draws {
            let id = id::of(&options.id_prefix, entropy.draw())?;
            match store.create_as(&id, new()).await {
                Err(error) if matches!(error.kind(), ErrorKind::Exists | ErrorKind::Deleted) => {}
                created => return created,
            }
        }
        Err(Problem::IdsExhausted(options.id_draws).error())
    }

    async fn resume(&self, id: SessionId, mut wanted: Box<Wanted>) -> Result<Begun, Error> {
        self.owner()?;
        let session = self.lookup(id).await?;
        let instructions = wanted.ephemeral.take();
        let continuing = Continuing { wanted, options: Arc::clone(self.shared_options()) };
        // Large as a future.
        let performed = Box::pin(session.perform(continuing)).await.map_err(Self::expired)?;
        if let Some(instructions) = instructions {
            self.attached().attach(session.id(), instructions);
        }
        let Continued { before, capability_changed, context_changed } = performed.answer;
        let before = Some(Summary::of(&session, &before, self.options(), None).await?);
        let summary = self.summary_of(&session, None).await?;
        Ok(Begun { summary, reused: true, before, capability_changed, context_changed })
    }
}

/// A session that is to be continued.
#[derive(Debug)]
struct Continuing {
    wanted: Box<Wanted>,
    options: Arc<Options>,
}

/// What a continuation was decided on, and what it changed.
#[derive(Debug)]
struct Continued {
    before: Seen,
    capability_changed: bool,
    context_changed: bool,
}

impl Operation for Continuing {
    type Answer = Continued;
    type Refusal = Error;

    fn decide(&self, state: &SessionState, _: UnixMillis) -> Result<Move<Continued>, Error> {
        let wanted = &self.wanted;
        seen::check_active(state)?;
        let header = state.header();
        if header.project != wanted.project {
            return Err(Problem::OtherProject.error());
        }
        if header.project_identity != wanted.project_identity {
            return Err(Problem::OtherProjectIdentity.error());
        }
        let before = Seen::of(state)?;
        let stored = before.guards(&self.options.modes)?;
        let guards = self.options.modes.continued(&stored, &wanted.asked)?;
        let capability_changed = guards != stored;
        let context_changed = wanted.context.as_ref().is_some_and(|it| changes(&before, it));

        let mut meta = serde_json::Map::new();
        if capability_changed {
            meta.insert(guards::KEY.to_owned(), json!(guards));
        }
        let is_untitled = before.meta.title().is_none();
        if let Some(text) = wanted.instruction.as_ref().filter(|_| is_untitled) {
            meta.insert("title".to_owned(), json!(text.as_str()));
        }
        let mut drafts = Vec::new();
        if let Some(context) = wanted.context.as_ref().filter(|_| context_changed) {
            let data = Payload::of(&Context { context: context.clone() })?;
            drafts.push((EntryType::Context, data));
        }
        if let Some(text) = &wanted.instruction {
            let (text, by) = (text.clone(), wanted.by.clone());
            drafts.push((EntryType::Instruct, Payload::of(&Instruct { text, by })?));
        }
        // Without anything else it says that the session is in use.
        if !meta.is_empty() || drafts.is_empty() {
            drafts.insert(0, (EntryType::Meta, Payload::of(&meta)?));
        }
        let answer = Continued { before, capability_changed, context_changed };
        Ok(Move::Append(drafts, answer))
    }
}

/// Whether a context is another than the one that a session has.
pub(crate) fn changes(seen: &Seen, context: &Payload) -> bool {
    let is_empty = context::is_empty(context);
    match seen.fold.context() {
        None => !is_empty,
        Some(placed) if placed.is_empty || is_empty => placed.is_empty != is_empty,
        Some(placed) => placed.digest != Some(fold::digest(context.as_str())),
    }
}
