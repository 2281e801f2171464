"""Whether a method that draws its limits, or one for lists, keeps a contract, by trials."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from harness.base.errors import MethodError
from harness.catalogue import scenario_for
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
    REMARK,
    Cell,
    Finding,
    format_cell,
)
from harness.checks.plans import checked_at, plan_of, scenario_of
from harness.checks.scenarios import (
    AllowedRate,
    draw,
    format_trials_needed,
    misses,
    trials_needed,
    truths_inside,
)
from harness.checks.sizes import Size
from harness.checks.subject import Subject, side_of
from harness.designs.design import Scenario
from harness.designs.precision import INTERVAL_ALPHA, fraction_interval
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
    contract: Contract, simulation: OutcomeTrials | ListTrials
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

    def judge(other: Contract) -> Judgement | None:
        needs_means = TERMS[other].mean is not None and TERMS[contract].mean is None
        if needs_means and simulation.draws_means_apart:
            return None  # No trials are made that the contract does not need.
        findings = simulation.findings(other, explain=False)
        names = (*simulation.subject.family.sizes, "alpha")
        for finding in findings:
            if finding.verdict == FAIL:
                cell = finding.cell
                at = format_cell({name: cell[name] for name in names if name in cell})
                text = f"{finding.check.split(',')[0]} {cell['found']:.3g} at {at}"
                return Judgement(False, text)
        if any(finding.verdict == INCONCLUSIVE for finding in findings):
            return None
        return Judgement(True)

    try:
        findings = simulation.findings(contract)
        keeps = sentence(judge)
    except MethodError as fault:
        text = str(fault).removeprefix(f"{simulation.subject.label}: ")
        return [Finding(DRAWN, CONTRACT, FAIL, text, {}, 1.0)], ""
    return findings, keeps


@dataclass(frozen=True)
class OutcomeTrials:
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
    """The number of trials at each size."""
    margin: float | None = None
    """The margin of the mean alpha error of a nominal method; None for 0.3·alpha."""
    seed: int = 2003
    """The seed of all draws."""
    draws_means_apart: ClassVar[bool] = True
    """Whether the trials of a mean are others than those of a worst case."""

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
            cells = [cell for cell in cells if is_large(family, cell.size) and is_usual(cell.alpha)]
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
        allowed = _allowed_mean(contract, cell.alpha, self.margin)
        words = f"where {allowed.least:.4g} to {allowed.most:.4g} is allowed"
        share = 1 if explain else None
        missed = cell.missed_under_flat_prior
        count = _Count(missed, self.trials, cell.names, words, self.seed, share=share)
        return count.error(MEAN, allowed)

    def _check_worst(self, contract: Contract, cell: _Cell, cells: int, explain: bool) -> Finding:
        """Whether the miss rate is at most what is allowed at the truth where it is largest."""
        missed, trials = cell.missed_at_truths, cell.trials_at_truth
        worst = int(np.argmax(missed))
        allowed = _allowed_worst(contract, cell.alpha, TWO_SIDED not in self.subject.sides)
        truth = ", ".join(f"{value:.4g}" for value in cell.truths[worst])
        count = _Count(
            missed[worst],
            trials,
            cell.names,
            f"truth {truth}, the worst of {len(cell.truths)}, where {allowed.most:.4g} is allowed",
            self.seed,
            INTERVAL_ALPHA / (cells * len(cell.truths)),
            share=SHARE if explain else None,
        )
        low, _ = count.between(trials)
        return replace(count.rate(WORST, allowed), severity=low / allowed.most)


@dataclass(frozen=True)
class _Cell:
    """One size and alpha, with the misses that have been counted there."""

    simulation: OutcomeTrials
    scenario: Scenario
    size: Size
    alpha: float

    @cached_property
    def missed_under_flat_prior(self) -> int:
        """The misses of all trials with truths drawn from the flat prior."""
        it, scenario = self.simulation, self.scenario
        drawn, outcomes = draw(scenario, it.trials, it.seed)
        counts = checked_at(scenario.family).counts
        truth = counts.flat_parameter(scenario, drawn, outcomes, it.seed)
        return int(misses(it.subject, scenario, outcomes, truth, self.alpha).sum())

    @cached_property
    def truths(self) -> list[tuple[float, ...]]:
        """Equally spaced truths inside the range; for two samples all pairs of them.

        Of pairs they are tables with discordant cells in the lower half of that range.
        """
        family = self.scenario.family
        if family.shares_size:
            cells = np.linspace(*DISCORDANT, TRUTHS_OF_TWO).tolist()
            tables: list[tuple[float, ...]] = [
                table_of_cells(*pair) for pair in itertools.product(cells, cells)
            ]
            view = family.as_pairs
            return tables if view is None else [view.restored(table) for table in tables]
        spans = truths_inside(self.scenario)
        count = TRUTHS_OF_ONE if len(spans) == 1 else TRUTHS_OF_TWO
        return list(itertools.product(*(np.linspace(*span, count).tolist() for span in spans)))

    @cached_property
    def missed_at_truths(self) -> list[int]:
        """The misses at each of the truths."""
        it, scenario = self.simulation, self.scenario
        counts = []
        for number, at in enumerate(self.truths, 1):
            truths = tuple(np.full(self.trials_at_truth, truth) for truth in at)
            # The first stream has drawn truths; each of these has one of its own.
            outcomes = scenario.draw_outcomes(truths, scenario.stream(it.seed, number))
            parameter = scenario.family.parameter_at(truths)
            missed = misses(it.subject, scenario, outcomes, parameter, self.alpha)
            counts.append(int(missed.sum()))
        return counts

    @property
    def trials_at_truth(self) -> int:
        return max(self.simulation.trials // SHARE, 1)

    @property
    def names(self) -> dict[str, float | int | str]:
        """The sizes and alpha."""
        return {**self.scenario.named_sizes, "alpha": self.alpha}


@dataclass(frozen=True)
class ListTrials:
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
    """The number of trials in each scenario."""
    margin: float | None = None
    """The margin of the alpha error of a nominal method; None for 0.3·alpha."""
    seed: int = 2003
    """The seed of all draws."""
    draws_means_apart: ClassVar[bool] = False

    @cached_property
    def missed(self) -> dict[float, dict[str, int]]:
        """The misses at each alpha by the words for the scenario."""
        family = self.subject.family
        return {
            alpha: {
                words: self._misses(scenario_for(family, size, truth), alpha, words)
                for words, size, truth in plan_of(family).lists.simulated
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
                # The alpha error is within the margin in each scenario.
                worst = max(missed, key=lambda words: abs(missed[words] / self.trials - alpha))
                allowed = _allowed_mean(NOMINAL, alpha, self.margin)
                words = f"where {allowed.least:.4g} to {allowed.most:.4g} is allowed"
                margin = MARGIN * alpha if self.margin is None else self.margin
                count = self._count_of(worst, alpha, missed, words)
                findings.append(count.error(ERROR, allowed, margin))
                continue
            if TERMS[contract].mean is not None:
                findings.append(self._check_mean(contract, alpha, missed))
            findings.append(self._check_worst(contract, alpha, missed))
        return findings

    def _check_worst(self, contract: Contract, alpha: float, missed: Mapping[str, int]) -> Finding:
        """Whether the miss rate is at most what is allowed in each scenario."""
        worst = max(missed, key=lambda words: missed[words])
        allowed = _allowed_worst(contract, alpha, one_sided=False)
        words = f"where {allowed.most:.4g} is allowed"
        return self._count_of(worst, alpha, missed, words).rate(WORST, allowed)

    def _check_mean(self, contract: Contract, alpha: float, missed: Mapping[str, int]) -> Finding:
        """Whether the mean alpha error over the scenarios is within what is allowed."""
        allowed = _allowed_mean(contract, alpha)
        count = _Count(
            sum(missed.values()),
            self.trials * len(missed),
            {"alpha": alpha},
            f"the mean over {len(missed)} scenarios, where {allowed.least:.4g} to "
            f"{allowed.most:.4g} is allowed",
            self.seed,
            INTERVAL_ALPHA / len(self.alphas),
            scenarios=len(missed),
        )
        return count.error(MEAN, allowed)

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
    """The rest of the place, and what is allowed."""
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

    def error(self, name: str, allowed: AllowedRate, expected: float | None = None) -> Finding:
        """Whether the miss rate, and so the alpha error, is allowed."""
        rate, (low, high) = self.missed / self.trials, self.between(self.trials)
        error = self.alpha - rate
        if expected is None:
            expected = self.alpha - (allowed.most if error < 0 else allowed.least)
        text = f"alpha is {rate:.4g} ({low:.4g} to {high:.4g}), nominal {self.alpha:g},"
        return self._finding(name, text, error, expected, allowed)

    def rate(self, name: str, allowed: AllowedRate) -> Finding:
        """Whether the miss rate is at most what is allowed."""
        rate, (low, high) = self.missed / self.trials, self.between(self.trials)
        text = f"{rate:.4g} ({low:.4g} to {high:.4g})"
        return self._finding(name, text, rate, allowed.most, allowed)

    def between(self, trials: int) -> tuple[float, float]:
        """The interval of the miss rate after so many trials, if it stays as it is.

        The number of misses is rounded.
        """
        missed = np.array([round(self.missed * (trials / self.trials))])
        low, high = fraction_interval(missed, np.array([trials]), self.level)
        return float(low[0]), float(high[0])

    def _finding(
        self, name: str, text: str, found: float, expected: float, allowed: AllowedRate
    ) -> Finding:
        verdict = allowed.verdict(*self.between(self.trials))
        message = f"{text} in {self.trials} trials at {format_cell(self.place)}, {self.words}"
        if verdict == INCONCLUSIVE and self.share is not None:
            needed = trials_needed(
                lambda trials: allowed.verdict(*self.between(trials)) != INCONCLUSIVE, self.trials
            )
            message += format_trials_needed(None if needed is None else self.share * needed)
        if verdict == REMARK:
            message += ": narrowly missed at most"
        trials = self.trials // self.scenarios
        numbers = {"trials": trials, "found": found, "expected": expected, "seed": self.seed}
        severity = abs(found / expected) if expected else np.inf
        return Finding(name, CONTRACT, verdict, message, {**self.place, **numbers}, severity)


def _allowed_mean(contract: Contract, alpha: float, margin: float | None = None) -> AllowedRate:
    """The mean miss rates that a contract allows; a margin that is given has no hair."""
    if margin is not None and contract == NOMINAL:
        return AllowedRate(alpha + margin, alpha - margin)
    least, most = mean_alphas(contract)
    return AllowedRate(most * alpha, least * alpha, HAIR_OF_MEAN * alpha)


def _allowed_worst(contract: Contract, alpha: float, one_sided: bool) -> AllowedRate:
    """The largest miss rates that a contract allows."""
    most = most_inside(contract, one_sided) * alpha
    return AllowedRate(most, hair=0.0 if TERMS[contract].everywhere else HAIR_OF_WORST * most)
