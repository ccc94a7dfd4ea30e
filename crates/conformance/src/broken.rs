//! Backends that break one promise each, to show that the suite notices.
//!
//! A suite that nothing fails proves nothing. Each [`Specimen`] is the memory backend with one
//! thing done wrong, as software in the field has done it. `tests/catches_broken_backends` states
//! the exact set of cases that each must fail; every case fails at least one, and the sound ones
//! fail none.

mod request;
mod fault;
mod claiming;
mod appending;
mod committing;
mod racing;
mod sharing;
mod storing;
mod journaling;
mod posting;
mod reading;
mod deleting;
mod trimming;
mod listing;
mod noting;
mod keeping;
mod damaging;

use std::fmt;
use std::sync::Arc;

use sessile_core::backend::Clause;

use self::appending::{
    AppliesHalfABatch, ComparesPositionsOnly, CountsInAByte, CreatesOverWhatIsThere,
    CreatesTheHeaderOnly, CreatesWhatItMisses, EchoesWhatItRefuses, LastWriterWins, TakesNothing,
};
use self::claiming::{DeclaresLessLater, DeclaresNothing, DoesWhatItDenies, Sound};
use self::committing::{
    CutsTheFirstCommit, ForgetsWhatCameBefore, NumbersAnew, OrdersByTime, RewritesInTwoSteps,
    RewritesInWordsOnly, RewritesToWhatCame, RoundsNumbersUp, ShowsHalfACommit,
};
use self::damaging::{
    KeepsDamageForEver, ReplacesDamage, TakesDamageForAbsence, TellsDamage, TellsDamagesNotApart,
    damageable,
};
use self::deleting::{
    BringsBackTheDead, DeletesInEverySpace, MasksInWordsOnly, MasksTheDataOnly,
    MasksWhereverItEnds, PurgesNothing, PurgesOnce, PurgesTheLiving, PurgesWhatBeginsAlike,
    RewritesTheDead, TakesAnythingForATombstone,
};
use self::fault::fixture as of;
use self::journaling::{
    Closes, Contexts, Events, Guards, Hosts, Identities, Instructions, NotesWhoIsMissing, Owners,
    Projects, Stores, Times, Titles, Twice, Words,
};
use self::keeping::{
    ComparesValues, DeletesWithoutLooking, FileNames, ForgetsItsOwnPut, ForgetsTheSession,
    KeepsFormerRevisions, KeepsOneRevision, KeepsTextOnly, LowerCase, OneSpace, PutsWithoutLooking,
    ReadsInTwoSteps, Renames,
};
use self::listing::{
    GoesOnAfterATime, LastToCloseOwnsTheList, ListsBackwards, ListsEveryTenant,
    ListsFromAnOldCatalog, ListsInLowerCase, ListsNoRows, ListsOldestFirst, ListsTheDeleted,
    ListsTheLiving, ListsWhatDocumentsName, ListsWhatLiesBelow, LosesARowOfAPage, PagesByCounting,
    SortsWithoutCase,
};
use self::noting::{
    FiltersThePage, ForgetsTheScope, KeepsGistsByTheTip, ListsWhatIsNoted, ShowsOldGists,
};
use self::posting::{
    Acknowledgements, Bodies, Completions, Evictions, Fences, Keys, Replacements, ReplyLinks,
    Resolutions, Withdrawals,
};
use self::racing::{
    AppendsItAgain, AppliesWhatItRefuses, ChecksThenActs, ForgetsItsOwn, ForgetsItsTombstone,
    GivesUpOnABusyLock, LosesWhatComesAtOnce, RemovesWhereverItEnds, SwapsInTwoSteps,
};
use self::reading::{
    AlwaysHasADefaultSpace, BeginsAfterTheMiddle, GoesBackFromTheEnd, LeavesAHint,
    NeverChangesItsToken, NotesWhatIsMissing, ReadsNothingWhereNothingIs, ServesOnlyWhatFits,
    ServesTheLastAtLeast, SetsAsideWhatIsWhole, SkipsWhatIsTooLarge, TellsTheTimeOfTheHeader,
    TellsWhatItKnows, WantsItsStreamsReadToTheEnd,
};
use self::sharing::{
    DeclaresDurable, KnowsItsOwnDocuments, KnowsItsOwnTombstones, MasksForItself,
    RemembersOnlyItsOwn, StaysClosed, StoresTheFirstOfABatch, forgetful,
};
use self::storing::{
    DropsUnknownMembers, HasLimitsOfItsOwn, KeepsNoEarlierTime, KeepsTimesAsDoubles, StripsNul,
    WritesPayloadsAnew,
};
use self::trimming::{MasksTheFirstOnly, RewritesWithoutACommit};
use crate::fixture::Fixture;

