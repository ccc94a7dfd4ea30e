//! The course of an import.

use std::sync::Arc;

use sessile_core::entry::shape::ForkedFrom;
use sessile_core::{CommitId, Error, ErrorKind, SessionId, SessionKey, Space};
use sessile_interchange::{ENVELOPE, Source, SourceIdentity, SourceSession};

use super::imported::{Imported, Skipped};
use super::known::{self, Found};
use super::pieces::{Bounds, Piece, Pieces};
use super::plan::{self, Step};
use crate::append::Append;
use crate::creation;
use crate::deadline::Backoff;
use crate::new_session::NewSession;
use crate::opened::Opened;
use crate::resident::Resident;
use crate::session::Session;

/// Takes over the sessions of a source.
pub(crate) async fn import(
    opened: &Arc<Opened>,
    space: &Space,
    source: &Source,
    chosen: Option<&SessionId>,
) -> Result<Vec<Imported>, Error> {
    let steps = plan::plan(opened, space, source, chosen).await?;
    let mut done: Vec<(Session, Imported)> = Vec::new();
    for (from, (identity, step)) in source.sessions.iter().zip(steps) {
        let import = OneImport {
            opened,
            space,
            source,
            from,
            identity: &identity,
            bounds: Bounds::of(&identity, from.rest.as_ref(), opened.limits())?,
        };
        let imported = import.run(step, chosen, &done).await?;
        done.push(imported);
    }
    let mut rows: Vec<Imported> = done.into_iter().map(|(_, imported)| imported).collect();
    if let Some(main) = rows.first_mut() {
        let unread =
            source.skipped.iter().map(|it| Skipped { line: it.line, reason: it.reason.clone() });
        main.skipped.extend(unread);
        main.skipped.sort_by_key(|it| it.line);
        main.notices.clone_from(&source.notices);
    }
    Ok(rows)
}

/// What was done for a session so far.
#[derive(Debug, Default)]
struct Tally {
    added: u64,
    skipped: Vec<Skipped>,
}

impl Tally {
    fn count(&mut self, piece: Piece) {
        self.added += piece.records;
        self.skipped.extend(piece.skipped);
    }
}

/// The import of one session of a source.
struct OneImport<'a> {
    opened: &'a Arc<Opened>,
    space: &'a Space,
    source: &'a Source,
    from: &'a SourceSession,
    identity: &'a SourceIdentity,
    bounds: Bounds<'a>,
}

