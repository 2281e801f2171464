"""Solvers: the exact engines for one scenario, with one class for each design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Floats, Integers
from harness.designs import miss_curve, nets, scores
from harness.designs.design import Scenario
from harness.designs.limits import Column, Limits
from harness.designs.listed import enumerate_listed, misses_at_listed, with_worst_cases
from harness.designs.miss_curve import MissCurve
from harness.designs.nets import Places
from harness.designs.one_sample import exact as one_sample
from harness.designs.one_sample import law, least_length
from harness.designs.one_sample import verification as verify_one
from harness.designs.one_sample.exact import at_listed_truths
from harness.designs.one_sample.law_worst_case import worst_cases as worst_cases_by_law
from harness.designs.pairs import tables
from harness.designs.pairs import verification as verify_pairs
from harness.designs.pairs.worst_case import search_worst_case as search_paired_worst_case
from harness.designs.posterior import enumerate_by_posterior
from harness.designs.results import AT_LISTED, Enumerated, Exact, WorstCase, sums_by
from harness.designs.scores import Scores
from harness.designs.two_samples import verification as verify_two
from harness.designs.two_samples.quadrature import (
    block_outcomes,
    blocks,
    integrate_pairs,
    is_integrated,
)
from harness.designs.two_samples.worst_case import search_worst_case
from harness.designs.verification import (
    Comparison,
    Published,
    Rows,
    rows_of_one_sample,
    rows_of_two_samples,
)
from harness.distributions.paired_truths import CELLS
from harness.distributions.truths import Prior
from harness.families.combination import Span
from harness.families.family import (
    ENUMERATION,
    POSTERIOR,
)

# How often the probability of a pair of counts is read or written for one of a net of truths.
_PASSES = 2.0

LARGEST_COMBINED = 1 << 16
"""The largest number of pairs of counts whose limits are all computed for the worst case."""


@dataclass(frozen=True)
class Solver:
    """The exact engines for one scenario, from the probabilities of its outcomes at listed truths.

    A design with few outcomes needs no other one. Those of this package override what they compute
    more accurately or faster, and what they search.
    """

    scenario: Scenario

    def listed(self) -> Iterator[tuple[float, Integers, Floats]]:
        """Yield the parameter at each listed truth, and the outcomes with their probability."""
        probabilities, outcomes = self.scenario.numbered.probabilities, self.possible_outcomes()
        assert probabilities is not None
        _, parameter = self.scenario.listed_truths()
        rows = zip(*self.scenario.design.values(self.scenario), strict=True)
        for theta, truths in zip(parameter.tolist(), rows, strict=True):
            yield theta, outcomes, probabilities(self.scenario, truths, outcomes)

    @property
    def has_exact_values(self) -> bool:
        """Whether ``enumerate`` has values under the scenario's truth.

        It has none under a distribution where the parameter has no closed posterior, or where a
        law describes how outcomes arise.
        """
        family = self.scenario.family
        return self.scenario.truth.is_discrete or POSTERIOR in family.engines

    def possible_outcomes(self) -> Integers:
        """Return the outcomes that can occur under the scenario's own truth, ascending."""
        return np.arange(int(self.scenario.outcome_count))

    def possible_count(self) -> float:
        """Return the number of ``possible_outcomes``, without listing them."""
        return self.scenario.outcome_count

    def spread_outcomes(self, count: int) -> Integers:
        """Return at most ``count`` outcomes from end to end of the possible ones, ascending."""
        last = self.scenario.outcome_count - 1
        return np.unique(np.linspace(0, last, count).astype(np.int64))

    def hull(self) -> tuple[Span, ...]:
        """Return the range of each truth, of a sample or a cell, that the worst case is taken over.

        It is the closed hull of the truth's support, or of an infinite one the effective support.
        """
        values = self.scenario.design.values(self.scenario)
        return tuple((float(each.min()), float(each.max())) for each in values)

    def whole_range(self) -> tuple[Span, ...]:
        """Return the range of each sample's parameter; of an unbounded one the hull."""
        return self.hull()

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        """Return the outcomes that can occur under a truth in a range, ascending."""
        return self.possible_outcomes()

    def range_count(self, over: Sequence[Span]) -> float:
        """Return the number of ``range_outcomes``, without listing them."""
        return self.possible_count()

    def solves_range(self, over: Sequence[Span]) -> bool:
        """Whether the limits of all ``range_outcomes`` are computed for the worst case."""
        return self.range_count(over) <= LARGEST_COMBINED

    def covers_draws(self, outcomes: Integers, largest: float) -> bool:
        """Whether all outcomes that can be drawn are among ``outcomes``.

        Args:
            outcomes: ascending.
            largest: the largest number of possible outcomes that are compared; False beyond it.
        """
        return self.possible_count() <= largest and bool(
            np.isin(self.possible_outcomes(), outcomes).all()
        )

    def outcomes_to_verify(self, prior: Prior | None) -> Integers:
        """Return the outcomes that ``verify`` needs the limits of, beside those that are shown.

        Args:
            prior: the reference prior; None where no engine uses one.
        """
        return np.empty(0, np.int64)

    def outcome_weights(self, outcomes: Integers) -> Floats:
        """Return the probabilities of the outcomes under the scenario's truth, shape (m,)."""
        weight, count = np.zeros(outcomes.size), 0
        for _, possible, probability in self.listed():
            inside = np.isin(possible, outcomes)
            weight[np.searchsorted(outcomes, possible[inside])] += probability[inside]
            count += 1
        return weight / count

    def enumerate(
        self, limits: Limits, reported: Integers | None = None, worst: bool = True
    ) -> Enumerated:
        """Return exact miss probabilities, as sums over outcomes.

        Args:
            limits: the limits of all outcomes that can occur under the truth.
            reported: the outcomes in the result; None for all that have limits.
            worst: whether to find the worst cases.
        """
        found = self._enumerated(limits, limits.outcomes if reported is None else reported)
        return with_worst_cases(self.scenario, found, self._searched(limits) if worst else None)

    def _enumerated(self, limits: Limits, reported: Integers) -> Enumerated:
        """Return what ``enumerate`` does, without worst cases."""
        if not self.scenario.truth.is_discrete:
            return enumerate_by_posterior(self.scenario, limits, reported)
        keys, _ = self.scenario.listed_truths()
        return enumerate_listed(self.listed(), keys, limits, reported)

    def _searched(
        self, limits: Limits, over: Sequence[Span] | None = None
    ) -> Sequence[WorstCase] | None:
        """Return the worst case of each column over a range, by default the hull of the truth.

        It is None where it is not known. Here nothing is searched: over the hull the worst case is
        that of the listed truths.
        """
        if over is not None or not self.scenario.truth.is_discrete:
            return None
        return [WorstCase(-1.0, (), "at", (), AT_LISTED)] * len(limits.lower)

    def at_truths(self, limits: Limits) -> Exact:
        """Return exact miss probabilities and expected lengths at each listed truth.

        Args:
            limits: the limits of all outcomes that can occur under the truths.
        """
        keys, _ = self.scenario.listed_truths()
        _, by_truth = misses_at_listed(self.listed(), keys, limits)
        return by_truth

    def worst_cases(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None]:
        """Return the worst case of each column over a closed range of truths of each sample."""
        return self._searched(limits, over) or (None,) * len(limits.lower)

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows] | None:
        """Return the probabilities of outcomes at truths, by another route than the engine's.

        Args:
            limits: of all outcomes that can occur under the truths.
            truths: of each sample or cell, shape (t,) each, the first one ascending.

        Returns:
            In blocks; None where there is no other route.
        """
        return None

    def places(self, over: Sequence[Span]) -> Places | None:
        """Return where a net of truths in a closed range of more than one has them, if anywhere."""
        return None

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        """Return about how many numbers ``rows_again`` computes at one truth of a range."""
        return self.range_count(over)

    def miss_curve(self, limits: Limits) -> MissCurve | None:
        """Return the miss probability over the hull of the first truth, with all of its jumps.

        It is None where the truths are no range of a sample's parameter, as those of pairs.

        Args:
            limits: of one column, at all outcomes that can occur within the hull.
        """
        return None

    def scores(self, limits: Limits, enumerated: Enumerated, columns: Sequence[Column]) -> Scores:
        """Return the root mean square alpha error and the interval score of each column.

        Of one sample the least lengths stand beside them.
        """
        listed = self.listed() if self.scenario.truth.is_discrete else None
        family = self.scenario.family
        return scores.of_listed_truths(family, listed, limits, enumerated, columns)

    def verify(self, limits: Limits, published: Published) -> list[Comparison]:
        """Compare what the exact engines computed with a second computation of it."""
        return []


