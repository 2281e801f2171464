"""A made-up method violates each property of conformance; the finding has a counter-example."""

import re
from functools import cache

import numpy as np
import pytest
from scipy.special import ndtri

from harness.callers.function import MOST, FunctionHere, FunctionInProcess
from harness.callers.location import FunctionLocation
from harness.callers.source import CatalogueSource
from harness.checks.check import check
from harness.checks.conformance.runner import check_conformance, evaluate_widely
from harness.checks.expected_failures import apply_expected_failures
from harness.checks.sizes import Restriction
from harness.checks.subject import Subject
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE


def wilson(x, n, alpha):
    x = np.asarray(x, np.float64) + 0.0
    z = -ndtri(alpha / 2)
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    center = x + z * z / 2
    return np.clip([(center - delta) / (n + z * z), (center + delta) / (n + z * z)], 0, 1)


def reversed_pair(x, n, alpha):
    return wilson(x, n, alpha)[::-1]


def outside(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return lower - 0.1, upper


def falling(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return lower * (1 - 0.9 * (np.asarray(x) == 2) * (n == 3)), upper


def whole_at_a_half(x, n, alpha):
    return (0.0 * x, 0.0 * x + 1) if alpha == 0.5 else wilson(x, n, alpha)


def askew(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return lower, upper + 0.01 * (1 - upper)


def a_point(x, n, alpha):
    return x / n, x / n


def beside_the_estimate(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return upper - 0.1 * (upper - lower), upper


def not_a_number(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return np.where((np.asarray(x) == 2) & (n == 3), np.nan, lower), upper


def infinite(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return lower, np.where((np.asarray(x) == 2) & (n == 3), np.inf, upper)


def single(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return lower, np.float32(upper)


def raises_at_three(x, n, alpha):
    if np.any(np.asarray(x) == 3):
        raise ZeroDivisionError("by x - 3")
    return wilson(x, n, alpha)


def one_limit(x, n, alpha):
    return 0.5


def wrong_shape(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return (lower[:-1], upper[:-1]) if np.ndim(x) else (lower, upper)


def of_the_mean(x, n, alpha):
    return wilson(np.mean(x) + 0.0 * x, n, alpha)


def drawn(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return lower, upper + 1e-3 * np.random.random_sample() * (1 - upper)  # noqa: NPY002


def in_place(x, n, alpha):
    limits = wilson(x + 0.0, n, alpha)
    if np.ndim(x):
        x[:] = 0
    return limits


VIOLATING = {
    "answers every outcome": raises_at_three,
    "has the right shape": wrong_shape,
    "arrays equal scalars": of_the_mean,
    "answers the same twice": drawn,
    "leaves its arguments alone": in_place,
    "leaves random states alone": drawn,
    "has double precision": single,
    "is finite": not_a_number,
    "is ordered": reversed_pair,
    "stays in range": outside,
    "is nested in alpha": whole_at_a_half,
    "rises with x": falling,
    "mirrors": askew,
    "has width": a_point,
    "holds the estimate": beside_the_estimate,
    "can be pickled": lambda x, n, alpha: wilson(x, n, alpha),
}
ALONE = ("has the right shape", "arrays equal scalars", "leaves its arguments alone")


@cache
def findings_of(function, family="proportion"):
    subject = Subject(FunctionHere("f", function), family_of(family))
    return {finding.check: finding for finding in check_conformance(subject)}


def test_a_sound_function_has_every_property():
    findings = findings_of(wilson)
    assert {finding.verdict for finding in findings.values()} == {"pass"}
    assert set(VIOLATING) <= set(findings)


@pytest.mark.parametrize("name", VIOLATING)
def test_a_property_is_violated_by_the_method_made_for_it(name):
    found = findings_of(VIOLATING[name])[name]
    assert found.verdict == "fail"
    assert found.severity > 0


@pytest.mark.parametrize("name", ALONE)
def test_a_mistake_on_arrays_violates_no_property_of_limits(name):
    """The limits are then those of one outcome at a time, and right."""
    failed = {key for key, each in findings_of(VIOLATING[name]).items() if each.verdict == "fail"}
    assert failed == {name}


@pytest.mark.parametrize(
    ("function", "name", "message"),
    [
        (not_a_number, "is finite", "limits nan and 0.938"),
        (infinite, "is finite", " and inf at x = 2, n = 3, alpha = 0.05"),
        (falling, "rises with x", "limits 0.06149"),
        (raises_at_three, "answers every outcome", "failed at x = 3, n = 3, alpha = 0.05: Zero"),
        (one_limit, "answers every outcome", "expected a lower and an upper limit at x = 0, n = 1"),
        (
            wrong_shape,
            "has the right shape",
            "limits of shape (2,) at x = 0 … 1, n = 1, alpha = 0.05, found (1,) and (1,)",
        ),
        (of_the_mean, "arrays equal scalars", "of one outcome at x = 0, n = 1, alpha = 0.05"),
        (askew, "mirrors", "at x = 0, n = 1, alpha = 0.05, where those of the failures are"),
    ],
)
def test_the_message_of_a_failure_has_its_first_counter_example(function, name, message):
    assert message in findings_of(function)[name].message


def test_a_counter_example_is_plain_data_too():
    cell = findings_of(reversed_pair)["is ordered"].cell
    lower, upper = (float(limit) for limit in reversed_pair(0, 1, 0.05))
    assert (cell["x"], cell["n"], cell["alpha"]) == (0, 1, 0.05)
    assert (cell["lower"], cell["upper"]) == (lower, upper)


def test_a_function_of_numbers_only_is_no_fault():
    def of_numbers(x, n, alpha):
        if x == 0:
            return 0.0, float(wilson(0, n, alpha)[1])
        return tuple(map(float, wilson(x, n, alpha)))

    failed = {name for name, each in findings_of(of_numbers).items() if each.verdict == "fail"}
    assert failed == {"can be pickled"}  # it is defined inside a function


def test_an_alpha_above_a_half_taken_for_a_confidence_level_is_no_remark():
    def turned(x, n, alpha):
        return wilson(x, n, 1 - alpha if alpha > 0.5 else alpha)

    (found,) = (each for each in check(turned).findings if each.check == "is nested in alpha")
    assert found.verdict == "fail"
    assert found.cell["alpha"] == 0.5


def test_random_states_are_as_before_the_check():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    check_conformance(Subject(FunctionHere("f", wilson), family_of("proportion")))
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


BY_QUADRATURE = ("minimal_length", "balanced_width", "balanced_tail", "one_sided")


@pytest.mark.parametrize(
    ("family", "name"),
    [
        (family, name)
        for family, methods in CATALOGUE.items()
        for name, method in methods.items()
        if family_of(family).has_outcomes
        and not family_of(family).has_single_count
        and not (method.promise == "mean" or name in BY_QUADRATURE)
    ],
)
def test_every_method_for_several_counts_conforms_but_for_what_it_declares(family, name):
    """Those that are solved by quadrature take long, and are left out."""
    subject = Subject(CatalogueSource(name, CATALOGUE[family][name], seed=1), family_of(family))
    findings = apply_expected_failures(check_conformance(subject), subject)
    assert [finding for finding in findings if finding.verdict == "fail"] == []


SMALL = {"n": [5], "alpha": [0.05]}


def declaring(function, **expected):
    def f(x, n, alpha):
        return function(x, n, alpha)

    f.expected_failures = {"can be pickled": "defined inside a function", **expected}
    return f


def test_a_declared_failure_passes_with_its_reason():
    report = check(declaring(askew, mirrors="wider above"), contract="none", grid=SMALL)
    assert report.passed, str(report)
    (mirrors,) = (finding for finding in report.findings if finding.check == "mirrors")
    assert mirrors.verdict == "declared"
    assert "fails as declared (wider above)" in mirrors.message


def test_a_declared_failure_that_does_not_occur_fails():
    report = check(
        declaring(wilson, mirrors="wider above"), contract="none", sizes=(5,), alphas=(0.05,)
    )
    assert report.exit_code == 3
    assert [finding.check for finding in report.of_verdict("fail")] == ["expects failure: mirrors"]
    report = check(declaring(wilson, shines="why"), contract="none", sizes=(5,), alphas=(0.05,))
    message = report.of_verdict("fail")[0].message
    assert message == "'shines' is declared as an expected failure, but there is no such check"


@pytest.mark.parametrize("name", ["mean alpha error", "worst alpha", "against wald: length"])
def test_a_declared_failure_of_a_check_that_is_not_made_passes(name):
    declared = declaring(wilson, **{name: "only where it is compared"})
    assert check(declared, contract="none", grid=SMALL).passed


PLACES = {
    "raises": "raise ValueError('no')",
    "hangs": "time.sleep(60)",
    "dies": "os._exit(5)",
    "exits": "sys.exit()",
}
MESSAGES = {
    "raises": "failed at x = 2, n = 3, alpha = 0.05: ValueError: no",
    "hangs": "no answer within 0.3 s at x = 2, n = 3, alpha = 0.05",
    "dies": "its process ended with exit code 5 at x = 2, n = 3, alpha = 0.05",
    "exits": "failed at x = 2, n = 3, alpha = 0.05: SystemExit",
}


@pytest.mark.parametrize("what", PLACES)
def test_whatever_happens_to_a_process_is_a_failure_with_its_outcome(tmp_path, what):
    file = tmp_path / "mine.py"
    file.write_text(
        f"import os, sys, time\n"
        f"def f(x, n, alpha):\n"
        f"    if x == 2 and n == 3 and alpha > 5e-4:\n"
        f"        {PLACES[what]}\n"
        f"    return (0.0, 1.0)\n"
    )
    subject = Subject(
        FunctionInProcess("mine", FunctionLocation("f", path=str(file)), 0.3, 0),
        family_of("proportion"),
    )
    try:
        findings = {finding.check: finding for finding in check_conformance(subject)}
    finally:
        subject.close()
    found = findings["answers every outcome"]
    assert found.verdict == "fail"
    assert MESSAGES[what] in found.message
    assert findings["is ordered"].verdict == "pass"


def test_a_process_that_keeps_ending_is_not_called_any_more(tmp_path):
    file = tmp_path / "mine.py"
    calls = tmp_path / "calls"
    file.write_text(
        f"import os\n"
        f"def f(x, n, alpha):\n"
        f"    with open({str(calls)!r}, 'a') as file:\n"
        f"        file.write('x')\n"
        f"    os._exit(1)\n"
    )
    report = check(f"{file}:f", sizes=(5, 10), alphas=(0.05,))
    assert report.exit_code == 3
    # The first call, for all outcomes, is repeated once.
    assert len(calls.read_text()) <= MOST + 2
    assert re.search("exit code 1 at x = 0, n = 1", report.worst(1)[0].message)
    assert report.behaviour["worst_alpha"].null_count() == 2


@pytest.mark.parametrize(("end", "verdict"), [(2e-16, "pass"), (1e-6, "fail")])
def test_a_ratio_below_every_ratio_mirrors_as_zero_does(end, verdict):
    """A search for a limit that ends just above 0 for some tables, and at 0 for their mirrors."""

    def odds(x1, n1, x2, n2, alpha):
        first, second = (x1 + 0.5) / (n1 - x1 + 0.5), (x2 + 0.5) / (n2 - x2 + 0.5)
        wide = np.exp(4.0 - alpha)
        lower = np.where(x1 == 0, end, first / second / wide)
        return np.where(x2 == n2, 0.0, lower), np.where(
            (x2 == 0) | (x1 == n1), np.inf, first / second * wide
        )

    subject = Subject(FunctionHere("odds", odds), family_of("odds_ratio"))
    findings = check_conformance(subject, Restriction(alphas=(0.05,)))
    found = {finding.check: finding.verdict for finding in findings}
    assert found["mirrors"] == verdict


def unclipped_wilson(x, n, alpha):
    z = -ndtri(alpha / 2)
    p = x / n
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (p + z * z / (2 * n) - half) / (1 + z * z / n), (p + z * z / (2 * n) + half) / (
        1 + z * z / n
    )


@pytest.mark.parametrize("n", [38, 77])
def test_a_limit_outside_the_range_by_rounding_is_a_remark(n):
    subject = Subject(FunctionHere("f", unclipped_wilson), family_of("proportion"))
    restriction = Restriction(sizes=(n,))
    findings = check_conformance(subject, evaluations=evaluate_widely(subject, restriction))
    (finding,) = (each for each in findings if each.check == "stays in range")
    assert finding.verdict == "remark"
    assert "are outside the range by rounding, and should be clipped to it" in finding.message
    cell = finding.cell
    assert cell["lower"] < 0 or cell["upper"] > 1
    (expected,) = {cell["n"]} & {n}
    lower, upper = unclipped_wilson(cell["x"], expected, cell["alpha"])
    assert (cell["lower"], cell["upper"]) == (lower, upper)

    def clipped(*given):
        return np.clip(unclipped_wilson(*given), 0, 1)

    subject = Subject(FunctionHere("f", clipped), family_of("proportion"))
    findings = check_conformance(subject, evaluations=evaluate_widely(subject, restriction))
    assert all(each.verdict == "pass" for each in findings if each.check == "stays in range")
