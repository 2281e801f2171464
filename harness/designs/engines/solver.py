"""Solvers: the exact engines for one scenario, with one class for each design."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.engines.listed import misses_at_listed, worse_of_listed
from harness.designs.engines.posterior import enumerate_by_posterior
from harness.designs.engines.verification import Comparison, Published, Rows
from harness.designs.limits import Column, Limits
from harness.designs.miss_curve import MissCurve
from harness.designs.results import Enumerated, Exact, WorstCase
from harness.distributions.sampling.law import Sampling
from harness.distributions.truths import Prior
from harness.families.combination import Span
from harness.families.family import ENUMERATION, POSTERIOR
from harness.methods.method import TWO_SIDED

LARGEST_COMBINED = 1 << 16
"""The largest number of pairs of counts whose limits are all computed for the worst case."""

Truths = tuple[Floats, ...]
"""The true value of each sample, or of each cell of pairs, shape (t,) each."""


@dataclass(frozen=True)
class Places:
    """Where truths can be, for one scenario and one range of truths."""

    between: Callable[[int, np.random.Generator], Truths]
    """Return truths at random in the range, at most as many as asked."""
    beside: Callable[[Floats, np.random.Generator], Truths]
    """Return truths within the range with given parameters, not numbers where there are none."""
    range: Span
    """The range of the parameter."""
    lattice: int | None = None
    """The number N where all truths are M/N."""

    def seen(self, view: Callable[[Truths], Truths]) -> Places:
        """Return the places of the same truths in another order of the cells."""
        return replace(
            self,
            between=lambda count, rng: view(self.between(count, rng)),
            beside=lambda theta, rng: view(self.beside(theta, rng)),
        )


def spread(
    sampling: Sampling, span: tuple[Floats | float, Floats | float], size: float, shares: Floats
) -> Floats:
    """Return truths within a span, by shares of it on the variance-stabilized scale; broadcast."""
    start, stop = (sampling.variance_stabilized(np.asarray(end, np.float64), size) for end in span)
    return np.clip(sampling.from_variance_stabilized(start + shares * (stop - start), size), *span)


@dataclass(frozen=True)
class LeastLengths:
    """The least lengths of k columns, shape (k,) each; not a number where one is not computed."""

    least_length_guaranteed: Floats
    """The least mean length of methods that never miss more often than alpha, those that take
    random decisions included."""
    least_length_deterministic: Floats
    """The same of methods whose limits are a function of the outcome."""
    least_length_on_average: Floats
    """The least mean length of methods that miss as often as alpha, averaged over the truth."""
    efficiency_guaranteed: Floats
    """The first at the column's own worst alpha, over its mean length."""
    efficiency_on_average: Floats
    """The second at the column's own mean alpha, over its mean length."""


@dataclass(frozen=True)
class Scores:
    """The scores of k columns, shape (k,) each; not a number where a score is not computed."""

    rms_alpha_error: Floats
    """√ of the mean over the truths of (alpha − actual_alpha)²."""
    interval_score: Floats
    """The mean of Winkler's score over truths and outcomes, of two-sided intervals."""
    least: LeastLengths | None = None
    """The least lengths possible and how close to them each column comes; None where unknown."""


def excess(theta: Floats | float, lower: Floats, upper: Floats) -> Floats:
    """Return (L − θ)⁺ + (θ − U)⁺, broadcast."""
    with np.errstate(invalid="ignore"):  # equal infinite logarithms, whose difference is no number
        return np.asarray(np.fmax(lower - theta, 0.0) + np.fmax(theta - upper, 0.0))