@dataclass(frozen=True)
class CountSolver(Solver):
    """What the exact engines for one sample share, whatever the law of its count."""

    def possible_outcomes(self) -> Integers:
        return one_sample.possible_outcomes(self.scenario)

    def possible_count(self) -> float:
        return one_sample.possible_count(self.scenario)

    def spread_outcomes(self, count: int) -> Integers:
        low, high = self._range_window(self.hull())
        return np.unique(np.linspace(low, high, count).astype(np.int64))

    def hull(self) -> tuple[Span, ...]:
        return (self.scenario.truth.effective_support,)

    def whole_range(self) -> tuple[Span, ...]:
        return (one_sample.whole_range(self.scenario),)

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        first, last = self._range_window(over)
        return np.arange(first, last + 1, dtype=np.int64)

    def range_count(self, over: Sequence[Span]) -> float:
        first, last = self._range_window(over)
        return last + 1.0 - first

    def _range_window(self, over: Sequence[Span]) -> tuple[int, int]:
        return self.scenario.sampling.window(*over[0], self.scenario.size)

    def solves_range(self, over: Sequence[Span]) -> bool:
        return True

    def places(self, over: Sequence[Span]) -> Places | None:
        return nets.places_of_one(self.scenario, over[0])

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        middle = 0.5 * (over[0][0] + over[0][1])
        return self.range_count([(middle, middle)])


