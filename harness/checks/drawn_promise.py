"""What a stochastic method promises, held against trials: exact numbers it has none."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from harness.checks.conformance import where
from harness.checks.draws import draw, draw_at, missed
from harness.checks.promise import AT_LEAST, MARGIN, NONE, Contract, most_inside
from harness.checks.records import CONTRACT, FAIL, INCONCLUSIVE, PASS, Finding, Verdict
from harness.checks.scenarios import Size, scenario_of, truths_inside
from harness.checks.subject import Subject
from harness.checks.trials import smallest_number
from harness.engines.estimate import fraction_interval
from harness.errors import MethodError
from harness.methods.method import TWO_SIDED
from harness.scenario import AnyScenario, sizes_by_name

MEAN, WORST, DRAWN = "mean alpha error, drawn", "worst alpha, drawn", "can be drawn"
TRUTHS_OF_ONE, TRUTHS_OF_TWO = 9, 3
"""Truths of each sample that the worst case is sought at, ends included."""
SHARE = 10
"""Of the trials of a size, one in so many at each of its truths."""


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
    """A finding for each number promised, size and alpha, each judged by its 95 % interval.

    nominal: the mean alpha error over uniform truths within the margin, and at a few truths inside
    the range a miss rate of at most 4·alpha, of one-sided limits 8·alpha; pass where the whole
    interval keeps to that, fail where none of it does. at-least: at those truths a miss rate of at
    most alpha, which trials can refute and not show.

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
    try:
        return [
            finding
            for size, alpha in itertools.product(sizes, alphas)
            for finding in _findings(contract, subject, size, alpha, trials, margin, seed)
        ]
    except MethodError as fault:
        text = str(fault).removeprefix(f"{subject.label}: ")
        return [Finding(DRAWN, CONTRACT, FAIL, text, {}, 1.0)]


def _findings(
    contract: Contract,
    subject: Subject,
    size: Size,
    alpha: float,
    trials: int,
    margin: float | None,
    seed: int,
) -> Iterator[Finding]:
    scenario = scenario_of(subject.family, size)
    if contract == AT_LEAST:
        yield _worst(subject, scenario, alpha, alpha, trials, seed, provable=False)
        return
    yield _mean(
        subject, scenario, alpha, trials, MARGIN * alpha if margin is None else margin, seed
    )
    most = most_inside(TWO_SIDED not in subject.sides) * alpha
    yield _worst(subject, scenario, alpha, most, trials, seed, provable=True)


def _mean(
    subject: Subject, scenario: AnyScenario, alpha: float, trials: int, margin: float, seed: int
) -> Finding:
    truth, outcomes = draw(scenario, trials, seed)
    misses = int(missed(subject, scenario, outcomes, truth, alpha).sum())

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
        needed = smallest_number(lambda count: judged(count) != INCONCLUSIVE, trials)
        message += f"; {'no number of' if needed is None else needed} trials would conclude it"
    numbers = {"trials": trials, "found": error, "expected": margin, "seed": seed}
    return Finding(MEAN, CONTRACT, verdict, message, {**cell, **numbers}, abs(error) / margin)


def _worst(
    subject: Subject,
    scenario: AnyScenario,
    alpha: float,
    most: float,
    trials: int,
    seed: int,
    provable: bool,
) -> Finding:
    """The miss rate at the truth where it is largest of those looked at."""
    count = max(trials // SHARE, 1)
    truths = _truths(scenario)
    found = []
    for place, at in enumerate(truths):
        truth, outcomes = draw_at(scenario, at, count, seed, place)
        found.append(int(missed(subject, scenario, outcomes, truth, alpha).sum()))
    place = int(np.argmax(found))
    low, high = _interval(found[place], count)
    verdict: Verdict = INCONCLUSIVE
    if low > most:
        verdict = FAIL
    elif high <= most and provable:
        verdict = PASS
    cell = {**sizes_by_name(scenario), "alpha": alpha}
    told = ", ".join(f"{value:.4g}" for value in truths[place])
    message = (
        f"{found[place] / count:.4g} ({low:.4g} to {high:.4g}) in {count} trials at {where(cell)}, "
        f"truth {told}, the worst of {len(truths)}, where {most:.4g} is allowed"
    )
    if verdict == INCONCLUSIVE:
        message += "; " + _needed(found[place] / count, most, count, provable)
    numbers = {"trials": count, "found": found[place] / count, "expected": most, "seed": seed}
    return Finding(WORST, CONTRACT, verdict, message, {**cell, **numbers}, low / most)


def _needed(rate: float, most: float, trials: int, provable: bool) -> str:
    """How many trials at each truth would conclude it."""

    def concludes(count: int) -> bool:
        low, high = _interval(rate * count, count)
        return low > most or (provable and high <= most)

    needed = smallest_number(concludes, trials)
    if needed is None:
        return "trials may refute it, and cannot show it"
    return f"{SHARE * needed} trials would conclude it"


def _truths(scenario: AnyScenario) -> list[tuple[float, ...]]:
    """Equally spaced inside the range, of two samples all pairs of them."""
    spans = truths_inside(scenario)
    count = TRUTHS_OF_ONE if len(spans) == 1 else TRUTHS_OF_TWO
    return list(itertools.product(*(np.linspace(*span, count).tolist() for span in spans)))


def _interval(misses: float, trials: int) -> tuple[float, float]:
    counts = np.array([round(misses)]), np.array([trials])
    low, high = fraction_interval(*counts)
    return float(low[0]), float(high[0])
