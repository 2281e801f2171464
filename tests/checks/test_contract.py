"""What each contract allows, and which methods keep it."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

from harness.callers.source import CatalogueSource
from harness.checks.behaviour import MEAN_POSTERIOR, WORST, WORST_INSIDE, behaviour
from harness.checks.check import check
from harness.checks.contract.exact import check_contract
from harness.checks.sizes import checked_at
from harness.checks.subjects.subject import Subject
from harness.methods.catalogue import CATALOGUE, PROPORTION
from harness.methods.method import APPROXIMATE, AT_LEAST, CONSERVATIVE, NOMINAL, NONE, TWO_SIDED

# Sizes at which the methods named are at their worst, beside large and usual ones.
SIZES = (1, 5, 10, 11, 12, 13, 17, 30, 100, 500)


@cache
def exact(name, sizes):
    subject = Subject(CatalogueSource(name, PROPORTION[name], seed=0), "proportion")
    return behaviour(subject, sizes, checked_at("proportion").alphas.exact)


def verdicts(contract, name, sizes=SIZES, **options):
    rows = exact(name, sizes)
    return [each.verdict for each in check_contract(contract, rows, "proportion", **options)]


@pytest.mark.parametrize("name", ["wilson", "jeffreys", "agresti_coull"])
def test_methods_that_are_nominal_on_average_keep_nominal(name):
    assert verdicts(NOMINAL, name) == ["pass"] * 6


@pytest.mark.parametrize("name", ["wald", "hoeffding", "clopper_pearson"])
def test_methods_far_off_on_either_side_break_nominal(name):
    assert "fail" in verdicts(NOMINAL, name)


def test_the_exact_methods_keep_at_least_and_wilson_does_not():
    for name in ("clopper_pearson", "sterne", "hoeffding"):
        assert verdicts(AT_LEAST, name) == ["pass"] * 3
    assert verdicts(AT_LEAST, "wilson") == ["fail"] * 3


def test_the_contract_none_checks_nothing():
    assert verdicts(NONE, "wald") == []


def test_a_margin_takes_the_place_of_the_usual_one():
    assert verdicts(NOMINAL, "wilson", margin=1e-6)[:3] == ["fail"] * 3
    assert verdicts(NOMINAL, "wald", margin=1.0)[:3] == ["pass"] * 3


def test_small_sizes_alone_conclude_nothing():
    assert verdicts(NOMINAL, "wilson", sizes=(1, 9)) == ["inconclusive"] * 2
    report = check("wilson", contract="nominal", sizes=(1, 9), alphas=(0.05,))
    assert (report.verdict, report.exit_code, report.passed) == ("inconclusive", 4, False)


def row(**changes):
    numbers = {"n": 10.0, "alpha": 0.05, WORST: 0.05, "worst_truth": 0.5}
    return pl.DataFrame([{**numbers, WORST_INSIDE: 0.05, MEAN_POSTERIOR: 0.0, **changes}])


@pytest.mark.parametrize(
    ("contract", "changes", "expected"),
    [
        (AT_LEAST, {WORST: 0.05 + 0.9e-9}, "pass"),
        (AT_LEAST, {WORST: 0.05 + 1.1e-9}, "fail"),
        (NOMINAL, {MEAN_POSTERIOR: 0.0149}, "pass"),
        (NOMINAL, {MEAN_POSTERIOR: -0.0149}, "pass"),
        (NOMINAL, {MEAN_POSTERIOR: 0.0151}, "remark"),
        (NOMINAL, {MEAN_POSTERIOR: -0.0164}, "remark"),
        (NOMINAL, {MEAN_POSTERIOR: 0.0166}, "fail"),
        (NOMINAL, {MEAN_POSTERIOR: -0.0166}, "fail"),
        (NOMINAL, {WORST_INSIDE: 0.2}, "pass"),
        (NOMINAL, {WORST_INSIDE: 0.2001}, "remark"),
        (NOMINAL, {WORST_INSIDE: 0.2201}, "fail"),
        (NOMINAL, {WORST: 0.9}, "pass"),
        (CONSERVATIVE, {MEAN_POSTERIOR: 0.0}, "pass"),
        (CONSERVATIVE, {MEAN_POSTERIOR: 0.0499}, "pass"),
        (CONSERVATIVE, {MEAN_POSTERIOR: -0.0014}, "remark"),
        (CONSERVATIVE, {MEAN_POSTERIOR: -0.0016}, "fail"),
        (CONSERVATIVE, {WORST_INSIDE: 0.0749}, "pass"),
        (CONSERVATIVE, {WORST_INSIDE: 0.0751}, "remark"),
        (CONSERVATIVE, {WORST_INSIDE: 0.0826}, "fail"),
        (APPROXIMATE, {MEAN_POSTERIOR: 0.0274}, "pass"),
        (APPROXIMATE, {MEAN_POSTERIOR: 0.0288}, "remark"),
        (APPROXIMATE, {MEAN_POSTERIOR: 0.0291}, "fail"),
        (APPROXIMATE, {MEAN_POSTERIOR: -0.0151}, "remark"),
        (APPROXIMATE, {MEAN_POSTERIOR: -0.0166}, "fail"),
        (APPROXIMATE, {WORST_INSIDE: 0.2249}, "pass"),
        (APPROXIMATE, {WORST_INSIDE: 0.2251}, "remark"),
        (APPROXIMATE, {WORST_INSIDE: 0.2476}, "fail"),
    ],
)
def test_a_contract_is_kept_up_to_its_bound(contract, changes, expected):
    found = {each.verdict for each in check_contract(contract, row(**changes), "proportion")}
    assert found - {"pass"} == {expected} - {"pass"}


def test_a_failure_says_where_how_much_and_what_is_allowed():
    (found,) = check_contract(AT_LEAST, row(**{WORST: 0.08}), "proportion")
    assert found.message == "0.08 at n = 10, alpha = 0.05, truth = 0.5, where 0.05 is allowed"
    assert found.cell["found"] == 0.08
    assert found.severity == pytest.approx(1.6)


def test_the_contract_of_a_method_follows_from_its_promise_or_is_listed():
    declared = {name: each.contract for name, each in PROPORTION.items()}
    assert declared["clopper_pearson"] == AT_LEAST
    assert declared["minimal_length"] == NOMINAL
    assert declared["wilson"] == NOMINAL
    assert declared["wald"] == NONE
    # Zero under its own prior, which is not flat.
    assert declared["jeffreys_minimal_length"] == NONE


@pytest.mark.parametrize("name", ["one_sided", "minimal_length", "balanced_tail"])
def test_a_method_of_two_samples_keeps_what_it_declares(name):
    """At the sizes of the usual grid where least is left of what is allowed."""
    family, method = "proportion_difference", CATALOGUE["proportion_difference"][name]
    subject = Subject(CatalogueSource(name, method, seed=0), family)
    rows = behaviour(subject, ((10.0, 10.0),), (0.05,))
    declared = method.contract
    assert declared == NOMINAL
    found = check_contract(declared, rows, family, one_sided=TWO_SIDED not in method.sides)
    assert {finding.verdict for finding in found} == {"pass"}


def test_a_one_sided_limit_may_miss_twice_as_often_at_one_truth():
    rows = row(**{WORST_INSIDE: 0.35})
    verdicts = [
        {each.verdict for each in check_contract(NOMINAL, rows, "proportion", one_sided=one_sided)}
        for one_sided in (True, False)
    ]
    assert verdicts == [{"pass"}, {"pass", "fail"}]