@dataclass(frozen=True)
class OneSampleSolver(CountSolver):
    """Exact engines for one sample."""

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows] | None:
        return rows_of_one_sample(self.scenario, limits, truths[0])

    def covers_draws(self, outcomes: Integers, largest: float) -> bool:
        if self.scenario.model.IS_BOUNDED:
            return bool(outcomes.size == self.scenario.size + 1)
        return super().covers_draws(outcomes, largest)

    def outcomes_to_verify(self, prior: Prior | None) -> Integers:
        return verify_one.outcomes_to_verify(self.scenario)

    def outcome_weights(self, outcomes: Integers) -> Floats:
        return one_sample.outcome_weights(self.scenario, outcomes)

    def enumerate(
        self, limits: Limits, reported: Integers | None = None, worst: bool = True
    ) -> Enumerated:
        return one_sample.enumerate_one_sample(self.scenario, limits, reported, worst)

    def at_truths(self, limits: Limits) -> Exact:
        return at_listed_truths(self.scenario, limits)

    def worst_cases(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None]:
        return one_sample.worst_cases(self.scenario, limits, over[0])

    def miss_curve(self, limits: Limits) -> MissCurve | None:
        return miss_curve.of_one_sample(self.scenario, limits)

    def scores(self, limits: Limits, enumerated: Enumerated, columns: Sequence[Column]) -> Scores:
        found = scores.of_one_sample(self.scenario, limits, enumerated, columns)
        least = least_length.of_columns(self.scenario, enumerated, columns)
        return replace(found, least=least)

    def verify(self, limits: Limits, published: Published) -> list[Comparison]:
        return verify_one.verify(self.scenario, limits, published)


@dataclass(frozen=True)
class LawSolver(CountSolver):
    """Exact engines for one sample whose count arises by a law of its own.

    They have values at listed truths alone.
    """

    @property
    def has_exact_values(self) -> bool:
        return bool(self.scenario.truth.is_discrete)

    def listed(self) -> Iterator[tuple[float, Integers, Floats]]:
        return law.listed_values(self.scenario)

    def enumerate(
        self, limits: Limits, reported: Integers | None = None, worst: bool = True
    ) -> Enumerated:
        found = super().enumerate(limits, reported, worst=False)
        return law.with_worst_cases_by_law(self.scenario, limits, found) if worst else found

    def _searched(
        self, limits: Limits, over: Sequence[Span] | None = None
    ) -> Sequence[WorstCase] | None:
        return worst_cases_by_law(self.scenario, limits, (over or self.hull())[0])

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        return law.law_of(self.scenario).cost(self.scenario.size, super().cost_of_truth(over))

    def miss_curve(self, limits: Limits) -> MissCurve | None:
        return miss_curve.of_law(self.scenario, limits)

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows] | None:
        return law.rows_by_law(self.scenario, limits, truths[0])

    def verify(self, limits: Limits, published: Published) -> list[Comparison]:
        return law.verify(self.scenario, limits, published)


