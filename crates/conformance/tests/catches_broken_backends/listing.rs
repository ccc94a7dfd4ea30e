//! What backends fail that list, name or keep documents wrongly.

use crate::Expected;

pub(crate) const EXPECTED: &[Expected] = &[
    Expected {
        specimen: "lists_backwards",
        fails: &[
            "list/pages_of_any_size_hold_every_journal_once",
            "list/is_in_the_order_of_ids",
            "list/goes_on_after_an_id_that_is_not_there",
            "list/new_journals_hide_no_old_ones",
        ],
    },
    Expected {
        specimen: "loses_a_row_of_a_page",
        fails: &[
            "list/pages_of_any_size_hold_every_journal_once",
            "list/is_in_the_order_of_ids",
            "list/goes_on_after_an_id_that_is_not_there",
            "shelf/pages_of_any_size_hold_every_document_once",
            "shelf/is_in_the_order_of_names",
            "shelf/goes_on_after_a_name_that_is_not_there",
            "shelf/holds_one_collection_only",
        ],
    },
    Expected { specimen: "lists_no_rows", fails: &["list/a_page_without_rows_is_refused"] },
    Expected {
        specimen: "lists_what_documents_name",
        fails: &["list/a_document_makes_no_journal"],
    },
    Expected {
        specimen: "last_to_close_owns_the_list",
        fails: &["list/journals_of_two_processes"],
    },
    Expected {
        specimen: "lists_oldest_first",
        fails: &[
            "recent/is_newest_first",
            "recent/moves_up_what_is_appended_to",
            "recent/ids_order_those_of_one_time",
            "recent/pages_follow_the_order_when_times_fall",
            "recent/pages_of_any_size_hold_every_head_once",
            "recent/goes_on_after_a_place_that_nobody_has",
            "recent/bookkeeping_moves_nothing_up",
            "scope/holds_what_the_headers_say_and_no_other",
            "scope/is_paged_through_among_others",
        ],
    },
    Expected {
        specimen: "goes_on_after_a_time",
        fails: &[
            "recent/ids_order_those_of_one_time",
            "recent/goes_on_after_a_place_that_nobody_has",
        ],
    },
    Expected {
        specimen: "lists_the_living",
        fails: &[
            "tombstone/leaves_everything_readable",
            "recent/moves_up_what_is_appended_to",
            "recent/shows_the_heads_as_they_are",
            "scope/holds_what_the_headers_say_and_no_other",
            "gist/of_another_end_is_never_shown",
        ],
    },
    Expected {
        specimen: "lists_from_an_old_catalog",
        fails: &["recent/a_new_session_is_never_missing", "scope/a_new_session_is_never_missing"],
    },
    Expected {
        specimen: "forgets_the_scope",
        fails: &[
            "scope/holds_what_the_headers_say_and_no_other",
            "scope/is_paged_through_among_others",
        ],
    },
    Expected {
        specimen: "filters_the_page",
        fails: &[
            "scope/holds_what_the_headers_say_and_no_other",
            "scope/is_paged_through_among_others",
        ],
    },
    Expected {
        specimen: "shows_old_gists",
        fails: &[
            "gist/is_of_the_end_of_the_journal",
            "gist/of_another_end_is_never_shown",
            "gist/goes_with_data_that_is_removed",
            "gist/goes_with_what_a_rewrite_drops",
        ],
    },
    Expected {
        specimen: "keeps_gists_by_the_tip",
        fails: &["gist/goes_with_data_that_is_removed", "gist/goes_with_what_a_rewrite_drops"],
    },
    Expected { specimen: "lists_what_is_noted", fails: &["gist/makes_no_session"] },
    Expected {
        specimen: "lists_every_tenant",
        fails: &[
            "missing/a_session_beside_others",
            "space/one_id_is_another_session_in_each",
            "space/lists_its_own_only",
        ],
    },
    Expected {
        specimen: "deletes_in_every_space",
        fails: &["purge/touches_no_neighbour", "space/deleting_in_one_leaves_the_others"],
    },
    Expected {
        specimen: "keeps_documents_in_one_space",
        fails: &[
            "purge/takes_the_documents_of_its_session_only",
            "space/documents_are_apart_too",
            "space/every_one_that_holds_anything_is_listed",
        ],
    },
    Expected {
        specimen: "lists_in_lower_case",
        fails: &[
            "list/is_in_the_order_of_ids",
            "name/ids_that_differ_in_case_or_a_sign",
            "name/ids_that_systems_keep_for_themselves",
            "name/ids_as_long_as_they_may_be",
        ],
    },
    Expected {
        specimen: "keeps_documents_in_lower_case",
        fails: &[
            "name/documents_with_any_sign",
            "name/documents_like_projects",
            "name/documents_with_signs_of_addresses",
            "name/documents_like_paths",
            "name/documents_that_normalise_alike",
            "shelf/is_in_the_order_of_names",
        ],
    },
    Expected {
        specimen: "keeps_documents_under_file_names",
        fails: &[
            "space/parts_of_a_key_do_not_run_together",
            "name/documents_with_any_sign",
            "name/documents_like_projects",
            "name/documents_with_signs_of_addresses",
            "name/documents_like_paths",
            "name/documents_that_normalise_alike",
            "name/documents_as_long_as_they_may_be",
            "name/collections_with_any_sign",
            "shelf/is_in_the_order_of_names",
            "shelf/goes_on_after_a_name_that_is_not_there",
            "shelf/holds_one_collection_only",
        ],
    },
    Expected {
        specimen: "puts_without_looking",
        fails: &[
            "missing/a_document_that_never_was",
            "swap/absent_over_something_is_a_conflict",
            "swap/a_stale_revision_is_a_conflict",
            "swap/a_revision_over_nothing_is_a_conflict",
            "swap/one_of_many_wins_a_revision",
            "swap/one_of_many_puts_first",
            "swap/a_deletion_races_like_a_put",
            "revision/the_seventeenth_is_forgotten",
            "revision/going_back_to_a_value_brings_none_back",
            "revision/deleting_and_putting_again_brings_none_back",
            "revision/equal_values_differ_by_revision",
        ],
    },
    Expected {
        specimen: "deletes_without_looking",
        fails: &[
            "swap/deleting_needs_the_revision",
            "swap/a_deletion_races_like_a_put",
            "revision/going_back_to_a_value_brings_none_back",
            "revision/deleting_and_putting_again_brings_none_back",
        ],
    },
    Expected {
        specimen: "knows_its_own_documents",
        fails: &[
            "share/a_handle_that_has_read_sees_what_came_after",
            "swap/every_handle_sees_the_last_put",
            "swap/one_of_many_wins_a_revision",
        ],
    },
    Expected { specimen: "reads_in_two_steps", fails: &["value/readers_see_one_whole_value"] },
    Expected { specimen: "keeps_text_only", fails: &["value/any_bytes_come_back"] },
    Expected {
        specimen: "forgets_the_session",
        fails: &[
            "purge/takes_the_documents_of_its_session_only",
            "value/the_session_goes_with_the_value",
        ],
    },
    Expected {
        specimen: "takes_damage_for_absence",
        fails: &[
            "damage/is_corrupt_with_a_revision_and_never_missing",
            "damage/only_what_names_it_replaces_it",
            "damage/only_what_names_it_deletes_it",
            "damage/that_changes_has_another_revision",
        ],
    },
    Expected {
        specimen: "replaces_damage",
        fails: &[
            "damage/only_what_names_it_replaces_it",
            "damage/only_what_names_it_deletes_it",
            "damage/that_changes_has_another_revision",
        ],
    },
    Expected {
        specimen: "keeps_damage_for_ever",
        fails: &["damage/only_what_names_it_replaces_it", "damage/only_what_names_it_deletes_it"],
    },
    Expected {
        specimen: "tells_damages_not_apart",
        fails: &["damage/that_changes_has_another_revision"],
    },
    Expected {
        specimen: "keeps_one_revision",
        fails: &[
            "revision/the_last_sixteen_are_kept",
            "revision/a_put_sent_again_is_answered_as_done",
            "revision/a_put_sent_again_after_others_stays_replaced",
        ],
    },
    Expected {
        specimen: "keeps_former_revisions",
        fails: &[
            "swap/what_was_put_is_served",
            "value/readers_see_one_whole_value",
            "value/a_dropped_put_is_done_once_or_not_at_all",
            "revision/the_last_sixteen_are_kept",
            "revision/a_put_sent_again_is_answered_as_done",
            "revision/a_put_sent_again_after_others_stays_replaced",
        ],
    },
    Expected {
        specimen: "forgets_its_own_put",
        fails: &[
            "value/a_dropped_put_is_done_once_or_not_at_all",
            "revision/a_put_sent_again_is_answered_as_done",
            "revision/a_put_sent_again_after_others_stays_replaced",
            "revision/the_seventeenth_is_forgotten",
        ],
    },
    Expected {
        specimen: "compares_values",
        fails: &[
            "revision/going_back_to_a_value_brings_none_back",
            "revision/deleting_and_putting_again_brings_none_back",
            "revision/equal_values_differ_by_revision",
        ],
    },
    Expected { specimen: "sorts_without_case", fails: &["shelf/is_in_the_order_of_names"] },
    Expected {
        specimen: "pages_by_counting",
        fails: &[
            "shelf/goes_on_after_a_name_that_is_not_there",
            "shelf/new_documents_hide_no_old_ones",
        ],
    },
    Expected {
        specimen: "lists_the_deleted",
        fails: &[
            "name/documents_with_any_sign",
            "name/documents_like_projects",
            "name/documents_with_signs_of_addresses",
            "name/documents_like_paths",
            "name/documents_that_normalise_alike",
            "name/documents_as_long_as_they_may_be",
            "swap/deleting_needs_the_revision",
            "shelf/is_without_what_was_deleted",
        ],
    },
    Expected {
        specimen: "lists_what_lies_below",
        fails: &[
            "space/parts_of_a_key_do_not_run_together",
            "name/collections_with_any_sign",
            "shelf/holds_one_collection_only",
        ],
    },
    Expected {
        specimen: "does_what_it_denies",
        fails: &[
            "lack/of_rewrite_is_refused",
            "lack/of_mask_is_refused",
            "lack/of_purge_is_refused",
        ],
    },
    Expected { specimen: "declares_less_later", fails: &["lack/every_handle_declares_the_same"] },
];
