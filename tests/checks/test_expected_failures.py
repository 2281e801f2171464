"""Failures that are declared, by a method or by who checks it, everywhere or at a place."""

import textwrap

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.callers.calls import FunctionError, declared
from harness.callers.expected_failures import (
    ExpectedFailure,
    expected_failures,
    parse_expected_failure,
)
from harness.checks.check import check
from tests.checks.planted.textbook import wilson

INF = float("inf")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mirrors:why", ExpectedFailure("mirrors", "why")),
        ("is ordered: a: b@c", ExpectedFailure("is ordered", "a: b@c")),
        (
            "mirrors@n=10..20,alpha=0.05:why",
            ExpectedFailure("mirrors", "why", {"n": (10.0, 20.0), "alpha": (0.05, 0.05)}),
        ),
        (
            "mirrors@x=..3,side=upper:why",
            ExpectedFailure("mirrors", "why", {"x": (-INF, 3.0), "side": "upper"}),
        ),
        (
            "against statsmodels:wilson: length@n=100..:why",
            ExpectedFailure("against statsmodels:wilson: length", "why", {"n": (100.0, INF)}),
        ),
    ],
)
def test_a_text_names_a_check_a_place_and_a_reason(text, expected):
    assert parse_expected_failure(text) == expected


def test_a_dictionary_has_reasons_or_places_with_reasons():
    given = {
        "mirrors": "why",
        "is ordered": {"n": [10, 20], "alpha": 0.05, "reason": "why"},
        "has width": [{"x": 0, "reason": "low"}, {"alpha": [0.9, None], "reason": "large"}],
    }
    assert expected_failures(given) == (
        ExpectedFailure("mirrors", "why"),
        ExpectedFailure("is ordered", "why", {"n": (10.0, 20.0), "alpha": (0.05, 0.05)}),
        ExpectedFailure("has width", "low", {"x": (0.0, 0.0)}),
        ExpectedFailure("has width", "large", {"alpha": (0.9, INF)}),
    )
    assert expected_failures(["mirrors@n=3:why"]) == (
        ExpectedFailure("mirrors", "why", {"n": (3.0, 3.0)}),
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("mirrors", "should be a dictionary, found 'mirrors'"),
        ({3: "why"}, "should have names of checks as keys, found 3"),
        ({"mirrors": 3}, "expected_failures['mirrors'] should be a reason, or a dictionary"),
        ({"mirrors": {"n": 3}}, "expected_failures['mirrors'] should have a text as 'reason'"),
        ({"mirrors": {"n": [3], "reason": "a"}}, "['n'] should be a number or the smallest"),
        ({"mirrors": {"n": [5, 3], "reason": "a"}}, "['n'] should be a number or the smallest"),
    ],
)
def test_what_is_no_declaration_is_refused_where_it_is_declared(given, message):
    def f(x, n, alpha):
        return x, x

    f.expected_failures = given
    with pytest.raises(FunctionError) as caught:
        declared(f)
    assert message in str(caught.value)


GRID = "n=5,10,12;alpha=0.05,0.3"


def swapped(*sizes):
    """Wilson's limits, in the wrong order at some sizes for x = 3."""

    def f(x, n, alpha):
        lower, upper = wilson(x, n, alpha)
        wrong = (np.asarray(x) == 3) & np.isin(n, sizes)
        return np.where(wrong, upper, lower), np.where(wrong, lower, upper)

    return f


def ordered(method, **options):
    report = check(method, grid=GRID, contract="none", **options)
    return report, [each for each in report.findings if each.check == "is ordered"]


def test_a_declaration_hides_nothing_at_another_place():
    place = {"is ordered": {"n": 10, "reason": "known"}}
    report, (known, rest) = ordered(swapped(10, 12), expected_failures=place)
    assert (known.verdict, rest.verdict) == ("declared", "fail")
    assert known.message.startswith("fails as declared (known): ")
    assert (known.cell["n"], known.cell["broken"]) == (10, 2)
    assert (rest.cell["n"], rest.cell["x"], rest.cell["broken"]) == (12, 3, 2)
    assert rest.message.endswith(
        "at x = 3, n = 12, alpha = 0.05 (and at 1 more), outside the declared place"
    )
    assert report.exit_code == 3


def test_a_failure_at_its_declared_place_alone_is_declared():
    place = {"is ordered": {"n": [9, 11], "x": 3, "reason": "known"}}
    _, (known,) = ordered(swapped(10), expected_failures=place)
    assert (known.verdict, known.places.ranges()["n"]) == ("declared", [10, 10])


def test_several_places_are_declared_together():
    places = {"is ordered": [{"n": 10, "reason": "a"}, {"n": 12, "reason": "b"}]}
    _, (known,) = ordered(swapped(10, 12), expected_failures=places)
    assert known.verdict == "declared"
    assert "(a; b)" in known.message


def wrong_declarations(report):
    return [each for each in report.findings if each.check.startswith("expects failure")]


def test_a_declared_failure_that_does_not_occur_fails_if_the_method_declares_it():
    f = swapped(12)
    f.expected_failures = {"is ordered": [{"n": 10, "reason": "a"}, {"n": 12, "reason": "b"}]}
    report, _ = ordered(f)
    (found,) = wrong_declarations(report)
    assert found.verdict == "fail"
    assert found.message == (
        "'is ordered' is declared as an expected failure at n = 10, but it passes there"
    )


def test_it_is_a_remark_if_who_checks_the_method_declares_it():
    report, _ = ordered(swapped(12), expected_failures=["is ordered@n=10:a", "is ordered@n=12:b"])
    (found,) = wrong_declarations(report)
    assert found.verdict == "remark"


def test_a_place_that_was_not_checked_is_no_wrong_declaration():
    report, _ = ordered(swapped(12), expected_failures=["is ordered@n=999:a", "is ordered@n=12:b"])
    assert wrong_declarations(report) == []


def test_the_place_of_a_contract_is_a_size_and_an_alpha():
    options = {"contract": "nominal", "grid": "n=10,50;alpha=0.05"}
    everywhere = check("wald", expected_failures=["mean alpha error@n=10:few"], **options)
    means = [each for each in everywhere.findings if each.check == "mean alpha error"]
    assert [(each.verdict, each.cell["n"]) for each in means] == [("declared", 10), ("fail", 50)]


IN_A_FILE = """
    def f(x, n, alpha):
        return 0.0 * x, 0.0 * x + (0.5 if n == 10 else 1.0)

    f.contract = "{contract}"
    f.expected_failures = {{
        "holds the estimate": {{"n": 10, "alpha": [None, 1], "reason": "half of the range"}},
    }}
"""


def test_a_function_in_a_file_declares_its_contract_and_its_failures(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(textwrap.dedent(IN_A_FILE.format(contract="at-least")))
    report = check(f"{file}:f", grid="n=9,10;alpha=0.05")
    assert report.contract == "at-least"
    held = [each for each in report.findings if each.check == "holds the estimate"]
    assert [each.verdict for each in held] == ["declared"]
    assert check(f"{file}:f", grid="n=9;alpha=0.05", contract="none").contract == "none"


def test_a_contract_that_is_none_is_refused(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(textwrap.dedent(IN_A_FILE.format(contract="always")))
    with pytest.raises(InputError, match="contract should be one of nominal, at-least, cons"):
        check(f"{file}:f")