/// A backend that the suite is tried on.
///
/// # Examples
/// ```
/// use sessile_conformance::broken::SPECIMENS;
/// use sessile_conformance::{Verdict, cases, run_all};
///
/// # fn main() -> Result<(), sessile_conformance::Failed> {
/// let specimen = SPECIMENS.iter().find(|it| it.name == "last_writer_wins").expect("it is one");
/// let name = "append/beyond_the_end_is_a_conflict";
/// let verdicts = run_all(&(specimen.fixture)(), cases().filter(|case| case.name == name))?;
/// // It says which promise is broken, and what came in the place of what was expected.
/// let [(case, Verdict::Failed(failed))] = verdicts.as_slice() else { panic!("{verdicts:?}") };
/// assert!(case.tags.contains(&specimen.breaks.expect("one").name()));
/// assert!(failed.to_string().contains("expected conflict"), "{failed}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Specimen {
    /// What it does, as in `last_writer_wins`.
    pub name: &'static str,
    /// The promise that it breaks; none if it is sound.
    pub breaks: Option<Clause>,
    /// Makes places of it.
    pub fixture: fn() -> Arc<dyn Fixture>,
}

impl fmt::Debug for Specimen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Specimen")
            .field("name", &self.name)
            .field("breaks", &self.breaks)
            .finish_non_exhaustive()
    }
}

const fn sound(name: &'static str, fixture: fn() -> Arc<dyn Fixture>) -> Specimen {
    Specimen { name, breaks: None, fixture }
}

const fn breaks(clause: Clause, name: &'static str, fixture: fn() -> Arc<dyn Fixture>) -> Specimen {
    Specimen { name, breaks: Some(clause), fixture }
}

