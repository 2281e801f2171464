"""What trials say about a method in one scenario: its answers, asked once and again, its coverage.

The trials of a scenario say how often the interval misses the true value. The verdict is by limits
of Clopper and Pearson, each of which is wrong with a probability of at most ``ERROR`` divided by
the number of scenarios: a method that keeps its contract fails a whole check with at most that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.callers.simulation.answers import FIELDS
from harness.callers.simulation.guard import CHANGED_DATA, DREW
from harness.callers.simulation.process import EndedError, TrialProcess
from harness.callers.simulation.requests import MODEL, ONLY, StudyProgram
from harness.checks.baseline.limits import differ
from harness.checks.findings import (
    BEHAVIOUR,
    CONFORMANCE,
    CONTRACT,
    FAIL,
    INCONCLUSIVE,
    PASS,
    REMARK,
    Finding,
    Verdict,
    format_cell,
    with_digits_apart,
)
from harness.checks.watch import steps
from harness.kinds.simulation.measures import Replicates
from harness.kinds.simulation.tables import ScenarioTrials
from harness.kinds.simulation.trials import SHARD, MethodTrials, TrialShard, joined, simulate_trials
from harness.methods.method import APPROXIMATE, AT_LEAST, CONSERVATIVE, NOMINAL, NONE, Contract
from harness.methods.proportion import clopper_pearson

ERROR = 1e-4
"""The largest probability that a method which keeps its contract fails a check by its coverage."""
ASKED_AGAIN = 20
"""The number of trials of a scenario that are asked for again."""
TOO_OFTEN = 2.0
"""Trials that cannot exclude that the interval misses so many times as often as it may say too
little."""
_ERRORS = 4.0
"""A standard error is remarked on from so many Monte Carlo standard errors on."""
_FAR, _NEAR = 0.3, 0.1
"""How far its logarithm is at least from the true one, where it is as near to that of a square or
of a root."""

ALLOWED: Mapping[Contract, tuple[float, float]] = {
    NOMINAL: (0.7, 1.0),
    APPROXIMATE: (0.45, 1.3),
    CONSERVATIVE: (0.0, 1.0),
    AT_LEAST: (0.0, 1.0),
    NONE: (0.0, math.inf),
}
"""The smallest and the largest miss rate of each contract, as multiples of alpha."""

ANSWERS, COVERAGE, STANDARD_ERROR = "answers", "coverage", "standard error"
KEEPS_DATA = "leaves the data as they are"
KEEPS_STATE = "leaves NumPy and warnings as they are"
REPEATS = "repeats its answers"
NO_GLOBALS = "ignores the global random state"
NO_ORDER = "keeps order of trials"
OF_MODEL = "the model: "
"""What the names of checks begin with that the model fails."""


@dataclass(frozen=True)
class ModelTrials:
    """The trials of one scenario."""

    program: StudyProgram
    shard: TrialShard
    """All of them."""
    truth: float
    contract: Contract
    tolerance: float
    """The largest difference of two answers that is none."""
    level: float
    """The probability with which a limit of the miss rate may be wrong."""

    @property
    def cell(self) -> dict[str, Any]:
        """The factors and alpha of the scenario."""
        return {**self.shard.factors, "alpha": self.program.alpha}

    def asked(self, shard: TrialShard) -> MethodTrials:
        """The answers of the method in some trials of the scenario."""
        (answers,) = simulate_trials(self.program, shard).methods
        return answers

    @cached_property
    def found(self) -> MethodTrials:
        """The answers of the method in all of them.

        Raises:
            TimeUpError: the time of the check is over.
        """
        count = self.shard.count
        parts = [
            self.asked(replace(self.shard, first=first, count=min(SHARD, count + 1 - first)))
            for first in steps(range(1, count + 1, SHARD))
        ]
        return joined(parts)

    @cached_property
    def replicates(self) -> Replicates:
        """The answers with the limits that follow from standard errors."""
        number, factors, answers = self.shard.scenario, self.shard.factors, {"": self.found}
        made = ScenarioTrials(number, factors, {ONLY: self.truth}, answers, 0)
        return made.replicates(self.program.alpha)[""][ONLY]

    def findings(self) -> Iterator[Finding]:
        """All findings about the method in this scenario."""
        yield from self._answers()
        yield from self._again()
        if self.found.answered.any():
            yield self._coverage()
            yield from self._standard_error()

    def finding(
        self, check: str, kind: str, verdict: Verdict, message: str, severity: float = 0.0
    ) -> Finding:
        """A finding, whose message begins with the place."""
        text = f"at {format_cell(self.cell)}: {message}"
        return Finding(check, kind, verdict, text, self.cell, severity)

    def _answers(self) -> Iterator[Finding]:
        count, answers = self.shard.count, self.found
        check, verdict, message = ANSWERS, PASS, f"an answer in all {count:,} trials"
        lost = count - int(answers.answered.sum())
        if answers.failed:
            trial, why = answers.failed
            message = f"no answer in {lost:,} of {count:,} trials, first in trial {trial}: {why}"
            is_of_model = why.startswith(f"{MODEL} ")
            check = f"{OF_MODEL * is_of_model}{ANSWERS}"
            verdict = INCONCLUSIVE if is_of_model else FAIL
        yield self.finding(check, CONFORMANCE, verdict, message, lost / count)
        check, verdict, message = KEEPS_DATA, PASS, "the method changed none of them"
        trial, what = answers.changed or (0, "")
        # Draws from global generators are found where trials are asked for again.
        if what and not what.endswith(DREW):
            verdict, message = FAIL, f"{what}, first in trial {trial}"
            if what != CHANGED_DATA:
                check = f"{OF_MODEL * what.startswith(f'{MODEL} ')}{KEEPS_STATE}"
        yield self.finding(check, CONFORMANCE, verdict, message, 1.0)

    def _again(self) -> Iterator[Finding]:
        """Ask a new process for some trials again: alone, and in another order."""
        faults: dict[str, list[str]] = {}
        rng = np.random.default_rng(self.shard.seed)
        chosen = rng.permutation(np.flatnonzero(self.found.answered))[:ASKED_AGAIN].tolist()
        with closing(TrialProcess(self.program, self.shard.factors)) as process:
            try:
                for place in chosen:
                    if (difference := self._difference(process, place)) is not None:
                        check, words = difference
                        faults.setdefault(check, []).append(f"trial {place + 1}: {words}")
            except EndedError as fault:
                faults.setdefault(REPEATS, []).append(f"trial {fault.trial}, asked again: {fault}")
        checks = [REPEATS, NO_GLOBALS, NO_ORDER]
        causes = [*(f"{OF_MODEL}{check}" for check in checks), *checks]
        # What fails one of them may fail those after it as well.
        for check in sorted(faults, key=causes.index)[:1]:
            message = f"{faults[check][0]} (in {len(faults[check])} of {len(chosen)} trials)"
            yield self.finding(check, CONFORMANCE, FAIL, message, 1.0)
        for check in checks if chosen and not faults else ():
            message = f"the same answers in {len(chosen)} trials, asked again"
            yield self.finding(check, CONFORMANCE, PASS, message)

    def _difference(self, process: TrialProcess, place: int) -> tuple[str, str] | None:
        """The check that an answer given again fails, and how."""
        shard = replace(self.shard, first=place + 1, count=1)
        asked = shard.request(self.program)
        replies = [process.trials(replace(asked, state=state)) for state in (0, 0, 1)]
        numbers = self.found.fields()
        before = np.array([numbers[name][place] for name in FIELDS])
        answers = []
        for answer in replies:
            values = answer.arrays["values"][0, :, 0]
            by_name = dict(zip(answer.content["given"], values, strict=True))
            answers.append(np.array([by_name.get(name, np.nan) for name in FIELDS]))
        first, again, other = answers
        for check, one, reference, reply, words in (
            (REPEATS, again, first, replies[1], "asked twice"),
            (NO_GLOBALS, other, again, replies[2], "after numpy.random and random are seeded anew"),
            (NO_ORDER, first, before, None, "asked without the trials before"),
        ):
            if reply is not None and not reply.content["same_data"]:
                return f"{OF_MODEL}{check}", f"other data {words}"
            if differ(one, reference, self.tolerance).any():
                return check, f"{changes(one, reference, self.tolerance)} {words}"
        return None

    @cached_property
    def misses(self) -> tuple[int, int, int]:
        """The number of trials with the truth below the limits, above them, and without limits."""
        lower, upper = self.replicates.lower, self.replicates.upper
        below, above = np.sum(self.truth < lower), np.sum(self.truth > upper)
        return int(below), int(above), int(np.sum(np.isnan(lower) | np.isnan(upper)))

    @cached_property
    def row(self) -> dict[str, Any] | None:
        """The factors, and what the trials have shown; None where the method gave no limits.

        A trial without an answer is a miss.
        """
        count, lengths = self.shard.count, self.replicates.upper - self.replicates.lower
        below, above, missing = self.misses
        missed = (below + above + missing) / count
        if missing == count:
            return None
        return {
            **self.cell,
            "trials": count,
            "coverage": 1.0 - missed,
            "mcse": math.sqrt(missed * (1.0 - missed) / count),
            "miss_below": below / count,
            "miss_above": above / count,
            "mean_length": float(np.nanmean(lengths)),
        }

    def _coverage(self) -> Finding:
        row, alpha = self.row, self.program.alpha
        if row is None:
            message = "the method gives neither limits nor standard errors"
            return self.finding(COVERAGE, CONTRACT, INCONCLUSIVE, message)
        low, high = (factor * alpha for factor in ALLOWED[self.contract])
        least, most = self._limits(sum(self.misses), self.shard.count)
        verdict, words, severity = PASS, "", 0.0
        if least > high:
            verdict, severity = FAIL, least / high
            words = f"at least {1.0 - high:g} is required"
        elif most < low:
            verdict, severity = FAIL, low / most
            words = f"wider than needed, at most {1.0 - low:g} is allowed"
        elif most > TOO_OFTEN * high:
            verdict, words = INCONCLUSIVE, f"too few trials; --trials {self._needed(high)}"
        elif most < alpha:
            verdict, words = REMARK, "wider than needed"
        message = (
            f"{row['coverage']:.4f} (standard error {row['mcse']:.4f}; simultaneous limits "
            f"{1.0 - most:.4f} and {1.0 - least:.4f}){': ' * bool(words)}{words}; misses "
            f"{row['miss_below']:.4f} below and {row['miss_above']:.4f} above, mean length "
            f"{row['mean_length']:.4g}"
        )
        return self.finding(COVERAGE, CONTRACT, verdict, message, severity)

    def _limits(self, misses: int, count: int) -> tuple[float, float]:
        """The limits of the miss rate."""
        data = np.array([float(misses)]), np.array([float(count)])
        lower, upper = clopper_pearson(data, self.level)
        return float(lower[0]), float(upper[0])

    def _needed(self, high: float) -> int:
        """How many trials exclude that the interval misses far too often if it does not."""
        count = 2 * self.shard.count
        while self._limits(math.ceil(high * count), count)[1] > TOO_OFTEN * high:
            count *= 2
        return count

    def _standard_error(self) -> Iterator[Finding]:
        """Compare the standard errors that the method gives with the one of its estimates."""
        kept = ~np.isnan(self.replicates.estimate + self.replicates.se)
        estimate, se = self.replicates.estimate[kept], self.replicates.se[kept]
        if se.size < 2 or np.ptp(estimate) == 0.0 or not se.any():
            return
        true = float(estimate.std(ddof=1))
        ratio = math.sqrt(np.mean(se**2)) / true
        influence = se**2 / np.mean(se**2) - (estimate - estimate.mean()) ** 2 / true**2
        error = 0.5 * float(influence.std()) / math.sqrt(se.size)
        verdict, words, far = PASS, "", abs(math.log(ratio))
        if far > _ERRORS * error:
            verdict = REMARK
            for power, what in ((2.0, "square"), (0.5, "square root")):
                distance = abs(math.log(np.mean(se)) - power * math.log(true))
                if far > _FAR and distance < _NEAR:
                    words = f"; it is near the {what} of that"
        message = (
            f"{ratio:.3g} (± {ratio * error:.2g}) times that of the estimates, {true:.4g}{words}"
        )
        yield self.finding(STANDARD_ERROR, BEHAVIOUR, verdict, message, far)


def changes(one: Floats, other: Floats, tolerance: float) -> str:
    """The numbers of an answer that differ, as ``lower 0.2 instead of 0.1``."""
    texts = []
    for place in np.flatnonzero(differ(one, other, tolerance)):
        new, old = with_digits_apart(float(one[place]), float(other[place]))
        texts.append(f"{FIELDS[place]} {new} instead of {old}")
    return ", ".join(texts)
