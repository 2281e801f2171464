"""Whether a method for lists keeps a contract, by trials that draw whole data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.checks.contract.keeps import Judgement, sentence
from harness.checks.contract.simulated import DRAWN, MEAN, WORST, fraction_between, verdict_of_rate
from harness.checks.contract.terms import HAIR_OF_MEAN, HAIR_OF_WORST, MARGIN, TERMS, mean_alphas
from harness.checks.report import CONTRACT, FAIL, INCONCLUSIVE, REMARK, Finding, Verdict
from harness.checks.subjects.subject import Subject, side_of
from harness.designs.list_scenario import ListScenario
from harness.designs.monte_carlo import INTERVAL_ALPHA
from harness.designs.paired_scenario import scenario_at
from harness.designs.scenario import Scenario
from harness.distributions.list_truths import ClusterTruth, ListTruth, RunTruth, StratumTruth
from harness.distributions.run_truths import NormalRuns
from harness.families.catalogue import family_of
from harness.families.family import CLUSTERS, RUNS, STRATA
from harness.methods.method import NOMINAL, NONE, TWO_SIDED, Contract

ERROR = "alpha error, drawn"
DRAWN_CHECKS = (ERROR, MEAN, WORST, DRAWN)

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
    keeps = sentence(lambda other: _judged(list(simulated.findings(other))))
    return list(simulated.findings(contract)), keeps


def _judged(findings: Sequence[Finding]) -> Judgement | None:
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
