"""Trials of one proportion that end by a stopping rule, which the family holds.

An outcome stands for a pair: the trials that were made, and the successes among them. Outcomes are
numbered by their looks, and those of a look by their successes.

The engine multiplies shares of sequences, which are counted once, with binomial probabilities. In
the second computation the probability of going on moves from trial to trial at each true value, and
the rule is asked once more where it takes some of it out. Under a distribution of truths the
weights of outcomes are sums over the nodes of a quadrature there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import roots_jacobi, roots_legendre

from harness.base.errors import HarnessError, InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Distributions, Outcomes, Scenario
from harness.designs.engines.posterior import Integrated
from harness.designs.engines.solver import Places, Solver
from harness.designs.engines.verification import (
    SECOND,
    Comparison,
    Published,
    Rows,
    cells_apart,
    compare_listed,
    compare_posterior_mean,
    compare_worst_cases,
    sums_over,
    weights_apart,
)
from harness.designs.limits import Limits
from harness.designs.miss_curve import MissCurve, of_law
from harness.designs.one_sample.design import ONE_SAMPLE, places_of_one
from harness.designs.one_sample.law_worst_case import worst_cases as worst_cases_by_law
from harness.designs.results import WorstCase
from harness.designs.stopping.family import A_STOPPING_RULE, rule_of
from harness.designs.stopping.open_rule import MOST, OpenRule
from harness.designs.stopping.paths import StoppedTrials, probability_blocks
from harness.distributions.sampling.law import Law
from harness.distributions.truths import Prior, as_distribution
from harness.families.combination import Span
from harness.families.family import ENUMERATION, STOPPING, Family
from harness.families.model import truth_posterior

_STEPS = 1 << 28
"""About how many probabilities are computed: fewer truths are compared where trials are many."""
_TRUTHS_AT_ONCE = 128


def probabilities_again(stopped: StoppedTrials, truths: Floats) -> Floats:
    """Return Pr(t, x | p) of every outcome by recursion over the trials, shape (t, m).

    Pr(go on to t with x) = p Pr(go on to t − 1 with x − 1) + (1 − p) Pr(go on to t − 1 with x).

    Args:
        stopped: the outcomes with their rule.
        truths: in [0, 1], shape (t,).
    """
    rule, most = stopped.rule, stopped.rule.most
    found = np.zeros((truths.size, stopped.outcomes.trials.size))
    p, q = truths[:, np.newaxis], 1.0 - truths[:, np.newaxis]
    going, looks = np.zeros((truths.size, most + 1)), set(rule.looks)
    going[:, 0] = 1.0
    for t in range(1, most + 1):
        going[:, 1 : t + 1] = p * going[:, :t] + q * going[:, 1 : t + 1]
        going[:, 0] *= q[:, 0]
        if t in looks:
            x = np.flatnonzero(rule.stops(np.full(t + 1, t), np.arange(t + 1)))
            place = stopped.find(t, x)
            known = place >= 0
            found[:, place[known]] = going[:, x[known]]
            going[:, x] = 0.0
    return found


def verify(solver: Solver, limits: Limits, published: Published) -> list[Comparison]:
    """Compare what the exact engines publish with a second computation.

    Args:
        solver: of a scenario with a stopping rule.
        limits: those that the engines used.
        published: what they computed.
    """
    of_truth = _listed if solver.scenario.truth.is_discrete else _distributed
    return [*of_truth(solver.scenario, limits, published), *compare_worst_cases(published)]


def rows_of_stopped(scenario: Scenario, truths: Floats) -> Iterator[Rows]:
    """Yield the probabilities of all outcomes at true values, in blocks."""
    stopped = rule_of(scenario.family).outcomes(int(scenario.size))
    for some in np.array_split(np.arange(truths.size), truths.size // _TRUTHS_AT_ONCE + 1):
        again = probabilities_again(stopped, truths[some])
        yield some, np.arange(again.shape[1]), again


def _listed(scenario: Scenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare the misses at the listed truths, or at some of them where trials are many."""
    (values,) = scenario.design.values(scenario)
    count = min(most_truths(scenario), values.size)
    chosen = values[np.unique(np.linspace(0, values.size - 1, count).astype(np.int64))]
    if count == values.size:
        return compare_listed(scenario, rows_of_stopped(scenario, values), limits, published)
    if published.enumerated is None or published.enumerated.by_truth is None:
        return []
    own = published.enumerated.by_truth.at(chosen)
    again = replace(
        sums_over(rows_of_stopped(scenario, chosen), chosen, limits).by_truth, conditions=chosen
    )
    apart = cells_apart(own, again, np.ones(chosen.size))
    return [Comparison(ENUMERATION, SECOND, "truths", apart)]


