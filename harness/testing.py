"""Checks of interval methods for the test suites of other projects.

    assert_interval_method(my_interval, family="proportion", against="wilson")

    assert_coverage("estimates.csv", estimate="b", se="se", true=0.5, by="method")

    @parametrize_with_checks({my_interval: {}, "package.module:other": {"contract": "at-least"}})
    def test_interval(check):
        check()

Only ``parametrize_with_checks`` needs pytest. The plugin ``harness.pytest_plugin`` has the same for
methods that are named on the command line.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from unittest import SkipTest

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.base.text import printable
from harness.callers.naming import AnyMethod, known_family, named
from harness.checks.baseline.folder import resolve_baseline
from harness.checks.batch import shared_report
from harness.checks.check import check
from harness.checks.conformance.runner import property_names
from harness.checks.findings import (
    AGAINST,
    BEHAVIOUR,
    CONFORMANCE,
    CONTRACT,
    CROSS_CHECK,
    DECLARED,
    TAILS,
    Finding,
)
from harness.checks.report import CheckReport

if TYPE_CHECKING:
    import pytest

    from harness.checks.estimates import Gate

IN_A_TEST = "PYTEST_CURRENT_TEST"
"""The variable of the environment that pytest sets while a test runs."""

_KINDS = (TAILS, BEHAVIOUR, CONTRACT, AGAINST, CROSS_CHECK)
"""Kinds of checks that have one test each, besides the properties."""
_REST = "everything else"
"""The test of findings that are neither a property nor of another kind, as wrong declarations."""


Methods: TypeAlias = (
    Sequence[AnyMethod | tuple[AnyMethod, Mapping[str, Any]]]
    | Mapping[AnyMethod, Mapping[str, Any]]
)


def assert_interval_method(
    method: AnyMethod,
    *,
    family: str = "proportion",
    against: str | None = None,
    **options: Any,
) -> CheckReport:
    """Assert that a method passes every check of ``harness.check``.

    Args:
        method: a name or a callable, as ``harness.check`` takes it.
        family: the family of the method.
        against: another method, or the folder of a baseline, than which it must not be worse; a
            relative path starts from the folder of the calling file, if a baseline is there.
        **options: other arguments of ``harness.check``.

    Returns:
        The report.

    Raises:
        AssertionError: a check failed or was inconclusive; the text is the report.
        InputError: there is no such family or method, or an argument is wrong.

    Example:
        >>> report = assert_interval_method("wilson", grid="n=10;alpha=0.05")
        >>> report.passed
        True
    """
    __tracebackhide__ = True
    options = {"against": against, **options}
    checked = CheckedMethod(method, family, with_baseline(options, _folder_of_caller()))
    return assert_report(checked.report)


def assert_coverage(
    estimates: Any,
    *,
    contract: str = "nominal",
    estimate: str | None = None,
    by: str | Sequence[str] = (),
    **options: Any,
) -> Gate:
    """Assert that estimates of a simulation keep a contract, up to Monte Carlo error.

    Args:
        estimates: a table, as ``harness.summarize`` takes it; or the results of a simulation study
            or the path of their folder, with a contract alone.
        contract: nominal, approximate, conservative or at-least.
        estimate: the column of the estimates.
        by: the columns of the method and of further factors.
        **options: other arguments of ``harness.summarize``: ``se``, ``true`` and the like.

    Returns:
        The promises, each with its simultaneous limits.

    Raises:
        AssertionError: a promise is broken, or trials are too few; the text names the promises.
        InputError: the estimates cannot be read, or an argument is wrong.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(1)
        >>> study = {"b": rng.normal(0.5, 0.1, 4000), "se": np.full(4000, 0.1)}
        >>> print(assert_coverage(study, estimate="b", se="se", true=0.5))
        PASS nominal: 2 promises at a joint level of 5 %
    """
    __tracebackhide__ = True
    from harness.checks.estimates import gate_on_estimates, gate_on_results

    if estimate is not None:
        gate = gate_on_estimates(estimates, contract=contract, estimate=estimate, by=by, **options)
    elif by or options:
        raise InputError("assert_coverage needs estimate, the column of the estimates")
    else:
        gate = gate_on_results(estimates, contract)
    if gate.exit_code:
        raise AssertionError(str(gate))
    return gate


def assert_report(report: CheckReport) -> CheckReport:
    """Return a report that passed.

    Raises:
        AssertionError: a check failed or was inconclusive; the text is the report.
    """
    __tracebackhide__ = True
    if not report.passed:
        raise AssertionError(str(report))
    return report


def parametrize_with_checks(
    methods: Methods, *, family: str = "proportion", **options: Any
) -> pytest.MarkDecorator:
    """Parametrize a pytest function over every check of several methods.

    The function has one argument, ``check``, and calls it. A method is checked when the first of
    its tests runs, and under pytest-xdist by one of the workers.

    Args:
        methods: names or callables, as ``harness.check`` takes them; a pair of one with a mapping
            of its own arguments of ``harness.check``; or a mapping from each to these.
        family: the family of the methods.
        **options: arguments of ``harness.check`` for all methods. A relative path of a baseline
            starts from the folder of the calling file, if a baseline is there.

    Returns:
        A decorator of test functions.

    Raises:
        InputError: there is no such family or method.

    Example:
        >>> methods = ["wilson", ("clopper_pearson", {"contract": "at-least"})]
        >>> @parametrize_with_checks(methods, sizes=[10], alphas=[0.05])
        ... def test_interval(check):
        ...     check()
    """
    import pytest

    folder, cases = _folder_of_caller(), []
    given = list(methods.items()) if isinstance(methods, Mapping) else list(methods)
    for number, entry in enumerate(given):
        method, own = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, {})
        if not isinstance(own, Mapping):
            raise InputError(
                f"a method should stand with a mapping of its options, found {quoted(own)}"
            )
        arguments = {"family": family, **options, **own}
        of_family = arguments.pop("family")
        checked = CheckedMethod(method, of_family, with_baseline(arguments, folder), number)
        label = named(method, checked.family).label
        cases += [
            pytest.param(one_check, id=f"{label}-{one_check.name.replace(' ', '_')}")
            for one_check in checks_of(checked)
        ]
    return pytest.mark.parametrize("check", cases)


def _folder_of_caller() -> Path:
    """The folder of the file that calls a function of this module."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return Path(frame.f_code.co_filename).parent if frame is not None else Path()


