"""What a check asks the methods of each design by default.

A plan has the sizes and alphas, the counts of each sample there, which are of cases or of events,
the truths that exact numbers are computed under, and for lists the data sets and the scenarios that
are simulated. ``register`` adds the plan of another design.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.catalogue import design_for, scenario_for
from harness.checks.list_plans import LISTS_OF_DESIGNS, CheckedLists
from harness.designs.design import Design, Scenario
from harness.designs.stopping.family import A_STOPPING_RULE
from harness.distributions.paired_truths import (
    ConfusionTruth,
    DirichletTruth,
    JudgedTruth,
    PairedTruth,
    TableTruth,
    table_of_cells,
)
from harness.distributions.truths import DiscreteTruth, PairTruth, UniformTruth
from harness.families.combination import Span
from harness.families.confusion import CONFUSION
from harness.families.family import POSTERIOR, Family
from harness.families.judged import JUDGE, KNOWN_JUDGE
from harness.families.paired import PAIRS
from harness.families.samples import SINGLE_SAMPLE, TWO_SAMPLES

EVERY_OUTCOME_UP_TO = 60
EVENTS = (*range(31), 99, 100, 101, 999, 1000, 1001, 10**6 - 1, 10**6, 10**6 + 1)

COUNTS_OF_TWO: dict[tuple[int, ...], tuple[Sequence[int], Sequence[int]]] = {
    (1, 1): (range(2), range(2)),
    (3, 40): (range(4), (0, 1, 2, 20, 38, 39, 40)),
    (5, 200): ((0, 1, 4, 5), (0, 1, 4, 5, 100, 195, 196, 199, 200)),
    (1000, 50): ((0, 1, 500, 999, 1000), (0, 1, 25, 49, 50)),
    (1, 10**6): (range(2), (0, 1, 500_000, 999_999, 10**6)),
}
"""Counts of two proportions, by their sizes."""
EVERY_COUNT_UP_TO = 12
"""The largest size of two proportions, beside those, with all counts; a larger one has those next
to 0, the quarters, the half and n."""
EVENTS_OF_TWO = (0, 1, 2, 10, 1000)

KEPT_EVENTS, KEPT_EVENTS_OF_TWO = 51, 11
"""Events from 0 on that a baseline has, of one rate and of each of two."""
MOST_KEPT, MOST_KEPT_OF_TWO = 1001, 41
"""The most counts of a sample that a baseline has; of a larger one those near 0 and n and some
between."""

INSIDE = (0.1, 0.9)
"""True proportions that are not near the boundary."""
FEWEST_EVENTS = 1.0
"""Expected events at the smallest true rate that is not near the boundary."""


class SampleCounts(ABC):
    """Which counts of one sample, or of each of two, are checked at a size."""

    @abstractmethod
    def of_properties(self, sizes: Sequence[float]) -> Sequence[Iterable[int]]:
        """Return the counts of each sample at which limits should have every property."""

    @abstractmethod
    def kept(self, sizes: Sequence[float]) -> list[Floats]:
        """Return the counts of each sample that a baseline has, ascending, in an order that stays:
        all of a small size, some of a large one."""

    @abstractmethod
    def inside(self, scenario: Scenario) -> tuple[Span, ...]:
        """Return the range of the truth of each sample that is not near the boundary."""

    def flat_parameter(
        self, scenario: Scenario, drawn: Floats, outcomes: Integers, seed: int
    ) -> Floats:
        """Return the parameter of each trial under the flat prior of each sample, shape (trials,).

        Args:
            scenario: of the trials.
            drawn: the parameter that a uniform truth had, shape (trials,).
            outcomes: of the trials, shape (trials,).
            seed: of all draws of the check.
        """
        # The uniform truth of a proportion is its flat prior.
        return drawn


class CaseCounts(SampleCounts):
    """Counts of n cases, which have a largest one."""

    def of_properties(self, sizes: Sequence[float]) -> Sequence[Iterable[int]]:
        whole = tuple(map(int, sizes))
        if len(whole) > 1:
            return COUNTS_OF_TWO.get(whole) or [
                range(n + 1)
                if n <= EVERY_COUNT_UP_TO
                else [0, 1, n // 4, n // 2, n - n // 2, n - n // 4, n - 1, n]
                for n in whole
            ]
        (n,) = whole
        if n <= EVERY_OUTCOME_UP_TO:
            return [range(n + 1)]
        low = [*range(11), n // 20, n // 8, n // 4, n // 2 - 1]
        return [[*low, *(n - x for x in low), n // 2, n - n // 2]]

    def kept(self, sizes: Sequence[float]) -> list[Floats]:
        most = MOST_KEPT if len(sizes) == 1 else MOST_KEPT_OF_TWO
        return [spread_counts(int(n), most) for n in sizes]

    def inside(self, scenario: Scenario) -> tuple[Span, ...]:
        return (INSIDE,) * len(scenario.sizes)


class EventCounts(SampleCounts):
    """Counts of events in an exposure, which have no largest one."""

    def of_properties(self, sizes: Sequence[float]) -> Sequence[Iterable[int]]:
        return [EVENTS] if len(sizes) == 1 else [EVENTS_OF_TWO] * len(sizes)

    def kept(self, sizes: Sequence[float]) -> list[Floats]:
        number = KEPT_EVENTS if len(sizes) == 1 else KEPT_EVENTS_OF_TWO
        return [np.arange(float(number))] * len(sizes)

    def inside(self, scenario: Scenario) -> tuple[Span, ...]:
        spans = []
        for sample in scenario.samples():
            largest = sample.truth.effective_support[1]
            spans.append((min(FEWEST_EVENTS / sample.size, largest), largest))
        return tuple(spans)

    def flat_parameter(
        self, scenario: Scenario, drawn: Floats, outcomes: Integers, seed: int
    ) -> Floats:
        # The flat prior of a rate is improper, and a mean over a bounded part of it is not the mean
        # under the prior: each rate is drawn from its posterior given the outcome.
        rng = scenario.stream(seed, 0).spawn(1)[0]
        counts = zip(scenario.counts(outcomes), scenario.sizes, strict=True)
        truths = tuple(rng.gamma(count + 1.0, 1.0 / size) for count, size in counts)
        return scenario.family.parameter_at(truths)


CASES, ANY_EVENTS = CaseCounts(), EventCounts()


def spread_counts(n: int, most: int) -> Floats:
    """Return counts from 0 to n; of more than ``most`` a third near each end, and some between."""
    if n < most:
        return np.arange(n + 1.0)
    few = most // 3
    between = np.round(np.linspace(0, n, few))
    return np.unique(np.concatenate([np.arange(few), n - np.arange(few), between]).astype(float))


@dataclass(frozen=True)
class Alphas:
    """The alphas of a check by default, ascending."""

    exact: tuple[float, ...]
    """The alphas of exact numbers."""
    thorough: tuple[float, ...]
    """The alphas of exact numbers in a thorough check: of several counts they take seconds each."""
    properties: tuple[float, ...]
    """The alphas at which limits should have every property."""
    in_full: tuple[float, ...] = ()
    """The alphas at which a baseline keeps limits in full."""
    in_sums: tuple[float, ...] = ()
    """The alphas at which a baseline keeps sums of limits."""


@dataclass(frozen=True)
class CheckedAt:
    """The sizes of a check by default, for families of one design with one kind of size.

    Those of two samples and of pairs are fewer, since the search for their worst case takes longer.
    """

    alphas: Alphas
    called: int
    """How many of the sizes of properties, from the first on, have calls checked."""
    exact: tuple[Any, ...] = ()
    """The sizes of exact numbers."""
    trials: tuple[Any, ...] = ()
    """The sizes of trials, which take longer than exact numbers."""
    properties: tuple[Any, ...] = ()
    """The sizes at which limits should have every property: small, large and uneven ones."""
    in_full: tuple[Any, ...] = ()
    """The sizes at which a baseline keeps limits in full."""
    in_sums: tuple[Any, ...] = ()
    """The sizes at which a baseline keeps sums of limits."""
    rungs: int = 3
    """The number of sizes, each four times the one before, at which lengths should shrink; fewer of
    several counts, which take longer."""
    spread: int = 9
    """The most outcomes, spread over the range, that a mean length is taken over there."""
    counts: SampleCounts = CASES
    """The counts of each sample that are checked at a size."""
    compared: tuple[float, ...] = ()
    """The sizes, or those nearest, whose mean lengths are compared with the catalogue's shortest;
    none of several counts, where each method takes minutes."""
    numbers: tuple[str, ...] = ("worst_alpha", "mean_alpha_error", "mean_length")
    """The exact numbers of a baseline; of several counts, many worst truths are equally bad."""


@dataclass(frozen=True)
class CheckPlan:
    """What a check asks the methods of one design."""

    at: Mapping[bool, CheckedAt]
    """The sizes and alphas, by whether the parameter is bounded, as sizes are then counts."""
    truth: Callable[[Family], Any] | None = None
    """Return the truth of exact numbers, over the whole range of the parameters or over that of a
    check; None of lists."""
    lists: CheckedLists = field(default_factory=CheckedLists)


_OF_ONE = Alphas(
    exact=(0.01, 0.05, 0.1),
    thorough=(0.01, 0.05, 0.1),
    properties=(1e-10, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.9),
    in_full=(0.01, 0.05, 0.1),
    in_sums=(0.001, 0.01, 0.05, 0.1, 0.2),
)
_OF_SEVERAL = Alphas(
    exact=(0.05,),
    thorough=(0.01, 0.05, 0.2),
    properties=(1e-10, 0.05, 0.95),
    in_full=(0.05,),
    in_sums=(0.01, 0.05, 0.2),
)
_SIZES_OF_TWO = ((5.0, 5.0), (10.0, 10.0), (10.0, 20.0))
_COMPARED_AT = (10.0, 50.0, 200.0)
_NUMBERS_OF_ONE = ("worst_alpha", "worst_truth", "mean_alpha_error", "mean_length")
_TRIALS_OF_ONE, _TRIALS_OF_TWO = (10.0, 30.0, 100.0), ((10.0, 10.0), (10.0, 20.0))
_OF_LISTS = CheckedAt(
    Alphas(exact=(0.05, 0.2), thorough=(0.05, 0.2), properties=(1e-10, 0.05, 0.95)), called=3
)
LISTS_AT = {False: _OF_LISTS, True: _OF_LISTS}
"""The sizes and alphas of a plan for lists, whose sizes are those of its data sets."""

_ONE_SAMPLE_AT = {
    True: CheckedAt(
        _OF_ONE,
        called=5,
        exact=(*range(1, 31), 50, 100, 200, 500, 1000),
        trials=_TRIALS_OF_ONE,
        properties=(1, 2, 3, 5, 10, 17, 51, 1000, 10**6),
        in_full=(1, 2, 5, 10, 20, 50),
        in_sums=(*range(1, 61), 80, 100, 200, 500, 1000),
        rungs=8,
        spread=17,
        compared=_COMPARED_AT,
        numbers=_NUMBERS_OF_ONE,
    ),
    False: CheckedAt(
        _OF_ONE,
        called=5,
        exact=(0.5, 1.0, 5.0),
        trials=_TRIALS_OF_ONE,
        properties=(1.0, 1e-6, 50.0, 1e6),
        in_full=(1.0,),
        in_sums=(0.1, 0.5, 1.0, 5.0, 50.0),
        rungs=8,
        spread=17,
        counts=ANY_EVENTS,
        compared=_COMPARED_AT,
        numbers=_NUMBERS_OF_ONE,
    ),
}
_STOPPED_AT = {
    True: replace(_ONE_SAMPLE_AT[True], rungs=3, spread=9, compared=(), numbers=CheckedAt.numbers)
}
_TWO_SAMPLES_AT = {
    True: CheckedAt(
        _OF_SEVERAL,
        called=2,
        exact=_SIZES_OF_TWO,
        trials=_TRIALS_OF_TWO,
        properties=((1, 1), (3, 40), (5, 200), (1000, 50), (1, 10**6)),
        in_full=((3.0, 4.0), (5.0, 5.0)),
        in_sums=(
            *((float(a), float(b)) for a, b in product(range(1, 5), repeat=2)),
            *_SIZES_OF_TWO,
        ),
    ),
    False: CheckedAt(
        _OF_SEVERAL,
        called=2,
        exact=((1.0, 1.0),),
        trials=_TRIALS_OF_TWO,
        properties=((1.0, 1.0), (50.0, 0.25), (1e6, 1e6)),
        in_full=((1.0, 1.0),),
        in_sums=((1.0, 1.0), (5.0, 0.5)),
        counts=ANY_EVENTS,
    ),
}
_TABLES_AT = {
    True: CheckedAt(
        _OF_SEVERAL,
        called=2,
        exact=(5, 10, 20),
        trials=(10, 20),
        properties=(1, 2, 3, 6, 40, 1000, 10**6),
        in_full=(1, 2, 3, 5),
        in_sums=(*range(1, 9), 10),
    ),
}

_JUDGE_AT = {
    True: CheckedAt(
        _OF_SEVERAL,
        called=2,
        exact=((20, 10, 10),),
        trials=((20, 10, 10),),
        # At the last one some data contradict the labels.
        properties=((1, 1, 1), (4, 3, 3), (30, 1, 14)),
        in_full=((3, 2, 2),),
        in_sums=((3, 2, 2), (6, 4, 3)),
    ),
}
"""A judge: n, positives and negatives."""

RATES, RATES_OF_TWO = (0.0, 20.0), (0.0, 5.0)
"""The true rates of a check, since the support of a rate is unbounded."""
_DISCORDANT, _SHARES_OF_BOTH = (0.01, 0.05, 0.15, 0.35), (0.3, 0.8)
"""The discordant cells of the tables of a check, and the shares of both in the concordant ones."""


def _uniform_truth(family: Family) -> UniformTruth | PairTruth:
    """Return the uniform truth of one sample, or of each of two."""
    low, high = family.model.SUPPORT
    if family.samples == 1:
        return UniformTruth(low, min(high, RATES[1]))
    truth = UniformTruth(low, min(high, RATES_OF_TWO[1]))
    return PairTruth(truth, truth)


def _truth_of_tables(family: Family) -> PairedTruth:
    """Return the uniform truth over all tables, or without a posterior a list of tables."""
    if POSTERIOR in family.engines:
        return DirichletTruth((1.0, 1.0, 1.0, 1.0))
    # No exact mean under a distribution is known without a posterior.
    tables = [
        table_of_cells(a, b, (1.0 - a - b) * share)
        for a, b, share in product(_DISCORDANT, _DISCORDANT, _SHARES_OF_BOTH)
    ]
    view = family.as_pairs
    return TableTruth.of(tables) if view is None else ConfusionTruth.of(map(view.restored, tables))


_EVENLY_SPREAD = DiscreteTruth(tuple(((np.arange(100) + 0.5) / 100).tolist()))
"""Truths in place of a uniform distribution, under which a law has no exact values."""


def _truth_of_judge(family: Family) -> JudgedTruth:
    """Return shares over the whole range with judges of several error rates."""
    rates = ((0.9, 0.85), (0.75, 0.95), (0.7, 0.7))
    shares = (0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 1.0)
    return JudgedTruth.of((share, *pair) for share, pair in product(shares, rates))


PLANS: dict[str, CheckPlan] = {
    SINGLE_SAMPLE: CheckPlan(_ONE_SAMPLE_AT, _uniform_truth),
    A_STOPPING_RULE: CheckPlan(_STOPPED_AT, _uniform_truth),
    TWO_SAMPLES: CheckPlan(_TWO_SAMPLES_AT, _uniform_truth),
    PAIRS: CheckPlan(_TABLES_AT, _truth_of_tables),
    CONFUSION: CheckPlan(_TABLES_AT, _truth_of_tables),
    JUDGE: CheckPlan(_JUDGE_AT, _truth_of_judge),
    KNOWN_JUDGE: CheckPlan(_ONE_SAMPLE_AT, lambda _: _EVENLY_SPREAD),
    **{name: CheckPlan(LISTS_AT, lists=lists) for name, lists in LISTS_OF_DESIGNS.items()},
}
"""The plan of each design, by its name."""


def register(design: Design, plan: CheckPlan) -> None:
    """Add the plan of a design that was added to those of the package.

    Args:
        design: as ``harness.designs.catalogue.register`` takes it.
        plan: what a check asks the methods of its families; that of another design, which
            ``plan_of`` returns, with what differs replaced.
    """
    PLANS[design.name] = plan


def plan_of(family: Family) -> CheckPlan:
    """Return the plan of a family's design.

    Raises:
        InputError: the design has no plan.
    """
    design = design_for(family)
    if design.name not in PLANS:
        raise InputError(
            f"a check has no plan for the design {design.name}; harness.checks.plans.register "
            "adds one"
        )
    return PLANS[design.name]


def checked_at(family: Family) -> CheckedAt:
    """Return the sizes and alphas at which methods of a family are checked by default."""
    return plan_of(family).at[family.is_bounded]


def scenario_of(family: Family, size: Any) -> Scenario:
    """Return the scenario of a size under the truth of a check.

    Of pairs the size is a whole number in keys and cells, as a config has it.
    """
    plan = plan_of(family)
    assert plan.truth is not None
    of_design = design_for(family).size_of(np.ravel(size).tolist())
    return scenario_for(family, of_design, plan.truth(family))
