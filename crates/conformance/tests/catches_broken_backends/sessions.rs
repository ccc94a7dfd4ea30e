//! That the cases of sessions can fail: for each a broken backend that it notices.
//!
//! Which of them a specimen fails beside those is not stated: the engine stands between, and what
//! reaches it is not the specimen's to say.

/// Specimens, and for each the cases that it is named for here; each fails it.
pub(super) const NOTICED: &[(&str, &[&str])] = &[
    (
        "last_writer_wins",
        &[
            "session/behind/what_others_came_before_is_told_as_superseded",
            "session/behind/a_barrier_that_others_came_before_says_so",
            "session/residency/a_hot_one_notices_what_others_wrote",
            "session/append/a_stale_position_is_a_conflict_that_changes_nothing",
            "session/append/of_many_at_one_position_one_wins",
            "session/share/turns_alternate_between_processes",
            "session/end/a_closed_session_takes_no_message",
        ],
    ),
    ("counts_in_a_byte", &["session/append/a_returned_position_holds"]),
    ("forgets_projects", &["session/list/projects_that_look_alike_are_apart"]),
    ("echoes_what_it_refuses", &["session/secret/no_error_shows_what_was_stored_or_sent"]),
    (
        "creates_over_what_is_there",
        &["session/create/what_exists_is_not_replaced", "session/create/of_many_at_once_one_does"],
    ),
    (
        "creates_the_header_only",
        &[
            "session/residency/what_can_not_be_read_is_not_changed",
            "session/create/it_is_what_it_was_created_as",
            "session/list/what_has_no_field_is_not_hidden",
            "session/file/an_import_says_what_it_did",
            "session/file/a_known_one_writes_nothing",
        ],
    ),
    (
        "orders_by_time",
        &[
            "session/order/is_not_that_of_times_in_messages",
            "session/order/what_is_not_understood_keeps_its_number_and_bytes",
        ],
    ),
    (
        "forgets_what_came_before",
        &[
            "session/residency/more_than_may_be_hot_are_all_there",
            "session/residency/each_message_is_there_once_while_sessions_come_and_go",
            "session/residency/a_closed_one_is_cold",
            "session/retain/off_or_a_mistake_removes_nothing",
            "session/retain/the_last_are_kept_whatever_their_age",
            "session/retain/what_can_not_be_seen_stays",
            "session/append/numbers_go_on_after_a_restart",
            "session/append/above_the_limit_nothing_is_stored",
            "session/repeat/with_other_content_is_a_conflict",
            "session/share/an_old_view_erases_nothing",
            "session/share/metadata_and_messages_do_not_lose_one_another",
            "session/share/sessions_of_their_own_lose_nothing",
            "session/order/in_one_moment_is_that_of_appending",
            "session/change/a_view_has_batch_backlog_and_window",
            "session/change/a_summary_hides_nothing",
            "session/id/lengths_are_counted_in_bytes",
            "session/id/those_that_look_alike_are_apart",
            "session/space/an_id_of_another_is_one_that_never_was",
            "session/copy/erases_nothing_that_the_target_has_more",
            "session/identity/is_compared_before_anything_is_done",
            "session/identity/is_changed_by_accepting_what_was_shown",
        ],
    ),
    (
        "checks_then_acts",
        &[
            "session/repeat/at_once_is_done_once",
            "session/repeat/at_once_with_other_content_one_is_done",
            "session/identity/of_many_who_accept_at_once_one_does",
            "session/change/each_message_is_popped_once",
        ],
    ),
    (
        "forgets_its_own",
        &[
            "session/behind/a_barrier_that_failed_is_uncertain_and_its_repeat_the_same",
            "session/behind/nothing_is_lost_or_done_twice_whatever_fails",
            "session/repeat/is_answered_with_the_first_result",
            "session/outcome/a_lost_answer_is_found_out",
            "session/outcome/an_unknown_one_is_resolved_by_writing",
            "session/copy/is_resumed_where_it_was_cut_short",
        ],
    ),
    ("forgets_its_tombstone", &["session/end/ending_twice_is_ending_once"]),
    (
        "masks_for_itself",
        &[
            "session/share/what_was_masked_is_noticed",
            "session/change/what_was_redacted_is_gone_everywhere",
            "session/change/what_was_forgotten_is_forgotten",
            "session/copy/what_was_masked_is_not_brought_along",
        ],
    ),
    (
        "writes_payloads_anew",
        &[
            "session/payload/halves_of_characters",
            "session/payload/line_breaks_that_are_not_newlines",
            "session/payload/whole_numbers_of_any_size",
            "session/payload/numbers_as_they_are_spelled",
        ],
    ),
    (
        "strips_nul",
        &[
            "session/identity/tells_names_that_look_alike_apart",
            "session/payload/nul_in_text_and_in_keys",
            "session/payload/text_of_a_type_is_the_same_text",
        ],
    ),
    (
        "has_limits_of_its_own",
        &[
            "session/change/going_back_loses_nothing",
            "session/large/at_the_limit_it_can_be_read_and_left_behind",
        ],
    ),
    (
        "stores_the_first_of_a_batch",
        &[
            "session/behind/what_was_flushed_is_there_after_reopening",
            "session/behind/a_burst_is_written_in_fewer_cycles",
            "session/behind/closing_writes_what_waits",
            "session/behind/a_barrier_waits_for_no_window_and_what_follows_comes_after",
            "session/behind/only_this_process_sees_what_waits",
            "session/behind/a_failure_is_told_until_writing_works_again",
            "session/behind/what_can_not_be_written_keeps_a_store_open",
            "session/behind/two_that_write_behind_lose_nothing_of_each_other",
            "session/identity/goes_with_forks_and_copies",
        ],
    ),
    ("rewrites_without_a_commit", &["session/identity/outlives_a_vacuum_with_its_history"]),
    ("remembers_only_its_own", &["session/read/pages_back_while_others_append"]),
    ("wants_its_streams_read_to_the_end", &["session/secret/no_debugging_form_does"]),
    (
        "leaves_a_hint",
        &[
            "session/residency/asking_writes_nothing",
            "session/read/opening_reading_and_closing_write_nothing",
        ],
    ),
    (
        "brings_back_the_dead",
        &[
            "session/residency/nothing_of_a_former_life_is_used",
            "session/retain/what_is_held_or_not_understood_stays",
            "session/end/the_id_of_a_deleted_session_is_used_up",
        ],
    ),
    (
        "purges_nothing",
        &["session/erase/an_owner_is_erased_and_nobody_else", "session/end/also_after_a_purge"],
    ),
    (
        "lists_oldest_first",
        &[
            "session/list/pages_follow_one_order_when_times_fall",
            "session/list/a_time_in_a_message_moves_nothing_up",
        ],
    ),
    (
        "goes_on_after_a_time",
        &[
            "session/list/pages_hold_all_of_one_time",
            "session/list/pages_neither_skip_nor_repeat_while_others_write",
        ],
    ),
    (
        "keeps_no_earlier_time",
        &[
            "session/retain/age_is_that_of_the_conversation",
            "session/copy/holds_every_entry_as_it_stands",
            "session/copy/recognises_the_commits_of_its_source",
            "session/copy/a_move_leaves_nothing_to_come_back",
        ],
    ),
    (
        "drops_unknown_members",
        &[
            "session/foreign/kinds_outlive_every_way_of_a_session",
            "session/foreign/members_outlive_the_changes_of_others",
            "session/foreign/members_outlive_what_is_taken_out",
        ],
    ),
    (
        "deletes_in_every_space",
        &[
            "session/retain/an_id_is_told_by_all_of_it",
            "session/erase/a_space_is_erased_and_no_other",
        ],
    ),
    (
        "lists_the_living",
        &[
            "session/retain/cut_short_it_is_completed_by_the_next",
            "session/end/nothing_brings_a_deleted_session_back",
        ],
    ),
    (
        "forgets_at_its_end",
        &[
            "session/residency/asking_makes_nothing_hot",
            "session/residency/a_change_makes_hot_within_the_bound",
        ],
    ),
    ("begins_after_the_middle", &["session/residency/from_hot_to_cold_and_back_nothing_changes"]),
];

