"""The contracts that methods of the catalogue and peers declare, against their exact numbers."""

from __future__ import annotations

import pytest

from harness.callers.naming import named
from harness.callers.source import CatalogueSource
from harness.checks.behaviour import behaviour
from harness.checks.contract.exact import judged
from harness.checks.sizes import checked_at
from harness.checks.subjects.subject import Subject
from harness.methods.catalogue import CATALOGUE, methods_for
from harness.methods.method import APPROXIMATE, AT_LEAST, CONSERVATIVE, NOMINAL, NONE

ALPHAS = (0.01, 0.05, 0.2)
SIZES = {
    "proportion": (10, 11, 12, 15, 24, 30, 100, 1000),
    "rate": checked_at("rate").exact,
    "proportion_difference": ((10.0, 10.0),),
}
STRONGER = {APPROXIMATE: NOMINAL, CONSERVATIVE: AT_LEAST}
CONTRACTS = {
    family: {
        name: method.keeps
        for name, method in CATALOGUE[family].items()
        if method.keeps != NONE and not method.takes_prior
    }
    for family in SIZES
}
LISTED = [(family, name) for family, names in CONTRACTS.items() for name in names]


def numbers(family, name, sizes=None, alphas=ALPHAS):
    subject = Subject(CatalogueSource(name, CATALOGUE[family][name], seed=0), family)
    return behaviour(subject, sizes or SIZES[family], alphas)


@pytest.mark.parametrize(("family", "name"), LISTED)
def test_every_listed_contract_is_kept_and_the_stronger_one_is_not(family, name):
    one_sample = family in ("proportion", "rate")
    rows = numbers(family, name, alphas=ALPHAS if one_sample else (0.05,))
    contract = CONTRACTS[family][name]
    assert judged(contract, rows, family).kept
    # Of Byar's limits and of scas_cc it is not known whether it holds everywhere.
    if contract in STRONGER and one_sample and name not in ("byar", "scas_cc"):
        stronger = judged(STRONGER[contract], rows, family)
        assert not stronger.kept or stronger.reason.startswith("by a hair")


@pytest.mark.parametrize(
    ("name", "size", "alpha"), [("wilson", 12, 0.01), ("wilson_cc", 10, 0.01), ("mid_p", 10, 0.01)]
)
def test_a_listed_contract_is_kept_where_least_is_left_of_it(name, size, alpha):
    rows = numbers("proportion", name, (size,), (alpha,))
    assert judged(CONTRACTS["proportion"][name], rows, "proportion").kept


WITHOUT = {"wald", "wald_cc", "wald_t", "second_order", "jeffreys_minimal_length"}


def test_all_methods_of_a_proportion_but_wald_and_two_others_declare_a_contract():
    methods = methods_for("proportion").items()
    promising = {n for n, each in methods if each.contract != NONE}
    assert set(methods_for("proportion")) - promising == WITHOUT | {"bootstrap_percentile"}


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_what_declares_no_contract_keeps_none(name):
    rows = numbers("proportion", name, (10, 12, 43), (0.01,))
    assert not any(
        judged(contract, rows, "proportion").kept
        for contract in (NOMINAL, AT_LEAST, CONSERVATIVE, APPROXIMATE)
    )


def test_a_listed_method_exists_and_its_promise_implies_no_contract():
    for family, name in LISTED:
        assert CATALOGUE[family][name].contract == CONTRACTS[family][name]


def test_a_peer_is_held_to_what_its_package_says():
    pytest.importorskip("scipy")
    names = ("exact", "wilsoncc", "wilson")
    assert [named(f"scipy:{name}").contract for name in names] == [AT_LEAST, CONSERVATIVE, None]
