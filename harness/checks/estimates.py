"""A gate on estimates: whether they keep a contract, up to the Monte Carlo error of their trials.

A contract promises, of each method in each scenario:

- coverage: a share of misses between multiples of alpha, those of a check on a model: ``nominal``
  0.7·alpha … alpha, ``approximate`` 0.45·alpha … 1.3·alpha, ``conservative`` and ``at-least`` at
  most alpha;
- bias: |bias| is at most 0.1 (``nominal``) or 0.4 (``approximate``) of the empirical standard
  error. An interval estimate ± z·SE with alpha = 0.05 misses 1.02·alpha and 1.4·alpha then;
  Collins, Schafer and Kam (2001), Psychological Methods 6:330, call 0.4 the least that matters;
- type I error, where the true value is the null: at most alpha, of ``approximate`` 1.3·alpha.

A promise is broken where the whole of its interval is outside of what is allowed. The intervals
hold simultaneously: with K promises each has the level 0.05/K, so that estimates that keep all of
them fail with a probability of at most 0.05. Those of shares are Clopper and Pearson's. The bias
d = bias/EmpSE has the interval d ± t·(1/√n + |d|·e), with e the relative standard error of EmpSE:
by the triangle inequality, the standard error of d is at most that sum. Where all estimates are
equal, d is 0 or infinite; an infinite one has no limits, and trials are too few: estimates of a
rare event are all equal in most studies, whatever their bias is. At a level of 0.2 %, 0.18 %
of studies of 4,000 log-normal estimates (σ = 1) fail whose bias is at its bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.special import stdtrit

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.base.text import printable
from harness.checks.findings import (
    FAIL,
    INCONCLUSIVE,
    NOT_PASSED,
    PASS,
    REMARK,
    Verdict,
    format_cell,
)
from harness.checks.report import EXIT_CODES
from harness.checks.scenarios import trials_needed
from harness.checks.simulation.scenario import ALLOWED, TOO_OFTEN
from harness.kinds.simulation.experiment import SIMULATION
from harness.kinds.simulation.tables import SimulationResults
from harness.kinds.stored import load
from harness.methods.method import APPROXIMATE, NOMINAL, NONE, Contract, validate_contract
from harness.methods.proportion import clopper_pearson
from harness.one.summarize import SummaryOptions, measured_groups
from harness.tables.results import Results

JOINT_LEVEL = 0.05
"""The largest probability that estimates which keep all promises fail."""
BIAS_ALLOWED: Mapping[Contract, float] = {NOMINAL: 0.1, APPROXIMATE: 0.4}
"""The largest |bias|/EmpSE of the contracts that promise one."""
COVERAGE, BIAS, TYPE_I = "coverage", "bias / empirical SE", "type I error"
_MOST_TRIALS = 10**9
_MEASURE = ("measure", "estimate", "mcse", "trials", "ci_lower", "ci_upper")

Bounds = tuple[float, float]
Number = tuple[float, float, int]
"""A measure: its estimate, its Monte Carlo standard error and the number of its trials."""


@dataclass(frozen=True)
class _Group:
    """What was measured of one method in one scenario."""

    place: Mapping[str, Any]
    numbers: Mapping[str, Number]
    is_null: bool
    """Whether the true value is the null."""

    def promises(self, contract: Contract, alpha: float) -> Iterator[partial[Promise]]:
        """What a contract promises about it, but for the level of each promise.

        Without p-values the tests are those of the limits, whose misses the coverage counts.
        """
        low, high = (factor * alpha for factor in ALLOWED[contract])
        farthest, numbers = (-math.inf, TOO_OFTEN * high), self.numbers
        if "coverage" in numbers:
            covered, mcse, trials = numbers["coverage"]
            allowed = low, high
            yield partial(
                Promise, self.place, COVERAGE, 1.0 - covered, mcse, trials, allowed, farthest
            )
        if contract in BIAS_ALLOWED and {"bias", "empirical_se"} <= numbers.keys():
            (bias, _, trials), (spread, error, _) = numbers["bias"], numbers["empirical_se"]
            most, ratio = BIAS_ALLOWED[contract], math.nan
            if spread > 0.0 and math.isfinite(error):
                ratio = bias / spread
                mcse = 1.0 / math.sqrt(trials) + abs(ratio) * error / spread
            elif spread == 0.0 and math.isfinite(bias):
                ratio = math.copysign(math.inf, bias) if bias else 0.0
                mcse = math.inf if bias else 1.0 / math.sqrt(trials)
            if not math.isnan(ratio):
                bounds, twice = (-most, most), (-TOO_OFTEN * most, TOO_OFTEN * most)
                yield partial(Promise, self.place, BIAS, ratio, mcse, trials, bounds, twice)
        if self.is_null and "rejection_rate" in numbers:
            share, mcse, trials = numbers["rejection_rate"]
            sides = [numbers[name] for name in ("miss_below", "miss_above") if name in numbers]
            missed = sum(round(miss * count) for miss, _, count in sides)
            if not sides or round(share * trials) != missed:
                yield partial(
                    Promise, self.place, TYPE_I, share, mcse, trials, (0.0, high), farthest
                )


@dataclass(frozen=True)
class Promise:
    """One promise of a contract about a method in a scenario, and what the trials say about it."""

    place: Mapping[str, Any]
    """The scenario with its factors and the method."""
    name: str
    """coverage, bias / empirical SE, or type I error."""
    value: float
    """A share of trials, of the coverage that of misses; or the bias/EmpSE."""
    mcse: float
    trials: int
    allowed: Bounds
    farthest: Bounds
    """Trials are too few if they cannot exclude a number beyond these."""
    level: float
    """The probability outside the simultaneous interval."""

    def _limits(self, value: float, trials: int) -> Bounds:
        """The interval of the number, of so many trials that show a value."""
        if math.isinf(value):
            return -math.inf, math.inf
        if self.name == BIAS:
            half = -float(stdtrit(trials - 1, self.level / 2)) * self.mcse
            half *= math.sqrt(self.trials / trials)
            return value - half, value + half
        data = np.array([float(round(value * trials))]), np.array([float(trials)])
        lower, upper = clopper_pearson(data, self.level / 2)
        return float(lower[0]), float(upper[0])

    def _verdict(self, value: float, trials: int) -> Verdict:
        """What so many trials say that show a value.

        A value outside of what is allowed is a remark from one standard error on.
        """
        (low, high), (least, most) = self._limits(value, trials), self.allowed
        if low > most or high < least:
            return FAIL
        if low < self.farthest[0] or high > self.farthest[1]:
            return INCONCLUSIVE
        error = self.mcse * math.sqrt(self.trials / trials)
        return PASS if least - error <= value <= most + error else REMARK

    @cached_property
    def verdict(self) -> Verdict:
        """What the trials say."""
        return self._verdict(self.value, self.trials)

    @cached_property
    def trials_needed(self) -> int | None:
        """How many trials would decide what these do not; None where these do, or 10^9 would not.

        They are those if the number stays as it is; of too few trials, if it is the worst that is
        allowed or what they show, whichever is worse.
        """
        if self.verdict not in (INCONCLUSIVE, REMARK):
            return None
        value, undecided = self.value, {self.verdict, INCONCLUSIVE}
        if self.verdict == INCONCLUSIVE:
            value = math.copysign(max(abs(value), self.allowed[1]), value)
        return trials_needed(
            lambda count: self._verdict(value, count) not in undecided,
            2 * self.trials,
            _MOST_TRIALS,
        )

    @property
    def record(self) -> dict[str, Any]:
        """A row of a table, with the coverage in place of the misses."""
        value, limits, allowed = self.value, self._limits(self.value, self.trials), self.allowed
        if self.name == COVERAGE:
            value = 1.0 - value
            limits, allowed = ((1.0 - high, 1.0 - low) for low, high in (limits, allowed))
        return {
            **self.place,
            "promise": self.name,
            "found": value,
            "mcse": self.mcse,
            "lower": limits[0],
            "upper": limits[1],
            "allowed_from": allowed[0],
            "allowed_to": allowed[1],
            "trials": self.trials,
            "verdict": self.verdict,
            "trials_needed": self.trials_needed,
        }

    def __str__(self) -> str:
        row = self.record
        number, low, high, least, most = (
            f"{row[name]:.4g}" for name in ("found", "lower", "upper", "allowed_from", "allowed_to")
        )
        is_above = row["found"] > row["allowed_to"]
        bound = f"at most {most} is allowed"
        if not is_above and self.name != TYPE_I:
            bound = f"at least {least} is required"
        if is_above and self.name == COVERAGE:
            bound = f"wider than needed, {bound}"
        needed = "no number of" if self.trials_needed is None else f"{self.trials_needed:,}"
        few = "all estimates are equal" if math.isinf(self.value) else "too few trials"
        words = {
            FAIL: f": {bound}",
            INCONCLUSIVE: f": {few}; {needed} trials would decide",
            REMARK: f": {bound}, which these trials do not decide; {needed} trials would, "
            "if it stays as it is",
        }
        return (
            f"{format_cell(self.place) or 'all rows'}: {self.name} {number} (standard error "
            f"{self.mcse:.4g}; simultaneous limits {low} and {high}; {self.trials:,} trials)"
            f"{words.get(self.verdict, '')}"
        )


@dataclass(frozen=True)
class Gate:
    """Whether estimates keep a contract."""

    contract: Contract
    promises: tuple[Promise, ...]
    unanswered: int
    """The number of answers that trials lack."""

    @classmethod
    def of(cls, contract: Contract, groups: Sequence[_Group], alpha: float, looks: int = 1) -> Self:
        """Judge what a contract promises about each group at the joint level.

        Args:
            contract: what is promised.
            groups: methods in scenarios.
            alpha: the probability outside the intervals, and the level of tests.
            looks: the number of planned looks at which trials might have ended.
        """
        promises = [promise for group in groups for promise in group.promises(contract, alpha)]
        if not promises:
            raise InputError(
                f"contract {contract} promises a coverage, which needs true values, and limits or "
                "standard errors; found neither a coverage nor another number that it promises"
            )
        level = JOINT_LEVEL / (len(promises) * looks)
        lost = [group.numbers["failures"] for group in groups if "failures" in group.numbers]
        unanswered = sum(round(share * trials) for share, _, trials in lost)
        return cls(contract, tuple(promise(level=level) for promise in promises), unanswered)

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all promises; what is not decided is a pass."""
        verdicts = {promise.verdict for promise in self.promises}
        return next((verdict for verdict in NOT_PASSED if verdict in verdicts), PASS)

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0 pass, 3 fail, 4 too few trials."""
        return EXIT_CODES[self.verdict]

    def __str__(self) -> str:
        count = len(self.promises)
        promises = "promise" if count == 1 else "promises"
        lines = [
            f"{self.verdict.upper()} {self.contract}: {count} {promises} at a joint level of 5 %"
        ]
        for verdict in (*NOT_PASSED, REMARK):
            lines += [f"  {promise}" for promise in self.promises if promise.verdict == verdict]
        if self.unanswered:
            lines.append(f"  {self.unanswered:,} trials have no answer: they are not covered")
        return printable("\n".join(lines))


def gate_on_estimates(
    data: Any, *, contract: str, estimate: str, by: str | Sequence[str] = (), **options: Any
) -> Gate:
    """Judge the estimates of a table.

    Args:
        data: as ``harness.summarize`` takes it.
        contract: what the estimates should keep.
        estimate: the column of the estimates.
        by: the columns of the method and of further factors.
        **options: other arguments of ``harness.summarize``.

    Raises:
        InputError: the table or an option is wrong, or nothing is promised about it.
    """
    kept = _validated(contract)
    asked = SummaryOptions(estimate=estimate, by=by, **options)
    groups, truths = measured_groups(data, asked)
    judged = [
        _Group(
            dict(zip(group.factors, group.values, strict=True)),
            {
                name: (measure.estimate, measure.mcse, measure.trials)
                for name, measure in measures.items()
            },
            is_null=asked.null is not None and truth == asked.null,
        )
        for (group, measures), truth in zip(groups.items(), truths, strict=True)
    ]
    return Gate.of(kept, judged, asked.alpha)


def gate_on_results(results: Results | str | Path, contract: str) -> Gate:
    """Judge the results of a simulation study.

    Args:
        results: the results, or the path of their folder.
        contract: what the methods should keep.

    Raises:
        InputError: there are no such results, or they are of another kind.
    """
    kept = _validated(contract)
    study = results if isinstance(results, Results) else load(results, with_cells=False)
    experiment = study.manifest["experiment"]
    if not isinstance(study, SimulationResults) or "solve" in experiment:
        kind = "a search" if "solve" in experiment else experiment.get("kind", "coverage")
        raise InputError(
            f"a contract is for results of kind {SIMULATION} without solve, found {kind}"
        )
    names = [name for name in study.summary.columns if name not in _MEASURE]
    null, truths = experiment.get("null"), study.manifest["truths"]
    groups = []
    for key, rows in study.summary.group_by(names, maintain_order=True):
        place = dict(zip(names, key, strict=True))
        numbers = {
            name: (value, math.nan if mcse is None else mcse, trials)
            for name, value, mcse, trials in rows.select(_MEASURE[:4]).iter_rows()
            if value is not None
        }
        truth = truths[place["scenario"] - 1]
        if isinstance(truth, dict):
            truth = truth.get(place["estimand"])
        groups.append(_Group(place, numbers, null is not None and truth == null))
    looks = study.manifest["trials"].get("looks", 1)
    return Gate.of(kept, groups, experiment["alpha"], looks)


def _validated(contract: str) -> Contract:
    """The contract, which promises something."""
    kept = validate_contract(contract)
    if kept == NONE:
        raise InputError(f"contract {quoted(kept)} promises nothing; leave it out")
    return kept
