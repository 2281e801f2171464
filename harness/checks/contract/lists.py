"""Whether a method for lists keeps a contract, by trials that draw whole data sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.checks.contract.exact import AT_LEAST, MARGIN, NONE, Contract
from harness.checks.contract.simulated import DRAWN, WORST, fraction_between
from harness.checks.report import CONTRACT, FAIL, INCONCLUSIVE, PASS, Finding
from harness.checks.subjects.subject import Subject, side_of
from harness.checks.trials import verdict_of
from harness.engines.monte_carlo import INTERVAL_ALPHA
from harness.families.catalogue import family_of
from harness.families.family import CLUSTERS, RUNS, STRATA
from harness.list_scenario import ListScenario
from harness.list_truths import ClusterTruth, ListTruth, RunTruth, StratumTruth
from harness.methods.method import TWO_SIDED
from harness.paired_scenario import scenario_at
from harness.run_truths import NormalRuns
from harness.scenario import Scenario

ERROR = "alpha error, drawn"

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
) -> list[Finding]:
    """Check a method for lists against a contract, by 95 % intervals.

    - nominal: in each scenario the alpha error is within the margin.
    - at-least: in each scenario the miss rate is at most alpha.

    A check passes where the whole interval is allowed, and fails where none of it is. The
    intervals of miss rates hold simultaneously for all scenarios and alphas: a method that misses
    exactly alpha everywhere fails with 2.5 % of all seeds.

    Args:
        contract: the contract.
        subject: the method.
        alphas: the alphas of the check.
        trials: the number of trials in each scenario.
        margin: of the alpha error; by default 0.3·alpha.
        seed: of all draws.

    Returns:
        A finding for each alpha, about the worst scenario.
    """
    if contract == NONE:
        return []
    found: list[Finding] = []
    for alpha in alphas:
        counted: list[_Counted] = []
        for words, size, truth in SCENARIOS[family_of(subject.family).design]:
            scenario = scenario_at(subject.family, size, truth)
            missed, fault = _misses(subject, scenario, alpha, trials, seed)
            if fault is not None:
                return [Finding(DRAWN, CONTRACT, FAIL, f"{fault} ({words})", {}, 1.0)]
            counted.append(_Counted(words, missed))
        found += _findings(contract, counted, alpha, len(alphas), trials, margin, seed)
    return found


def _findings(
    contract: Contract,
    counted: Sequence[_Counted],
    alpha: float,
    alphas: int,
    trials: int,
    margin: float | None,
    seed: int,
) -> Iterator[Finding]:
    """The findings at one alpha."""
    level = INTERVAL_ALPHA / (len(counted) * alphas)
    if contract == AT_LEAST:
        worst = max(counted, key=lambda each: each.missed)
        low, high = fraction_between(worst.missed, trials, level)
        verdict, expected, found = verdict_of(low, high, alpha), alpha, worst.missed / trials
        name, severity, allowed = WORST, low / alpha, f"{alpha:.4g} is allowed"
        span = f"{found:.4g} ({low:.4g} to {high:.4g})"
    else:
        expected = MARGIN * alpha if margin is None else margin
        worst = max(counted, key=lambda each: abs(each.missed / trials - alpha))
        low, high = fraction_between(worst.missed, trials, level)
        inside = max(abs(alpha - low), abs(alpha - high)) <= expected
        outside = low > alpha + expected or high < alpha - expected
        verdict = PASS if inside else FAIL if outside else INCONCLUSIVE
        found = alpha - worst.missed / trials
        name, severity = ERROR, abs(found) / expected if expected else np.inf
        allowed = f"the margin is {expected:.4g}"
        span = f"{found:.4g} ({alpha - high:.4g} to {alpha - low:.4g})"
    message = (
        f"{span} in {trials} trials at alpha = {alpha:g}, {worst.words}, the worst of "
        f"{len(counted)} scenarios, where {allowed}"
    )
    cell = {"alpha": alpha, "trials": trials, "found": found, "expected": expected, "seed": seed}
    yield Finding(name, CONTRACT, verdict, message, cell, severity)


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
