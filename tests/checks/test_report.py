"""A report as a first screen, as JSON and as JUnit."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from harness.checks.check import check
from harness.checks.findings import Finding
from harness.checks.formats import FORMATS, format_json, format_junit, format_table
from harness.checks.report import CheckReport

LINES, COLUMNS = 25, 80
"""Of a small terminal."""


def finding(check="mirrors", kind="conformance", verdict="pass", message="holds", severity=0.0):
    return Finding(check, kind, verdict, message, {"n": 3, "alpha": 0.05}, severity)


def report(*findings):
    return CheckReport("mine", "proportion", "nominal", findings, pl.DataFrame())


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