@dataclass(frozen=True)
class TwoSampleSolver(Solver):
    """Exact engines for two samples, whose outcomes are pairs of counts."""

    @property
    def _samples(self) -> tuple[CountSolver, CountSolver]:
        first, second = self.scenario.samples()
        return CountSolver(first), CountSolver(second)

    def listed(self) -> Iterator[tuple[float, Integers, Floats]]:
        values, sampling = self.scenario.truth.values, self.scenario.model.SAMPLING
        for index, theta in enumerate(self.scenario.family.parameter_at(values)):
            counts, probabilities = [], []
            for value, size in zip(values, self.scenario.sizes, strict=True):
                low, high = sampling.window(value[index], value[index], size)
                counts.append(np.arange(low, high + 1))
                probabilities.append(sampling.pmf(counts[-1], value[index], size))
            joint = probabilities[0][:, np.newaxis] * probabilities[1][np.newaxis, :]
            yield theta, self._crossed(*counts), joint.ravel()

    def _crossed(self, first: Integers, second: Integers) -> Integers:
        """Return the outcomes of all pairs of counts, ascending."""
        return self.scenario.outcomes(first[:, np.newaxis], second[np.newaxis, :]).ravel()

    def possible_outcomes(self) -> Integers:
        return self._crossed(*(sample.possible_outcomes() for sample in self._samples))

    def possible_count(self) -> float:
        first, second = self._samples
        return first.possible_count() * second.possible_count()

    def spread_outcomes(self, count: int) -> Integers:
        windows = [sample._range_window(sample.hull()) for sample in self._samples]
        counts = [np.linspace(low, high, count).astype(np.int64) for low, high in windows]
        return np.unique(self.scenario.outcomes(*counts))

    def hull(self) -> tuple[Span, ...]:
        return tuple(span for sample in self._samples for span in sample.hull())

    def whole_range(self) -> tuple[Span, ...]:
        return tuple(span for sample in self._samples for span in sample.whole_range())

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        samples = zip(self._samples, over, strict=True)
        return self._crossed(*(sample.range_outcomes([span]) for sample, span in samples))

    def range_count(self, over: Sequence[Span]) -> float:
        first, second = self._samples
        return first.range_count(over[:1]) * second.range_count(over[1:])

    def outcomes_to_verify(self, prior: Prior | None) -> Integers:
        return verify_two.outcomes_to_verify(self.scenario, prior)

    def outcome_weights(self, outcomes: Integers) -> Floats:
        weight, scenario = np.ones(outcomes.size), self.scenario
        for sample, x in zip(scenario.samples(), scenario.counts(outcomes), strict=True):
            distinct, back = np.unique(x, return_inverse=True)
            weight = weight * one_sample.outcome_weights(sample, distinct)[back]
        return weight

    def _enumerated(self, limits: Limits, reported: Integers) -> Enumerated:
        if not is_integrated(self.scenario):
            return super()._enumerated(limits, reported)
        (block,) = blocks(self.scenario)
        outcomes = block_outcomes(self.scenario, block)
        by_outcome = integrate_pairs(self.scenario, block, limits.at(outcomes))
        # The weights of all pairs of counts sum to 1.
        mean = sums_by(by_outcome, by_outcome.weight)
        shown = np.intersect1d(by_outcome.conditions, reported)
        unknown = (None,) * len(limits.lower)
        return Enumerated(by_outcome.at(shown), None, mean, ENUMERATION, unknown, unknown)

    def _searched(
        self, limits: Limits, over: Sequence[Span] | None = None
    ) -> Sequence[WorstCase] | None:
        pair = None if over is None else (over[0], over[1])
        return search_worst_case(self.scenario, limits, pair)

    def miss_curve(self, limits: Limits) -> MissCurve | None:
        return miss_curve.of_two_samples(self.scenario, limits)

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows] | None:
        return rows_of_two_samples(self.scenario, limits, truths)

    def places(self, over: Sequence[Span]) -> Places | None:
        return nets.places_of_two(self.scenario, over)

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        samples = zip(self._samples, over, strict=True)
        first, second = (sample.cost_of_truth([span]) for sample, span in samples)
        return _PASSES * first * second

    def verify(self, limits: Limits, published: Published) -> list[Comparison]:
        return verify_two.verify(self.scenario, limits, published)


