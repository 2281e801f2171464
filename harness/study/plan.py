"""Which scenarios an experiment has, and which outcomes each needs limits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.config.experiment import Experiment
from harness.config.surface_rules import LARGEST_BESIDE_TRUTHS
from harness.engines.enumeration import possible_outcomes
from harness.engines.identity import truths_to_check
from harness.engines.monte_carlo import Shard, shards
from harness.errors import InputError
from harness.numerics.arrays import Integers
from harness.sampling import binomial
from harness.scenario import Column, Scenario, fractions_of
from harness.tables.schema import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.truths import DiscreteTruth

LARGEST_TABLE = 1 << 22
"""The most outcomes of one scenario that limits are computed for."""

MOST_TRIALS = 10**11
"""The most trials of one scenario: hours on any machine."""


@dataclass(frozen=True)
class ScenarioPlan:
    """One scenario: its trials, and the outcomes known to be needed before anything is drawn."""

    scenario: Scenario
    shards: tuple[Shard, ...]
    outcomes: Integers
    """Ascending; the outcomes that are drawn come to these where they do not hold all."""
    shown: Integers | None
    """What the exact engines report of outcomes; None for all that there are limits for."""

    @property
    def per_outcome(self) -> bool:
        """Whether the tables hold cells given the outcome."""
        listed = isinstance(self.scenario.truth, DiscreteTruth)
        return not listed or self.scenario.size < LARGEST_BESIDE_TRUTHS

    @property
    def complete(self) -> bool:
        """Whether the limits of all outcomes 0 … n are at hand."""
        return self.outcomes.size == self.scenario.size + 1


def plan(experiment: Experiment) -> list[ScenarioPlan]:
    """The scenarios of an experiment, by ascending size.

    Raises:
        InputError: a size would need more intervals than fit, and how to ask for fewer.
    """
    return [_plan_scenario(experiment, n) for n in experiment.sizes]


def columns(experiment: Experiment) -> tuple[Column, ...]:
    """Methods × alphas, in the order of the tables."""
    return tuple(
        Column(method.label, method.side, alpha)
        for method in experiment.methods
        for alpha in experiment.alphas
    )


def _plan_scenario(experiment: Experiment, n: int) -> ScenarioPlan:
    scenario = Scenario(experiment.family, n, experiment.truth)
    shown = None if experiment.outcomes is None else fractions_of(n, experiment.outcomes)
    drawn = _shards(experiment, scenario) if MONTE_CARLO in experiment.engines else ()
    return ScenarioPlan(scenario, drawn, _outcomes(experiment, scenario, shown), shown)


def _shards(experiment: Experiment, scenario: Scenario) -> tuple[Shard, ...]:
    assert experiment.trials is not None
    kind, count = experiment.trials.kind, experiment.trials.count
    asked = f"trials: {{{kind}: {count}}}"
    per_truth = count if kind == "per_truth" else None
    if kind == "per_outcome":
        count *= scenario.size + 1
    elif isinstance(scenario.truth, DiscreteTruth) and per_truth is not None:
        count *= len(scenario.truth.values)
    if count > MOST_TRIALS:
        raise InputError(
            f"n = {scenario.size}: {asked} would be {count:,} trials, more than {MOST_TRIALS:,}"
        )
    return tuple(shards(scenario, count, experiment.seed, per_truth))


def _outcomes(experiment: Experiment, scenario: Scenario, shown: Integers | None) -> Integers:
    """Outcomes needed by the exact engines and by the identity between them."""
    n = scenario.size
    spans = [binomial.window(*truth.support, n) for truth in truths_to_check(n, scenario.truth)]
    parts = [np.arange(first, last + 1) for first, last in spans]
    if shown is not None:
        parts.append(shown)
    if POSTERIOR in experiment.engines and shown is None:
        _refuse_large(n, n + 1, "outcomes: all", "outcomes: {fractions: 21}")
        parts.append(np.arange(n + 1))
    if ENUMERATION in experiment.engines and n < LARGEST_TABLE:
        parts.append(np.arange(n + 1))
    elif {ENUMERATION, MONTE_CARLO} & set(experiment.engines):
        parts.append(_possible(scenario, ENUMERATION in experiment.engines))
    return _union(parts)


def _possible(scenario: Scenario, enumerating: bool) -> Integers:
    """Outcomes that can occur: all are enumerated, and for a list of values held against draws."""
    if not enumerating and not isinstance(scenario.truth, DiscreteTruth):
        return np.empty(0, np.int64)
    values = scenario.truth.values if isinstance(scenario.truth, DiscreteTruth) else ()
    spans = [(p, p) for p in values] or [scenario.truth.support]
    windows = [binomial.window(low, high, scenario.size) for low, high in spans]
    most = sum(last - first + 1 for first, last in windows)
    _refuse_large(scenario.size, most, "enumeration", "a truth of fewer or closer values")
    return possible_outcomes(scenario)


def _refuse_large(n: int, count: int, what: str, instead: str) -> None:
    if count > LARGEST_TABLE:
        raise InputError(
            f"n = {n}: {what} would need {count:,} intervals of each method, "
            f"more than {LARGEST_TABLE:,}; use {instead}, or a smaller n"
        )


def _union(parts: Sequence[Integers]) -> Integers:
    return np.unique(np.concatenate(parts)).astype(np.int64)
