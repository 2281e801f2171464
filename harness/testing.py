"""Checks of interval methods for the test suites of other projects.

    assert_interval_method(my_interval, family="proportion", against="wilson")

    @parametrize_with_checks([my_interval, "package.module:other"])
    def test_interval(check):
        check()

Only ``parametrize_with_checks`` needs pytest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from unittest import SkipTest

from harness.checks.check import check
from harness.checks.conformance.runner import property_names
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
from harness.printable import printable

if TYPE_CHECKING:
    import pytest

_REST = "everything else"
"""The test of findings that are neither a property nor of another kind, as wrong declarations."""


def assert_interval_method(
    method: str | Function,
    *,
    family: str = "proportion",
    against: str | None = None,
    **options: Any,
) -> CheckReport:
    """Assert that a method passes every check of ``harness.check``.

    Args:
        method: a name or a callable, as ``harness.check`` takes it.
        family: the family of the method.
        against: another method, or the folder of a baseline, than which it must not be worse.
        **options: other arguments of ``harness.check``.

    Returns:
        The report.

    Raises:
        AssertionError: a check failed or was inconclusive; the text is the report.
        InputError: there is no such family or method, or an argument is wrong.

    Example:
        >>> report = assert_interval_method("wilson", sizes=[5], alphas=[0.05])
        >>> report.passed
        True
    """
    report = check(method, family=family, against=against, **options)
    if not report.passed:
        raise AssertionError(str(report))
    return report


def parametrize_with_checks(
    methods: Sequence[str | Function], *, family: str = "proportion", **options: Any
) -> pytest.MarkDecorator:
    """Parametrize a pytest function over every check of several methods.

    The function has one argument, ``check``, and calls it. A method is checked when the first of
    its tests runs.

    Args:
        methods: names or callables, as ``harness.check`` takes them.
        family: the family of the methods.
        **options: other arguments of ``harness.check``.

    Returns:
        A decorator of test functions.

    Raises:
        InputError: there is no such family or method.

    Example:
        >>> @parametrize_with_checks(["wilson", "jeffreys"], sizes=[5], alphas=[0.05])
        ... def test_interval(check):
        ...     check()
    """
    import pytest

    names = (*property_names(family), BEHAVIOUR, CONTRACT, AGAINST, CROSS_CHECK, _REST)
    cases = []
    for method in methods:
        checked = CheckedMethod(method, family, options)
        label = named(method, family).label
        ids = [f"{label}-{name.replace(' ', '_')}" for name in names]
        checks = [OneCheck(name, checked) for name in names]
        cases += [pytest.param(each, id=name) for each, name in zip(checks, ids, strict=True)]
    return pytest.mark.parametrize("check", cases)


@dataclass(frozen=True)
class CheckedMethod:
    """A method that is checked once for all of its tests."""

    method: str | Function
    family: str
    options: Mapping[str, Any] = field(repr=False)

    @cached_property
    def report(self) -> CheckReport:
        """The report of the method, computed at the first access."""
        return check(self.method, family=self.family, **self.options)

    def findings(self, name: str) -> list[Finding]:
        """The findings of one test: of a property, of another kind of check, or all others."""
        return [finding for finding in self.report.findings if self._test_of(finding) == name]

    def _test_of(self, finding: Finding) -> str:
        """The name of the test that a finding belongs to."""
        if finding.kind == CONFORMANCE and finding.check in property_names(self.family):
            return finding.check
        kinds = (BEHAVIOUR, CONTRACT, AGAINST, CROSS_CHECK)
        return finding.kind if finding.kind in kinds else _REST


@dataclass(frozen=True)
class OneCheck:
    """One check of one method."""

    name: str
    checked: CheckedMethod

    def __call__(self) -> None:
        """Assert that every finding of the check passed.

        Raises:
            AssertionError: the check failed or was inconclusive; the text has every finding.
            SkipTest: there are no findings, as for a method without a contract.
        """
        found = self.checked.findings(self.name)
        if not found:
            raise SkipTest(f"no finding of {self.name}")
        wrong = [each for each in found if each.verdict != PASS]
        if wrong:
            raise AssertionError(
                printable("\n".join(f"{each.check}: {each.message}" for each in wrong))
            )
