"""What a stochastic method promises, held against trials: exact numbers it has none."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.checks.conformance.runner import where
from harness.checks.contract.exact import (
    AT_LEAST,
    MARGIN,
    NO_LARGE_SIZE,
    NOMINAL,
    NONE,
    Contract,
    is_large,
    most_inside,
)
from harness.checks.draws import draw_at, draw_under_flat_prior, missed
from harness.checks.report import CONTRACT, FAIL, INCONCLUSIVE, PASS, Finding, Verdict
from harness.checks.scenarios import Size, scenario_of, truths_inside
from harness.checks.subjects.subject import Subject
from harness.checks.trials import smallest_number
from harness.engines.estimate import INTERVAL_ALPHA, fraction_interval
from harness.errors import MethodError
from harness.methods.method import TWO_SIDED
from harness.scenario import Scenario, sizes_by_name

MEAN, WORST, DRAWN = "mean alpha error, drawn", "worst alpha, drawn", "can be drawn"
TRUTHS_OF_ONE, TRUTHS_OF_TWO = 9, 3
"""Truths of each sample that the worst case is sought at, ends included."""
SHARE = 10
"""Of the trials of a size, one in so many at each of its truths."""


@dataclass(frozen=True)
class _Looking:
    """How a stochastic method is looked at."""

    subject: Subject
    trials: int
    """At each size."""
    margin: float | None
    seed: int
    cells: int
    """How many sizes and alphas there are."""


def drawn_promise(
    contract: Contract,
    subject: Subject,
    sizes: Sequence[Size],
    alphas: Sequence[float],
    *,
    trials: int,
    margin: float | None = None,
    seed: int = 2003,
) -> list[Finding]:
    """A finding for each number promised, size and alpha, judged by 95 % intervals.

    nominal, from n = 10 on: the mean alpha error under a flat prior within the margin, and at a few
    truths inside the range a miss rate of at most 4·alpha, of one-sided limits 8·alpha. at-least:
    at those truths a miss rate of at most alpha. Pass where the whole interval keeps to that, fail
    where none of it does.

    The intervals of miss rates hold at all truths, sizes and alphas at once: a method that misses
    exactly alpha everywhere is refuted with 2.5 % of all seeds.

    Args:
        contract: what is promised.
        subject: stochastic.
        sizes, alphas: where it is looked at.
        trials: at each size.
        margin: of the mean alpha error; by default 0.3·alpha.
        seed: of all draws.
    """
    if contract == NONE:
        return []
    if contract == NOMINAL:
        sizes = [size for size in sizes if is_large(subject.family, size)]
    if not sizes:
        return [Finding(DRAWN, CONTRACT, INCONCLUSIVE, NO_LARGE_SIZE, {})]
    looking = _Looking(subject, trials, margin, seed, len(sizes) * len(alphas))
    try:
        return [
            finding
            for size, alpha in itertools.product(sizes, alphas)
            for finding in _findings(contract, looking, scenario_of(subject.family, size), alpha)
        ]
    except MethodError as fault:
        text = str(fault).removeprefix(f"{subject.label}: ")
        return [Finding(DRAWN, CONTRACT, FAIL, text, {}, 1.0)]


def _findings(
    contract: Contract, looking: _Looking, scenario: Scenario, alpha: float
) -> Iterator[Finding]:
    if contract == AT_LEAST:
        yield _worst(looking, scenario, alpha, alpha)
        return
    yield _mean(looking, scenario, alpha)
    most = most_inside(TWO_SIDED not in looking.subject.sides) * alpha
    yield _worst(looking, scenario, alpha, most)


def _mean(looking: _Looking, scenario: Scenario, alpha: float) -> Finding:
    trials, seed = looking.trials, looking.seed
    margin = MARGIN * alpha if looking.margin is None else looking.margin
    truth, outcomes = draw_under_flat_prior(scenario, trials, seed)
    misses = int(missed(looking.subject, scenario, outcomes, truth, alpha).sum())

    def judged(count: int) -> Verdict:
        low, high = _interval(misses * (count / trials), count)
        if max(abs(alpha - low), abs(alpha - high)) <= margin:
            return PASS
        return FAIL if low > alpha + margin or high < alpha - margin else INCONCLUSIVE

    verdict, (low, high) = judged(trials), _interval(misses, trials)
    error = alpha - misses / trials
    cell = {**sizes_by_name(scenario), "alpha": alpha}
    message = (
        f"{error:.4g} ({alpha - high:.4g} to {alpha - low:.4g}) in {trials} trials at "
        f"{where(cell)}, margin {margin:.4g}"
    )
    if verdict == INCONCLUSIVE:
        message += _needed(lambda count: judged(count) != INCONCLUSIVE, trials)
    numbers = {"trials": trials, "found": error, "expected": margin, "seed": seed}
    severity = abs(error) / margin if margin else np.inf
    return Finding(MEAN, CONTRACT, verdict, message, {**cell, **numbers}, severity)


def _worst(looking: _Looking, scenario: Scenario, alpha: float, most: float) -> Finding:
    """The miss rate at the truth where it is largest of those looked at."""
    count, truths = max(looking.trials // SHARE, 1), _truths(scenario)
    found = []
    for place, at in enumerate(truths):
        truth, outcomes = draw_at(scenario, at, count, looking.seed, place)
        found.append(int(missed(looking.subject, scenario, outcomes, truth, alpha).sum()))
    place = int(np.argmax(found))
    level = INTERVAL_ALPHA / (looking.cells * len(truths))

    def judged(trials: int) -> Verdict:
        low, high = _interval(found[place] * (trials / count), trials, level)
        return PASS if high <= most else FAIL if low > most else INCONCLUSIVE

    verdict, (low, high) = judged(count), _interval(found[place], count, level)
    cell = {**sizes_by_name(scenario), "alpha": alpha}
    told = ", ".join(f"{value:.4g}" for value in truths[place])
    message = (
        f"{found[place] / count:.4g} ({low:.4g} to {high:.4g}) in {count} trials at {where(cell)}, "
        f"truth {told}, the worst of {len(truths)}, where {most:.4g} is allowed"
    )
    if verdict == INCONCLUSIVE:
        message += _needed(lambda trials: judged(trials) != INCONCLUSIVE, count, SHARE)
    rate, seed = found[place] / count, looking.seed
    numbers = {"trials": count, "found": rate, "expected": most, "seed": seed}
    return Finding(WORST, CONTRACT, verdict, message, {**cell, **numbers}, low / most)


def _needed(concludes: Callable[[int], bool], trials: int, share: int = 1) -> str:
    """How many trials at each size would conclude it."""
    needed = smallest_number(concludes, trials)
    told = "no number of" if needed is None else str(share * needed)
    return f"; {told} trials would conclude it"


def _truths(scenario: Scenario) -> list[tuple[float, ...]]:
    """Equally spaced inside the range, of two samples all pairs of them."""
    spans = truths_inside(scenario)
    count = TRUTHS_OF_ONE if len(spans) == 1 else TRUTHS_OF_TWO
    return list(itertools.product(*(np.linspace(*span, count).tolist() for span in spans)))


def _interval(misses: float, trials: int, level: float = INTERVAL_ALPHA) -> tuple[float, float]:
    counts = np.array([round(misses)]), np.array([trials])
    low, high = fraction_interval(*counts, level)
    return float(low[0]), float(high[0])
