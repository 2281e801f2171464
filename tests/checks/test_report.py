"""A report as a first screen, as JSON and as JUnit."""

import json
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from scipy.special import betainc, betaincinv, expit, ndtri, stdtrit
from scipy.stats import beta

from harness.callers.function import FunctionHere, FunctionInProcess
from harness.callers.location import FunctionLocation
from harness.checks.check import check
from harness.checks.conformance.runner import check_conformance
from harness.checks.findings import Finding
from harness.checks.formats import FORMATS, format_json, format_junit, format_table
from harness.checks.report import CheckReport
from harness.checks.sizes import Restriction
from harness.checks.subject import Subject
from harness.families.catalogue import PROPORTION, family_of
from tests.checks.planted.textbook import add_four, woolf_half

LINES, COLUMNS = 25, 80
"""Of a small terminal."""


def finding(check="mirrors", kind="conformance", verdict="pass", message="holds", severity=0.0):
    return Finding(check, kind, verdict, message, {"n": 3, "alpha": 0.05}, severity)


def report(*findings):
    return CheckReport(
        "mine", "proportion", "nominal", findings, pl.DataFrame(), estimated=PROPORTION
    )


def folded(text):
    """How many lines of a small terminal a text takes."""
    return sum(max(1, -(-len(line) // COLUMNS)) for line in text.splitlines())


@pytest.mark.parametrize(
    ("verdicts", "verdict", "code"),
    [
        ([], "pass", 0),
        (["pass", "pass"], "pass", 0),
        (["pass", "inconclusive"], "inconclusive", 4),
        (["inconclusive", "fail", "pass"], "fail", 3),
    ],
)
def test_the_verdict_is_the_worst_one_and_sets_the_exit_code(verdicts, verdict, code):
    found = report(*(finding(verdict=each) for each in verdicts))
    assert (found.verdict, found.exit_code, found.passed) == (verdict, code, verdict == "pass")


def test_the_worst_come_first_and_causes_before_effects():
    found = report(
        finding("length", "against", "fail", severity=1e9),
        finding("mean", "contract", "inconclusive"),
        finding("nested", "conformance", "fail", severity=1.0),
        finding("ordered", "conformance", "fail", severity=2.0),
    )
    assert [each.check for each in found.worst(9)] == ["ordered", "nested", "length", "mean"]
    assert found.headline == (
        "mine (proportion): FAIL: ordered, nested, length; first at n = 3, alpha = 0.05"
    )


@pytest.mark.parametrize(
    ("contract", "verdicts", "words"),
    [
        ("nominal", ["pass"], "PASS nominal"),
        ("at-least", ["remark", "pass", "remark"], "PASS at-least (2 remarks)"),
        ("none", ["pass"], "PASS (nothing promised)"),
        ("none", ["declared", "remark"], "PASS (nothing promised; 1 declared failure; 1 remark)"),
    ],
)
def test_the_first_line_says_what_kind_of_pass_it_is(contract, verdicts, words):
    found = report(*(finding(verdict=each) for each in verdicts))
    found = replace(found, contract=contract)
    assert found.headline == f"mine (proportion): {words}"
    assert (found.passed, found.exit_code) == (True, 0)


def everything_wrong(x, n, alpha):
    return 1.5 - 0.1 * x * np.float32(alpha), 0.1 + 0.0 * x


@pytest.mark.parametrize("method", ["clopper_pearson", "wald", everything_wrong])
def test_the_first_screen_fits_a_small_terminal(method):
    text = format_table(check(method, contract="nominal", against="wilson", grid="n=3,20"))
    assert folded(text) <= LINES
    assert text.count("\n  3. ") == (method != "clopper_pearson" or "FAIL" in text)


def test_json_has_everything_and_null_for_numbers_that_are_not_finite():
    found = check(everything_wrong, grid={"n": [3], "alpha": [0.05]})
    content = json.loads(format_json(found), parse_constant=pytest.fail)
    assert content["verdict"] == "fail"
    assert len(content["findings"]) == len(found.findings)
    assert content["findings"][0].keys() >= {"check", "kind", "verdict", "message", "cell"}
    assert content["behaviour"][0]["worst_alpha"] is None
    nothing = finding(message="\x00", severity=float("nan"))
    assert json.loads(format_json(report(nothing)))["findings"][0]["severity"] is None


def test_junit_has_a_case_for_each_check_and_its_name_stays():
    found = report(
        finding(),
        finding("ordered", message="holds elsewhere"),
        finding("ordered", verdict="fail", message="limits 2 > 1", severity=1.0),
        finding("ordered", verdict="fail", message="limits 1 > 0 & \x00", severity=2.0),
        finding("mean", "contract", "inconclusive", "too few"),
    )
    suite = ElementTree.fromstring(format_junit(found))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    cases = list(suite.iter("testcase"))
    assert cases[0].get("classname") == "proportion.mine.conformance"
    assert [case.get("name") for case in cases] == ["mirrors", "ordered", "mean"]
    assert len(cases[0]) == 0
    assert cases[1][0].tag == "failure"
    assert cases[1][0].get("message") == "limits 1 > 0 & \ufffd"
    assert cases[1][0].text == "limits 1 > 0 & \ufffd\nlimits 2 > 1"
    assert cases[2][0].tag == "error"


def test_every_format_is_text():
    found = check("wald", grid={"n": [3], "alpha": [0.05]})
    for form in FORMATS.values():
        assert form(found).strip()


# Right methods as they are written: where they break a property only by a convention, a remark.


ALPHA_OF_DOUBLES = 1e-10


def clopper_pearson(x, n, alpha):
    """As the field writes it: the upper quantile is that of 1 − alpha/2."""
    lower, upper = betaincinv(x, n - x + 1, alpha / 2), betaincinv(x + 1, n - x, 1 - alpha / 2)
    return np.where(np.equal(x, 0), 0.0, lower), np.where(np.equal(x, n), 1.0, upper)


def in_single_precision(x, n, alpha):
    lower, upper = clopper_pearson(x, n, alpha)
    return lower, np.where(np.equal(x, n), upper, np.float32(upper))


def jeffreys(x, n, alpha):
    a, b = x + 0.5, n - x + 0.5
    return betaincinv(a, b, alpha / 2), betaincinv(a, b, 1 - alpha / 2)


def short_of_the_ends(x, n, alpha):
    lower, upper = jeffreys(x, n, alpha)
    return lower + 0.02 * np.equal(x, 0), upper - 0.02 * np.equal(x, n)


def logit(x, n, alpha):
    """With exact limits where the logit of the estimate is infinite, as Agresti has it."""
    inner = np.clip(x, 0.5, n - 0.5)
    delta = -ndtri(alpha / 2) * np.sqrt(n / (inner * (n - inner)))
    center = np.log(inner / (n - inner))
    low, high = clopper_pearson(x, n, alpha)
    at_end = np.equal(x, 0) | np.equal(x, n)
    return np.where(at_end, low, expit(center - delta)), np.where(
        at_end, high, expit(center + delta)
    )


def student(values, alpha):
    values = np.asarray(values, float)
    mean, error = values.mean(-1), values.std(-1, ddof=1) / np.sqrt(values.shape[-1])
    delta = -stdtrit(values.shape[-1] - 1, alpha / 2) * error
    return mean - delta, mean + delta


def without_width(values, alpha):
    return (np.mean(values, -1),) * 2


def raises_at_tiny_alphas(x, n, alpha):
    if alpha < 1e-9:
        raise ValueError("no bracket")
    return clopper_pearson(x, n, alpha)


def falling_at_a_usual_alpha(x, n, alpha):
    lower, upper = clopper_pearson(x, n, alpha)
    return lower * (1 - 0.9 * (np.equal(x, 2) & (alpha == 0.05))), upper


@cache
def found(function, name, family="proportion"):
    findings = check_conformance(Subject(FunctionHere("f", function), family_of(family)))
    return next(finding for finding in findings if finding.check == name)


@pytest.mark.parametrize(
    ("function", "name", "verdict"),
    [
        (clopper_pearson, "mirrors", "pass"),
        (in_single_precision, "mirrors", "fail"),
        (jeffreys, "holds the estimate", "remark"),
        (short_of_the_ends, "holds the estimate", "fail"),
        (logit, "rises with x", "remark"),
        (falling_at_a_usual_alpha, "rises with x", "fail"),
        (add_four, "holds the estimate", "remark"),
        (raises_at_tiny_alphas, "answers every outcome", "remark"),
    ],
)
def test_a_convention_is_a_remark_and_a_fault_beside_it_a_failure(function, name, verdict):
    finding = found(function, name)
    assert finding.verdict == verdict, finding.message


@pytest.mark.parametrize(
    ("function", "family", "name", "verdict"),
    [
        (woolf_half, "odds_ratio", "is monotone", "remark"),
        (student, "mean", "has width", "remark"),
        (without_width, "mean", "has width", "fail"),
    ],
)
def test_a_convention_of_a_ratio_or_of_lists_is_a_remark(function, family, name, verdict):
    assert found(function, name, family).verdict == verdict


def test_the_upper_quantile_of_one_less_alpha_is_off_by_more_than_rounding_of_the_limit():
    """What the tolerance of mirrored limits is for, with the limits of SciPy's beta.ppf."""
    n, tail = 17, ALPHA_OF_DOUBLES / 2
    upper, mirrored = beta.ppf(1 - tail, 1, n), beta.isf(tail, 1, n)
    assert 1e-9 < abs(upper - mirrored) < 2e-8
    assert betainc(1, n, upper) == pytest.approx(1 - tail, rel=1e-15)


def test_a_remark_has_its_counter_example():
    assert "at x = 0, n = 1, alpha = 0.05" in found(jeffreys, "holds the estimate").message


def in_per_cent(x, n, alpha):
    lower, upper = clopper_pearson(x, n, alpha)
    return 100 * lower, 100 * upper


def test_limits_in_per_cent_are_called_so_and_break_nothing_else():
    findings = check_conformance(Subject(FunctionHere("f", in_per_cent), family_of("proportion")))
    (failed,) = (finding for finding in findings if finding.verdict == "fail")
    assert failed.check == "stays in range"
    assert failed.message.startswith("limits look like per cent: limits 0 and 97.5 at x = 0, n = 1")


REMEMBERING = """
from math import sqrt
from statistics import NormalDist
quantiles = {}

def f(x, n, alpha):
    z = quantiles.setdefault("z", NormalDist().inv_cdf(1 - alpha / 2))
    center, total = x + z * z / 2, n + z * z
    delta = z * sqrt(x * (n - x) / n + z * z / 4)
    return max(0.0, (center - delta) / total), min(1.0, (center + delta) / total)
"""


@pytest.mark.parametrize("form", ["file", "module"])
def test_a_value_kept_from_the_first_call_is_found_by_asking_once_more(tmp_path, monkeypatch, form):
    (tmp_path / "kept.py").write_text(REMEMBERING)
    monkeypatch.syspath_prepend(tmp_path)
    location = (
        FunctionLocation("f", path=str(tmp_path / "kept.py"))
        if form == "file"
        else FunctionLocation("f", module="kept")
    )
    subject = Subject(FunctionInProcess("kept", location, 10.0, 0), family_of("proportion"))
    grid = Restriction((5,), (0.01, 0.05, 0.3))
    try:
        findings = {each.check: each for each in check_conformance(subject, grid)}
    finally:
        subject.close()
    found = findings["answers in any order"]
    assert found.verdict == "fail"
    assert found.message.startswith("limits depend on the order of the calls: ")
    assert "alpha = 0.3, and " in found.message
