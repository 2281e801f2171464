"""Scenarios, which are one size with one truth, and tables of limits at their outcomes."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Bools, Floats, Integers, Positions
from harness.callers.source import Observed
from harness.distributions.list_truths import ListTruth
from harness.distributions.paired_truths import PairedTruth
from harness.distributions.sampling.law import NUMPY, THINNED, Law, Sampling
from harness.distributions.truths import DiscreteTruth, PairTruth, Truth, as_distribution
from harness.families.catalogue import family_of
from harness.families.combination import length_between
from harness.families.data import LARGEST_COUNT
from harness.families.family import Data, Model, truth_posterior


@dataclass(frozen=True)
class Column:
    """One method at one alpha, which is a row of the table of limits."""

    method: str
    """The label of the method."""
    side: str
    alpha: float
    position: int = 0
    """The position among all columns of the tables."""


@dataclass(frozen=True)
class Draws:
    """Trials with their truths drawn from distributions, in ascending order of the parameter."""

    parameter: Floats
    """The true values of the parameter, ascending, shape (trials,)."""
    codes: Integers
    """A whole number of at least 0 for each trial, one for each outcome and in the order of the
    outcomes; shape (trials,)."""
    decode: Callable[[Integers], Integers] | None = None
    """Returns the outcomes of codes; None where the codes are the outcomes."""

    def outcomes(self, codes: Integers) -> Integers:
        """Return the outcomes of the codes."""
        return codes if self.decode is None else self.decode(codes)


class Scenario(Protocol):
    """One size with one truth, for any number of samples.

    An outcome is one whole number that stands for the counts of all samples.
    """

    def __hash__(self) -> int: ...

    @property
    def family(self) -> str:
        """The name of the family."""
        ...

    @property
    def sizes(self) -> tuple[float, ...]:
        """The size of each sample: n, which is a whole number, or an exposure."""
        ...

    @property
    def truth(self) -> Truth | PairTruth | PairedTruth | ListTruth: ...

    @property
    def model(self) -> Model:
        """The model of each sample."""
        ...

    @property
    def law(self) -> Law | None:
        """How the count of a single sample arises; None where it is the model's own way."""
        ...

    @property
    def sampling_title(self) -> str | None:
        """How data arise, in words; None where it is the model's own way."""
        ...

    @property
    def outcome_count(self) -> float:
        """The number of all outcomes; infinite where counts are unbounded."""
        ...

    @property
    def trials_unit(self) -> int:
        """What ``per_outcome`` trials are multiplied by: the number of outcomes.

        Of pairs it is the number of pairs of discordant counts, whatever an outcome says.
        """
        ...

    def samples(self) -> tuple[SingleScenario, ...]:
        """Return the scenario of each independent sample alone; none of pairs."""
        ...

    def outcomes(self, *counts: Integers) -> Integers:
        """Return the outcomes with these counts of the family, broadcast."""
        ...

    def counts(self, outcomes: Integers) -> tuple[Integers, ...]:
        """Return the family's counts at the outcomes, shape (m,) each."""
        ...

    def named_counts(self, outcomes: Integers) -> dict[str, Integers]:
        """Return the counts that an outcome says, by their names, shape (m,) each."""
        ...

    def listed_truths(self) -> tuple[Integers | Floats, Floats]:
        """Return the key of each listed truth and the parameter there, shape (t,) each.

        Tallies have the keys as conditions: the true values of a single sample, the numbers of
        the pairs of true values of two.
        """
        ...

    def truths_of(self, keys: Integers | Floats) -> tuple[Floats, ...]:
        """Return the true values with these keys, in the order of the family's, (t,) each."""
        ...

    def distribution_weights(self, outcomes: Integers) -> Floats:
        """Return the probabilities of the outcomes under the truth's distribution, shape (m,)."""
        ...

    def implied_posterior(self, outcomes: Integers) -> Any:
        """Return the posteriors of the parameter under the truth's distribution, given outcomes."""
        ...

    def draw(self, trials: int, rng: np.random.Generator) -> Draws:
        """Draw trials, each with a truth from its distribution and an outcome."""
        ...

    def draw_truths(self, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        """Draw true values from the truth's distribution, in the order of the family's; (t,)."""
        ...

    def draw_outcomes(self, truths: Sequence[Floats], rng: np.random.Generator) -> Integers:
        """Draw an outcome at each of the true values, shape (t,)."""
        ...

    def draw_at(
        self, index: int, trials: int, rng: np.random.Generator
    ) -> tuple[Integers, Integers]:
        """Draw trials at one listed truth.

        Returns:
            The distinct outcomes, and the number of trials with each.
        """
        ...

    def beside(self, truths: Sequence[float], step: float) -> tuple[float, ...]:
        """Return true values beside some, at which the parameter is larger by about ``step``.

        A negative step makes it smaller; a step of 0 changes nothing. The values stay in range.
        """
        ...

    def with_truths(self, truths: Sequence[float]) -> Scenario:
        """Return the scenario with one true value of each sample, or of each cell of pairs."""
        ...

    def content(self) -> Mapping[str, Any]:
        """Return the scenario as plain data, which is the key of its random streams."""
        ...

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        """Return the random generator of one shard, keyed by the scenario's content alone."""
        ...


@dataclass(frozen=True)
class SingleScenario:
    """One sample: its size with its truth. The outcome is its count."""

    family: str
    size: float
    """n, a whole number; or an exposure."""
    truth: Truth
    draws: str = NUMPY
    """``numpy`` or ``thinned``: where outcomes at drawn truths come from."""
    law: Law | None = None
    """How the count arises; None where it is binomial or Poisson, as the model has it."""

    def __post_init__(self) -> None:
        if self.law is not None and self.draws == THINNED:
            raise HarnessError(f"no tables thin the outcomes of {self.law.title}")

    @property
    def sampling_title(self) -> str | None:
        return None if self.law is None else self.law.title

    @property
    def sizes(self) -> tuple[float, ...]:
        return (self.size,)

    @property
    def model(self) -> Model:
        return family_of(self.family).model

    @property
    def sampling(self) -> Law | Sampling:
        """How the count arises: by the law, or as the model has it."""
        return self.model.SAMPLING if self.law is None else self.law

    @property
    def outcome_count(self) -> float:
        return self.sampling.largest_outcome(self.size) + 1

    @property
    def trials_unit(self) -> int:
        return int(self.size) + 1

    def samples(self) -> tuple[SingleScenario, ...]:
        return (self,)

    def outcomes(self, *counts: Integers) -> Integers:
        return counts[0]

    def counts(self, outcomes: Integers) -> tuple[Integers, ...]:
        return (outcomes,)

    def named_counts(self, outcomes: Integers) -> dict[str, Integers]:
        return {family_of(self.family).counts[0]: outcomes}

    def listed_truths(self) -> tuple[Integers | Floats, Floats]:
        assert isinstance(self.truth, DiscreteTruth)
        values = np.array(self.truth.values)
        return values, values

    def truths_of(self, keys: Integers | Floats) -> tuple[Floats, ...]:
        return (keys.astype(np.float64),)

    def distribution_weights(self, outcomes: Integers) -> Floats:
        return self.model.outcome_weights(as_distribution(self.truth), outcomes, self.size)

    def implied_posterior(self, outcomes: Integers) -> Any:
        implied = truth_posterior(self.model, as_distribution(self.truth), outcomes, self.size)
        return family_of(self.family).combine_posteriors(implied)

    def draw_truths(self, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        return tuple(as_distribution(each.truth).draw(trials, rng) for each in self.samples())

    def draw_outcomes(self, truths: Sequence[Floats], rng: np.random.Generator) -> Integers:
        draw = self.sampling.draw
        each = zip(truths, self.sizes, strict=True)
        return self.outcomes(*(draw(truth, size, rng) for truth, size in each))

    def draw(self, trials: int, rng: np.random.Generator) -> Draws:
        parameter = as_distribution(self.truth).draw(trials, rng)
        parameter.sort()
        tables = None
        if self.draws == THINNED:
            tables = self.model.SAMPLING.thinned(self.size, *self.truth.support)
        if tables is None:
            return Draws(parameter, self.sampling.draw(parameter, self.size, rng))
        return Draws(parameter, tables.draw(parameter, rng))

    def draw_at(
        self, index: int, trials: int, rng: np.random.Generator
    ) -> tuple[Integers, Integers]:
        assert isinstance(self.truth, DiscreteTruth)
        x = self.sampling.draw(self.truth.values[index], self.size, rng, trials)
        smallest = int(x.min())
        count = np.bincount(x - smallest)
        occurred = np.flatnonzero(count)
        return occurred + smallest, count[occurred]

    def beside(self, truths: Sequence[float], step: float) -> tuple[float, ...]:
        low, high = self.truth.effective_support
        return (min(max(truths[0] + step * max(high, 1.0), low), high),)

    def with_truths(self, truths: Sequence[float]) -> SingleScenario:
        return replace(self, truth=DiscreteTruth((truths[0],)))

    def content(self) -> Mapping[str, Any]:
        draws = {} if self.draws == NUMPY else {"draws": self.draws}
        law = {} if self.law is None else {"sampling": dict(self.law.content())}
        truth = dict(self.truth.content())
        return {"family": self.family, "size": self.size, "truth": truth, **draws, **law}

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        return keyed_stream(self.content(), seed, shard)


@dataclass(frozen=True)
class PairScenario:
    """Two samples: their sizes with their truths. The outcome is x1·stride + x2."""

    family: str
    sizes: tuple[float, float]
    truth: PairTruth

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
    def stride(self) -> int:
        """One more than the largest x2."""
        largest = self.model.SAMPLING.largest_outcome(self.sizes[1])
        return int(min(largest, LARGEST_COUNT)) + 1

    @property
    def outcome_count(self) -> float:
        return math.prod(sample.outcome_count for sample in self.samples())

    @property
    def trials_unit(self) -> int:
        return math.prod(sample.trials_unit for sample in self.samples())

    def samples(self) -> tuple[SingleScenario, SingleScenario]:
        name = self.model.NAME
        return (
            SingleScenario(name, self.sizes[0], self.truth.first),
            SingleScenario(name, self.sizes[1], self.truth.second),
        )

    def outcomes(self, *counts: Integers) -> Integers:
        first, second = counts
        return first * self.stride + second

    def counts(self, outcomes: Integers) -> tuple[Integers, ...]:
        first, second = np.divmod(outcomes, self.stride)
        return first, second

    def named_counts(self, outcomes: Integers) -> dict[str, Integers]:
        return dict(zip(family_of(self.family).counts, self.counts(outcomes), strict=True))

    def listed_truths(self) -> tuple[Integers | Floats, Floats]:
        parameter = family_of(self.family).parameter_at(self.truth.values)
        return np.arange(parameter.size), parameter

    def truths_of(self, keys: Integers | Floats) -> tuple[Floats, ...]:
        numbers = keys.astype(np.int64)
        first, second = self.truth.values
        return first[numbers], second[numbers]

    def distribution_weights(self, outcomes: Integers) -> Floats:
        weight = np.ones(outcomes.size)
        for sample, x in zip(self.samples(), self.counts(outcomes), strict=True):
            weight = weight * sample.distribution_weights(x)
        return weight

    def implied_posterior(self, outcomes: Integers) -> Any:
        implied = (
            truth_posterior(self.model, as_distribution(sample.truth), x, sample.size)
            for sample, x in zip(self.samples(), self.counts(outcomes), strict=True)
        )
        return family_of(self.family).combine_posteriors(*implied)

    def draw_truths(self, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        return tuple(as_distribution(each.truth).draw(trials, rng) for each in self.samples())

    def draw_outcomes(self, truths: Sequence[Floats], rng: np.random.Generator) -> Integers:
        draw = self.model.SAMPLING.draw
        each = zip(truths, self.sizes, strict=True)
        return self.outcomes(*(draw(truth, size, rng) for truth, size in each))

    def draw(self, trials: int, rng: np.random.Generator) -> Draws:
        samples = self.samples()
        truths = [as_distribution(sample.truth).draw(trials, rng) for sample in samples]
        parameter = family_of(self.family).parameter_at(truths)
        order = np.argsort(parameter, kind="stable")
        x, y = (
            self.model.SAMPLING.draw(truth[order], size, rng)
            for truth, size in zip(truths, self.sizes, strict=True)
        )
        # Codes count from the smallest x and y that occur, so that they stay small.
        first, second, width = int(x.min()), int(y.min()), int(y.max() - y.min()) + 1

        def decode(codes: Integers) -> Integers:
            rows, columns = np.divmod(codes, width)
            return self.outcomes(rows + first, columns + second)

        return Draws(parameter[order], (x - first) * width + (y - second), decode)

    def draw_at(
        self, index: int, trials: int, rng: np.random.Generator
    ) -> tuple[Integers, Integers]:
        x, y = (
            self.model.SAMPLING.draw(values[index], size, rng, trials)
            for values, size in zip(self.truth.values, self.sizes, strict=True)
        )
        return np.unique(self.outcomes(x, y), return_counts=True)

    def beside(self, truths: Sequence[float], step: float) -> tuple[float, ...]:
        found = list(truths)
        # The first truth that stays within its range moves.
        weights = family_of(self.family).combination.weights
        for place, (sample, weight) in enumerate(zip(self.samples(), weights, strict=True)):
            low, high = sample.truth.effective_support
            moved = found[place] + step * max(high, 1.0) / weight
            if low <= moved <= high:
                found[place] = moved
                break
        return tuple(found)

    def with_truths(self, truths: Sequence[float]) -> PairScenario:
        first, second = (DiscreteTruth((truth,)) for truth in truths)
        return replace(self, truth=PairTruth(first, second))

    def content(self) -> Mapping[str, Any]:
        return {
            "family": self.family,
            "sizes": list(self.sizes),
            "truth": dict(self.truth.content()),
        }

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        return keyed_stream(self.content(), seed, shard)


def listed_scenarios(
    family: str, sizes: Sequence[float], truths: Sequence[Floats], law: Law | None = None
) -> Iterator[tuple[Scenario, Positions, Positions]]:
    """Yield scenarios of one size that list given truths.

    Args:
        family: the name of the family.
        sizes: the size of each sample.
        truths: the true values of each sample, one array of shape (t,) for each.
        law: of one sample: how its count arises; None for the family's own law.

    Yields:
        A scenario, the positions of the truths in the arrays that it lists, and the position of
        each of them among the scenario's ``listed_truths``.
    """
    if len(truths) == 1:
        (values,) = truths
        distinct, index = np.unique(values, return_inverse=True)
        truth = DiscreteTruth(tuple(distinct.tolist()))
        yield SingleScenario(family, sizes[0], truth, law=law), np.arange(values.size), index
        return
    first, second = truths
    for value in np.unique(first):
        rows = np.flatnonzero(first == value)
        distinct, index = np.unique(second[rows], return_inverse=True)
        pair = PairTruth(DiscreteTruth((float(value),)), DiscreteTruth(tuple(distinct.tolist())))
        yield PairScenario(family, (sizes[0], sizes[1]), pair), rows, index


def data_of(scenario: Scenario, outcomes: Integers) -> Data:
    """Return the family's columns at the outcomes, as methods of the catalogue take them."""
    return observed_at(scenario, outcomes).columns()


def observed_at(scenario: Scenario, outcomes: Integers) -> Observed:
    """Return the counts and sizes of the outcomes, as a source of limits takes them."""
    counts = tuple(count.astype(np.float64) for count in scenario.counts(outcomes))
    population = None if scenario.law is None else scenario.law.lattice
    return Observed(scenario.family, scenario.sizes, counts, population)


def sizes_by_name(scenario: Scenario) -> dict[str, float]:
    """Return the size of each sample by its column's name."""
    return dict(zip(family_of(scenario.family).sizes, scenario.sizes, strict=True))


def scenario_words(scenario: Scenario) -> str:
    """Return the family and the sizes, as a message names the scenario of a run."""
    sizes = ", ".join(f"{name} = {size:.15g}" for name, size in sizes_by_name(scenario).items())
    return f"{scenario.family} at {sizes}"


def keyed_stream(content: Mapping[str, Any], seed: int, shard: int) -> np.random.Generator:
    """Return a random generator for the content and the shard, independent of all others.

    The key consists of fixed-width words, a digest of the content followed by the shard, so that
    adding a size, a method or a worker changes no draw of another scenario.
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    digest = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=">u4")
    key = (*digest.tolist(), shard >> 32, shard & 0xFFFFFFFF)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


@dataclass(frozen=True)
class Limits:
    """The limits of k columns at m outcomes."""

    outcomes: Integers
    """Ascending and distinct, shape (m,)."""
    lower: Floats
    """Shape (k, m); NaN where a method gave no limits."""
    upper: Floats
    of_ratio: bool = False
    """Whether the parameter is a ratio: lengths are then those of its logarithm."""

    @classmethod
    def of(cls, scenario: Scenario, outcomes: Integers, lower: Floats, upper: Floats) -> Limits:
        """Return the limits of the scenario's parameter."""
        return cls(outcomes, lower, upper, family_of(scenario.family).is_ratio)

    def with_ends(self, lower: Floats, upper: Floats) -> Limits:
        """Return a table with other limits at the same outcomes."""
        return replace(self, lower=lower, upper=upper)

    def between(self, lower: Floats, upper: Floats) -> Floats:
        """Return the lengths of intervals with these limits, 0 for infinite ones of a ratio."""
        length = length_between(lower, upper, logarithmic=self.of_ratio)
        return np.where(np.isinf(length), 0.0, length) if self.of_ratio else length

    @property
    def length(self) -> Floats:
        """The lengths, shape (k, m), with 0 for infinite ones of a ratio, which are counted."""
        return self.between(self.lower, self.upper)

    @property
    def infinite(self) -> Floats | None:
        """1 where the interval of a ratio has an infinite length, else 0; None of no ratio."""
        if not self.of_ratio:
            return None
        return np.isinf(length_between(self.lower, self.upper, logarithmic=True)).astype(np.float64)

    @property
    def failed(self) -> Bools:
        """Where a method gave no limits, shape (k, m)."""
        return np.isnan(self.lower)

    def filled(self, lower: float, upper: float) -> Limits:
        """Return the table with these limits in place of missing ones."""
        failed = self.failed
        low, high = np.where(failed, lower, self.lower), np.where(failed, upper, self.upper)
        return self.with_ends(low, high)

    def positions(self, outcomes: Integers) -> Positions:
        """Return the positions of the outcomes in the table.

        Raises:
            HarnessError: the table has no limits for an outcome.
        """
        index = np.searchsorted(self.outcomes, outcomes)
        missing = np.append(self.outcomes, -1)[index] != outcomes
        if missing.any():
            raise HarnessError(f"the table has no limits for the outcome {outcomes[missing][0]}")
        return index

    def at(self, outcomes: Integers) -> Limits:
        """Return the part of the table at the outcomes."""
        index = self.positions(outcomes)
        return Limits(outcomes, self.lower[:, index], self.upper[:, index], self.of_ratio)

    def rows(self, rows: Sequence[int]) -> Limits:
        """Return the table of the columns in these rows; itself if these are all of them."""
        if list(rows) == list(range(self.lower.shape[0])):
            return self
        index = list(rows)
        return self.with_ends(self.lower[index], self.upper[index])

    def segments(self) -> list[slice]:
        """Return a slice over each run of consecutive outcomes."""
        breaks = np.flatnonzero(np.diff(self.outcomes) > 1) + 1
        bounds = [0, *breaks.tolist(), self.outcomes.size]
        return [slice(a, b) for a, b in pairwise(bounds)]


def outcomes_at_fractions(n: int, count: int) -> Integers:
    """Return the distinct outcomes ⌊n·f + ½⌋ at ``count`` equally spaced f from 0 to 1."""
    steps = np.arange(count, dtype=np.int64)
    return np.unique((2 * n * steps + (count - 1)) // (2 * (count - 1)))
