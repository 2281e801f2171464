"""Give each finding that is no plain pass the numbers of its picture, as far as they are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from harness.checks.behaviour import EXACT_NUMBERS
from harness.checks.conformance.properties import Evaluation
from harness.checks.counter_examples.intervals import interval_example
from harness.checks.counter_examples.misses import miss_example
from harness.checks.counter_examples.records import CounterExample, NumberExample, is_known
from harness.checks.counter_examples.tails import tail_example
from harness.checks.report import AGAINST, CONFORMANCE, PASS, TAILS, Finding
from harness.checks.subjects.subject import Subject
from harness.checks.tails.record import LimitTails
from harness.families.catalogue import family_of
from harness.methods.contracts import Contract


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
        if finding.kind == TAILS:
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
        measured, words = finding.check, "allowed"
        if finding.kind == AGAINST:
            reference, _, title = finding.check.removeprefix(f"{AGAINST} ").rpartition(": ")
            measured, words = title or finding.check, reference or "expected"
        family = family_of(self.subject.family)
        names = (*(family.sizes if family.has_outcomes else ()), "alpha")
        return NumberExample(
            f"{measured[0].upper()}{measured[1:]} is {found:.6g}; {words}: {expected:.6g}.",
            measured,
            float(found),
            float(expected),
            words,
            {name: (float(cell[name]),) for name in names if name in cell},
        )
