"""A plugin of pytest that checks interval methods, switched on with ``-p harness.pytest_plugin``.

    pytest -p harness.pytest_plugin --harness-check package.module:function

collects a test for each check of the method, beside the tests of the project. The fixture
``check_interval`` checks a method within a test::

    def test_interval(check_interval):
        check_interval("package.module:function", contract="at-least", against="baseline")

Under pytest-xdist a method is checked once, whichever workers run its tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from harness.checks.report import CheckReport
    from harness.testing import OneCheck

REMARK = "remark"
"""The user property of a test that holds a remark about the method."""
_UNTOLD = ("update", "force")
"""Arguments of ``harness.check`` that are no options of a test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the keys of the ini-file."""
    group = parser.getgroup("harness", "checks of interval methods")
    for name, metavar, text in (
        ("check", "METHOD", "check an interval method, a test for each check; repeatable"),
        ("option", "NAME=VALUE", "an argument of harness.check, for all methods; repeatable"),
    ):
        group.addoption(
            f"--harness-{name}",
            dest=f"harness_{name}",
            action="append",
            default=[],
            metavar=metavar,
            help=text,
        )
        parser.addini(f"harness_{name}", f"{text}, a line for each", "linelist", [])


def pytest_configure(config: pytest.Config) -> None:
    """Refuse methods and options that are none, before anything is collected."""
    from harness.base.errors import InputError

    try:
        _checks(config)
    except InputError as fault:
        raise pytest.UsageError(f"harness: {fault}") from None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add a test for each check of each method."""
    for label, checks in _checks(session.config).items():
        collector = MethodChecks.from_parent(session, name=label, nodeid=label, checks=checks)
        items.extend(collector.collect())


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the remarks of all checks."""
    reports = [
        report for reports_of_kind in terminalreporter.stats.values() for report in reports_of_kind
    ]
    remarks = [
        f"{report.nodeid}: {text}"
        for report in reports
        for name, text in getattr(report, "user_properties", ())
        if name == REMARK and report.when == "call"
    ]
    if remarks:
        terminalreporter.section("remarks about interval methods")
        for remark in remarks:
            terminalreporter.line(remark)


@pytest.fixture
def check_interval(request: pytest.FixtureRequest) -> Callable[..., CheckReport]:
    """A function as ``harness.testing.assert_interval_method``.

    A relative path of a baseline starts from the folder of the test. Methods that are given by
    name and options are checked once in a test run.
    """
    from harness.testing import CheckedMethod, assert_report, with_baseline

    def check(method: Any, **options: Any) -> CheckReport:
        __tracebackhide__ = True
        family = options.pop("family", "proportion")
        asked = with_baseline(options, request.path.parent)
        report = CheckedMethod(method, family, asked).report
        for finding in report.of_verdict("remark"):
            request.node.user_properties.append((REMARK, f"{finding.check}: {finding.message}"))
        return assert_report(report)

    return check


class MethodChecks(pytest.Collector):
    """The checks of one method."""

    def __init__(self, *, checks: list[OneCheck], **other: Any) -> None:
        super().__init__(**other)
        self._checks = checks

    def collect(self) -> Iterator[CheckItem]:
        """Yield a test for each check."""
        for check in self._checks:
            yield CheckItem.from_parent(self, name=check.name, check=check)


class CheckItem(pytest.Item):
    """One check of one method."""

    def __init__(self, *, check: OneCheck, **other: Any) -> None:
        super().__init__(**other)
        self._check = check

    def runtest(self) -> None:
        """Make the check; the first one of a method makes all of them."""
        findings = self._check.checked.findings(self._check.name)
        self.user_properties += [
            (REMARK, finding.message) for finding in findings if finding.verdict == "remark"
        ]
        self._check()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The findings, or what was wrong with the method, without a traceback."""
        from harness.base.errors import HarnessError

        if excinfo.errisinstance((AssertionError, HarnessError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where the test is: in no file, under the method's name."""
        return self.nodeid.partition("::")[0], None, self.nodeid


def _checks(config: pytest.Config) -> dict[str, list[OneCheck]]:
    """The checks of each method that the options and the ini-file name, by its label.

    Raises:
        InputError: there is no such method, or an option is none of ``harness.check``.
    """
    methods = [*config.getini("harness_check"), *config.getoption("harness_check")]
    if not methods:
        return {}
    from harness.callers.naming import named
    from harness.testing import CheckedMethod, checks_of, with_baseline

    given = [*config.getini("harness_option"), *config.getoption("harness_option")]
    options = dict(map(_read_option, given))
    family = str(options.pop("family", "proportion"))
    asked, checks = with_baseline(options, config.rootpath), {}
    for method in methods:
        label = named(method, family).label
        checked = CheckedMethod(method, family, asked, key=f"check of {label}")
        checks[label] = checks_of(checked)
    return checks


def _read_option(text: str) -> tuple[str, Any]:
    """The name and the value of an option: a number, or a text.

    Raises:
        InputError: it is no option of a check.
    """
    from harness.base.arguments import validate_choice
    from harness.base.errors import InputError
    from harness.checks.options import OPTION_NAMES

    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise InputError(f"--harness-option should be NAME=VALUE, found {text!r}")
    names = [option for option in OPTION_NAMES if option not in _UNTOLD]
    validate_choice("--harness-option", name, names)
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value
