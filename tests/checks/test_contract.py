"""The contract that a method declares, is checked by, and is restricted to."""

from functools import cache
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtri

from harness.base.errors import InputError
from harness.callers.function import FunctionHere
from harness.callers.naming import named
from harness.callers.source import CatalogueSource
from harness.checks.behaviour import MEAN_POSTERIOR, WORST, WORST_INSIDE, behaviour
from harness.checks.check import check
from harness.checks.conformance.runner import check_conformance
from harness.checks.contract.exact import check_contract, judged
from harness.checks.plans import checked_at
from harness.checks.sizes import Restriction, restriction_of_grid
from harness.checks.subject import Subject
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, PROPORTION, methods_for
from harness.methods.method import APPROXIMATE, AT_LEAST, CONSERVATIVE, NOMINAL, NONE, TWO_SIDED
from tests.checks.planted.textbook import agresti_caffo, agresti_coull

# What each contract allows, and which methods keep it.


# Sizes at which the methods named are at their worst, beside large and usual ones.
SIZES = (1, 5, 10, 11, 12, 13, 17, 30, 100, 500)


@cache
def exact(name, sizes):
    subject = Subject(CatalogueSource(name, PROPORTION[name], seed=0), family_of("proportion"))
    return behaviour(subject, sizes, checked_at(family_of("proportion")).alphas.exact)


def verdicts(contract, name, sizes=SIZES, **options):
    rows = exact(name, sizes)
    return [
        each.verdict for each in check_contract(contract, rows, family_of("proportion"), **options)
    ]


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
    found = {
        each.verdict for each in check_contract(contract, row(**changes), family_of("proportion"))
    }
    assert found - {"pass"} == {expected} - {"pass"}


def test_a_failure_says_where_how_much_and_what_is_allowed():
    (found,) = check_contract(AT_LEAST, row(**{WORST: 0.08}), family_of("proportion"))
    assert found.message == "0.08 at n = 10, alpha = 0.05, truth = 0.5; 0.05 allowed"
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
    subject = Subject(CatalogueSource(name, method, seed=0), family_of(family))
    rows = behaviour(subject, ((10.0, 10.0),), (0.05,))
    declared = method.contract
    assert declared == NOMINAL
    found = check_contract(
        declared, rows, family_of(family), one_sided=TWO_SIDED not in method.sides
    )
    assert {finding.verdict for finding in found} == {"pass"}


def test_a_one_sided_limit_may_miss_twice_as_often_at_one_truth():
    rows = row(**{WORST_INSIDE: 0.35})
    verdicts = [
        {
            each.verdict
            for each in check_contract(NOMINAL, rows, family_of("proportion"), one_sided=one_sided)
        }
        for one_sided in (True, False)
    ]
    assert verdicts == [{"pass"}, {"pass", "fail"}]


# The contracts that methods of the catalogue and peers declare, against their exact numbers.


ALPHAS = (0.01, 0.05, 0.2)
DECLARED_SIZES = {
    "proportion": (10, 11, 12, 15, 24, 30, 100, 1000),
    "rate": checked_at(family_of("rate")).exact,
    "proportion_difference": ((10.0, 10.0),),
}
STRONGER = {APPROXIMATE: NOMINAL, CONSERVATIVE: AT_LEAST}
CONTRACTS = {
    family: {
        name: method.keeps
        for name, method in CATALOGUE[family].items()
        if method.keeps != NONE and not method.takes_prior
    }
    for family in DECLARED_SIZES
}
LISTED = [(family, name) for family, names in CONTRACTS.items() for name in names]


def numbers(family, name, sizes=None, alphas=ALPHAS):
    subject = Subject(CatalogueSource(name, CATALOGUE[family][name], seed=0), family_of(family))
    return behaviour(subject, sizes or DECLARED_SIZES[family], alphas)


@pytest.mark.parametrize(("family", "name"), LISTED)
def test_every_listed_contract_is_kept_and_the_stronger_one_is_not(family, name):
    one_sample = family in ("proportion", "rate")
    rows = numbers(family, name, alphas=ALPHAS if one_sample else (0.05,))
    contract = CONTRACTS[family][name]
    assert judged(contract, rows, family_of(family)).kept
    # Of Byar's limits and of scas_cc it is not known whether it holds everywhere.
    if contract in STRONGER and one_sample and name not in ("byar", "scas_cc"):
        stronger = judged(STRONGER[contract], rows, family_of(family))
        assert not stronger.kept or stronger.reason.startswith("narrowly")


@pytest.mark.parametrize(
    ("name", "size", "alpha"), [("wilson", 12, 0.01), ("wilson_cc", 10, 0.01), ("mid_p", 10, 0.01)]
)
def test_a_listed_contract_is_kept_where_least_is_left_of_it(name, size, alpha):
    rows = numbers("proportion", name, (size,), (alpha,))
    assert judged(CONTRACTS["proportion"][name], rows, family_of("proportion")).kept


WITHOUT = {"wald", "wald_cc", "wald_t", "second_order", "jeffreys_minimal_length"}


