"""Compare a method with another one: their exact numbers, their very limits, or their miss rates.

Miss rates are compared on the same trials, where one of the two methods is stochastic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from harness.agreement import holm, two_sided_p
from harness.base.errors import IntervalNotFoundError, MethodError
from harness.base.numerics.arrays import Floats, Integers
from harness.callers.source import NO_POINT
from harness.checks.baseline.limits import (
    LARGEST_SEVERITY,
    MovedLimit,
    between,
    default_points,
    outcomes_at,
)
from harness.checks.behaviour import LENGTH, MEAN, WORST, key_columns, measures
from harness.checks.conformance.grid import (
    CountGrid,
    GridBlock,
    conformance_grid,
)
from harness.checks.contract.exact import MARGIN
from harness.checks.findings import (
    AGAINST,
    FAIL,
    INCONCLUSIVE,
    PASS,
    USUAL_ALPHA,
    Finding,
    format_cell,
    with_digits_apart,
)
from harness.checks.options import USUAL, Tolerance
from harness.checks.plans import scenario_of
from harness.checks.report import Gains, GainTally
from harness.checks.scenarios import (
    TRIALS,
    AllowedRate,
    draw,
    format_trials_needed,
    misses,
    trials_needed,
)
from harness.checks.sizes import ANYWHERE, Restriction, Size
from harness.checks.subject import Subject
from harness.methods.method import LimitPair
from harness.methods.paired.score import tango

SEARCHED, SEARCHED_LARGE = 1e-6, 0.05
"""What the search for the worst alpha of two samples may miss, relative to the reference's.

