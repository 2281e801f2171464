"""Whether a method that draws its limits keeps a contract, by trials."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from harness.base.errors import MethodError
from harness.checks.contract.keeps import Judgement, sentence
from harness.checks.contract.terms import (
    HAIR_OF_MEAN,
    HAIR_OF_WORST,
    NO_LARGE_SIZE,
    TERMS,
    is_large,
    is_usual,
    mean_alphas,
    most_inside,
)
from harness.checks.report import (
    CONTRACT,
    FAIL,
    INCONCLUSIVE,
    PASS,
    REMARK,
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
)
from harness.designs.monte_carlo import INTERVAL_ALPHA, fraction_interval
from harness.designs.scenario import Scenario, sizes_by_name
from harness.distributions.paired_truths import table_of_cells
from harness.families.catalogue import family_of
from harness.families.family import PAIRS
from harness.methods.method import NOMINAL, NONE, TWO_SIDED, Contract

DRAWN_CHECKS = MEAN, WORST, DRAWN = "mean alpha error, drawn", "worst alpha, drawn", "can be drawn"
TRUTHS_OF_ONE, TRUTHS_OF_TWO = 9, 3
DISCORDANT = (0.1, 0.45)
"""The number of truths of each sample at which the worst case is sought."""
_HAIR = ": missed by a hair at most"
SHARE = 10
"""Each of these truths has one in so many of the trials of a size."""


@dataclass(frozen=True)
class Simulation:
    """The trials of a method at several sizes and alphas, which every contract is judged by."""

    subject: Subject
    sizes: tuple[Size, ...]
    alphas: tuple[float, ...]
    trials: int
    """At each size."""
    margin: float | None
    seed: int

    @cached_property
    def cells(self) -> list[_Cell]:
        """Every size and alpha."""
        return [
            _Cell(self, scenario_of(self.subject.family, size), size, alpha)
            for size, alpha in itertools.product(self.sizes, self.alphas)
        ]

    @property
    def one_sided(self) -> bool:
        """Whether the method has limits of one side only."""
        return TWO_SIDED not in self.subject.sides

    def applying(self, contract: Contract) -> list[_Cell]:
        """The sizes and alphas at which a contract applies."""
        if TERMS[contract].everywhere:
            return self.cells
        family = self.subject.family
        return [each for each in self.cells if is_large(family, each.size) and is_usual(each.alpha)]


@dataclass(frozen=True)
class _Cell:
    """One size and alpha, with the misses that have been counted there."""

    simulation: Simulation
    scenario: Scenario
    size: Size
    alpha: float

    @cached_property
    def missed_under_flat_prior(self) -> int:
        """The misses of all trials with truths drawn from the flat prior."""
        it = self.simulation
        truth, outcomes = draw_under_flat_prior(self.scenario, it.trials, it.seed)
        return int(misses(it.subject, self.scenario, outcomes, truth, self.alpha).sum())

    @cached_property
    def truths(self) -> list[tuple[float, ...]]:
        return _truths(self.scenario)

    @cached_property
    def missed_at_truths(self) -> list[int]:
        """The misses at each of the truths."""
        it, found = self.simulation, []
        for number, at in enumerate(self.truths):
            truth, outcomes = draw_at(self.scenario, at, self.trials_at_truth, it.seed, number)
            missed = misses(it.subject, self.scenario, outcomes, truth, self.alpha)
            found.append(int(missed.sum()))
        return found

    @property
    def trials_at_truth(self) -> int:
        return max(self.simulation.trials // SHARE, 1)

    @property
    def names(self) -> dict[str, float | int | str]:
        """The sizes and alpha."""
        return {**sizes_by_name(self.scenario), "alpha": self.alpha}


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
    - approximate, conservative: the same with other bounds, see ``terms``.
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
        margin: of the mean alpha error of a nominal method; by default 0.3·alpha.
        seed: of all draws.

    Returns:
        A finding for each number of the contract, size and alpha.
    """
    simulation = Simulation(subject, tuple(sizes), tuple(alphas), trials, margin, seed)
    return check_simulation(contract, simulation)[0]


def check_simulation(contract: Contract, simulation: Simulation) -> tuple[list[Finding], str]:
    """Check trials against a contract.

    Args:
        contract: the contract.
        simulation: the trials, which are made here.

    Returns:
        The findings, and which contracts the method would keep by the same trials; "" where none
        are made.
    """
    if contract == NONE:
        return [], ""
    try:
        findings = _check(contract, simulation)
        keeps = sentence(lambda other: _judged(other, contract, simulation))
    except MethodError as fault:
        text = str(fault).removeprefix(f"{simulation.subject.label}: ")
        return [Finding(DRAWN, CONTRACT, FAIL, text, {}, 1.0)], ""
    return findings, keeps


def _check(contract: Contract, simulation: Simulation, explain: bool = True) -> list[Finding]:
    """The findings of one contract; one that there is no size and alpha for it.

    Args:
        contract: the contract.
        simulation: the trials.
        explain: whether to find how many trials would conclude what these do not, which takes long.
    """
    cells = simulation.applying(contract)
    if not cells:
        return [Finding(DRAWN, CONTRACT, INCONCLUSIVE, NO_LARGE_SIZE, {})]
    return [
        finding for cell in cells for finding in _check_cell(contract, cell, len(cells), explain)
    ]


