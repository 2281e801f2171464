"""Scenarios of pairs, and the scenario of any design."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers, Positions
from harness.designs.list_scenario import (
    ClusterScenario,
    ListScenario,
    RunScenario,
    StratumScenario,
)
from harness.designs.scenario import Draws, PairScenario, Scenario, SingleScenario, keyed_stream
from harness.designs.scenario import listed_scenarios as independent_scenarios
from harness.distributions.list_truths import ListTruth
from harness.distributions.paired_truths import DirichletTruth, PairedTruth, TableTruth
from harness.distributions.sampling import multinomial
from harness.distributions.sampling.law import NUMPY, Law
from harness.distributions.truths import PairTruth, Truth
from harness.families.catalogue import family_of
from harness.families.family import (
    CLUSTERS,
    PAIRS,
    RUNS,
    SINGLE_SAMPLE,
    STRATA,
    TWO_SAMPLES,
    Model,
)
from harness.families.paired import PairedFamily, PairedParameter

LARGEST_WITH_BOTH = 2_000_000
"""The largest n at which a table of four counts is one whole number of 63 bits."""
_LARGEST_CODE = 1 << 43
"""Codes from here on, followed by the 20 bits of a rank, are no whole numbers of 63 bits."""


@dataclass(frozen=True)
class PairedScenario:
    """One table of n pairs: its size with its truth.

    The outcome is first_only·(n + 1) + second_only where the limits of all methods depend on the
    discordant pairs and n alone, so that tables which differ in ``both`` only are one outcome.
    Otherwise it is (first_only·(n + 1) + second_only)·(n + 1) + both. The draws of the discordant
    pairs are the same.
    """

    family: str
    size: int
    """The number n of pairs."""
    truth: PairedTruth
    with_both: bool = True
    """Whether an outcome says how many pairs are right in both."""

    def __post_init__(self) -> None:
        if self.with_both and self.size > LARGEST_WITH_BOTH:
            raise InputError(
                f"n = {self.size}: a method whose limits depend on both, beside the discordant "
                f"pairs, needs an n of at most {LARGEST_WITH_BOTH}"
            )

    @property
    def sizes(self) -> tuple[float, ...]:
        return (self.size,)

    @property
    def model(self) -> Model:
        return family_of(self.family).model

    @property
    def law(self) -> None:
        return None

    @property
    def sampling_title(self) -> None:
        return None

    @property
    def parameter(self) -> PairedParameter:
        """The parameter as a function of the probabilities of the cells."""
        return cast(PairedFamily, family_of(self.family)).of_pairs

    @property
    def stride(self) -> int:
        """One more than the largest count."""
        return self.size + 1

    @property
    def outcome_count(self) -> float:
        pairs = float(self.trials_unit)
        return pairs * (self.size + 3.0) / 3.0 if self.with_both else pairs

    @property
    def trials_unit(self) -> int:
        return (self.size + 1) * (self.size + 2) // 2

    def samples(self) -> tuple[SingleScenario, ...]:
        """None: the cells of a table are not independent."""
        return ()

    def outcomes(self, *counts: Integers) -> Integers:
        both, first, second, _ = counts
        discordant = first * self.stride + second
        return discordant * self.stride + both if self.with_both else discordant + 0 * both

    def discordant(self, outcomes: Integers) -> tuple[Integers, Integers]:
        """Return first_only and second_only at the outcomes, shape (m,) each."""
        pairs = outcomes // self.stride if self.with_both else outcomes
        first, second = np.divmod(pairs, self.stride)
        return first, second

    def counts(self, outcomes: Integers) -> tuple[Integers, ...]:
        """Return the four counts; where an outcome does not say both, half of the rest."""
        first, second = self.discordant(outcomes)
        rest = self.size - first - second
        both = outcomes % self.stride if self.with_both else rest // 2
        return both, first, second, rest - both

    def named_counts(self, outcomes: Integers) -> dict[str, Integers]:
        names = family_of(self.family).counts
        named = dict(zip(names, self.counts(outcomes), strict=True))
        return named if self.with_both else {name: named[name] for name in names[1:3]}

    def listed_truths(self) -> tuple[Integers | Floats, Floats]:
        assert isinstance(self.truth, TableTruth)
        return np.arange(self.truth.count), family_of(self.family).parameter_at(self.truth.values)

    def truths_of(self, keys: Integers | Floats) -> tuple[Floats, ...]:
        assert isinstance(self.truth, TableTruth)
        numbers = keys.astype(np.int64)
        return tuple(each[numbers] for each in self.truth.values)

    def distribution_weights(self, outcomes: Integers) -> Floats:
        assert isinstance(self.truth, DirichletTruth)
        both, first, second, _ = self.counts(outcomes)
        weight = multinomial.mean_discordant(self.truth.shapes, first, second, self.size)
        if self.with_both:
            rest = self.size - first - second
            weight = weight * multinomial.mean_both(self.truth.shapes, both, rest)
        return weight

    def implied_posterior(self, outcomes: Integers) -> Any:
        assert isinstance(self.truth, DirichletTruth)
        family, counts = family_of(self.family), self.counts(outcomes)
        data = family.columns([each.astype(np.float64) for each in counts], self.sizes)
        return family.posterior(data, self.truth.shapes)

    def draw_truths(self, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        if isinstance(self.truth, DirichletTruth):
            return self.truth.draw(trials, rng)
        return self.truths_of(rng.integers(self.truth.count, size=trials))

    def draw_outcomes(self, truths: Sequence[Floats], rng: np.random.Generator) -> Integers:
        return self._drawn(truths, rng)

    def draw(self, trials: int, rng: np.random.Generator) -> Draws:
        assert isinstance(self.truth, DirichletTruth)
        cells = self.truth.draw(trials, rng)
        parameter = family_of(self.family).parameter_at(cells)
        order = np.argsort(parameter, kind="stable")
        outcomes = self._drawn([each[order] for each in cells], rng)
        if int(outcomes.max()) < _LARGEST_CODE:
            return Draws(parameter[order], outcomes)
        # The places among the distinct outcomes are small enough.
        distinct, codes = np.unique(outcomes, return_inverse=True)
        return Draws(parameter[order], codes.astype(np.int64), lambda codes: distinct[codes])

    def draw_at(
        self, index: int, trials: int, rng: np.random.Generator
    ) -> tuple[Integers, Integers]:
        assert isinstance(self.truth, TableTruth)
        outcomes = self._drawn(self.truth.tables[index], rng, trials)
        return np.unique(outcomes, return_counts=True)

    def _drawn(
        self, cells: Sequence[Any], rng: np.random.Generator, count: int | None = None
    ) -> Integers:
        """Draw an outcome for each table of probabilities, or ``count`` for a single one."""
        # What both is drawn from is no part of the stream of the discordant pairs.
        (apart,) = rng.spawn(1)
        first, second = multinomial.draw_discordant(cells, self.size, rng, count)
        rest = self.size - first - second
        both = multinomial.draw_both(cells, rest, apart) if self.with_both else np.zeros_like(rest)
        return self.outcomes(both, first, second, rest - both)

    def beside(self, truths: Sequence[float], step: float) -> tuple[float, ...]:
        both, first, second, neither = truths
        rises, step = step > 0, abs(step)
        more, less = (first, second) if rises else (second, first)
        # Probability moves to the discordant cell that the parameter rises with, from the other
        # one, or from the larger concordant one.
        if less >= step:
            less -= step
        elif neither >= both:
            neither -= step
        else:
            both -= step
        more += step
        return both, *((more, less) if rises else (less, more)), neither

    def with_truths(self, truths: Sequence[float]) -> PairedScenario:
        both, first_only, second_only, neither = truths
        return replace(self, truth=TableTruth(((both, first_only, second_only, neither),)))

    def content(self) -> Mapping[str, Any]:
        outcomes = {} if self.with_both else {"outcomes": "discordant"}
        return {**self._drawn_from(), **outcomes}

    def _drawn_from(self) -> Mapping[str, Any]:
        return {"family": self.family, "size": self.size, "truth": dict(self.truth.content())}

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        return keyed_stream(self._drawn_from(), seed, shard)


AnyTruth = Truth | PairTruth | PairedTruth | ListTruth


def scenario_at(
    family: str,
    size: Any,
    truth: AnyTruth,
    *,
    draws: str = NUMPY,
    with_both: bool = True,
    law: Law | None = None,
) -> Scenario:
    """Return the scenario of a size and a truth, by the design of the family.

    Args:
        family: the name of the family.
        size: n or an exposure; of two samples a pair of them; of lists as the config has it.
        truth: of the family's design.
        draws: ``numpy`` or ``thinned``; of one sample.
        with_both: of pairs: whether an outcome says how many pairs are right in both.
        law: of one sample: how its count arises; None for the family's own law.

    Raises:
        InputError: n is too large for outcomes that say it.
    """
    return _MAKERS[family_of(family).design](family, size, truth, draws, with_both, law)


def _of_one(
    family: str, size: Any, truth: Any, draws: str, with_both: bool, law: Law | None
) -> Scenario:
    return SingleScenario(family, size, truth, draws, law)


def _of_two(
    family: str, size: Any, truth: Any, draws: str, with_both: bool, law: Law | None
) -> Scenario:
    return PairScenario(family, size, truth)


def _of_pairs(
    family: str, size: Any, truth: Any, draws: str, with_both: bool, law: Law | None
) -> Scenario:
    return PairedScenario(family, int(size), truth, with_both)


def _of_lists(kind: type[ListScenario]) -> Callable[..., Scenario]:
    """The maker of scenarios of lists."""

    def make(
        family: str, size: Any, truth: Any, draws: str, with_both: bool, law: Law | None
    ) -> Scenario:
        return kind(family, size, truth)

    return make


_MAKERS: dict[str, Callable[..., Scenario]] = {
    SINGLE_SAMPLE: _of_one,
    TWO_SAMPLES: _of_two,
    PAIRS: _of_pairs,
    RUNS: _of_lists(RunScenario),
    CLUSTERS: _of_lists(ClusterScenario),
    STRATA: _of_lists(StratumScenario),
}
"""By design."""


def listed_scenarios(
    family: str, sizes: Sequence[float], truths: Sequence[Floats], law: Law | None = None
) -> Iterator[tuple[Scenario, Positions, Positions]]:
    """Yield scenarios of one size that list given truths.

    Args and yields: as of ``scenario.listed_scenarios``; of pairs the truths are four cells.
    """
    if family_of(family).design != PAIRS:
        yield from independent_scenarios(family, sizes, truths, law)
        return
    tables, index = np.unique(np.array(truths).T, axis=0, return_inverse=True)
    truth = TableTruth.of(tuple(table) for table in tables.tolist())
    positions = np.arange(truths[0].size)
    yield PairedScenario(family, int(sizes[0]), truth), positions, index.ravel()
