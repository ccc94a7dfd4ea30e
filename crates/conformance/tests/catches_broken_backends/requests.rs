//! That the cases of requests that hold a session can fail: for each a broken backend that it
//! notices.
//!
//! What holds a session is what its journal says, so that most of them fail where a journal does.

/// Specimens, and for each the cases that it is named for here; each fails it.
pub(super) const NOTICED: &[(&str, &[&str])] = &[
    (
        "last_writer_wins",
        &[
            "session/claim/makes_any_other_request_busy_by_name",
            "session/claim/makes_the_same_request_busy_or_another_input_a_mismatch",
            "session/claim/that_can_not_be_read_refuses_all_others",
            "session/replay/compares_bytes_and_not_values",
            "session/replay/compares_what_is_inside_of_the_terms",
            "session/turn/on_a_transcript_that_moved_is_a_conflict_that_changes_nothing",
            "session/turn/tells_its_course_and_its_end_once",
            "session/turn/may_close_its_session_with_its_end",
            "session/recovery/of_what_was_under_way_is_decided",
            "session/fence/refuses_whatever_an_old_owner_writes",
            "session/tool/is_told_of_by_its_own_id_and_name_and_once",
            "session/random/requests_show_what_they_did",
        ],
    ),
    (
        "checks_then_acts",
        &[
            "session/claim/is_made_by_one_of_many",
            "session/recovery/of_several_at_once_one_goes_on",
        ],
    ),
    ("forgets_its_own", &["session/fault/a_lost_answer_is_no_second_claim"]),
    (
        "stores_the_first_of_a_batch",
        &[
            "session/passage/a_fork_has_no_requests_and_tells_what_nobody_knows",
            "session/passage/a_fork_of_what_was_deleted_and_came_back_lacks_nothing",
        ],
    ),
    (
        "remembers_only_its_own",
        &[
            "session/claim/says_what_was_asked_and_on_which_terms",
            "session/turn/is_provisional_until_it_is_committed",
            "session/turn/is_not_disturbed_by_what_others_write",
            "session/fence/counts_nothing_that_was_written_past_it",
            "session/fence/lets_the_same_request_in_again",
        ],
    ),
    ("forgets_at_its_end", &["session/recovery/of_a_request_whose_owner_is_gone_goes_on"]),
    (
        "writes_payloads_anew",
        &[
            "session/replay/tells_the_first_result_also_while_another_is_active",
            "session/passage/a_copy_tells_what_ended_and_ends_what_was_active",
        ],
    ),
    ("orders_by_time", &["session/replay/reads_little_however_long_ago_it_was"]),
    ("rounds_numbers_up", &["session/fault/at_any_write_leaves_each_step_whole_or_not_at_all"]),
    ("masks_for_itself", &["session/replay/is_told_what_was_removed"]),
    (
        "begins_after_the_middle",
        &[
            "session/replay/tells_how_it_failed_and_whether_to_try_again",
            "session/summary/that_was_committed_is_not_made_again",
            "session/summary/passes_that_are_used_up_stay_so",
            "session/passage/a_vacuum_keeps_what_ended",
        ],
    ),
    (
        "serves_only_what_fits",
        &[
            "session/turn/that_ended_answers_the_same_end",
            "session/fault/an_end_that_nobody_was_told_is_told_again",
            "session/recovery/of_nothing_is_refused",
            "session/recovery/goes_on_with_the_greatest_usage",
            "session/tool/is_not_called_where_its_intent_is_not_stored",
            "session/leave/is_decided_once_and_outlives_who_asked",
        ],
    ),
    (
        "wants_its_streams_read_to_the_end",
        &[
            "session/turn/on_another_checkpoint_is_a_conflict_that_changes_nothing",
            "session/tool/of_which_nobody_knows_is_not_called_again",
            "session/tool/of_a_batch_is_known_each_by_itself",
            "session/tool/without_a_match_blocks_nothing",
            "session/passage/a_file_holds_nothing_provisional",
        ],
    ),
    ("brings_back_the_dead", &["session/turn/is_abandoned_where_its_session_is_deleted"]),
    (
        "forgets_what_came_before",
        &[
            "session/claim/is_not_made_under_the_id_of_its_session",
            "session/recovery/on_other_terms_is_refused_by_name",
            "session/recovery/of_what_was_not_under_way_takes_its_usage",
            "session/leave/covers_one_call_once",
        ],
    ),
];
