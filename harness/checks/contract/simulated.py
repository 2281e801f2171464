"""Whether a method that draws its limits, or one for lists, keeps a contract, by trials."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from harness.base.errors import MethodError
from harness.catalogue import design_for, scenario_for
from harness.checks.contract.exact import (
    HAIR_OF_MEAN,
    HAIR_OF_WORST,
    MARGIN,
    NO_LARGE_SIZE,
    TERMS,
    Judgement,
    is_large,
    is_usual,
    mean_alphas,
    most_inside,
    sentence,
)
from harness.checks.findings import (
    CONTRACT,
    FAIL,
    INCONCLUSIVE,
    PASS,
    REMARK,
    Cell,
    Finding,
    Verdict,
    format_cell,
)
from harness.checks.restriction import Size
from harness.checks.scenarios import scenario_of, truths_inside
from harness.checks.subject import Subject, side_of
from harness.checks.trials import (
    draw_at,
    draw_under_flat_prior,
    format_trials_needed,
    misses,
    trials_needed,
)
from harness.designs.design import Scenario, sizes_by_name
from harness.designs.monte_carlo import INTERVAL_ALPHA, fraction_interval
from harness.distributions.paired_truths import table_of_cells
from harness.methods.method import NOMINAL, NONE, TWO_SIDED, Contract

DRAWN_CHECKS = MEAN, WORST, DRAWN = "mean alpha error, drawn", "worst alpha, drawn", "can be drawn"
ERROR = "alpha error, drawn"
CHECKS_OF_DRAWN_LISTS = (ERROR, MEAN, WORST, DRAWN)
TRUTHS_OF_ONE, TRUTHS_OF_TWO = 9, 3
DISCORDANT = (0.1, 0.45)
"""The number of truths of each sample at which the worst case is sought."""
SHARE = 10
"""Each of these truths has one in so many of the trials of a size."""


def check_by_trials(
    contract: Contract, simulation: Simulation | ListSimulation
) -> tuple[list[Finding], str]:
    """Check a method by trials against a contract.

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
        findings = simulation.findings(contract)
        keeps = sentence(lambda other: _judged(other, contract, simulation))
    except MethodError as fault:
        text = str(fault).removeprefix(f"{simulation.subject.label}: ")
        return [Finding(DRAWN, CONTRACT, FAIL, text, {}, 1.0)], ""
    return findings, keeps


def _judged(
    other: Contract, contract: Contract, simulation: Simulation | ListSimulation
) -> Judgement | None:
    """Whether the trials that a contract asks for conclude that another one is kept."""
    needs_mean = TERMS[other].mean is not None and TERMS[contract].mean is None
    if needs_mean and isinstance(simulation, Simulation):
        return None  # No trials are made that the contract does not need.
    findings = simulation.findings(other, explain=False)
    names = (*simulation.subject.family.sizes, "alpha")
    for finding in findings:
        if finding.verdict == FAIL:
            at = format_cell({name: finding.cell[name] for name in names if name in finding.cell})
            text = f"{finding.check.split(',')[0]} {finding.cell['found']:.3g} at {at}"
            return Judgement(False, text)
    if any(finding.verdict == INCONCLUSIVE for finding in findings):
        return None
    return Judgement(True)


