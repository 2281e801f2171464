"""A right interval, Wilson's, with one mistake at a time: the check made for it finds each."""

import pytest

from harness.checks.check import check

RIGHT = """
import numpy as np
from scipy.special import ndtri

def f(x, n, alpha):
    z = -ndtri(alpha / 2)
    delta = z * np.sqrt(x * (1 - x / n) + z * z / 4)
    lower = (x + z * z / 2 - delta) / (n + z * z)
    upper = (x + z * z / 2 + delta) / (n + z * z)
    return np.clip(lower, 0, 1), np.clip(upper, 0, 1)
"""
"""For arrays and numbers alike."""

_RETURN = "    return np.clip(lower, 0, 1), np.clip(upper, 0, 1)\n"
_BEGIN = "def f(x, n, alpha):\n"

WALD = """
import numpy as np
from scipy.special import ndtri

def f(x, n, alpha):
    delta = -ndtri(alpha / 2) * np.sqrt(x * (n - x) / n) / n
    return x / n - delta, x / n + delta
"""

CHANGES = {
    "swapped limits": (_RETURN, "    return np.clip(upper, 0, 1), np.clip(lower, 0, 1)\n"),
    "one-sided quantile": ("alpha / 2", "np.minimum(alpha, 0.499)"),
    "wrong end point at x = 0": (_RETURN, "    return lower + 0.02 * (x == 0), upper\n"),
    "off by one in x": (_BEGIN, _BEGIN + "    x = np.minimum(x + 1, n)\n"),
    "alpha used as coverage": ("alpha / 2", "(1 - alpha) / 2"),
    "float32 limits": (_RETURN, "    return np.float32(lower), np.float32(upper)\n"),
    "in-place change of x": (
        _BEGIN,
        _BEGIN + "    successes = x + 0\n    x *= 1 if np.ndim(x) == 0 else 2\n    x = successes\n",
    ),
    "seeding numpy's global state": (_BEGIN, _BEGIN + "    np.random.seed(1)\n"),
    "a NaN at one outcome": (
        _RETURN,
        "    return np.where((x == 3) & (n == 10), np.nan, lower), upper\n",
    ),
    "not nested": (
        _RETURN,
        "    wide = 0.05 < alpha < 0.8\n    return lower * (not wide), upper ** (not wide)\n",
    ),
    "worse at one n only": (
        _RETURN,
        "    return lower - 1e-4 * lower * (n == 17), upper + 1e-4 * (1 - upper) * (n == 17)\n",
    ),
}

FAULTS = {
    **{name: RIGHT.replace(*change) for name, change in CHANGES.items()},
    "missing clip": WALD,
}

FOUND_BY = {
    "swapped limits": "is ordered",
    "one-sided quantile": "mean alpha error",
    "missing clip": "stays in range",
    "wrong end point at x = 0": "holds the estimate",
    "off by one in x": "mirrors",
    "alpha used as coverage": "is nested in alpha",
    "float32 limits": "has double precision",
    "in-place change of x": "leaves its arguments alone",
    "seeding numpy's global state": "leaves random states alone",
    "a NaN at one outcome": "is finite",
    "not nested": "is nested in alpha",
    "worse at one n only": "against wilson: length",
}
"""The check whose job each is."""

SIZES, ALPHAS = (5, 10, 17, 50), (0.01, 0.05)


@pytest.fixture(scope="module")
def report_of(tmp_path_factory):
    """The report of a method with a mistake, computed once; of the right one for None."""
    reports = {}

    def report(fault):
        if fault not in reports:
            file = tmp_path_factory.mktemp("planted") / "mine.py"
            file.write_text(RIGHT if fault is None else FAULTS[fault])
            reports[fault] = check(f"{file}:f", against="wilson", sizes=SIZES, alphas=ALPHAS)
        return reports[fault]

    return report


def test_the_method_without_a_mistake_passes(report_of):
    report = report_of(None)
    assert report.passed, str(report)
    assert report.exit_code == 0


def test_each_change_changes_the_method():
    assert set(FAULTS) == set(FOUND_BY)
    assert len(FAULTS) == 12
    for name, change in CHANGES.items():
        assert FAULTS[name].count(change[1]) == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_a_mistake_is_found_by_its_check_and_named_in_the_first_line(report_of, fault):
    report = report_of(fault)
    assert report.exit_code == 3
    failed = {finding.check for finding in report.of_verdict("fail")}
    assert FOUND_BY[fault] in failed
    first, *others = str(report).splitlines()
    assert FOUND_BY[fault] in first
    assert len(others) < 25
    assert not any("the harness is wrong" in line for line in others)


@pytest.mark.parametrize("fault", ["in-place change of x", "seeding numpy's global state"])
def test_a_mistake_that_changes_no_limit_fails_no_other_check(report_of, fault):
    failed = {finding.check for finding in report_of(fault).of_verdict("fail")}
    assert failed == {FOUND_BY[fault]}
