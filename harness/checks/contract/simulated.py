"""Whether a method that draws its limits, or one for lists, keeps a contract, by trials."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from harness.base.errors import MethodError
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
    Finding,
    Verdict,
    format_cell,
)
from harness.checks.scenarios import Size, scenario_of, truths_inside
from harness.checks.subjects.subject import Subject, side_of
from harness.checks.trials import (
    draw_at,
    draw_under_flat_prior,
    format_trials_needed,
    misses,
    trials_needed,
)
from harness.designs.list_scenario import ListScenario
from harness.designs.monte_carlo import INTERVAL_ALPHA, fraction_interval
from harness.designs.paired_scenario import scenario_at
from harness.designs.scenario import Scenario, sizes_by_name
from harness.distributions.list_truths import ClusterTruth, ListTruth, RunTruth, StratumTruth
from harness.distributions.paired_truths import table_of_cells
from harness.distributions.run_truths import NormalRuns
from harness.families.catalogue import family_of
from harness.families.family import CLUSTERS, PAIRS, RUNS, STRATA
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


ERROR = "alpha error, drawn"
CHECKS_OF_DRAWN_LISTS = (ERROR, MEAN, WORST, DRAWN)

_RUNS = RunTruth(NormalRuns(0.75, 0.02))
_STRATA = ((30, 40, 30), (30, 30, 40))
SCENARIOS: dict[str, tuple[tuple[str, object, ListTruth], ...]] = {
    RUNS: tuple((f"k = {k}, normal runs", k, _RUNS) for k in (5, 10, 30)),
    CLUSTERS: tuple(
        (
            f"50 clusters of 10, p = {p:g}, rho = {rho:g}",
            (50, 10),
            ClusterTruth((p,), (rho,)),
        )
        for p in (0.5, 0.8)
        for rho in (0.0, 0.1, 0.3)
    ),
    STRATA: tuple(
        (
            f"3 strata of 30 to 40, difference {difference:g}",
            _STRATA,
            StratumTruth.of_differences((0.2, 0.4, 0.6), (difference,)),
        )
        for difference in (0.0, 0.2)
    ),
}
"""What is simulated, by the design: the words for it, its sizes and its truth."""


@dataclass(frozen=True)
class _Counted:
    """The misses of a method in one scenario."""

    words: str
    missed: int


def check_contract_of_lists(
    contract: Contract,
    subject: Subject,
    alphas: Sequence[float],
    *,
    trials: int,
    margin: float | None = None,
    seed: int = 2003,
) -> tuple[list[Finding], str]:
    """Check a method for lists against a contract, by 95 % intervals.

    - nominal: in each scenario the alpha error is within the margin.
    - at-least: in each scenario the miss rate is at most alpha.
    - approximate, conservative: the mean miss rate over the scenarios is as for a proportion, and
      in each of them the miss rate is at most 4.5·alpha and 1.5·alpha.

    A check passes where the whole interval is allowed, and fails where none of it is. The
    intervals of miss rates hold simultaneously for all scenarios and alphas: a method that misses
    exactly alpha everywhere fails with 2.5 % of all seeds.

    Args:
        contract: the contract.
        subject: the method.
        alphas: the alphas of the check.
        trials: the number of trials in each scenario.
        margin: of the alpha error of a nominal method; by default 0.3·alpha.
        seed: of all draws.

    Returns:
        A finding for each number of the contract and each alpha, about the worst scenario; and
        which contracts the method would keep by the same trials, "" where none are made.
    """
    if contract == NONE:
        return [], ""
    counts: dict[float, list[_Counted]] = {}
    for alpha in alphas:
        counts[alpha] = []
        for words, size, truth in SCENARIOS[family_of(subject.family).design]:
            scenario = scenario_at(subject.family, size, truth)
            missed, fault = _misses(subject, scenario, alpha, trials, seed)
            if fault is not None:
                return [Finding(DRAWN, CONTRACT, FAIL, f"{fault} ({words})", {}, 1.0)], ""
            counts[alpha].append(_Counted(words, missed))
    simulated = _Simulated(counts, trials, margin, seed)
    keeps = sentence(lambda other: _judged_list(list(simulated.findings(other))))
    return list(simulated.findings(contract)), keeps


def _judged_list(findings: Sequence[Finding]) -> Judgement | None:
    """Whether the findings of a contract conclude that it is kept."""
    for finding in findings:
        if finding.verdict == FAIL:
            found, alpha = finding.cell["found"], finding.cell["alpha"]
            return Judgement(False, f"{finding.check.split(',')[0]} {found:.3g} at alpha = {alpha}")
    if any(finding.verdict == INCONCLUSIVE for finding in findings):
        return None
    return Judgement(True)


@dataclass(frozen=True)
class _Simulated:
    """The misses of a method in all scenarios, which every contract is judged by."""

    counts: Mapping[float, Sequence[_Counted]]
    """By alpha."""
    trials: int
    """In each scenario."""
    margin: float | None
    seed: int

    def findings(self, contract: Contract) -> Iterator[Finding]:
        """The findings of a contract: at each alpha one for each of its numbers."""
        for alpha, counted in self.counts.items():
            if contract == NOMINAL:
                yield self._check_each(alpha, counted)
                continue
            if TERMS[contract].mean is not None:
                yield self._check_mean(contract, alpha, counted)
            yield self._check_worst(contract, alpha, counted)

    def _level(self, counted: Sequence[_Counted]) -> float:
        return INTERVAL_ALPHA / (len(counted) * len(self.counts))

    def _check_each(self, alpha: float, counted: Sequence[_Counted]) -> Finding:
        """Whether the alpha error is within the margin in each scenario."""
        margin = MARGIN * alpha if self.margin is None else self.margin
        hair = HAIR_OF_MEAN * alpha if self.margin is None else 0.0
        worst = max(counted, key=lambda each: abs(each.missed / self.trials - alpha))
        between = fraction_between(worst.missed, self.trials, self._level(counted))
        verdict = verdict_of_rate(between, alpha + margin, hair, alpha - margin)
        error = alpha - worst.missed / self.trials
        text = (
            f"{error:.4g} ({alpha - between[1]:.4g} to {alpha - between[0]:.4g}) "
            f"{self._where(alpha, worst, counted)}, where the margin is {margin:.4g}"
        )
        return self._finding(ERROR, verdict, text, alpha, error, margin)

    def _check_worst(
        self, contract: Contract, alpha: float, counted: Sequence[_Counted]
    ) -> Finding:
        """Whether the miss rate is at most what is allowed in each scenario."""
        terms = TERMS[contract]
        most = terms.worst * alpha
        hair = 0.0 if terms.everywhere else HAIR_OF_WORST * most
        worst = max(counted, key=lambda each: each.missed)
        between = fraction_between(worst.missed, self.trials, self._level(counted))
        rate = worst.missed / self.trials
        text = (
            f"{rate:.4g} ({between[0]:.4g} to {between[1]:.4g}) "
            f"{self._where(alpha, worst, counted)}, where {most:.4g} is allowed"
        )
        verdict = verdict_of_rate(between, most, hair)
        return self._finding(WORST, verdict, text, alpha, rate, most)

    def _check_mean(self, contract: Contract, alpha: float, counted: Sequence[_Counted]) -> Finding:
        """Whether the mean alpha error over the scenarios is within what is allowed."""
        least, most = (factor * alpha for factor in mean_alphas(contract))
        trials, missed = self.trials * len(counted), sum(each.missed for each in counted)
        low, high = fraction_between(missed, trials, INTERVAL_ALPHA / len(self.counts))
        verdict = verdict_of_rate((low, high), most, HAIR_OF_MEAN * alpha, least)
        error = alpha - missed / trials
        text = (
            f"{error:.4g} ({alpha - high:.4g} to {alpha - low:.4g}) in {trials} trials at alpha = "
            f"{alpha:g}, the mean over {len(counted)} scenarios, where {alpha - most:.4g} to "
            f"{alpha - least:.4g} is allowed"
        )
        expected = alpha - (most if error < 0 else least)
        return self._finding(MEAN, verdict, text, alpha, error, expected)

    def _where(self, alpha: float, worst: _Counted, counted: Sequence[_Counted]) -> str:
        """The trials and the worst scenario, for a message."""
        return (
            f"in {self.trials} trials at alpha = {alpha:g}, {worst.words}, the worst of "
            f"{len(counted)} scenarios"
        )

    def _finding(
        self, name: str, verdict: Verdict, text: str, alpha: float, found: float, expected: float
    ) -> Finding:
        cell = {
            "alpha": alpha,
            "trials": self.trials,
            "found": found,
            "expected": expected,
            "seed": self.seed,
        }
        hair = ": missed by a hair at most" if verdict == REMARK else ""
        severity = abs(found / expected) if expected else np.inf
        return Finding(name, CONTRACT, verdict, text + hair, cell, severity)


def _misses(
    subject: Subject, scenario: Scenario, alpha: float, trials: int, seed: int
) -> tuple[int, str | None]:
    """The number of trials whose interval misses the truth, or why there is no interval."""
    assert isinstance(scenario, ListScenario)
    _, parameter = scenario.listed_truths()
    rng, missed = scenario.stream(seed, 0), 0
    side = TWO_SIDED if TWO_SIDED in subject.sides else side_of(subject)
    for observed in scenario.draw_observed(0, trials, rng):
        answers = subject.limits(observed, alpha, side).intervals(observed, alpha, side)
        for fault in answers.failures.values():
            return 0, fault
        outside = (parameter[0] < answers.lower) | (parameter[0] > answers.upper)
        missed += int(outside.sum())
    return missed, None
