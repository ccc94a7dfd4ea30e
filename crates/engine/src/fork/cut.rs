//! Where a session is cut.

use sessile_core::backend::Span;
use sessile_core::entry::shape::{ForkedFrom, Header, Lost};
use sessile_core::{EntryType, Error, ErrorKind, Position, Seq};

use crate::reading::Seen;
use crate::resident::Resident;

/// Where a session is cut, and what it is there.
pub(super) struct Cut {
    /// The last entry that is taken over.
    pub(super) last: Seq,
    /// What stood before it was forgotten.
    pub(super) forgotten: Option<Seq>,
    /// What of it had been lost before.
    pub(super) lost: Vec<Lost>,
    pub(super) header: Header,
}

impl Cut {
    /// Finds the end of the commit that holds an entry, or the end of the session.
    ///
    /// # Errors
    /// *refused* for an entry that is not there; *forgotten*; *deleted*; those of reading but for
    /// damage.
    pub(super) async fn find(source: &Resident, at: Option<Seq>) -> Result<Self, Error> {
        let seen = Seen::now(source).await?;
        source.refuse_deleted()?;
        let (header, lost) = {
            let folded = source.folded();
            folded.state().accepts(&EntryType::Forked)?;
            (folded.state().header().clone(), folded.state().lost().to_vec())
        };
        let end = last_before(seen.until());
        let at = at.unwrap_or(end);
        if at > end {
            let clause = format!("entry {at} is beyond position {}, the end", seen.until());
            return Err(Error::new(ErrorKind::Refused, clause)
                .with_hint("name an entry that the journal has"));
        }
        let forgotten = seen.sight().forgotten();
        if let Some(before) = forgotten.filter(|before| at < *before) {
            let clause = format!("what stood before entry {before} was forgotten");
            return Err(Error::new(ErrorKind::Forgotten, clause)
                .with_hint(format!("fork at entry {before} or behind it")));
        }
        Ok(Self { last: end_of_commit(source, at).await?, forgotten, lost, header })
    }

    /// What the header of the copy says of it.
    pub(super) fn forked_from(&self) -> ForkedFrom {
        ForkedFrom { session: self.header.id.clone(), seq: self.last, copied: true }
    }

    /// What had been lost of the part that is taken over.
    pub(super) fn lost(&self) -> impl Iterator<Item = Lost> {
        let taken = self.lost.iter().filter(|lost| lost.from <= self.last);
        taken.map(|lost| Lost { from: lost.from, to: lost.to.min(self.last) })
    }
}

/// The last entry of the commit that holds one; that entry itself where it can't be read, or is
/// none: a number between two commits cuts where the first one ends.
async fn end_of_commit(source: &Resident, at: Seq) -> Result<Seq, Error> {
    let opened = source.opened();
    let mut commits = opened.read(source.key(), Span::From(at)).await?;
    while let Some(item) = opened.next(&mut commits).await {
        match item {
            Ok(commit) if commit.first_seq() <= at => {
                return Ok(last_before(commit.tip().position));
            }
            Ok(_) => break,
            Err(error) if error.damage().is_some() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(at)
}

/// The number of the last entry before a position.
fn last_before(position: Position) -> Seq {
    Seq::new(position.number().saturating_sub(1)).unwrap_or(Seq::FIRST)
}
