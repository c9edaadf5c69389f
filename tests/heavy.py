"""Which cases are left to the long run, ``-m slow``."""

import pytest

# XLA takes some ten seconds for every function of an incomplete gamma or beta function;
# the other families run the same code in one.
HEAVY = {"gamma", "beta", "Maxwell", "Nakagami"}


def in_short(cases, long):
    """Parameters for `pytest.mark.parametrize`.

    Args:
      cases: all of them.
      long: those that are marked slow.
    """
    return [
        pytest.param(case, marks=pytest.mark.slow) if case in long else case
        for case in cases
    ]


def light_first(names):
    """`in_short` for threshold families."""
    return in_short(names, HEAVY)


# Tests and cases that repeat in another option, instance or precision what a
# lighter one shows. Parts of node ids; tests/conftest.py marks them slow.
LONG = (
    "test_contract.py::test_margin_of_a_variant",
    "test_contract.py::test_margin_of_an_allocation_policy[allocation/ra-ucb-",
    "test_contract.py::test_margin_of_an_allocation_policy[allocation/mg-ucb-delta",
    "test_contract.py::test_margin_of_an_allocation_policy[allocation/thompson",
    "test_contract.py::test_policy_keeps_the_contract[allocation/ra-ucb-",
    "test_contract.py::test_policy_keeps_the_contract[allocation/mg-ucb-delta-",
    "test_contract.py::test_policy_keeps_the_contract[allocation/ra-etc-",
    "test_contract.py::test_policy_keeps_the_contract[continuum/z-rcucb-",
    "test_twins.py::test_index_policies_in_float64[RCUCB,",
    "test_twins.py::test_index_policies_in_float64[Kaplan-Meier,",
    "test_twins.py::test_index_policies_in_float64[UCB",
    "test_twins.py::test_index_policies_in_float64[MOSS",
    "test_twins.py::test_index_policies_in_float64[KL-UCB",
    "test_budgeted_twins.py::test_index_policies_in_float64[KL-UCB-SC+",
    "test_budgeted_twins.py::test_index_policies_in_float64[PD-BwK",
    "test_farewell_twins.py::test_index_policies_in_float64[product",
    "test_farewell_twins.py::test_index_policies_in_float64[omega",
    "test_allocation_twins.py::test_policy_splits_as_its_twin[printed",
    "test_allocation_twins.py::test_policy_splits_as_its_twin[delta",
    "test_allocation_twins.py::test_policy_splits_as_its_twin[sharp",
    "test_allocation_twins.py::test_policy_splits_as_its_twin[RA-ETC, per arm",
    "test_allocation_twins.py::test_constants_of_the_printed_radii[family1",
    "test_allocation_twins.py::test_constants_of_the_printed_radii[family2",
    "test_continuum_twins.py::test_policy_chooses_as_its_twin[poscorr-restart 3",
    "test_continuum_twins.py::test_policy_chooses_as_its_twin_in_float64",
    "test_allocation.py::test_rounds_and_books[integers",
    "test_allocation.py::test_rounds_and_books[several",
    "test_allocation.py::test_the_clairvoyant_has_no_regret[simulation",
    "test_allocation.py::test_synthetic_stand_ins",
    "test_budgeted.py::test_every_game_ends_where_a_plain_loop_ends[cheapest",
    "test_budgeted.py::test_other_laws[heavy",
    "test_facebook.py::test_contract[fb_bt",
    "test_farewell.py::test_every_game_ends_where_a_plain_loop_ends[never",
    "test_farewell.py::test_every_game_ends_where_a_plain_loop_ends[certain",
    "test_farewell.py::test_every_game_ends_where_a_plain_loop_ends[at once",
    "test_comparisons.py::test_played[censored-fig9",
    "test_comparisons.py::test_the_two_forms_of_rcucb_play_with_their_own",
    "test_contract.py::test_margin_with_arbitrary_limits",
    "test_budgeted.py::test_one_arm",
    "test_hosts.py::test_one_process_goes_on_where_two_were_killed",
    "test_zooming.py::test_configuration_prints_the_papers_shares",
    "test_zooming.py::test_coverage_holds_where_the_largest_limit_is_played",
    "test_invariance.py::test_chunk_size[7",
    "test_invariance.py::test_chunk_size[256",
    "test_allocation.py::test_results_do_not_depend_on_chunks",
    "test_notebooks.py::test_it_runs[01_sweeps",
    "test_contract.py::test_margin_over_uniform_play",
    "test_contract.py::test_policy_keeps_the_contract[allocation/thompson",
    "test_contract.py::test_policy_keeps_the_contract[censored/kl-ucb",
    "test_contract.py::test_policies_that_play_one_arm_at_a_time[allocation/ra-ucb-pr",
    "test_comparisons.py::test_thirty_rounds_of_ucb_and_ts_visit_thirty_pairs",
    "test_continuum_twins.py::test_policy_chooses_as_its_twin[poscorr-inherit 2",
    "test_continuum_twins.py::test_policy_chooses_as_its_twin[poscorr-StoOO 2",
    "test_twins.py::test_policy_chooses_as_its_twin[indep-TS, copied",
    "test_allocation_twins.py::test_integers",
    "test_zooming.py::test_kaplan_meier_leaves_the_trap",
    "test_budgeted.py::test_other_laws[correlated",
    "test_budgeted.py::test_costs_of_exactly_1[1.0-1",
    "test_sigmoid.py::test_no_grid_allocation_is_better[60",
    "test_bench.py::test_scores_agree_with_the_library[budgeted",
)
