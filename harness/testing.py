"""Interval methods in somebody's own tests.

    assert_interval_method(my_interval, family="proportion", against="wilson")

    @parametrize_with_checks([my_interval, "package.module:other"])
    def test_interval(check):
        check()

Only the second one needs pytest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from unittest import SkipTest

from harness.checks.check import check
from harness.checks.conformance.runner import names_of
from harness.checks.report import (
    AGAINST,
    BEHAVIOUR,
    CONFORMANCE,
    CONTRACT,
    CROSS_CHECK,
    PASS,
    CheckReport,
    Finding,
)
from harness.checks.subjects.naming import Function, named

if TYPE_CHECKING:
    import pytest

_REST = "everything else"


def assert_interval_method(
    method: str | Function,
    *,
    family: str = "proportion",
    against: str | None = None,
    **options: Any,
) -> CheckReport:
    """Check a method; returns the report where all of it passes.

    Args:
        method: as ``harness.check`` takes it.
        family: what is estimated.
        against: a method, or the folder of a baseline, that it may not be worse than.
        **options: other arguments of ``harness.check``.

    Raises:
        AssertionError: a check failed or could not be concluded; the text is the report.
        InputError: there is no such family or method.
    """
    report = check(method, family=family, against=against, **options)
    if not report.passed:
        raise AssertionError(str(report))
    return report


def parametrize_with_checks(
    methods: Sequence[str | Function], *, family: str = "proportion", **options: Any
) -> pytest.MarkDecorator:
    """Decorates a test of one argument ``check``, to be called: a test for each check and method.

    A method is checked when the first of its tests is run.

    Args:
        methods: as ``harness.check`` takes them.
        family: what is estimated.
        **options: other arguments of ``harness.check``.
    """
    import pytest

    names = (*names_of(family), BEHAVIOUR, CONTRACT, AGAINST, CROSS_CHECK, _REST)
    cases = []
    for method in methods:
        checked = _Checked(method, family, options)
        label = named(method, family).label
        ids = [f"{label}-{name.replace(' ', '_')}" for name in names]
        checks = [OneCheck(name, checked) for name in names]
        cases += [pytest.param(each, id=name) for each, name in zip(checks, ids, strict=True)]
    return pytest.mark.parametrize("check", cases)


@dataclass(frozen=True)
class _Checked:
    """A method, checked once for all of its tests."""

    method: str | Function
    family: str
    options: Mapping[str, Any] = field(repr=False)

    @cached_property
    def report(self) -> CheckReport:
        return check(self.method, family=self.family, **self.options)

    def findings(self, name: str) -> list[Finding]:
        """Those of a part of conformance, of another kind of check, or of neither."""
        return [finding for finding in self.report.findings if self._test_of(finding) == name]

    def _test_of(self, finding: Finding) -> str:
        if finding.kind == CONFORMANCE and finding.check in names_of(self.family):
            return finding.check
        kinds = (BEHAVIOUR, CONTRACT, AGAINST, CROSS_CHECK)
        return finding.kind if finding.kind in kinds else _REST


@dataclass(frozen=True)
class OneCheck:
    """One check of one method."""

    name: str
    checked: _Checked

    def __call__(self) -> None:
        """
        Raises:
            AssertionError: the check failed or could not be concluded, with every finding.
            SkipTest: there is nothing to be checked, as of a method that promises nothing.
        """
        found = self.checked.findings(self.name)
        if not found:
            raise SkipTest(f"nothing is asked of {self.name}")
        wrong = [each for each in found if each.verdict != PASS]
        if wrong:
            raise AssertionError("\n".join(f"{each.check}: {each.message}" for each in wrong))