@dataclass(frozen=True)
class Solver:
    """The exact engines for one scenario, from the probabilities of its outcomes at listed truths.

    A design with few outcomes needs no other one. Those of this package override what they compute
    more accurately or faster, and what they search.
    """

    scenario: Scenario
    largest_solved: ClassVar[float] = LARGEST_COMBINED
    """The largest number of ``range_outcomes`` whose limits are all computed for the worst case."""

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
        return tuple((float(truths.min()), float(truths.max())) for truths in values)

    def whole_range(self) -> tuple[Span, ...]:
        """Return the range of each sample's parameter; of an unbounded one the hull."""
        return self.hull()

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        """Return the outcomes that can occur under a truth in a range, ascending."""
        return self.possible_outcomes()

    def range_count(self, over: Sequence[Span]) -> float:
        """Return the number of ``range_outcomes``, without listing them."""
        return self.possible_count()

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
            limits: the limits of all outcomes that can occur under the truth; for the worst case,
                of all that can occur under a truth in the hull of the truths.
            reported: the outcomes in the result; None for all that have limits.
            worst: whether to find the worst cases.
        """
        enumerated = self.without_worst_cases(
            limits, limits.outcomes if reported is None else reported
        )
        return self.with_worst_cases(limits, enumerated) if worst else enumerated

    def without_worst_cases(self, limits: Limits, reported: Integers) -> Enumerated:
        """Return the miss probabilities by outcome, by truth and overall; see ``enumerate``."""
        if not self.scenario.truth.is_discrete:
            return enumerate_by_posterior(self.scenario, limits, reported)
        keys, _ = self.scenario.listed_truths()
        by_outcome, by_truth = misses_at_listed(self.listed(), keys, limits)
        return Enumerated.of(by_outcome, by_truth, by_truth.mean(), ENUMERATION, reported)

    def with_worst_cases(self, limits: Limits, found: Enumerated) -> Enumerated:
        """Return the results with the worst cases that a search finds, or a listed truth if worse.

        Where nothing is searched those of the listed truths are the worst cases over their hull.
        """
        cases = self.search(limits, self.hull())
        if cases is None:
            return found
        return replace(found, worst=worse_of_listed(self.scenario, found.by_truth, cases))

    def search(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None] | None:
        """Return the worst case of each column over a closed range of truths of each sample.

        None where outcomes that can occur within the range have no limits, and None for each column
        where nothing is searched.
        """
        return (None,) * len(limits.lower)

    def worst_cases(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None]:
        """Return the worst case of each column over a closed range of truths of each sample."""
        return self.search(limits, over) or (None,) * len(limits.lower)

    def at_truths(self, limits: Limits) -> Exact:
        """Return exact miss probabilities and expected lengths at each listed truth.

        Args:
            limits: the limits of all outcomes that can occur under the truths.
        """
        keys, _ = self.scenario.listed_truths()
        _, by_truth = misses_at_listed(self.listed(), keys, limits)
        return by_truth

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
        """Return both scores of each column; no root mean square under a distribution.

        The root mean square alpha error is that of alpha − actual_alpha(θ) over the truths. The
        interval score is the mean of Winkler's, (U − L) + (2/alpha)·((L − θ)⁺ + (θ − U)⁺): the
        length, and a penalty in proportion to the excess, the distance from a truth outside the
        interval to the interval (Gneiting and Raftery 2007, J. Am. Stat. Assoc. 102, 359–378,
        eq. 43).

        Args:
            limits: the limits of all outcomes that can occur under the truth.
            enumerated: the results of enumeration.
            columns: the method and alpha of each row of the limits.
        """
        alpha = np.array([column.alpha for column in columns])
        rms, score = np.full((2, alpha.size), np.nan)
        if enumerated.by_truth is not None:
            error = alpha[:, np.newaxis] - (enumerated.by_truth.below + enumerated.by_truth.above)
            rms = np.sqrt((error * error).mean(axis=1))
        two_sided = np.array([column.side == TWO_SIDED for column in columns])
        if enumerated.mean is not None and two_sided.any():
            rows = replace(limits, lower=limits.lower[two_sided], upper=limits.upper[two_sided])
            beyond = self.expected_excess(rows)
            if beyond is not None:
                penalty = (2.0 / alpha[two_sided]) * beyond
                score[two_sided] = enumerated.mean.length[two_sided] + penalty
        return Scores(rms, score)

    def expected_excess(self, limits: Limits) -> Floats | None:
        """Return E[(L − θ)⁺ + (θ − U)⁺] over truths and outcomes of each column, shape (k,).

        Of a ratio θ, L and U are their logarithms. None where it is not known, and there is no
        interval score.
        """
        if not self.scenario.truth.is_discrete:
            return None
        total, count, scale = np.zeros(limits.lower.shape[0]), 0, self.scenario.family.scale.of
        for theta, outcomes, probability in self.listed():
            possible, count = limits.at(outcomes), count + 1
            for row in range(total.size):
                lower, upper = scale(possible.lower[row]), scale(possible.upper[row])
                total[row] += (probability * excess(scale(np.array(theta)), lower, upper)).sum()
        return total / count

    def verify(self, limits: Limits, published: Published) -> list[Comparison]:
        """Compare what the exact engines computed with a second computation of it."""
        return []


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
    """Return the solver of a scenario, which is chosen when it is first asked for.

    Raises:
        HarnessError: the family has no enumeration, or its design no solver.
    """
    if scenario.solver is None:
        design, family = scenario.design, scenario.family
        if design.lists is not None:
            chosen: Solver = ListSolver(scenario)
        elif design.exact is None or ENUMERATION not in family.engines:
            raise HarnessError(f"the family {family.name} has no exact engines")
        else:
            chosen = design.exact(scenario)
        object.__setattr__(scenario, "solver", chosen)
    solver: Solver = scenario.solver
    return solver