@dataclass(frozen=True)
class Simulation:
    """The trials of a method at several sizes and alphas, which every contract is judged by.

    - nominal, from n = 10 on: the mean alpha error under a flat prior is within the margin, and at
      a few truths inside the range the miss rate is at most 4·alpha; 8·alpha for one-sided limits.
    - approximate, conservative: the same with other bounds, see ``contract.exact``.
    - at-least: at these truths the miss rate is at most alpha.

    A check passes where the whole 95 % interval is allowed, and fails where none of it is. The
    intervals of miss rates hold simultaneously for all truths, sizes and alphas: a method that
    misses exactly alpha everywhere fails with 2.5 % of all seeds.
    """

    subject: Subject
    """A stochastic method."""
    sizes: tuple[Size, ...]
    alphas: tuple[float, ...]
    trials: int
    """At each size."""
    margin: float | None = None
    """Of the mean alpha error of a nominal method; None for 0.3·alpha."""
    seed: int = 2003
    """Of all draws."""

    @cached_property
    def cells(self) -> list[_Cell]:
        """Every size and alpha."""
        return [
            _Cell(self, scenario_of(self.subject.family, size), size, alpha)
            for size, alpha in itertools.product(self.sizes, self.alphas)
        ]

    def findings(self, contract: Contract, explain: bool = True) -> list[Finding]:
        """A finding for each number of a contract, size and alpha; or one that it applies to none.

        Args:
            contract: the contract.
            explain: whether to find how many trials would conclude what these do not, which takes
                long.
        """
        terms, family, cells = TERMS[contract], self.subject.family, self.cells
        if not terms.everywhere:
            cells = [each for each in cells if is_large(family, each.size) and is_usual(each.alpha)]
        if not cells:
            return [Finding(DRAWN, CONTRACT, INCONCLUSIVE, NO_LARGE_SIZE, {})]
        findings = []
        for cell in cells:
            if terms.mean is not None:
                findings.append(self._check_mean(contract, cell, explain))
            findings.append(self._check_worst(contract, cell, len(cells), explain))
        return findings

    def _check_mean(self, contract: Contract, cell: _Cell, explain: bool) -> Finding:
        """Whether the mean alpha error under a flat prior is within what is allowed."""
        alpha = cell.alpha
        least, most = (factor * alpha for factor in mean_alphas(contract))
        hair = HAIR_OF_MEAN * alpha
        if self.margin is not None and contract == NOMINAL:
            least, most, hair = alpha - self.margin, alpha + self.margin, 0.0
        allowed = f"where {least:.4g} to {most:.4g} is allowed"
        share = 1 if explain else None
        missed = cell.missed_under_flat_prior
        count = _Count(missed, self.trials, cell.names, allowed, self.seed, share=share)
        return count.error(MEAN, least, most, hair)

    def _check_worst(self, contract: Contract, cell: _Cell, cells: int, explain: bool) -> Finding:
        """Whether the miss rate is at most what is allowed at the truth where it is largest."""
        found, trials = cell.missed_at_truths, cell.trials_at_truth
        worst = int(np.argmax(found))
        most = most_inside(contract, TWO_SIDED not in self.subject.sides) * cell.alpha
        text = ", ".join(f"{value:.4g}" for value in cell.truths[worst])
        count = _Count(
            found[worst],
            trials,
            cell.names,
            f"truth {text}, the worst of {len(cell.truths)}, where {most:.4g} is allowed",
            self.seed,
            INTERVAL_ALPHA / (cells * len(cell.truths)),
            share=SHARE if explain else None,
        )
        hair = 0.0 if TERMS[contract].everywhere else HAIR_OF_WORST * most
        low, _ = fraction_between(count.missed, trials, count.level)
        return replace(count.rate(WORST, most, hair), severity=low / most)


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


@dataclass(frozen=True)
class ListSimulation:
    """The trials of a method for lists in several scenarios, which every contract is judged by.

    - nominal: in each scenario the alpha error is within the margin.
    - at-least: in each scenario the miss rate is at most alpha.
    - approximate, conservative: the mean miss rate over the scenarios is as for a proportion, and
      in each of them the miss rate is at most 4.5·alpha and 1.5·alpha.

    A check passes where the whole 95 % interval is allowed, and fails where none of it is. The
    intervals of miss rates hold simultaneously for all scenarios and alphas: a method that misses
    exactly alpha everywhere fails with 2.5 % of all seeds.
    """

    subject: Subject
    alphas: tuple[float, ...]
    trials: int
    """In each scenario."""
    margin: float | None = None
    """Of the alpha error of a nominal method; None for 0.3·alpha."""
    seed: int = 2003
    """Of all draws."""

    @cached_property
    def missed(self) -> dict[float, dict[str, int]]:
        """The misses at each alpha by the words for the scenario."""
        family = self.subject.family
        lists = design_for(family).lists
        assert lists is not None
        return {
            alpha: {
                words: self._misses(scenario_for(family, size, truth), alpha, words)
                for words, size, truth in lists.checked.simulated
            }
            for alpha in self.alphas
        }

    def _misses(self, scenario: Scenario, alpha: float, words: str) -> int:
        """The number of trials whose interval misses the truth.

        Raises:
            MethodError: there is no interval.
        """
        subject, missed = self.subject, 0
        _, parameter = scenario.listed_truths()
        rng, side = scenario.stream(self.seed, 0), side_of(subject)
        for observed in scenario.draw_observed(0, self.trials, rng):
            answers = subject.limits(observed, alpha, side).intervals(observed, alpha, side)
            for fault in answers.failures.values():
                raise MethodError(f"{fault} ({words})")
            outside = (parameter[0] < answers.lower) | (parameter[0] > answers.upper)
            missed += int(outside.sum())
        return missed

    def findings(self, contract: Contract, explain: bool = False) -> list[Finding]:
        """A finding for each number of a contract and each alpha, about the worst scenario."""
        findings = []
        for alpha, missed in self.missed.items():
            if contract == NOMINAL:
                findings.append(self._check_each(alpha, missed))
                continue
            if TERMS[contract].mean is not None:
                findings.append(self._check_mean(contract, alpha, missed))
            findings.append(self._check_worst(contract, alpha, missed))
        return findings

    def _check_each(self, alpha: float, missed: Mapping[str, int]) -> Finding:
        """Whether the alpha error is within the margin in each scenario."""
        margin = MARGIN * alpha if self.margin is None else self.margin
        hair = HAIR_OF_MEAN * alpha if self.margin is None else 0.0
        worst = max(missed, key=lambda words: abs(missed[words] / self.trials - alpha))
        count = self._count_of(
            worst, alpha, missed, f"where {alpha - margin:.4g} to {alpha + margin:.4g} is allowed"
        )
        return count.error(ERROR, alpha - margin, alpha + margin, hair, margin)

    def _check_worst(self, contract: Contract, alpha: float, missed: Mapping[str, int]) -> Finding:
        """Whether the miss rate is at most what is allowed in each scenario."""
        terms = TERMS[contract]
        most = terms.worst * alpha
        worst = max(missed, key=lambda words: missed[words])
        count = self._count_of(worst, alpha, missed, f"where {most:.4g} is allowed")
        return count.rate(WORST, most, 0.0 if terms.everywhere else HAIR_OF_WORST * most)

    def _check_mean(self, contract: Contract, alpha: float, missed: Mapping[str, int]) -> Finding:
        """Whether the mean alpha error over the scenarios is within what is allowed."""
        least, most = (factor * alpha for factor in mean_alphas(contract))
        count = _Count(
            sum(missed.values()),
            self.trials * len(missed),
            {"alpha": alpha},
            f"the mean over {len(missed)} scenarios, where {least:.4g} to {most:.4g} is allowed",
            self.seed,
            INTERVAL_ALPHA / len(self.alphas),
            scenarios=len(missed),
        )
        return count.error(MEAN, least, most, HAIR_OF_MEAN * alpha)

    def _count_of(
        self, worst: str, alpha: float, missed: Mapping[str, int], allowed: str
    ) -> _Count:
        """The misses of the worst scenario."""
        return _Count(
            missed[worst],
            self.trials,
            {"alpha": alpha},
            f"{worst}, the worst of {len(missed)} scenarios, {allowed}",
            self.seed,
            INTERVAL_ALPHA / (len(missed) * len(self.alphas)),
        )


