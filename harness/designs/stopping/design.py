"""Trials of one proportion that end by a stopping rule, which the family holds.

An outcome stands for a pair: the trials that were made, and the successes among them. Outcomes are
numbered by their looks, and those of a look by their successes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from harness.base.errors import HarnessError, InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Distributions, Outcomes, Scenario
from harness.designs.engines.solver import Places, Solver
from harness.designs.engines.verification import (
    Rows,
)
from harness.designs.limits import Limits
from harness.designs.miss_curve import MissCurve, of_law
from harness.designs.one_sample.design import ONE_SAMPLE, places_of_one
from harness.designs.one_sample.law_worst_case import worst_cases as worst_cases_by_law
from harness.designs.results import WorstCase
from harness.designs.stopping import verification
from harness.designs.stopping.family import A_STOPPING_RULE, rule_of
from harness.designs.stopping.open_rule import MOST, OpenRule
from harness.designs.stopping.paths import StoppedTrials, probability_blocks
from harness.distributions.sampling.law import Law
from harness.distributions.truths import Prior, as_distribution
from harness.families.combination import Span
from harness.families.family import STOPPING, Family
from harness.families.model import truth_posterior

LARGEST_MOST = 10_000
"""The most trials of a rule: the number of paths is counted for each trial and each count."""


def stopped_of(scenario: Scenario) -> StoppedTrials:
    """Return the outcomes of a scenario."""
    return rule_of(scenario.family).outcomes(int(scenario.size))


def _weights(scenario: Scenario, outcomes: Integers) -> Floats:
    """Return Pr(t, x) under the distribution of the truth: the share times that at a fixed t."""
    ends, truth = stopped_of(scenario).outcomes.at(outcomes), as_distribution(scenario.truth)
    weights = np.empty(outcomes.size)
    trials, place = np.unique(ends.trials, return_inverse=True)
    starts = np.cumsum(np.bincount(place))[:-1]
    for number, part in enumerate(np.split(np.argsort(place, kind="stable"), starts)):
        x = ends.successes[part].astype(np.int64)
        weights[part] = scenario.model.outcome_weights(truth, x, float(trials[number]))
    return weights * ends.share


def _posterior(scenario: Scenario, outcomes: Integers) -> Any:
    """Return the posterior given (t, x), in which the rule has no part."""
    ends, truth = stopped_of(scenario).outcomes.at(outcomes), as_distribution(scenario.truth)
    return truth_posterior(scenario.model, truth, ends.successes, ends.trials)


def _decode(scenario: Scenario, outcomes: Integers) -> tuple[Integers, ...]:
    ends = stopped_of(scenario).outcomes
    return tuple(counts[outcomes].astype(np.int64) for counts in (ends.successes, ends.trials))


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
        outcomes = np.empty(p.size, np.int64)
        running, x, made = np.arange(p.size), np.zeros(p.size, np.int64), 0
        for look in rule.looks:
            x += rng.binomial(look - made, p[running])
            made = look
            distinct, place = np.unique(x, return_inverse=True)
            ended = rule.stops(np.full(distinct.size, look), distinct)[place]
            outcomes[running[ended]] = stopped.find(look, x[ended])
            if (outcomes[running[ended]] < 0).any():
                raise HarnessError(f"a trial ended after {look} trials where no outcome is known")
            running, x = running[~ended], x[~ended]
            if not running.size:
                break
        return outcomes

    def variance(self, parameter: Floats, size: float) -> Floats:
        """The variance of the successes of all trials: outcomes change on no finer scale."""
        return size * parameter * (1.0 - parameter)

    def largest_outcome(self, size: float) -> float:
        return float(rule_of(self.family).outcomes(self.most).outcomes.trials.size - 1)

    def window(self, low: float, high: float, size: float) -> tuple[int, int]:
        return 0, int(self.largest_outcome(size))

    def probabilities(self, parameter: Floats, size: float, first: int, last: int) -> Floats:
        ends = rule_of(self.family).outcomes(self.most).outcomes
        probabilities = np.zeros((parameter.size, ends.trials.size))
        for rows, columns, probability in probability_blocks(ends, parameter):
            probabilities[rows, columns] = probability
        return probabilities[:, first : last + 1]


@lru_cache(maxsize=64)
def _known_as(rule: OpenRule, most: int) -> Mapping[str, str]:
    """Return a digest of the looks and outcomes of a rule that is a function, else nothing."""
    if not rule.is_function:
        return {}
    stopped = rule.outcomes(most)
    ends = stopped.rule.looks, stopped.outcomes.trials, stopped.outcomes.successes
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
        return verification.rows_of_stopped(self.scenario, truths[0])

    def places(self, over: Sequence[Span]) -> Places | None:
        return places_of_one(self.scenario, over[0])

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        return 4.0 * float(self.scenario.size) ** 2  # each step adds four numbers

    verify = verification.verify


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
