"""Interval methods in somebody's own tests.

    assert_interval_method(my_interval, family="proportion", against="wilson")

    @parametrize_with_checks([my_interval, "package.module:other"])
    def test_interval(check):
        check()

pytest is needed by the second one alone, when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.checks.check import check
from harness.checks.naming import Function
from harness.checks.records import CheckReport

if TYPE_CHECKING:
    pass


def assert_interval_method(
    method: str | Function,
    *,
    family: str = "proportion",
    against: str | None = None,
    **options: Any,
) -> CheckReport:
    """Check a method; returns the report where all of it passes.

    Args:
        method: as of ``harness.check``.
        family: what is estimated.
        against: a method or the folder of a baseline that it may not be worse than.
        **options: any other argument of ``harness.check``.

    Raises:
        AssertionError: a check failed or could not be concluded; its text is the report.
        InputError: there is no such family or method.
    """
    report = check(method, family=family, against=against, **options)
    if not report.passed:
        raise AssertionError(str(report))
    return report
