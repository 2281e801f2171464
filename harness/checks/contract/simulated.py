"""Whether a method that draws its limits keeps a contract, by trials."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

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
from harness.checks.report import (
    CONTRACT,
    FAIL,
    INCONCLUSIVE,
    PASS,
    Finding,
    Verdict,
    format_cell,
)
from harness.checks.scenarios import Size, scenario_of, truths_inside
from harness.checks.subjects.subject import Subject
from harness.checks.trials import (
    draw_at,
    draw_under_flat_prior,
    format_trials_needed,
    misses,
    trials_needed,
    verdict_of,
)
from harness.engines.monte_carlo import INTERVAL_ALPHA, fraction_interval
from harness.errors import MethodError
from harness.families.catalogue import family_of
from harness.families.family import PAIRS
from harness.methods.method import TWO_SIDED
from harness.paired_truths import table_of_cells
from harness.scenario import Scenario, sizes_by_name

MEAN, WORST, DRAWN = "mean alpha error, drawn", "worst alpha, drawn", "can be drawn"
TRUTHS_OF_ONE, TRUTHS_OF_TWO = 9, 3
DISCORDANT = (0.1, 0.45)
"""The number of truths of each sample at which the worst case is sought."""
SHARE = 10
"""Each of these truths has one in so many of the trials of a size."""


@dataclass(frozen=True)
class _Simulation:
    """A method with the options of its trials."""

    subject: Subject
    trials: int
    """At each size."""
    margin: float | None
    seed: int
    cells: int
    """The number of sizes times the number of alphas."""


def check_contract_by_trials(
    contract: Contract,
    subject: Subject,
    sizes: Sequence[Size],
    alphas: Sequence[float],
    *,
    trials: int,
    margin: float | None = None,
    seed: int = 2003,
) -> list[Finding]:
    """Check a method that draws its limits against a contract, by 95 % intervals.

    - nominal, from n = 10 on: the mean alpha error under a flat prior is within the margin, and at
      a few truths inside the range the miss rate is at most 4·alpha; 8·alpha for one-sided limits.
    - at-least: at these truths the miss rate is at most alpha.

    A check passes where the whole interval is allowed, and fails where none of it is. The
    intervals of miss rates hold simultaneously for all truths, sizes and alphas: a method that
    misses exactly alpha everywhere fails with 2.5 % of all seeds.

    Args:
        contract: the contract.
        subject: a stochastic method.
        sizes: the sizes at which trials are made.
        alphas: the alphas at each size.
        trials: the number of trials at each size.
        margin: of the mean alpha error; by default 0.3·alpha.
        seed: of all draws.

    Returns:
        A finding for each number of the contract, size and alpha.
    """
    if contract == NONE:
        return []
    if contract == NOMINAL:
        sizes = [size for size in sizes if is_large(subject.family, size)]
    if not sizes:
        return [Finding(DRAWN, CONTRACT, INCONCLUSIVE, NO_LARGE_SIZE, {})]
    simulation = _Simulation(subject, trials, margin, seed, len(sizes) * len(alphas))
    try:
        return [
            finding
            for size, alpha in itertools.product(sizes, alphas)
            for finding in _check_cell(contract, simulation, size, alpha)
        ]
    except MethodError as fault:
        text = str(fault).removeprefix(f"{subject.label}: ")
        return [Finding(DRAWN, CONTRACT, FAIL, text, {}, 1.0)]


def _check_cell(
    contract: Contract, simulation: _Simulation, size: Size, alpha: float
) -> Iterator[Finding]:
    """The findings at one size and alpha."""
    scenario = scenario_of(simulation.subject.family, size)
    most = alpha
    if contract != AT_LEAST:
        yield _check_mean(simulation, scenario, alpha)
        most = most_inside(TWO_SIDED not in simulation.subject.sides) * alpha
    yield _check_worst(simulation, scenario, alpha, most)


def _check_mean(simulation: _Simulation, scenario: Scenario, alpha: float) -> Finding:
    """Whether the mean alpha error under a flat prior is within the margin."""
    trials, seed = simulation.trials, simulation.seed
    margin = MARGIN * alpha if simulation.margin is None else simulation.margin
    truth, outcomes = draw_under_flat_prior(scenario, trials, seed)
    missed = int(misses(simulation.subject, scenario, outcomes, truth, alpha).sum())

    def verdict_after(count: int) -> Verdict:
        low, high = fraction_between(missed * (count / trials), count)
        if max(abs(alpha - low), abs(alpha - high)) <= margin:
            return PASS
        return FAIL if low > alpha + margin or high < alpha - margin else INCONCLUSIVE

    verdict, (low, high) = verdict_after(trials), fraction_between(missed, trials)
    error = alpha - missed / trials
    cell = {**sizes_by_name(scenario), "alpha": alpha}
    message = (
        f"{error:.4g} ({alpha - high:.4g} to {alpha - low:.4g}) in {trials} trials at "
        f"{format_cell(cell)}, margin {margin:.4g}"
    )
    if verdict == INCONCLUSIVE:
        needed = trials_needed(lambda count: verdict_after(count) != INCONCLUSIVE, trials)
        message += format_trials_needed(needed)
    numbers = {"trials": trials, "found": error, "expected": margin, "seed": seed}
    severity = abs(error) / margin if margin else np.inf
    return Finding(MEAN, CONTRACT, verdict, message, {**cell, **numbers}, severity)


def _check_worst(simulation: _Simulation, scenario: Scenario, alpha: float, most: float) -> Finding:
    """Whether the miss rate is at most ``most`` at the truth where it is largest."""
    trials, truths = max(simulation.trials // SHARE, 1), _truths(scenario)
    found = []
    for number, at in enumerate(truths):
        truth, outcomes = draw_at(scenario, at, trials, simulation.seed, number)
        found.append(int(misses(simulation.subject, scenario, outcomes, truth, alpha).sum()))
    worst = int(np.argmax(found))
    level = INTERVAL_ALPHA / (simulation.cells * len(truths))

    def verdict_after(count: int) -> Verdict:
        return verdict_of(*fraction_between(found[worst] * (count / trials), count, level), most)

    verdict, (low, high) = verdict_after(trials), fraction_between(found[worst], trials, level)
    rate, seed = found[worst] / trials, simulation.seed
    cell = {**sizes_by_name(scenario), "alpha": alpha}
    text = ", ".join(f"{value:.4g}" for value in truths[worst])
    message = (
        f"{rate:.4g} ({low:.4g} to {high:.4g}) in {trials} trials at {format_cell(cell)}, "
        f"truth {text}, the worst of {len(truths)}, where {most:.4g} is allowed"
    )
    if verdict == INCONCLUSIVE:
        needed = trials_needed(lambda count: verdict_after(count) != INCONCLUSIVE, trials)
        message += format_trials_needed(None if needed is None else SHARE * needed)
    numbers = {"trials": trials, "found": rate, "expected": most, "seed": seed}
    return Finding(WORST, CONTRACT, verdict, message, {**cell, **numbers}, low / most)


def _truths(scenario: Scenario) -> list[tuple[float, ...]]:
    """Equally spaced truths inside the range; for two samples all pairs of them.

    Of pairs they are tables with discordant cells in the lower half of that range.
    """
    if family_of(scenario.family).design == PAIRS:
        cells = np.linspace(*DISCORDANT, TRUTHS_OF_TWO).tolist()
        return [table_of_cells(*each) for each in itertools.product(cells, cells)]
    spans = truths_inside(scenario)
    count = TRUTHS_OF_ONE if len(spans) == 1 else TRUTHS_OF_TWO
    return list(itertools.product(*(np.linspace(*span, count).tolist() for span in spans)))


def fraction_between(
    missed: float, trials: int, level: float = INTERVAL_ALPHA
) -> tuple[float, float]:
    """The interval of a miss rate; the number of misses is rounded."""
    low, high = fraction_interval(np.array([round(missed)]), np.array([trials]), level)
    return float(low[0]), float(high[0])
