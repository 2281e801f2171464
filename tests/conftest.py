"""Settings of every test, and the tests that take long."""

from __future__ import annotations

import pytest
from hypothesis import settings

# Hypothesis draws the same 40 examples each time and has no deadline.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("steady")

_CONTRACT = "tests/methods/test_contract.py::"
_EACH_PROPERTY = _CONTRACT + "test_a_method_has_each_property_of_the_contract_unless_it_says_so"
_MEANS = "tests/engines/exact/test_means.py::"

_VERIFIED = "tests/engines/verification/test_"
_PLANTED = "tests/study/test_planted_faults.py::test_a_fault_of_"
SLOW = (
    *(
        f"{_EACH_PROPERTY}[{family}"
        for family in ("proportion_d", "rate_d", "balanced_accuracy", "risk_", "odds_", "rate_r")
    ),
    _CONTRACT + "test_an_array_equals_one_outcome_at_a_time",
    _CONTRACT + "test_limits_of_two_samples_keep_the_contract_for_any_data_and_alpha",
    _CONTRACT + "test_neither_the_data_nor_numpys_random_state_are_touched",
    *(
        f"tests/methods/finite_population/{file}::test_no_m_is_missed_more_often_than_promised[40"
        for file in ("test_equal_tails.py", "test_admissible.py")
    ),
    "tests/checks/test_baseline.py::test_a_method_of_two_samples_is_no_worse_than_its_own_baseline",
    "tests/checks/test_baseline.py::test_no_method_of_the_catalogue_has_moved",
    "tests/checks/test_check.py::test_a_method_of_the_catalogue_passes_its_whole_check",
    *(
        f"tests/checks/test_conformance.py::test_every_method_for_several_counts_conforms{name}"
        for name in (
            "_but_for_what_it_declares[proportion_difference-chan_zhang",
            "_but_for_what_it_declares[proportion_difference-agresti_min_exact",
            *(
                f"_but_for_what_it_declares[{family}-{method}"
                for family in ("risk_ratio", "odds_ratio")
                for method in ("one_sided", "minimal_length", "balanced_tail")
            ),
        )
    ),
    "tests/checks/test_conformance.py::test_a_process_that_keeps_ending_is_not_called_any_more",
    "tests/checks/test_planted_faults.py::test_a_mistake_is_found_by_its_check_and_named",
    "tests/checks/test_tutorial.py::test_it_fails_is_mended_passes_and_is_stored",
    "tests/checks/test_tutorial.py::test_its_own_tests_pass",
    "tests/checks/test_tutorial.py::test_the_lines_for_continuous_integration_find",
    "tests/checks/test_compare.py::test_a_method_of_two_samples_is_no_worse_than_itself",
    "tests/config/test_fuzz.py::test_every_odd_value_is_understood_or_refused_everywhere",
    "tests/engines/test_scores.py::test_both_for_a_rate_are_integrals_over_the_density",
    "tests/engines/test_scores.py::test_interval_score_over_a_uniform_truth",
    "tests/engines/test_scores.py::test_rms_alpha_error_over_a_uniform_truth",
    _MEANS + "test_enumeration_is_exact_for_any_limits_and_truth",
    _MEANS + "test_enumeration_is_exact_for_made_up_limits",
    _MEANS + "test_mean_misses_and_length_are_exact_for_made_up_limits",
    _MEANS + "test_mean_misses_and_length_are_exact_for_the_catalogue",
    _MEANS + "test_miss_probabilities_given_the_outcome_are_exact",
    "tests/engines/exact/test_one_sample.py::test_miss_probabilities_of_the_catalogue_are_exact",
    "tests/engines/quadrature/test_one_sample.py::test_means_are_those_of_scipys_sums[2000",
    _VERIFIED + "one_sample.py::test_both_engines_meet_far_within_the_tolerance[2000",
    _VERIFIED + "one_sample.py::test_both_engines_meet_at_strongly_singular_ends[2000",
    _VERIFIED + "one_sample.py::test_large_sizes_are_compared_at_some_outcomes[1000000",
    _VERIFIED + "one_sample.py::test_limits_that_one_engine_has_shifted_are_seen",
    _VERIFIED + "two_samples.py::test_an_error_in_one_engine_alone_is_seen",
    _VERIFIED + "two_samples.py::test_large_tables_meet_in_blocks",
    "tests/engines/worst_case/test_rectangle.py::",
    "tests/engines/worst_case/test_two_samples.py::test_no_peak_among_many_is_overlooked",
    "tests/engines/worst_case/test_hull.py::test_no_listed_truth_and_no_mean_is_missed",
    "tests/engines/test_scores.py::test_both_under_a_beta_truth_are_integrals",
    "tests/engines/test_scores.py::test_no_interval_scores_better",
    "tests/engines/exact/test_two_samples.py::test_drawn_truths_given_the_outcome",
    "tests/figures/test_draw.py::test_bytes_depend_on_neither_settings_nor_hash_seed",
    "tests/figures/test_draw.py::test_second_draw_gives_the_same_bytes",
    "tests/figures/test_draw.py::test_files_are_named_after_what_they_show",
    "tests/figures/test_draw.py::test_files_tell_neither_date_nor_version",
    "tests/figures/test_layout.py::test_figures_are_as_wide_as_a_column_or_a_page",
    "tests/figures/test_layout.py::test_texts_are_legible_apart_and_on_the_page",
    "tests/methods/inversion/test_accuracy.py::test_exact_limits_are_roots",
    "tests/methods/inversion/test_exact_tests.py::test_no_proportion_is_missed_more_often",
    "tests/methods/test_accuracy.py::test_alpha_of_the_returned_limits_is_off_by_their_rounding",
    "tests/methods/user/test_process.py::test_a_function_that_computes_ends_when_the_run_is_killed",
    "tests/methods/user/test_user_function.py::test_a_failure_is_one_sentence_that_names_method",
    "tests/methods/user/test_user_function.py::test_a_failure_is_reported_the_same",
    "tests/methods/user/test_user_function.py::test_tables_are_the_same_for_any_number",
    "tests/posteriors/test_difference.py::test_no_interval_of_small_samples_is_shorter",
    "tests/posteriors/test_ross_differences.py::test_limits_agree_with_ross_within_his_tolerance",
    "tests/study/test_cluster.py::test_a_",
    "tests/study/test_cluster.py::test_an_address",
    "tests/study/test_cluster.py::test_functions_of_the_user_give_the_same_bytes",
    "tests/study/test_cluster.py::test_limits_are_sent_once_and_not_with_each_task",
    "tests/study/test_cluster.py::test_the_end_of_the_scheduler_is_one_sentence",
    "tests/study/test_cluster.py::test_what_cannot_be_pickled_is_an_error_and_no_wait",
    "tests/study/test_cluster.py::test_workers_of_",
    "tests/study/test_determinism.py::test_a_killed_process_of_loky",
    "tests/study/test_determinism.py::test_neither_jobs_nor_backend_nor_a_second_run_change_a_byte",
    "tests/study/test_determinism.py::test_threads_of_the_linear_algebra_library_change_no_byte",
    "tests/study/test_engine_agreement.py::test_as_many_intervals_miss_as_should",
    "tests/study/test_families.py::test_the_engines_agree",
    "tests/fuzz/test_fuzz.py::",
    "tests/cli/test_shadowing.py::test_a_method_may_be_in_a_file_of_any_name",
    "tests/cli/test_shadowing.py::test_libraries_go_before_files_of_the_working_folder[loky",
    "tests/cli/test_shadowing.py::test_the_installed_command_runs",
    "tests/cli/test_terminal.py::test_pytest_prints_no_control_character",
    "tests/cli/test_locked_folder.py::test_of_two_runs_that_start_at_once_one_runs",
    "tests/cli/test_process.py::test_a_signal_while_drawing_ends_the_run_and_leaves_nothing[2",
    "tests/cli/test_process.py::test_an_ignored_hang_up_stays_ignored",
    *(
        f"tests/cli/test_process.py::test_an_interrupt_during_imports_says_so_and_nothing_else[{name}"
        for name in ("typer", "numpy", "scipy")
    ),
    "tests/cli/test_dry_run.py::test_a_long_run_says_what_it_will_take",
    "tests/study/test_estimate.py::test_the_tables_have_no_more_rows_than_estimated",
    "tests/study/test_failures.py::test_a_function_that_dies_everywhere_is_given_up",
    "tests/study/test_failures.py::test_figures_are_drawn_of_what_there_is",
    "tests/study/test_planted_faults.py::test_nothing_is_seen_where_nothing_is_planted[other-rate_d",
    *(
        f"{_PLANTED}{name}[other-{fault}rate_difference"
        for name, faults in (
            ("enumeration_over_a_distribution", ("lower-", "tails-", "lengths-", "weight-")),
            ("the_posterior", ("lower-", "tails-", "lengths-")),
            ("one_weight_of_the_posterior", ("",)),
        )
        for fault in faults
    ),
    "tests/study/test_parallel.py::test_a_task_",
    "tests/study/test_parallel.py::test_tasks_hardly_use",
    "tests/study/test_parallel.py::test_the_third_try_alone_may_succeed",
    "tests/study/journal/test_killed.py::",
    "tests/study/journal/test_resume.py::test_a_function_that_draws",
    "tests/study/journal/test_resume.py::test_a_method_taken_out_and_put_back",
    "tests/study/journal/test_resume.py::test_a_run_stopped_again_and_again",
    "tests/study/journal/test_resume.py::test_limits_of_another_version",
    "tests/study/journal/test_resume.py::test_more_trials",
    "tests/study/test_parts.py::test_a_function_that_draws",
    "tests/study/test_parts.py::test_a_merge_has_the_bytes_of_a_run_in_one_go[40",
    "tests/study/test_parts.py::test_a_part_that_was_stopped",
    "tests/study/test_parts.py::test_each_trial_is_simulated_by_one_part",
    "tests/study/test_killed_runs.py::test_after_a_killed_run_the_folder_is_read_and_run_again[re",
    "tests/tables/test_lock.py::test_of_four_processes_that_start_at_once_one_gets_the_lock[of",
    "tests/tables/test_lock.py::test_of_four_processes_that_start_at_once_one_gets_the_lock[free-no",
    "tests/study/test_stochastic.py::test_neither_jobs_nor_backend_change_a_byte",
    "tests/test_criteria.py::test_posterior_alpha_of_the_returned_doubles",
    "tests/test_minimal_length.py::test_minimal_length_is_as_long_as_an_independent_solution[1",
    "tests/test_minimal_length.py::test_no_interval_of_the_same_mass_is_shorter[1",
    "tests/test_clustered_page.py::test_coverages_with_20_documents",
    "tests/test_guide.py::",
    "tests/test_reference_results.py::test_what_no_draw_enters_is_as_committed",
    "tests/planning/test_size.py::test_of_a_ratio_an_infinite_length_is_too_long",
    "tests/planning/test_size.py::test_of_pairs_it_is_the_first_size_from_which_on_all_are",
    "tests/posteriors/test_ratios.py::test_no_interval_is_shorter_on_the_logarithm",
    "tests/methods/test_ratio_criteria.py::test_limits_of_any_sizes_are_numbers_in_order[risk_ratio",
)
"""The beginnings of the names of the tests that carry the mark ``slow``: each, with all of its
parameters, takes about five seconds or more."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
