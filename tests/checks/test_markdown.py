"""A report as the comment of a pull request."""

import polars as pl

from harness.checks.check import check
from harness.checks.findings import Finding
from harness.checks.formats import format_junit, format_markdown
from harness.checks.report import CheckReport
from harness.families.catalogue import PROPORTION


def report(*findings, method="mine", keeps=""):
    return CheckReport(
        method,
        "proportion",
        "nominal",
        findings,
        pl.DataFrame(),
        seed=7,
        keeps=keeps,
        estimated=PROPORTION,
    )


FAILED = Finding("ordered", "conformance", "fail", "limits 2 > 1 | x_1 by @me\n", {"n": 3}, 1.0)
REMARKED = Finding("width", "contract", "remark", "0.0326, where 0.03 is allowed", {})
PASSED = Finding("mirrors", "conformance", "pass", "holds", {})


def test_the_verdict_comes_first_then_what_was_found_then_the_counts():
    lines = format_markdown(report(PASSED, FAILED, REMARKED, keeps="keeps: none")).splitlines()
    assert lines[:3] == ["### `mine` (proportion)", "", "**FAIL: ordered; first at n = 3**"]
    assert lines.index("keeps: none") < lines.index("|  | check | found |")
    assert "| fail | ordered | limits 2 \\> 1 \\| x\\_1 by \\@me |" in lines
    assert "| remark | width | 0.0326, where 0.03 is allowed |" in lines
    assert not any("mirrors" in line for line in lines)
    assert "| conformance | 1 |  |  |  | 1 |" in lines
    assert "Seed 7." in lines


def test_of_several_methods_a_table_of_verdicts_comes_first():
    text = format_markdown(report(PASSED), report(FAILED, method="a`b"))
    assert text.startswith("## 1 of 2 methods pass\n\n| method |  |\n| --- | --- |\n| `mine` |")
    assert "| `a'b` | FAIL: ordered; first at n = 3 |" in text


def test_the_numbers_furthest_from_0_are_shown_with_their_place():
    found = check("wald", sizes=[5, 20], alphas=[0.05], contract="none")
    mean = found.behaviour["mean_alpha_error"][0]
    assert f"| 0.05 | 1 at n = 5, truth = 0 | {mean:.4g} at n = 5 |" in format_markdown(found)


def test_a_report_of_thousands_of_findings_stays_short():
    assert len(format_markdown(report(*[FAILED] * 5000))) < 5000


def test_junit_has_remarks_as_output_and_declared_failures_as_skipped():
    declared = Finding("mean", "contract", "declared", "fails as declared (why): 0.04", {})
    text = format_junit(report(REMARKED, declared))
    assert '<skipped message="fails as declared (why): 0.04" type="mean">' in text
    assert "<system-out>remark: 0.0326, where 0.03 is allowed</system-out>" in text
    assert 'failures="0" errors="0" skipped="1"' in text
    assert '<property name="seed" value="7" />' in text