/// Every specimen: sound ones first, then in the order of the clauses.
pub const SPECIMENS: &[Specimen] = &[
    sound("sound", of::<Sound>),
    sound("declares_durable", of::<DeclaresDurable>),
    sound("declares_nothing", of::<DeclaresNothing>),
    sound("tells_damage", damageable::<TellsDamage>),
    breaks(Clause::AppendIsConditional, "last_writer_wins", of::<LastWriterWins>),
    breaks(Clause::AppendIsConditional, "compares_positions_only", of::<ComparesPositionsOnly>),
    breaks(Clause::AppendIsConditional, "counts_in_a_byte", of::<CountsInAByte>),
    breaks(Clause::AppendIsConditional, "applies_half_a_batch", of::<AppliesHalfABatch>),
    breaks(Clause::AppendIsConditional, "takes_nothing", of::<TakesNothing>),
    breaks(Clause::AppendIsConditional, "echoes_what_it_refuses", of::<EchoesWhatItRefuses>),
    breaks(Clause::AppendIsConditional, "removes_wherever_it_ends", of::<RemovesWhereverItEnds>),
    breaks(Clause::AppendIsConditional, "masks_wherever_it_ends", of::<MasksWhereverItEnds>),
    breaks(Clause::CreateIsExclusive, "creates_over_what_is_there", of::<CreatesOverWhatIsThere>),
    breaks(Clause::CreateIsExclusive, "creates_what_it_misses", of::<CreatesWhatItMisses>),
    breaks(Clause::CommitsAreAtomic, "creates_the_header_only", of::<CreatesTheHeaderOnly>),
    breaks(Clause::CommitsAreAtomic, "shows_half_a_commit", of::<ShowsHalfACommit>),
    breaks(Clause::CommitsAreAtomic, "rewrites_in_two_steps", of::<RewritesInTwoSteps>),
    breaks(Clause::CommitsAreAtomic, "cuts_the_first_commit", of::<CutsTheFirstCommit>),
    breaks(Clause::CommitsAreOrdered, "orders_by_time", of::<OrdersByTime>),
    breaks(Clause::CommitsAreOrdered, "numbers_anew", of::<NumbersAnew>),
    breaks(Clause::CommitsAreOrdered, "rounds_numbers_up", of::<RoundsNumbersUp>),
    breaks(Clause::CommitsAreOrdered, "forgets_what_came_before", of::<ForgetsWhatCameBefore>),
    breaks(Clause::RacesHaveOneWinner, "checks_then_acts", of::<ChecksThenActs>),
    breaks(Clause::RacesHaveOneWinner, "applies_what_it_refuses", of::<AppliesWhatItRefuses>),
    breaks(Clause::RacesHaveOneWinner, "loses_what_comes_at_once", of::<LosesWhatComesAtOnce>),
    breaks(Clause::RacesHaveOneWinner, "gives_up_on_a_busy_lock", of::<GivesUpOnABusyLock>),
    breaks(Clause::RacesHaveOneWinner, "swaps_in_two_steps", of::<SwapsInTwoSteps>),
    breaks(Clause::OwnTokenIsReplayed, "forgets_its_own", of::<ForgetsItsOwn>),
    breaks(Clause::OwnTokenIsReplayed, "appends_it_again", of::<AppendsItAgain>),
    breaks(Clause::OwnTokenIsReplayed, "forgets_its_tombstone", of::<ForgetsItsTombstone>),
    breaks(Clause::AppendsAreShared, "stores_the_first_of_a_batch", of::<StoresTheFirstOfABatch>),
    breaks(Clause::AppendsAreShared, "remembers_only_its_own", of::<RemembersOnlyItsOwn>),
    breaks(Clause::AppendsAreShared, "knows_its_own_tombstones", of::<KnowsItsOwnTombstones>),
    breaks(Clause::AppendsAreShared, "masks_for_itself", of::<MasksForItself>),
    breaks(Clause::AppendsAreShared, "stays_closed", of::<StaysClosed>),
    breaks(Clause::AppendsAreDurable, "forgets_at_its_end", forgetful),
    breaks(Clause::PayloadsAreVerbatim, "drops_unknown_members", of::<DropsUnknownMembers>),
    breaks(Clause::PayloadsAreVerbatim, "writes_payloads_anew", of::<WritesPayloadsAnew>),
    breaks(Clause::PayloadsAreVerbatim, "strips_nul", of::<StripsNul>),
    breaks(Clause::PayloadsAreVerbatim, "keeps_times_as_doubles", of::<KeepsTimesAsDoubles>),
    breaks(Clause::PayloadsAreVerbatim, "keeps_no_earlier_time", of::<KeepsNoEarlierTime>),
    breaks(Clause::PayloadsAreVerbatim, "has_limits_of_its_own", of::<HasLimitsOfItsOwn>),
    breaks(Clause::ReadsAreExact, "begins_after_the_middle", of::<BeginsAfterTheMiddle>),
    breaks(Clause::ReadsAreExact, "serves_the_last_at_least", of::<ServesTheLastAtLeast>),
    breaks(Clause::ReadsAreExact, "serves_only_what_fits", of::<ServesOnlyWhatFits>),
    breaks(Clause::ReadsAreExact, "skips_what_is_too_large", of::<SkipsWhatIsTooLarge>),
    breaks(Clause::ReadsAreExact, "goes_back_from_the_end", of::<GoesBackFromTheEnd>),
    breaks(
        Clause::ReadsAreExact,
        "wants_its_streams_read_to_the_end",
        of::<WantsItsStreamsReadToTheEnd>,
    ),
    breaks(Clause::ReadsWriteNothing, "leaves_a_hint", of::<LeavesAHint>),
    breaks(Clause::ReadsWriteNothing, "notes_what_is_missing", of::<NotesWhatIsMissing>),
    breaks(Clause::HeadsAreTrue, "never_changes_its_token", of::<NeverChangesItsToken>),
    breaks(Clause::HeadsAreTrue, "tells_the_time_of_the_header", of::<TellsTheTimeOfTheHeader>),
    breaks(Clause::HeadsAreTrue, "tells_what_it_knows", of::<TellsWhatItKnows>),
    breaks(
        Clause::MissingIsMissing,
        "reads_nothing_where_nothing_is",
        of::<ReadsNothingWhereNothingIs>,
    ),
    breaks(Clause::SetAsideIsTold, "sets_aside_what_is_whole", of::<SetsAsideWhatIsWhole>),
    breaks(Clause::TombstonesHold, "brings_back_the_dead", of::<BringsBackTheDead>),
    breaks(
        Clause::TombstonesHold,
        "takes_anything_for_a_tombstone",
        of::<TakesAnythingForATombstone>,
    ),
    breaks(Clause::TombstonesHold, "rewrites_the_dead", of::<RewritesTheDead>),
    breaks(Clause::TombstonesHold, "purges_the_living", of::<PurgesTheLiving>),
    breaks(Clause::TombstonesHold, "purges_nothing", of::<PurgesNothing>),
    breaks(Clause::TombstonesHold, "purges_once", of::<PurgesOnce>),
    breaks(Clause::TombstonesHold, "purges_what_begins_alike", of::<PurgesWhatBeginsAlike>),
    breaks(Clause::RewritesKeepNumbers, "rewrites_in_words_only", of::<RewritesInWordsOnly>),
    breaks(Clause::RewritesKeepNumbers, "rewrites_to_what_came", of::<RewritesToWhatCame>),
    breaks(Clause::RewritesKeepNumbers, "rewrites_without_a_commit", of::<RewritesWithoutACommit>),
    breaks(Clause::MasksRemoveData, "masks_the_first_only", of::<MasksTheFirstOnly>),
    breaks(Clause::MasksRemoveData, "masks_in_words_only", of::<MasksInWordsOnly>),
    breaks(Clause::MasksRemoveData, "masks_the_data_only", of::<MasksTheDataOnly>),
    breaks(Clause::ListsAreComplete, "lists_backwards", of::<ListsBackwards>),
    breaks(Clause::ListsAreComplete, "loses_a_row_of_a_page", of::<LosesARowOfAPage>),
    breaks(Clause::ListsAreComplete, "lists_no_rows", of::<ListsNoRows>),
    breaks(Clause::ListsAreComplete, "lists_what_documents_name", of::<ListsWhatDocumentsName>),
    breaks(Clause::ListsAreComplete, "last_to_close_owns_the_list", of::<LastToCloseOwnsTheList>),
    breaks(Clause::RecentIsNewestFirst, "lists_oldest_first", of::<ListsOldestFirst>),
    breaks(Clause::RecentIsNewestFirst, "goes_on_after_a_time", of::<GoesOnAfterATime>),
    breaks(Clause::RecentIsNewestFirst, "lists_the_living", of::<ListsTheLiving>),
    breaks(Clause::RecentIsNewestFirst, "lists_from_an_old_catalog", of::<ListsFromAnOldCatalog>),
    breaks(Clause::ScopesAreKept, "forgets_the_scope", of::<ForgetsTheScope>),
    breaks(Clause::ScopesAreKept, "filters_the_page", of::<FiltersThePage>),
    breaks(Clause::GistsAreOfTheTip, "shows_old_gists", of::<ShowsOldGists>),
    breaks(Clause::GistsAreOfTheTip, "keeps_gists_by_the_tip", of::<KeepsGistsByTheTip>),
    breaks(Clause::GistsAreOfTheTip, "lists_what_is_noted", of::<ListsWhatIsNoted>),
    breaks(Clause::SpacesAreApart, "lists_every_tenant", of::<ListsEveryTenant>),
    breaks(Clause::SpacesAreApart, "deletes_in_every_space", of::<DeletesInEverySpace>),
    breaks(Clause::SpacesAreApart, "keeps_documents_in_one_space", of::<Renames<OneSpace>>),
    breaks(Clause::SpacesAreListed, "always_has_a_default_space", of::<AlwaysHasADefaultSpace>),
    breaks(Clause::NamesAreExact, "lists_in_lower_case", of::<ListsInLowerCase>),
    breaks(Clause::NamesAreExact, "keeps_documents_in_lower_case", of::<Renames<LowerCase>>),
    breaks(Clause::NamesAreExact, "keeps_documents_under_file_names", of::<Renames<FileNames>>),
    breaks(Clause::DocumentsSwap, "puts_without_looking", of::<PutsWithoutLooking>),
    breaks(Clause::DocumentsSwap, "deletes_without_looking", of::<DeletesWithoutLooking>),
    breaks(Clause::DocumentsSwap, "knows_its_own_documents", of::<KnowsItsOwnDocuments>),
    breaks(Clause::DocumentsAreWhole, "reads_in_two_steps", of::<ReadsInTwoSteps>),
    breaks(Clause::DocumentsAreWhole, "keeps_text_only", of::<KeepsTextOnly>),
    breaks(Clause::DocumentsAreWhole, "forgets_the_session", of::<ForgetsTheSession>),
    breaks(
        Clause::DamagedDocumentsAreKept,
        "takes_damage_for_absence",
        damageable::<TakesDamageForAbsence>,
    ),
    breaks(Clause::DamagedDocumentsAreKept, "replaces_damage", damageable::<ReplacesDamage>),
    breaks(
        Clause::DamagedDocumentsAreKept,
        "keeps_damage_for_ever",
        damageable::<KeepsDamageForEver>,
    ),
    breaks(
        Clause::DamagedDocumentsAreKept,
        "tells_damages_not_apart",
        damageable::<TellsDamagesNotApart>,
    ),
    breaks(Clause::RevisionsAreRemembered, "keeps_one_revision", of::<KeepsOneRevision>),
    breaks(Clause::RevisionsAreRemembered, "keeps_former_revisions", of::<KeepsFormerRevisions>),
    breaks(Clause::RevisionsAreRemembered, "forgets_its_own_put", of::<ForgetsItsOwnPut>),
    breaks(Clause::RevisionsNeverReturn, "compares_values", of::<ComparesValues>),
    breaks(Clause::DocumentListsAreComplete, "sorts_without_case", of::<SortsWithoutCase>),
    breaks(Clause::DocumentListsAreComplete, "pages_by_counting", of::<PagesByCounting>),
    breaks(Clause::DocumentListsAreComplete, "lists_the_deleted", of::<ListsTheDeleted>),
    breaks(Clause::DocumentListsAreComplete, "lists_what_lies_below", of::<ListsWhatLiesBelow>),
    breaks(Clause::LacksAreRefused, "does_what_it_denies", of::<DoesWhatItDenies>),
    breaks(Clause::LacksAreRefused, "declares_less_later", of::<DeclaresLessLater>),
];