def test_all_methods_of_a_proportion_but_wald_and_two_others_declare_a_contract():
    methods = methods_for(family_of("proportion")).items()
    promising = {n for n, each in methods if each.contract != NONE}
    assert set(methods_for(family_of("proportion"))) - promising == WITHOUT | {
        "bootstrap_percentile"
    }


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_what_declares_no_contract_keeps_none(name):
    rows = numbers("proportion", name, (10, 12, 43), (0.01,))
    assert not any(
        judged(contract, rows, family_of("proportion")).kept
        for contract in (NOMINAL, AT_LEAST, CONSERVATIVE, APPROXIMATE)
    )


def test_a_listed_method_exists_and_its_promise_implies_no_contract():
    for family, name in LISTED:
        assert CATALOGUE[family][name].contract == CONTRACTS[family][name]


def test_a_peer_is_held_to_what_its_package_says():
    pytest.importorskip("scipy")
    names = ("exact", "wilsoncc", "wilson")
    assert [named(f"scipy:{name}").contract for name in names] == [AT_LEAST, CONSERVATIVE, None]


# A check that is restricted to a grid asks for limits at its sizes and alphas and nowhere else.


class Recorded:
    """A method that records the sizes and alphas of its calls."""

    def __init__(self, limits):
        self.limits, self.asked = limits, set()
        self.__name__ = "recorded"

    def __call__(self, *arguments):
        *data, alpha = arguments
        sizes = product(*(np.unique(each).tolist() for each in data[1::2]))
        self.asked |= {(*size, alpha) for size in sizes}
        return self.limits(*arguments)


def by_count(x, exposure, alpha):
    z = -ndtri(alpha / 2)
    return np.maximum(np.sqrt(x) - z / 2, 0) ** 2 / exposure, (
        np.sqrt(x + 1) + z / 2
    ) ** 2 / exposure


@pytest.mark.parametrize(
    ("limits", "family", "grid", "asked"),
    [
        (agresti_coull, "proportion", "n=10,50; alpha=0.05", {(10, 0.05), (50, 0.05)}),
        (by_count, "rate", {"exposure": 2.5, "alpha": [0.1, 0.2]}, {(2.5, 0.1), (2.5, 0.2)}),
    ],
)
def test_a_method_is_asked_at_the_grid_only(limits, family, grid, asked):
    method = Recorded(limits)
    report = check(method, family=family, grid=grid)
    assert method.asked == asked
    assert {
        *report.behaviour.select(report.behaviour.columns[: len(next(iter(asked)))]).rows()
    } == asked


def test_of_two_samples_the_properties_are_checked_at_the_grid_only():
    method = Recorded(agresti_caffo)
    subject = Subject(FunctionHere("recorded", method), family_of("proportion_difference"))
    check_conformance(subject, Restriction(((4.0, 5.0), (70.0, 5.0)), (0.2,)))
    assert method.asked == {(4, 5, 0.2), (70, 5, 0.2)}


def test_a_method_for_one_alpha_has_no_property_of_several():
    def for_one_alpha(x, n, alpha):
        if alpha != 0.05:
            raise ValueError("the table has alpha = 0.05 only")
        return agresti_coull(x, n, alpha)

    found = {each.check: each for each in check(for_one_alpha, grid="n=5;alpha=0.05").findings}
    assert found["answers every outcome"].verdict == "pass"
    assert found["is nested in alpha"].message == "does not apply, since one alpha only is checked"


def test_a_part_that_the_grid_does_not_name_is_as_without_it():
    report = check("wilson", grid="n=3..5")
    assert report.behaviour["n"].unique().sort().to_list() == [3, 4, 5]
    assert report.behaviour["alpha"].unique().sort().to_list() == [0.01, 0.05, 0.1]


def test_sizes_of_two_samples_are_pairs_of_equal_index():
    restriction = restriction_of_grid(family_of("proportion_difference"), "n1=10,20;n2=5,15")
    assert restriction == Restriction(((10.0, 5.0), (20.0, 15.0)))


def test_a_failure_that_is_declared_elsewhere_is_not_missed_at_the_grid():
    report = check("jeffreys", contract="none", grid="n=5;alpha=0.05")
    assert report.passed
    assert "holds the estimate" in {each.check for each in report.findings}


def test_a_baseline_is_compared_at_the_grid_only(tmp_path):
    check(agresti_coull, contract="none", grid="n=3,4;alpha=0.05,0.1", update=tmp_path)
    method = Recorded(agresti_coull)
    method.__name__ = "agresti_coull"
    report = check(method, contract="none", grid="n=4;alpha=0.1", against=tmp_path)
    assert report.passed
    assert method.asked == {(4, 0.1)}
    with pytest.raises(InputError, match="holds no numbers at the sizes and alphas of the grid"):
        check(agresti_coull, contract="none", grid="n=5", against=tmp_path)


def test_sizes_stand_in_one_place():
    with pytest.raises(InputError, match="leave one of them out"):
        check("wilson", grid="n=3", sizes=[3])
