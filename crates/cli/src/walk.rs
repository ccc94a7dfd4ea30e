//! Going through all sessions of a space.

use std::vec;

use sessile::{Error, ErrorKind, Filter, Page, Store, Summary};

use crate::exit::Exit;
use crate::failure::Failure;

/// How many sessions are listed at once.
const PAGE: usize = 100;

/// The sessions of a space, page by page.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    store: &'a Store,
    filter: Filter,
    /// What is left of the page that was read last.
    rows: vec::IntoIter<Summary>,
    /// The page to read next; none after the last one.
    next: Option<Page>,
}

impl<'a> Walk<'a> {
    /// Goes through the sessions that a filter lets through.
    pub(crate) fn new(store: &'a Store, filter: Filter) -> Self {
        Self { store, filter, rows: Vec::new().into_iter(), next: Some(Page::of(PAGE)) }
    }

    /// The next session.
    pub(crate) async fn next(&mut self) -> Result<Option<Summary>, Failure> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(row));
            }
            let Some(page) = self.next.take() else {
                return Ok(None);
            };
            let listing = self.store.list(self.filter.clone(), page).await?;
            self.rows = listing.sessions.into_iter();
            self.next = listing.next.map(|cursor| Page::of(PAGE).after(cursor));
        }
    }
}

/// How a command on many sessions ends: one that it fails for does not stop it.
#[derive(Debug)]
pub(crate) struct Course {
    json: bool,
    exit: Exit,
}

impl Course {
    /// Nothing has failed yet.
    pub(crate) const fn new(json: bool) -> Self {
        Self { json, exit: Exit::Done }
    }

    /// Tells what failed and goes on, unless it would fail for every session.
    pub(crate) fn note(&mut self, error: Error) -> Result<(), Failure> {
        let is_of_the_place =
            Exit::of(&error) == Exit::Unavailable || error.kind() == ErrorKind::Unsupported;
        let failure = Failure::from(error);
        if is_of_the_place {
            return Err(failure);
        }
        failure.tell(self.json);
        if self.exit == Exit::Done {
            self.exit = failure.exit();
        }
        Ok(())
    }

    /// The status of the first failure.
    pub(crate) const fn exit(&self) -> Exit {
        self.exit
    }
}
