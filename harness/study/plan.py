"""Which scenarios an experiment has, and which outcomes each needs limits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.config.experiment import Experiment, Size
from harness.config.surface_rules import LARGEST_BESIDE_TRUTHS
from harness.engines.exact.one_sample import possible_outcomes, worst_case_range
from harness.engines.exact.two_samples import possible_pairs
from harness.engines.identity import one_sample as identity
from harness.engines.identity import two_samples as pair_identity
from harness.engines.monte_carlo import Shard, shards
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.numerics.arrays import Integers
from harness.scenario import (
    PairScenario,
    Scenario,
    SingleScenario,
    fractions_of,
    sizes_by_name,
)
from harness.study.columns import refuse_undrawn
from harness.truths import PairTruth

LARGEST_TABLE = 1 << 22
"""The most outcomes of one scenario that limits are computed for."""

LARGEST_WHOLE_PAIRS = 1 << 16
"""The most pairs of outcomes that are all solved for the worst case, possible or not."""

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
    whole: bool
    """Whether the exact engines report every outcome that can occur."""
    complete: bool
    """Whether every outcome that can be drawn is among ``outcomes``."""

    @property
    def per_outcome(self) -> bool:
        """Whether the tables hold cells given the outcome."""
        scenario = self.scenario
        large = scenario.family == "proportion" and scenario.sizes[0] >= LARGEST_BESIDE_TRUTHS
        return not (large and scenario.truth.is_discrete)


def plan(experiment: Experiment) -> list[ScenarioPlan]:
    """The scenarios of an experiment, by ascending size.

    Raises:
        InputError: a size would need more intervals than fit, and how to ask for fewer; or a
            method draws its limits, and no trials do.
    """
    refuse_undrawn(experiment, {})
    return [_plan_scenario(experiment, size) for size in experiment.sizes]


def _plan_scenario(experiment: Experiment, size: Size) -> ScenarioPlan:
    scenario = _scenario(experiment, size)
    drawn = _shards(experiment, scenario) if MONTE_CARLO in experiment.engines else ()
    shown = _shown(experiment, scenario)
    needed = _outcomes(experiment, scenario, shown)
    ends = family_of(experiment.family).model.SUPPORT[1] < np.inf
    if isinstance(scenario, SingleScenario) and ends:
        complete = needed.size == scenario.size + 1
    else:
        known = _possible_count(scenario) <= LARGEST_TABLE
        complete = known and bool(np.isin(_possible(scenario), needed).all())
    return ScenarioPlan(scenario, drawn, needed, shown, experiment.outcomes is None, complete)


def _scenario(experiment: Experiment, size: Size) -> Scenario:
    if isinstance(size, tuple):
        assert isinstance(experiment.truth, PairTruth)
        return PairScenario(experiment.family, size, experiment.truth)
    assert not isinstance(experiment.truth, PairTruth)
    return SingleScenario(experiment.family, size, experiment.truth)


def _shards(experiment: Experiment, scenario: Scenario) -> tuple[Shard, ...]:
    assert experiment.trials is not None
    kind, count = experiment.trials.kind, experiment.trials.count
    asked = f"trials: {{{kind}: {count}}}"
    per_truth = count if kind == "per_truth" else None
    if kind == "per_outcome":
        for size in scenario.sizes:
            count *= int(size) + 1
    elif per_truth is not None:
        assert scenario.truth.is_discrete
        count *= scenario.truth.count
    if count > MOST_TRIALS:
        raise InputError(
            f"{_name(scenario)}: {asked} would be {count:,} trials, more than {MOST_TRIALS:,}"
        )
    return tuple(shards(scenario, count, experiment.seed, per_truth))


def _shown(experiment: Experiment, scenario: Scenario) -> Integers | None:
    """Outcomes that the exact engines report; None for all there are limits for."""
    asked = experiment.outcomes
    if isinstance(asked, tuple):
        return np.array(asked, np.int64)
    if asked is not None:
        return fractions_of(int(scenario.sizes[0]), asked)
    if scenario.family == "proportion":
        return None
    if experiment.engines == (MONTE_CARLO,):
        return np.empty(0, np.int64)
    return _every_outcome(scenario) if POSTERIOR in experiment.engines else _possible(scenario)


def _outcomes(experiment: Experiment, scenario: Scenario, shown: Integers | None) -> Integers:
    """Outcomes needed by the exact engines and by the identity between them."""
    parts = _identity_outcomes(scenario)
    if shown is not None:
        parts.append(shown)
    if POSTERIOR in experiment.engines and shown is None:
        instead = "outcomes: {fractions: 21}"
        _refuse_large(scenario, scenario.sizes[0] + 1, "outcomes: all", instead)
        parts.append(_every_outcome(scenario))
    if ENUMERATION in experiment.engines and _every_count(scenario) <= LARGEST_TABLE:
        parts.append(_every_outcome(scenario))
    elif ENUMERATION in experiment.engines or (
        MONTE_CARLO in experiment.engines and scenario.truth.is_discrete
    ):
        # All are enumerated, and for a list of values held against draws.
        instead = "a truth of fewer or closer values"
        _refuse_large(scenario, _possible_count(scenario), "enumeration", instead)
        parts.append(_possible(scenario))
    return _union(parts)


def _identity_outcomes(scenario: Scenario) -> list[Integers]:
    """The outcomes of the scenarios that the identity is checked with."""
    if isinstance(scenario, PairScenario):
        checked = pair_identity.scenarios_to_check(scenario)
        return [pair_identity.outcomes_to_check(each) for each in checked]
    return [possible_outcomes(each) for each in identity.scenarios_to_check(scenario)]


def _every_outcome(scenario: Scenario) -> Integers:
    """All outcomes that can occur over the range of the worst case.

    Pairs are all combined where that is no more than can be solved in seconds; otherwise there
    are only those that can occur under the truths.
    """
    if isinstance(scenario, PairScenario):
        if _every_count(scenario) > LARGEST_WHOLE_PAIRS:
            _refuse_large(scenario, _possible_count(scenario), "this", "closer truths")
            return possible_pairs(scenario)
        first, second = (_every_outcome(sample) for sample in scenario.samples())
        return scenario.outcomes(first[:, np.newaxis], second[np.newaxis, :]).ravel()
    _refuse_large(scenario, _every_count(scenario), "outcomes: all", "a list of outcomes")
    low, high = _window(scenario)
    return np.arange(low, high + 1, dtype=np.int64)


def _every_count(scenario: Scenario) -> float:
    samples = scenario.samples() if isinstance(scenario, PairScenario) else (scenario,)
    windows = [_window(sample) for sample in samples]
    return float(np.prod([last + 1.0 - first for first, last in windows]))


def _window(scenario: SingleScenario) -> tuple[int, int]:
    return scenario.model.SAMPLING.window(*worst_case_range(scenario), scenario.size)


def _possible(scenario: Scenario) -> Integers:
    """The outcomes that can occur under the scenario's own truth."""
    if isinstance(scenario, PairScenario):
        return possible_pairs(scenario)
    return possible_outcomes(scenario)


def _possible_count(scenario: Scenario) -> float:
    """At most how many they are."""
    if isinstance(scenario, PairScenario):
        first, second = (_possible_count(sample) for sample in scenario.samples())
        return first * second
    truth, sampling = scenario.truth, scenario.model.SAMPLING
    spans = [(p, p) for p in truth.values] if truth.is_discrete else [truth.effective_support]
    windows = [sampling.window(low, high, scenario.size) for low, high in spans]
    return float(sum(last - first + 1 for first, last in windows))


def _refuse_large(scenario: Scenario, count: float, what: str, instead: str) -> None:
    if count > LARGEST_TABLE:
        raise InputError(
            f"{_name(scenario)}: {what} would need {count:,.0f} intervals of each method, "
            f"more than {LARGEST_TABLE:,}; use {instead}, or a smaller "
            f"{family_of(scenario.family).model.SIZE}"
        )


def _name(scenario: Scenario) -> str:
    return ", ".join(f"{name} = {size:.15g}" for name, size in sizes_by_name(scenario).items())


def _union(parts: Sequence[Integers]) -> Integers:
    return np.unique(np.concatenate(parts)).astype(np.int64)
