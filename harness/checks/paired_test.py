"""Compare the miss rates of two methods on the same trials, where one of them is stochastic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.agreement import holm, two_sided_p
from harness.base.errors import IntervalNotFoundError, MethodError
from harness.base.numerics.arrays import Floats, Integers
from harness.checks.compare import not_comparable
from harness.checks.contract.exact import MARGIN
from harness.checks.findings import AGAINST, INCONCLUSIVE, Finding, Verdict, format_cell
from harness.checks.plans import scenario_of
from harness.checks.scenarios import (
    TRIALS,
    AllowedRate,
    draw,
    format_trials_needed,
    misses,
    trials_needed,
)
from harness.checks.sizes import Size
from harness.checks.subject import Subject
from harness.methods.method import LimitPair
from harness.methods.paired.score import tango

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

    def verdict_after(trials: int) -> Verdict:
        counts = np.array([[b * (trials / n)], [c * (trials / n)], [trials]], np.float64)
        lower, upper = paired_interval(*counts)
        return AllowedRate(margin).verdict(float(lower[0]), float(upper[0]))

    return trials_needed(lambda trials: verdict_after(trials) != INCONCLUSIVE, n)