def _judged(other: Contract, contract: Contract, simulation: Simulation) -> Judgement | None:
    """Whether the trials that a contract asks for conclude that another one is kept."""
    if TERMS[other].mean is not None and TERMS[contract].mean is None:
        return None  # No trials are made that it does not need.
    findings = _check(other, simulation, explain=False)
    for finding in findings:
        if finding.verdict == FAIL:
            found, at = finding.cell["found"], format_cell(_sizes_and_alpha(finding, simulation))
            return Judgement(False, f"{finding.check.split(',')[0]} {found:.3g} at {at}")
    if any(finding.verdict == INCONCLUSIVE for finding in findings):
        return None
    return Judgement(True)


def _sizes_and_alpha(finding: Finding, simulation: Simulation) -> Mapping[str, float | int | str]:
    names = (*family_of(simulation.subject.family).sizes, "alpha")
    return {name: finding.cell[name] for name in names}


def _check_cell(contract: Contract, cell: _Cell, cells: int, explain: bool) -> Iterator[Finding]:
    """The findings at one of so many sizes and alphas."""
    if TERMS[contract].mean is not None:
        yield _check_mean(contract, cell, explain)
    yield _check_worst(contract, cell, cells, explain)


def _check_mean(contract: Contract, cell: _Cell, explain: bool) -> Finding:
    """Whether the mean alpha error under a flat prior is within what is allowed."""
    it, alpha, missed = cell.simulation, cell.alpha, cell.missed_under_flat_prior
    least, most = (factor * alpha for factor in mean_alphas(contract))
    hair = HAIR_OF_MEAN * alpha
    if it.margin is not None and contract == NOMINAL:
        least, most, hair = alpha - it.margin, alpha + it.margin, 0.0

    def verdict_after(count: int) -> Verdict:
        between = fraction_between(missed * (count / it.trials), count)
        return verdict_of_rate(between, most, hair, least)

    verdict, (low, high) = verdict_after(it.trials), fraction_between(missed, it.trials)
    error = alpha - missed / it.trials
    allowed = (
        f"margin {alpha - least:.4g}"
        if contract == NOMINAL
        else f"{alpha - most:.4g} to {alpha - least:.4g} is allowed"
    )
    message = (
        f"{error:.4g} ({alpha - high:.4g} to {alpha - low:.4g}) in {it.trials} trials at "
        f"{format_cell(cell.names)}, {allowed}"
    )
    if verdict == INCONCLUSIVE and explain:
        message += _format_needed(verdict_after, it.trials)
    if verdict == REMARK:
        message += _HAIR
    expected = alpha - (most if error < 0 else least)
    numbers = {"trials": it.trials, "found": error, "expected": expected, "seed": it.seed}
    severity = abs(error / expected) if expected else np.inf
    return Finding(MEAN, CONTRACT, verdict, message, {**cell.names, **numbers}, severity)


def _check_worst(contract: Contract, cell: _Cell, cells: int, explain: bool) -> Finding:
    """Whether the miss rate is at most what is allowed at the truth where it is largest."""
    it, alpha, found = cell.simulation, cell.alpha, cell.missed_at_truths
    trials, worst = cell.trials_at_truth, int(np.argmax(cell.missed_at_truths))
    most = most_inside(contract, it.one_sided) * alpha
    hair = 0.0 if TERMS[contract].everywhere else HAIR_OF_WORST * most
    level = INTERVAL_ALPHA / (cells * len(cell.truths))

    def verdict_after(count: int) -> Verdict:
        between = fraction_between(found[worst] * (count / trials), count, level)
        return verdict_of_rate(between, most, hair)

    verdict, (low, high) = verdict_after(trials), fraction_between(found[worst], trials, level)
    rate = found[worst] / trials
    text = ", ".join(f"{value:.4g}" for value in cell.truths[worst])
    message = (
        f"{rate:.4g} ({low:.4g} to {high:.4g}) in {trials} trials at {format_cell(cell.names)}, "
        f"truth {text}, the worst of {len(cell.truths)}, where {most:.4g} is allowed"
    )
    if verdict == INCONCLUSIVE and explain:
        message += _format_needed(verdict_after, trials, SHARE)
    if verdict == REMARK:
        message += _HAIR
    numbers = {"trials": trials, "found": rate, "expected": most, "seed": it.seed}
    return Finding(WORST, CONTRACT, verdict, message, {**cell.names, **numbers}, low / most)


def _format_needed(verdict_after: Callable[[int], Verdict], trials: int, share: int = 1) -> str:
    """How many trials would conclude it; each of them stands for ``share`` of a size."""
    needed = trials_needed(lambda count: verdict_after(count) != INCONCLUSIVE, trials)
    return format_trials_needed(None if needed is None else share * needed)


def verdict_of_rate(
    between: tuple[float, float], most: float, hair: float, least: float = 0.0
) -> Verdict:
    """Whether a miss rate is allowed.

    Args:
        between: the confidence interval of the rate.
        most: the largest rate that is allowed.
        hair: how much beyond what is allowed is a remark.
        least: the smallest rate that is allowed.

    Returns:
        Pass where the whole interval is allowed, a remark where it is but for a hair, and a
        failure where no part of it is, with the hair.
    """
    low, high = between
    if least <= low and high <= most:
        return PASS
    if hair and least - hair <= low and high <= most + hair:
        return REMARK
    return FAIL if low > most + hair or high < least - hair else INCONCLUSIVE


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