@dataclass(frozen=True)
class PairedSolver(Solver):
    """Exact engines for pairs, whose outcomes are tables of counts.

    An outcome is a table of four counts, or only its discordant pairs where the limits of all
    methods depend on these and n alone: then there are (n + 1)(n + 2)/2 outcomes instead of
    (n + 1)(n + 2)(n + 3)/6.
    """

    @property
    def _pairs(self) -> Scenario:
        """The scenario of pairs, which a solver of other tables has beside its own."""
        return self.scenario

    def listed(self) -> Iterator[tuple[float, Integers, Floats]]:
        scenario = self._pairs
        _, parameter = scenario.listed_truths()
        for theta, cells in zip(parameter.tolist(), scenario.truth.tables, strict=True):
            windows = tables.windows_of(scenario, [(p, p) for p in cells])
            outcomes = tables.outcomes_within(scenario, windows)
            yield theta, outcomes, tables.probabilities(scenario, cells, outcomes)

    def possible_outcomes(self) -> Integers:
        windows = tables.possible_windows(self._pairs)
        parts = [tables.outcomes_within(self._pairs, each) for each in windows]
        return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))

    def possible_count(self) -> float:
        windows = tables.possible_windows(self._pairs)
        counts = sum(tables.outcomes_count(self._pairs, each) for each in windows)
        return min(counts, self.scenario.outcome_count)

    def spread_outcomes(self, count: int) -> Integers:
        return tables.spread_outcomes(self._pairs, self._pairs.truth.hull, count)

    def hull(self) -> tuple[Span, ...]:
        hull: tuple[Span, ...] = self.scenario.truth.hull
        return hull

    def whole_range(self) -> tuple[Span, ...]:
        return (self.scenario.model.SUPPORT,) * len(CELLS)

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        return tables.range_outcomes(self._pairs, over)

    def range_count(self, over: Sequence[Span]) -> float:
        return tables.range_count(self._pairs, over)

    def outcome_weights(self, outcomes: Integers) -> Floats:
        scenario = self._pairs
        if not scenario.truth.is_discrete:
            return scenario.distribution_weights(outcomes)
        listed = scenario.truth.tables
        weights = (tables.probabilities(scenario, cells, outcomes) for cells in listed)
        return np.asarray(sum(weights)) / len(listed)

    def _searched(
        self, limits: Limits, over: Sequence[Span] | None = None
    ) -> Sequence[WorstCase] | None:
        return search_paired_worst_case(self._pairs, limits, over)

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows] | None:
        return verify_pairs.rows_of_pairs(self._pairs, limits, truths)

    def places(self, over: Sequence[Span]) -> Places | None:
        return nets.places_of_pairs(self._pairs, over)

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        middle = [(0.5 * (low + high),) * 2 for low, high in over]
        total = sum(low for low, _ in middle)
        return 4.0 * _PASSES * self.range_count([(p / total, p / total) for p, _ in middle])

    def verify(self, limits: Limits, published: Published) -> list[Comparison]:
        return verify_pairs.verify(self._pairs, limits, published)


@dataclass(frozen=True)
class ListSolver(Solver):
    """One outcome, 0, stands for all data, as limits are computed for the data of every trial.

    Exact values at the truths are those of ``designs.lists``.
    """

    @property
    def has_exact_values(self) -> bool:
        return False

    def hull(self) -> tuple[Span, ...]:
        return ()

    def outcomes_to_verify(self, prior: Prior | None) -> Integers:
        return np.zeros(1, np.int64)


def solver_of(scenario: Scenario) -> Solver:
    """Return the solver of a scenario, by its law or by its design.

    Raises:
        HarnessError: the family has no enumeration, or no solver exists for its design.
    """
    design, family = scenario.design, scenario.family
    if design.lists is not None:
        return ListSolver(scenario)
    if design.exact is None or ENUMERATION not in family.engines:
        raise HarnessError(f"the family {family.name} has no exact engines")
    found: Solver = design.exact(scenario) if scenario.law is None else LawSolver(scenario)
    return found
