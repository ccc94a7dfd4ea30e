//! What backends fail that store, read or delete wrongly.

use crate::Expected;

pub(crate) const EXPECTED: &[Expected] = &[
    Expected {
        specimen: "drops_unknown_members",
        fails: &[
            "payload/unknown_types_keep_all_their_members",
            "payload/an_entry_without_data",
            "mask/removes_members_that_nobody_knows_too",
        ],
    },
    Expected {
        specimen: "writes_payloads_anew",
        fails: &[
            "payload/halves_of_characters",
            "payload/line_breaks_that_are_not_newlines",
            "payload/whole_numbers_of_any_size",
            "payload/numbers_as_they_are_spelled",
            "payload/any_double",
            "payload/doubled_keys_their_order_and_spaces",
            "payload/text_that_looks_like_a_line_of_a_journal",
        ],
    },
    Expected { specimen: "strips_nul", fails: &["payload/nul_in_text_and_in_keys"] },
    Expected {
        specimen: "keeps_times_as_doubles",
        fails: &["payload/ids_and_times_at_their_bounds"],
    },
    Expected {
        specimen: "has_limits_of_its_own",
        fails: &["payload/any_double", "payload/deep_nesting", "payload/a_megabyte"],
    },
    Expected {
        specimen: "begins_after_the_middle",
        fails: &["read/from_any_seq_on", "read/from_the_middle_of_a_commit_serves_it_whole"],
    },
    Expected {
        specimen: "serves_the_last_at_least",
        fails: &["read/from_beyond_the_end_is_nothing"],
    },
    Expected {
        specimen: "serves_only_what_fits",
        fails: &[
            "read/back_from_anywhere_by_any_number_of_bytes",
            "read/back_serves_at_least_one_commit",
            "head/is_where_the_last_commit_ends",
        ],
    },
    Expected {
        specimen: "skips_what_is_too_large",
        fails: &[
            "atomic/readers_see_whole_commits",
            "read/back_from_anywhere_by_any_number_of_bytes",
            "read/back_skips_nothing_that_is_too_large",
        ],
    },
    Expected {
        specimen: "goes_back_from_the_end",
        fails: &[
            "read/back_from_anywhere_by_any_number_of_bytes",
            "read/back_serves_at_least_one_commit",
            "read/back_ends_before_a_commit_it_would_cut",
            "read/pages_back_neither_repeat_nor_skip_while_others_append",
        ],
    },
    Expected {
        specimen: "wants_its_streams_read_to_the_end",
        fails: &["read/a_stream_may_be_left_at_any_point"],
    },
    Expected {
        specimen: "leaves_a_hint",
        fails: &["quiet/reading_writes_nothing", "quiet/an_open_handle_reads_as_quietly"],
    },
    Expected {
        specimen: "notes_what_is_missing",
        fails: &[
            "quiet/reading_writes_nothing",
            "quiet/looking_for_what_is_not_there_creates_nothing",
            "quiet/an_open_handle_reads_as_quietly",
        ],
    },
    Expected {
        specimen: "never_changes_its_token",
        fails: &[
            "head/changes_its_token_with_every_change_only",
            "head/changes_its_token_when_data_is_masked",
            "purge/leaves_only_the_tombstone",
            "recent/shows_the_heads_as_they_are",
            "rewrite/keeps_numbers_bytes_and_the_tip",
        ],
    },
    Expected {
        specimen: "tells_the_time_of_the_header",
        fails: &[
            "head/tells_the_time_of_the_last_commit",
            "head/bookkeeping_makes_nothing_newer",
            "recent/shows_the_heads_as_they_are",
        ],
    },
    Expected {
        specimen: "tells_what_it_knows",
        fails: &["head/serves_the_header_as_it_was_given", "head/grows_with_what_is_appended"],
    },
    Expected {
        specimen: "reads_nothing_where_nothing_is",
        fails: &[
            "create/a_journal_begins_with_its_own_header",
            "create/an_append_elsewhere_creates_nothing",
            "missing/a_session_that_never_was",
            "missing/a_session_beside_others",
            "missing/to_rewrite",
            "missing/to_mask",
            "missing/to_purge",
            "space/one_id_is_another_session_in_each",
            "name/ids_that_begin_alike",
            "name/ids_that_differ_in_case_or_a_sign",
            "name/ids_that_systems_keep_for_themselves",
            "name/ids_that_a_store_might_use_itself",
            "name/ids_as_long_as_they_may_be",
            "gist/makes_no_session",
        ],
    },
    Expected {
        specimen: "sets_aside_what_is_whole",
        fails: &[
            "head/is_where_the_last_commit_ends",
            "aside/nothing_of_a_journal_that_nothing_tore",
        ],
    },
    Expected {
        specimen: "always_has_a_default_space",
        fails: &[
            "create/an_append_elsewhere_creates_nothing",
            "missing/nothing_is_listed_where_nothing_is",
            "space/names_that_resemble_each_other",
            "space/every_one_that_holds_anything_is_listed",
        ],
    },
    Expected {
        specimen: "brings_back_the_dead",
        fails: &[
            "race/a_removal_races_like_an_append",
            "tombstone/refuses_every_append",
            "tombstone/holds_for_handles_that_were_open_before",
            "tombstone/is_taken_back_by_undelete",
        ],
    },
    Expected {
        specimen: "takes_anything_for_a_tombstone",
        fails: &["tombstone/has_a_delete_entry"],
    },
    Expected { specimen: "rewrites_the_dead", fails: &["tombstone/refuses_rewriting_and_masking"] },
    Expected { specimen: "purges_the_living", fails: &["purge/spares_what_is_not_deleted"] },
    Expected {
        specimen: "purges_nothing",
        fails: &[
            "purge/leaves_only_the_tombstone",
            "purge/is_final",
            "purge/takes_the_documents_of_its_session_only",
        ],
    },
    Expected { specimen: "purges_once", fails: &["purge/may_be_asked_for_twice"] },
    Expected { specimen: "purges_what_begins_alike", fails: &["purge/touches_no_neighbour"] },
];
