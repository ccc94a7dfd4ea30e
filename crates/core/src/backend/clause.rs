//! The promises of a backend, one variant each; the doc comment is the promise.

use std::fmt;

macro_rules! clauses {
    ($($(#[$doc:meta])+ $variant:ident,)*) => {
        /// A promise that every backend makes, or declares with a capability that it does not.
        ///
        /// The doc comment of a variant *is* the promise; the conformance suite has cases for
        /// each, and a deliberately broken backend that fails exactly those.
        ///
        /// # Examples
        /// ```
        /// use sessile_core::backend::Clause;
        ///
        /// // A case of a suite names the promise that it is about.
        /// assert_eq!(Clause::AppendIsConditional.name(), "AppendIsConditional");
        /// let named = Clause::ALL.iter().find(|clause| clause.name() == "SpacesAreApart");
        /// assert_eq!(named, Some(&Clause::SpacesAreApart));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Clause {
            $($(#[$doc])+ $variant,)*
        }

        impl Clause {
            /// Every clause, in the order of the contract.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name of the clause, as cases are tagged with it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($variant),)*
                }
            }
        }
    };
}

clauses! {
    /// An append at a tip is refused as a whole with the actual position when the journal ends
    /// elsewhere, also when it ends before; nothing of it is applied then.
    AppendIsConditional,
    /// An append at no tip creates a journal that does not exist, and is refused when it does.
    /// Any other append to a journal that does not exist answers *missing*.
    CreateIsExclusive,
    /// The entries of a commit appear together or not at all, whatever reads meanwhile.
    CommitsAreAtomic,
    /// Commits are served in the order in which they were appended, numbered without repeats.
    CommitsAreOrdered,
    /// Of appends that race at one tip exactly one is applied; appends at the end all are.
    RacesHaveOneWinner,
    /// An append that is sent again with its own token, at the tip where it was sent first, is
    /// answered with what it did and is not done again, also after others have appended; the
    /// answer is durable as that of any append is. An append at the end is recognised while it is
    /// among the last 64 KiB of the journal.
    OwnTokenIsReplayed,
    /// What was acknowledged is served by every other handle, also one opened later.
    AppendsAreShared,
    /// What was acknowledged survives the end of the process, and a power cut.
    AppendsAreDurable,
    /// Payloads, unknown types and unknown members come back byte for byte.
    PayloadsAreVerbatim,
    /// A read serves whole commits from a seq on, or back from a position within a number of
    /// bytes but at least one commit.
    ReadsAreExact,
    /// Nothing that only reads writes anything, anywhere.
    ReadsWriteNothing,
    /// The head names the tip, the header and the time of the last commit without a transcript
    /// being read, and its change token changes whenever the journal does.
    HeadsAreTrue,
    /// What never was is *missing*: to read, to look at, to append to, to remove.
    MissingIsMissing,
    /// What repairs cut off a journal is told with its place and its size, and with what keeps it;
    /// of a journal that nothing tore there is nothing to tell.
    SetAsideIsTold,
    /// After its tombstone a journal refuses every append but an undelete, for ever; it stays
    /// readable until it is purged.
    TombstonesHold,
    /// A rewrite keeps the number, the bytes and the token of everything that it is given, and the
    /// tip; one that would move the end, or lose the header or the order, is refused, and one that
    /// breaks off changes nothing.
    RewritesKeepNumbers,
    /// Masked entries keep number, type and time, and of their data and their unknown members
    /// nothing; tokens and digests of their commits stay. Only entries that are there are masked,
    /// and never the header.
    MasksRemoveData,
    /// Every journal is listed once, in pages in the order of ids.
    ListsAreComplete,
    /// Heads are listed newest first, by the time of the last commit that a caller made, then by
    /// id; pages neither skip nor repeat while nothing is written.
    RecentIsNewestFirst,
    /// A listing within a scope shows every journal whose header agrees, in the same order as one
    /// of all, and no other.
    ScopesAreKept,
    /// What a listing shows without a look at the journal was noted at the tip where it ends, and
    /// since then no data was removed from it physically.
    GistsAreOfTheTip,
    /// Nothing in one space can be seen or reached from another.
    SpacesAreApart,
    /// Every space that holds anything is listed once, in pages in the order of names, and no other.
    SpacesAreListed,
    /// Ids and names that differ in one bit are different, and come back exactly.
    NamesAreExact,
    /// A document is put only if it is absent, or has the expected revision; a conflict names the
    /// revision that it has.
    DocumentsSwap,
    /// A reader sees one whole value with its own revision, never a mixture.
    DocumentsAreWhole,
    /// Stored bytes that are no document any more are *corrupt*, never *missing*, with a revision
    /// that is made of these bytes; nothing replaces or deletes them but what names that revision.
    DamagedDocumentsAreKept,
    /// The last sixteen revisions are kept with a value, so that an unknown outcome can be told.
    RevisionsAreRemembered,
    /// A revision that was replaced or deleted never matches again.
    RevisionsNeverReturn,
    /// Every document of a collection is listed once, in pages in the order of names.
    DocumentListsAreComplete,
    /// A backend that declares it cannot rewrite, mask or purge refuses with *unsupported*, and
    /// nothing is changed.
    LacksAreRefused,
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
