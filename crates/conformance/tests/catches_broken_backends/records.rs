//! That the cases of records can fail: for each a broken backend that it notices.
//!
//! Which of them a specimen fails beside those is not stated: the records stand between, and what
//! reaches them is not the specimen's to say.

/// Specimens, and for each the cases that it is named for here; each fails it.
pub(super) const NOTICED: &[(&str, &[&str])] = &[
    ("notes_what_is_missing", &["record/checkpoint/that_never_was_is_missing_and_leaves_nothing"]),
    (
        "keeps_documents_in_lower_case",
        &[
            "record/checkpoint/comes_back_as_it_was_put",
            "record/checkpoint/begins_at_zero",
            "record/checkpoint/that_is_not_there_is_not_changed",
            "record/binding/keys_of_several_parts_are_apart",
            "record/binding/that_was_forgotten_is_gone",
        ],
    ),
    (
        "puts_without_looking",
        &[
            "record/snapshot/that_is_none_is_refused_by_its_place",
            "record/snapshot/follows_only_the_revision_that_it_names",
            "record/checkpoint/is_created_once",
            "record/distress/what_does_not_decode_is_kept_until_named",
        ],
    ),
    (
        "knows_its_own_documents",
        &[
            "record/checkpoint/is_followed_once_by_the_next_number_only",
            "record/follow/nothing_comes_after_the_greatest_number",
            "record/follow/what_it_was_built_on_is_there",
            "record/snapshot/comes_back_byte_for_byte",
            "record/snapshot/of_another_identity_is_used_when_that_is_accepted",
        ],
    ),
    (
        "swaps_in_two_steps",
        &[
            "record/checkpoint/one_of_many_follows_it",
            "record/effect/of_a_key_is_done_by_one_of_many",
            "record/binding/one_of_many_binds",
        ],
    ),
    (
        "forgets_at_its_end",
        &[
            "record/follow/another_kind_run_or_schema_is_refused",
            "record/follow/what_is_not_known_is_carried_along",
            "record/effect/of_a_key_is_answered_from_what_was_stored",
            "record/effect/other_work_under_a_key_is_a_conflict",
            "record/effect/that_was_begun_is_ambiguous_until_proved",
            "record/effect/that_is_cancelled_stays_started",
            "record/snapshot/of_an_older_version_is_saved_as_the_current_one",
            "record/binding/again_keeps_when_it_was_first_bound",
            "record/binding/that_could_not_be_deleted_is_gone_here",
            "record/binding/what_is_not_known_is_carried_along",
            "record/binding/moves_from_what_is_expected_only",
            "record/binding/to_a_purged_session_says_deleted",
        ],
    ),
    (
        "forgets_the_session",
        &["record/follow/goes_with_its_session", "record/snapshot/goes_with_its_session"],
    ),
    ("replaces_damage", &["record/distress/what_was_damaged_is_kept_until_named"]),
    ("forgets_its_own_put", &["record/distress/a_lost_answer_is_found_out"]),
];

/// Cases that none of the specimens fails: what they check is decided above the backend.
pub(super) const OF_THE_RECORDS: &[&str] = &["record/distress/a_place_out_of_reach_is_not_empty"];
