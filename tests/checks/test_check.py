"""Checks by one call, and in tests."""

import subprocess
import sys
from unittest import SkipTest

import numpy as np
import pytest
from scipy.special import ndtri

from harness.base.errors import InputError
from harness.callers.naming import named
from harness.callers.source import CatalogueSource
from harness.checks.baseline.folder import write_baseline
from harness.checks.behaviour import measures
from harness.checks.check import check
from harness.checks.subject import Subject
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, PROPORTION
from harness.testing import assert_interval_method, parametrize_with_checks

# The whole check of a method, and its options.


def test_sizes_and_alphas_may_be_arrays():
    given = {"sizes": np.array([10, 20]), "alphas": np.array([0.05])}
    assert check("wilson", **given).behaviour.height == 2


def test_sizes_and_alphas_come_from_a_config(tmp_path):
    config = {
        "name": "mine",
        "family": "proportion",
        "n": [3, 12],
        "alpha": [0.2],
        "methods": ["wilson"],
        "engines": ["posterior"],
    }
    file = tmp_path / "mine.yaml"
    file.write_text(str(config).replace("'", '"'))
    rows = check("wilson", config=file).behaviour
    assert rows.select("n", "alpha").rows() == [(3.0, 0.2), (12.0, 0.2)]
    with pytest.raises(InputError, match="no experiment of the family rate"):
        check("garwood", family="rate", config=file)


def test_a_method_of_two_samples_for_numbers_alone_is_asked_at_most_40_000_times():
    """Calls of a millisecond each take a check 40 s at most."""
    calls = 0

    def wald(x1, n1, x2, n2, alpha):
        nonlocal calls
        calls += 1
        p1, p2 = float(x1) / n1, float(x2) / n2
        half = -ndtri(alpha / 2) * (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) ** 0.5
        return max(p1 - p2 - half, -1.0), min(p1 - p2 + half, 1.0)

    check(wald, family="proportion_difference", contract="none")
    assert 5000 < calls <= 40_000


def test_a_method_is_no_worse_than_itself():
    report = check("wilson", against="wilson", grid="n=1,10,30;alpha=0.05")
    assert report.passed, str(report)
    assert {finding.kind for finding in report.findings} >= {"against", "cross-check", "behaviour"}


@pytest.mark.parametrize(
    ("family", "name"),
    [
        *(("proportion", name) for name in PROPORTION),
        *(("rate", name) for name in CATALOGUE["rate"]),
        ("proportion_difference", "newcombe"),
        ("rate_difference", "score"),
        ("balanced_accuracy", "exact_union"),
    ],
)
def test_a_method_of_the_catalogue_passes_its_whole_check(family, name):
    """On a smaller grid than the usual one."""
    quick = {
        "proportion": {"sizes": (1, 2, 10, 25), "alphas": (0.01, 0.1)},
        "rate": {"sizes": (2.0,), "alphas": (0.05,)},
        "proportion_difference": {"sizes": ((4.0, 10.0),)},
        "balanced_accuracy": {"sizes": ((4.0, 10.0),)},
    }
    report = check(name, family=family, **quick.get(family, {}))
    assert report.passed, str(report)


def test_a_mean_alpha_error_is_never_within_a_margin_of_zero():
    assert check("wilson", contract="nominal", margin=0.0, grid="n=10;alpha=0.05").verdict == "fail"


# What other projects' tests may use: an assertion, and a test for each check.


QUICK = {"sizes": (1, 2, 10, 30), "alphas": (0.05, 0.1)}


def agresti_coull(x, n, alpha, scale=1.0):
    z = -scale * ndtri(alpha / 2)
    total, p = n + z**2, (x + z**2 / 2) / (n + z**2)
    half = z * np.sqrt(p * (1 - p) / total)
    return np.maximum(p - half, 0), np.minimum(p + half, 1)


def too_short(x, n, alpha):
    return agresti_coull(x, n, alpha, scale=0.8)


def reversed_at_seven(x, n, alpha):
    lower, upper = agresti_coull(x, n, alpha)
    seven = (np.asarray(x) == 7) & (n == 10)
    return np.where(seven, upper, lower), np.where(seven, lower, upper)


def cases_of(decorator):
    """What a decorator asks pytest for: the checks by the names of their tests."""
    name, cases = decorator.args
    assert name == "check"
    return {case.id: case.values[0] for case in cases}


