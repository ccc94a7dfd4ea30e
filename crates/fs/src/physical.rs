//! Physical changes of a journal by whoever holds its lock: when they are allowed.

use sessile_core::commit::Tip;
use sessile_core::digest::Token;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::SessionKey;
use sessile_core::position::Seq;

use crate::door::Folder;
use crate::failure;
use crate::rewriting::Replaced;
use crate::root::Root;
use crate::set_aside;
use crate::whole;
use crate::whole::WholeFile;
use crate::writer::Writer;
use sessile_core::journal::LastWord;

/// Removes what writers that died have left: it may hold what is to be gone. The sync that comes
/// with the journal's new file makes that durable too.
fn swept(folder: &Folder) -> Result<(), Error> {
    whole::sweep(folder)
        .map_err(|error| failure::unavailable("left-over files can't be removed", error))
}

impl Writer {
    /// Removes the data of entries, where the journal is expected to end.
    pub(crate) fn mask(
        &mut self,
        root: &Root,
        key: &SessionKey,
        expected: Tip,
        seqs: &[Seq],
    ) -> Result<(), Error> {
        let replaced = self.replaced_at(root, key, expected)?;
        swept(replaced.folder)?;
        replaced.mask(seqs)?;
        // What a repair kept may hold what was removed, as half of a write that was sent again.
        set_aside::remove(root, key)
    }

    /// Puts another file in its place that ends as the journal is expected to.
    pub(crate) fn rewrite(
        &mut self,
        root: &Root,
        key: &SessionKey,
        expected: Tip,
        whole: WholeFile,
    ) -> Result<(), Error> {
        self.replaced_at(root, key, expected)?.put(whole)
    }

    /// Leaves the tombstone of a deleted journal; what is not part of the journal must be gone.
    pub(crate) fn purge(&mut self, key: &SessionKey) -> Result<(), Error> {
        let (known, _) = self.look(key)?;
        match known.last_word {
            LastWord { purged: true, .. } => {
                // Whoever purged it may have died before that was durable.
                let folder = self.replaced(&known).folder;
                swept(folder)?;
                folder.sync().map_err(|error| {
                    failure::unavailable("the purge can't be synced", error).outcome_unknown()
                })
            }
            LastWord { deleted: true, .. } => {
                let replaced = self.replaced(&known);
                swept(replaced.folder)?;
                replaced.purge()
            }
            LastWord { .. } => {
                Err(Error::new(ErrorKind::Conflict, "it is not deleted")
                    .with_hint("delete it first"))
            }
        }
    }

    /// Whether the tombstone is the journal's last word.
    pub(crate) fn is_deleted(&mut self, key: &SessionKey) -> Result<bool, Error> {
        Ok(self.look(key)?.0.last_word.deleted)
    }

    /// The file to replace, if the journal ends where it is expected to and lives.
    fn replaced_at(
        &mut self,
        root: &Root,
        key: &SessionKey,
        expected: Tip,
    ) -> Result<Replaced<'_>, Error> {
        let (known, torn) = self.look(key)?;
        if known.last_word.deleted {
            return Err(Error::new(ErrorKind::Deleted, "it was deleted"));
        }
        if expected != known.tip {
            return Err(Error::conflict(expected.position, known.tip.position));
        }
        if let Some(torn) = torn {
            let seed = known.tip.token.unwrap_or_else(|| Token::from_random([0; 16]));
            let repair = self.cut(root, key, &known, &torn, (seed, known.last_word.updated_at))?;
            let repaired = self.write(&known, &[repair])?;
            let actual = repaired.last().map_or(known.tip.position, |a| a.tip.position);
            return Err(Error::conflict(expected.position, actual));
        }
        Ok(self.replaced(&known))
    }
}
