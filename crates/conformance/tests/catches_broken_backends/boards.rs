//! That the cases of message boards can fail: for each a broken backend that it notices.

/// Specimens, and for each the cases that it is named for here; each fails it.
pub(super) const NOTICED: &[(&str, &[&str])] = &[
    (
        "last_writer_wins",
        &[
            "workflow/board/of_a_closed_session_is_listed_only",
            "workflow/board/a_fence_is_stale_after_a_direct_reply_and_nothing_else",
        ],
    ),
    (
        "forgets_what_came_before",
        &[
            "workflow/board/what_breaks_a_rule_is_not_posted",
            "workflow/board/who_waits_is_told_of_a_change",
        ],
    ),
    (
        "checks_then_acts",
        &[
            "workflow/board/of_equal_keyed_posts_at_once_one_is_there",
            "workflow/board/a_task_is_completed_by_one_of_many",
        ],
    ),
    (
        "gives_up_on_a_busy_lock",
        &["workflow/board/messages_that_are_posted_at_once_are_each_there_once"],
    ),
    ("writes_payloads_anew", &["workflow/board/goes_on_from_a_state_as_from_the_beginning"]),
    ("masks_the_first_only", &["workflow/board/words_that_are_redacted_are_gone_and_nothing_else"]),
    (
        "forgets_delivery_keys",
        &[
            "workflow/board/a_keyed_post_is_one_message",
            "workflow/board/a_key_with_another_payload_is_a_conflict",
            "workflow/board/a_keyed_post_that_may_be_there_is_told_when_repeated",
            "workflow/board/a_keyed_post_is_uncertain_while_nothing_can_be_written",
        ],
    ),
    ("forgets_what_is_answered", &["workflow/board/a_task_has_so_many_replies_and_is_a_task"]),
    (
        "forgets_what_messages_say",
        &[
            "workflow/board/a_message_says_what_it_was_given",
            "workflow/board/changes_are_told_once_from_where_one_was",
            "workflow/board/what_waits_to_be_written_is_written_before_it_is_shown",
        ],
    ),
    (
        "forgets_who_leaves_a_board",
        &["workflow/board/what_leaves_a_full_board_is_history_that_is_lost"],
    ),
    (
        "forgets_resolutions",
        &["workflow/board/a_message_is_resolved_by_whoever_says_something_new"],
    ),
    ("forgets_fences", &["workflow/board/a_task_that_was_completed_is_answered_again"]),
    ("forgets_withdrawals", &["workflow/board/a_change_that_may_be_there_is_told_when_repeated"]),
    ("forgets_replacements", &["workflow/board/what_is_taken_back_or_replaced_stays_so"]),
    (
        "forgets_acknowledgements",
        &["workflow/board/is_acknowledged_by_the_first_and_never_otherwise_changed"],
    ),
    (
        "forgets_completions",
        &["workflow/board/a_completion_that_may_be_there_is_told_when_repeated"],
    ),
];

/// Cases that none of the specimens fails: what they check is decided above the backend.
pub(super) const OF_THE_BOARD: &[&str] =
    &["workflow/board/a_token_is_of_one_session_and_of_what_has_happened"];
