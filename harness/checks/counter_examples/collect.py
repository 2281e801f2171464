"""Give each finding that is no plain pass the numbers of its picture, as far as they are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from harness.checks.behaviour import EXACT_NUMBERS
from harness.checks.conformance.properties import Evaluation
from harness.checks.contract.length import SHRINKS
from harness.checks.contract.lists import ERROR
from harness.checks.counter_examples.intervals import interval_example
from harness.checks.counter_examples.misses import miss_example
from harness.checks.counter_examples.records import CounterExample, NumberExample, is_known
from harness.checks.counter_examples.tails import tail_example
from harness.checks.report import AGAINST, CONFORMANCE, PASS, Finding, format_cell
from harness.checks.subjects.subject import Subject
from harness.checks.tails.check import TAIL_CHECKS
from harness.checks.tails.record import LimitTails
from harness.families.catalogue import family_of
from harness.methods.method import Contract

_MEASURED = {SHRINKS: "mean length over that at a quarter of the size"}
"""What a number is of, where the name of the check does not say it."""
_NO_PLACE = ("limit", "found", "expected")
"""What a cell holds beside the place of a limit."""


@dataclass(frozen=True)
class Computed:
    """What a check has computed about a method."""

    subject: Subject
    contract: Contract
    """What the method is held to."""
    evaluations: Sequence[Evaluation] = ()
    records: Sequence[LimitTails] = ()
    exact: pl.DataFrame = field(default_factory=pl.DataFrame)

    def with_counter_examples(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings; those that are no plain pass have their counter-example where it is known.

        No limit is computed that the check has not asked for already.
        """
        return [
            each if each.verdict == PASS else replace(each, counter_example=self._of(each))
            for each in findings
        ]

    def _of(self, finding: Finding) -> CounterExample | None:
        if finding.kind == CONFORMANCE or finding.check == EXACT_NUMBERS:
            return interval_example(finding, self.evaluations) if finding.cell else None
        found: CounterExample | None = None
        if finding.check in TAIL_CHECKS:
            found = tail_example(finding, self.records)
        found = found or miss_example(finding, self.subject, self.exact, self.contract)
        return found or self._numbers(finding)

    def _numbers(self, finding: Finding) -> NumberExample | None:
        """The number of a finding beside what it is compared with."""
        cell = finding.cell
        found, expected = cell.get("found"), cell.get("expected")
        if not (isinstance(found, int | float) and isinstance(expected, int | float)):
            return None
        if not is_known(found, expected):
            return None
        measured, words = _MEASURED.get(finding.check, finding.check), "allowed"
        if finding.kind == AGAINST:
            reference, _, title = finding.check.removeprefix(f"{AGAINST} ").rpartition(": ")
            measured, words = title or finding.check, reference or "expected"
        if "limit" in cell:
            place = {name: value for name, value in cell.items() if name not in _NO_PLACE}
            measured = f"the {cell['limit']} limit at {format_cell(place)}"
        if finding.check == ERROR:
            expected = math.copysign(expected, found)  # a margin on both sides of 0
        family = family_of(self.subject.family)
        names = (*(family.sizes if family.has_outcomes else ()), "alpha")
        return NumberExample(
            f"{measured[0].upper()}{measured[1:]} is {found:.6g}; {words}: {expected:.6g}.",
            measured,
            float(found),
            float(expected),
            words,
            {name: _values(finding, name) for name in names if name in cell},
        )


def _values(finding: Finding, name: str) -> tuple[float, ...]:
    """A size or alpha of a finding; lengths are compared with those at a quarter of the size."""
    value = float(finding.cell[name])
    return (0.25 * value, value) if finding.check == SHRINKS and name != "alpha" else (value,)
