"""Does a method miss more often than another one? Both on the same draws, for stochastic ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.agreement import holm
from harness.checks.conformance import where
from harness.checks.draws import TRIALS, draw, missed
from harness.checks.mcnemar import mcnemar_p
from harness.checks.promise import MARGIN
from harness.checks.records import AGAINST, INCONCLUSIVE, Finding, Verdict
from harness.checks.scenarios import Size, scenario_of
from harness.checks.subject import Subject
from harness.checks.tango import ALPHA, paired_interval, trials_to_conclude, verdict
from harness.scenario import AnyScenario, sizes_by_name


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
    scenario: AnyScenario,
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
