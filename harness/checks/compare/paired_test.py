"""Does a method miss more often than another one? Both on the same draws, for stochastic ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from harness.agreement import holm, two_sided_p
from harness.checks.conformance.runner import where
from harness.checks.contract.exact import MARGIN
from harness.checks.draws import TRIALS, draw, missed
from harness.checks.report import AGAINST, FAIL, INCONCLUSIVE, PASS, Finding, Verdict
from harness.checks.scenarios import Size, scenario_of
from harness.checks.subjects.subject import Subject
from harness.checks.trials import smallest_number
from harness.errors import IntervalNotFoundError
from harness.numerics.arrays import Floats, Integers, Positions
from harness.numerics.root_finding import bracketed_newton
from harness.scenario import Scenario, sizes_by_name


@dataclass(frozen=True)
class Discordance:
    """The trials of one size and alpha that just one of two methods misses."""

    sizes: Mapping[str, float]
    """By their names."""
    alpha: float
    trials: int
    only_found: int
    only_reference: int


def against_draws(
    subject: Subject,
    reference: Subject,
    sizes: Sequence[Size],
    alphas: Sequence[float],
    *,
    margin: float | None = None,
    trials: int = TRIALS,
    seed: int = 2003,
) -> list[Finding]:
    """A finding for each size and alpha.

    The verdict is that of Tango's interval for the difference of the miss rates against the
    margin; that it is significant by McNemar's test is told, but fails nobody: enough trials
    make every trifle significant.

    Args:
        subject, reference: of one family and with a side in common, one of them stochastic.
        sizes, alphas: where both are looked at.
        margin: of the miss rate, up to which more misses are no fault; by default 0.3·alpha.
        trials: at each size, the same for all alphas.
        seed: of all draws.

    Raises:
        MethodError: one of them has no limits at an outcome.
    """
    name, family = reference.label, subject.family
    cells = [
        cell
        for size in sizes
        for cell in _discordances(
            subject, reference, scenario_of(family, size), alphas, trials, seed
        )
    ]
    b = np.array([cell.only_found for cell in cells])
    c = np.array([cell.only_reference for cell in cells])
    n = np.array([cell.trials for cell in cells], np.float64)
    margins = np.array([MARGIN * cell.alpha if margin is None else margin for cell in cells])
    p_values = holm(mcnemar_p(b, c))
    first, second = b.astype(np.float64), c.astype(np.float64)
    lower, upper = paired_interval(first, second, n)
    verdicts = verdict(first, second, n, margins)
    return [
        _finding(cell, name, judged, (low, high), most, p_value)
        for cell, judged, low, high, most, p_value in zip(
            cells,
            verdicts,
            lower.tolist(),
            upper.tolist(),
            margins.tolist(),
            p_values.tolist(),
            strict=True,
        )
    ]


def _discordances(
    subject: Subject,
    reference: Subject,
    scenario: Scenario,
    alphas: Sequence[float],
    trials: int,
    seed: int,
) -> list[Discordance]:
    """Both methods on the same truths and outcomes."""
    truth, outcomes = draw(scenario, trials, seed)
    found, sizes = [], sizes_by_name(scenario)
    for alpha in alphas:
        one, other = (
            missed(each, scenario, outcomes, truth, alpha) for each in (subject, reference)
        )
        only_one, only_other = int((one & ~other).sum()), int((other & ~one).sum())
        found.append(Discordance(sizes, alpha, trials, only_one, only_other))
    return found


def _finding(
    cell: Discordance,
    name: str,
    outcome: Verdict,
    interval: tuple[float, float],
    margin: float,
    p_value: float,
) -> Finding:
    difference = (cell.only_found - cell.only_reference) / cell.trials
    place = where({**cell.sizes, "alpha": cell.alpha})
    more, low, high, most = (f"{100 * value:+.2f} %" for value in (difference, *interval, margin))
    message = (
        f"{more} over that of {name} in {cell.trials} trials at {place}: "
        f"{low} to {high}, margin {most}, McNemar's p {_told(p_value)} after Holm"
    )
    if outcome == INCONCLUSIVE:
        needed = trials_to_conclude(cell.only_found, cell.only_reference, cell.trials, margin)
        message += f"; {'no number of' if needed is None else needed} trials would conclude it"
    return Finding(
        check=f"against {name}: miss rate",
        kind=AGAINST,
        verdict=outcome,
        message=message,
        cell={
            **cell.sizes,
            "alpha": cell.alpha,
            "trials": cell.trials,
            "only_found": cell.only_found,
            "only_reference": cell.only_reference,
            "lower": interval[0],
            "upper": interval[1],
            "margin": margin,
            "level": ALPHA,
            "p_value": p_value,
        },
        severity=max(interval[1] - margin, 0.0) / cell.alpha,
    )


def _told(p_value: float) -> str:
    return f"= {p_value:.2g}" if p_value > 0 else "< 1e-300"


def mcnemar_p(only_first: Integers, only_second: Integers) -> Floats:
    """Twice the smaller tail of Binomial(b + c, ½) at b, at most 1; shape of the arguments.

    Given that just one of two methods misses, each is as likely to be that one if both miss
    equally often. The trials that both miss, or neither does, say nothing; without discordant
    trials p is 1.

    McNemar (1947), Psychometrika 12, 153–157; the exact form in Fagerland, Lydersen and Laake
    (2013), BMC Med. Res. Methodol. 13:91.

    Args:
        only_first, only_second: trials that the one method misses and the other does not.
    """
    return two_sided_p(only_first, only_first + only_second, np.full(only_first.shape, 0.5))


ALPHA = 0.05
"""Of the two-sided interval by which a difference is judged."""


def paired_interval(b: Floats, c: Floats, n: Floats, alpha: float = ALPHA) -> tuple[Floats, Floats]:
    """All δ with |d − δ| ≤ z √(V(δ)/n), where d = (b − c)/n and V = 2q + δ(1 − δ).

    q is the most likely probability of a trial of the second kind where the first is more
    probable by δ: the larger root of 2n q² + (c(δ − 1) − b(δ + 1) + 2nδ) q − cδ(1 − δ) = 0. It
    does not degenerate without discordant trials: the limits are then ±z²/(n + z²).

    Tango (1998), Stat. Med. 17, 891–908.

    Args:
        b, c: trials of which only the first, or only the second, is a success; shape (m,).
        n: all trials, discordant or not.
        alpha: left outside, half of it on either side.
    """
    return -_upper(c, b, n, alpha), _upper(b, c, n, alpha)


def _upper(b: Floats, c: Floats, n: Floats, alpha: float) -> Floats:
    """The root of z² V(δ)/n = (δ − d)² above d; 1 where d is 1."""
    estimate, z = (b - c) / n, -float(ndtri(alpha / 2))
    upper = np.ones_like(estimate)
    open_ = np.flatnonzero(estimate < 1)
    b, c, n, d = b[open_], c[open_], n[open_], estimate[open_]

    def excess(delta: Floats, index: Positions) -> tuple[Floats, Floats]:
        variance, slope = _variance(b[index], c[index], n[index], delta)
        distance = delta - d[index]
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.log(z * z * variance / n[index]) - 2.0 * np.log(distance)
            return value, slope / variance - 2.0 / distance

    start = d + z * np.sqrt(np.maximum((b + c) / n - d * d, 0.0) / n) + z * z / n
    upper[open_], reached = bracketed_newton(excess, d, np.ones_like(d), start)
    if not reached.all():
        raise IntervalNotFoundError("no root of the paired score equation")
    return upper


def _variance(b: Floats, c: Floats, n: Floats, delta: Floats) -> tuple[Floats, Floats]:
    """V(δ) and its derivative."""
    linear = c * (delta - 1.0) - b * (delta + 1.0) + 2.0 * n * delta
    product = c * delta * (1.0 - delta)
    root = np.sqrt(np.maximum(linear * linear + 8.0 * n * product, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of the two forms of the larger root the one whose terms have one sign.
        q = np.where(linear > 0, 2.0 * product / (root + linear), (root - linear) / (4.0 * n))
        fall = ((c - b + 2.0 * n) * q - c * (1.0 - 2.0 * delta)) / root
    return 2.0 * q + delta * (1.0 - delta), 1.0 - 2.0 * delta - 2.0 * fall


def verdict(b: Floats, c: Floats, n: Floats, margin: Floats, alpha: float = ALPHA) -> list[Verdict]:
    """Whether the first proportion exceeds the second by the margin at most, for each entry.

    pass: the whole interval lies within the margin; fail: all of it beyond.
    """
    lower, upper = paired_interval(b, c, n, alpha)
    return [
        PASS if high <= most else FAIL if low > most else INCONCLUSIVE
        for low, high, most in zip(lower, upper, margin, strict=True)
    ]


def trials_to_conclude(b: int, c: int, n: int, margin: float, alpha: float = ALPHA) -> int | None:
    """How many trials end with pass or fail if the fractions stay as they are; None: no number."""

    def concludes(trials: int) -> bool:
        first, second = b * (trials / n), c * (trials / n)
        row = np.array([[first], [second], [trials], [margin]], np.float64)
        return verdict(row[0], row[1], row[2], row[3], alpha) != [INCONCLUSIVE]

    return smallest_number(concludes, n)