@dataclass(frozen=True)
class _Count:
    """How many of the trials at one alpha have missed, and the findings about it."""

    missed: int
    trials: int
    place: Cell
    """Alpha, and the sizes where there are some."""
    words: str
    """Where else that is, and what is allowed."""
    seed: int
    level: float = INTERVAL_ALPHA
    """The probability outside of the interval of the miss rate."""
    scenarios: int = 1
    """The trials are those of so many scenarios together."""
    share: int | None = None
    """How many trials of a size each trial stands for; None where a message is not to say how many
    would conclude it."""

    @property
    def alpha(self) -> float:
        return float(self.place["alpha"])

    def error(
        self, name: str, least: float, most: float, hair: float, expected: float | None = None
    ) -> Finding:
        """Whether the alpha error is allowed, where the miss rate may be from least to most."""
        error, (low, high) = self.alpha - self.missed / self.trials, self._between(self.trials)
        rate = self.missed / self.trials
        text = f"alpha is {rate:.4g} ({low:.4g} to {high:.4g}), nominal {self.alpha:g},"
        if expected is None:
            expected = self.alpha - (most if error < 0 else least)
        return self._finding(name, text, error, expected, most, hair, least)

    def rate(self, name: str, most: float, hair: float) -> Finding:
        """Whether the miss rate is at most what is allowed."""
        rate, (low, high) = self.missed / self.trials, self._between(self.trials)
        text = f"{rate:.4g} ({low:.4g} to {high:.4g})"
        return self._finding(name, text, rate, most, most, hair)

    def _between(self, trials: int) -> tuple[float, float]:
        """The interval of the miss rate after so many trials, if it stays as it is."""
        return fraction_between(self.missed * (trials / self.trials), trials, self.level)

    def _finding(
        self,
        name: str,
        text: str,
        found: float,
        expected: float,
        most: float,
        hair: float,
        least: float = 0.0,
    ) -> Finding:
        def verdict_after(trials: int) -> Verdict:
            return verdict_of_rate(self._between(trials), most, hair, least)

        verdict = verdict_after(self.trials)
        message = f"{text} in {self.trials} trials at {format_cell(self.place)}, {self.words}"
        if verdict == INCONCLUSIVE and self.share is not None:
            needed = trials_needed(lambda n: verdict_after(n) != INCONCLUSIVE, self.trials)
            message += format_trials_needed(None if needed is None else self.share * needed)
        if verdict == REMARK:
            message += ": missed by a hair at most"
        trials = self.trials // self.scenarios
        numbers = {"trials": trials, "found": found, "expected": expected, "seed": self.seed}
        severity = abs(found / expected) if expected else np.inf
        return Finding(name, CONTRACT, verdict, message, {**self.place, **numbers}, severity)


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
    if scenario.family.shares_size:
        cells = np.linspace(*DISCORDANT, TRUTHS_OF_TWO).tolist()
        tables = [table_of_cells(*each) for each in itertools.product(cells, cells)]
        view = scenario.family.as_pairs
        return list(tables if view is None else map(view.restored, tables))
    spans = truths_inside(scenario)
    count = TRUTHS_OF_ONE if len(spans) == 1 else TRUTHS_OF_TWO
    return list(itertools.product(*(np.linspace(*span, count).tolist() for span in spans)))


def fraction_between(
    missed: float, trials: int, level: float = INTERVAL_ALPHA
) -> tuple[float, float]:
    """The interval of a miss rate; the number of misses is rounded."""
    low, high = fraction_interval(np.array([round(missed)]), np.array([trials]), level)
    return float(low[0]), float(high[0])
