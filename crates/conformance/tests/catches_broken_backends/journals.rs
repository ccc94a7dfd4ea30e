//! What backends fail that append, commit or share wrongly.

use crate::Expected;

pub(crate) const EXPECTED: &[Expected] = &[
    Expected {
        specimen: "last_writer_wins",
        fails: &[
            "append/a_conflict_names_the_actual_position",
            "append/beyond_the_end_is_a_conflict",
            "append/the_token_counts_as_much_as_the_position",
            "append/a_batch_is_refused_as_a_whole",
            "append/a_stale_writer_never_slips_in",
            "append/whoever_reads_again_goes_on",
            "race/one_of_many_wins_a_tip",
            "race/one_of_many_tasks_of_a_handle_wins",
            "replay/another_token_is_another_attempt",
            "tombstone/is_taken_back_by_undelete",
        ],
    },
    Expected {
        specimen: "compares_positions_only",
        fails: &["append/the_token_counts_as_much_as_the_position"],
    },
    Expected {
        specimen: "counts_in_a_byte",
        fails: &[
            "append/beyond_the_end_is_a_conflict",
            "append/the_returned_tip_is_the_next_one_expected",
            "order/numbers_may_leave_gaps",
        ],
    },
    Expected {
        specimen: "applies_half_a_batch",
        fails: &["order/a_number_below_the_end_is_a_conflict"],
    },
    Expected { specimen: "takes_nothing", fails: &["append/an_empty_list_is_refused"] },
    Expected {
        specimen: "echoes_what_it_refuses",
        fails: &["append/errors_tell_nothing_of_what_is_stored"],
    },
    Expected {
        specimen: "removes_wherever_it_ends",
        fails: &[
            "append/a_stale_writer_never_slips_in",
            "race/a_removal_races_like_an_append",
            "tombstone/is_set_where_the_remover_thinks_the_end_is",
        ],
    },
    Expected {
        specimen: "rewrites_in_words_only",
        fails: &[
            "rewrite/is_refused_where_others_appended",
            "rewrite/is_refused_where_the_end_would_move",
        ],
    },
    Expected {
        specimen: "rewrites_to_what_came",
        fails: &["rewrite/that_breaks_off_changes_nothing"],
    },
    Expected {
        specimen: "rewrites_without_a_commit",
        fails: &[
            "rewrite/keeps_numbers_bytes_and_the_tip",
            "rewrite/is_refused_where_the_end_would_move",
            "rewrite/is_seen_by_others_at_once_and_whole",
        ],
    },
    Expected {
        specimen: "masks_the_first_only",
        fails: &["mask/removes_the_data_and_nothing_else", "mask/is_refused_for_what_is_not_there"],
    },
    Expected {
        specimen: "keeps_no_earlier_time",
        fails: &[
            "order/is_that_of_appending_and_not_of_times",
            "payload/ids_and_times_at_their_bounds",
            "head/bookkeeping_makes_nothing_newer",
            "recent/is_newest_first",
            "recent/goes_on_after_a_place_that_nobody_has",
        ],
    },
    Expected {
        specimen: "masks_wherever_it_ends",
        fails: &["mask/is_refused_where_others_appended"],
    },
    Expected { specimen: "masks_in_words_only", fails: &["mask/is_refused_for_what_is_not_there"] },
    Expected {
        specimen: "masks_the_data_only",
        fails: &["mask/removes_members_that_nobody_knows_too"],
    },
    Expected {
        specimen: "creates_over_what_is_there",
        fails: &["create/twice_is_a_conflict_and_changes_nothing", "race/one_of_many_creates"],
    },
    Expected {
        specimen: "creates_what_it_misses",
        fails: &[
            "create/an_append_elsewhere_creates_nothing",
            "missing/a_session_that_never_was",
            "missing/a_session_beside_others",
        ],
    },
    Expected {
        specimen: "creates_the_header_only",
        fails: &["create/what_was_created_is_served", "race/one_of_many_creates"],
    },
    Expected {
        specimen: "shows_half_a_commit",
        fails: &[
            "atomic/readers_see_whole_commits",
            "atomic/heads_stand_between_commits",
            "atomic/a_dropped_append_is_done_once_or_not_at_all",
        ],
    },
    Expected {
        specimen: "rewrites_in_two_steps",
        fails: &[
            "rewrite/is_refused_where_the_end_would_move",
            "rewrite/is_seen_by_others_at_once_and_whole",
        ],
    },
    Expected {
        specimen: "cuts_the_first_commit",
        fails: &["read/from_any_seq_on", "read/from_the_middle_of_a_commit_serves_it_whole"],
    },
    Expected {
        specimen: "orders_by_time",
        fails: &["order/is_that_of_appending_and_not_of_times"],
    },
    Expected {
        specimen: "numbers_anew",
        fails: &[
            "create/a_journal_begins_with_its_own_header",
            "order/numbers_may_leave_gaps",
            "order/a_number_below_the_end_is_a_conflict",
            "read/back_ends_before_a_commit_it_would_cut",
        ],
    },
    Expected {
        specimen: "rounds_numbers_up",
        fails: &[
            "order/numbers_go_on_where_others_stopped",
            "mask/removes_the_data_and_nothing_else",
        ],
    },
    Expected {
        specimen: "forgets_what_came_before",
        fails: &[
            "order/each_commit_names_the_one_before",
            "rewrite/keeps_numbers_bytes_and_the_tip",
        ],
    },
    Expected {
        specimen: "checks_then_acts",
        fails: &["race/one_of_many_wins_a_tip", "race/one_of_many_tasks_of_a_handle_wins"],
    },
    Expected {
        specimen: "applies_what_it_refuses",
        fails: &[
            "race/one_of_many_wins_a_tip",
            "race/one_of_many_tasks_of_a_handle_wins",
            "race/writers_that_retry_lose_nothing",
        ],
    },
    Expected { specimen: "loses_what_comes_at_once", fails: &["race/appends_at_the_end_all_land"] },
    Expected {
        specimen: "gives_up_on_a_busy_lock",
        fails: &[
            "atomic/a_dropped_append_is_done_once_or_not_at_all",
            "race/one_of_many_wins_a_tip",
            "race/one_of_many_creates",
            "race/one_of_many_tasks_of_a_handle_wins",
            "race/appends_at_the_end_all_land",
            "race/writers_that_retry_lose_nothing",
            "race/journals_do_not_disturb_one_another",
        ],
    },
    Expected {
        specimen: "swaps_in_two_steps",
        fails: &[
            "swap/one_of_many_wins_a_revision",
            "swap/one_of_many_puts_first",
            "swap/a_deletion_races_like_a_put",
        ],
    },
    Expected {
        specimen: "forgets_its_own",
        fails: &[
            "atomic/a_dropped_append_is_done_once_or_not_at_all",
            "replay/an_append_sent_again_is_answered_alike",
            "replay/also_when_others_appended_since",
            "replay/a_batch_is_answered_member_by_member",
            "replay/a_creation_sent_again",
            "replay/an_append_at_the_end_sent_again",
        ],
    },
    Expected { specimen: "appends_it_again", fails: &["replay/an_append_at_the_end_sent_again"] },
    Expected { specimen: "forgets_its_tombstone", fails: &["replay/a_tombstone_sent_again"] },
    Expected {
        specimen: "stores_the_first_of_a_batch",
        fails: &[
            "create/several_commits_at_once",
            "append/a_batch_is_refused_as_a_whole",
            "order/a_number_below_the_end_is_a_conflict",
            "replay/a_batch_is_answered_member_by_member",
        ],
    },
    Expected {
        specimen: "remembers_only_its_own",
        fails: &[
            "atomic/readers_see_whole_commits",
            "share/turns_may_alternate_between_handles",
            "share/a_handle_that_has_read_sees_what_came_after",
            "share/masked_data_is_gone_for_others_too",
            "rewrite/keeps_numbers_bytes_and_the_tip",
            "mask/removes_the_data_and_nothing_else",
        ],
    },
    Expected {
        specimen: "knows_its_own_tombstones",
        fails: &[
            "share/a_handle_opened_later_sees_everything",
            "head/says_whether_the_tombstone_is_the_last_word",
            "purge/leaves_only_the_tombstone",
            "name/ids_that_begin_alike",
            "name/ids_that_differ_in_case_or_a_sign",
            "name/ids_that_systems_keep_for_themselves",
            "name/ids_that_a_store_might_use_itself",
            "name/ids_as_long_as_they_may_be",
        ],
    },
    Expected {
        specimen: "masks_for_itself",
        fails: &[
            "share/masked_data_is_gone_for_others_too",
            "head/changes_its_token_when_data_is_masked",
            "mask/removes_the_data_and_nothing_else",
            "mask/removes_members_that_nobody_knows_too",
            "mask/and_appends_go_on_together",
            "gist/goes_with_data_that_is_removed",
        ],
    },
    Expected {
        specimen: "stays_closed",
        fails: &[
            "share/a_closed_handle_lost_nothing_and_opens_anew",
            "gist/is_of_the_end_of_the_journal",
            "gist/makes_no_session",
            "gist/goes_with_what_a_rewrite_drops",
        ],
    },
    Expected {
        specimen: "forgets_at_its_end",
        fails: &[
            "share/everything_is_there_after_a_restart",
            "share/everything_is_there_after_an_end_without_closing",
        ],
    },
];
