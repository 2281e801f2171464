"""Figures that cannot be drawn are refused before anything runs; those that can are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.config.load import load_experiment
from harness.designs.limits import outcomes_at_fractions
from harness.figures import requirements
from harness.figures.surface import outcome_at
from harness.study import plan
from tests.config.conftest import config_with

Issues = Callable[..., list[str]]
LENGTH = "figures: [{kind: length_surface, reference: wald}]"
SURFACE = "figures: [{kind: alpha_surface}]"
DRAWN = "figures: [{kind: alpha_surface, engine: monte_carlo}]"
ENUMERATED = "figures: [{kind: alpha_surface, engine: enumeration}]"
ONE_SIZE = "10: figures[0].kind: expected two sizes or more for a surface, found 1"
ALONE = (
    "expected posterior or monte_carlo among the engines, found enumeration, which alone has no "
    "cells per outcome over a grid or a list of true values"
)
HELD = "expected fractions that outcomes: {fractions: 5} hold (2, 3, 5), found"
BELOW = "expected two sizes or more below 131072 for a surface over a grid or a list of true values"
OVER_SIZE = "figures: [{kind: coverage_over_size}]"
LISTED = "truth: {values: [0.3, 0.5]}"
SIDES = "methods: [wald, {name: one_sided, side: lower}, {name: one_sided, side: upper}]"

REFUSED = [
    ([SURFACE, "n: 5"], ONE_SIZE),
    ([SURFACE, "n: [5]"], ONE_SIZE),
    ([LENGTH, "n: 5"], ONE_SIZE),
    ([DRAWN, "n: 5"], ONE_SIZE),
    ([SURFACE, "n: [5, 100]", "outcomes: {fractions: 5}"],
     f"10: figures[0].fractions: {HELD} 21"),
    ([ENUMERATED, "n: [5, 100]", "outcomes: {fractions: 5}"],
     f"10: figures[0].fractions: {HELD} 21"),
    (["figures: [{kind: length_surface, reference: wald, fractions: 4}]", "n: [5, 100]",
      "outcomes: {fractions: 5}"], f"10: figures[0].fractions: {HELD} 4"),
    ([SURFACE, "outcomes: {values: [0, 5]}"],
     "10: figures[0].kind: expected outcomes: all or fractions for a surface, found values"),
    ([LENGTH, "methods: [wald]"],
     "10: figures[0].reference: expected another two-sided method to compare with wald, "
     "found none"),
    (["figures: [{kind: length_surface, reference: one_sided lower}]", SIDES],
     "10: figures[0].reference: expected another lower method to compare with one_sided lower, "
     "found none"),
    (["trials: {per_truth: 30}"],
     "10: figures[0].kind: expected trials per_outcome or per_size for alpha_by_outcome, "
     "found per_truth"),
    (["figures: [{kind: alpha_by_outcome, n: 131072}]", "n: [10, 131072]"],
     "10: figures[0].n: expected an n below 131072 with a grid or a list of true values, "
     "found 131072"),
    (["figures: [{kind: alpha_by_outcome}]", "n: 131072",
      "truth: {grid: {start: 0, stop: 1, count: 3}}"],
     "10: figures[0].n: expected an n below 131072 with a grid or a list of true values, "
     "found 131072"),
    ([ENUMERATED, "engines: [enumeration]"], f"10: figures[0].engine: {ALONE}"),
    ([LENGTH, "engines: [enumeration]"], f"10: figures[0].kind: {ALONE}"),
    ([DRAWN, "n: [10, 131072]"], f"10: figures[0].kind: {BELOW}, found 1"),
    ([ENUMERATED, "n: [131072, 200000]"], f"10: figures[0].kind: {BELOW}, found 0"),
    ([OVER_SIZE, "n: 5", LISTED],
     "10: figures[0].kind: expected two values or more of n for a figure over the size, found 1"),
    ([OVER_SIZE, "truth: {grid: {start: 0.1, stop: 0.9, count: 13}}"],
     "10: figures[0].truths: expected at most 12 panels, found 13: name fewer in the option "
     "truths"),
    ([OVER_SIZE, "truth: {beta: [2, 8]}"],
     "10: figures[0].kind: expected a truth that is a grid or a list of values for "
     "coverage_over_size, found beta"),
    (["figures: [{kind: length_over_size, truths: [0.3, 0.4]}]", LISTED],
     "10: figures[0].truths: expected a true value of this experiment (0.3, 0.5), found 0.4"),
    (["figures: [{kind: length_over_size, other_sizes: [5]}]", LISTED],
     "10: figures[0].other_sizes: expected a second size of this experiment, found 5"),
    (["figures: [{kind: coverage_over_size, methods: [wilson]}]", LISTED],
     "10: figures[0].methods: expected the label of a method of this experiment (wald, Jeffreys), "
     "found 'wilson'"),
]  # fmt: skip

ALLOWED = [
    [SURFACE],
    [SURFACE, "n: [10, 131072]"],
    [SURFACE, "n: {log_grid: {start: 5, stop: 100, count: 2}}"],
    # All outcomes of a small n are there however few fractions are asked for.
    [SURFACE, "n: [3, 4]", "outcomes: {fractions: 5}"],
    ["figures: [{kind: alpha_surface, fractions: 3}]", "n: [5, 100]", "outcomes: {fractions: 5}"],
    [DRAWN, "n: [5, 100]", "outcomes: {fractions: 5}"],
    [LENGTH],
    ["figures: [{kind: length_surface, reference: wald, method: one_sided lower}]", SIDES],
    [OVER_SIZE, LISTED],
    ["figures: [{kind: coverage_over_size, truths: [0.3]}]",
     "truth: {grid: {start: 0.1, stop: 0.9, count: 81}}"],
    ["figures: [{kind: alpha_by_outcome, n: 10}]", "n: [10, 131072]"],
    ["figures: [{kind: alpha_by_outcome, n: 131072}]", "n: 131072", "truth: {uniform: [0, 1]}"],
    [ENUMERATED, "engines: [enumeration]", "truth: {uniform: [0, 1]}"],
    [ENUMERATED, "engines: [enumeration, monte_carlo]"],
    # What is drawn from its options alone names no level, and asks for no engine.
    ["figures: [{kind: outcome_tails, n: 80, x: 70}]", "engines: [posterior]"],
]  # fmt: skip


@pytest.mark.parametrize(("changes", "line"), REFUSED)
def test_a_figure_that_cannot_be_drawn_is_refused(
    changes: list[str], line: str, issues_of: Issues
) -> None:
    assert issues_of(config_with(*changes)) == [f"fig.yaml:{line}"]


CLUSTERED = """name: clusters
family: clustered_proportion
clusters: [20, 50]
size: [5, 10]
cross: true
alpha: 0.05
methods: [cluster_t]
truth: {p: {values: [0.5, 0.8]}, rho: {values: [0, 0.1]}}
trials: {per_truth: 30}
seed: 1
"""


def test_panels_of_clusters_are_named_by_proportion_and_correlation(
    write: Callable[[str], str], issues_of: Issues
) -> None:
    figure = "figures: [{{kind: coverage_over_size, truths: {}, other_sizes: [10]}}]"
    assert load_experiment(write(CLUSTERED + figure.format("[[0.8, 0.1], 0.5]"))).figures
    assert issues_of(CLUSTERED + figure.format("[[0.8, 0.2]]")) == [
        "fig.yaml:11: figures[0].truths: expected a true value of this experiment ([0.5, 0], "
        "[0.5, 0.1], [0.8, 0], [0.8, 0.1]), found [0.8, 0.2]"
    ]
    assert issues_of(CLUSTERED + "figures: [{kind: length_over_size, other_sizes: [20]}]") == [
        "fig.yaml:11: figures[0].other_sizes: expected size of this experiment (5, 10), found 20"
    ]


@pytest.mark.parametrize("changes", ALLOWED)
def test_a_figure_that_can_be_drawn_is_not(changes: list[str], write: Callable[[str], str]) -> None:
    assert load_experiment(write(config_with(*changes))).figures


def test_the_largest_size_with_outcomes_beside_truths_is_the_one_that_is_planned() -> None:
    assert requirements.LARGEST_BESIDE_TRUTHS == plan.LARGEST_BESIDE_TRUTHS


@pytest.mark.parametrize("there", [2, 3, 4, 5, 8, 11, 21])
def test_fractions_are_held_where_every_outcome_drawn_is_among_those_computed(there: int) -> None:
    for n in range(1, 60):
        known = set(outcomes_at_fractions(n, there).tolist())
        for asked in range(2, 30):
            drawn = {outcome_at(n, step, asked - 1) for step in range(asked)}
            assert requirements.has_fractions(n, there - 1, asked - 1) == (drawn <= known)
