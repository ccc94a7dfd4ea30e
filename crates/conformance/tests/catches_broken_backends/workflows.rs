//! That the cases of workflow sessions can fail: for each a broken backend that it notices.
//!
//! Which of them a specimen fails beside those is not stated: engine and workflow stand between,
//! and what reaches them is not the specimen's to say.

/// Specimens, and for each the cases that it is named for here; each fails it.
pub(super) const NOTICED: &[(&str, &[&str])] = &[
    (
        "forgets_contexts",
        &[
            "workflow/resume/a_context_stays_until_it_is_replaced",
            "workflow/resume/it_says_what_has_changed",
            "workflow/event/a_context_is_set_with_one_event",
        ],
    ),
    (
        "forgets_instructions",
        &[
            "workflow/begin/ephemeral_instructions_are_not_stored",
            "workflow/resume/what_fails_before_its_commit_changes_nothing",
            "workflow/event/an_instruction_outlives_the_window",
        ],
    ),
    (
        "forgets_events",
        &[
            "workflow/event/a_window_of_none_is_one_of_one",
            "workflow/event/a_late_one_leaves_it_closed",
            "workflow/event/evidence_says_whether_it_is_complete",
        ],
    ),
    (
        "forgets_closes",
        &[
            "workflow/resume/a_closed_one_is_closed_first_of_all",
            "workflow/event/a_close_is_one_event",
        ],
    ),
    (
        "stores_what_happened_twice",
        &[
            "workflow/event/the_last_are_told_and_all_are_counted",
            "workflow/event/of_an_outside_id_there_is_one_for_ever",
        ],
    ),
    (
        "forgets_owners",
        &[
            "workflow/resume/a_deleted_one_expired_for_its_owner",
            "workflow/resume/also_after_a_purge",
            "workflow/resume/a_stranger_learns_nothing",
            "workflow/discover/only_ones_own_is_counted",
        ],
    ),
    (
        "forgets_projects",
        &[
            "workflow/discover/pages_of_one_time_hold_each_once",
            "workflow/discover/a_place_out_of_reach_is_not_empty",
        ],
    ),
    ("forgets_identities", &["workflow/resume/a_project_is_more_than_its_name"]),
    ("forgets_hosts", &["workflow/begin/a_baseline_is_that_of_the_beginning"]),
    (
        "forgets_guards",
        &[
            "workflow/begin/read_only_denies_writing_of_both_kinds",
            "workflow/resume/writing_is_allowed_by_a_verified_scope",
            "workflow/resume/guards_tighten_within_a_mode",
        ],
    ),
    (
        "forgets_titles",
        &[
            "workflow/resume/a_title_stays_and_one_event_is_added",
            "workflow/discover/a_title_is_shown_without_secrets",
        ],
    ),
    ("dates_metadata_later", &["workflow/begin/it_is_active_and_as_old_as_its_last_change"]),
    (
        "knows_instructions_by_heart",
        &["workflow/event/of_the_past_the_journal_tells", "workflow/event/secrets_are_not_stored"],
    ),
    ("creates_over_what_is_there", &["workflow/begin/an_id_is_nobodys_and_never_was"]),
    ("creates_the_header_only", &["workflow/begin/a_session_is_there_with_all_it_began_with"]),
    ("checks_then_acts", &["workflow/resume/at_once_each_is_decided_on_the_one_before"]),
    (
        "notes_who_is_missing",
        &[
            "workflow/refuse/an_unknown_id_begins_nothing",
            "workflow/refuse/an_event_for_nobody_is_of_nobody",
        ],
    ),
    ("leaves_a_hint", &["workflow/read/writes_nothing_and_leaves_all_cold"]),
];

/// Cases that none of the specimens fails by what it does wrong: what they check is decided above
/// the backend.
pub(super) const OF_THE_WORKFLOW: &[&str] = &[
    "workflow/refuse/without_an_authority_nothing_is_begun",
    "workflow/refuse/a_context_without_a_project",
    "workflow/refuse/an_id_with_spaces_around_it",
    "workflow/read/no_debugging_form_shows_content",
];
