"""Enumeration for pairs: sums the probability of every table of counts that misses.

An outcome is a table of four counts, or only its discordant pairs where the limits of all methods
depend on these and n alone: then there are (n + 1)(n + 2)/2 outcomes instead of
(n + 1)(n + 2)(n + 3)/6.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.listed import enumerate_listed, with_worst_cases
from harness.designs.pairs.tables import (
    Windows,
    outcomes_count,
    outcomes_within,
    probabilities,
    windows_of,
)
from harness.designs.pairs.worst_case import search_worst_case
from harness.designs.posterior import enumerate_by_posterior
from harness.designs.results import Enumerated


def enumerate_pairs(
    scenario: Scenario,
    limits: Limits,
    reported: Integers | None = None,
    worst: bool = True,
) -> Enumerated:
    """Return exact miss probabilities by table of counts, by truth and overall.

    The worst case comes with them; it is not exact, but the worst one that a search finds.

    Args:
        scenario: size and truth.
        limits: the limits of all outcomes that can occur under the truth.
        reported: the outcomes in the result; None for all that have limits.
        worst: whether to search for the worst case.
    """
    shown = limits.outcomes if reported is None else reported
    found = _enumerate(scenario, limits, shown)
    return with_worst_cases(scenario, found, search_worst_case(scenario, limits) if worst else None)


def _enumerate(scenario: Scenario, limits: Limits, reported: Integers) -> Enumerated:
    if not scenario.truth.is_discrete:
        return enumerate_by_posterior(scenario, limits, reported)
    keys, _ = scenario.listed_truths()
    return enumerate_listed(listed_tables(scenario), keys, limits, reported)


def listed_tables(scenario: Scenario) -> Iterator[tuple[float, Integers, Floats]]:
    """Yield the parameter at each listed truth, and the outcomes with their probability there."""
    assert scenario.truth.is_discrete
    _, parameter = scenario.listed_truths()
    for theta, cells in zip(parameter.tolist(), scenario.truth.tables, strict=True):
        outcomes = outcomes_within(scenario, windows_of(scenario, [(p, p) for p in cells]))
        yield theta, outcomes, probabilities(scenario, cells, outcomes)


def outcome_weights(scenario: Scenario, outcomes: Integers) -> Floats:
    """Return the probabilities of outcomes under the scenario's truth, shape (m,)."""
    if not scenario.truth.is_discrete:
        return scenario.distribution_weights(outcomes)
    tables = scenario.truth.tables
    return np.asarray(sum(probabilities(scenario, cells, outcomes) for cells in tables)) / len(
        tables
    )


def possible_outcomes(scenario: Scenario) -> Integers:
    """Return the outcomes that can occur under the truth, but for 1e-15 of them; ascending."""
    windows = _possible_windows(scenario)
    parts = [outcomes_within(scenario, each) for each in windows]
    return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))


def possible_count(scenario: Scenario) -> float:
    """Return an upper bound of the number of possible outcomes, without listing them."""
    counts = sum(outcomes_count(scenario, windows) for windows in _possible_windows(scenario))
    return min(counts, scenario.outcome_count)


def _possible_windows(scenario: Scenario) -> list[Windows]:
    """The windows at each listed truth, or those of the hull of all where these hold fewer."""
    together = windows_of(scenario, scenario.truth.hull)
    if not scenario.truth.is_discrete or scenario.truth.count == 1:
        return [together]
    apart = [windows_of(scenario, [(p, p) for p in cells]) for cells in set(scenario.truth.tables)]
    count = sum(outcomes_count(scenario, each) for each in apart)
    return apart if count < outcomes_count(scenario, together) else [together]