/// Cases that none of the specimens fails: what they check is decided above the backend.
pub(super) const OF_THE_ENGINE: &[&str] = &[
    "session/erase/where_nothing_is_purged_nothing_is_erased",
    "session/append/an_empty_batch_is_refused_before_anything_else",
    "session/share/a_third_process_lists_what_two_created",
    "session/read/a_limit_means_the_same_everywhere",
    "session/change/a_summary_stands_for_more_than_the_last",
    "session/id/one_that_leads_elsewhere_touches_nothing",
    "session/id/one_of_signs_that_systems_keep_is_refused",
    "session/outcome/a_place_that_is_out_of_reach_is_not_empty",
    "session/turn/takes_no_role_that_its_request_forbids",
];

/// The case that takes random steps and compares them with a model.
pub(super) const RANDOM_STEPS: &str = "session/random/steps_show_what_they_did";

/// Specimens of several kinds that the random steps notice.
pub(super) const NOTICED_BY_RANDOM_STEPS: &[&str] = &[
    "creates_over_what_is_there",
    "forgets_what_came_before",
    "forgets_its_tombstone",
    "remembers_only_its_own",
    "masks_for_itself",
    "begins_after_the_middle",
    "brings_back_the_dead",
    "purges_nothing",
    "lists_oldest_first",
    "goes_on_after_a_time",
];

/// Specimens that break one kind of step, and that step: it is there that they are noticed.
pub(super) const NOTICED_AT_A_STEP: &[(&str, &str)] = &[
    ("masks_the_first_only", "Forget"),
    ("numbers_anew", "Fork"),
    ("rewrites_without_a_commit", "Vacuum"),
    ("keeps_no_earlier_time", "Copy"),
    ("creates_the_header_only", "Import"),
];
