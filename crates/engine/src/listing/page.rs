//! Pages, and where the next one begins.

use std::fmt;
use std::str::FromStr;

use sessile_core::backend::Recency;
use sessile_core::{Error, ErrorKind, Limits, SessionId, UnixMillis};

use super::summary::Summary;

/// How many rows are wanted, and after which place.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// use sessile_engine::{Filter, Page};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
/// # for _ in 0..5 { store.create(NewSession::new()).await?; }
/// let mut page = Some(Page::of(2));
/// let mut rows = 0;
/// while let Some(wanted) = page.take() {
///     let listing = store.list(Filter::all(), wanted).await?;
///     rows += listing.sessions.len();
///     page = listing.next.map(|next| Page::of(2).after(next));
/// }
/// assert_eq!(rows, 5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a page does nothing before it is given to a listing"]
pub struct Page {
    rows: usize,
    after: Option<Cursor>,
}

impl Page {
    /// The first so many; none at all, or more than the limit `page_rows`, is refused.
    pub const fn of(rows: usize) -> Self {
        Self { rows, after: None }
    }

    /// Those that follow the page that gave this cursor.
    pub fn after(mut self, cursor: Cursor) -> Self {
        self.after = Some(cursor);
        self
    }

    /// Checks the number of rows.
    pub(super) fn check(self, limits: &Limits) -> Result<(usize, Option<Recency>), Error> {
        if self.rows == 0 {
            return Err(Error::new(ErrorKind::Refused, "a page of 0 rows shows nothing")
                .with_hint("ask for at least 1"));
        }
        Limits::check("page_rows", limits.page_rows, self.rows)?;
        Ok((self.rows, self.after.map(|cursor| cursor.0)))
    }
}

/// Where a listing goes on: text that is opaque to its holder, and good on any later day.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Cursor, Filter, NewSession, Page};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// store.create_as("ses_43", NewSession::new()).await?;
/// let next = store.list(Filter::all(), Page::of(1)).await?.next.expect("there are two");
/// // It goes through a URL or a command line as text.
/// let cursor: Cursor = next.to_string().parse()?;
/// let rest = store.list(Filter::all(), Page::of(1).after(cursor)).await?;
/// assert_eq!(rest.sessions.len(), 1);
/// # drop(session);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(Recency);

impl Cursor {
    pub(super) const fn at(recency: Recency) -> Self {
        Self(recency)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}.{}", self.0.updated_at.millis(), self.0.id)
    }
}

impl FromStr for Cursor {
    type Err = Error;

    /// Reads what [`Display`](fmt::Display) wrote.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] for any other text.
    fn from_str(text: &str) -> Result<Self, Error> {
        let read = || {
            let (millis, id) = text.split_once('.')?;
            let updated_at = UnixMillis(u64::from_str_radix(millis, 16).ok()?);
            let id = SessionId::from_str(id).ok()?;
            Some(Self(Recency { updated_at, id }))
        };
        // One place has one text, so that a text that was altered is not taken for another place.
        read().filter(|cursor| cursor.to_string() == text).ok_or_else(|| {
            Error::new(ErrorKind::Refused, "the cursor is none that a listing gave")
                .with_hint("begin again with the first page")
        })
    }
}

/// A page of a listing.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Filter, NewSession, Page};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// store.create_as("ses_43", NewSession::new()).await?;
/// let listing = store.list(Filter::all(), Page::of(1)).await?;
/// assert_eq!(listing.sessions.len(), 1);
/// assert!(listing.next.is_some());
/// # drop(session);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listing {
    /// The sessions, newest first.
    pub sessions: Vec<Summary>,
    /// Where the next page begins; none at the end. Under a filter on what only reading a session
    /// tells (a tag, *closed*), the next page may turn out empty.
    pub next: Option<Cursor>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_from_its_own_text_only() {
        let cursor = Cursor::at(Recency {
            updated_at: UnixMillis(1_790_000_000_000),
            id: "ses_1.x".parse().unwrap(),
        });
        let text = cursor.to_string();
        assert_eq!(text.parse::<Cursor>().unwrap(), cursor);
        let altered = text.to_uppercase();
        for bad in ["", ".", "zz.a", "1.", "1..a", "+1.a", "01.a", &altered, "1"] {
            assert_eq!(bad.parse::<Cursor>().unwrap_err().kind(), ErrorKind::Refused, "{bad}");
        }
    }
}