/// Specimens that keep their clauses but for what workflow sessions are folded from. Cases of the
/// contract say nothing of that: only those of workflow sessions are tried on these.
pub const FORGETFUL: &[Specimen] = &[
    breaks(Clause::CommitsAreAtomic, "forgets_contexts", of::<Stores<Contexts>>),
    breaks(Clause::CommitsAreAtomic, "forgets_instructions", of::<Stores<Instructions>>),
    breaks(Clause::CommitsAreAtomic, "forgets_events", of::<Stores<Events>>),
    breaks(Clause::CommitsAreAtomic, "forgets_closes", of::<Stores<Closes>>),
    breaks(Clause::OwnTokenIsReplayed, "stores_what_happened_twice", of::<Twice>),
    breaks(Clause::ReadsWriteNothing, "notes_who_is_missing", of::<NotesWhoIsMissing>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_owners", of::<Stores<Owners>>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_projects", of::<Stores<Projects>>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_identities", of::<Stores<Identities>>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_hosts", of::<Stores<Hosts>>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_guards", of::<Stores<Guards>>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_titles", of::<Stores<Titles>>),
    breaks(Clause::PayloadsAreVerbatim, "dates_metadata_later", of::<Stores<Times>>),
    breaks(Clause::PayloadsAreVerbatim, "knows_instructions_by_heart", of::<Stores<Words>>),
];

/// Backends that store the entries of boards with a mistake in them.
///
/// They keep every promise of a backend but to store what was given, and only of these entries, so
/// that the cases of a backend do not notice: those of boards do.
pub const CARELESS: &[Specimen] = &[
    breaks(Clause::PayloadsAreVerbatim, "forgets_delivery_keys", of::<Stores<Keys>>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_what_is_answered", of::<Stores<ReplyLinks>>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_what_messages_say", of::<Stores<Bodies>>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_who_leaves_a_board", of::<Stores<Evictions>>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_resolutions", of::<Stores<Resolutions>>),
    breaks(Clause::PayloadsAreVerbatim, "forgets_fences", of::<Stores<Fences>>),
    breaks(Clause::CommitsAreAtomic, "forgets_withdrawals", of::<Stores<Withdrawals>>),
    breaks(Clause::CommitsAreAtomic, "forgets_replacements", of::<Stores<Replacements>>),
    breaks(Clause::CommitsAreAtomic, "forgets_acknowledgements", of::<Stores<Acknowledgements>>),
    breaks(Clause::CommitsAreAtomic, "forgets_completions", of::<Stores<Completions>>),
];

#[cfg(test)]
mod tests;