impl<'a> OneImport<'a> {
    fn pieces_after(&self, taken: usize) -> Pieces<'a> {
        let at = self.opened.now();
        Pieces::after(taken, self.from, self.identity, self.bounds, at)
    }

    /// Does what was decided; where somebody else was faster, who may import the same, it is decided
    /// anew.
    async fn run(
        &self,
        mut step: Step,
        chosen: Option<&SessionId>,
        done: &[(Session, Imported)],
    ) -> Result<(Session, Imported), Error> {
        let Self { opened, space, from, identity, .. } = self;
        let (mut tally, mut backoff, deadline) =
            (Tally::default(), Backoff::new(), opened.deadline());
        loop {
            let error = match self.take(step, done, &mut tally).await {
                Ok(session) => return Ok(self.finish(session, tally)),
                Err(error) => error,
            };
            let is_late = matches!(error.kind(), ErrorKind::Exists | ErrorKind::Conflict);
            if !is_late || !backoff.wait(opened.entropy(), deadline).await {
                return Err(error);
            }
            step = plan::decide(opened, space, from, identity, chosen).await?;
        }
    }

    /// Creates the session or lets it grow.
    async fn take(
        &self,
        step: Step,
        done: &[(Session, Imported)],
        tally: &mut Tally,
    ) -> Result<Session, Error> {
        match step {
            Step::Create(key) => self.create(key, done, tally).await,
            Step::Grow(resident, taken) => {
                let session = Session::new(*resident);
                self.append(&session, self.pieces_after(taken), tally).await?;
                self.renew_envelope(&session).await?;
                Ok(session)
            }
        }
    }

    /// Creates the session with as many records as its first commit holds, and appends the rest.
    async fn create(
        &self,
        key: SessionKey,
        done: &[(Session, Imported)],
        tally: &mut Tally,
    ) -> Result<Session, Error> {
        let mut entries = self.new_session(done).await?.entries(&key, self.opened)?;
        let mut pieces = self.pieces_after(0);
        let mut piece = pieces.next(entries.iter().map(|entry| entry.data.len()).sum())?;
        entries.append(&mut piece.entries);
        let session = Session::new(creation::create(self.opened, key, entries).await?);
        tally.count(piece);
        self.append(&session, pieces, tally).await?;
        Ok(session)
    }

    /// Appends what is left, each piece where the one before it ended.
    async fn append(
        &self,
        session: &Session,
        mut pieces: Pieces<'_>,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        while pieces.is_left() {
            let mut piece = pieces.next(0)?;
            // Who imports the same at the same time appends the same commit.
            let id: CommitId = format!("import-{}", piece.digest).parse()?;
            let append = Append::at(session.position()).commit_id(id);
            let committed = session.commit(append, std::mem::take(&mut piece.entries)).await?;
            if committed.replayed {
                piece.records = 0;
            }
            tally.count(piece);
        }
        Ok(())
    }

    /// Takes over what the source says around its messages, where that has changed.
    async fn renew_envelope(&self, session: &Session) -> Result<(), Error> {
        let Some(envelope) = self.from.belonging.meta.get(ENVELOPE) else { return Ok(()) };
        if session.info().meta.value(ENVELOPE) != Some(envelope) {
            session.set_meta([(ENVELOPE, envelope)]).await?;
        }
        Ok(())
    }

    fn finish(&self, session: Session, tally: Tally) -> (Session, Imported) {
        let imported = Imported {
            session: session.id().clone(),
            format: self.source.format,
            branch: self.from.branch.clone(),
            messages: session.info().messages,
            added: tally.added,
            skipped: tally.skipped,
            notices: Vec::new(),
        };
        (session, imported)
    }

    /// What the source says of the session, and what it was cut from.
    async fn new_session(&self, done: &[(Session, Imported)]) -> Result<NewSession, Error> {
        let mut new = NewSession::new().dialect(self.from.dialect);
        if let Some(title) = &self.from.title {
            new = new.title(title);
        }
        if let Some(cwd) = &self.from.cwd {
            new = new.cwd(cwd);
        }
        if let Some(model) = &self.from.model {
            new = new.model(model);
        }
        let belonging = &self.from.belonging;
        if let Some(owner) = belonging.owner {
            new = new.owner_fingerprint(owner);
        }
        if let Some(project) = &belonging.project {
            new = new.project(project.as_str());
        }
        if let Some(project_identity) = &belonging.project_identity {
            new = new.project_identity(project_identity);
        }
        for (name, value) in &belonging.host {
            new = new.host(name, value);
        }
        for (name, value) in &belonging.meta {
            new = new.meta(name, value);
        }
        if let Some(created_at) = self.from.created_at {
            new = new.host("source_created_at", &created_at);
        }
        if let Some(source_parent) = &self.from.source_parent {
            new = new.host("source_parent", source_parent);
        }
        let parent = self.from.parent_branch.and_then(|index| done.get(index));
        if let Some((parent, _)) = parent {
            new = match self.from.forked_after {
                None => new.parent(parent.id()),
                Some(count) => match self.seq_in(&*parent.at_hand().await?, count).await? {
                    Some(forked_from) => new.forked_from(forked_from),
                    None => new.parent(parent.id()),
                },
            };
        }
        if let Some(name) = &self.from.source_parent
            && parent.is_none()
            && let Some(id) = self.imported(name).await?
        {
            new = new.parent(id);
        }
        new.check()?;
        Ok(new)
    }

    /// The session that another source of the format, known by its name, was imported as.
    async fn imported(&self, name: &str) -> Result<Option<SessionId>, Error> {
        let identity = SourceIdentity::of_name(self.source.format, name);
        for id in identity.ids(None) {
            let key = SessionKey { space: self.space.clone(), id: id? };
            match known::look(self.opened, key, &identity).await {
                Ok(Found::Known(resident, _)) => return Ok(Some(resident.key().id.clone())),
                Ok(Found::Free | Found::Taken) => {}
                // It stands in nobody's way.
                Err(error) if error.kind() == ErrorKind::Corrupt => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Where the session was cut from its parent.
    async fn seq_in(&self, parent: &Resident, count: usize) -> Result<Option<ForkedFrom>, Error> {
        let records = &self.from.records;
        let seq = known::seq_of_record(parent, records, count, &self.bounds).await?;
        Ok(seq.map(|seq| ForkedFrom { session: parent.key().id.clone(), seq, copied: false }))
    }
}