def outcome(check):
    try:
        check()
    except AssertionError as fault:
        return str(fault)
    except SkipTest:
        return "skipped"
    return "passed"


def wrong_of(found):
    right = ("passed", "skipped")
    return {name for name, check in found.items() if outcome(check) not in right}


def test_a_sound_method_gives_its_report():
    report = assert_interval_method(agresti_coull, **QUICK)
    assert report.passed
    assert report.method == "agresti_coull"


def test_a_method_may_be_a_name_of_the_catalogue():
    assert assert_interval_method("garwood", family="rate", sizes=(1.0,), alphas=(0.05,)).passed


def test_a_fault_is_an_assertion_that_shows_the_report():
    with pytest.raises(AssertionError) as caught:
        assert_interval_method(too_short, **QUICK)
    text = str(caught.value)
    assert "too_short" in text
    assert "fail" in text


def test_what_is_worse_than_another_method_fails():
    assert assert_interval_method("wilson", against="wilson", **QUICK).passed
    with pytest.raises(AssertionError, match="clopper_pearson"):
        assert_interval_method("wilson", against="clopper_pearson", **QUICK)


def test_what_is_worse_than_its_baseline_fails(tmp_path):
    old = Subject(
        CatalogueSource("agresti_coull", PROPORTION["wilson"], seed=0), family_of("proportion")
    )
    write_baseline(tmp_path, named(agresti_coull), measures(old, (10,), (0.05,)))
    with pytest.raises(AssertionError, match="its baseline"):
        assert_interval_method(agresti_coull, against=str(tmp_path), **QUICK)


def test_a_method_that_is_not_there_is_no_failed_assertion():
    with pytest.raises(InputError):
        assert_interval_method("wilsen")
    with pytest.raises(InputError):
        parametrize_with_checks(["wilsen"])


@parametrize_with_checks(["agresti_coull", agresti_coull], **QUICK)
def test_every_check_is_a_test_of_its_own(check):
    check()


def test_the_tests_are_named_by_method_and_check():
    found = cases_of(parametrize_with_checks(["wilson", agresti_coull]))
    assert "wilson-mirrors" in found
    assert "agresti_coull-is_nested_in_alpha" in found
    assert "agresti_coull-contract" in found
    assert len(found) == 2 * len({name.split("-", 1)[1] for name in found})


def test_nothing_is_checked_before_a_test_is_run():
    def never(x, n, alpha):
        raise AssertionError("called")

    assert cases_of(parametrize_with_checks([never]))


def test_only_the_tests_whose_job_it_is_fail():
    found = cases_of(parametrize_with_checks([too_short], **QUICK))
    assert wrong_of(found) == {"too_short-contract", "too_short-tails"}
    assert outcome(found["too_short-against"]) == "skipped"
    found = cases_of(parametrize_with_checks([reversed_at_seven], **QUICK))
    wrong = wrong_of(found)
    assert "reversed_at_seven-is_ordered" in wrong
    assert "x = 7, n = 10" in outcome(found["reversed_at_seven-is_ordered"])
    assert "reversed_at_seven-stays_in_range" not in wrong


def test_a_declared_failure_is_an_xfail_with_its_reason():
    known = {"is ordered": {"n": 10, "reason": "known"}}
    decorator = parametrize_with_checks([reversed_at_seven], expected_failures=known, **QUICK)
    found = cases_of(decorator)
    with pytest.raises(pytest.xfail.Exception, match=r"fails as declared \(known\)"):
        found["reversed_at_seven-is_ordered"]()
    with pytest.raises(AssertionError):
        found["reversed_at_seven-behaviour"]()


def test_every_finding_belongs_to_a_test():
    checks = list(cases_of(parametrize_with_checks([reversed_at_seven], **QUICK)).values())
    findings = [each for check in checks for each in check.checked.findings(check.name)]
    assert sorted(map(id, findings)) == sorted(map(id, checks[0].checked.report.findings))


def test_the_assertion_needs_no_pytest():
    code = (
        "import sys; sys.modules['pytest'] = None\n"
        "from harness.testing import assert_interval_method\n"
        "assert_interval_method('wilson', grid='n=10;alpha=0.05')\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_an_option_of_another_name_is_refused_as_by_any_function():
    with pytest.raises(TypeError, match=r"^check\(\) got an unexpected keyword argument 'size'$"):
        check("wilson", size=[3])