def _distributed(scenario: Scenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare the weights of the outcomes, and the means by them; of many trials their sum."""
    outcomes, columns = limits.outcomes, limits.lower.shape[0]
    own = scenario.distribution_weights(outcomes)
    # A polynomial of the degree of the most trials needs half as many nodes, and one more.
    count = int(scenario.size) // 2 + 1
    if count > most_truths(scenario):
        total = weights_apart(own.sum(keepdims=True), np.ones(1), columns)
        return [Comparison(ENUMERATION, SECOND, "weights", total)]
    distribution = as_distribution(scenario.truth)
    prior, (low, high) = distribution.conjugate_prior, distribution.support
    if prior is not None:
        nodes, weight = roots_jacobi(count, prior[1] - 1.0, prior[0] - 1.0)
    else:
        nodes, weight = roots_legendre(count)
    nodes, weight = low + (high - low) * 0.5 * (nodes + 1.0), weight / weight.sum()
    again = np.zeros(int(scenario.outcome_count))
    for part, _, rows in rows_of_stopped(scenario, nodes):
        again += weight[part] @ rows
    apart = weights_apart(own, again[outcomes], columns)
    comparisons = [Comparison(ENUMERATION, SECOND, "weights", apart)]
    for each in (published.enumerated, published.integrated):
        if each is None or each.mean is None:
            continue
        if each.by_outcome.conditions.size == outcomes.size:
            weighted = Integrated(each.by_outcome, each.mean, None)
            comparisons += compare_posterior_mean(weighted, again[outcomes])
    return comparisons


def most_truths(scenario: Scenario) -> int:
    """Return at how many truths the recursion is computed."""
    return max(2, _STEPS // (int(scenario.size) ** 2 + 1))


LARGEST_MOST = 10_000
"""The most trials of a rule: the number of paths is counted for each trial and each count."""


def stopped_of(scenario: Scenario) -> StoppedTrials:
    """Return the outcomes of a scenario."""
    return rule_of(scenario.family).outcomes(int(scenario.size))


def _weights(scenario: Scenario, outcomes: Integers) -> Floats:
    """Return Pr(t, x) under the distribution of the truth: the share times that at a fixed t."""
    ends, truth = stopped_of(scenario).outcomes.at(outcomes), as_distribution(scenario.truth)
    found = np.empty(outcomes.size)
    trials, place = np.unique(ends.trials, return_inverse=True)
    starts = np.cumsum(np.bincount(place))[:-1]
    for number, part in enumerate(np.split(np.argsort(place, kind="stable"), starts)):
        x = ends.successes[part].astype(np.int64)
        found[part] = scenario.model.outcome_weights(truth, x, float(trials[number]))
    return found * ends.share


def _posterior(scenario: Scenario, outcomes: Integers) -> Any:
    """Return the posterior given (t, x), in which the rule has no part."""
    ends, truth = stopped_of(scenario).outcomes.at(outcomes), as_distribution(scenario.truth)
    return truth_posterior(scenario.model, truth, ends.successes, ends.trials)


def _decode(scenario: Scenario, outcomes: Integers) -> tuple[Integers, ...]:
    ends = stopped_of(scenario).outcomes
    return tuple(each[outcomes].astype(np.int64) for each in (ends.successes, ends.trials))


def _refuse(scenario: Scenario) -> None:
    if scenario.size > LARGEST_MOST:
        raise InputError(
            f"n should be at most {LARGEST_MOST} with a stopping rule, found {scenario.size:.15g}"
        )
    rule = rule_of(scenario.family)
    if rule.most not in (None, scenario.size):
        raise InputError(f"{MOST} in stopping should be n = {scenario.size:.15g}, or left out")
    rule.up_to(int(scenario.size))


@dataclass(frozen=True)
class Stopped(Law):
    """The outcomes of a rule as those of a law: how they are drawn, and their probabilities.

    Worst cases and curves are searched as for other laws.
    """

    family: Family
    most: int
    name: ClassVar[str] = "stopping"
    is_unimodal: ClassVar[bool] = False

    @property
    def title(self) -> str:
        """The rule in words, and whether it has no effect."""
        stopped = rule_of(self.family).outcomes(self.most)
        never = (stopped.outcomes.trials == stopped.rule.most).all()
        return f"{stopped.rule.title}{', which never ends them before n' if never else ''}"

    def content(self) -> Mapping[str, Any]:
        return {self.name: self.family.name, **_known_as(rule_of(self.family), self.most)}

    def draw(
        self,
        parameter: npt.ArrayLike,
        size: float,
        rng: np.random.Generator,
        count: int | None = None,
    ) -> Integers:
        """Draw the trials from look to look; the rule is asked at each of them."""
        open_rule = rule_of(self.family)
        rule, stopped = open_rule.up_to(self.most), open_rule.outcomes(self.most)
        p = np.broadcast_to(parameter, (count or np.size(parameter),))
        found = np.empty(p.size, np.int64)
        running, x, made = np.arange(p.size), np.zeros(p.size, np.int64), 0
        for look in rule.looks:
            x += rng.binomial(look - made, p[running])
            made = look
            distinct, place = np.unique(x, return_inverse=True)
            ended = rule.stops(np.full(distinct.size, look), distinct)[place]
            found[running[ended]] = stopped.find(look, x[ended])
            if (found[running[ended]] < 0).any():
                raise HarnessError(f"a trial ended after {look} trials where no outcome is known")
            running, x = running[~ended], x[~ended]
            if not running.size:
                break
        return found

    def variance(self, parameter: Floats, size: float) -> Floats:
        """The variance of the successes of all trials: outcomes change on no finer scale."""
        return size * parameter * (1.0 - parameter)

    def largest_outcome(self, size: float) -> float:
        return float(rule_of(self.family).outcomes(self.most).outcomes.trials.size - 1)

    def window(self, low: float, high: float, size: float) -> tuple[int, int]:
        return 0, int(self.largest_outcome(size))

    def probabilities(self, parameter: Floats, size: float, first: int, last: int) -> Floats:
        ends = rule_of(self.family).outcomes(self.most).outcomes
        found = np.zeros((parameter.size, ends.trials.size))
        for rows, columns, probability in probability_blocks(ends, parameter):
            found[rows, columns] = probability
        return found[:, first : last + 1]


@lru_cache(maxsize=64)
def _known_as(rule: OpenRule, most: int) -> Mapping[str, str]:
    """Return a digest of the looks and outcomes of a rule that is a function, else nothing."""
    if not rule.is_function:
        return {}
    found = rule.outcomes(most)
    ends = found.rule.looks, found.outcomes.trials, found.outcomes.successes
    return {STOPPING: hashlib.sha256(np.concatenate(ends).astype(np.int64).tobytes()).hexdigest()}


def _law(scenario: Scenario) -> Stopped:
    return Stopped(scenario.family, int(scenario.size))


@dataclass(frozen=True)
class StoppingSolver(Solver):
    """The exact engines, from the probabilities of the outcomes at many true values at once."""

    largest_solved: ClassVar[float] = np.inf

    def listed(self) -> Iterator[tuple[float, Integers, Floats]]:
        truths = self.scenario.design.values(self.scenario)[0]
        for rows, columns, probability in probability_blocks(
            stopped_of(self.scenario).outcomes, truths
        ):
            for value, row in zip(truths[rows].tolist(), probability, strict=True):
                yield value, columns, row

    def hull(self) -> tuple[Span, ...]:
        return (self.scenario.truth.effective_support,)

    def whole_range(self) -> tuple[Span, ...]:
        return (self.scenario.model.SUPPORT,)

    def outcomes_to_verify(self, prior: Prior | None) -> Integers:
        return self.possible_outcomes()

    def outcome_weights(self, outcomes: Integers) -> Floats:
        if not self.scenario.truth.is_discrete:
            return self.scenario.distribution_weights(outcomes)
        return super().outcome_weights(outcomes)

    def search(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None] | None:
        return worst_cases_by_law(_law(self.scenario), self.scenario.size, limits, over[0])

    def miss_curve(self, limits: Limits) -> MissCurve | None:
        return of_law(_law(self.scenario), self.scenario, limits)

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows] | None:
        return rows_of_stopped(self.scenario, truths[0])

    def places(self, over: Sequence[Span]) -> Places | None:
        return places_of_one(self.scenario, over[0])

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        return 4.0 * float(self.scenario.size) ** 2  # each step adds four numbers

    verify = verify


STOPPED = replace(
    ONE_SAMPLE,
    name=A_STOPPING_RULE,
    outcomes=Outcomes(
        count=lambda scenario: float(stopped_of(scenario).outcomes.trials.size),
        draw=lambda scenario, truths, rng, count: _law(scenario).draw(
            truths[0], scenario.size, rng, count
        ),
        encode=lambda scenario, x, trials: stopped_of(scenario).find(trials, x),
        decode=_decode,
        trials_unit=lambda scenario: int(scenario.size) + 1,
        at_once=1 << 15,
    ),
    distributions=Distributions(
        lambda scenario, trials, rng: (as_distribution(scenario.truth).draw(trials, rng),),
        _weights,
        _posterior,
    ),
    samples=lambda _: (),
    trials_made=lambda scenario, outcomes: stopped_of(scenario).outcomes.trials[outcomes],
    sampling_title=lambda scenario: _law(scenario).title,
    refuse=_refuse,
    known_as=lambda scenario: _known_as(rule_of(scenario.family), int(scenario.size)),
    exact=StoppingSolver,
)