At sizes up to ``LARGEST`` it goes along the lines of all limits. Against an independent search of
every line and gap, over 804 cells of the catalogue's methods up to n = (40, 30) and exposures
(10, 2), it missed at most 1e-11; the rest is for limits that differ by rounding. Beyond, where it
climbs from many starts, it missed nothing that counts in 36 of 37 cells, and 0.6 % in one.
"""
LARGEST = {"n1": 60.0, "n2": 60.0, "exposure1": 5.0, "exposure2": 5.0}


@dataclass(frozen=True)
class ComparedMeasure:
    """A number by which methods are compared."""

    column: str
    title: str
    badness: Callable[[float], float]
    """Return how bad a number is: the larger, the worse."""
    is_relative: bool

    def excess(
        self, row: Mapping[str, float], keys: Sequence[str], tolerance: Tolerance
    ) -> float | None:
        """By how much a method is worse than its reference; None where it is not worse.

        Args:
            row: the measure of both at one size and alpha, the reference's with the suffix
                ``_reference``.
            keys: the names of the sizes and of alpha.
            tolerance: the largest differences that are none.
        """
        new, old = row[self.column], row[f"{self.column}_reference"]
        if new == old:
            # One-sided limits of an unbounded parameter are infinitely long.
            return None
        allowed = tolerance.length * self.badness(old) if self.is_relative else tolerance.alpha
        if self.column == WORST and len(keys) > len(("n", "alpha")):
            is_large = any(row[name] > most for name, most in LARGEST.items() if name in row)
            allowed = max((SEARCHED_LARGE if is_large else SEARCHED) * old, allowed)
        excess = self.badness(new) - self.badness(old)
        return None if excess <= allowed else excess

    def swapped(self, row: Mapping[str, float]) -> dict[str, float]:
        """The row with the measure of the method and that of its reference exchanged."""
        other = f"{self.column}_reference"
        return {**row, self.column: row[other], other: row[self.column]}


MEASURES = (
    ComparedMeasure(WORST, "worst alpha", float, False),
    ComparedMeasure(MEAN, "mean alpha error", abs, False),
    ComparedMeasure(LENGTH, "length", float, True),
)


def gains_and_losses(
    measured: pl.DataFrame, reference: pl.DataFrame, name: str, tolerance: Tolerance
) -> Gains | None:
    """Compare two tables of ``measures`` at the sizes and alphas that both have.

    Args:
        measured: the measures of the method.
        reference: the measures that it is compared with.
        name: the name of the reference.
        tolerance: the largest differences that are none.

    Returns:
        A tally for each measure; None where the tables have no sizes and alphas in common.
    """
    keys = key_columns(measured)
    columns = [*keys, WORST, MEAN, LENGTH]
    rows = list(
        measured[columns]
        .join(reference[columns], on=keys, suffix="_reference")
        .drop_nulls()
        .iter_rows(named=True)
    )
    if not rows:
        return None
    tallies = []
    for measure in MEASURES:
        signs, changes = [], []
        for row in rows:
            worse = measure.excess(row, keys, tolerance)
            better = measure.excess(measure.swapped(row), keys, tolerance)
            change = (worse or 0.0) - (better or 0.0)
            old = row[f"{measure.column}_reference"]
            if measure.is_relative and change:
                change = change / old if old else math.nan
            signs.append((worse is not None) - (better is not None))
            changes.append(change)
        finite = [change for change in changes if math.isfinite(change)]
        tallies.append(
            GainTally(
                measure.title,
                better=signs.count(-1),
                same=signs.count(0),
                worse=signs.count(1),
                mean_change=math.fsum(finite) / len(finite) if finite else None,
                relative=measure.is_relative,
            )
        )
    return Gains(name, tuple(tallies))


_TINY = 1e-300
"""Instead of the length of an interval of length 0."""
_NOT_COMPARABLE = 1e9
"""The severity of a failure that leaves no numbers to compare."""


@dataclass(frozen=True)
class Compared:
    """A method against another one, or against its baseline."""

    findings: list[Finding]
    gains: Gains | None = None
    """What is better and worse; None where not both have numbers."""


def compare_with_method(
    subject: Subject,
    reference: Subject,
    sizes: Sequence[Size],
    alphas: Sequence[float],
    tolerance: Tolerance = USUAL,
) -> Compared:
    """Compare a method with another one at every size and alpha.

    Args:
        subject: a deterministic method.
        reference: another deterministic method of its family.
        sizes: the sizes.
        alphas: the alphas at each size.
        tolerance: the largest differences that are not worse.

    Returns:
        The findings of ``compare_measures``; one failure where a method has no limits.
    """
    try:
        measured, other = measures(subject, sizes, alphas), measures(reference, sizes, alphas)
    except (MethodError, IntervalNotFoundError) as fault:
        return Compared([not_comparable(reference.label, fault)])
    return Compared(
        compare_measures(measured, other, reference.label, tolerance),
        gains_and_losses(measured, other, reference.label, tolerance),
    )


def not_comparable(name: str, fault: Exception) -> Finding:
    """The failure where a method has no limits, and so nothing can be compared."""
    return Finding(f"against {name}", AGAINST, FAIL, str(fault), {}, _NOT_COMPARABLE)


def compare_measures(
    measured: pl.DataFrame, reference: pl.DataFrame, name: str, tolerance: Tolerance = USUAL
) -> list[Finding]:
    """Compare two tables of ``measures`` over the same sizes and alphas.

    Worse is a larger worst alpha, a mean alpha error further from 0, or a longer interval.

    Args:
        measured: the measures of the method.
        reference: the measures that it is compared with.
        name: the name of the reference.
        tolerance: the largest differences that are not worse. For the worst
            alpha of two samples it is at least what the search for it may miss.

    Returns:
        For each measure a failure for each size and alpha where it is worse, or one pass.
    """
    keys = key_columns(measured)
    rows = measured.join(reference, on=keys, suffix="_reference", maintain_order="left")
    findings = []
    for measure in MEASURES:
        check, worse = f"against {name}: {measure.title}", []
        for row in rows.iter_rows(named=True):
            excess = measure.excess(row, keys, tolerance)
            if excess is None:
                continue
            new, old = row[measure.column], row[f"{measure.column}_reference"]
            scale = measure.badness(old) if measure.is_relative else row["alpha"]
            place = {key: row[key] for key in keys}
            number, expected = with_digits_apart(new, old)
            text = f"{number} at {format_cell(place)}, where {name} has {expected}"
            message = f"{text}: worse by {excess:.2g}"
            cell = {**place, "found": new, "expected": old}
            severity = excess / max(scale, _TINY)
            worse.append(Finding(check, AGAINST, FAIL, message, cell, severity))
        message = f"no worse at {rows.height} sizes and alphas"
        findings += worse or [Finding(check, AGAINST, PASS, message, {})]
    return findings


def check_same(
    subject: Subject,
    reference: Subject,
    tolerance: float,
    restriction: Restriction = ANYWHERE,
) -> Finding:
    """Compare the limits of two methods at the outcomes of the conformance grid and of a baseline.

    Args:
        subject: a deterministic method.
        reference: another one, with the same sides.
        tolerance: the largest difference of equal limits; relative for limits larger than 1.
        restriction: the sizes and alphas that the check is restricted to.

    Returns:
        One finding; a failure has the first outcome at which a limit differs, of the smallest size
        and of the alpha nearest to 0.05.
    """
    name = f"against {reference.label}: same limits"
    count, apart, farthest = 0, 0, 0.0
    first: MovedLimit | None = None
    for outcomes, alpha in _points(subject, reference, restriction):
        observed = outcomes.observed()
        for side in subject.sides:
            one = subject.limits(observed, alpha, side)
            other = reference.limits(observed, alpha, side)
            limits = np.array((one.lower, one.upper, other.lower, other.upper))
            for answers in (one, other):
                for place, failure in answers.failures.items():
                    if failure.startswith(NO_POINT):
                        # One of the two is a table, which lacks the outcome.
                        limits[:, place] = np.nan
            new, old = (limits[0], limits[1]), (limits[2], limits[3])
            moved = between(outcomes, alpha, new, old, tolerance)
            count += int((~np.isnan(limits[:2])).sum())
            apart += len(moved)
            farthest = max([farthest, *(limit.distance for limit in moved)])
            first = first or next(iter(moved), None)
    if first is None:
        return Finding(name, AGAINST, PASS, f"the same {count} limits", {})
    message = (
        f"{first.describe(reference.label)} ({apart} of {count} limits differ, by up to "
        f"{farthest:.2g})"
    )
    return Finding(name, AGAINST, FAIL, message, first.numbers, min(farthest, LARGEST_SEVERITY))


def _points(
    subject: Subject, reference: Subject, restriction: Restriction
) -> Iterator[tuple[CountGrid, float]]:
    """The outcomes of each size with each alpha there, the usual one first."""
    family = subject.family
    largest_sizes = [
        method.largest_size for method in (subject, reference) if method.largest_size is not None
    ]
    largest = min(largest_sizes, default=None)
    blocks = conformance_grid(family, largest, restriction)
    # Methods of lists are not compared.
    points = default_points(family, restriction.sizes, restriction.alphas, largest)
    of_sums = [
        GridBlock(outcomes_at(family, size), points.alphas_in_sums) for size in points.sizes_in_sums
    ]
    for block in of_sums + blocks:
        for alpha in sorted(block.alphas, key=lambda alpha: abs(math.log(alpha / USUAL_ALPHA))):
            yield block.outcomes, alpha


ALPHA = 0.05
"""The alpha of the two-sided interval for the difference of two miss rates."""


@dataclass(frozen=True)
class DiscordantTrials:
    """The trials of one size and alpha that only one of two methods misses."""

    sizes: Mapping[str, float]
    """The sizes by name."""
    alpha: float
    trials: int
    only_found: int
    """Trials that only the method under check misses."""
    only_reference: int
    """Trials that only the reference misses."""

    def finding(
        self, name: str, interval: tuple[float, float], p_value: float, margin: float | None
    ) -> Finding:
        """What they say about the miss rates.

        Args:
            name: of the reference.
            interval: of the difference of the miss rates.
            p_value: of McNemar's test, after Holm.
            margin: the largest excess of the miss rate that passes; None for 0.3·alpha.
        """
        margin = MARGIN * self.alpha if margin is None else margin
        verdict = AllowedRate(margin).verdict(*interval)
        difference = (self.only_found - self.only_reference) / self.trials
        place = {**self.sizes, "alpha": self.alpha}
        shares = (difference, *interval, margin)
        more, low, high, most = (f"{100 * share:+.2f} %" for share in shares)
        p_text = f"= {p_value:.2g}" if p_value > 0 else "< 1e-300"
        message = (
            f"{more} over that of {name} in {self.trials} trials at {format_cell(place)}: "
            f"{low} to {high}, margin {most}, McNemar's p {p_text} after Holm"
        )
        if verdict == INCONCLUSIVE:
            message += format_trials_needed(
                trials_to_conclude(self.only_found, self.only_reference, self.trials, margin)
            )
        cell = {
            **place,
            "trials": self.trials,
            "only_found": self.only_found,
            "only_reference": self.only_reference,
            "lower": interval[0],
            "upper": interval[1],
            "margin": margin,
            "level": ALPHA,
            "p_value": p_value,
        }
        severity = max(interval[1] - margin, 0.0) / self.alpha
        return Finding(f"against {name}: miss rate", AGAINST, verdict, message, cell, severity)


def paired_test(
    subject: Subject,
    reference: Subject,
    sizes: Sequence[Size],
    alphas: Sequence[float],
    *,
    margin: float | None = None,
    trials: int = TRIALS,
    seed: int = 2003,
) -> list[Finding]:
    """Compare the miss rates of two methods at each size and alpha.

    The verdict is that of Tango's interval for the difference of the miss rates against the
    margin. The message also has the p-value of McNemar's test, which decides nothing: with enough
    trials every difference is significant.

    Args:
        subject: the method under check.
        reference: another method of its family with a side in common; one of the two is
            stochastic.
        sizes: the sizes.
        alphas: the alphas at each size.
        margin: the largest excess of the miss rate that passes; by default 0.3·alpha.
        trials: at each size, the same for all alphas.
        seed: of all draws.

    Returns:
        A finding for each size and alpha; one failure where a method has no limits.
    """
    name = reference.label
    cells = []
    try:
        for size in sizes:
            scenario = scenario_of(subject.family, size)
            # The same truths and outcomes for both methods and all alphas.
            truth, outcomes = draw(scenario, trials, seed)
            by_name = scenario.named_sizes
            for alpha in alphas:
                one = misses(subject, scenario, outcomes, truth, alpha)
                other = misses(reference, scenario, outcomes, truth, alpha)
                only_one, only_other = int((one & ~other).sum()), int((other & ~one).sum())
                cells.append(DiscordantTrials(by_name, alpha, trials, only_one, only_other))
        b = np.array([cell.only_found for cell in cells])
        c = np.array([cell.only_reference for cell in cells])
        n = np.array([cell.trials for cell in cells], np.float64)
        p_values = holm(mcnemar_p(b, c))
        lower, upper = paired_interval(b.astype(np.float64), c.astype(np.float64), n)
        return [
            cell.finding(name, (float(lower[i]), float(upper[i])), float(p_values[i]), margin)
            for i, cell in enumerate(cells)
        ]
    except (MethodError, IntervalNotFoundError) as fault:
        return [not_comparable(name, fault)]


def mcnemar_p(only_first: Integers, only_second: Integers) -> Floats:
    """McNemar's exact p-value: twice the smaller tail of Binomial(b + c, ½) at b, at most 1.

    If two methods miss equally often, each is equally likely to be the one that misses a trial
    that only one of them misses. Trials that both miss, or neither does, carry no information;
    without discordant trials p is 1.

    McNemar (1947), Psychometrika 12, 153–157; the exact form in Fagerland, Lydersen and Laake
    (2013), BMC Med. Res. Methodol. 13:91.

    Args:
        only_first: b, trials that only the first method misses, shape (m,).
        only_second: c, trials that only the second method misses, shape (m,).

    Returns:
        The p-values, shape (m,).
    """
    return two_sided_p(only_first, only_first + only_second, np.full(only_first.shape, 0.5))


def paired_interval(b: Floats, c: Floats, n: Floats, alpha: float = ALPHA) -> LimitPair:
    """Tango's interval of the difference of two proportions of the same trials.

    It does not degenerate without discordant trials: the limits are then ±z²/(n + z²).

    Args:
        b: trials in which only the first proportion has a success, shape (m,).
        c: trials in which only the second proportion has a success, shape (m,).
        n: all trials, discordant or not, shape (m,).
        alpha: the probability outside the interval, half of it on either side.

    Returns:
        Lower and upper limits of the difference of the two proportions, shape (m,) each.

    Raises:
        IntervalNotFoundError: the score equation has no root.
    """
    # The limits depend on the concordant trials by their number alone.
    return tango((n - b - c, b, c, np.zeros_like(n)), alpha / 2)


def trials_to_conclude(b: int, c: int, n: int, margin: float) -> int | None:
    """The number of trials that suffices for pass or fail if the fractions b/n and c/n stay.

    Args:
        b: trials in which only the first proportion has a success.
        c: trials in which only the second proportion has a success.
        n: all trials, which do not suffice.
        margin: the largest difference of the proportions that passes.

    Returns:
        The number of trials; None where no number suffices.
    """

    def concludes(trials: int) -> bool:
        counts = np.array([[b * (trials / n)], [c * (trials / n)], [trials]], np.float64)
        lower, upper = paired_interval(*counts)
        return AllowedRate(margin).verdict(float(lower[0]), float(upper[0])) != INCONCLUSIVE

    return trials_needed(concludes, n)