def with_baseline(options: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """The options of a check, whose relative baseline starts from a folder."""
    against = options.get("against")
    if isinstance(against, str | Path):
        return {**options, "against": resolve_baseline(against, folder)}
    return options


@dataclass(frozen=True)
class CheckedMethod:
    """A method that is checked once for all of its tests."""

    method: AnyMethod
    family: str
    options: Mapping[str, Any] = field(repr=False)
    number: int | None = None
    """Its place among the methods of a test function; None where no other test checks it."""
    key: str | None = None
    """The key of its report in a test run; None for one by the test function and the number."""

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that methods of the family should have."""
        return property_names(known_family(self.family))

    @cached_property
    def report(self) -> CheckReport:
        """The report of the method, computed at the first access in one of the workers."""
        key = self.key
        if key is None and self.number is not None and IN_A_TEST in os.environ:
            label = named(self.method, self.family).label
            options = sorted((name, repr(value)) for name, value in self.options.items())
            key = f"{os.environ[IN_A_TEST].partition('[')[0]} {self.number} {label} {options}"
        return self._check() if key is None else shared_report(key, self._check)

    def _check(self) -> CheckReport:
        return check(self.method, family=self.family, **self.options)

    def findings(self, name: str) -> list[Finding]:
        """The findings of one test: of a property, of another kind of check, or all others."""
        of_test = []
        for finding in self.report.findings:
            test = finding.kind if finding.kind in _KINDS else _REST
            if finding.kind == CONFORMANCE and finding.check in self.properties:
                test = finding.check
            if test == name:
                of_test.append(finding)
        return of_test


def checks_of(checked: CheckedMethod) -> list[OneCheck]:
    """The checks of a method, a test for each."""
    return [OneCheck(name, checked) for name in (*checked.properties, *_KINDS, _REST)]


@dataclass(frozen=True)
class OneCheck:
    """One check of one method."""

    name: str
    checked: CheckedMethod

    def __call__(self) -> None:
        """Assert that every finding of the check passed; in pytest a declared failure is an xfail.

        Raises:
            AssertionError: the check failed or was inconclusive; the text has every finding.
            SkipTest: there are no findings, as for a method without a contract.
        """
        __tracebackhide__ = True
        findings = self.checked.findings(self.name)
        if not findings:
            raise SkipTest(f"no finding of {self.name}")
        wrong = [finding for finding in findings if not finding.passed]
        if wrong:
            raise AssertionError(
                printable("\n".join(f"{finding.check}: {finding.message}" for finding in wrong))
            )
        declared = [finding for finding in findings if finding.verdict == DECLARED]
        pytest = sys.modules.get("pytest")
        if declared and pytest is not None and IN_A_TEST in os.environ:
            pytest.xfail(printable("\n".join(finding.message for finding in declared)))
